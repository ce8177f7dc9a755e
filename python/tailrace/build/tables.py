"""Tables of a scenario. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Root, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Record(Table):
    """What is recorded beside the totals.

    Args:
        events: Whether drops, marks, timeouts, flags and faults are kept one by one. Default: false.
        interval: Sampling interval of the time series of flows and queues; "off" records none. Default:
            a 500th of the duration, at least 1 ms. 1 us to 87600 h (each sample is a row).
        max_connections: Connections beyond this number have no row in the table of connections.
            Default: 10000.
        max_events: Events beyond this number are counted, not kept. Default: 1000000.
        max_series_flows: Series are kept for the first so many flows of each group. Default: 64.
    """

    _: KW_ONLY
    events: bool | None = None
    interval: types.Duration | Literal["off"] | None = None
    max_connections: int | None = None
    max_events: int | None = None
    max_series_flows: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Host(Table):
    """A host, which sends and receives, or several alike.

    Args:
        name: Its name, unique among hosts and routers.
        address: Its IPv4 address; a list with one for each of its links, in the order of the file. Of
            several alike, each has the next one. Default: counted from 10.0.0.1.
        backpressure: Whether packets that wait at its interfaces are still its kernel's, as behind a
            network card, so that its sockets hold others back. Default: false.
        count: Makes so many of it, called name[0], name[1] and so on.
        endpoints: Addresses that this path manager uses, by its links: "2 subflow, 3 subflow backup, 4
            signal". Default: none.
        kernel: Linux kernel that it runs: one of `tailrace kernel list`, a path, or `none`. Default:
            none, it is simulated.
        limits: Limits of its kernel's path manager for Multipath TCP. Default: its kernel's.
        memory: Memory of its kernel. Default: 128 MiB.
        namespace: Shares its kernel with all hosts that have the same word here, each as a network
            namespace of it. Default: none, the kernel is its own.
        run: Programs that run on it.
        sysctl: Settings of its kernel, by their names as sysctl(8) has them.
    """

    name: types.Name
    _: KW_ONLY
    address: str | list[str] | tuple[str, ...] | None = None
    backpressure: bool | None = None
    count: int | None = None
    endpoints: str | None = None
    kernel: str | None = None
    limits: Mapping[str, object] | None = None
    memory: types.Size | None = None
    namespace: str | None = None
    run: list[Mapping[str, object]] | tuple[Mapping[str, object], ...] | None = None
    sysctl: Mapping[str, object] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Router(Table):
    """A router, which forwards packets, or several alike.

    Args:
        name: Its name, unique among hosts and routers.
        count: Makes so many of it, called name[0], name[1] and so on.
        role: Role of the queues on links that leave it, where their discipline has this role and they
            give none themselves.
    """

    name: types.Name
    _: KW_ONLY
    count: int | None = None
    role: Literal["edge", "core", "both", "access", "bottleneck"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Link(Table):
    """A full-duplex link, or one for each pair that `between` names.

    Args:
        between: Its ends: ["src[*]", "g1"] makes one link for each member of src.
        rate: Rate of each direction, a trace of when it delivers ("trace(FILE)"), or what grants: {
            kind = "lte", ... }. 1 bit/s to 10000 Gbit/s (a packet would take no time).
        delay: One-way propagation delay; a distribution is drawn once a link and run.
        jitter: Extra delay drawn for each packet. Default: none.
        loss: Random loss after transmission. Default: 0.
        medium: The [[medium]] that both directions share with other links; `rate` is then that of their
            frames. Default: none.
        mtu: Largest IP packet; larger ones are dropped and counted. Default: 1500 B. 68 B to 65536 B
            (every link carries 68 bytes, and no IP packet has more than 65535).
        name: Its name, unique among links. Default: its ends, joined by -.
        overhead: Bytes that each packet takes on the link beyond its IP size. Default: 0 B; with a
            trace 4 B.
        queue: Queue discipline of each direction. Default: droptail of 1000 packets.
        queue_limit: Most that may wait in each direction, whatever its discipline; a `limit` of the
            queue's own goes before. Default: each discipline's own.
        reorder: Whether jitter may reorder packets. Default: false.
        reverse: What differs in the direction from the second end to the first.
        rewrite: Share of packets with payload whose payload a middlebox at the far end changes, TCP's
            checksum with it. Default: 0.
        strip: TCP options that a middlebox at the far end takes out: of "mptcp", in every segment, in
            SYNs or in all but SYNs. Default: none.
    """

    _forms: ClassVar[Mapping[str, str]] = {
        "rate": "rate",
        "loss": "loss",
        "queue": "queue",
        "reverse": "tables.Reverse",
    }

    between: list[types.Selector] | tuple[types.Selector, ...]
    rate: types.LinkRate
    delay: types.Distribution
    _: KW_ONLY
    jitter: types.Distribution | None = None
    loss: types.Loss | None = None
    medium: types.Name | None = None
    mtu: types.Size | None = None
    name: types.Name | None = None
    overhead: types.Size | None = None
    queue: types.Queue | None = None
    queue_limit: types.Limit | None = None
    reorder: bool | None = None
    reverse: types.Reverse | None = None
    rewrite: types.Probability | None = None
    strip: Literal["none", "mptcp", "mptcp_syn", "mptcp_data"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Flow(Table):
    """A flow from one host to another, or one for each pair that `from` and `to` name.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        transport: Transport protocol.
        app: What drives the flow.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there are these flows at all: `false` is a run without them, in which all
            others draw what they draw with them. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        role: Ground truth for disciplines that single out flows. Default: normal.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
    """

    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"transport": "transport", "app": "app"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    transport: types.Transport
    app: types.App
    _: KW_ONLY
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    role: Literal["normal", "attack"] | None = None
    server_port: int | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Window(Table):
    """A part of the run with statistics of its own, beside those of the whole.

    Args:
        name: What it is called in the results.
        end: When it ends. Default: the start of the next window, or the end of the run.
        start: When it begins. Default: the end of the window before, or of the warm-up.
    """

    name: types.Name
    _: KW_ONLY
    end: types.Duration | None = None
    start: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Capture(Table):
    """A packet capture.

    Args:
        at: A link, or a host.
        name: What paths call it, such as `capture.NAME.snaplen`; unique among captures. Default: none.
        snaplen: Bytes kept of each packet. Default: 128 B.
    """

    at: types.Selector
    _: KW_ONLY
    name: types.Name | None = None
    snaplen: types.Size | None = None


@dataclass(eq=False, repr=False, slots=True)
class Figure(Table):
    """A figure that is drawn after the table.

    Args:
        against: The swept parameter along the axis. Default: chosen.
        by: The one with a line for each value. Default: chosen.
        formula: A dashed line, such as "model = min(1, x / 2)". Default: none.
        kind: "line", "bars", "box", "cdf" or "map". Default: by the values.
        log: Logarithmic axes: "x", "y", "x,y" or "none". Default: by the values.
        metric: Of `sweep`: a metric, such as "tcp.goodput", as `tailrace plot --metric` calls it.
            Default: none.
        of: Values of "runs", or of single "flows" or "connections". Default: runs.
        series: Of `run` and `compare`: a figure over time, such as "cwnd", as `tailrace plot --figures`
            calls it. Default: none.
        where: Only these cells: `parameter=value`, or a formula. Default: all cells.
    """

    _: KW_ONLY
    against: str | None = None
    by: str | None = None
    formula: str | None = None
    kind: str | None = None
    log: str | None = None
    metric: str | None = None
    of: str | None = None
    series: str | None = None
    where: str | None = None


@dataclass(eq=False, repr=False, slots=True)
class Reverse(Table):
    """What differs in the direction from a link's second end to its first.

    Args:
        delay: One-way propagation delay. Default: as forward.
        jitter: Extra delay drawn for each packet. Default: as forward.
        loss: Random loss after transmission. Default: as forward.
        queue: Queue discipline. Default: as forward.
        rate: Rate, a trace, or what grants. Default: as forward. 1 bit/s to 10000 Gbit/s (a packet
            would take no time).
        rewrite: Share of packets whose payload a middlebox changes. Default: as forward.
        strip: TCP options that a middlebox takes out. Default: as forward.
    """

    _forms: ClassVar[Mapping[str, str]] = {"loss": "loss", "queue": "queue", "rate": "rate"}

    _: KW_ONLY
    delay: types.Distribution | None = None
    jitter: types.Distribution | None = None
    loss: types.Loss | None = None
    queue: types.Queue | None = None
    rate: types.LinkRate | None = None
    rewrite: types.Probability | None = None
    strip: Literal["none", "mptcp", "mptcp_syn", "mptcp_data"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Routing(Table):
    """How routers find their ways. They know the shortest, of fewest links.

    Args:
        convergence: Routes follow so long after a link went down or up; until then they lead into links
            that are down. Hosts see their own links at once. Default: 0 s.
        equal_paths: Which of several ways of as many links packets take: the first that the file has,
            or that which a hash of their flow names. Default: "first".
    """

    _: KW_ONLY
    convergence: types.Duration | None = None
    equal_paths: Literal["first", "five_tuple", "src_dst"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Spoof(Table):
    """Source addresses that are not the sender's: queues and captures see them, and nothing comes back to
    them.

    Args:
        per: When another address is drawn: with each packet, or with each pulse. Default: packet.
        pool: Addresses of each flow to draw from. They lie from 240.0.0.0 on, where nobody is. Default:
            65536. 1 to 65536 (the more, the longer it takes to find out whom a queue has flagged).
    """

    _: KW_ONLY
    per: Literal["packet", "pulse"] | None = None
    pool: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Scenario(Root):
    """A scenario, which `tailrace.run`, `sweep` and `search` take.

    Args:
        name: Short name; the default result folder is called after it.
        duration: Simulated time.
        question: The question that the experiment answers, in one sentence. Default: "".
        warmup: Statistics start here. Default: 0 s.
        runs: Replications, each with a seed derived from `seed`. Default: 1. 1 to 1000000 (each is a
            simulation of its own).
        seed: Base seed of all randomness. Default: 1.
        sweep: A grid: each key is a path, each value a list; every cell is run.
        record: What is recorded beside the totals.
        hosts: A host, which sends and receives, or several alike.
        routers: A router, which forwards packets, or several alike.
        mediums: A channel that links share, both ways.
        links: A full-duplex link, or one for each pair that `between` names.
        flows: A flow from one host to another, or one for each pair that `from` and `to` name.
        attacks: An attack: flows with the role attack, told in the words of its kind.
        faults: Something that happens to links.
        windows: A part of the run with statistics of its own, beside those of the whole.
        captures: A packet capture.
        figures: A figure that is drawn after the table.
        allow: Codes of warnings that are not wanted, such as "queue-stays-empty".
        queue_form: Whose form queues have that do not say it themselves, such as "linux"; no matter to
            disciplines without it. Default: each discipline's own.
        routing: How routers find their ways. They know the shortest, of fewest links.
    """

    _keys: ClassVar[Mapping[str, str]] = {
        "hosts": "host",
        "routers": "router",
        "mediums": "medium",
        "links": "link",
        "flows": "flow",
        "attacks": "attack",
        "faults": "fault",
        "windows": "window",
        "captures": "capture",
        "figures": "figure",
    }
    _forms: ClassVar[Mapping[str, str]] = {
        "record": "tables.Record",
        "hosts": "tables.Host",
        "routers": "tables.Router",
        "mediums": "medium",
        "links": "tables.Link",
        "flows": "tables.Flow",
        "attacks": "attack",
        "faults": "fault",
        "windows": "tables.Window",
        "captures": "tables.Capture",
        "figures": "tables.Figure",
        "routing": "tables.Routing",
    }

    name: str
    duration: types.Duration
    _: KW_ONLY
    question: str | None = None
    warmup: types.Duration | None = None
    runs: int | None = None
    seed: int | None = None
    sweep: Mapping[str, object] | None = None
    record: Record | None = None
    hosts: list[Host] = field(default_factory=list)
    routers: list[Router] = field(default_factory=list)
    mediums: list[types.Medium] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    attacks: list[types.Attack] = field(default_factory=list)
    faults: list[types.Fault] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    captures: list[Capture] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    allow: (
        Sequence[
            Literal[
                "unused-role",
                "unused-limit",
                "unused-medium",
                "uncoupled-kernel",
                "unusual-rate",
                "unusual-delay",
                "tiny-limit",
                "huge-limit",
                "other-form",
                "after-the-end",
                "equal-runs",
                "unused-queue",
                "queue-stays-empty",
                "small-windows",
                "few-round-trips",
                "above-mtu",
                "single-subflow",
                "phase-effect",
                "rate-tie",
                "missing-counterpart",
                "only-link-down",
            ]
        ]
        | None
    ) = None
    queue_form: str | None = None
    routing: Routing | None = None

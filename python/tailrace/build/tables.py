"""Tables of a scenario. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.checked_root import Root
from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Record(Table):
    """What is recorded in addition to the totals.

    Args:
        events: Whether single drops, marks, timeouts, flags and faults are kept as rows of the table
            `events`. Default: false.
        interval: How often flows and queues are sampled for series over time; "off" records none.
            Default: a 500th of the duration, at least 1 ms. Allowed: 1 us to 87600 h (each sample is a
            row in the results).
        max_connections: How many connections get a row in the table `connections`; further ones have
            none. Default: 10000.
        max_events: How many events are kept; further ones are only counted. Default: 1000000.
        max_series_flows: For how many flows of each group series over time are kept: the first so many.
            Default: 64.
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
        name: The name; no other host or router may have it.
        address: The IPv4 address; or a list with one for each of its links, in the order of the file.
            With `count`, each host takes the next address. Default: counted from 10.0.0.1.
        backpressure: Whether packets that wait at the host's interfaces still count as its kernel's, as
            with a real network card. Its sockets then hold back further packets. Default: false.
        count: Makes so many of them, called name[0], name[1] and so on.
        endpoints: The endpoints of the path manager in the host's kernel, by the numbers of the host's
            links: "2 subflow, 3 subflow backup, 4 signal". Default: none.
        kernel: The Linux kernel that this host runs: a name from `tailrace kernel list`, a path, or
            `none`. Default: none, it is simulated.
        limits: Limits of the path manager for Multipath TCP in the host's kernel. Default: its
            kernel's.
        memory: How much memory the kernel gets. Default: 128 MiB.
        namespace: Hosts with the same word here share one kernel; each is a network namespace of it.
            This saves memory and time. Default: none, the kernel is its own.
        run: Programs that run on this host.
        sysctl: Settings of the kernel, by their names in sysctl(8), such as
            "net.ipv4.tcp_congestion_control".
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
        name: The name; no other host or router may have it.
        count: Makes so many of them, called name[0], name[1] and so on.
        role: The `role` of queues on links that leave this router, such as "edge". It holds for
            disciplines that know this role, unless the queue states one itself.
    """

    name: types.Name
    _: KW_ONLY
    count: int | None = None
    role: Literal["edge", "core", "both", "access", "bottleneck"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Link(Table):
    """A link that carries packets in both directions at once. If `between` names several hosts, one link
    is made for each.

    Args:
        between: The two ends: names of hosts or routers. ["src[*]", "g1"] makes one link to g1 for each
            host called src.
        rate: How much the link carries per second in each direction. Instead of a rate, also a file
            with the times at which it can deliver ("trace(FILE)"), or a model of an access network: {
            kind = "lte", ... }. Allowed: 1 bit/s to 10000 Gbit/s (a packet would take no time).
        delay: How long a packet travels from one end to the other, one way, without waiting or being
            sent. From a distribution one value is drawn for each link and run.
        jitter: Extra delay on the way, drawn for each packet by itself. Default: none.
        loss: Random loss of packets after they were sent: a probability, or a loss model with its keys.
            Default: 0.
        medium: The name of the [[medium]] (such as a Wi-Fi channel) that both directions share with
            other links. `rate` is then the rate at which frames are sent on it. Default: none.
        mtu: The size of the largest IP packet that the link carries. Larger ones are dropped and
            counted. Default: 1500 B. Allowed: 68 B to 65536 B (every link carries 68 bytes, and no IP
            packet has more than 65535).
        name: The name of the link; no other link may have it. Default: its ends, joined by -.
        overhead: How many bytes each packet takes on the link in addition to its IP size, such as an
            Ethernet header. Default: 0 B; with a trace 4 B.
        queue: The queue discipline in front of the link, for each direction: which packets wait, in
            which order they are sent, and which are dropped or marked. Default: droptail of 1000
            packets.
        queue_limit: The most that may wait in the queue of each direction, whatever its discipline. If
            the queue states a `limit` of its own, that one holds. Default: each discipline's own.
        reorder: Whether packets may overtake each other because of `jitter`. If false, they stay in
            order. Default: false.
        reverse: What is different in the direction from the second end to the first, such as a slower
            rate.
        rewrite: Of packets with payload, the share that a middlebox at the far end changes. It corrects
            TCP's checksum, so that only Multipath TCP's own checksum can notice. Default: 0.
        strip: TCP options that a middlebox at the far end removes from packets: those of Multipath TCP
            from every segment ("mptcp"), from SYNs only ("mptcp_syn"), or from all others
            ("mptcp_data"). Default: none.
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
    """A group of flows. A flow is traffic of an application from one host to another; if `from` and `to`
    name several hosts, there is a flow for each pair.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters.
        app: The application that drives the flow: what is sent and when, such as "bulk", "web" or
            "cbr"; or a table with its kind and keys.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether these flows exist. With `false` the run is the same without them: all others
            keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        role: Whether the flow is legitimate ("normal") or an attack. Results use this to say how well a
            queue discipline recognises attacks; it changes nothing in the run. Default: normal.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
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
    """A part of the run with statistics of its own, in addition to those of the whole run.

    Args:
        name: The name of the window in the results.
        end: When it ends. Default: the start of the next window, or the end of the run.
        start: When it begins. Default: the end of the window before, or of the warm-up.
    """

    name: types.Name
    _: KW_ONLY
    end: types.Duration | None = None
    start: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Capture(Table):
    """A packet capture: a pcapng file with the packets at one place, for Wireshark.

    Args:
        at: Where packets are captured: the name of a link or of a host.
        name: A name, so that paths such as `capture.NAME.snaplen` can refer to it; no other capture may
            have it. Default: none.
        snaplen: How many bytes of each packet are kept, from its start. Default: 128 B.
    """

    at: types.Selector
    _: KW_ONLY
    name: types.Name | None = None
    snaplen: types.Size | None = None


@dataclass(eq=False, repr=False, slots=True)
class Figure(Table):
    """A figure that is drawn with the results.

    Args:
        against: The varied parameter along the horizontal axis. Default: chosen.
        by: The varied parameter that has a line for each of its values. Default: chosen.
        formula: A dashed line to compare with, such as "model = min(1, x / 2)". Default: none.
        kind: What is drawn: "line", "bars", "box", "cdf" or "map". Default: by the values.
        log: Which axes are logarithmic: "x", "y", "x,y" or "none". Default: by the values.
        metric: For `sweep`: the metric to draw, such as "tcp.goodput". Names are those of
            `tailrace plot --metric`. Default: none.
        of: What each value is of: "runs", or single "flows" or "connections". Default: runs.
        series: For `run` and `compare`: a figure over time, such as "cwnd". Names are those of
            `tailrace plot --figures`. Default: none.
        where: Only these combinations of values are drawn: `parameter=value`, or a formula. Default:
            all cells.
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
    """What is different in the direction from a link's second end to its first.

    Args:
        delay: How long a packet travels, one way. Default: as forward.
        jitter: Extra delay on the way, drawn for each packet by itself. Default: as forward.
        loss: Random loss of packets after they were sent: a probability, or a loss model with its keys.
            Default: as forward.
        queue: Queue discipline. Default: as forward.
        rate: How much this direction carries per second: a rate, a trace, or a model of an access
            network. Default: as forward. Allowed: 1 bit/s to 10000 Gbit/s (a packet would take no
            time).
        rewrite: The share of packets whose payload a middlebox changes. Default: as forward.
        strip: TCP options that a middlebox removes. Default: as forward.
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
    """How routers forward packets. They know the shortest paths, those with the fewest links.

    Args:
        convergence: How long routers take to change their routes after a link has gone down or come up.
            Until then they send packets into links that are down. Hosts notice their own links at once.
            Default: 0 s.
        equal_paths: If several paths are equally short, which one packets take: always the first in the
            order of the file, or one chosen by a hash of the packet's flow, so that flows spread over
            all of them (ECMP). Default: "first".
    """

    _: KW_ONLY
    convergence: types.Duration | None = None
    equal_paths: Literal["first", "five_tuple", "src_dst"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Spoof(Table):
    """Forged source addresses. Queues and captures see them, and no answer reaches anybody.

    Args:
        per: When a new address is drawn: with each packet, or with each pulse. Default: packet.
        pool: From how many addresses each flow draws. They start at 240.0.0.0, where there are no
            hosts. Default: 65536. Allowed: 1 to 65536 (with more, it takes too long to find out which
            flows a queue has flagged).
    """

    _: KW_ONLY
    per: Literal["packet", "pulse"] | None = None
    pool: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Scenario(Root):
    """A scenario, which `tailrace.run`, `sweep` and `search` take.

    Args:
        name: A short name; the folder of results is called after it unless you choose another.
        duration: How much time is simulated.
        question: The question that the experiment answers, in one sentence. Default: "".
        warmup: The time at which statistics start; what happens before is not counted. Default: 0 s.
        runs: How often the experiment is repeated, each time with other random numbers, which follow
            from `seed`. Default: 1. Allowed: 1 to 1000000 (each run is a simulation of its own).
        seed: The number from which all random numbers follow. The same seed gives the same results.
            Default: 1.
        sweep: Values to be varied by `tailrace sweep`: each key is the path of a value, each value a
            list. Every combination is run.
        record: What is recorded in addition to the totals.
        hosts: A host, which sends and receives, or several alike.
        routers: A router, which forwards packets, or several alike.
        mediums: A channel that several links share, such as a Wi-Fi channel: only one of them sends at
            a time, in either direction.
        links: A link that carries packets in both directions at once. If `between` names several hosts,
            one link is made for each.
        flows: A group of flows. A flow is traffic of an application from one host to another; if `from`
            and `to` name several hosts, there is a flow for each pair.
        attacks: An attack: a group of flows with the role "attack", described by the keys of its kind.
        faults: Something that happens to links during the run: one goes down, becomes slower, or loses
            packets.
        windows: A part of the run with statistics of its own, in addition to those of the whole run.
        captures: A packet capture: a pcapng file with the packets at one place, for Wireshark.
        figures: A figure that is drawn with the results.
        allow: Codes of warnings that are not to be shown, such as "queue-stays-empty".
        queue_form: The `form` of all queues that do not state one themselves, such as "linux".
            Disciplines without forms are not affected. Default: each discipline's own.
        routing: How routers forward packets. They know the shortest paths, those with the fewest links.
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
                "ignored-key",
                "one-sided-key",
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

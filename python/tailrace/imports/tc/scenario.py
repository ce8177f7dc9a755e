"""The scenario of a text of tc: a client behind the device's link, and a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace import _native
from tailrace.imports.draft import ScenarioDraft, Value, assumed
from tailrace.imports.input_file import InputFile
from tailrace.imports.network import LINUX_TCP, UNKNOWN_TRAFFIC
from tailrace.imports.tc import device as devices
from tailrace.imports.tc import statements
from tailrace.imports.tc.netem import Netem, most_passed_bps
from tailrace.imports.tc.statements import Statement
from tailrace.text import interface_names, tc_units

_OTHER_KINDS = {"netem", "htb", "hfsc", "pfifo_fast", "prio", "mq", "noqueue", "fq"}
# Lines that are listed as not understood.
_LISTED = 5
_UNKNOWN_RATE_BPS = 100e6
_NETEM_PLACE = (
    "netem is a link of its own here, behind the machine that sends. On the sending machine itself it lies below\n"
    "TCP's small queues and takes packets out of their account, so TCP fills it up to its limit, and what it drops\n"
    "there is local congestion to TCP: better on a router between, or with a larger `limit`."
)


@dataclass
class Found:
    """A device with the keys of its link."""

    device: devices.Device
    link: devices.LinkKeys
    arrives: bool = False
    """Whether they are those for what arrives at the device."""

    @property
    def limits(self) -> bool:
        """Whether it holds packets back by itself."""
        return self.link.shaped_bps is not None or self.link.netem is not None


def kinds() -> frozenset[str]:
    """Names with which a line of tc can begin."""
    import json

    return frozenset(each["name"] for each in json.loads(_native.catalog([]))["queues"]) | _OTHER_KINDS


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """The link whose disciplines the text states, with uploads, downloads and a ping."""
    (file,) = files
    text = statements.parse(file.lines, kinds())
    draft = ScenarioDraft(f"tc-{file.stem}", "How long does a ping take while TCP fills the link?")
    found = found_devices(file, text, draft)
    if not found:
        why = "".join(f" ({each.place}: {each.why})" for each in draft.omissions[:1])
        file.fail(
            f"there is no queue discipline of tc in it{why}: give commands such as `tc qdisc add dev eth0 root ...`, "
            "or what `tc -s qdisc show` and `tc class show` print"
        )
    for line in text.not_understood[:_LISTED]:
        draft.omit(line, f"{line.text.strip()[:60]!r} is no line of tc")
    build(draft, *directions(draft, found, text.redirects))
    draft.remarks.insert(0, f"Read from {file.name}, lines of tc.")
    return draft


def found_devices(file: InputFile, text: statements.TcText, draft: ScenarioDraft) -> list[Found]:
    """The devices whose disciplines or policers say something of their link."""
    found = []
    for each in devices.devices(text.statements):
        found.append(Found(each, devices.link_keys(file, each, draft)))
        found.append(Found(each, devices.arriving_keys(file, each, draft), arrives=True))
    return [each for each in found if each.link.keys]


def directions(
    draft: ScenarioDraft, found: list[Found], redirects: dict[str, str]
) -> tuple[Found | None, Found | None]:
    """The devices for what leaves and for what arrives."""
    arriving = [
        each
        for each in found
        if each.arrives or each.device.name in redirects or interface_names.is_for_arrivals(each.device.name)
    ]
    leaving = sorted((each for each in found if each not in arriving), key=lambda each: not each.limits)
    up = leaving[0] if leaving else None
    others = leaving[1:]
    down = arriving[0] if arriving else None
    if down is None and up and others and others[0].limits:
        down, others = others[0], others[1:]
        draft.remark(
            f"assumed: {down.device.name or 'the second device'} sends towards the clients, so it shapes the download."
        )
    for each in others + arriving[1:]:
        root = each.device.root
        if root:
            draft.omit(
                root.line,
                f"{each.device.name or 'another device'}: nothing says that it is on the way; import it by itself",
            )
    return up, down


def build(draft: ScenarioDraft, up: Found | None, down: Found | None) -> None:
    """Adds hosts, links and traffic: the device is the client's way to the server."""
    draft.set("duration", assumed("30 s", "long enough for queues to fill"))
    draft.set("warmup", "5 s")
    draft.set("runs", 3)
    draft.host("client")
    draft.router("device")
    draft.router("next")
    draft.host("server")
    draft.link("lan", ("client", "device"), rate="10 Gbit/s", delay="50 us")
    forward, backward = _keys(draft, up), _keys(draft, down)
    name = up.device.name if up else down.device.name if down else ""
    draft.link(name or "link", ("device", "next"), **forward, reverse=_different(forward, backward))
    draft.link(
        "internet", ("next", "server"), rate="10 Gbit/s", delay=assumed("5 ms", "from there to the server")
    )
    tcp = assumed(LINUX_TCP, UNKNOWN_TRAFFIC)
    if up:
        draft.flow("upload", "client", "server", tcp, "bulk", start="uniform(0 s, 1 s)")
    if down:
        draft.flow("download", "server", "client", tcp, "bulk", start="uniform(0 s, 1 s)")
    draft.flow("ping", "client", "server", "udp", {"kind": "ping", "interval": "50 ms"})


def _keys(draft: ScenarioDraft, found: Found | None) -> dict[str, object]:
    """Keys of a direction, with rate and delay assumed where the text does not say them."""
    keys: dict[str, object] = dict(found.link.keys) if found else {}
    if "rate" not in keys:
        shaped = found.link.shaped_bps if found else None
        if shaped:
            keys["rate"] = assumed(
                tc_units.rate_text(max(1e9, 10 * shaped)), "the device is faster than its shaper"
            )
        elif found:
            keys["rate"] = assumed(
                tc_units.rate_text(_UNKNOWN_RATE_BPS), "rate of the device, which tc does not say"
            )
        else:
            keys["rate"] = assumed("1 Gbit/s", "nothing is said about what arrives")
    keys.setdefault("delay", assumed("1 ms", "delay of the device's own line"))
    if found and found.link.netem and found.link.netem_line:
        _explain_netem(draft, found.link.netem, found.link.netem_line, found.link.shaped_bps)
    return keys


def _explain_netem(
    draft: ScenarioDraft, netem: Netem, statement: Statement, shaped_bps: float | None
) -> None:
    """Says where netem sits, and what its limit lets pass."""
    if _NETEM_PLACE not in draft.remarks:
        draft.remark(_NETEM_PLACE)
    most, rate = most_passed_bps(netem), netem.rate_bps or shaped_bps
    if netem.delay_s and (rate is None or most < rate):
        draft.omit(
            statement.line,
            f"limit {netem.limit} counts packets that wait out the delay: at {tc_units.time_text(netem.delay_s)} "
            f"full packets pass with at most {tc_units.rate_text(round(most, -3))}; here they wait on the link, "
            "which has no limit",
        )


def _different(forward: dict[str, object], backward: dict[str, object]) -> dict[str, object]:
    """Keys of the other direction: all that differ."""
    neutral = {"jitter": "0 s", "loss": 0.0, "queue": "pfifo limit 1000"}
    keys = {key: Value(value, "") for key, value in neutral.items() if key in forward and key not in backward}
    return {**backward, **keys}

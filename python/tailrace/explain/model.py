"""The scenario of a pasted text: what it states, and what has to be guessed for a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace.explain.pasted import Pasted, Transfer
from tailrace.imports import ip_mptcp
from tailrace.imports.draft import ScenarioDraft, assumed, taken
from tailrace.imports.input_file import Line
from tailrace.imports.tc import device as devices
from tailrace.imports.tc import scenario as tc_scenario
from tailrace.text import tc_units

# Share of a link's rate that TCP's payload has, about.
_PAYLOAD = 0.95
_GUESSED_RTT_S = 0.02
# Part of the round trip that the links near the machine have in the scenario.
_NEAR_RTT_S = 0.0021
_CONTROLS = {"bbr2": "bbr3"}


@dataclass
class Model:
    """A draft, and which measurements went into it: these cannot be confirmed by it."""

    draft: ScenarioDraft
    transfer: Transfer | None = None
    """Test whose streams the scenario has."""
    rate_from_transfer: bool = False
    rtt_from_text: bool = False
    traffic_guessed: bool = False
    queue_guessed: bool = False
    up: devices.LinkKeys | None = None
    down: devices.LinkKeys | None = None
    queue_names: tuple[str, str] = ("device->next", "next->device")
    missing: list[str] = field(default_factory=list)
    """Sentences on what the text does not say, and which command prints it."""


def of(pasted: Pasted) -> Model:
    """The model of a text: over paths of Multipath TCP where it has endpoints, else over one link."""
    draft = ScenarioDraft(f"explain-{pasted.file.stem}", "Does the model show what was reported?")
    model = Model(draft, transfer=_told(pasted))
    draft.remark(f"Made from {pasted.file.name} by tailrace explain.")
    if pasted.mptcp.endpoints:
        client, server = pasted.mptcp, ip_mptcp.Settings()
        if pasted.mptcp.only_signals:
            client, server = server, client
        ip_mptcp.build(draft, client, server)
        model.missing.append("rate and round trip of each path: iperf3 and ping over one interface at a time")
    else:
        _single_link(pasted, model)
    _say_missing(pasted, model)
    return model


def _told(pasted: Pasted) -> Transfer | None:
    """The test that is modelled: the last one, which most reports complain about."""
    return pasted.transfers[-1] if pasted.transfers else None


def _single_link(pasted: Pasted, model: Model) -> None:
    """A client, the device of the text, and a server."""
    draft = model.draft
    found = tc_scenario.found_devices(pasted.file, pasted.tc, draft)
    up: tc_scenario.Found | None = None
    down: tc_scenario.Found | None = None
    if found:
        up, down = tc_scenario.directions(draft, found, pasted.tc.redirects)
    if up is not None and up.limits and down is None and model.transfer and model.transfer.down:
        draft.remark(
            f"assumed: {up.device.name or 'the device'} sends towards the client, as the test is a download."
        )
        up, down = None, up
    model.up, model.down = up.link if up else None, down.link if down else None
    tc_scenario.build(draft, up, down)
    draft.tables["flow"] = [flow for flow in draft.tables["flow"] if flow["name"] == "ping"]
    draft.top["duration"] = assumed("20 s", "a test of usual length")
    line = next(link for link in draft.tables["link"] if link["name"] not in {"lan", "internet"})
    _rates(model, line)
    _round_trip(pasted, model)
    _traffic(pasted, model)


def _rates(model: Model, line: dict[str, object]) -> None:
    """Rates that the text does not say follow from what was measured."""
    test = model.transfer
    for side, link in (("up", model.up), ("down", model.down)):
        known = link is not None and (link.shaped_bps or "rate" in link.keys)
        measured = test is not None and (side == "down") == test.down
        if known or not measured or test is None:
            continue
        best = max([*test.rates, test.bps])
        rate = assumed(
            tc_units.rate_text(max(float(f"{best / _PAYLOAD:.3g}"), 1000.0)),
            f"no line says it: the best interval at {test.line.place} fits",
        )
        if side == "up":
            line["rate"] = rate
        else:
            line["reverse"] = {**dict(line.get("reverse") or {}), "rate": rate}  # type: ignore[call-overload]
        model.rate_from_transfer = True
    if not model.up and not model.down:
        model.queue_guessed = True
        line["queue"] = assumed("droptail limit 250", "no line of tc says the queue")
        line["reverse"] = {**dict(line.get("reverse") or {}), "queue": "droptail limit 250"}  # type: ignore[call-overload]


def _round_trip(pasted: Pasted, model: Model) -> None:
    """The rest of the round trip, beside what netem adds, lies between the device and the server."""
    added = sum(link.netem.delay_s for link in (model.up, model.down) if link and link.netem)
    internet = next(link for link in model.draft.tables["link"] if link["name"] == "internet")
    found = pasted.least_rtt
    if found:
        model.rtt_from_text = True
        rest = max((found[0] - added - _NEAR_RTT_S) / 2, 1e-5)
        internet["delay"] = taken(
            tc_units.time_text(float(f"{rest:.4g}")),
            found[1],
            f"shortest round trip {tc_units.time_text(found[0])}",
        )
    elif added:
        internet["delay"] = assumed("100 us", "no line says the round trip; netem has most of it")
    else:
        internet["delay"] = assumed(tc_units.time_text(_GUESSED_RTT_S / 2), "no line says the round trip")


def _traffic(pasted: Pasted, model: Model) -> None:
    """The streams of the test; without one, an upload through the device."""
    draft, test = model.draft, model.transfer
    control = _control(pasted)
    transport: dict[str, object] = {"kind": "tcp", "profile": "linux"}
    if control:
        transport["cc"] = _CONTROLS.get(control[0], control[0])
        value = taken(transport, control[1])
    else:
        value = assumed(transport, "no line says the congestion control: cubic")
    if test is None:
        model.traffic_guessed = True
        down = model.down is not None and model.up is None
        names = ("download", "server", "client") if down else ("upload", "client", "server")
        draft.flow(
            *names, assumed(transport, "no line says what was sent"), "bulk", start="uniform(0 s, 100 ms)"
        )
        return
    draft.top["duration"] = assumed(f"{min(max(test.seconds, 10.0), 30.0):g} s", "about as long as the test")
    source, to = ("server", "client") if test.down else ("client", "server")
    name = "download" if test.down else "upload"
    for number in range(test.streams):
        stream = name if test.streams == 1 else f"{name}-{number + 1}"
        if test.udp:
            rate = (test.offered_bps or test.bps) / test.streams
            app = taken({"kind": "cbr", "rate": tc_units.rate_text(max(round(rate), 1000))}, test.line, "UDP")
            draft.flow(stream, source, to, "udp", app, start="uniform(0 s, 100 ms)")
        else:
            draft.flow(stream, source, to, value, "bulk", start="uniform(0 s, 100 ms)")


def _control(pasted: Pasted) -> tuple[str, Line] | None:
    if pasted.control:
        return pasted.control
    return next(((each.control, each.line) for each in pasted.sockets if each.control), None)


def _say_missing(pasted: Pasted, model: Model) -> None:
    """Says what the text lacks to tell more."""
    missing = model.missing
    if not pasted.transfers and not pasted.mptcp.endpoints:
        missing.append(
            "what was sent, how fast and in which direction: the output of iperf3 -c (with -R for downloads)"
        )
    if not model.rtt_from_text and not pasted.mptcp.endpoints:
        missing.append("the round trip of the idle path: ping without other traffic")
    if not pasted.pings or (len(pasted.pings) == 1 and pasted.transfers):
        missing.append("the round trip under load: ping while the transfer runs")
    if model.queue_guessed:
        missing.append("the queue at the bottleneck: tc -s qdisc show, and tc -s class show")
    if model.rate_from_transfer:
        missing.append(
            "the rate of the line itself, from elsewhere than this test: the modem's page, ethtool"
        )
    if pasted.transfers and not _control(pasted) and not all(test.udp for test in pasted.transfers):
        missing.append("the congestion control and the window: ss -ti while the transfer runs")

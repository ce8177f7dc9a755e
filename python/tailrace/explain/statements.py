"""Statements of a pasted text, each held against the model or against arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailrace.explain.pasted import idle_and_loaded
from tailrace.imports.tc.netem import most_passed_bps
from tailrace.text import tc_units

if TYPE_CHECKING:
    from tailrace.data.result import Result
    from tailrace.explain.model import Model
    from tailrace.explain.pasted import Pasted, Transfer


CONFIRMED, CONTRADICTED, OPEN = "confirmed", "contradicted", "not to tell"
# A rate is confirmed within this share of the model's, a round trip within the larger of a share and a time.
_RATE_SHARE, _RTT_SHARE, _RTT_S = 0.15, 0.25, 0.005
# A share of packets is confirmed within this factor.
_DROP_FACTOR = 4.0
# Share of netem's limit from which on it explains a rate: packets are not all full.
_LIMIT_SHARE = 0.6


@dataclass(frozen=True)
class Statement:
    """A statement, what the model has in its place, and the verdict."""

    place: str
    says: str
    model: str
    verdict: str
    why: str


def judge(pasted: Pasted, model: Model, result: Result) -> list[Statement]:
    """All statements that can be compared with anything."""
    groups = result.aggregate["groups"]
    found = [_rate(test, model, groups) for test in pasted.transfers]
    found += _pings(pasted, model, groups)
    found += _sockets(pasted, model)
    found += _netem_limits(model)
    found += _counts(pasted, model, result.aggregate["queues"])
    if pasted.mptcp.endpoints:
        found += _subflows(pasted, result)
    return found


def _value(group: dict[str, Any], name: str, part: str) -> float | None:
    found = (group.get(name) or {}).get(part)
    value = found.get("mean") if isinstance(found, dict) else None
    return float(value) if value is not None else None


def _flows(groups: dict[str, Any], direction: str) -> dict[str, Any]:
    return {name: group for name, group in groups.items() if name.startswith(direction)}


def _rate(test: Transfer, model: Model, groups: dict[str, Any]) -> Statement:
    """Rate of a test of iperf3 against the goodput of the model's flows."""
    says = f"{'download' if test.down else 'upload'} of {_rate_text(test.bps)}"
    said = (test.line.place, says)
    flows = _flows(groups, "download" if test.down else "upload")
    if test is not model.transfer or not flows:
        return Statement(*said, "", OPEN, "the model has the last test of the text; explain each by itself")
    goodput = sum(_value(group, "goodput_bps", "sum") or 0.0 for group in flows.values())
    have = f"{_rate_text(goodput)}"
    if model.rate_from_transfer:
        why = "the rate of the model's link was taken from this test: it would always agree"
        return Statement(*said, have, OPEN, why)
    if abs(test.bps - goodput) <= _RATE_SHARE * max(goodput, test.bps):
        return Statement(*said, have, CONFIRMED, f"within {_RATE_SHARE:.0%}".replace("%", " %"))
    shaped = _stated_rate(model, down=test.down)
    if shaped is None or max(test.bps, goodput) < (1 - _RATE_SHARE) * shaped:
        why = "no stated rate limits it: buffers, the length of the test and the stack decide, which are guessed"
        return Statement(*said, have, OPEN, why)
    if test.bps > goodput:
        why = "more passed than the stated queue lets through: a filter, another device or another direction"
    else:
        why = "something that the text does not state holds it back: the window, losses, the processor, another link"
    return Statement(*said, have, CONTRADICTED, why)


def _stated_rate(model: Model, *, down: bool) -> float | None:
    """Rate that the text states for a direction."""
    link = model.down if down else model.up
    if link is None:
        return None
    return link.shaped_bps or (link.netem.rate_bps if link.netem else None)


def _pings(pasted: Pasted, model: Model, groups: dict[str, Any]) -> Iterator[Statement]:
    """Round trips under load; that of the idle path is the model's own input."""
    idle, loaded = idle_and_loaded(pasted.pings)
    if idle:
        says = f"ping of {_ms(idle.mean)} on the idle path"
        yield Statement(
            idle.line.place, says, "", OPEN, "the model's delay was taken from the text's shortest round trip"
        )
    if loaded is None:
        return
    place, says = loaded.line.place, f"ping of {_ms(loaded.mean)}, {_ms(loaded.most)} at most"
    mean = _value(groups.get("ping", {}), "rtt_s", "mean")
    if mean is None:
        return
    have = f"{_ms(mean)} under load"
    if not pasted.transfers and idle is None and loaded.most < 2 * loaded.least:
        yield Statement(
            place, says, have, OPEN, "nothing says that the path was loaded, and its times hardly differ"
        )
        return
    if abs(loaded.mean - mean) <= max(_RTT_SHARE * loaded.mean, _RTT_S):
        yield Statement(place, says, have, CONFIRMED, "the queue that the model fills takes as long")
    elif model.queue_guessed or model.traffic_guessed:
        what = "queue" if model.queue_guessed else "traffic"
        yield Statement(place, says, have, OPEN, f"the model's {what} is guessed, and this depends on it")
    elif loaded.mean > mean:
        why = "more waits than the stated queue holds: there is another buffer on the way, such as a modem's or Wi-Fi's"
        yield Statement(place, says, have, CONTRADICTED, why)
    else:
        why = "less waits than in the model: the path was not filled, or the traffic has a queue of its own"
        yield Statement(place, says, have, CONTRADICTED, why)


def _sockets(pasted: Pasted, model: Model) -> Iterator[Statement]:
    """Window over round trip, the rate that a socket can have, against the measured one."""
    test = model.transfer
    for socket in pasted.sockets:
        rate = socket.cwnd * socket.mss * 8 / socket.rtt
        says = f"cwnd {socket.cwnd} of {socket.mss} bytes in {_ms(socket.rtt)}"
        have = f"{_rate_text(rate)} by arithmetic"
        if test is None or test.udp:
            yield Statement(socket.line.place, says, have, OPEN, "no measured rate stands beside it")
        elif rate < (1 - _RATE_SHARE) * test.bps / test.streams:
            why = f"that window cannot carry {_rate_text(test.bps / test.streams)}: another moment or connection"
            yield Statement(socket.line.place, says, have, CONTRADICTED, why)
        elif rate <= (1 + 2 * _RATE_SHARE) * test.bps / test.streams:
            why = "the window fills the path: the network, or the window itself, limits this connection"
            yield Statement(socket.line.place, says, have, CONFIRMED, why)
        else:
            why = (
                "the window allows more than was measured: the application, the receiver or pacing limits it"
            )
            yield Statement(socket.line.place, says, have, CONFIRMED, why)


def _netem_limits(model: Model) -> Iterator[Statement]:
    """Rate that netem's limit lets pass, against the measured one."""
    test = model.transfer
    for side, link in (("upload", model.up), ("download", model.down)):
        if not (link and link.netem and link.netem_line and link.netem.delay_s):
            continue
        most = most_passed_bps(link.netem)
        says = f"netem with limit {link.netem.limit} and {_ms(link.netem.delay_s)}"
        have = f"{_rate_text(most)} at most in full packets, by arithmetic"
        place = link.netem_line.line.place
        shaped = link.shaped_bps or link.netem.rate_bps
        if shaped and shaped < most:
            continue
        if test is None or (side == "download") != test.down:
            yield Statement(
                place, says, have, OPEN, "no measured rate stands beside it; raise `limit` if more shall pass"
            )
        elif test.bps >= _LIMIT_SHARE * most:
            why = "the limit counts packets that wait out the delay: it is near what was measured, raise `limit` first"
            yield Statement(place, says, have, CONFIRMED, why)
        else:
            yield Statement(place, says, have, OPEN, "the limit alone would let more pass than was measured")


def _counts(pasted: Pasted, model: Model, queues: dict[str, Any]) -> Iterator[Statement]:
    """Drops and marks that tc counted, and the time that its backlog stands for."""
    for statement in pasted.tc.statements:
        counts = statement.counts
        packets = counts.get("sent_packets", 0.0) + counts.get("dropped", 0.0)
        if statement.object != "qdisc" or not packets:
            continue
        place = statement.line.place
        name = f"{statement.kind}{' on ' + statement.dev if statement.dev else ''}"
        yield from _backlog(place, name, counts, model)
        if not counts["dropped"]:
            continue
        share = counts["dropped"] / packets
        says = f"{name} dropped {share:.2%} of its packets".replace("%", " %")
        ours = _dropped_share(queues, model)
        if ours is None:
            yield Statement(place, says, "", OPEN, "the model does not have this queue")
        elif model.traffic_guessed or not pasted.transfers:
            why = "counted since the device came up, with traffic that the text does not say"
            yield Statement(place, says, f"{ours:.2%}".replace("%", " %"), OPEN, why)
        else:
            near = ours > 0 and 1 / _DROP_FACTOR <= share / ours <= _DROP_FACTOR
            why = (
                f"within a factor of {_DROP_FACTOR:g}"
                if near
                else "counted since the device came up, over other traffic too"
            )
            yield Statement(place, says, f"{ours:.2%}".replace("%", " %"), CONFIRMED if near else OPEN, why)


def _backlog(place: str, name: str, counts: dict[str, float], model: Model) -> Iterator[Statement]:
    rate = next((link.shaped_bps for link in (model.up, model.down) if link and link.shaped_bps), None)
    if counts.get("backlog_bytes") and rate:
        waits = counts["backlog_bytes"] * 8 / rate
        says = f"{name} has {counts['backlog_bytes']:g} bytes waiting"
        have = f"{_ms(waits)} at {_rate_text(rate)}, by arithmetic"
        yield Statement(
            place, says, have, CONFIRMED, "the queue is in use: this device is where packets wait"
        )


def _dropped_share(queues: dict[str, Any], model: Model) -> float | None:
    """Share of packets that the model's busiest queue dropped."""
    shares = []
    for name in model.queue_names:
        queue = queues.get(name)
        if queue:
            dropped = sum(each["mean"] for each in queue["dropped_packets"].values())
            offered = queue["enqueued_packets"]["mean"] + dropped
            shares.append(dropped / offered if offered else 0.0)
    return max(shares) if shares else None


def _subflows(pasted: Pasted, result: Result) -> Iterator[Statement]:
    """Paths that carried data."""
    endpoint = pasted.mptcp.endpoints[0]
    paths = result.paths
    flags = [flag for each in pasted.mptcp.endpoints for flag in each.flags]
    says = f"{len(pasted.mptcp.endpoints)} endpoints ({', '.join(dict.fromkeys(flags)) or 'no flag'})"
    if "received_bytes" not in paths.columns:
        return
    used = paths.filter(paths["received_bytes"] > 0)
    names = sorted({f"{row['src_link']}" for row in used.iter_rows(named=True) if "src_link" in used.columns})
    runs = max(1, result.n)
    have = f"{len(used) / runs:g} paths carry data{': ' + ', '.join(names) if names else ''}"
    yield Statement(
        endpoint.line.place,
        says,
        have,
        OPEN,
        "the text does not say how many subflows there were: ss -M, nstat",
    )


def _rate_text(bps: float) -> str:
    return tc_units.rate_text(float(f"{bps:.3g}"))


def _ms(seconds: float) -> str:
    return tc_units.time_text(float(f"{seconds:.3g}"))


def line_of(statement: Statement) -> str:
    """A statement as a line for people."""
    model = f" Model: {statement.model}." if statement.model else ""
    return f"{statement.place}: {statement.says}.{model} {statement.verdict.capitalize()}: {statement.why}."

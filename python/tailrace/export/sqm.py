"""A section of OpenWrt's /etc/config/sqm for the shapers of a link: what `tailrace import sqm` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tailrace.errors import UsageError
from tailrace.scenario.scenario import Scenario
from tailrace.text import interface_names, sqm_defaults, tc_units

_DIFFSERV = {"besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"}
# Words of cake that say what cake does without them, or that options of their own say.
_UNNEEDED = _DIFFSERV | {"noatm", "wash", "nowash", "nonat", "nat", "atm"}
_WITH_VALUE = {"bandwidth", "overhead", "mpu", "memlimit", "rtt"}
_DEFAULT_RTT = "100ms"
_KBIT = 1000
# Token buckets, and the script that sets them up with a queue inside.
_BUCKETS = {"tbf": "simplest_tbf.qos", "htb": "simplest.qos"}


@dataclass
class _Shaper:
    """A direction's shaper, as tc says it."""

    queue: str
    words: list[str]
    """Words of the discipline at the root."""
    inner: list[str] = field(default_factory=list)
    """Words of the discipline in a token bucket."""

    def value(self, word: str) -> str:
        """The word after another one; empty without it."""
        words = self.words
        return words[words.index(word) + 1] if word in words[:-1] else ""

    @property
    def kbit(self) -> int:
        """Rate in kbit/s."""
        bits = tc_units.rate(self.value("bandwidth" if self.words[0] == "cake" else "rate"))
        if bits is None or bits < _KBIT:
            raise UsageError(
                f"{self.queue} has no bandwidth of at least 1 kbit/s, without which SQM does not shape"
            )
        return round(bits / _KBIT)


def section(scenario: Scenario, link: str | None, interface: str) -> str:
    """The section as text. The link's forward direction is the upload."""
    found = _shapers(scenario, link)
    up, down = found["forward"], found["reverse"]
    options = {
        "enabled": "1",
        "interface": interface,
        "upload": str(up.kbit) if up else "0",
        "download": str(down.kbit) if down else "0",
    }
    kinds = {shaper.words[0] for shaper in (up, down) if shaper}
    if len(kinds) > 1:
        raise UsageError("the directions have different kinds of shapers: SQM has one script for both")
    options |= _cake(up, down) if kinds == {"cake"} else _token_bucket(up, down, interface)
    lines = [
        f"config queue '{interface}'",
        *(f"\toption {key} '{value}'" for key, value in options.items() if value),
    ]
    return "\n".join(lines) + "\n"


def _shapers(scenario: Scenario, link: str | None) -> dict[str, _Shaper | None]:
    """Shapers of the directions of a link, by direction; the only link with shapers if none is named."""
    try:
        entries: list[dict[str, Any]] = json.loads(scenario.native.tc(link))
    except ValueError as error:
        raise UsageError(str(error)) from None
    shaping = [entry for entry in entries if entry["tc"] and _shapes(entry)]
    links = {entry["link"] for entry in shaping}
    if not links:
        raise UsageError(
            f"{scenario.name} has no queue with a shaper, such as cake with a bandwidth, tbf or htb"
        )
    if len(links) > 1:
        raise UsageError(f"several links have shapers: --link says which ({', '.join(sorted(links))})")
    first = next(entry for entry in entries if entry["link"] in links)["queue"]
    found: dict[str, _Shaper | None] = {"forward": None, "reverse": None}
    for entry in shaping:
        # The queue inside a bucket is the last command; cake and a bucket with a FIFO have none of their own.
        last = entry["commands"][-1].split() if len(entry["commands"]) > 1 else ["tc", "class"]
        inner = last[7:] if last[1] == "qdisc" else []
        shaper = _Shaper(entry["queue"], entry["tc"].split(), inner)
        found["forward" if entry["queue"] == first else "reverse"] = shaper
    return found


def _shapes(entry: Mapping[str, Any]) -> bool:
    words = entry["tc"].split()
    return words[0] in _BUCKETS or (words[0] == "cake" and "bandwidth" in words)


def _cake(up: _Shaper | None, down: _Shaper | None) -> dict[str, str]:
    """Options of a shaper with cake."""
    both = [shaper for shaper in (up, down) if shaper]
    modes = {id(shaper): next((w for w in shaper.words if w in _DIFFSERV), "diffserv3") for shaper in both}
    best_effort = all(mode == "besteffort" for mode in modes.values())
    overheads = {(shaper.value("overhead") or "0", "atm" in shaper.words) for shaper in both}
    if len(overheads) > 1:
        raise UsageError("the directions have different overheads: SQM has one for both")
    ((overhead, atm),) = overheads
    options = {"qdisc": "cake", "script": "piece_of_cake.qos" if best_effort else "layer_cake.qos"}
    if overhead != "0" or atm:
        mpu = next((shaper.value("mpu") for shaper in both if shaper.value("mpu")), "")
        options |= {"linklayer": "atm" if atm else "ethernet", "overhead": overhead, "tcMPU": mpu}
    if down:
        options |= {
            "squash_dscp": str(int("wash" in down.words)),
            "squash_ingress": str(int(modes[id(down)] == "besteffort")),
        }
    own = {
        name: _own_words(shaper, modes)
        for name, shaper in (("eqdisc_opts", up), ("iqdisc_opts", down))
        if shaper
    }
    return options | own


def _own_words(shaper: _Shaper, modes: Mapping[int, str]) -> str:
    """Words of cake that no option says."""
    words, skipped = [], False
    for word, following in zip(shaper.words[1:], [*shaper.words[2:], ""], strict=True):
        if skipped:
            skipped = False
        elif word in _WITH_VALUE:
            skipped = True
            if word == "rtt" and following != _DEFAULT_RTT:
                words += [word, following]
        elif word not in _UNNEEDED:
            words.append(word)
    mode = modes[id(shaper)]
    return " ".join(words if mode in {"besteffort", "diffserv3"} else [mode, *words])


def _token_bucket(up: _Shaper | None, down: _Shaper | None, interface: str) -> dict[str, str]:
    """Options of a token bucket, which holds another discipline."""
    both = [shaper for shaper in (up, down) if shaper]
    kinds = {shaper.inner[0] if shaper.inner else "" for shaper in both}
    if len(kinds) > 1 or "" in kinds:
        raise UsageError(
            "SQM puts one kind of queue into the shapers of both directions, such as fq_codel: state `queue`"
        )
    options = {"qdisc": kinds.pop(), "script": _BUCKETS[both[0].words[0]]}
    overheads = {int(shaper.value("overhead") or "0") for shaper in both}
    if len(overheads) > 1:
        raise UsageError("the directions have different overheads: SQM has one for both")
    more = overheads.pop() - interface_names.counted_header(interface)
    if more > 0:
        options |= {"linklayer": "ethernet", "overhead": str(more)}
    for shaper, side in ((up, "e"), (down, "i")):
        if shaper:
            direction = "egress" if side == "e" else "ingress"
            options[f"{direction}_ecn"] = "NOECN" if "noecn" in shaper.inner else "ECN"
            inner = _Shaper(shaper.queue, shaper.inner)
            options[f"{side}limit"] = inner.value("limit")
            options[f"{side}target"] = _target(inner, shaper.kbit)
    return options


def _target(inner: _Shaper, kbit: int) -> str:
    """Setting of CoDel's target: what is worked out from the rate is `auto`."""
    stated = inner.value("target")
    microseconds = sqm_defaults.target_us(kbit)
    interval = tc_units.time(inner.value("interval"))
    auto = (microseconds, sqm_defaults.interval_us(microseconds))
    found = (tc_units.time(stated), interval)
    return "auto" if found == tuple(value / 1e6 for value in auto) else stated

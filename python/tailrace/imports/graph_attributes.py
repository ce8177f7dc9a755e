"""Attributes of nodes and edges in GML and GraphML that are positions, rates, delays and weights.

Names of the Topology Zoo (Knight et al., "The Internet Topology Zoo", IEEE JSAC 29(9), 2011): `Longitude`, `Latitude`,
`LinkSpeedRaw` in bit/s, `LinkSpeed` with `LinkSpeedUnits`, `LinkType` and `LinkLabel` as OC-48 or STM-16; and usual
ones of others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tailrace.imports.topology import Edge, Node, position_of, usable_rate
from tailrace.text import finite

_LONGITUDE = ("longitude", "lon", "lng")
_LATITUDE = ("latitude", "lat")
_LABEL = ("label", "name")
_WEIGHT = ("weight", "cost", "metric", "ospf", "igp", "igp_cost", "ospf_cost")
_DELAY = ("delay", "latency", "prop_delay", "propagation_delay")
_DISTANCE = ("distance", "dist", "length", "length_km", "distance_km")
_CAPACITY = ("capacity", "bandwidth", "bw", "rate", "speed", "linkspeed")
# SONET's OC-1 (ITU-T G.707: STM-1 is OC-3).
_OC1 = 51.84e6
_OPTICAL = re.compile(r"\b(OC|STM)[- ]?(\d{1,4})\b", re.IGNORECASE)
_QUANTITY = re.compile(
    r"(?<![\w.])(\d+(?:[.,]\d+)?)\s*([kmgt]?)(?:bit/s|bits/s|bps|b/s|bit|b|e|be|ige)(?![\w/])", re.IGNORECASE
)
_TIME = re.compile(r"(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(ns|us|µs|ms|s)")
# Numbers from here on are bits a second, where nothing states their unit.
_LARGE = 1e6
_PREFIX = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def node_of(identifier: str, attributes: Mapping[str, str], line: int) -> Node:
    """A node with its label and position."""
    values = {name.lower(): value for name, value in attributes.items()}
    label = next((values[name].strip() for name in _LABEL if values.get(name, "").strip()), "") or identifier
    return Node(identifier, label, line, _position(values))


def _position(values: Mapping[str, str]) -> tuple[float, float] | None:
    longitude, latitude = (finite.number(_first(values, names)) for names in (_LONGITUDE, _LATITUDE))
    if longitude is None or latitude is None:
        return None
    return position_of(longitude, latitude)


def edge_of(source: str, target: str, attributes: Mapping[str, str], line: int) -> Edge:
    """An edge with what is said of its rate, delay and weight."""
    values = {name.lower(): value for name, value in attributes.items()}
    rate, words, guess = _rate(values)
    return Edge(
        source,
        target,
        line,
        rate=rate,
        rate_words=words,
        assumed_rate=guess,
        delay=_delay(_first(values, _DELAY)),
        distance=finite.number(_first(values, _DISTANCE)),
        weight=finite.number(_first(values, _WEIGHT)),
    )


def _first(values: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((values[name] for name in names if values.get(name, "").strip()), "")


def _rate(values: Mapping[str, str]) -> tuple[float | None, str, str]:
    """Bits a second, the words that say it, and why it is a guess if it is one."""
    raw = finite.number(values.get("linkspeedraw", ""))
    if raw and raw > 0:
        return usable_rate(raw), f"LinkSpeedRaw {raw:g}", ""
    speed, unit = finite.number(values.get("linkspeed", "")), values.get("linkspeedunits", "").strip().lower()
    if speed and speed > 0 and unit[:1] in _PREFIX and unit:
        return usable_rate(speed * _PREFIX[unit[:1]]), f"LinkSpeed {speed:g} {unit.upper()}", ""
    for name in (*_CAPACITY, "linktype", "linklabel", "linknote", "label"):
        text = values.get(name, "").strip()
        if found := _OPTICAL.search(text):
            times = int(found[2]) * (3 if found[1].upper() == "STM" else 1)
            return usable_rate(times * _OC1), text, ""
        if found := _QUANTITY.search(text):
            return usable_rate(float(found[1].replace(",", ".")) * _PREFIX[found[2].lower()]), text, ""
        number = finite.number(text)
        if name in _CAPACITY and number and number > 0:
            # Numbers without a unit: bits where they are large, as in ns-3's readers, else Mbit/s, as in most files.
            factor, unit = (1.0, "bit/s") if number >= _LARGE else (1e6, "Mbit/s")
            return usable_rate(number * factor), f"{name} {text}", f"no unit; read as {unit}"
    return None, "", ""


def _delay(text: str) -> float | None:
    """Seconds; numbers without a unit are milliseconds."""
    if found := _TIME.fullmatch(text.strip()):
        return float(found[1]) * _SECONDS[found[2]]
    number = finite.number(text)
    return number * 1e-3 if number is not None and number >= 0 else None

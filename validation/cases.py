"""The cases: one table (cases.toml), expanded into one `Case` for each combination and reference."""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

HERE = Path(__file__).resolve().parent
REFERENCES = ("ns2", "linux")
T = TypeVar("T")


@dataclass(frozen=True)
class Flood:
    """UDP that does not yield: all the time, or in pulses."""

    share: float = 0.0
    """Rate while it sends, as a share of the bottleneck's."""
    period_s: float = 0.0
    """From the start of one pulse to the start of the next; 0: it sends all the time."""
    burst_s: float = 0.0
    """Length of a pulse."""

    @classmethod
    def of(cls, entry: float | dict[str, float]) -> Flood:
        """Flood of an entry in the table: a share, or the words of a pulse."""
        return cls(**entry) if isinstance(entry, dict) else cls(share=entry)

    @property
    def name(self) -> str:
        """Part of a case's name."""
        if self.period_s:
            return f"pulse{self.share:g}x{self.burst_s:g}of{self.period_s:g}"
        return f"flood{self.share:g}" if self.share else "calm"


@dataclass(frozen=True)
class Case:
    """A dumbbell, to be run by a reference and by Tailrace."""

    reference: str
    queue: str
    flows: int
    rtt: str
    base_rtts_ms: tuple[float, ...]
    """Base round trip of each flow."""
    rtt_jitter_ms: float
    """Most that is added to a round trip, drawn for each run."""
    flood: Flood
    ecn: bool
    tcp: str
    rate_mbit: float
    limit: int
    """Packets that may wait."""
    delay_ms: float
    """One-way delay of the bottleneck."""
    duration_s: float
    warmup_s: float
    packet: int
    """IP bytes of a full packet."""
    queues: dict[str, Any]
    """The queue's entry of the table."""

    __hash__ = object.__hash__

    @property
    def name(self) -> str:
        """Short and unique."""
        ecn = "ecn" if self.ecn else "drop"
        return f"{self.reference}-{self.queue}-{self.tcp}-{self.flows}-{self.rtt}-{self.flood.name}-{ecn}"

    @property
    def rate_bps(self) -> float:
        """Rate of the bottleneck."""
        return self.rate_mbit * 1e6

    @property
    def flood_bps(self) -> float:
        """Rate of the flood while it sends, IP bytes."""
        return self.flood.share * self.rate_bps

    def classes(self) -> list[float]:
        """The base round trips that occur, shortest first."""
        return sorted(set(self.base_rtts_ms))

    def words(self) -> dict[str, str]:
        """Words in braces for the queue's texts: thresholds follow from the limit."""
        low, high = max(5, self.limit // 6), max(15, self.limit // 2)
        return {
            "limit": str(self.limit),
            "limit_plus_1": str(self.limit + 1),
            "limit_bytes": str(self.limit * self.packet),
            "min": str(low),
            "max": str(high),
            "min_bytes": str(low * self.packet),
            "max_bytes": str(high * self.packet),
            "burst": str((2 * low + high) // 3 + 1),
            "target": str(self.limit // 3),
            "packet": str(self.packet),
            "rate_mbit": f"{self.rate_mbit:g}",
        }

    def fill(self, value: T) -> T:
        """`value` with words in braces replaced, at any depth."""
        if isinstance(value, str):
            text: str = value
            for word, meant in self.words().items():
                text = text.replace("{" + word + "}", meant)
            return cast(T, text)
        if isinstance(value, dict):
            return cast(T, {key: self.fill(inner) for key, inner in value.items()})
        return value


def load(path: Path = HERE / "cases.toml") -> list[Case]:
    """Every case of the table, each name once."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    found: dict[str, Case] = {}
    for block in table["matrix"]:
        for case in expand(block, table):
            found.setdefault(case.name, case)
    return list(found.values())


def expand(block: dict[str, Any], table: dict[str, Any]) -> list[Case]:
    """The combinations of one block that make sense: ECN only where the queue marks."""
    cases = []
    for reference, queue in itertools.product(block["references"], block["queues"]):
        entry = table["queue"][queue]
        if reference not in entry:
            continue
        grid = (block["flows"], block["rtt"], block["flood"], block["ecn"], block["tcp"][reference])
        for flows, rtt, flood, ecn, tcp in itertools.product(*grid):
            if not ecn or entry.get("ecn", True):
                cases.append(build(table, reference, queue, (flows, rtt, flood, ecn, tcp)))
    return cases


def build(
    table: dict[str, Any],
    reference: str,
    queue: str,
    point: tuple[int, str, float | dict[str, float], bool, str],
) -> Case:
    """A case of the grid."""
    flows, rtt, flood, ecn, tcp = point
    network = table["network"]
    classes = network["rtts_ms"][rtt]
    return Case(
        reference=reference,
        queue=queue,
        flows=flows,
        rtt=rtt,
        base_rtts_ms=tuple(float(classes[i % len(classes)]) for i in range(flows)),
        rtt_jitter_ms=network["rtt_jitter_ms"][reference][rtt],
        flood=Flood.of(flood),
        ecn=ecn,
        tcp=tcp,
        rate_mbit=network["rate_mbit"][str(flows)],
        limit=network["limit"][str(flows)],
        delay_ms=network["delay_ms"],
        duration_s=network["duration_s"],
        warmup_s=network["warmup_s"],
        packet=network["packet"][reference],
        queues=table["queue"][queue],
    )

"""The cases of Multipath TCP, as data: `validation/multipath.toml`."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass
from typing import Any

from validation.cases import HERE

JITTER_MS = 2.0
"""Paths are up to so much longer, drawn for each run on both sides: else every run would be the same."""


@dataclass(frozen=True)
class Path:
    """A path from an interface of the client to the server."""

    rate_mbit: float
    delay_ms: float
    """One way."""
    limit: int
    """Packets that may wait."""


@dataclass(frozen=True)
class Fault:
    """Failure of some paths for some time."""

    kind: str
    """`silent`: packets vanish both ways. `down`: the client's links are down, and their endpoints are gone."""
    paths: tuple[int, ...]
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class Case:
    """A bulk transfer over several paths."""

    name: str
    paths: tuple[Path, ...]
    phases: tuple[tuple[float, float], ...]
    duration_s: float
    tcp: str
    flags: tuple[str, ...]
    """Of the endpoints on the second interface and those after it."""
    subflows: int
    """The limit of `ip mptcp limits`."""
    receive_kib: int | None
    """SO_RCVBUF; the kernel's own tuning without."""
    send_kib: int | None
    """SO_SNDBUF."""
    faults: tuple[Fault, ...]
    hystart: bool = False
    """Whether cubic leaves slow start by HyStart."""

    def delays_ms(self, seed: int) -> list[float]:
        """Delay of each path, one way, in run `seed`."""
        drawn = random.Random(seed)  # noqa: S311 - it is no secret
        return [path.delay_ms + round(drawn.uniform(0, JITTER_MS), 3) for path in self.paths]


def load() -> list[Case]:
    """All cases."""
    table = tomllib.loads((HERE / "multipath.toml").read_text(encoding="utf-8"))
    return [case_of(entry, table["usual"]) for entry in table["case"]]


def case_of(entry: dict[str, Any], usual: dict[str, Any]) -> Case:
    """Case of an entry of the table."""
    entry = usual | entry
    paths = tuple(Path(*p) for p in entry["paths"]) * entry.get("times", 1)
    return Case(
        name=entry["name"],
        paths=paths,
        phases=tuple((begin, end) for begin, end in entry["phases"]),
        duration_s=entry["duration_s"],
        tcp=entry["tcp"],
        flags=tuple(entry.get("flags", ["subflow"] * (len(paths) - 1))),
        subflows=entry.get("subflows", len(paths) - 1),
        receive_kib=entry.get("receive_kib"),
        send_kib=entry.get("send_kib"),
        faults=tuple(Fault(f[0], tuple(f[1]), f[2], f[3]) for f in entry.get("faults", [])),
        hystart=entry.get("hystart", False),
    )

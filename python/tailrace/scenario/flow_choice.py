"""Choice of flows by a text: `tcp[0..3],udp[2]`, or all of a group by its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.text import near_misses

if TYPE_CHECKING:
    import polars as pl

# A name, and where given one position or a range without its end, as in selectors of scenarios.
_CHOICE = re.compile(r"(.+?)(?:\[(?:(\d+)(?:\.\.(\d+))?|\*)\])?")


def among(flows: pl.DataFrame, text: str) -> list[tuple[str, int]]:
    """The group and position of each flow of a table `flows` that is meant; an error where one is not there."""
    import polars as pl

    there = flows.select(pl.col("group").cast(pl.String), "flow").unique().sort("group", "flow")
    found: dict[tuple[str, int], None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        choice = _CHOICE.fullmatch(part)
        name, low, high = choice.groups() if choice else (part, None, None)
        near_misses.known(name, there["group"].unique(maintain_order=True).to_list(), "flow group")
        own = [int(flow) for flow in there.filter(pl.col("group") == name)["flow"]]
        wanted = range(int(low), int(high) if high else int(low) + 1) if low else own
        missing = [flow for flow in wanted if flow not in own]
        if missing or not len(wanted):
            raise UsageError(f"there is no flow {part}: {name} has {len(own)}, {name}[0..{len(own)}]")
        found |= dict.fromkeys((name, flow) for flow in wanted)
    if not found:
        raise UsageError("flows are chosen as in tcp[0..3], or tcp[0],udp[2]")
    return list(found)

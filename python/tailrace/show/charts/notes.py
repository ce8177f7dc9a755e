"""Notes under titles: runs and seeds."""

from __future__ import annotations

from collections.abc import Sequence


def band_note(counts: Sequence[int], *, band: bool) -> str:
    """Note about the number of runs of the curves, and about the band around them."""
    least, most = min(counts), max(counts)
    count = str(least) if least == most else f"{least} to {most}"
    if not band:
        return f"n = {count} run{'s' if most > 1 else ''}"
    return f"mean of n = {count} runs, band: 95 % interval"


def seeds_note(seeds: Sequence[int]) -> str:
    """Note about seeds."""
    distinct = sorted(set(seeds))
    return f"seed{'s' if len(distinct) > 1 else ''} {', '.join(map(str, distinct))}"

"""Distributions of flow sizes in the files of traffic generators, as transfers that arrive by chance.

A line has a size and the share of flows that are no larger: `10000 0.15`, with a number between them in ns-2's files
(pFabric's `CDF_search.tcl`), with a comma in those of Opera's htsim (`Figure1_traffic/websearch.csv`), with shares to
100 in HPCC's (`traffic_gen/WebSearch_distribution.txt`). Homa's files (`sizeDistributions/Google_SearchRPC.txt`) begin
with the mean alone, and mean that each size is had exactly.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.imports.draft import ScenarioDraft, assumed, taken
from tailrace.imports.input_file import InputFile, Line
from tailrace.text import finite

# Largest number of points that the engine takes, and that fits on a line of the scenario.
_MOST_POINTS, _MOST_INLINE = 10_000, 100
_LARGEST = 1e15
# Bytes of a packet where a file counts packets, as pFabric's and Homa's do.
_PACKET = 1460
# Sizes up to here may be counted in packets.
_MOST_PACKETS = 50_000
# A last share above is of 100, and how far it may be off 1 for being rounded.
_MORE_THAN_ALL, _ROUNDING = 1.5, 1e-3
# Largest relative difference of a stated mean from that of the points.
_NEAR = 0.02
_RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))
_SEPARATORS = re.compile(r"[\s,;]+")


@dataclass(frozen=True)
class SizeCdf:
    """A distribution of sizes as read."""

    points: list[tuple[float, float]]
    """Sizes in the file's unit, and the share of sizes that are no larger, ascending, to 1."""
    exact: bool = False
    """Whether each size is had exactly, not those between two as well."""
    mean: float | None = None
    """Mean that the file states in a line of its own."""
    unit: int = 1
    """Bytes that the file counts as 1."""
    remarks: tuple[str, ...] = ()

    @property
    def mean_bytes(self) -> float:
        """Mean size that follows from the points."""
        return _mean(self.points, exact=self.exact) * self.unit


def parse(file: InputFile) -> SizeCdf:
    """The distribution of a file."""
    stated, found, last = _points(file)
    remarks: list[str] = []
    points, fell = _ascending(file, found)
    if fell:
        remarks.append(f"shares fall at {fell} lines, as in Homa's DCTCP file: the larger one before holds")
    whole = points[-1][1]
    # Shares are often rounded, so that the last is 0.99999.
    scale = 100.0 if whole > _MORE_THAN_ALL else 1.0
    if abs(whole / scale - 1) > _ROUNDING:
        file.fail(f"shares end at 1, or at 100, found {whole:g} last: add the largest size", last)
    points = [(size, min(1.0, share / scale)) for size, share in points]
    points[-1] = (points[-1][0], 1.0)
    return _read_mean(points, stated, tuple(remarks))


def _points(file: InputFile) -> tuple[float | None, list[tuple[float, float, Line]], Line]:
    """The mean that stands alone in the first line, the points, and the last line with one."""
    stated: float | None = None
    points: list[tuple[float, float, Line]] = []
    for line in file.lines:
        words = [word for word in _SEPARATORS.split(line.text.split("#")[0].strip()) if word]
        if not words:
            continue
        numbers = [finite.number(word) for word in words]
        if not points and stated is None and None in numbers:
            continue  # names of columns
        if not points and stated is None and len(words) == 1 and numbers[0] is not None:
            stated = numbers[0]
            continue
        found = [number for number in numbers if number is not None]
        if len(found) != len(words) or len(words) not in {2, 3}:
            file.fail(
                f"{line.text.strip()[:40]!r} is no size and share: write two numbers, such as 10000 0.15",
                line,
            )
        size, share = found[0], found[-1]
        if not (0 <= size <= _LARGEST and share >= 0):
            file.fail(f"size {size:g} and share {share:g}: sizes are 0 to 1e15, shares 0 or more", line)
        points.append((size, share, line))
    if not points:
        file.fail("has no lines with a size and a share, such as 10000 0.15")
    if len(points) > _MOST_POINTS:
        file.fail(f"has {len(points)} points, at most {_MOST_POINTS} can be read: leave some out")
    return stated, points, points[-1][2]


def _ascending(
    file: InputFile, points: list[tuple[float, float, Line]]
) -> tuple[list[tuple[float, float]], int]:
    """Points with shares that do not fall, and at how many lines they did."""
    found: list[tuple[float, float]] = []
    fell = 0
    for size, share, line in points:
        if found and size < found[-1][0]:
            file.fail(f"size {size:g} comes after {found[-1][0]:g}: sort the lines by size", line)
        if found and share < found[-1][1]:
            # A slip of some points. A file of shares of each size by itself falls again and again, and far.
            if share < found[-1][1] * 0.5:
                file.fail(
                    f"share {share:g} comes after {found[-1][1]:g}: each is that of all sizes that are no "
                    "larger, so add them up",
                    line,
                )
            fell += 1
        found.append((size, max(share, found[-1][1] if found else 0.0)))
    return found, fell


def _mean(points: Sequence[tuple[float, float]], *, exact: bool) -> float:
    total, before = 0.0, (points[0][0], 0.0)
    for size, share in points:
        typical = size if exact else (size + before[0]) / 2
        total += (share - before[1]) * typical
        before = size, share
    return total


def _read_mean(points: list[tuple[float, float]], stated: float | None, remarks: tuple[str, ...]) -> SizeCdf:
    """The reading, straight lines or exact sizes, that has the stated mean, and what the file counts in."""
    if stated is None:
        return SizeCdf(points, remarks=remarks)
    means = {exact: _mean(points, exact=exact) for exact in (False, True)}
    # Homa's files of packets (DCTCP's) state their mean in packets, too, and have sizes up to some ten thousand.
    best = min(means, key=lambda exact: abs(means[exact] - stated))
    if abs(means[best] - stated) > _NEAR * stated:
        remarks += (f"the mean in the first line, {stated:g}, is not that of the points, {means[False]:g}",)
        best = False
    return SizeCdf(points, exact=best, mean=stated, remarks=remarks)


def written(cdf: SizeCdf) -> list[tuple[int, float]]:
    """Points in bytes as the engine reads them: between two there are straight lines, so exact sizes are steps."""
    found: list[tuple[int, float]] = []
    before = 0.0
    for size, share in cdf.points:
        in_bytes = round(size * cdf.unit)
        if cdf.exact and found and share > before:
            found.append((in_bytes, before))
        found.append((in_bytes, share))
        before = share
    return found


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """Two hosts between which transfers of these sizes arrive at half of the link's rate."""
    file = files[0]
    cdf = parse(file)
    draft = ScenarioDraft(
        f"{file.stem}-arrivals", "How long do transfers of these sizes take while others come and go?"
    )
    draft.remark(f"Read from {file.name}: {len(cdf.points)} points of a distribution of flow sizes.")
    draft.remark(f"Mean size {cdf.mean_bytes:.6g} B.")
    if cdf.exact:
        draft.remark("Each size is had exactly: with that, the mean is the one in the first line.")
    for remark in cdf.remarks:
        draft.omit(file.name, remark)
    if cdf.points[-1][0] <= _MOST_PACKETS:
        draft.remark(
            f"Sizes are read as bytes. Where the file counts packets, write cdf({file.name}, {_PACKET} B) as the size."
        )
    points = written(cdf)
    if len(points) <= _MOST_INLINE:
        size = f"cdf({'; '.join(f'{size} B {_share(share)}' for size, share in points)})"
    else:
        name = f"{draft.name}.cdf"
        draft.files[name] = "".join(f"{size} {_share(share)}\n" for size, share in points).encode()
        size = f"cdf({name})"
    duration = 10.0
    draft.set(
        "duration", assumed(f"{duration:g} s", "some thousand transfers of usual sizes; longer for more")
    )
    draft.set("warmup", "1 s")
    draft.host("client")
    draft.router("switch")
    draft.host("server")
    draft.link("access", ("client", "switch"), rate="10 Gbit/s", delay="10 us")
    draft.link(
        "bottleneck",
        ("switch", "server"),
        rate=assumed(
            _rate(cdf.mean_bytes, duration), "at half of it some thousand transfers come in the run"
        ),
        delay=assumed("20 us", "a rack of a data centre"),
        queue="droptail",
    )
    draft.flow(
        "transfers",
        "client",
        "server",
        assumed({"kind": "tcp", "profile": "linux"}, "the file says only sizes"),
        {
            "kind": "arrivals",
            "size": taken(size, file.name, f"{len(cdf.points)} points"),
            "load": assumed("50 %", "share of the bottleneck that the payload takes"),
            "of": "bottleneck",
        },
    )
    return draft


def _share(share: float) -> str:
    return f"{share:.12g}"


def _rate(mean: float, duration: float) -> str:
    """Round rate of 10 kbit/s to 10 Gbit/s at which some thousand transfers are half of a run."""
    wanted = 4000 * mean * 8 / duration
    power = min(10.0, max(4.0, round(math.log10(max(wanted, 1.0)))))
    rate, unit = next((10**power / size, unit) for size, unit in _RATES if 10**power >= size)
    return f"{rate:g} {unit}"

"""Measurements of a link over time, read from CSV with commas, semicolons or tabs, and decimal points or commas."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from itertools import pairwise
from statistics import fmean, median, median_low

from tailrace.imports.input_file import InputFile
from tailrace.imports.measurement_forms import UNITS, Column, Form, known_form, stated_columns, unknown_unit
from tailrace.text import finite

_MISSING = {"", "-", "--", "na", "n/a", "nan", "null", "none", "."}
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_ZONE = re.compile(r"\s+(?:[A-Z]{3,4}|UTC|GMT)\Z")
# Times from here on are dates in seconds (2001), milliseconds, microseconds or nanoseconds since 1970.
_EPOCHS = ((1e18, 1e-9), (1e15, 1e-6), (1e12, 1e-3), (1e9, 1.0))
# Packets by themselves are put together in spans of so many seconds, so that their losses are a share.
_SPAN = 0.1
# Columns that an error lists.
_MOST_LISTED = 8
# A pause ends a recording if it is so many times the usual step, and so many seconds.
_PAUSE_STEPS, _PAUSE = 10, 10.0


@dataclass(frozen=True)
class Sample:
    """The link from a time on; None where that was not measured."""

    time: float
    """Seconds from the first sample."""
    rate: float | None = None
    """Bits a second in both directions."""
    down: float | None = None
    up: float | None = None
    delay: float | None = None
    """Seconds, one way."""
    loss: float | None = None
    """Share of packets lost, in both directions."""
    loss_down: float | None = None
    loss_up: float | None = None

    def rate_of(self, end: str) -> float | None:
        """Rate of a direction, `up` or `down`."""
        own = self.down if end == "down" else self.up
        return self.rate if own is None else own

    def loss_of(self, end: str) -> float | None:
        """Share of packets lost in a direction."""
        own = self.loss_down if end == "down" else self.loss_up
        return self.loss if own is None else own


@dataclass
class LinkSamples:
    """Measurements, and how they were read."""

    samples: list[Sample]
    form: str
    delay_reading: str = "one way"
    remarks: list[str] = field(default_factory=list)
    omissions: list[tuple[str, str]] = field(default_factory=list)

    def rates(self, end: str) -> list[float]:
        """Rates of a direction that were measured."""
        return [rate for sample in self.samples if (rate := sample.rate_of(end)) is not None]

    @property
    def step(self) -> float:
        """Usual time between two samples, for which the last one holds, too."""
        times = [sample.time for sample in self.samples]
        steps = [b - a for a, b in pairwise(times)]
        return median(steps) if steps else 1.0


@dataclass(frozen=True)
class _Row:
    line: int
    cells: list[str]


def read_samples(file: InputFile) -> LinkSamples:
    """The measurements of a file."""
    separator, rows = _rows(file)
    header = next(rows, None)
    if header is None:
        file.fail("has no rows: the first names the columns, such as time [s],rate [Mbit/s]")
    form = known_form(header.cells) or _stated_form(file, header)
    found = LinkSamples([], form.said)
    found.remarks.append(f"Columns: {', '.join(f'{c.header} as {_said(c.role)}' for c in form.columns)}.")
    values = list(_values(file, form, _one_run(file, form, rows, found), separator))
    if not values:
        file.fail("has no rows below the names of its columns")
    if form.marks_loss:
        _put_together(values, found)
    else:
        _one_a_time(file, form, values, found)
    return found


def _said(role: str) -> str:
    return {
        "down": "downlink rate",
        "up": "uplink rate",
        "rtt": "round trip",
        "lost_up": "loss (uplink)",
        "lost_down": "loss (downlink)",
    }.get(role, role)


def _rows(file: InputFile) -> tuple[str, Iterator[_Row]]:
    """The separator, and all rows that are no comments."""
    lines = [line for line in file.lines if line.text.strip()]
    # A comment before the header may be the header itself, as of gnuplot's files.
    first = next((line.text for line in lines if not line.text.lstrip().startswith("#")), "")
    separator = next((mark for mark in (";", "\t") if mark in first), ",")
    if separator == "," and "," not in first:
        file.fail(
            f"the first row {first.strip()[:40]!r} has no commas, semicolons or tabs: write columns such as "
            "time [s],rate [Mbit/s]",
            lines[0] if lines else None,
        )

    def rows() -> Iterator[_Row]:
        for line in lines:
            if not line.text.lstrip().startswith("#"):
                yield _Row(
                    line.number, [cell.strip() for cell in next(csv.reader([line.text], delimiter=separator))]
                )

    return separator, rows()


def _stated_form(file: InputFile, header: _Row) -> Form:
    """The form that names and units of the header state."""
    columns = stated_columns(header.cells)
    roles = {column.role for column in columns}
    wanted = "name them time, rate, delay, rtt, loss, download or upload, with a unit, as in rate [Mbit/s]"
    if "time" not in roles:
        file.fail(f"no column is a time among {_listed(header.cells)}: {wanted}", header.line)
    if roles == {"time"}:
        file.fail(
            f"no column is a rate, a delay or a loss among {_listed(header.cells)}: {wanted}", header.line
        )
    for column in columns:
        known = UNITS[column.role]
        if unit := unknown_unit(column):
            near = get_close_matches(unit, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"write one of {', '.join(list(known)[:8])}"
            file.fail(f"{unit!r} is no unit of the column {column.header!r}: {hint}", header.line)
        if column.factor is None and column.role not in {"time", "loss"}:
            file.fail(
                f"the column {column.header!r} states no unit: write it into the first row, as in "
                f"{column.header} [{next(u for u in known if u in ('mbit/s', 'ms'))}]".replace(
                    "mbit", "Mbit"
                ),
                header.line,
            )
    columns = [replace(c, factor=1.0) if c.role == "loss" and c.factor is None else c for c in columns]
    return Form("columns by their names and units", columns)


def _listed(cells: list[str]) -> str:
    shown = ", ".join(cells[:_MOST_LISTED])
    return f"{shown}, ..." if len(cells) > _MOST_LISTED else shown


def _one_run(file: InputFile, form: Form, rows: Iterator[_Row], found: LinkSamples) -> Iterator[_Row]:
    """Rows of the first run, where a column numbers runs."""
    if form.run is None:
        yield from rows
        return
    first: str | None = None
    others: set[str] = set()
    for row in rows:
        run = row.cells[form.run] if form.run < len(row.cells) else ""
        first = run if first is None else first
        if run == first:
            yield row
        else:
            others.add(run)
    if others:
        found.omissions.append(
            (file.name, f"{len(others)} more runs: run {first} is read; leave its rows out to have another")
        )


def _values(
    file: InputFile, form: Form, rows: Iterable[_Row], separator: str
) -> Iterator[tuple[int, dict[str, float | None]]]:
    """Numbers of each row by role, in bits a second, seconds and shares; times as they are."""
    for row in rows:
        values: dict[str, float | None] = {}
        for column in form.columns:
            if column.position >= len(row.cells):
                file.fail(
                    f"has {len(row.cells)} cells, and the column {column.header!r} is number {column.position + 1}",
                    row.line,
                )
            cell = row.cells[column.position]
            if column.role == "time":
                values["time"] = _time(file, column, cell, row.line)
            else:
                values[column.role] = _measured(file, form, column, cell, separator, row.line)
        yield row.line, values


def _measured(
    file: InputFile, form: Form, column: Column, cell: str, separator: str, line: int
) -> float | None:
    if cell.lower() in _MISSING:
        return None
    number = _number(cell, separator)
    if number is None:
        file.fail(f"{cell[:30]!r} in the column {column.header!r} is no number", line)
    if number < 0 and not (form.marks_loss and number == -1):
        file.fail(f"{cell} in the column {column.header!r} is below 0: leave the row out", line)
    value = number if number < 0 else number * (column.factor or 1.0)
    if column.role == "loss" and value > 1:
        file.fail(
            f"a loss of {cell} is more than all: if it is in per cent, name the column {column.header} [%]",
            line,
        )
    return value


def _number(cell: str, separator: str) -> float | None:
    if separator != "," and _DECIMAL_COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")
    return finite.number(cell)


def _time(file: InputFile, column: Column, cell: str, line: int) -> float:
    number = _number(cell, ";")
    if number is not None:
        if column.factor is not None:
            return number * column.factor
        epoch = next((factor for least, factor in _EPOCHS if number >= least), None)
        if epoch is not None:
            return number * epoch
        file.fail(
            f"the time {cell} has no unit: write it into the first row, as in {column.header} [s]", line
        )
    text = _ZONE.sub("", cell.strip())
    for form in ("%Y.%m.%d_%H.%M.%S", "%Y-%m-%d %H:%M:%S", "%d/%m/%Y %H:%M:%S", "%H:%M:%S"):
        try:
            return datetime.strptime(text, form).timestamp()
        except (ValueError, OverflowError, OSError):
            continue
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        file.fail(f"{cell[:30]!r} is no time: write seconds, or dates as in 2026-01-31 12:00:00", line)


def _one_a_time(
    file: InputFile, form: Form, values: list[tuple[int, dict[str, float | None]]], found: LinkSamples
) -> None:
    """Samples with times from 0; rows of one time are their mean, of several recordings the longest counts."""
    stretches: list[list[tuple[float, list[dict[str, float | None]]]]] = [[]]
    times = [value["time"] or 0.0 for _, value in values]
    steps = [b - a for a, b in pairwise(times) if b > a]
    pause = max(_PAUSE, _PAUSE_STEPS * median_low(steps)) if steps else math.inf
    for (line, value), time in zip(values, times, strict=True):
        current = stretches[-1]
        if current and time == current[-1][0]:
            current[-1][1].append(value)
            continue
        if current and (time < current[-1][0] or time - current[-1][0] > pause):
            if not form.may_restart and time < current[-1][0]:
                file.fail(
                    "its time is before that of the row above: sort the rows, or give one recording", line
                )
            if form.may_restart:
                stretches.append([])
        stretches[-1].append((time, [value]))
    longest = max(stretches, key=lambda stretch: stretch[-1][0] - stretch[0][0])
    if len(stretches) > 1:
        found.omissions.append(
            (file.name, f"{len(stretches) - 1} more recordings with pauses between: the longest is read")
        )
    merged = sum(len(rows) > 1 for _, rows in longest)
    if merged:
        found.remarks.append(f"Rows of one time ({merged} times) are their mean.")
    start = longest[0][0]
    found.samples = [_sample(time - start, rows) for time, rows in longest]
    if form.of("rtt"):
        found.delay_reading = "half a round trip"
    held = [c.header for c in form.columns if c.role != "time" and any(v[c.role] is None for _, v in values)]
    if held:
        found.remarks.append(f"Cells without a value in {', '.join(held)} keep that of the row above.")


def _sample(time: float, rows: list[dict[str, float | None]]) -> Sample:
    mean = {role: _mean_of(rows, role) for role in rows[0]}
    rtt = mean.get("rtt")
    delay = mean.get("delay")
    return Sample(
        time,
        rate=mean.get("rate"),
        down=mean.get("down"),
        up=mean.get("up"),
        delay=rtt / 2 if delay is None and rtt is not None else delay,
        loss=mean.get("loss"),
    )


def _mean_of(rows: list[dict[str, float | None]], role: str) -> float | None:
    values = [value for row in rows if (value := row[role]) is not None]
    return fmean(values) if values else None


def _put_together(values: list[tuple[int, dict[str, float | None]]], found: LinkSamples) -> None:
    """Packets that were sent one by one as spans with a median delay and shares of losses."""
    found.delay_reading = "half a round trip"
    found.remarks.append(f"Packets of {_SPAN * 1e3:g} ms are put together: median round trip, share lost.")
    start = min(value["time"] or 0.0 for _, value in values)
    spans: dict[int, list[dict[str, float | None]]] = {}
    for _, value in values:
        spans.setdefault(int(((value["time"] or 0.0) - start) / _SPAN + 1e-6), []).append(value)
    for place, packets in sorted(spans.items()):
        lost = {
            role: sum(packet.get(role) == -1 for packet in packets)
            for role in ("rtt", "lost_up", "lost_down")
        }
        arrived = [rtt for packet in packets if (rtt := packet["rtt"]) is not None and rtt > 0]
        # Where a packet was lost without a direction, half of it counts for each.
        shares = {end: (lost[f"lost_{end}"] + lost["rtt"] / 2) / len(packets) for end in ("up", "down")}
        found.samples.append(
            Sample(
                place * _SPAN,
                delay=median(arrived) / 2 if arrived else None,
                loss_up=shares["up"],
                loss_down=shares["down"],
            )
        )

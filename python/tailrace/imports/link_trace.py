"""Measurements of a link over time in CSV, as a link that follows them: columns time, rate, delay and loss.

Known data sets are read by the names of their columns (`measurement_forms`); others state units in their header, as in
`rate [Mbit/s]`, `delay_ms` or `Loss (%)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeAlias

from tailrace.imports.draft import ScenarioDraft, Value, assumed, taken
from tailrace.imports.input_file import InputFile
from tailrace.imports.link_samples import LinkSamples, Sample, read_samples
from tailrace.imports.topology import rate_text, usable_rate

# Rows that stand in the scenario itself; more are in a file beside it.
_MOST_INLINE = 24
_MOST_ROWS = 1_000_000
# Least and largest duration of the run, in seconds.
_LEAST, _MOST = 5.0, 120.0
_MEGA = 1e6

# Name of a column, its value in a sample, and how it is written.
_TraceColumn: TypeAlias = tuple[str, Callable[[Sample], float | None], Callable[[float], str]]


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """A host behind a link that follows the measurements, with a download, an upload and a ping."""
    file = files[0]
    found = read_samples(file)
    if len(found.samples) > _MOST_ROWS:
        file.fail(f"has {len(found.samples)} rows, at most {_MOST_ROWS} can be read: give a part of them")
    draft = ScenarioDraft(
        f"{file.stem}-link", "How do a download, an upload and a ping fare over the measured link?"
    )
    draft.remark(f"Read from {file.name}: {found.form}.")
    for remark in found.remarks:
        draft.remark(remark)
    for place, why in found.omissions:
        draft.omit(place, why)
    length = found.samples[-1].time + found.step
    _span(draft, file, length)
    draft.host("client")
    draft.router("access")
    draft.host("server")
    down, up = found.rates("down"), found.rates("up")
    draft.link(
        "measured",
        ("access", "client"),
        rate=_base_rate(file, down, up),
        delay=_base_delay(file, found),
        queue=assumed({"kind": "droptail", "limit": "500 packets"}, "measurements do not say how much waits"),
        **({"reverse": {"rate": _base_rate(file, up, down, other=True)}} if _differ(found) else {}),
    )
    draft.link("internet", ("server", "access"), rate="10 Gbit/s", delay=assumed("1 ms", "a near server"))
    _faults(draft, file, found)
    tcp = assumed({"kind": "tcp", "profile": "linux"}, "the file does not say what is sent")
    draft.flow("download", "server", "client", tcp, "bulk")
    draft.flow("upload", "client", "server", tcp, "bulk")
    draft.flow("ping", "client", "server", "udp", {"kind": "ping", "interval": "100 ms"})
    return draft


def _span(draft: ScenarioDraft, file: InputFile, length: float) -> None:
    seconds = min(max(length, _LEAST), _MOST)
    if length > _MOST:
        draft.omit(
            file.name,
            f"the measurements last {length:g} s, the run {_MOST:g} s: raise `duration` to have all of them",
        )
    whole = _LEAST <= length <= _MOST
    text = f"{seconds:.6g} s"
    draft.set(
        "duration",
        taken(text, file.name, "length of the measurements")
        if whole
        else assumed(text, f"the measurements last {length:g} s"),
    )
    draft.set("warmup", assumed(f"{min(1.0, seconds / 10):g} s", "time in which the first flows start"))


def _differ(found: LinkSamples) -> bool:
    """Whether the two directions have traces of their own, or only one has."""
    return found.rates("up") != found.rates("down")


def _base_rate(file: InputFile, own: list[float], others: list[float], *, other: bool = False) -> Value:
    """Rate outside the trace: the median of this direction, or else a share of the other."""
    positive = [rate for rate in own if rate > 0]
    for rate in positive:
        if usable_rate(rate) is None:
            file.fail(f"a rate of {rate:g} bit/s is outside 1 bit/s to 10000 Gbit/s: check its unit", 1)
    if positive:
        return taken(rate_text(median(positive)), file.name, "median")
    elsewhere = [rate for rate in others if rate > 0]
    if elsewhere:
        share = median(elsewhere) / 10 if other else median(elsewhere)
        why = "the file has the other direction only, of whose median this is a tenth"
        return assumed(rate_text(share), why if other else "the file has the other direction only")
    return assumed("100 Mbit/s", "the file has no rates")


def _base_delay(file: InputFile, found: LinkSamples) -> Value:
    delays = [sample.delay for sample in found.samples if sample.delay is not None]
    if delays:
        return taken(f"{median(delays) * 1e3:.6g} ms", file.name, f"median, {found.delay_reading}")
    return assumed("20 ms", "the file has no delays")


def _faults(draft: ScenarioDraft, file: InputFile, found: LinkSamples) -> None:
    """Traces of the link: one for both directions where they are alike, else one for each that was measured."""
    ways = {"forward": "down", "reverse": "up"}
    tables = {way: _table(found, end) for way, end in ways.items()}
    if tables["forward"] == tables["reverse"]:
        tables = {"both": tables["forward"]}
    for way, table in tables.items():
        if table is None:
            continue
        names, rows = table
        lines = [", ".join(names), *(", ".join(row) for row in rows)]
        if len(rows) <= _MOST_INLINE:
            text = "; ".join(lines)
        else:
            text = f"{draft.name}{'' if way == 'both' else f'-{ways[way]}'}.csv"
            draft.files[text] = ("\n".join(lines) + "\n").encode()
        columns = ", ".join(name.split(" ")[0] for name in names[1:])
        draft.add(
            "fault",
            name="measurements" if way == "both" else f"measurements-{ways[way]}",
            kind="trace",
            link="measured",
            direction=None if way == "both" else way,
            at="0 s",
            rows=taken(text, file.name, f"{columns} of {len(rows)} rows"),
        )


def _table(found: LinkSamples, end: str) -> tuple[list[str], list[list[str]]] | None:
    """Names of columns and cells of a direction's trace; None where nothing of it was measured."""
    columns: list[_TraceColumn] = [
        ("rate [Mbit/s]", lambda sample: sample.rate_of(end), lambda rate: f"{rate / _MEGA:.6g}"),
        ("delay [ms]", lambda sample: sample.delay, lambda delay: f"{delay * 1e3:.6g}"),
        ("loss", lambda sample: sample.loss_of(end), lambda loss: f"{loss:.6g}"),
    ]
    present = [c for c in columns if any(c[1](sample) is not None for sample in found.samples)]
    if not present:
        return None
    rows: list[list[str]] = []
    held: dict[str, str] = {}
    for sample in found.samples:
        for name, value_of, shown in present:
            if (value := value_of(sample)) is not None:
                held[name] = shown(value)
        cells = [
            held.get(name) or _first(found.samples, value_of, shown) for name, value_of, shown in present
        ]
        if not rows or cells != rows[-1][1:]:
            rows.append([f"{sample.time:.9g}", *cells])
    return ["time [s]", *(name for name, _, _ in present)], rows


def _first(
    samples: Sequence[Sample], value_of: Callable[[Sample], float | None], shown: Callable[[float], str]
) -> str:
    """The first value that was measured, for rows before it."""
    return shown(next(value for sample in samples if (value := value_of(sample)) is not None))

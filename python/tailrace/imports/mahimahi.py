"""Packet delivery traces of Mahimahi: the times in milliseconds at which a link could deliver 1504 bytes.

Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", USENIX ATC 2015; the format is that of mm-link(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.imports.draft import FileReference, ScenarioDraft, assumed, taken
from tailrace.imports.input_file import STDIN, InputFile

# Bytes of an opportunity, in bits.
_OPPORTUNITY = 1504 * 8
# Least and largest duration of the run, in seconds: the whole trace where it lies between.
_LEAST, _MOST = 10.0, 120.0
# Largest number of digits of a time: 10^15 ms are 31 700 years.
_DIGITS = 15


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """A phone behind a link that follows the traces, with a download, an upload and a ping."""
    up, down = files[0], files[-1]
    spans = [_milliseconds(file) for file in files]
    draft = ScenarioDraft(
        f"{up.stem}-trace", "How long does a ping take while downloads and uploads fill the recorded link?"
    )
    draft.remark(f"Read from {' and '.join(file.name for file in files)}, traces of Mahimahi.")
    for file, (count, last) in zip(files, spans, strict=True):
        mean = count * _OPPORTUNITY / last / 1e3
        draft.remark(f"{file.name}: {count} opportunities in {last / 1e3:g} s, {mean:.3g} Mbit/s on average.")
    length = max(last for _, last in spans) / 1e3
    if length > _MOST:
        draft.omit(
            up.name, f"the trace lasts {length:g} s, the run {_MOST:g} s: raise `duration` to have all of it"
        )
    seconds = f"{min(max(length, _LEAST), _MOST):g} s"
    whole = _LEAST <= length <= _MOST
    draft.set(
        "duration",
        taken(seconds, up.name, "length of the trace") if whole else assumed(seconds, "the trace repeats"),
    )
    draft.set("warmup", "2 s")
    draft.host("phone")
    draft.router("station")
    draft.host("server")
    reverse = {"rate": taken(_reference(down), down.name)}
    if len(files) == 1:
        reverse = {"rate": assumed(_reference(up), "the other direction is like this one")}
    draft.link(
        "trace",
        ("phone", "station"),
        rate=taken(_reference(up), up.name),
        delay=assumed("20 ms", "a trace has no delay; it is what mm-delay adds"),
        queue=assumed(
            {"kind": "droptail", "limit": "1000 packets"}, "mm-link has no limit without --uplink-queue"
        ),
        reverse=reverse,
    )
    draft.link(
        "internet", ("station", "server"), rate="1 Gbit/s", delay=assumed("5 ms", "the way to the server")
    )
    tcp = assumed({"kind": "tcp", "profile": "linux"}, "the trace does not say what is sent")
    draft.flow("upload", "phone", "server", tcp, "bulk", start="uniform(0 s, 1 s)")
    draft.flow("download", "server", "phone", tcp, "bulk", start="uniform(0 s, 1 s)")
    draft.flow("ping", "phone", "server", "udp", {"kind": "ping", "interval": "100 ms"})
    return draft


def _reference(file: InputFile) -> FileReference:
    if file.path == STDIN:
        file.fail("the scenario names the trace, so it must be a file")
    if any(c in file.path for c in '()"\n\\'):
        file.fail("the name has a bracket, a quotation mark or a line break: rename the file")
    return FileReference(file.path, "trace({})")


def _milliseconds(file: InputFile) -> tuple[int, int]:
    """Number of opportunities, and time of the last one, in milliseconds."""
    last = count = 0
    for line in file.lines:
        word = line.text.strip()
        if not word:
            continue
        if not (word.isascii() and word.isdigit()) or len(word) > _DIGITS:
            file.fail(
                f"{word[:40]!r} is no time in whole milliseconds: a trace of Mahimahi has one a line", line
            )
        if int(word) < last:
            file.fail(f"{word} comes after {last}: times of a trace do not decrease", line)
        last, count = int(word), count + 1
    if last == 0:
        file.fail("all opportunities are at 0 ms: a trace lasts at least a millisecond")
    return count, last

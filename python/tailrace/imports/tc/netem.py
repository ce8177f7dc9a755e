"""Words of netem (tc-netem(8)) as delay, jitter, loss and rate of a link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tailrace.imports.draft import Value, taken
from tailrace.text import tc_units

if TYPE_CHECKING:
    from tailrace.imports.draft import ScenarioDraft
    from tailrace.imports.input_file import InputFile
    from tailrace.imports.tc.statements import Statement

# Packets that netem holds without the word `limit`, those that wait out its delay among them.
_LIMIT = 1000
_DISTRIBUTIONS = {"uniform", "normal", "pareto", "paretonormal", "experimental"}
_NOT_HERE = {
    "corrupt": "a packet with a wrong bit is dropped by its checksum: `loss` does the same",
    "duplicate": "links do not duplicate packets",
    "slot": 'links deliver without slots: `rate = "trace(FILE)"` does',
    "seed": "runs draw their own luck, from `seed` of the scenario",
    "ecn": "random loss drops; it does not mark",
}


@dataclass
class Netem:
    """Properties of a link that netem's words say; what is None is not said."""

    delay_s: float = 0.0
    jitter_s: float = 0.0
    distribution: str = "uniform"
    rate_bps: float | None = None
    loss: object | None = None
    limit: int = _LIMIT
    reorders: bool = False
    missing: list[str] = field(default_factory=list)
    """Sentences on words that a link does not have."""


class _Words:
    """The words of a statement, taken one by one."""

    def __init__(self, file: InputFile, statement: Statement) -> None:
        self.file, self.statement = file, statement
        self.left = list(statement.words)

    def next(self) -> str:
        return self.left.pop(0) if self.left else ""

    def optional_time(self) -> float | None:
        """A time where the next word is one."""
        found = tc_units.time(self.left[0]) if self.left else None
        if found is not None:
            self.left.pop(0)
        return found

    def optional_percent(self) -> float | None:
        found = tc_units.percent(self.left[0]) if self.left and self.left[0][:1].isdigit() else None
        if found is not None:
            self.left.pop(0)
        return found

    def needed(self, name: str, value: float | None, form: str) -> float:
        """A value that has to be there."""
        if value is None:
            word = self.left[0] if self.left else "nothing"
            self.file.fail(f"netem: {name} needs {form}, and {word[:40]!r} follows", self.statement.line)
        return value


def read(file: InputFile, statement: Statement) -> Netem:
    """The properties that a statement of netem says."""
    words, found = _Words(file, statement), Netem()
    while word := words.next():
        match word:
            case "limit":
                found.limit = int(
                    words.needed(word, tc_units.count(words.next() or "x"), "a number of packets")
                )
            case "delay" | "latency":
                _delay(words, found)
            case "distribution":
                found.distribution = words.next()
            case "rate":
                found.rate_bps = words.needed(
                    word, tc_units.rate(words.next() or "x"), "a rate such as 10mbit"
                )
                _overheads(words, found)
            case "loss" | "drop":
                _loss(words, found)
            case "reorder" | "gap":
                _reorder(words, found, word)
            case _ if word in _NOT_HERE:
                found.missing.append(f"{word}: {_NOT_HERE[word]}")
                _skip_values(words)
            case _:
                file.fail(f"netem has no word {word[:40]!r}", statement.line)
    if found.distribution not in _DISTRIBUTIONS:
        found.missing.append(f"distribution {found.distribution}: drawn evenly here")
        found.distribution = "uniform"
    return found


def _delay(words: _Words, found: Netem) -> None:
    found.delay_s = words.needed("delay", words.optional_time(), "a time such as 100ms")
    found.jitter_s = words.optional_time() or 0.0
    if words.optional_percent():
        found.missing.append("correlation of the delay: each packet draws its own here")


def _overheads(words: _Words, found: Netem) -> None:
    """Bytes a packet and cells, after a rate."""
    while words.left and words.left[0].lstrip("-").isdigit():
        word = words.next()
        if word != "0":
            found.missing.append(f"rate with overhead {word}: `overhead` of the link")


def _loss(words: _Words, found: Netem) -> None:
    first = words.left[0] if words.left else ""
    if first == "gemodel":
        words.next()
        shares: list[float] = []
        while len(shares) < 4 and (share := words.optional_percent()) is not None:  # noqa: PLR2004 - p, r, 1-h, 1-k
            shares.append(share)
        if not shares:
            words.needed("loss gemodel", None, "p, as in 1%")
        loss: dict[str, object] = {"kind": "gemodel", "p": shares[0], "r": 1 - shares[0]}
        found.loss = loss | dict(zip(("r", "bad", "good"), shares[1:], strict=False))
    elif first == "state":
        words.next()
        while words.optional_percent() is not None:
            pass
        found.missing.append('loss state: a chain of four states; `{ kind = "gemodel", ... }` has two')
    else:
        if first == "random":
            words.next()
        found.loss = words.needed("loss", words.optional_percent(), "a percentage such as 1%")
        if words.optional_percent():
            found.missing.append(
                "correlation of losses: each packet is lost by itself here; `gemodel` has bursts"
            )


def _reorder(words: _Words, found: Netem, word: str) -> None:
    found.missing.append(f"{word}: `jitter` with `reorder = true` reorders by delay")
    _skip_values(words)


def _skip_values(words: _Words) -> None:
    """Passes over numbers after a word."""
    while words.left and (
        words.left[0][:1].isdigit() or words.left[0] in {"distribution", "packets", "bytes"}
    ):
        words.next()


def keys(netem: Netem, statement: Statement, draft: ScenarioDraft) -> dict[str, Value]:
    """Keys of the link, and what it does not have among the draft's omissions."""
    line, found = statement.line, {}
    low, high = netem.delay_s - netem.jitter_s, netem.delay_s + netem.jitter_s
    if not netem.jitter_s:
        found["delay"] = taken(tc_units.time_text(netem.delay_s), line)
    elif netem.distribution == "uniform":
        low = max(low, 0.0)
        found["delay"] = taken(
            tc_units.time_text(low), line, f"netem delay from {tc_units.time_text(low)} on"
        )
        spread = tc_units.time_text(high - low)
        found["jitter"] = taken(f"uniform(0 s, {spread})", line, "netem draws evenly around its delay")
    else:
        mean, deviation = tc_units.time_text(netem.delay_s), tc_units.time_text(netem.jitter_s)
        found["delay"] = taken("0 s", line, "all of netem's delay is in `jitter`")
        found["jitter"] = taken(f"normal({mean}, {deviation})", line, f"distribution {netem.distribution}")
        if netem.distribution != "normal":
            draft.omit(
                line,
                f"distribution {netem.distribution}: a normal one here, with the same mean and deviation",
            )
    if netem.jitter_s and netem.rate_bps is None:
        found["reorder"] = taken(True, line, "netem sends by the time that each packet has drawn")
    if netem.loss is not None:
        found["loss"] = taken(netem.loss, line)
    if netem.rate_bps is not None:
        found["rate"] = taken(tc_units.rate_text(netem.rate_bps), line)
    for sentence in netem.missing:
        draft.omit(line, sentence)
    return found


def most_passed_bps(netem: Netem) -> float:
    """Rate that the limit lets pass: so many full packets wait out the delay at a time."""
    return netem.limit * 1500 * 8 / netem.delay_s if netem.delay_s else float("inf")

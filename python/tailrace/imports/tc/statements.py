"""Lines of tc: commands (`tc qdisc add dev eth0 root ...`) and what `tc -s qdisc show` prints, as statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tailrace.imports.input_file import Line
from tailrace.text import tc_units

# A shell's prompt before a command: `root@OpenWrt:~# tc`, `$ tc`, `# tc`.
_PROMPT = re.compile(r"\A(?:\S*[@:~]\S*)?[#$]\s+(?=(?:sudo\s+)?(?:/\S*/)?tc\s)")
_TC = re.compile(r"\A(?:sudo\s+)?(?:/\S*/)?tc\s+")
_ADDS = {"add", "replace", "change", "link"}
_REMOVES = {"del", "delete"}
_SHOWS = {"show", "ls", "list"}
_SENT = re.compile(
    r"Sent (?P<bytes>\d+) bytes (?P<packets>\d+) pkts? "
    r"\(dropped (?P<dropped>\d+), overlimits (?P<overlimits>\d+) requeues \d+\)"
)
_BACKLOG = re.compile(r"backlog (?P<bytes>[\d.]+[KMGkmg]?b) (?P<packets>\d+)p")
_MARKS = re.compile(r"\becn_mark (\d+)")
# Words that say where a discipline is, each with a value, and those without one.
_PLACE_WITH_VALUE = {"dev", "parent", "handle", "refcnt", "classid", "leaf"}
# Words of the size table (tc-stab(8)) that may stand before the kind, each with a value.
_SIZE_TABLE = {"mtu", "mpu", "tsize", "overhead", "linklayer"}
_PLACE = {"root", "ingress", "clsact", "offloaded", "deleted"}


@dataclass
class Statement:
    """A discipline, class or filter that tc adds or shows."""

    line: Line
    object: str
    """`qdisc`, `class` or `filter`."""
    kind: str
    """Kind of discipline: `cake`; of a filter empty."""
    words: list[str]
    """Words of its own, without place."""
    dev: str = ""
    parent: str = ""
    """Handle of what it hangs from; `root` at the top."""
    handle: str = ""
    """Handle of a discipline (`1:`), or id of a class (`1:10`)."""
    is_command: bool = False
    counts: dict[str, float] = field(default_factory=dict)
    """Statistics below it: `sent_bytes`, `sent_packets`, `dropped`, `overlimits`, `backlog_bytes`, `marks`."""

    def value(self, *names: str) -> str:
        """The word after one of these; empty without it."""
        for word, following in pairwise(self.words):
            if word in names:
                return following
        return ""

    @property
    def polices_arrivals(self) -> bool:
        """Whether it is a policer for what arrives at its device."""
        return self.kind == "police" and (self.parent.startswith("ffff:") or "ingress" in self.words)

    @property
    def text(self) -> str:
        """The discipline as a tc line without place."""
        return " ".join([self.kind, *self.words])


@dataclass
class TcText:
    """All statements of a text, in order."""

    statements: list[Statement] = field(default_factory=list)
    redirects: dict[str, str] = field(default_factory=dict)
    """Device for arrivals -> device at which they arrive."""
    not_understood: list[Line] = field(default_factory=list)


def parse(lines: Sequence[Line], kinds: frozenset[str]) -> TcText:
    """Statements of the lines. A line that begins with one of `kinds` is a discipline without place."""
    found, shown_dev = TcText(), ""
    for line in _whole_commands(lines):
        text = _PROMPT.sub("", line.text).strip()
        command = bool(_TC.match(text))
        words = _TC.sub("", text).split()
        words = words[_options(words) :] if command else words
        if not words or text.startswith("#"):
            continue
        if command and words[1:] and words[1] in _SHOWS:
            shown_dev = words[words.index("dev") + 1] if "dev" in words[:-1] else ""
        elif words[0] in {"qdisc", "class", "filter"} and len(words) > 1:
            _add(found, line, words, shown_dev, is_command=command)
        elif words[0] in kinds and line.text[:1].strip() and not _is_prose(words):
            found.statements.append(
                Statement(line, "qdisc", words[0], words[1:], shown_dev, "root", is_command=True)
            )
        elif found.statements and _counted(found.statements[-1], text):
            continue
        elif line.text[:1].strip() or not found.statements:
            found.not_understood.append(line)
    return found


def _is_prose(words: Sequence[str]) -> bool:
    """Whether a line that begins with the name of a discipline is a sentence."""
    return len(words) > 1 and bool(
        re.match(r"(is|was|on|in|and|has|with|does|did|works|as|at|for|to|the)\Z|.*[.,;:!?]\Z", words[1])
    )


def _whole_commands(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines, those that a backslash continues put together."""
    held: Line | None = None
    for line in lines:
        text = f"{held.text} {line.text.strip()}" if held else line.text
        number = held.number if held else line.number
        whole = Line(number, text.removesuffix("\\"), line.file)
        held = whole if text.endswith("\\") else None
        if held is None:
            yield whole
    if held is not None:
        yield held


def _options(words: Sequence[str]) -> int:
    return next((n for n, word in enumerate(words) if not word.startswith("-")), len(words))


def _add(found: TcText, line: Line, words: list[str], shown_dev: str, *, is_command: bool) -> None:
    """Adds the statement of a line; a discipline that is deleted is taken away again."""
    what, verb, rest = words[0], words[1], words[2:]
    if what == "filter":
        _add_filter(found, line, words[1:], is_command=is_command)
        return
    if verb in _ADDS | _REMOVES:
        place, own = _place(rest)
        kind, own = (own[0], own[1:]) if own else ("", [])
    else:
        kind = verb
        handle = rest[:1] if rest and ":" in rest[0] else []
        place, own = _place(rest[len(handle) :])
        place.setdefault("classid" if what == "class" else "handle", handle[0] if handle else "")
    dev = place.get("dev", "" if verb in _ADDS | _REMOVES else shown_dev)
    name = place.get("classid" if what == "class" else "handle", "")
    parent = place.get("parent", "root" if "root" in place else "")
    if "ingress" in place or "clsact" in place:
        kind, parent = kind or "ingress", "ingress"
    if verb in _REMOVES:
        gone = [each for each in found.statements if each.dev == dev and each.parent == parent]
        found.statements = [each for each in found.statements if each not in gone]
        return
    if verb in {"replace", "change"}:
        same = [
            s
            for s in found.statements
            if (s.object, s.dev, s.parent) == (what, dev, parent) and what == "qdisc"
        ]
        found.statements = [each for each in found.statements if each not in same]
    found.statements.append(Statement(line, what, kind, own, dev, parent, name, is_command))


def _add_filter(found: TcText, line: Line, words: list[str], *, is_command: bool) -> None:
    """Adds a filter; one that hands arrivals to another device is a redirect."""
    after = dict(pairwise(words))
    if "mirred" in words and "redirect" in words:
        target = words[words.index("redirect") :]
        to = dict(pairwise(target)).get("dev", "")
        if to:
            found.redirects[to] = after.get("dev", "")
            return
    found.statements.append(
        Statement(
            line,
            "filter",
            "police" if "police" in words else "",
            words,
            after.get("dev", ""),
            after.get("parent", ""),
            is_command=is_command,
        )
    )


def _place(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Words that say where it is, and the others."""
    place: dict[str, str] = {}
    at = 0
    while at < len(words):
        if words[at] in _PLACE:
            place[words[at]] = ""
            at += 1
        elif words[at] in _PLACE_WITH_VALUE and at + 1 < len(words):
            place[words[at]] = words[at + 1]
            at += 2
        elif words[at] == "stab":
            at += 1
            while words[at : at + 1] and words[at] in _SIZE_TABLE:
                at += 2
        elif words[at] == "[Unknown" or words[at].endswith("]"):
            at += 1
        else:
            break
    return place, words[at:]


def _counted(statement: Statement, text: str) -> bool:
    """Takes statistics below a statement; whether the line has any."""
    taken = False
    if match := _SENT.search(text):
        statement.counts |= {
            "sent_bytes": float(match["bytes"]),
            "sent_packets": float(match["packets"]),
            "dropped": float(match["dropped"]),
            "overlimits": float(match["overlimits"]),
        }
        taken = True
    if match := _BACKLOG.search(text):
        statement.counts |= {
            "backlog_bytes": tc_units.size(match["bytes"]) or 0.0,
            "backlog_packets": float(match["packets"]),
        }
        taken = True
    if match := _MARKS.search(text):
        statement.counts["marks"] = float(match[1])
        taken = True
    return taken

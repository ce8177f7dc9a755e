"""Configuration of OpenWrt (UCI): sections with options, as /etc/config has them or `uci show` prints them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field

from tailrace.imports.input_file import InputFile, Line

_SHOWN = re.compile(
    r"(?P<package>[\w-]+)\.(?P<section>@?[\w-]+(?:\[-?\d+\])?)(?:\.(?P<option>\w+))?=(?P<value>.*)\Z"
)


@dataclass
class Section:
    """A section: its type, its name if it has one, and options, each with the line that says it."""

    type: str
    name: str
    line: Line
    options: dict[str, tuple[str, Line]] = field(default_factory=dict)

    def get(self, option: str) -> str:
        """Value of an option; empty if there is none, as in shell scripts that read it."""
        return self.options[option][0] if option in self.options else ""

    def line_of(self, option: str) -> Line:
        """Line that says an option; that of the section if none does."""
        return self.options[option][1] if option in self.options else self.line

    @property
    def label(self) -> str:
        """The section as errors call it."""
        return f"section {self.name!r}" if self.name else "the section without a name"


def sections(file: InputFile) -> list[Section]:
    """The sections of a file, in order."""
    found: list[Section] = []
    shown: dict[str, Section] = {}
    for line in file.lines:
        words = _words(file, line)
        if not words or words[0] == "package":
            continue
        if match := _SHOWN.match(line.text.strip()):
            _add_shown(found, shown, match, line)
        elif words[0] == "config" and len(words) in {2, 3}:
            found.append(Section(words[1], words[2] if words[2:] else "", line))
        elif words[0] in {"option", "list"} and len(words) == 3:  # noqa: PLR2004 - the word, a name, a value
            if not found:
                file.fail(
                    f"{words[0]} {words[1]} stands before the first `config` line: give the whole file", line
                )
            found[-1].options[words[1]] = (words[2], line)
        else:
            file.fail(
                f"{line.text.strip()[:60]!r} is no line of a configuration of OpenWrt, such as "
                "`config queue 'eth1'` or `option upload '10000'`",
                line,
            )
    return found


def _words(file: InputFile, line: Line) -> list[str]:
    try:
        return shlex.split(line.text, comments=True)
    except ValueError:
        file.fail("a quotation mark is not closed", line)


def _add_shown(found: list[Section], shown: dict[str, Section], match: re.Match[str], line: Line) -> None:
    """Adds a line of `uci show`."""
    name = match["section"]
    if name not in shown:
        anonymous = name.startswith("@")
        kind = name[1:].partition("[")[0] if anonymous else "queue"
        shown[name] = Section(kind, "" if anonymous else name, line)
        found.append(shown[name])
    value = match["value"].strip().strip("'\"")
    if match["option"]:
        shown[name].options[match["option"]] = (value, line)
    else:
        shown[name].type = value

"""docs/reference/cli.md: every command, argument and option, from the program itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from queue_docs.catalog import ROOT, cell, table

if TYPE_CHECKING:
    from collections.abc import Iterator

# Commands, arguments and options are objects of the library, which has no types for what is read of them here.
_Part: TypeAlias = Any

PAGE = ROOT / "docs" / "reference" / "cli.md"

_INTRO = """<!-- Written by `make docs` from the program. Edit its options' help. -->

# Commands, option by option

Every command with all its arguments and options, as `tailrace COMMAND -h` prints them. [The command
line](command-line.md) explains what they do together: where results go, what Ctrl-C does, exit codes."""


def write() -> list[Path]:
    """Writes the page."""
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text(), encoding="utf-8")
    return [PAGE]


def text() -> str:
    """The page."""
    import typer

    from tailrace.cli.app import application

    parts = [_INTRO]
    found = list(_commands(typer.main.get_command(application()), "tailrace"))
    overview = [[f"[`{name}`](#{_anchor(name)})", cell(command.help or "")] for name, command in found]
    parts.append(table(["command", "does"], overview))
    for name, command in found:
        parts += _command(name, command)
    return "\n\n".join(part for part in parts if part) + "\n"


def _commands(command: _Part, name: str) -> Iterator[tuple[str, _Part]]:
    """Commands that do something, with their whole names."""
    for word, each in getattr(command, "commands", {}).items():
        if hasattr(each, "commands"):
            yield from _commands(each, f"{name} {word}")
        else:
            yield f"{name} {word}", each


def _command(name: str, command: _Part) -> list[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([name, *(_usage(p) for p in arguments), "[OPTIONS]" if options else ""]).strip()
    parts = [f"## `{name}`", f"```text\n{usage}\n```", _paragraphs(command.help or "")]
    rows = [[f"`{_metavar(p)}`", cell(p.help or "")] for p in arguments]
    if rows:
        parts.append(table(["argument", "meaning"], rows))
    rows = [[_words(p), cell(p.help or "") + _default(p)] for p in options]
    if rows:
        parts.append(table(["option", "meaning"], rows))
    return parts


def _usage(argument: _Part) -> str:
    shown = _metavar(argument) + ("..." if argument.nargs == -1 else "")
    return shown if argument.required else f"[{shown}]"


def _metavar(argument: _Part) -> str:
    return str(argument.metavar or argument.name.upper()).strip("[].")


def _words(option: _Part) -> str:
    words = sorted(option.opts, key=len)
    shown = ", ".join(f"`{word}`" for word in words)
    return shown if option.is_flag else f"{shown} `{option.metavar or _taken(option)}`"


def _taken(option: _Part) -> str:
    name = option.type.name
    return "N" if name.startswith("int") else "PATH" if name == "path" else "TEXT"


def _default(option: _Part) -> str:
    """The default, where the help does not say it."""
    known = option.default
    if option.is_flag or known in (None, ()) or callable(known) or "default" in (option.help or ""):
        return ""
    return f" Default: `{known}`."


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _anchor(name: str) -> str:
    return name.replace(" ", "-")

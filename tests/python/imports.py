"""What the modules of a Rust crate import from one another, read from the text of its files."""

import re
from pathlib import Path

_COMMENT = re.compile(r"//.*")
_USE = re.compile(r"^\s*(?:pub(?:\([a-z]+\))?\s+)?use\s+([^;]+);", re.MULTILINE)
_INLINE = re.compile(r"\b((?:crate|super|self)(?:::\w+)+)")
_CHILD = re.compile(r"^\s*(?:pub(?:\([a-z]+\))?\s+)?mod\s+(\w+);", re.MULTILINE)

Module = tuple[str, ...]


def modules(src: Path) -> dict[Module, Path]:
    """Every module that is a file; the root of the crate is `()`."""
    found = {}
    for file in sorted(src.rglob("*.rs")):
        parts = file.relative_to(src).with_suffix("").parts
        found[parts[:-1] if parts[-1] in {"mod", "lib"} else parts] = file
    return found


def imports(src: Path) -> dict[Module, set[Module]]:
    """The modules of the same crate that each module names or declares, tests apart."""
    files = modules(src)
    return {module: _named(module, file, files) for module, file in files.items()}


def _named(module: Module, file: Path, files: dict[Module, Path]) -> set[Module]:
    code = _COMMENT.sub("", file.read_text(encoding="utf-8").partition("#[cfg(test)]")[0])
    children = set(_CHILD.findall(code))
    paths = [path for use in _USE.findall(code) for path in expanded(use)]
    paths += [tuple(path.split("::")) for path in _INLINE.findall(_USE.sub("", code))]
    paths += [("self", child) for child in children]
    absolute = (_absolute(path, module, children) for path in paths)
    return {_file_of(path, files) for path in absolute if path is not None} - {module}


def expanded(tree: str) -> list[Module]:
    """The single paths of a `use`: `a::{b, c::{self, d}}` is `a::b`, `a::c` and `a::c::d`.

    >>> expanded("a::{b, c::{self, d as e}}")
    [('a', 'b'), ('a', 'c'), ('a', 'c', 'd')]
    """
    prefix, brace, rest = tree.strip().partition("{")
    stem = tuple(word.strip() for word in prefix.split("::") if word.strip())
    if not brace:
        last = stem[-1].partition(" as ")[0].strip()
        return [stem[:-1] if last == "self" and len(stem) > 1 else (*stem[:-1], last)]
    return [stem + path if path != ("self",) else stem for part in _split(rest) for path in expanded(part)]


def _split(text: str) -> list[str]:
    """At commas, up to the brace that closes."""
    parts, depth, word = [], 0, ""
    for character in text:
        if character == "}" and depth == 0:
            break
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            parts.append(word)
            word = ""
        else:
            word += character
    return [part for part in [*parts, word] if part.strip()]


def _absolute(path: Module, module: Module, children: set[str]) -> Module | None:
    """From the root of the crate; None for another crate's."""
    match path:
        case ("crate", *rest):
            return tuple(rest)
        case ("self", *rest):
            return module + tuple(rest)
        case ("super", *_):
            ups = sum(1 for word in path if word == "super")
            return module[: len(module) - ups] + path[ups:]
        case (first, *_) if first in children:
            return module + path
        case _:
            return None


def _file_of(path: Module, files: dict[Module, Path]) -> Module:
    """The module that a path leads into: its end is a function or type."""
    return next(path[:n] for n in range(len(path), -1, -1) if path[:n] in files)

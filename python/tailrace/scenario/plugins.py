"""Where classes of one's own come from: a file, its text, and how they reach another process.

A run's identity has the text that its classes come from, so that results of two versions never mix; see
`study.identity`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import linecache
import marshal
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TypeAlias

from tailrace.errors import UsageError
from tailrace.scenario import algorithms
from tailrace.scenario.algorithms import Algorithm

Class: TypeAlias = type[Algorithm]


@dataclass(frozen=True)
class Loaded:
    """A class of a file that was loaded by its path, fit for other processes."""

    file: str
    text: str
    name: str

    def again(self) -> Class:
        """The class, in whatever process."""
        found: Class = getattr(_module(self.file, self.text), self.name)
        return found


# Classes as they go to other processes: those of files that were loaded by their path, and others by themselves.
Shipped: TypeAlias = "Loaded | Class"

_texts: dict[Class, str] = {}
# Modules of files that were loaded by their path, and their texts.
_modules: dict[str, tuple[str, str]] = {}


def load(path: str | Path) -> list[Class]:
    """The classes of a file of Python that scenarios can name."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {why}") from None
    try:
        module = _module(str(path), text)
    except Exception as error:  # noqa: BLE001 - whatever the file does
        raise UsageError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from None
    found = [each for each in vars(module).values() if _is_own(each, module)]
    if not found:
        raise UsageError(
            f"{path} has no class with a name for scenarios: derive one from tailrace.Aqm, and name it"
        )
    return found


def _is_own(each: object, module: ModuleType) -> bool:
    is_one = isinstance(each, type) and issubclass(each, Algorithm) and bool(each.name)
    return is_one and each.__module__ == module.__name__


def _module(file: str, text: str) -> ModuleType:
    name = f"tailrace_own_{_digest(file, text)}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_loader(name, loader=None, origin=file)
        if spec is None:
            raise ImportError(file)
        module = importlib.util.module_from_spec(spec)
        module.__file__ = file
        # Errors show lines of the text that runs, wherever the file is by then.
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        code = compile(text, file, "exec")
        sys.modules[name] = module
        try:
            exec(code, vars(module))  # noqa: S102 - a file that the user names
        except BaseException:
            del sys.modules[name]
            raise
        _modules[name] = (file, text)
    return sys.modules[name]


def ship(classes: tuple[Class, ...]) -> tuple[Shipped, ...]:
    """The classes as they go to another process."""
    return tuple(
        Loaded(*_modules[each.__module__], each.__name__) if each.__module__ in _modules else each
        for each in classes
    )


def land(shipped: tuple[Shipped, ...]) -> tuple[Class, ...]:
    """The classes that came from another process."""
    return tuple(each.again() if isinstance(each, Loaded) else each for each in shipped)


def digest(each: Class) -> str:
    """A hash of the files that a class and its bases are from; see `study.identity`."""
    if each not in _texts:
        bases = [
            base for base in each.__mro__ if base is not object and base.__module__ != algorithms.__name__
        ]
        _texts[each] = _digest(*(_text(base) for base in bases))
    return _texts[each]


def _text(each: type) -> str:
    """The text of the file that a class is from, as it was loaded; of a notebook, that of the class."""
    if each.__module__ in _modules:
        return _modules[each.__module__][1]
    module = sys.modules.get(each.__module__)
    for source in (module if getattr(module, "__file__", None) else None, each):
        try:
            if source is not None:
                return inspect.getsource(source)
        except (OSError, TypeError):
            continue
    # Typed into an interpreter: what its functions do.
    functions = [value for value in vars(each).values() if isinstance(value, FunctionType)]
    return repr([marshal.dumps(function.__code__) for function in functions])


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=12).hexdigest()

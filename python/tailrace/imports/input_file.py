"""Files that are imported: their bytes, text and lines, and errors that name the place in them."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NoReturn

from tailrace.errors import UsageError
from tailrace.system import path_errors

STDIN = "-"
# Largest file that is read whole, in bytes: text that people paste is far below, a capture may be some hundred MB.
LARGEST = 1 << 30


@dataclass(frozen=True)
class Line:
    """A line of a text, without its end."""

    number: int
    """Counted from 1."""
    text: str
    file: str
    """Name of the file, without folders."""

    @property
    def place(self) -> str:
        """Place for comments: `sqm:12`."""
        return f"{self.file}:{self.number}"


@contextlib.contextmanager
def _errors_of(path: str) -> Iterator[Path]:
    """The place of a file; what fails within is told as an error of its user, with the remedy."""
    place = Path(path)
    try:
        if place.is_dir():
            raise UsageError(f"{path} is a folder: give a file in it")
        yield place
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}{path_errors.nearest(place)}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError:  # a NUL in the path
        raise UsageError(f"{path!r} is no path of a file") from None


@dataclass(frozen=True)
class InputFile:
    """A file that the user names, with its content."""

    path: str
    """Path as the user gave it; `-` is the standard input."""
    data: bytes

    @classmethod
    def read(cls, path: str) -> InputFile:
        """Reads a file, or the standard input for `-`."""
        if path == STDIN:
            return cls(path, sys.stdin.buffer.read(LARGEST))
        with _errors_of(path) as place:
            if place.stat().st_size > LARGEST:
                raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB: give the part that matters")
            return cls(path, place.read_bytes())

    @classmethod
    def unread(cls, path: str) -> InputFile:
        """A file for `stream`, whose content is not read yet; it may have any size."""
        if path == STDIN:
            return cls.read(path)
        with _errors_of(path) as place, place.open("rb"):
            return cls(path, b"")

    def stream(self) -> BinaryIO:
        """Content to be read in pieces."""
        if self.data or self.path == STDIN:
            return io.BytesIO(self.data)
        return Path(self.path).open("rb", buffering=1 << 20)

    @property
    def name(self) -> str:
        """Name without folders."""
        return "stdin" if self.path == STDIN else Path(self.path).name

    @property
    def stem(self) -> str:
        """Name without folders and ending."""
        return Path(self.name).stem or self.name

    @cached_property
    def text(self) -> str:
        """Content as text, with every line break as `\\n`; binary content is refused, and so is none."""
        if not self.data.strip():
            raise UsageError(f"{self.path} is empty")
        if (zero := self.data.find(b"\0")) >= 0:
            raise UsageError(
                f"{self.path} is no text (byte {zero} is zero): give the text that the program printed"
            )
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{self.path} is not UTF-8 text (byte {error.start}): save it as UTF-8, or give another file"
            ) from None
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def lines(self) -> list[Line]:
        """Lines of the text, the empty ones as well."""
        return [Line(number, text, self.name) for number, text in enumerate(self.text.split("\n"), 1)]

    def fail(self, message: str, line: Line | int | None = None) -> NoReturn:
        """Refuses the file, at a line if one is given. The message says what is wrong and what to do."""
        number = line.number if isinstance(line, Line) else line
        place = self.path if number is None else f"{self.path}:{number}"
        raise UsageError(f"{place}: {message}")

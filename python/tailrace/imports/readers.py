"""Kinds of files that can be imported: a file of this package and a line of this table each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

from tailrace.imports.draft import ScenarioDraft
from tailrace.imports.input_file import InputFile

Read: TypeAlias = Callable[[Sequence[InputFile]], ScenarioDraft]


@dataclass(frozen=True)
class Reader:
    """A kind of file."""

    module: str
    """Module of this package whose function `read` takes the files and makes a draft; it loads when it is used."""
    summary: str
    """Sentence for the help of `tailrace import`."""
    files: str
    """Files that it takes, for the help of the argument."""
    most_files: int = 1

    def read(self, paths: Sequence[str]) -> ScenarioDraft:
        """The scenario that the files at these paths describe."""
        function: Read = import_module(f"tailrace.imports.{self.module}").read
        return function([InputFile.read(path) for path in paths])


READERS = {
    "mahimahi": Reader(
        "mahimahi",
        "Packet delivery traces of Mahimahi's mm-link: an uplink, or an uplink and a downlink.",
        "The trace of the uplink, and then that of the downlink if there is one.",
        most_files=2,
    ),
}

"""Kernel configuration, and whether a kernel got it: kconfig silently drops options whose dependencies are missing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

_OPTION = re.compile(r"(CONFIG_\w+)=(\S+)")
_UNSET = re.compile(r"# (CONFIG_\w+) is not set")
# The line of kernel.config behind which a version may lack an option.
_OPTIONAL = "# Optional"


@dataclass(frozen=True)
class Options:
    """The file of options that the package has."""

    text: str
    required: dict[str, str]
    optional: dict[str, str]

    @property
    def sha256(self) -> str:
        """Hash of the file."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def lacking(self, config: str) -> list[str]:
        """Required options that have another value in a kernel's configuration."""
        return _differing(self.required, config)

    def left_out(self, config: str) -> list[str]:
        """Optional options that a kernel lacks."""
        return _differing(self.optional, config)


@cache
def wanted() -> Options:
    """The options that every kernel is built with."""
    text = resources.files("tailrace.kernels").joinpath("kernel.config").read_text(encoding="utf-8")
    required, marker, optional = text.partition(f"\n{_OPTIONAL}")
    if not marker:
        raise ValueError("kernel.config does not say which options are optional")
    return Options(text, dict(_OPTION.findall(required)), dict(_OPTION.findall(optional)))


def with_ticks(kconfig: str) -> str:
    """The head of the kernel's options, with as many ticks a second as are wanted.

    User-Mode Linux asks nobody for HZ, it has but a default of 100; distributions' kernels have 250 or 1000. The first
    default counts, so it is stated before the kernel's own files are read, in a copy of their head: the source stays
    as it is.
    """
    ticks = wanted().required["CONFIG_HZ"]
    title = re.search(r"^mainmenu .*\n", kconfig, re.MULTILINE)
    at = title.end() if title else 0
    return f"{kconfig[:at]}\nconfig HZ\n\tint\n\tdefault {ticks}\n\n{kconfig[at:]}"


def _differing(options: dict[str, str], config: str) -> list[str]:
    has = _values(config.splitlines())
    return [f"{name}={value}" for name, value in options.items() if has.get(name, "n") != value]


def _values(lines: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        if option := _OPTION.match(line):
            found[option[1]] = option[2]
        elif unset := _UNSET.match(line):
            found[unset[1]] = "n"
    return found

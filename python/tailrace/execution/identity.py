"""Identity of a run: the resolved scenario, the plug-in classes that it names, the run's number, and the engine."""

from __future__ import annotations

import hashlib
import re

from tailrace import _native
from tailrace.scenario.scenario import Scenario

# Keys of the head on which no run depends: words, and the number of runs.
_WORDS = re.compile(r"(?m)^(name|question|allow|runs) = .*\n")

_FIGURES = "\n[[figure]]"

# Version and code of the simulator.
ENGINE = _native.__engine__


def of_cell(scenario: Scenario) -> str:
    """Equal where every run would be: whatever in the file says the same in other words."""
    head, separator, rest = scenario.to_toml().partition("\n[")
    # Figures come last, and no run depends on them.
    rest = rest.partition(_FIGURES)[0]
    text = _WORDS.sub("", f"{head}\n") + separator + rest
    if scenario.algorithms:
        from tailrace.scenario import own_classes, plugins

        named = own_classes.named(scenario.algorithms, text)
        text += "".join(sorted(f"\n{each.name} {plugins.digest(each)}" for each in named))
    if scenario.native.kernels:
        from tailrace.kernels import run_kernels

        text += "".join(f"\n{name} {digest}" for name, digest in run_kernels.hashes(scenario.native).items())
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

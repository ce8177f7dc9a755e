"""Random loss: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from tailrace.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Bernoulli(Table):
    """Each packet is lost independently.

    Args:
        p: Loss probability.
    """

    _kind: ClassVar[str] = "bernoulli"

    p: types.Probability


@dataclass(eq=False, repr=False, slots=True)
class Periodic(Table):
    """Exactly every n-th packet that the direction carries is lost.

    Args:
        every: Of so many packets the last one is lost. 1 to 1000000000000 (packets are counted from 1).
    """

    _kind: ClassVar[str] = "periodic"

    every: int


@dataclass(eq=False, repr=False, slots=True)
class GilbertElliott(Table):
    """Two states, stepped once a packet (Gilbert 1960, Elliott 1963); of all packets p / (p + r) meet the
    bad one.

    Args:
        p: Probability of going from good to bad.
        r: Probability of going from bad to good.
        good: Loss probability in the good state. Source: Gilbert 1960. Default: 0.0.
        bad: Loss probability in the bad state. Source: own choice. Default: 1.0.
    """

    _kind: ClassVar[str] = "gilbert_elliott"

    p: types.Probability
    r: types.Probability
    _: KW_ONLY
    good: types.Probability | None = None
    bad: types.Probability | None = None

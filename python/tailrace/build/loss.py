"""Random loss: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Bernoulli(Table):
    """Each packet is lost with the same probability, independently of the others.

    Args:
        p: The probability that a packet is lost. Each packet is drawn by itself.
    """

    _kind: ClassVar[str] = "bernoulli"

    p: types.Probability


@dataclass(eq=False, repr=False, slots=True)
class Periodic(Table):
    """Exactly every n-th packet in a direction is lost.

    Args:
        every: Of each so many packets, the last one is lost: 100 loses every hundredth packet. Allowed:
            1 to 1000000000000 (packets are counted from 1).
    """

    _kind: ClassVar[str] = "periodic"

    every: int


@dataclass(eq=False, repr=False, slots=True)
class GilbertElliott(Table):
    """Losses in bursts: a good and a bad state, which may change at each packet (Gilbert 1960, Elliott
    1963). Of all packets, p / (p + r) meet the bad state.

    Args:
        p: The probability, at each packet, that the link goes from its good state to the bad one.
        r: The probability, at each packet, that the link goes from its bad state to the good one. A
            smaller one makes bursts of losses longer: 1/r packets on average.
        good: The probability that a packet is lost in the good state. Source: Gilbert 1960. Default:
            0.0.
        bad: The probability that a packet is lost in the bad state. Source: own choice. Default: 1.0.
    """

    _kind: ClassVar[str] = "gilbert_elliott"

    p: types.Probability
    r: types.Probability
    _: KW_ONLY
    good: types.Probability | None = None
    bad: types.Probability | None = None

"""A congestion control: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

from tailrace.objects import Table


@dataclass(eq=False, repr=False, slots=True)
class Lia(Table):
    """Linked increases: as much in all as TCP on the best path, halving on each. RFC 6356.

    Args:
        cap: Never more aggressive on any path than TCP. Without it a path with a large share of the
            windows may be. Source: RFC 6356 §3; false is Linked Increases (2009). Default: true.
    """

    _kind: ClassVar[str] = "lia"

    _: KW_ONLY
    cap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Olia(Table):
    """Opportunistic linked increases: all traffic to the best paths. Khalili et al., "MPTCP Is Not Pareto-
    Optimal", CoNEXT 2012.

    Args:
        metric: What makes a path the best. Source: multipath-tcp/mptcp, net/mptcp/mptcp_olia.c.
            Default: l_over_rtt_squared.
    """

    _kind: ClassVar[str] = "olia"

    _: KW_ONLY
    metric: Literal["l_over_rtt_squared", "l_squared_over_rtt"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Balia(Table):
    """Balanced linked adaptation: between LIA's responsiveness and OLIA's fairness. Peng et al.,
    "Multipath TCP: Analysis, Design, and Implementation", ToN 2016.

    Args:
        integer: The ratio of rates is rounded down where a loss is answered. Source: Peng et al. 2016;
            multipath-tcp/mptcp, net/mptcp/mptcp_balia.c, divides integers. Default: false.
    """

    _kind: ClassVar[str] = "balia"

    _: KW_ONLY
    integer: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Wvegas(Table):
    """Weighted Vegas: equal queueing delay prices on all paths. Cao, Xu, Fu, "Delay-based Congestion
    Control for Multipath TCP", ICNP 2012.

    Args:
        total_alpha: Segments that all paths together keep queued. Fewer give up bandwidth to noise,
            more add delay. Source: multipath-tcp/mptcp, total_alpha. 0.000001 to 1000000.0 (it is a
            number of packets). Default: 10.0.
        initial_alpha: The least that a path keeps queued. Source: multipath-tcp/mptcp, initial_alpha.
            0.000001 to 1000000.0 (it is a number of packets). Default: 2.0.
        gamma: More than so many queued end slow start. Source: multipath-tcp/mptcp, gamma. 0.0 to
            1000000.0 (it is a number of packets). Default: 1.0.
    """

    _kind: ClassVar[str] = "wvegas"

    _: KW_ONLY
    total_alpha: float | None = None
    initial_alpha: float | None = None
    gamma: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Ewtcp(Table):
    """Each subflow a TCP of smaller weight. Honda et al., "Multipath Congestion Control for Shared
    Bottleneck", PFLDNeT 2009.

    Args:
        weight: How the weight follows from the number of subflows. Source: so that n subflows over one
            bottleneck are one TCP. Default: inverse_square.
        a: The weight itself, where it is fixed. Source: from `weight`. 0.000001 to 1000000.0 (the
            windows would stand still or jump). Default: auto.
    """

    _kind: ClassVar[str] = "ewtcp"

    _: KW_ONLY
    weight: Literal["inverse_square", "inverse_root"] | None = None
    a: float | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class FullyCoupled(Table):
    """All windows together grow and fall as one TCP's. Kelly, Voice, "Stability of end-to-end algorithms
    for joint routing and rate control", 2005."""

    _kind: ClassVar[str] = "fully_coupled"


@dataclass(eq=False, repr=False, slots=True)
class LinkedIncreases(Table):
    """LIA without the cap that keeps each path no more aggressive than TCP. Raiciu, Wischik, Handley,
    "Practical Congestion Control for Multipath Transport Protocols", 2009."""

    _kind: ClassVar[str] = "linked_increases"


@dataclass(eq=False, repr=False, slots=True)
class RttCompensator(Table):
    """LIA under the name it had before RFC 6356. Raiciu, Wischik, Handley, "Practical Congestion Control
    for Multipath Transport Protocols", 2009."""

    _kind: ClassVar[str] = "rtt_compensator"

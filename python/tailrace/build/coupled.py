"""A congestion control: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

from tailrace.scenario.objects import Table


@dataclass(eq=False, repr=False, slots=True)
class Lia(Table):
    """Linked increases: all subflows together get as much as one TCP on the best path. RFC 6356.

    Args:
        cap: Whether a subflow is never more aggressive on any path than TCP would be. If false, a path
            with a large share of all windows may be. Source: RFC 6356 §3; false is Linked Increases
            (2009). Default: true.
    """

    _kind: ClassVar[str] = "lia"

    _: KW_ONLY
    cap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Olia(Table):
    """Opportunistic linked increases: moves all traffic to the best paths. Khalili et al., "MPTCP Is Not
    Pareto-Optimal", CoNEXT 2012.

    Args:
        metric: By which measure a path counts as the best; `l` is the number of bytes between losses,
            `R` the round-trip time. Source: multipath-tcp/mptcp, net/mptcp/mptcp_olia.c. Default:
            l_over_rtt_squared.
    """

    _kind: ClassVar[str] = "olia"

    _: KW_ONLY
    metric: Literal["l_over_rtt_squared", "l_squared_over_rtt"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Balia(Table):
    """Balanced linked adaptation: a compromise between LIA, which adapts faster, and OLIA, which is
    fairer. Peng et al., "Multipath TCP: Analysis, Design, and Implementation", ToN 2016.

    Args:
        integer: Whether the ratio of rates is rounded down when a loss reduces a window. Source: Peng
            et al. 2016; multipath-tcp/mptcp, net/mptcp/mptcp_balia.c, divides integers. Default: false.
    """

    _kind: ClassVar[str] = "balia"

    _: KW_ONLY
    integer: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Wvegas(Table):
    """Weighted Vegas: keeps a few segments queued in all, and balances paths by their queueing delay. Cao,
    Xu, Fu, "Delay-based Congestion Control for Multipath TCP", ICNP 2012.

    Args:
        total_alpha: How many segments all paths together keep waiting in queues. Fewer lose bandwidth
            because of noise; more add delay. Source: multipath-tcp/mptcp, total_alpha. Allowed:
            0.000001 to 1000000.0 (it is a number of packets, not negative). Default: 10.0.
        initial_alpha: The smallest number of segments that a path keeps waiting in queues. Source:
            multipath-tcp/mptcp, initial_alpha. Allowed: 0.000001 to 1000000.0 (it is a number of
            packets, not negative). Default: 2.0.
        gamma: If more segments than this wait in queues, slow start ends. Source: multipath-tcp/mptcp,
            gamma. Allowed: 0.0 to 1000000.0 (it is a number of packets, not negative). Default: 1.0.
    """

    _kind: ClassVar[str] = "wvegas"

    _: KW_ONLY
    total_alpha: float | None = None
    initial_alpha: float | None = None
    gamma: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Ewtcp(Table):
    """Each subflow is a TCP with a smaller weight, so that all together get as much as one TCP. Honda et
    al., "Multipath Congestion Control for Shared Bottleneck", PFLDNeT 2009.

    Args:
        weight: How a subflow's weight follows from the number n of subflows. Source: so that n subflows
            over one bottleneck are one TCP. Default: inverse_square.
        a: A fixed weight instead. A larger one makes windows grow faster. `"auto"` follows `weight`.
            Source: from `weight`. Allowed: 0.000001 to 1000000.0 (windows would not move, or jump).
            Default: auto.
    """

    _kind: ClassVar[str] = "ewtcp"

    _: KW_ONLY
    weight: Literal["inverse_square", "inverse_root"] | None = None
    a: float | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class FullyCoupled(Table):
    """All windows together grow and shrink like the window of one TCP. Kelly, Voice, "Stability of end-to-
    end algorithms for joint routing and rate control", 2005."""

    _kind: ClassVar[str] = "fully_coupled"


@dataclass(eq=False, repr=False, slots=True)
class LinkedIncreases(Table):
    """LIA without the rule that no path is more aggressive than TCP. Raiciu, Wischik, Handley, "Practical
    Congestion Control for Multipath Transport Protocols", 2009."""

    _kind: ClassVar[str] = "linked_increases"


@dataclass(eq=False, repr=False, slots=True)
class RttCompensator(Table):
    """The same as LIA, under the name it had before RFC 6356. Raiciu, Wischik, Handley, "Practical
    Congestion Control for Multipath Transport Protocols", 2009."""

    _kind: ClassVar[str] = "rtt_compensator"

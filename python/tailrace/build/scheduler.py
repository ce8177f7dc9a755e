"""A scheduler: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(eq=False, repr=False, slots=True)
class LowestRtt(Table):
    """The subflow with room and the smallest round trip. multipath-tcp/mptcp, net/mptcp/mptcp_sched.c
    (default).

    Args:
        skip_in_loss: A subflow that repairs a timeout gets no new data. Source: multipath-tcp/mptcp,
            mptcp_is_available. Default: true.
    """

    _kind: ClassVar[str] = "lowest_rtt"

    _: KW_ONLY
    skip_in_loss: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class RoundRobin(Table):
    """Each subflow in turn. multipath-tcp/mptcp, net/mptcp/mptcp_rr.c.

    Args:
        num_segments: Segments a turn. More make longer runs on one path, and more reordering. Source:
            multipath-tcp/mptcp, num_segments. 1 to 1000000000 (a turn has at least one). Default: 1.
        cwnd_limited: Pass over a subflow without room rather than wait for it. Source: multipath-
            tcp/mptcp, cwnd_limited. Default: true.
    """

    _kind: ClassVar[str] = "round_robin"

    _: KW_ONLY
    num_segments: int | None = None
    cwnd_limited: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Redundant(Table):
    """Every subflow carries everything. multipath-tcp/mptcp, net/mptcp/mptcp_redundant.c."""

    _kind: ClassVar[str] = "redundant"


@dataclass(eq=False, repr=False, slots=True)
class Blest(Table):
    """Passes over a slow subflow that would block the window. Ferlin et al., "BLEST: Blocking Estimation-
    based MPTCP Scheduler", IFIP Networking 2016.

    Args:
        lambda_: Scale of the estimate at the start. Larger ones avoid the slow subflow more. Source:
            multipath-tcp/mptcp; the paper begins with 1.0. 0.0 to 1000000.0 (it is a factor). Default:
            1.2.
        min_lambda: The least that it falls to. Source: multipath-tcp/mptcp. 0.0 to 1000000.0 (it is a
            factor). Default: 1.0.
        max_lambda: The most that it grows to. Source: multipath-tcp/mptcp. 0.0 to 1000000.0 (it is a
            factor). Default: 1.3.
        increase: Growth in a round trip in which the window was found shut. Source: multipath-
            tcp/mptcp. 0.0 to 1000000.0 (it is a factor). Default: 0.04.
        decrease: Fall in one in which it was not. Source: multipath-tcp/mptcp. 0.0 to 1000000.0 (it is
            a factor). Default: 0.01.
    """

    _kind: ClassVar[str] = "blest"
    _keys: ClassVar[Mapping[str, str]] = {"lambda_": "lambda"}

    _: KW_ONLY
    lambda_: float | None = None
    min_lambda: float | None = None
    max_lambda: float | None = None
    increase: float | None = None
    decrease: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Ecf(Table):
    """Waits for the fast subflow where that finishes earlier. Lim et al., "ECF: An MPTCP Path Scheduler to
    Manage Heterogeneous Paths", CoNEXT 2017.

    Args:
        beta: Hysteresis: once waiting, the slow subflow must be better by so much. Source: Lim et al.
            2017, §4. 0.0 to 1000000.0 (it is a factor). Default: 0.25.
    """

    _kind: ClassVar[str] = "ecf"

    _: KW_ONLY
    beta: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Lamps(Table):
    """The least expected delivery time, losses counted (reconstruction). Dong et al., "LAMPS: A Loss Aware
    Scheduler for Multipath TCP over Highly Lossy Networks", LCN 2017.

    Args:
        copies: The second-best subflow carries a copy while the best repairs losses. Source:
            reconstruction: "little duplication" (LCN 2017, abstract). Default: true.
    """

    _kind: ClassVar[str] = "lamps"

    _: KW_ONLY
    copies: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Weighted(Table):
    """In proportion to the subflows' rates, windows or round trips. Smooth weighted round robin; own
    design.

    Args:
        by: Where weights come from. Source: so that paths are used as they can be. Default: rate.
        strict: Wait for the subflow whose turn it is rather than pass it over. Source: use what has
            room. Default: false.
    """

    _kind: ClassVar[str] = "weighted"

    _: KW_ONLY
    by: Literal["rate", "window", "inverse_rtt", "equal"] | None = None
    strict: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Linux(Table):
    """The subflow that would drain its queue first. Linux, net/mptcp/protocol.c, mptcp_subflow_get_send.

    Args:
        burst: Bytes that one decision is good for. Source: Linux MPTCP_SEND_BURST_SIZE. 1 to 1000000000
            (it is a number of bytes sent in turn). Default: 65428.
        fill_queues: Subflows are given bytes ahead of their windows, as far as their send buffers go.
            Otherwise a silent subflow holds one window at most, and comes back sooner. Source: Linux
            mptcp_sendmsg_frag, sk_stream_memory_free. Default: true.
    """

    _kind: ClassVar[str] = "linux"

    _: KW_ONLY
    burst: int | None = None
    fill_queues: bool | None = None

"""A scheduler: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(eq=False, repr=False, slots=True)
class LowestRtt(Table):
    """The subflow with the shortest round-trip time that has room in its window. multipath-tcp/mptcp,
    net/mptcp/mptcp_sched.c (default).

    Args:
        skip_in_loss: Whether a subflow that repairs a timeout gets no new data. Source: multipath-
            tcp/mptcp, mptcp_is_available. Default: true.
    """

    _kind: ClassVar[str] = "lowest_rtt"

    _: KW_ONLY
    skip_in_loss: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class RoundRobin(Table):
    """Takes subflows in turn. multipath-tcp/mptcp, net/mptcp/mptcp_rr.c.

    Args:
        num_segments: How many segments a subflow sends in its turn. With more, longer runs of data stay
            on one path, and more data arrives out of order. Source: multipath-tcp/mptcp, num_segments.
            Allowed: 1 to 1000000000 (a turn has at least one segment). Default: 1.
        cwnd_limited: Whether a subflow without room in its window is passed over. If false, the
            scheduler waits for it. Source: multipath-tcp/mptcp, cwnd_limited. Default: true.
    """

    _kind: ClassVar[str] = "round_robin"

    _: KW_ONLY
    num_segments: int | None = None
    cwnd_limited: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Redundant(Table):
    """Sends all data on every subflow. multipath-tcp/mptcp, net/mptcp/mptcp_redundant.c."""

    _kind: ClassVar[str] = "redundant"


@dataclass(eq=False, repr=False, slots=True)
class Blest(Table):
    """Does not use a slow subflow whose data would block the receive window. Ferlin et al., "BLEST:
    Blocking Estimation-based MPTCP Scheduler", IFIP Networking 2016.

    Args:
        lambda_: The factor, at the start, for the estimate of how much of the window a slow subflow
            would block. A larger one avoids the slow subflow more. Source: multipath-tcp/mptcp; the
            paper begins with 1.0. Allowed: 0.0 to 1000000.0 (it is a factor, not negative). Default:
            1.2.
        min_lambda: The smallest value of that factor. Source: multipath-tcp/mptcp. Allowed: 0.0 to
            1000000.0 (it is a factor, not negative). Default: 1.0.
        max_lambda: The largest value of that factor. Source: multipath-tcp/mptcp. Allowed: 0.0 to
            1000000.0 (it is a factor, not negative). Default: 1.3.
        increase: By how much the factor grows after a round trip in which the window was closed.
            Source: multipath-tcp/mptcp. Allowed: 0.0 to 1000000.0 (it is a factor, not negative).
            Default: 0.04.
        decrease: By how much the factor falls after a round trip in which it was not. Source:
            multipath-tcp/mptcp. Allowed: 0.0 to 1000000.0 (it is a factor, not negative). Default:
            0.01.
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
    """Waits for the fast subflow if data arrives earlier that way. Lim et al., "ECF: An MPTCP Path
    Scheduler to Manage Heterogeneous Paths", CoNEXT 2017.

    Args:
        beta: Once the scheduler waits for the fast subflow, by which share the slow one must be better
            before it is used. A larger value changes its mind less often. Source: Lim et al. 2017, §4.
            Allowed: 0.0 to 1000000.0 (it is a factor, not negative). Default: 0.25.
    """

    _kind: ClassVar[str] = "ecf"

    _: KW_ONLY
    beta: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Lamps(Table):
    """The subflow with the shortest expected delivery time, losses included (reconstruction). Dong et al.,
    "LAMPS: A Loss Aware Scheduler for Multipath TCP over Highly Lossy Networks", LCN 2017.

    Args:
        copies: Whether the second-best subflow carries a copy of the data while the best one repairs
            losses. Source: reconstruction: "little duplication" (LCN 2017, abstract). Default: true.
    """

    _kind: ClassVar[str] = "lamps"

    _: KW_ONLY
    copies: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Weighted(Table):
    """Shares data among subflows in proportion to their rates, windows or round-trip times. Smooth
    weighted round robin; own design.

    Args:
        by: What the weight of a subflow is. Source: so that paths are used as they can be. Default:
            rate.
        strict: Whether the scheduler waits for the subflow whose turn it is. If false, a subflow
            without room in its window is passed over. Source: use what has room. Default: false.
    """

    _kind: ClassVar[str] = "weighted"

    _: KW_ONLY
    by: Literal["rate", "window", "inverse_rtt", "equal"] | None = None
    strict: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Linux(Table):
    """The subflow that would have sent its waiting data first, as in Linux. Linux, net/mptcp/protocol.c,
    mptcp_subflow_get_send.

    Args:
        burst: How many bytes one decision is good for. With more, longer runs of data stay on one
            subflow. Source: Linux MPTCP_SEND_BURST_SIZE. Allowed: 1 to 1000000000 (it is a number of
            bytes, at least one). Default: 65428.
        fill_queues: Whether subflows are given more bytes than their windows allow at once, up to their
            send buffers. If false, a silent subflow holds one window of data at most, and comes back
            sooner. Source: Linux mptcp_sendmsg_frag, sk_stream_memory_free. Default: true.
    """

    _kind: ClassVar[str] = "linux"

    _: KW_ONLY
    burst: int | None = None
    fill_queues: bool | None = None

"""A congestion control: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Reno(Table):
    """Slow start, congestion avoidance, fast retransmit and plain fast recovery. RFC 5681.

    Args:
        beta: Factor on a loss. Larger is more aggressive and less fair to standard flows. Source: RFC
            5681 equation 4. 0.0 to 1.0 (it is a share). Default: 0.5.
        beta_ecn: Factor on a congestion mark; 0.8 is ABE. Source: RFC 3168 §6.1.2; RFC 8511 for 0.8.
            0.0 to 1.0 (it is a share). Default: 0.5.
    """

    _kind: ClassVar[str] = "reno"

    _: KW_ONLY
    beta: float | None = None
    beta_ecn: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Newreno(Table):
    """Reno whose fast recovery repairs every hole of a window. RFC 6582.

    Args:
        beta: Factor on a loss. Larger is more aggressive and less fair to standard flows. Source: RFC
            5681 equation 4. 0.0 to 1.0 (it is a share). Default: 0.5.
        beta_ecn: Factor on a congestion mark; 0.8 is ABE. Source: RFC 3168 §6.1.2; RFC 8511 for 0.8.
            0.0 to 1.0 (it is a share). Default: 0.5.
    """

    _kind: ClassVar[str] = "newreno"

    _: KW_ONLY
    beta: float | None = None
    beta_ecn: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Cubic(Table):
    """Window as a cubic of the time since the last loss; default of most systems. RFC 9438.

    Args:
        c: C, segments per second cubed: how steep the cubic is. Source: RFC 9438 §5.1. 0.0 to 1000000.0
            (the window would shrink, or jump). Default: 0.4.
        beta: Factor on a loss or a mark. Source: RFC 9438 §4.6. 0.0 to 0.999 (a loss must take
            something away). Default: 0.7.
        fast_convergence: Give room to new flows by remembering less than the window at a loss. Source:
            RFC 9438 §4.7. Default: true.
        reno_friendly: Never be slower than standard TCP. Source: RFC 9438 §4.3. Default: true.
        form: Whose growth in congestion avoidance. Linux's is slower at small windows. Source: RFC
            9438; Linux net/ipv4/tcp_cubic.c. Default: rfc9438.
        hystart: Leave slow start when round trips grow, rather than at the first loss: HyStart++, or
            with the form `linux` HyStart as Linux has it, which looks at trains of ACKs, too. Source:
            RFC 9406, RFC 9438 §4.10; Linux hystart_update. Default: false.
    """

    _kind: ClassVar[str] = "cubic"

    _: KW_ONLY
    c: float | None = None
    beta: float | None = None
    fast_convergence: bool | None = None
    reno_friendly: bool | None = None
    form: Literal["rfc9438", "linux"] | None = None
    hystart: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Vegas(Table):
    """Keeps a few segments queued, judged by round-trip times. Brakmo, Peterson, JSAC 13(8), 1995.

    Args:
        alpha: With fewer waiting the window grows. Too small: noise keeps the window below what the
            path carries. Source: Linux tcp_vegas; ns-2 uses 1. 0.0 to 1000000.0 (it is a number of
            packets). Default: 2.0.
        beta: With more waiting the window shrinks. Each flow keeps up to so many in the queue. Source:
            Linux tcp_vegas; ns-2 uses 3. 0.0 to 1000000.0 (it is a number of packets). Default: 4.0.
        gamma: More than so many waiting end slow start. Too large: the queue overflows first. Source:
            Brakmo 1995; Linux and ns-2. 0.0 to 1000000.0 (it is a number of packets). Default: 1.0.
        rtt: What stands for the round trip of a round. Source: Linux tcp_vegas; average in Brakmo 1995
            and ns-2. Default: minimum.
        decrease: Factor on a loss. Source: RFC 5681 equation 4. 0.0 to 1.0 (it is a share). Default:
            0.5.
    """

    _kind: ClassVar[str] = "vegas"

    _: KW_ONLY
    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    rtt: Literal["average", "minimum"] | None = None
    decrease: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Highspeed(Table):
    """Reno made faster for large windows. RFC 3649.

    Args:
        low_window: Up to this window it is standard TCP. Smaller is unfair to standard flows on
            ordinary paths. Source: RFC 3649 §5. 2.0 to 1000000000.0 (windows have such sizes). Default:
            38.0.
        high_window: The window at which a loss takes only `high_decrease`. Source: RFC 3649 §5. 3.0 to
            1000000000.0 (windows have such sizes). Default: 83000.0.
        high_decrease: Share of the window that a loss takes at `high_window`. Smaller makes flows slow
            to share. Source: RFC 3649 §5. 0.0 to 0.5 (Reno takes a half). Default: 0.1.
        max_ssthresh: Slow start grows by at most half of so many segments a round trip above it;
            `"auto"` is no such limit. Source: RFC 3742 §2: 100 where used. 1 to 1000000000 (windows
            have such sizes). Default: auto.
    """

    _kind: ClassVar[str] = "highspeed"

    _: KW_ONLY
    low_window: float | None = None
    high_window: float | None = None
    high_decrease: float | None = None
    max_ssthresh: int | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Dctcp(Table):
    """Cuts the window in proportion to the share of marked segments. RFC 8257.

    Args:
        g: Weight of a window's share of marks in the average. Larger follows faster and swings more.
            Source: RFC 8257 §4.2. 0.0 to 1.0 (it is a weight). Default: 0.0625.
        initial_alpha: Alpha at the start. Zero: the first marks take nothing; one: they halve the
            window, as a loss does. Source: RFC 8257 §4.2; 0 in ns-2. 0.0 to 1.0 (it is a share).
            Default: 1.0.
    """

    _kind: ClassVar[str] = "dctcp"

    _: KW_ONLY
    g: float | None = None
    initial_alpha: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Ledbat(Table):
    """Scavenger: holds the queueing delay at a target and gives way to others. RFC 6817.

    Args:
        target: Queueing delay to keep. Larger delays others; smaller than their clock's noise gives up
            bandwidth. Source: RFC 6817 §3.3: at most 100 ms. 1 us to 1000 s (the window is steered by
            delays over it). Default: 100 ms.
        gain: Share of a segment that the window gains a round trip with an empty queue, and loses with
            twice the target. Source: RFC 6817 §3.4.3: at most 1. 0.0 to 1.0 (it may not grow faster
            than Reno). Default: 1.0.
        base_history: Minutes whose least delay is the base, at most 16. More survive longer queues,
            fewer follow changes of route. Source: RFC 6817 §3.4.2. 1 to 16 (they are kept). Default:
            10.
        current_filter: Latest samples whose least is the present delay, at most 16. More resist noise,
            fewer react sooner. Source: RFC 6817 §3.4.2: at least 1. 1 to 16 (they are kept). Default:
            4.
        min_cwnd: The window at the start, and the least but after a timeout. Source: RFC 6817 §2.4.2. 1
            to 1048576 (windows have such sizes). Default: 2.
        allowed_increase: How much larger than the flight the window may become. Source: RFC 6817
            §2.4.2. 1 to 1048576 (windows have such sizes). Default: 1.
    """

    _kind: ClassVar[str] = "ledbat"

    _: KW_ONLY
    target: types.Duration | None = None
    gain: float | None = None
    base_history: int | None = None
    current_filter: int | None = None
    min_cwnd: int | None = None
    allowed_increase: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Bbr(Table):
    """Models the path's rate and round trip, and paces at the one (version 1). Cardwell et al., ACM Queue
    14(5), 2016.

    Args:
        startup_gain: Gain of Startup: the least that doubles the delivery rate each round. Less fills
            the pipe slower. Source: Cardwell 2016: 2 / ln 2. 1.01 to 100.0 (start-up would not grow, or
            flood). Default: 2.885.
        cwnd_gain: Bandwidth-delay products that may be in flight after Startup. One would stall on
            delayed or stretched ACKs. Source: Cardwell 2016. 1.0 to 100.0 (the window would starve, or
            flood). Default: 2.0.
        min_rtt_window: How long a least round trip is believed. Longer sees a longer path later,
            shorter gives up more rate. Source: Cardwell 2016. 1 ms to 1000 h (a round trip is measured
            each time). Default: 10 s.
        pacing_margin: Share of the rate at which it really paces, so that what queued drains in time.
            Source: Linux tcp_bbr, bbr_pacing_margin_percent; 1 in the paper. 0.1 to 1.0 (it is a share
            of the bandwidth). Default: 0.99.
    """

    _kind: ClassVar[str] = "bbr"

    _: KW_ONLY
    startup_gain: float | None = None
    cwnd_gain: float | None = None
    min_rtt_window: types.Duration | None = None
    pacing_margin: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Bbr3(Table):
    """BBR that learns from loss how much may be in flight (version 3, a draft). draft-ietf-ccwg-bbr-04.

    Args:
        loss_thresh: Share of the flight that may be lost in a round. More tolerates shallow queues and
            hurts others in them. Source: draft-ietf-ccwg-bbr-04 §2.7. 0.0 to 1.0 (it is a share).
            Default: 0.02.
        beta: Factor on the bounds in a round with losses, at least. Source: draft-ietf-ccwg-bbr-04
            §2.7. 0.0 to 1.0 (it is a share). Default: 0.7.
        headroom: Share of the long-term bound that is left to others while cruising. Source: draft-
            ietf-ccwg-bbr-04 §2.7. 0.0 to 1.0 (it is a share). Default: 0.15.
        startup_gain: Pacing gain of Startup. Source: draft-ietf-ccwg-bbr-04 §5.3.1.1. 1.01 to 100.0
            (start-up would not grow, or flood). Default: 2.77.
        probe_rtt_interval: How often the flight is halved to see the least round trip. Source: draft-
            ietf-ccwg-bbr-04 §5.3.4.1. 1 ms to 1000 h (a round trip is measured each time). Default: 5
            s.
    """

    _kind: ClassVar[str] = "bbr3"

    _: KW_ONLY
    loss_thresh: float | None = None
    beta: float | None = None
    headroom: float | None = None
    startup_gain: float | None = None
    probe_rtt_interval: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Prague(Table):
    """DCTCP for the Internet: ECT(1), accurate feedback, pacing, alike for short round trips. draft-
    briscoe-iccrg-prague-congestion-control-04.

    Args:
        g: Weight of a round's share of marks in the average. Larger follows faster and swings more.
            Source: draft-briscoe-iccrg-prague-congestion-control-04; Linux tcp_prague. 0.0 to 1.0 (it
            is a weight). Default: 0.0625.
        initial_alpha: Alpha at the first mark: one halves the window then, as slow start has overshot.
            Source: draft-briscoe-iccrg-prague-congestion-control-04. 0.0 to 1.0 (it is a share).
            Default: 1.0.
        virtual_rtt: Flows with shorter round trips behave as if theirs were this. Zero: each by its
            own, as DCTCP. Source: Linux tcp_prague, prague_rtt_target. 0 s to 1000 s (windows grow once
            in it). Default: 25 ms.
        beta: Factor on a loss. Source: RFC 5681 equation 4. 0.0 to 1.0 (it is a share). Default: 0.5.
    """

    _kind: ClassVar[str] = "prague"

    _: KW_ONLY
    g: float | None = None
    initial_alpha: float | None = None
    virtual_rtt: types.Duration | None = None
    beta: float | None = None

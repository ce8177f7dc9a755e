"""A congestion control: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Reno(Table):
    """The basic TCP of RFC 5681: slow start, congestion avoidance, fast retransmit and fast recovery. RFC
    5681.

    Args:
        beta: The factor by which a loss reduces the window. A larger value keeps more and is less fair
            to standard flows. Source: RFC 5681 equation 4. Allowed: 0.0 to 1.0 (it is a share of a
            whole). Default: 0.5.
        beta_ecn: The factor by which an ECN mark reduces the window; 0.8 is ABE. Source: RFC 3168
            §6.1.2; RFC 8511 for 0.8. Allowed: 0.0 to 1.0 (it is a share of a whole). Default: 0.5.
    """

    _kind: ClassVar[str] = "reno"

    _: KW_ONLY
    beta: float | None = None
    beta_ecn: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Newreno(Table):
    """Reno whose fast recovery repairs all losses of a window. RFC 6582.

    Args:
        beta: The factor by which a loss reduces the window. A larger value keeps more and is less fair
            to standard flows. Source: RFC 5681 equation 4. Allowed: 0.0 to 1.0 (it is a share of a
            whole). Default: 0.5.
        beta_ecn: The factor by which an ECN mark reduces the window; 0.8 is ABE. Source: RFC 3168
            §6.1.2; RFC 8511 for 0.8. Allowed: 0.0 to 1.0 (it is a share of a whole). Default: 0.5.
    """

    _kind: ClassVar[str] = "newreno"

    _: KW_ONLY
    beta: float | None = None
    beta_ecn: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Cubic(Table):
    """Grows the window as a cubic function of the time since the last loss; the default of most systems.
    RFC 9438.

    Args:
        c: C, in segments per second cubed: how steeply the window grows after a loss. A larger value
            grows faster. Source: RFC 9438 §5.1. Allowed: 0.0 to 1000000.0 (the window would shrink, or
            jump). Default: 0.4.
        beta: The factor by which a loss or a mark reduces the window. A larger value keeps more.
            Source: RFC 9438 §4.6. Allowed: 0.0 to 0.999 (a loss must take something away). Default:
            0.7.
        fast_convergence: Whether a flow whose window keeps shrinking gives up more of it at a loss, to
            make room for new flows. Source: RFC 9438 §4.7. Default: true.
        reno_friendly: Whether the window is never smaller than that of standard TCP (Reno) would be.
            Source: RFC 9438 §4.3. Default: true.
        form: Whose growth in congestion avoidance is used. Linux's is slower at small windows. Source:
            RFC 9438; Linux net/ipv4/tcp_cubic.c. Default: rfc9438.
        hystart: Whether slow start ends when round-trip times grow, instead of at the first loss. This
            is HyStart++; with `form = "linux"` it is Linux's HyStart, which also watches how closely
            ACKs follow one another. Source: RFC 9406, RFC 9438 §4.10; Linux hystart_update. Default:
            false.
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
    """Watches round-trip times to keep only a few segments in queues. Brakmo, Peterson, JSAC 13(8), 1995.

    Args:
        alpha: If fewer segments of the flow than this wait in the queue, the window grows. If it is too
            small, noise keeps the window below what the path can carry. Source: Linux tcp_vegas; ns-2
            uses 1. Allowed: 0.0 to 1000000.0 (it is a number of packets, not negative). Default: 2.0.
        beta: If more segments of the flow than this wait in the queue, the window shrinks. Each flow
            keeps up to so many there. Source: Linux tcp_vegas; ns-2 uses 3. Allowed: 0.0 to 1000000.0
            (it is a number of packets, not negative). Default: 4.0.
        gamma: If more segments than this wait in the queue, slow start ends. If it is too large, the
            queue overflows before that. Source: Brakmo 1995; Linux and ns-2. Allowed: 0.0 to 1000000.0
            (it is a number of packets, not negative). Default: 1.0.
        rtt: How the round-trip time of a round is computed from its samples. Source: Linux tcp_vegas;
            average in Brakmo 1995 and ns-2. Default: minimum.
        decrease: The factor by which a loss reduces the window. Source: RFC 5681 equation 4. Allowed:
            0.0 to 1.0 (it is a share of a whole). Default: 0.5.
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
    """Reno that grows faster when its window is large. RFC 3649.

    Args:
        low_window: Up to this window, in segments, it behaves as standard TCP. A smaller value is
            unfair to standard flows on ordinary paths. Source: RFC 3649 §5. Allowed: 2.0 to
            1000000000.0 (no window is larger or smaller). Default: 38.0.
        high_window: The window, in segments, at which a loss takes only `high_decrease`. Source: RFC
            3649 §5. Allowed: 3.0 to 1000000000.0 (no window is larger or smaller). Default: 83000.0.
        high_decrease: The share of the window that a loss takes at `high_window`. With a smaller share,
            flows take longer to give others their share. Source: RFC 3649 §5. Allowed: 0.0 to 0.5 (Reno
            takes half of the window). Default: 0.1.
        max_ssthresh: Above this window, in segments, slow start grows by at most half as many segments
            in a round trip (limited slow start). `"auto"` is no such limit. Source: RFC 3742 §2: 100
            where used. Allowed: 1 to 1000000000 (no window is larger or smaller). Default: auto.
    """

    _kind: ClassVar[str] = "highspeed"

    _: KW_ONLY
    low_window: float | None = None
    high_window: float | None = None
    high_decrease: float | None = None
    max_ssthresh: int | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Dctcp(Table):
    """Reduces the window in proportion to the share of marked segments; for data centers. RFC 8257.

    Args:
        g: The weight of the newest share of marked packets in the average, taken once per window. A
            larger value follows faster and varies more. Source: RFC 8257 §4.2. Allowed: 0.0 to 1.0 (it
            is a weight in an average). Default: 0.0625.
        initial_alpha: The average share of marked packets (alpha) at the start. With 0 the first marks
            reduce nothing; with 1 they halve the window, as a loss does. Source: RFC 8257 §4.2; 0 in
            ns-2. Allowed: 0.0 to 1.0 (it is a share of a whole). Default: 1.0.
    """

    _kind: ClassVar[str] = "dctcp"

    _: KW_ONLY
    g: float | None = None
    initial_alpha: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Ledbat(Table):
    """For background traffic: holds the queueing delay at a target and gives way to other flows. RFC 6817.

    Args:
        target: The queueing delay that LEDBAT aims to cause. A larger one delays others more. If it is
            smaller than the noise of measured delays, bandwidth is lost. Source: RFC 6817 §3.3: at most
            100 ms. Allowed: 1 us to 1000 s (the window is steered by delays over it). Default: 100 ms.
        gain: By how many segments per round trip the window grows when the queue is empty; it shrinks
            as fast when the delay is twice `target`. Source: RFC 6817 §3.4.3: at most 1. Allowed: 0.0
            to 1.0 (RFC 6817 allows no faster growth than Reno's). Default: 1.0.
        base_history: The base delay is the smallest of so many last minutes, at most 16. With more,
            long-lasting queues are still noticed; with fewer, a change of route is noticed sooner.
            Source: RFC 6817 §3.4.2. Allowed: 1 to 16 (so many are kept in memory). Default: 10.
        current_filter: The present delay is the smallest of so many last samples, at most 16. With
            more, noise matters less; with fewer, LEDBAT reacts sooner. Source: RFC 6817 §3.4.2: at
            least 1. Allowed: 1 to 16 (so many are kept in memory). Default: 4.
        min_cwnd: The window at the start and the smallest one except after a timeout, in segments.
            Source: RFC 6817 §2.4.2. Allowed: 1 to 1048576 (no window is larger or smaller). Default: 2.
        allowed_increase: By how many segments the window may exceed what is in flight. Source: RFC 6817
            §2.4.2. Allowed: 1 to 1048576 (no window is larger or smaller). Default: 1.
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
    """Measures the path's rate and round-trip time, and sends at that rate (version 1). Cardwell et al.,
    ACM Queue 14(5), 2016.

    Args:
        startup_gain: By how much faster than the measured bandwidth BBR sends in its Startup phase. The
            default is the smallest value that doubles the delivery rate in each round trip; a smaller
            one fills the path more slowly. Source: Cardwell 2016: 2 / ln 2. Allowed: 1.01 to 100.0
            (start-up would not grow, or flood). Default: 2.885.
        cwnd_gain: How many bandwidth-delay products may be in flight after Startup. With only one, BBR
            would stall when ACKs are delayed or bundled. Source: Cardwell 2016. Allowed: 1.0 to 100.0
            (the window would starve, or flood). Default: 2.0.
        min_rtt_window: For how long the smallest measured round-trip time is trusted. A longer time
            notices later that the path has become longer; a shorter one gives up more rate to measure
            it. Source: Cardwell 2016. Allowed: 1 ms to 1000 h (each time the round trip is measured
            anew). Default: 10 s.
        pacing_margin: The share of the computed rate at which BBR really sends, so that waiting packets
            drain in time. Source: Linux tcp_bbr, bbr_pacing_margin_percent; 1 in the paper. Allowed:
            0.1 to 1.0 (it is a share of the bandwidth). Default: 0.99.
    """

    _kind: ClassVar[str] = "bbr"

    _: KW_ONLY
    startup_gain: float | None = None
    cwnd_gain: float | None = None
    min_rtt_window: types.Duration | None = None
    pacing_margin: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class Bbr3(Table):
    """BBR that also limits by losses how much may be in flight (version 3, a draft). draft-ietf-ccwg-
    bbr-04.

    Args:
        loss_thresh: Which share of the packets in flight may be lost in a round trip before BBR reduces
            its bounds. A larger share tolerates small buffers, and hurts other flows in them. Source:
            draft-ietf-ccwg-bbr-04 §2.7. Allowed: 0.0 to 1.0 (it is a share of a whole). Default: 0.02.
        beta: The factor by which the bounds are reduced in a round trip with losses; they are not
            reduced further. Source: draft-ietf-ccwg-bbr-04 §2.7. Allowed: 0.0 to 1.0 (it is a share of
            a whole). Default: 0.7.
        headroom: The share of the long-term bound that is left to other flows while BBR cruises.
            Source: draft-ietf-ccwg-bbr-04 §2.7. Allowed: 0.0 to 1.0 (it is a share of a whole).
            Default: 0.15.
        startup_gain: By how much faster than the measured bandwidth BBR sends in its Startup phase. A
            smaller value fills the path more slowly. Source: draft-ietf-ccwg-bbr-04 §5.3.1.1. Allowed:
            1.01 to 100.0 (start-up would not grow, or flood). Default: 2.77.
        probe_rtt_interval: How often the amount in flight is halved to measure the smallest round-trip
            time. Source: draft-ietf-ccwg-bbr-04 §5.3.4.1. Allowed: 1 ms to 1000 h (each time the round
            trip is measured anew). Default: 5 s.
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
    """DCTCP for the Internet (L4S): accurate feedback, pacing, and no advantage for short round trips.
    draft-briscoe-iccrg-prague-congestion-control-04.

    Args:
        g: The weight of the newest share of marked packets in the average, taken once per round trip. A
            larger value follows faster and varies more. Source: draft-briscoe-iccrg-prague-congestion-
            control-04; Linux tcp_prague. Allowed: 0.0 to 1.0 (it is a weight in an average). Default:
            0.0625.
        initial_alpha: The average share of marked packets (alpha) at the first mark. With 1 that mark
            halves the window, since slow start has overshot by then. Source: draft-briscoe-iccrg-
            prague-congestion-control-04. Allowed: 0.0 to 1.0 (it is a share of a whole). Default: 1.0.
        virtual_rtt: Flows with a shorter round-trip time behave as if theirs were this, so that short
            paths get no advantage. With 0 each flow uses its own, as DCTCP does. Source: Linux
            tcp_prague, prague_rtt_target. Allowed: 0 s to 1000 s (windows grow once in it). Default: 25
            ms.
        beta: The factor by which a loss reduces the window. Source: RFC 5681 equation 4. Allowed: 0.0
            to 1.0 (it is a share of a whole). Default: 0.5.
    """

    _kind: ClassVar[str] = "prague"

    _: KW_ONLY
    g: float | None = None
    initial_alpha: float | None = None
    virtual_rtt: types.Duration | None = None
    beta: float | None = None

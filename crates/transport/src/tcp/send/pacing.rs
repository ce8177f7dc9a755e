//! Pacing: data leaves evenly spaced, at the congestion control's rate or at one that follows from the window.
//!
//! After each segment the next one waits for as long as this one takes at that rate; a timer, not an ACK, releases
//! it. Linux does the same in its fq discipline or within TCP. Departure: no credit for time in which the window, not
//! pacing, was the limit, and no bursts of several segments.

use tailrace_core::{Bytes, Duration, Instant, Rate};

/// Linux `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`: windows a round trip in slow start, so that it can double,
/// and after it, so that the window stays what limits.
const SLOW_START_RATIO: f64 = 2.0;
const AVOIDANCE_RATIO: f64 = 1.2;

/// Until when data is held back; `MAX` where it is not.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Pacer(Instant);

impl Pacer {
    pub(in crate::tcp) const OFF: Self = Self(Instant::MAX);

    /// When it lets data go on.
    #[inline]
    pub(in crate::tcp) const fn at(self) -> Instant {
        self.0
    }

    /// Whether it lets data through, as far as it has been told the time.
    #[inline]
    pub(in crate::tcp) fn is_open(self) -> bool {
        self.0 == Instant::MAX
    }

    /// Whether data must wait at `now`.
    #[inline]
    pub(in crate::tcp) fn is_shut(self, now: Instant) -> bool {
        !self.is_open() && now < self.0
    }

    /// `len` bytes leave at `now`: the next wait for their time at `rate`.
    pub(in crate::tcp) fn on_sent(&mut self, rate: Rate, len: Bytes, now: Instant) {
        *self = Self(now.saturating_add(rate.time_to_send(len)));
    }

    /// The time is `now`: data that was held back until then goes on.
    #[inline]
    pub(in crate::tcp) fn on_time(&mut self, now: Instant) {
        if self.0 <= now {
            *self = Self::OFF;
        }
    }
}

/// Facts about the window that a pacing rate follows from.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct WindowRate {
    pub(in crate::tcp) cwnd: Bytes,
    pub(in crate::tcp) ssthresh: Option<Bytes>,
    pub(in crate::tcp) outstanding: Bytes,
    pub(in crate::tcp) smoothed: Duration,
    pub(in crate::tcp) mss: u32,
    /// Option bytes of a subflow's segments, which count as if they were data.
    pub(in crate::tcp) options: u32,
}

/// The rate at which the window lasts for a round trip, times the ratio of its phase; `None` before the first round-trip sample.
#[inline(always)]
pub(in crate::tcp) fn rate_of_window(window: &WindowRate) -> Option<Rate> {
    let (rtt, mss, cwnd) = (window.smoothed.as_secs_f64(), u64::from(window.mss), window.cwnd.get());
    let ratio = match window.ssthresh {
        // Linux: half of ssthresh, rounded down to whole segments, so that the last doubling is smooth.
        Some(ssthresh) if 2 * (cwnd + mss) > ssthresh.get() => AVOIDANCE_RATIO,
        _ => SLOW_START_RATIO,
    };
    let bytes = window.cwnd.max(window.outstanding);
    let full = 1.0 + f64::from(window.options) / f64::from(window.mss);
    (rtt > 0.0).then(|| Rate::from_bps((ratio * full * bytes.as_f64() * 8.0 / rtt) as u64))
}

//! Pacing: data leaves evenly spaced, at the congestion control's rate or at one that follows from the window.
//!
//! After each segment the next one waits for as long as this one takes at that rate; a timer, not an ACK, releases
//! it. Linux does the same in its fq discipline or within TCP. Departure: no credit for time in which the window, not
//! pacing, was the limit, and no bursts of several segments.

use crate::cc::CongestionControl;
use crate::tcp::Tcp;
use tailrace_core::{Bytes, Instant, Rate};

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

    /// The time is `now`: whoever was held back until then goes on.
    #[inline]
    pub(in crate::tcp) fn tell(&mut self, now: Instant) {
        if self.0 <= now {
            *self = Self::OFF;
        }
    }
}

impl Tcp {
    /// `len` bytes of data leave at `now`: the next wait for their time.
    #[cold]
    pub(in crate::tcp) fn pace(&mut self, len: Bytes, now: Instant) {
        if let Some(rate) = self.pacing_rate() {
            self.pacer = Pacer(now.saturating_add(rate.time_to_send(len)));
        }
    }

    /// None before the first round-trip sample.
    pub(in crate::tcp) fn pacing_rate(&self) -> Option<Rate> {
        let rate = self.cc.pacing_rate().or_else(|| {
            let (rtt, mss) = (self.rtt.smoothed.as_secs_f64(), u64::from(self.mss));
            let cwnd = self.cwnd().get();
            let ratio = match self.cc.ssthresh() {
                // Linux: half of ssthresh, rounded down to whole segments, so that the last doubling is smooth.
                Some(ssthresh) if 2 * (cwnd + mss) > ssthresh.get() => AVOIDANCE_RATIO,
                _ => SLOW_START_RATIO,
            };
            let window = Bytes(cwnd).max(self.outstanding());
            let beside = self.repair.as_ref().map_or(0, |repair| repair.beside);
            let full = 1.0 + f64::from(beside) / f64::from(self.mss);
            (rtt > 0.0).then(|| Rate::from_bps((ratio * full * window.as_f64() * 8.0 / rtt) as u64))
        });
        rate.map(|r| Rate::from_bps(r.as_bps().max(1)))
    }
}

//! Long-term bandwidth: how BBR finds a policer.
//!
//! Cardwell et al., ACM Queue 14(5), 2016, "Token-bucket policers"; Linux `tcp_bbr.c`. Behind a policer the delivery rate is the
//! link's while the bucket holds tokens and the policer's afterwards, so the largest rate of ten rounds is far above what passes
//! and most of it is lost. So rates are also measured from loss to loss over intervals of 4 to 16 rounds. Two intervals in a row
//! that lost a fifth each and differ by no more than an eighth (or 4 kbit/s) show a policer: their mean is then the bandwidth, with
//! no gain, for 48 rounds; after these BBR probes anew.
//!
//! Difference from Linux: an interval is measured to the nanosecond, where Linux counts milliseconds.

use super::super::RateSample;
use tailrace_core::Instant;

/// Rounds that an interval has at least.
const LEAST_ROUNDS: u32 = 4;
/// Rounds that an interval has at most: a longer one is given up.
const MOST_ROUNDS: u32 = 4 * LEAST_ROUNDS;
/// Least share of what was delivered that must have been lost: 50 of 256, about a fifth.
const LOSS_SHARE: f64 = 50.0 / 256.0;
/// Largest difference between two intervals, as a share of the earlier one.
const RATE_SHARE: f64 = 1.0 / 8.0;
/// Largest difference between two intervals where that is more: 4 kbit/s, in bytes a second.
const RATE_DIFFERENCE: f64 = 500.0;
/// Rounds for which a policer's rate is used.
const ROUNDS_OF_USE: u32 = 48;
/// The shortest interval that gives a rate, seconds.
const SHORTEST: f64 = 1e-3;

/// The sampler. Rates are in bytes a second.
#[derive(Clone, Debug, Default)]
pub(super) struct LongTerm {
    /// Rate of the last interval; of a policer while `used`. Zero: none yet.
    rate: f64,
    used: bool,
    sampling: bool,
    /// Rounds of the interval; of use while `used`.
    rounds: u32,
    begin: Begin,
    /// Bytes lost since the connection began.
    lost: u64,
    /// A timeout came since the last delivery; it counts as a round's end.
    timed_out: bool,
}

/// Beginning of an interval.
#[derive(Clone, Copy, Debug)]
struct Begin {
    at: Instant,
    delivered: u64,
    lost: u64,
}

impl Default for Begin {
    fn default() -> Self {
        Self { at: Instant::ZERO, delivered: 0, lost: 0 }
    }
}

/// Figures of a delivery that the sampler takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    pub(super) now: Instant,
    /// Bytes delivered since the connection began.
    pub(super) delivered: u64,
    /// Bytes that this delivery showed to be lost.
    pub(super) lost: u64,
    pub(super) rate: RateSample,
    /// Whether a round ended.
    pub(super) round_start: bool,
    /// Whether BBR cycles around the bandwidth, so that rounds of use count.
    pub(super) cycling: bool,
}

impl LongTerm {
    /// The policer's rate, where there is one.
    pub(super) fn policed(&self) -> Option<f64> {
        self.used.then_some(self.rate)
    }

    /// Counts losses of a delivery that gave no rate.
    pub(super) fn count_lost(&mut self, lost: u64) {
        self.lost += lost;
    }

    /// The retransmission timer expired: a round has ended, with losses that the next delivery tells.
    pub(super) fn on_timeout(&mut self) {
        self.timed_out = true;
    }

    /// Forgets all but the number of losses.
    pub(super) fn reset(&mut self) {
        *self = Self { lost: self.lost, ..Self::default() };
    }

    /// A delivery. Returns whether the rounds of use are over, so that BBR is to probe anew.
    pub(super) fn on_delivery(&mut self, o: &Observation) -> bool {
        self.lost += o.lost;
        let round = o.round_start | core::mem::take(&mut self.timed_out);
        if self.used {
            self.rounds += u32::from(round && o.cycling);
            let over = self.rounds >= ROUNDS_OF_USE;
            if over {
                self.reset();
            }
            return over;
        }
        if !self.sampling {
            // An interval begins and ends with a loss: then the bucket is empty at both ends.
            if o.lost == 0 {
                return false;
            }
            self.begin(o);
            self.sampling = true;
        }
        if o.rate.app_limited {
            self.reset();
            return false;
        }
        self.rounds += u32::from(round);
        if self.rounds > MOST_ROUNDS {
            self.reset();
        } else if self.rounds >= LEAST_ROUNDS && o.lost > 0 {
            self.end(o);
        }
        false
    }

    fn begin(&mut self, o: &Observation) {
        self.begin = Begin { at: o.now, delivered: o.delivered, lost: self.lost };
        self.rounds = 0;
    }

    fn end(&mut self, o: &Observation) {
        let lost = (self.lost - self.begin.lost) as f64;
        let delivered = o.delivered.saturating_sub(self.begin.delivered) as f64;
        let time = o.now.saturating_since(self.begin.at).as_secs_f64();
        if delivered <= 0.0 || lost < LOSS_SHARE * delivered || time < SHORTEST {
            return;
        }
        let rate = delivered / time;
        let difference = (rate - self.rate).abs();
        if self.rate > 0.0 && (difference <= RATE_SHARE * self.rate || difference <= RATE_DIFFERENCE) {
            self.rate = (self.rate + rate) / 2.0;
            self.used = true;
            self.rounds = 0;
            return;
        }
        self.rate = rate;
        self.begin(o);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 100 ms, each with a delivery of `delivered` bytes of which `lost` more were lost.
    struct Rounds {
        sampler: LongTerm,
        now: Instant,
        delivered: u64,
    }

    impl Rounds {
        fn new() -> Self {
            Self { sampler: LongTerm::default(), now: Instant::ZERO, delivered: 0 }
        }
        fn round(&mut self, delivered: u64, lost: u64) -> bool {
            self.round_of(delivered, lost, false)
        }
        fn round_of(&mut self, delivered: u64, lost: u64, app_limited: bool) -> bool {
            self.now = self.now.saturating_add(tailrace_core::Duration::from_millis(100));
            self.delivered += delivered;
            let rate = RateSample {
                bytes_per_sec: 1e6,
                prior_delivered: 0,
                app_limited,
                sent_in_flight: 0,
                lost: 0,
            };
            self.sampler.on_delivery(&Observation {
                now: self.now,
                delivered: self.delivered,
                lost,
                rate,
                round_start: true,
                cycling: true,
            })
        }
        fn policed(&self) -> Option<f64> {
            self.sampler.policed()
        }
    }

    #[test]
    fn two_alike_intervals_with_a_fifth_lost_are_a_policer() {
        let mut r = Rounds::new();
        // The round of the first loss is the first of its interval: it ends with the fourth, 300 ms later.
        r.round(100_000, 30_000);
        for _ in 0..3 {
            r.round(100_000, 30_000);
        }
        assert_eq!((r.policed(), r.sampler.rate), (None, 1e6));
        // The next begins there, and has its fourth round after 400 ms: 440 kB, 1.1 MB/s, a tenth more.
        for _ in 0..4 {
            r.round(110_000, 30_000);
        }
        assert_eq!(r.policed(), Some(1.05e6));
    }

    #[test]
    fn intervals_that_differ_by_more_than_an_eighth_begin_anew() {
        let mut r = Rounds::new();
        for _ in 0..4 {
            r.round(100_000, 30_000);
        }
        for _ in 0..4 {
            r.round(113_000, 30_000);
        }
        assert_eq!((r.policed(), r.sampler.rate), (None, 1.13e6));
        for _ in 0..4 {
            r.round(110_000, 30_000);
        }
        assert_eq!(r.policed(), Some(1.115e6));
    }

    #[test]
    fn fewer_losses_long_pauses_and_an_idle_sender_are_no_policer() {
        // 19 % of what was delivered.
        let mut r = Rounds::new();
        for _ in 0..60 {
            r.round(100_000, 19_000);
        }
        assert_eq!(r.policed(), None);
        // A loss each 17 rounds: every interval is given up.
        let mut r = Rounds::new();
        for i in 0..10 * 18 {
            r.round(100_000, if i % 18 == 0 { 900_000 } else { 0 });
        }
        assert_eq!((r.policed(), r.sampler.rate), (None, 0.0));
        // A sender that had nothing to send says nothing of the path.
        let mut r = Rounds::new();
        for i in 0..60 {
            r.round_of(100_000, 30_000, i % 3 == 0);
        }
        assert_eq!(r.policed(), None);
    }

    #[test]
    fn the_rate_is_used_for_48_rounds_and_then_forgotten() {
        let mut r = Rounds::new();
        for _ in 0..8 {
            r.round(100_000, 30_000);
        }
        assert!(r.policed().is_some());
        assert!((0..47).all(|_| !r.round(100_000, 0)));
        assert!(r.round(100_000, 0));
        assert_eq!(r.policed(), None);
    }
}

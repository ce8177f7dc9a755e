//! HyStart as Linux has it (`net/ipv4/tcp_cubic.c` of 6.1, `hystart_update`): slow start ends at the window at which
//! either sign shows.
//!
//! ACKs that follow one another closely (2 ms) for half a least round trip say that the data in flight fills the path;
//! eight round trips of a window, none of which is near the least (an eighth, 4 to 16 ms), that a queue builds up.
//! Neither counts below 16 segments. Round trips of a recovery count, too, by the window in force then.

use super::super::AckSample;
use tailrace_core::{Duration, Instant};

const LOW_WINDOW: f64 = 16.0;
const ACK_DELTA: Duration = Duration::from_millis(2);
const SAMPLES: u8 = 8;
const LEAST_RISE: Duration = Duration::from_millis(4);
const LARGEST_RISE: Duration = Duration::from_millis(16);
/// Time that the sending of four full bursts (`gso_max_size`, 64 KiB) may add, at most a millisecond.
const BURSTS: f64 = 4.0 * 65_536.0;
const LONGEST_BURST: Duration = Duration::from_millis(1);

/// Most that a least round trip counts for in ns-3 (`HyStartDelayMax`), where it is its own rise.
const LARGEST_RISE_NS3: Duration = Duration::from_secs(1);

/// When a sign shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signs {
    /// Linux: half a least round trip, and a rise by an eighth of it.
    Linux,
    /// ns-3 (`TcpCubic::HystartUpdate`): a whole one, and a rise by all of it, of the first eight round trips of a window alone.
    Ns3,
}

#[derive(Clone, Debug)]
pub(super) struct Hystart {
    signs: Signs,
    /// It has ended slow start; after a timeout it is made anew.
    found: bool,
    started: bool,
    round_start: Instant,
    last_ack: Instant,
    /// Bytes acknowledged in sum, and how many are when the round is over; after a timeout the next ACK tells.
    una: u64,
    end: Option<u64>,
    least: Duration,
    samples: u8,
}

impl Hystart {
    pub(super) const fn new(signs: Signs) -> Self {
        Self {
            signs,
            found: false,
            started: false,
            round_start: Instant::ZERO,
            last_ack: Instant::ZERO,
            una: 0,
            end: Some(0),
            least: Duration::MAX,
            samples: 0,
        }
    }

    /// A timeout at `now` makes it anew: all that is out is a round (`cubictcp_state`).
    pub(super) const fn restart(&mut self, now: Instant) {
        let (una, anew) = (self.una, Self::new(self.signs));
        *self = Self { started: true, round_start: now, last_ack: now, una, end: None, ..anew };
    }

    /// Every ACK that advances counts towards the end of the round.
    pub(super) fn note_advance(&mut self, ack: &AckSample) {
        let out = self.una + ack.outstanding.get();
        self.end.get_or_insert(out);
        self.una += ack.advance.get();
    }

    /// Takes an ACK in slow start; whether that is to end. `cwnd` is in segments, `bytes` what it holds; `base` is the
    /// least round trip known.
    pub(super) fn ends_slow_start(
        &mut self,
        ack: &AckSample,
        (cwnd, bytes): (f64, f64),
        base: Duration,
    ) -> bool {
        let Some(rtt) = ack.rtt.filter(|_| !self.found) else { return false };
        let over = self.end.is_some_and(|end| self.una > end);
        if over || !self.started {
            self.begin_round(ack);
        }
        if cwnd < LOW_WINDOW {
            return false;
        }
        self.found = self.sees_train(ack, bytes, base) | self.sees_delay(rtt, base);
        self.found
    }

    fn begin_round(&mut self, ack: &AckSample) {
        (self.started, self.round_start, self.last_ack) = (true, ack.now, ack.now);
        self.end = Some(self.una + ack.outstanding.get().saturating_sub(ack.advance.get()));
        (self.least, self.samples) = (Duration::MAX, 0);
    }

    fn sees_train(&mut self, ack: &AckSample, bytes: f64, base: Duration) -> bool {
        if ack.now.saturating_since(self.last_ack) > ACK_DELTA {
            return false;
        }
        self.last_ack = ack.now;
        if self.signs == Signs::Ns3 {
            return ack.now.saturating_since(self.round_start) > base;
        }
        // Linux paces by two windows a round trip in slow start, or would.
        let seconds = ack.smoothed_rtt.as_secs_f64() * BURSTS / (2.0 * bytes).max(1.0);
        let burst = Duration::from_secs(1).mul_f64(seconds.min(1.0)).min(LONGEST_BURST);
        ack.now.saturating_since(self.round_start) > (base + burst) / 2
    }

    fn sees_delay(&mut self, rtt: Duration, base: Duration) -> bool {
        let samples = self.samples < SAMPLES;
        if samples || self.signs == Signs::Linux {
            self.least = self.least.min(rtt);
        }
        if samples {
            self.samples += 1;
            return false;
        }
        let rise = match self.signs {
            Signs::Linux => (base / 8).clamp(LEAST_RISE, LARGEST_RISE),
            Signs::Ns3 => base.clamp(LEAST_RISE, LARGEST_RISE_NS3),
        };
        self.least > base + rise
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Bytes;

    const MSS: u64 = 1000;

    /// A round of `n` ACKs of a segment each, `gap_us` apart, from `at_ms`; the number of the one that ends slow start.
    fn round(h: &mut Hystart, n: u64, gap_us: u64, at_ms: u64, rtt_ms: u64) -> Option<u64> {
        (0..n).find(|i| {
            let ack = AckSample {
                advance: Bytes(MSS),
                outstanding: Bytes(n * MSS),
                rtt: Some(Duration::from_millis(rtt_ms)),
                smoothed_rtt: Duration::from_millis(50),
                ..AckSample::at(Instant::from_millis(at_ms) + Duration::from_micros(i * gap_us))
            };
            let window = (n as f64, (n * MSS) as f64);
            h.note_advance(&ack);
            h.ends_slow_start(&ack, window, Duration::from_millis(50))
        })
    }

    #[test]
    fn a_train_as_long_as_half_a_round_trip_ends_slow_start() {
        // (50 + 1) / 2 ms of ACKs 1 ms apart: the first beyond is that at 26 ms.
        assert_eq!(round(&mut Hystart::new(Signs::Linux), 40, 1000, 100, 50), Some(26));
        // 3 ms apart they are no train, and shorter ones say nothing.
        assert_eq!(round(&mut Hystart::new(Signs::Linux), 40, 3000, 100, 50), None);
        assert_eq!(round(&mut Hystart::new(Signs::Linux), 20, 1000, 100, 50), None);
    }

    #[test]
    fn round_trips_that_rise_by_an_eighth_end_slow_start_at_the_ninth() {
        // 50 + 6.25 ms.
        assert_eq!(round(&mut Hystart::new(Signs::Linux), 20, 3000, 100, 57), Some(8));
        assert_eq!(round(&mut Hystart::new(Signs::Linux), 20, 3000, 100, 56), None);
    }

    #[test]
    fn signs_of_ns3_come_later() {
        let ns3 = || Hystart::new(Signs::Ns3);
        // 50 ms of ACKs 1 ms apart: the first beyond is that at 51 ms.
        assert_eq!(round(&mut ns3(), 80, 1000, 100, 50), Some(51));
        // 50 and 50 ms.
        assert_eq!(round(&mut ns3(), 20, 3000, 100, 101), Some(8));
        assert_eq!(round(&mut ns3(), 20, 3000, 100, 100), None);
    }

    #[test]
    fn after_a_timeout_the_first_round_ends_with_what_was_out() {
        // The train began with the timeout, long before the first ACK; 30 of 30 segments are the round.
        assert_eq!(round(&mut Hystart::new(Signs::Linux), 30, 1000, 100, 50), Some(26));
        let mut h = Hystart::new(Signs::Linux);
        h.restart(Instant::from_millis(20));
        assert_eq!(round(&mut h, 30, 1000, 100, 50), None);
        assert_eq!(round(&mut h, 30, 1000, 200, 50), Some(26));
    }

    #[test]
    fn below_sixteen_segments_it_sees_nothing() {
        assert_eq!(round(&mut Hystart::new(Signs::Linux), 15, 3000, 100, 90), None);
    }

    #[test]
    fn each_round_looks_afresh_and_it_ends_slow_start_once() {
        let mut h = Hystart::new(Signs::Linux);
        assert_eq!(round(&mut h, 18, 3000, 100, 50), None);
        assert_eq!(round(&mut h, 18, 3000, 200, 90), Some(8));
        assert_eq!(round(&mut h, 18, 3000, 300, 90), None);
    }
}

//! HyStart++ (RFC 9406): leave slow start when round trips grow, before the queue overflows.
//!
//! Rising round trips begin a conservative slow start (growth divided by four) for five rounds, in which falling
//! ones call the exit off. A round ends when what was in flight at its start is acknowledged.

use super::AckSample;
use tailrace_core::Duration;

const MIN_THRESH: Duration = Duration::from_millis(4);
const MAX_THRESH: Duration = Duration::from_millis(16);
const SAMPLES: u8 = 8;
const CSS_ROUNDS: u8 = 5;
/// Divisor of growth in conservative slow start.
const CSS_DIVISOR: f64 = 4.0;

#[derive(Clone, Debug)]
pub(super) struct HyStart {
    /// Bytes of the round not acknowledged yet.
    left: u64,
    last_min: Duration,
    current_min: Duration,
    samples: u8,
    /// In conservative slow start: its rounds so far and the round trip it began with.
    conservative: Option<(u8, Duration)>,
}

/// Advice to slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Advice {
    /// Grow by the usual amount divided by this.
    Grow(f64),
    /// Go over to congestion avoidance.
    Exit,
}

impl HyStart {
    pub(super) const fn new() -> Self {
        Self { left: 0, last_min: Duration::MAX, current_min: Duration::MAX, samples: 0, conservative: None }
    }

    /// Takes an ACK in the first slow start.
    pub(super) fn on_ack(&mut self, ack: &AckSample) -> Advice {
        if ack.acked.get() >= self.left {
            self.left = ack.in_flight.get().max(1);
            (self.last_min, self.current_min, self.samples) = (self.current_min, Duration::MAX, 0);
            if let Some((rounds, _)) = &mut self.conservative {
                *rounds += 1;
                if *rounds >= CSS_ROUNDS {
                    return Advice::Exit;
                }
            }
        } else {
            self.left -= ack.acked.get();
        }
        if let Some(rtt) = ack.rtt {
            self.current_min = self.current_min.min(rtt);
            self.samples = self.samples.saturating_add(1);
        }
        if self.samples >= SAMPLES {
            self.judge();
        }
        Advice::Grow(if self.conservative.is_some() { CSS_DIVISOR } else { 1.0 })
    }

    fn judge(&mut self) {
        match self.conservative {
            Some((_, baseline)) if self.current_min < baseline => self.conservative = None,
            None if self.last_min != Duration::MAX => {
                let thresh = (self.last_min / 8).clamp(MIN_THRESH, MAX_THRESH);
                if self.current_min >= self.last_min + thresh {
                    self.conservative = Some((0, self.current_min));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::{Bytes, Instant};

    /// Runs a round of ten segments with this round trip; returns the last advice.
    fn round(h: &mut HyStart, rtt_ms: u64) -> Advice {
        let ack = AckSample {
            acked: Bytes(1_000),
            in_flight: Bytes(10_000),
            rtt: Some(Duration::from_millis(rtt_ms)),
            ..AckSample::at(Instant::ZERO)
        };
        (0..10).map(|_| h.on_ack(&ack)).last().unwrap()
    }

    #[test]
    fn rising_round_trips_end_slow_start_after_five_conservative_rounds() {
        // RFC 9406 §4.2: a rise is an eighth of the last round's, here 12.5, 14 and 15.6 ms, at most 16: the first is
        // from 139 to 155 ms.
        let mut h = HyStart::new();
        let rounds = [100, 100, 112, 125, 139].map(|ms| round(&mut h, ms));
        assert_eq!(rounds, [1.0; 5].map(Advice::Grow));
        assert_eq!(round(&mut h, 155), Advice::Grow(4.0));
        let rest = [155; 4].map(|ms| round(&mut h, ms));
        assert_eq!(rest, [4.0; 4].map(Advice::Grow));
        let mut last = h.clone();
        assert!((0..11).any(|_| last.on_ack(&AckSample {
            acked: Bytes(1_000),
            in_flight: Bytes(10_000),
            ..AckSample::at(Instant::ZERO)
        }) == Advice::Exit));
    }

    #[test]
    fn falling_round_trips_call_the_exit_off() {
        let mut h = HyStart::new();
        round(&mut h, 20);
        assert_eq!(round(&mut h, 24), Advice::Grow(4.0));
        assert_eq!(round(&mut h, 23), Advice::Grow(1.0));
    }
}

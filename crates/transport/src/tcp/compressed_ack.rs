//! ACKs that are put together while segments wait for one that is missing: what they would SACK one by one, one tells a little later
//! (Linux `__tcp_ack_snd_check`, `tcp_comp_sack_delay_ns`).
//!
//! The first three leave at once, so that losses are found as early as ever, and so does what ends the wait. Departure: segments that
//! came before are acknowledged at once wherever they lie.

use super::Tcp;
use tailrace_core::{Duration, Instant};

/// ACKs that tell of a gap at once (`TCP_FASTRETRANS_THRESH`).
const AT_ONCE: u8 = 3;
/// Most that are put together (`tcp_comp_sack_nr`).
const MOST: u8 = 44;
/// So much later than asked for the timer expires (`tcp_comp_sack_slack_ns`).
const SLACK: Duration = Duration::from_micros(100);

/// ACKs of the present gap.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Compression {
    /// What was expected next when they were counted.
    nxt: u64,
    /// How many left at once.
    sent: u8,
}

impl Compression {
    /// Another one, where `nxt` is expected: whether it leaves at once.
    fn lets_go(&mut self, nxt: u64) -> bool {
        if self.nxt != nxt {
            *self = Self { nxt, sent: 0 };
        }
        let early = self.sent < AT_ONCE;
        self.sent += u8::from(early);
        early
    }
}

impl Tcp {
    /// A segment came that waits for one that is missing.
    pub(super) fn owe_ack_of_gap(&mut self, now: Instant) {
        let wait = self.compression_delay();
        let nxt = self.rcv.nxt();
        let Some(repair) = self.repair.as_mut().filter(|_| self.options.sack && !wait.is_zero()) else {
            return self.acks.on_disorder();
        };
        if self.acks.spend_quick() || repair.compression.lets_go(nxt) || self.acks.held() >= MOST {
            self.acks.on_disorder();
        } else {
            self.acks.hold_until(now.saturating_add(wait + SLACK));
        }
    }

    /// A twentieth of the round trip at most.
    fn compression_delay(&self) -> Duration {
        let (most, sent) = (self.config.ack_compression, self.rtt.smoothed);
        let seen = self.round_trip_seen().filter(|seen| *seen < sent || sent.is_zero()).unwrap_or(sent);
        most.min(seen / 20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_tell_of_each_gap_at_once() {
        let mut compression = Compression::default();
        let told: Vec<bool> =
            [7, 7, 7, 7, 7, 9, 9, 9, 9].iter().map(|nxt| compression.lets_go(*nxt)).collect();
        assert_eq!(told, [true, true, true, false, false, true, true, true, false]);
    }
}

//! ACKs that are put together while segments wait for one that is missing: what they would SACK one by one, one tells a little later
//! (Linux `__tcp_ack_snd_check`, `tcp_comp_sack_delay_ns`).
//!
//! The first three leave at once, so that losses are found as early as ever, and so does what ends the wait. The timer of delayed ACKs ends
//! it, too: it is never stopped, and may still run since before the gap (`tcp_delack_timer_handler`). What has waited has the timestamp of
//! the last arrival, as `tcp_compressed_ack_kick` does not look at the clock. Departure: segments that came before are acknowledged at once
//! wherever they lie.

use crate::segment::Segment;
use crate::tcp::Tcp;
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
    /// When the timer of delayed ACKs expires, or has.
    timer: Instant,
    /// When the last segment came that waits.
    came: Instant,
    /// What has waited is due.
    waited: bool,
    /// The ACK that leaves before others.
    first: Option<Segment>,
}

impl Compression {
    /// Another one, where `nxt` is expected: whether it leaves at once.
    fn lets_go(&mut self, nxt: u64) -> bool {
        if self.nxt != nxt {
            (self.nxt, self.sent) = (nxt, 0);
        }
        let early = self.sent < AT_ONCE;
        self.sent += u8::from(early);
        early
    }

    /// The timer of delayed ACKs is set anew.
    pub(in crate::tcp) const fn note_timer(&mut self, at: Instant) {
        self.timer = at;
    }

    /// What waits is due at `at`, unless by the timer of delayed ACKs.
    pub(in crate::tcp) fn on_deadline(&mut self, at: Instant) {
        self.waited = at != self.timer;
    }

    /// The time that an ACK shows, which leaves at `now`.
    pub(in crate::tcp) fn time_shown(&mut self, now: Instant) -> Instant {
        if core::mem::take(&mut self.waited) { self.came } else { now }
    }

    /// When one leaves that may wait for so long.
    fn leaves_at(&mut self, now: Instant, wait: Duration) -> Instant {
        self.came = now;
        let at = now.saturating_add(wait + SLACK);
        if self.timer > now { at.min(self.timer) } else { at }
    }
}

impl Tcp {
    /// What waits is told now, and leaves before all that is told of what comes next.
    pub(in crate::tcp) fn acknowledge_first(&mut self, now: Instant) {
        let ack = self.pure_ack(now);
        self.acks.demand_first(ack.ack);
        if let Some(repair) = &mut self.repair {
            repair.compression.first = Some(ack);
        }
    }

    /// The ACK of [`Self::acknowledge_first`], if there is one.
    pub(in crate::tcp) fn take_first_ack(&mut self) -> Option<Segment> {
        self.repair.as_mut()?.compression.first.take()
    }

    /// A segment came that waits for one that is missing.
    pub(in crate::tcp) fn owe_ack_of_gap(&mut self, now: Instant) {
        let wait = self.compression_delay();
        let nxt = self.rcv.nxt();
        let Some(repair) = self.repair.as_mut().filter(|_| self.options.sack && !wait.is_zero()) else {
            return self.acks.on_disorder();
        };
        if repair.compression.first.is_some() {
            return; // With that ACK none is owed any more (`inet_csk_ack_scheduled`).
        }
        if self.acks.is_quick() || repair.compression.lets_go(nxt) || self.acks.held() >= MOST {
            self.acks.on_disorder();
        } else {
            let at = repair.compression.leaves_at(now, wait);
            self.acks.hold_until(at);
        }
    }

    /// An ACK that is about to leave, as a gap was filled, counts among those that tell of the one behind it at once.
    pub(crate) fn count_ack_of_gap(&mut self) {
        let counts = self.rcv.has_gap() && !self.acks.is_quick() && !self.has_one_more();
        let nxt = self.rcv.nxt();
        if let Some(repair) = self.repair.as_mut().filter(|_| counts) {
            repair.compression.lets_go(nxt);
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

    #[test]
    fn what_waits_leaves_with_the_timer_of_delayed_acks_where_that_runs() {
        let (mut compression, us) = (Compression::default(), |us: u64| Instant::from_nanos(us * 1000));
        let at = |c: &mut Compression| c.leaves_at(us(72_886), Duration::from_millis(1));
        assert_eq!(at(&mut compression), us(73_986));
        compression.on_deadline(us(73_986));
        assert_eq!(compression.time_shown(us(73_986)), us(72_886), "that of the arrival");
        assert_eq!(compression.time_shown(us(73_990)), us(73_990));
        compression.note_timer(us(73_000));
        assert_eq!(at(&mut compression), us(73_000));
        compression.on_deadline(us(73_000));
        assert_eq!(compression.time_shown(us(73_000)), us(73_000));
        compression.note_timer(us(72_886));
        assert_eq!(at(&mut compression), us(73_986), "it has expired");
        compression.note_timer(us(80_000));
        assert_eq!(at(&mut compression), us(73_986));
    }
}

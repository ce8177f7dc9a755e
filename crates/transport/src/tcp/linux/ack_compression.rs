//! ACKs that are put together while segments wait for one that is missing: what they would SACK one by one, one tells a little later
//! (Linux `__tcp_ack_snd_check`, `tcp_comp_sack_delay_ns`).
//!
//! The first three leave at once, so that losses are found as early as ever, and so does what ends the wait. The timer of delayed ACKs ends
//! it, too: it is never stopped, and may still run since before the gap (`tcp_delack_timer_handler`). What has waited has the timestamp of
//! the last arrival, as `tcp_compressed_ack_kick` does not look at the clock. Departure: segments that came before are acknowledged at once
//! wherever they lie.

use crate::segment::Segment;
use tailrace_core::{Duration, Instant};

/// ACKs that tell of a gap at once (`TCP_FASTRETRANS_THRESH`).
const AT_ONCE: u8 = 3;
/// Most that are put together (`tcp_comp_sack_nr`).
pub(super) const MOST: u8 = 44;
/// So much later than asked for the timer expires (`tcp_comp_sack_slack_ns`).
const SLACK: Duration = Duration::from_micros(100);

/// ACKs of the present gap.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckCompression {
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

impl AckCompression {
    /// Another one, where `nxt` is expected: whether it leaves at once.
    pub(super) fn leaves_at_once(&mut self, nxt: u64) -> bool {
        if self.nxt != nxt {
            (self.nxt, self.sent) = (nxt, 0);
        }
        let early = self.sent < AT_ONCE;
        self.sent += u8::from(early);
        early
    }

    /// The timer of delayed ACKs is set anew.
    pub(super) const fn note_timer(&mut self, at: Instant) {
        self.timer = at;
    }

    /// What waits is due at `at`, unless by the timer of delayed ACKs.
    pub(super) fn on_deadline(&mut self, at: Instant) {
        self.waited = at != self.timer;
    }

    /// The time that an ACK shows, which leaves at `now`.
    pub(super) fn timestamp_of_ack(&mut self, now: Instant) -> Instant {
        if core::mem::take(&mut self.waited) { self.came } else { now }
    }

    /// When one leaves that may wait for so long.
    pub(super) fn leaves_at(&mut self, now: Instant, wait: Duration) -> Instant {
        self.came = now;
        let at = now.saturating_add(wait + SLACK);
        if self.timer > now { at.min(self.timer) } else { at }
    }

    /// Keeps a complete ACK that is to leave before others.
    pub(super) fn queue_first(&mut self, ack: Segment) {
        self.first = Some(ack);
    }

    pub(super) fn take_first(&mut self) -> Option<Segment> {
        self.first.take()
    }

    pub(super) const fn has_first(&self) -> bool {
        self.first.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_tell_of_each_gap_at_once() {
        let mut compression = AckCompression::default();
        let told: Vec<bool> =
            [7, 7, 7, 7, 7, 9, 9, 9, 9].iter().map(|nxt| compression.leaves_at_once(*nxt)).collect();
        assert_eq!(told, [true, true, true, false, false, true, true, true, false]);
    }

    #[test]
    fn what_waits_leaves_with_the_timer_of_delayed_acks_where_that_runs() {
        let (mut compression, us) = (AckCompression::default(), |us: u64| Instant::from_nanos(us * 1000));
        let at = |c: &mut AckCompression| c.leaves_at(us(72_886), Duration::from_millis(1));
        assert_eq!(at(&mut compression), us(73_986));
        compression.on_deadline(us(73_986));
        assert_eq!(compression.timestamp_of_ack(us(73_986)), us(72_886), "that of the arrival");
        assert_eq!(compression.timestamp_of_ack(us(73_990)), us(73_990));
        compression.note_timer(us(73_000));
        assert_eq!(at(&mut compression), us(73_000));
        compression.on_deadline(us(73_000));
        assert_eq!(compression.timestamp_of_ack(us(73_000)), us(73_000));
        compression.note_timer(us(72_886));
        assert_eq!(at(&mut compression), us(73_986), "it has expired");
        compression.note_timer(us(80_000));
        assert_eq!(at(&mut compression), us(73_986));
    }
}

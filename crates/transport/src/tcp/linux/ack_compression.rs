//! Compression of ACKs above a gap: ACKs that would SACK segments one by one are replaced by one a little later (Linux
//! `__tcp_ack_snd_check`, `tcp_comp_sack_delay_ns`).
//!
//! The first three leave at once, so that losses are found early, and so does the ACK that ends the gap. The timer of delayed
//! ACKs ends the wait, too: it is never stopped, and may still run since before the gap (`tcp_delack_timer_handler`). A
//! compressed ACK has the timestamp of the last arrival, as `tcp_compressed_ack_kick` does not read the clock. Departure:
//! duplicate segments are acknowledged at once wherever they lie.

use crate::segment::Segment;
use tailrace_core::{Duration, Instant};

/// ACKs of a gap that leave at once (`TCP_FASTRETRANS_THRESH`).
const AT_ONCE: u8 = 3;
/// Most ACKs that are compressed into one (`tcp_comp_sack_nr`).
pub(super) const MOST: u8 = 44;
/// Slack by which the timer expires late (`tcp_comp_sack_slack_ns`).
const SLACK: Duration = Duration::from_micros(100);

/// ACKs of the present gap.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckCompression {
    /// Next expected byte when they were counted.
    nxt: u64,
    /// ACKs that left at once.
    sent: u8,
    /// Expiry of the timer of delayed ACKs.
    timer: Instant,
    /// Arrival of the last compressed segment.
    came: Instant,
    /// A compressed ACK is due.
    waited: bool,
    /// ACK that leaves before others.
    first: Option<Segment>,
}

impl AckCompression {
    /// Counts an ACK of the gap at `nxt`. Whether it leaves at once.
    pub(super) fn leaves_at_once(&mut self, nxt: u64) -> bool {
        if self.nxt != nxt {
            (self.nxt, self.sent) = (nxt, 0);
        }
        let early = self.sent < AT_ONCE;
        self.sent += u8::from(early);
        early
    }

    /// Records the expiry of the timer of delayed ACKs.
    pub(super) const fn note_timer(&mut self, at: Instant) {
        self.timer = at;
    }

    /// A delayed or compressed ACK is due at `at`; it is compressed unless that is the expiry of delayed ACKs.
    pub(super) fn on_deadline(&mut self, at: Instant) {
        self.waited = at != self.timer;
    }

    /// Timestamp of an ACK that leaves at `now`.
    pub(super) fn timestamp_of_ack(&mut self, now: Instant) -> Instant {
        if core::mem::take(&mut self.waited) { self.came } else { now }
    }

    /// Expiry of an ACK compressed at `now` for `wait`.
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
    fn compressed_acks_leave_with_a_running_delayed_ack_timer() {
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

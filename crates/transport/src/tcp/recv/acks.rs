//! Acknowledgments owed to the peer: at once, with every so many segments, or after a while (RFC 5681 §4.2).

use crate::segment::SeqNumber;
use tailrace_core::Instant;

/// What becomes of the ACK for a segment that came in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum Owed {
    /// It is due, or waits with that of an earlier segment.
    Settled,
    /// It waits: [`Acks::wait_until`] says for how long.
    Waits,
}

/// What is owed. Whatever goes out acknowledges all that has come: with it nothing is due and nothing waits.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Acks {
    /// What the last ACK acknowledged (Last.ACK.sent of RFC 7323 §4.3).
    last_sent: u64,
    /// When one goes out that waits for another segment; `MAX` where none waits.
    deadline: Instant,
    /// One up to here goes out before all others.
    first: Option<SeqNumber>,
    /// So many segments more are acknowledged at once (Linux `icsk_ack.quick`).
    quick: u16,
    /// The window that can be told grows with the segment that is being dealt with.
    grows: bool,
    /// Segments with data that have come since the last ACK.
    segments: u8,
    /// Whether the peer pushed any of them (1), or a small one after that (2) (Linux `ICSK_ACK_PUSHED`, `ICSK_ACK_PUSHED2`).
    pushed: u8,
    /// Segments that wait for one that is missing, of which the one that waits tells (`ack_compression`).
    held: u8,
    /// One goes out with the next poll.
    due: bool,
}

impl Acks {
    /// The first `quick` segments are acknowledged at once.
    pub(in crate::tcp) const fn new(quick: u16) -> Self {
        Self {
            last_sent: 0,
            deadline: Instant::MAX,
            first: None,
            quick,
            grows: false,
            segments: 0,
            pushed: 0,
            held: 0,
            due: false,
        }
    }

    /// The peer's SYN was taken: `nxt` is expected.
    pub(in crate::tcp) fn start(&mut self, nxt: u64) {
        self.last_sent = nxt;
    }

    /// What the last ACK acknowledged.
    #[inline(always)]
    pub(in crate::tcp) const fn last_sent(&self) -> u64 {
        self.last_sent
    }

    /// When one goes out that waits; `MAX` where none does.
    #[inline(always)]
    pub(in crate::tcp) const fn deadline(&self) -> Instant {
        self.deadline
    }

    #[inline(always)]
    pub(in crate::tcp) const fn is_due(&self) -> bool {
        self.due
    }

    /// Whether segments have come since the last one.
    #[inline]
    pub(in crate::tcp) const fn has_unacknowledged(&self) -> bool {
        self.segments > 0
    }

    /// Segments that have come since the last one.
    pub(in crate::tcp) const fn segments_waiting(&self) -> u8 {
        self.segments
    }

    /// One goes out with the next poll.
    #[inline(always)]
    pub(in crate::tcp) fn demand(&mut self) {
        self.due = true;
    }

    /// The one that was to go out with the next poll is not due yet.
    pub(in crate::tcp) const fn withdraw(&mut self) {
        self.due = false;
    }

    /// A full segment came that the peer has pushed.
    pub(in crate::tcp) fn on_push(&mut self) {
        self.pushed = self.pushed.max(1);
    }

    /// One came that is not full.
    pub(in crate::tcp) fn on_small(&mut self) {
        self.pushed = (self.pushed + 1).min(2);
    }

    /// Whether any was pushed since the last ACK.
    pub(in crate::tcp) const fn is_pushed(&self) -> bool {
        self.pushed > 0
    }

    /// Everything has been read: what was pushed is acknowledged at once, by an end that `replies` to what it reads only once
    /// more than one small segment has come.
    pub(in crate::tcp) fn on_all_read(&mut self, replies: bool) {
        self.due |= self.segments > 0 && self.pushed > u8::from(replies);
    }

    /// At least the next `segments` are acknowledged at once (Linux `tcp_enter_quickack_mode`).
    pub(in crate::tcp) fn begin_quick_acks(&mut self, segments: u16) {
        self.quick = self.quick.max(segments);
    }

    /// The window that can be told has grown (Linux `tcp_grow_window`).
    pub(in crate::tcp) fn on_window_grown(&mut self) {
        self.quick |= 1;
    }

    /// The same, but by a segment that is still to be dealt with: a pause before it counts first ([`Self::begin_quick_acks`]).
    pub(in crate::tcp) const fn window_will_grow(&mut self) {
        self.grows = true;
    }

    /// The pause before a segment has counted.
    #[inline(always)]
    pub(in crate::tcp) fn settle_growth(&mut self) {
        self.quick |= u16::from(core::mem::take(&mut self.grows));
    }

    /// A segment came in order: it is acknowledged at once where that was ordered, or as the `every`-th; else it waits.
    #[inline(always)]
    pub(in crate::tcp) fn on_in_order(&mut self, every: u8) -> Owed {
        self.segments = self.segments.saturating_add(1);
        if self.quick > 0 || self.segments >= every {
            self.due = true;
        } else if self.deadline == Instant::MAX {
            return Owed::Waits;
        }
        Owed::Settled
    }

    /// None is ordered to leave at once any more.
    pub(in crate::tcp) const fn forget_quick(&mut self) {
        self.quick = 0;
    }

    /// Whether ACKs are ordered to leave at once.
    pub(in crate::tcp) const fn is_quick(&self) -> bool {
        self.quick > 0
    }

    /// So many more are ordered to leave at once.
    #[cfg(test)]
    pub(in crate::tcp) const fn quick_left(&self) -> u16 {
        self.quick
    }

    /// Segments of which the one that waits tells, though one before them is missing.
    pub(in crate::tcp) const fn held(&self) -> u8 {
        self.held
    }

    /// One came that waits for another: an ACK tells of it at `at`, if none goes out before.
    pub(in crate::tcp) fn hold_until(&mut self, at: Instant) {
        self.segments = self.segments.saturating_add(1);
        if self.held == 0 {
            self.deadline = self.deadline.min(at);
        }
        self.held = self.held.saturating_add(1);
    }

    /// One came that opens or fills a gap, or came before: it is acknowledged at once.
    pub(in crate::tcp) fn on_disorder(&mut self) {
        self.segments = self.segments.saturating_add(1);
        self.due = true;
    }

    /// The one that waits goes out at `at`.
    #[inline]
    pub(in crate::tcp) fn wait_until(&mut self, at: Instant) {
        self.deadline = at;
    }

    /// The one that is due waits as long as those before it, unless that is over by `soon`. Whether it waits.
    pub(in crate::tcp) fn put_off(&mut self, soon: Instant) -> bool {
        let waits = self.due && soon < self.deadline && self.deadline != Instant::MAX;
        self.due &= !waits;
        waits
    }

    /// No segment came until the deadline: the one that waits is due.
    pub(in crate::tcp) fn on_deadline(&mut self) {
        self.deadline = Instant::MAX;
        self.due = true;
    }

    /// One goes out that acknowledges all up to `nxt`. Whether it is the last of those that were ordered to leave at once: each counts that
    /// tells of data, whatever else it was due for (`tcp_dec_quickack_mode`).
    #[inline(always)]
    pub(in crate::tcp) fn on_sent(&mut self, nxt: u64) -> bool {
        let spent = u16::from(self.quick > 0 && self.segments > 0);
        self.quick -= spent;
        (self.due, self.segments, self.pushed, self.held) = (false, 0, 0, 0);
        (self.deadline, self.last_sent) = (Instant::MAX, nxt);
        spent == 1 && self.quick == 0
    }

    /// What went out acknowledged no more than up to `point` (`misbehaviour`).
    pub(in crate::tcp) fn on_sent_short(&mut self, point: u64) {
        self.last_sent = point;
    }

    /// One up to `up_to` is to go out before that which tells what has come since.
    pub(in crate::tcp) fn demand_first(&mut self, up_to: SeqNumber) {
        self.first = Some(up_to);
    }

    /// The one that goes out before others, if any.
    #[inline(always)]
    pub(in crate::tcp) fn take_first(&mut self) -> Option<SeqNumber> {
        self.first.take()
    }

    /// The connection is over: none is owed.
    pub(in crate::tcp) fn stop(&mut self) {
        (self.due, self.deadline, self.first) = (false, Instant::MAX, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: fn(u64) -> Instant = Instant::from_millis;

    #[test]
    fn every_second_segment_is_acknowledged_at_once_and_the_first_waits() {
        let mut acks = Acks::new(0);
        assert_eq!((acks.on_in_order(2), acks.is_due()), (Owed::Waits, false));
        acks.wait_until(AT(40));
        assert_eq!((acks.on_in_order(2), acks.is_due()), (Owed::Settled, true));
        acks.on_sent(3000);
        assert_eq!((acks.is_due(), acks.deadline(), acks.last_sent()), (false, Instant::MAX, 3000));
        assert_eq!(acks.on_in_order(2), Owed::Waits, "the count begins anew");
    }

    #[test]
    fn one_deadline_is_for_all_that_wait() {
        let mut acks = Acks::new(0);
        assert_eq!(acks.on_in_order(4), Owed::Waits);
        acks.wait_until(AT(40));
        assert_eq!((acks.on_in_order(4), acks.deadline()), (Owed::Settled, AT(40)));
        acks.on_deadline();
        assert!(acks.is_due() && acks.deadline() == Instant::MAX);
    }

    #[test]
    fn quick_acks_come_first_and_the_last_of_them_is_told() {
        let mut acks = Acks::new(1);
        acks.begin_quick_acks(2);
        acks.begin_quick_acks(1);
        assert_eq!((acks.on_in_order(2), acks.is_due()), (Owed::Settled, true));
        assert!(
            !acks.on_sent(1000) && !acks.on_sent(1000),
            "there is one more, and an ACK of nothing does not count"
        );
        acks.on_disorder();
        assert!(acks.on_sent(2000), "due in any case, but it counts");
        assert_eq!(acks.on_in_order(2), Owed::Waits);
        acks.on_window_grown();
        assert_eq!(acks.on_in_order(9), Owed::Settled);
        assert!(acks.is_due() && acks.on_sent(3000));
    }

    #[test]
    fn what_was_pushed_is_acknowledged_once_all_is_read() {
        let mut acks = Acks::new(0);
        acks.on_in_order(2);
        acks.on_all_read(false);
        assert!(!acks.is_due(), "nothing was pushed");
        acks.on_push();
        acks.on_push();
        acks.on_all_read(true);
        assert!(!acks.is_due(), "the reply will acknowledge it");
        acks.on_all_read(false);
        assert!(acks.is_due());
        acks.on_sent(1000);
        acks.on_in_order(2);
        acks.on_all_read(false);
        assert!(!acks.is_due() && !acks.is_pushed(), "that was before");
        acks.on_small();
        acks.on_all_read(true);
        assert!(!acks.is_due());
        acks.on_small();
        acks.on_all_read(true);
        assert!(acks.is_due(), "the second small one is not waited for");
    }

    #[test]
    fn what_is_held_leaves_with_the_first_that_was_held() {
        let mut acks = Acks::new(1);
        assert!(acks.is_quick());
        acks.hold_until(AT(5));
        acks.hold_until(AT(6));
        assert_eq!((acks.held(), acks.deadline(), acks.is_due()), (2, AT(5), false));
        acks.on_sent(1000);
        assert_eq!((acks.held(), acks.deadline()), (0, Instant::MAX));
        acks.wait_until(AT(7));
        acks.hold_until(AT(8));
        assert_eq!(acks.deadline(), AT(7), "a delayed ACK tells of it, too");
    }

    #[test]
    fn disorder_is_acknowledged_at_once_and_nothing_when_all_is_over() {
        let mut acks = Acks::new(0);
        acks.on_disorder();
        assert!(acks.is_due() && acks.has_unacknowledged());
        acks.demand_first(SeqNumber(7));
        acks.stop();
        assert_eq!((acks.is_due(), acks.take_first()), (false, None));
    }
}

//! Acknowledgments owed to the peer: at once, with every so many segments, or after a while (RFC 5681 §4.2).

use crate::segment::SeqNumber;
use tailrace_core::Instant;

/// Fate of the ACK for a segment that came in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum AckFate {
    /// It is due, or waits with the ACK of an earlier segment.
    Settled,
    /// It waits: [`OwedAcks::wait_until`] says for how long.
    Waits,
}

/// ACKs that are owed. Any segment sent acknowledges everything received: then none is due and none waits.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct OwedAcks {
    /// Acknowledgment number of the last ACK (Last.ACK.sent of RFC 7323 §4.3).
    last_sent: u64,
    /// Deadline of a delayed ACK; `MAX`: none is delayed.
    deadline: Instant,
    /// Acknowledgment number of an ACK that leaves before all others.
    first: Option<SeqNumber>,
    /// Segments still to be acknowledged at once (Linux `icsk_ack.quick`).
    quick: u16,
    /// The segment that is being processed has grown the window.
    grows: bool,
    /// Segments with data received since the last ACK.
    segments: u8,
    /// Whether the peer pushed any of them (1), or a small one after that (2) (Linux `ICSK_ACK_PUSHED`, `ICSK_ACK_PUSHED2`).
    pushed: u8,
    /// Segments above a gap whose ACK is compressed (`ack_compression`).
    held: u8,
    /// An ACK leaves with the next poll.
    due: bool,
}

impl OwedAcks {
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

    /// Acknowledgment number of the last ACK.
    #[inline(always)]
    pub(in crate::tcp) const fn last_sent(&self) -> u64 {
        self.last_sent
    }

    /// Deadline of a delayed ACK; `MAX`: none is delayed.
    #[inline(always)]
    pub(in crate::tcp) const fn deadline(&self) -> Instant {
        self.deadline
    }

    #[inline(always)]
    pub(in crate::tcp) const fn is_due(&self) -> bool {
        self.due
    }

    /// Whether segments have come since the last ACK.
    #[inline]
    pub(in crate::tcp) const fn has_unacknowledged(&self) -> bool {
        self.segments > 0
    }

    /// Segments received since the last ACK.
    pub(in crate::tcp) const fn segments_waiting(&self) -> u8 {
        self.segments
    }

    /// Sends an ACK with the next poll.
    #[inline(always)]
    pub(in crate::tcp) fn demand(&mut self) {
        self.due = true;
    }

    /// Withdraws the ACK that was due with the next poll.
    pub(in crate::tcp) const fn withdraw(&mut self) {
        self.due = false;
    }

    /// A full segment came with PSH.
    pub(in crate::tcp) fn on_push(&mut self) {
        self.pushed = self.pushed.max(1);
    }

    /// A segment came that is not full.
    pub(in crate::tcp) fn on_small(&mut self) {
        self.pushed = (self.pushed + 1).min(2);
    }

    /// Whether pushed or small segments have come since the last ACK.
    pub(in crate::tcp) const fn is_pushed(&self) -> bool {
        self.pushed > 0
    }

    /// The application has read everything: pushed data is acknowledged at once; an end in `pingpong` mode waits for a second
    /// small segment.
    pub(in crate::tcp) fn on_all_read(&mut self, replies: bool) {
        self.due |= self.segments > 0 && self.pushed > u8::from(replies);
    }

    /// At least the next `segments` are acknowledged at once (Linux `tcp_enter_quickack_mode`).
    pub(in crate::tcp) fn begin_quick_acks(&mut self, segments: u16) {
        self.quick = self.quick.max(segments);
    }

    /// The window has grown (Linux `tcp_grow_window`).
    pub(in crate::tcp) fn on_window_grown(&mut self) {
        self.quick |= 1;
    }

    /// The next segment will grow the window: a pause before it counts first ([`Self::begin_quick_acks`]).
    pub(in crate::tcp) const fn window_will_grow(&mut self) {
        self.grows = true;
    }

    /// Applies the growth noted by [`Self::window_will_grow`].
    #[inline(always)]
    pub(in crate::tcp) fn settle_growth(&mut self) {
        self.quick |= u16::from(core::mem::take(&mut self.grows));
    }

    /// A segment came in order: it is acknowledged at once where that was ordered, or as the `every`-th; else it waits.
    #[inline(always)]
    pub(in crate::tcp) fn on_in_order(&mut self, every: u8) -> AckFate {
        self.segments = self.segments.saturating_add(1);
        if self.quick > 0 || self.segments >= every {
            self.due = true;
        } else if self.deadline == Instant::MAX {
            return AckFate::Waits;
        }
        AckFate::Settled
    }

    /// Ends quick ACKs.
    pub(in crate::tcp) const fn forget_quick(&mut self) {
        self.quick = 0;
    }

    /// Whether segments are acknowledged at once.
    pub(in crate::tcp) const fn is_quick(&self) -> bool {
        self.quick > 0
    }

    /// Segments still to be acknowledged at once.
    #[cfg(test)]
    pub(in crate::tcp) const fn quick_left(&self) -> u16 {
        self.quick
    }

    /// Segments whose ACK is compressed.
    pub(in crate::tcp) const fn held(&self) -> u8 {
        self.held
    }

    /// A segment came above a gap whose ACK is compressed: it leaves at `at` at the latest.
    pub(in crate::tcp) fn hold_until(&mut self, at: Instant) {
        self.segments = self.segments.saturating_add(1);
        if self.held == 0 {
            self.deadline = self.deadline.min(at);
        }
        self.held = self.held.saturating_add(1);
    }

    /// A segment came that opens or fills a gap, or is a duplicate: it is acknowledged at once.
    pub(in crate::tcp) fn on_disorder(&mut self) {
        self.segments = self.segments.saturating_add(1);
        self.due = true;
    }

    /// Delays the ACK until `at`.
    #[inline]
    pub(in crate::tcp) fn wait_until(&mut self, at: Instant) {
        self.deadline = at;
    }

    /// Delays the ACK that is due until the deadline of those before it, unless that comes before `soon`. Whether it is
    /// delayed.
    pub(in crate::tcp) fn put_off(&mut self, soon: Instant) -> bool {
        let waits = self.due && soon < self.deadline && self.deadline != Instant::MAX;
        self.due &= !waits;
        waits
    }

    /// The deadline has passed: the delayed ACK is due.
    pub(in crate::tcp) fn on_deadline(&mut self) {
        self.deadline = Instant::MAX;
        self.due = true;
    }

    /// An ACK up to `nxt` leaves. Whether it is the last quick one: each ACK of data counts, whatever else it was due for
    /// (`tcp_dec_quickack_mode`).
    #[inline(always)]
    pub(in crate::tcp) fn on_sent(&mut self, nxt: u64) -> bool {
        let spent = u16::from(self.quick > 0 && self.segments > 0);
        self.quick -= spent;
        (self.due, self.segments, self.pushed, self.held) = (false, 0, 0, 0);
        (self.deadline, self.last_sent) = (Instant::MAX, nxt);
        spent == 1 && self.quick == 0
    }

    /// The ACK that left acknowledged no more than up to `point` (`misbehaviour`).
    pub(in crate::tcp) fn on_sent_short(&mut self, point: u64) {
        self.last_sent = point;
    }

    /// Sends an ACK up to `up_to` before the one for later segments.
    pub(in crate::tcp) fn demand_first(&mut self, up_to: SeqNumber) {
        self.first = Some(up_to);
    }

    /// Takes the ACK that leaves before others, if any.
    #[inline(always)]
    pub(in crate::tcp) fn take_first(&mut self) -> Option<SeqNumber> {
        self.first.take()
    }

    /// The connection is over: no ACK is owed.
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
        let mut acks = OwedAcks::new(0);
        assert_eq!((acks.on_in_order(2), acks.is_due()), (AckFate::Waits, false));
        acks.wait_until(AT(40));
        assert_eq!((acks.on_in_order(2), acks.is_due()), (AckFate::Settled, true));
        acks.on_sent(3000);
        assert_eq!((acks.is_due(), acks.deadline(), acks.last_sent()), (false, Instant::MAX, 3000));
        assert_eq!(acks.on_in_order(2), AckFate::Waits, "the count begins anew");
    }

    #[test]
    fn delayed_acks_share_a_deadline() {
        let mut acks = OwedAcks::new(0);
        assert_eq!(acks.on_in_order(4), AckFate::Waits);
        acks.wait_until(AT(40));
        assert_eq!((acks.on_in_order(4), acks.deadline()), (AckFate::Settled, AT(40)));
        acks.on_deadline();
        assert!(acks.is_due() && acks.deadline() == Instant::MAX);
    }

    #[test]
    fn quick_acks_come_first_and_the_last_of_them_is_told() {
        let mut acks = OwedAcks::new(1);
        acks.begin_quick_acks(2);
        acks.begin_quick_acks(1);
        assert_eq!((acks.on_in_order(2), acks.is_due()), (AckFate::Settled, true));
        assert!(
            !acks.on_sent(1000) && !acks.on_sent(1000),
            "there is one more, and an ACK of nothing does not count"
        );
        acks.on_disorder();
        assert!(acks.on_sent(2000), "due in any case, but it counts");
        assert_eq!(acks.on_in_order(2), AckFate::Waits);
        acks.on_window_grown();
        assert_eq!(acks.on_in_order(9), AckFate::Settled);
        assert!(acks.is_due() && acks.on_sent(3000));
    }

    #[test]
    fn pushed_data_is_acknowledged_once_all_is_read() {
        let mut acks = OwedAcks::new(0);
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
    fn compressed_acks_leave_at_the_deadline_of_the_first() {
        let mut acks = OwedAcks::new(1);
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
        let mut acks = OwedAcks::new(0);
        acks.on_disorder();
        assert!(acks.is_due() && acks.has_unacknowledged());
        acks.demand_first(SeqNumber(7));
        acks.stop();
        assert_eq!((acks.is_due(), acks.take_first()), (false, None));
    }
}

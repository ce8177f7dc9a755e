//! Lost segments: by SACKs above them, by their age, at a timeout; and their retransmission.

use super::{AMBIGUOUS, LOST, RETRANSMITTED, SACKED, Scoreboard};
use tailrace_core::{Duration, Instant};

impl Scoreboard {
    /// Marks as lost what has `dup_thresh` SACKed segments above it; returns whether anything was marked.
    pub(crate) fn mark_lost(&mut self, dup_thresh: u16) -> bool {
        if self.sacked == 0 {
            return false;
        }
        let mut i = self.index_of(self.high_sack - 1) + 1;
        let mut above = 0;
        while above < dup_thresh.max(1) {
            let Some(next) = i.checked_sub(1) else { return false };
            i = next;
            above += u16::from(self.records[i].has(SACKED));
        }
        let boundary = self.start_of(i);
        let from = self.index_of(self.lost_mark.max(self.una));
        let mut any = false;
        for j in from..i {
            any |= self.mark_one(j);
        }
        self.lost_mark = self.lost_mark.max(boundary);
        any
    }

    /// Marks segment `i` lost unless it is SACKed or marked already.
    fn mark_one(&mut self, i: usize) -> bool {
        let record = self.records[i];
        if record.has(SACKED | LOST) {
            return false;
        }
        let start = self.start_of(i);
        let len = record.end - start;
        self.flag(i, record.flags | LOST);
        self.marked = self.marked.wrapping_add(1);
        self.lost += len;
        self.count_lost(len);
        if !record.has(RETRANSMITTED) {
            self.lost_waiting += len;
            self.hint = self.hint.min(start);
        }
        true
    }

    /// Counts lost bytes, some of them perhaps not for the first time (Linux `tcp_notify_skb_loss_event`).
    fn count_lost(&mut self, len: u64) {
        if let Some(rates) = &mut self.rates {
            rates.lost += len;
        }
    }

    /// Marks the oldest segment lost (three duplicate ACKs, or a partial ACK).
    pub(crate) fn mark_head_lost(&mut self) {
        if !self.records.is_empty() {
            self.mark_one(0);
        }
    }

    /// A timeout: everything not SACKed is lost and to be sent again.
    pub(crate) fn mark_all_lost(&mut self) {
        self.flag_all(|record| match record.has(SACKED) {
            true => record.flags,
            false => record.flags & AMBIGUOUS | LOST,
        });
        let waiting = self.lost_waiting;
        self.lost = self.outstanding() - self.sacked;
        self.count_lost(self.lost - waiting);
        self.lost_waiting = self.lost;
        self.retransmitted = 0;
        self.hint = self.una;
        self.lost_mark = self.nxt;
    }

    /// Whether any segment in flight may have been sent before `newest` (time and end). What was sent once was sent in
    /// order, and what was sent again was sent later than that: the oldest segment tells.
    pub(crate) fn may_be_overtaken(&self, newest: (Instant, u64)) -> bool {
        self.records.front().is_some_and(|r| r.flags != 0 || (r.sent_at, r.end) < newest)
    }

    /// Marks lost what was sent before `newest` (time and end) and, `wait` later, is missing still at `now`; segments
    /// sent again are left out. Returns when the last one was sent whose time is still to come.
    pub(crate) fn mark_overdue(
        &mut self,
        newest: (Instant, u64),
        now: Instant,
        wait: Duration,
    ) -> Option<Instant> {
        let mut pending = None;
        let mut settled = true;
        let mut i = self.index_of(self.lost_mark.max(self.una));
        while let Some(&record) = self.records.get(i) {
            if !record.has(SACKED | LOST | RETRANSMITTED) {
                let earlier = (record.sent_at, record.end) < newest;
                // Segments sent once were sent in order.
                if !earlier && !record.has(AMBIGUOUS) {
                    break;
                }
                if earlier && record.sent_at.saturating_add(wait) <= now {
                    self.mark_one(i);
                } else {
                    settled = false;
                    pending = if earlier { pending.max(Some(record.sent_at)) } else { pending };
                }
            }
            if settled {
                self.lost_mark = record.end;
            }
            i += 1;
        }
        pending
    }

    /// Index of the segment that ends at `end`, if it was last sent at `at`, not for the first time, and is missing.
    fn resent(&self, end: u64, at: Instant) -> Option<usize> {
        let i = self.index_of(end - 1);
        let record = self.records.get(i)?;
        (record.end == end && record.sent_at == at && record.has(RETRANSMITTED)).then_some(i)
    }
    /// Whether the segment that ends at `end` was last sent at `at`, not for the first time, and is missing.
    pub(crate) fn misses_resent(&self, end: u64, at: Instant) -> bool {
        self.resent(end, at).is_some()
    }
    /// Marks a segment lost that was sent again at `at`: the retransmission was lost, too.
    pub(crate) fn mark_resent_lost(&mut self, end: u64, at: Instant) {
        let Some(i) = self.resent(end, at) else { return };
        let (start, record) = (self.start_of(i), self.records[i]);
        let len = record.end - start;
        self.flag(i, record.flags & !RETRANSMITTED | LOST);
        self.marked = self.marked.wrapping_add(1);
        self.retransmitted -= len;
        self.lost += if record.has(LOST) { 0 } else { len };
        self.lost_waiting += len;
        self.count_lost(len);
        self.hint = self.hint.min(start);
    }

    /// A timeout where the time of sending counts: the first segment is lost, and what was sent `wait` ago or more.
    pub(crate) fn mark_overdue_at_timeout(&mut self, now: Instant, wait: Duration) {
        let mut start = self.una;
        let mut found = 0;
        (self.lost, self.lost_waiting, self.retransmitted) = (0, 0, 0);
        for record in self.records.iter_mut() {
            let (len, before) = (record.end - start, record.flags);
            let overdue = start == self.una || record.sent_at.saturating_add(wait) <= now;
            if overdue && !record.has(SACKED) {
                found += if record.flags & (LOST | RETRANSMITTED) == LOST { 0 } else { len };
                record.flags = record.flags & AMBIGUOUS | LOST;
            }
            self.short.on_change(len, before, record.flags);
            self.lost += if record.has(LOST) { len } else { 0 };
            self.retransmitted += if record.has(RETRANSMITTED) { len } else { 0 };
            self.lost_waiting += if record.flags & (LOST | RETRANSMITTED) == LOST { len } else { 0 };
            start = record.end;
        }
        self.count_lost(found);
        (self.hint, self.lost_mark, self.holes_from) = (self.una, self.una, self.una);
    }

    /// Unmarks all lost segments.
    pub(crate) fn unmark_lost(&mut self) {
        self.flag_all(|record| record.flags & !LOST);
        (self.lost, self.lost_waiting) = (0, 0);
        (self.lost_mark, self.holes_from) = (self.una, self.una);
    }

    /// The first segment that waits for retransmission, as `start..end`.
    #[inline(always)]
    pub(crate) fn next_lost(&mut self) -> Option<(u64, u64)> {
        if self.lost_waiting == 0 {
            return None;
        }
        let mut i = self.index_of(self.hint.max(self.una));
        while let Some(record) = self.records.get(i) {
            let start = self.start_of(i);
            if record.flags & (LOST | RETRANSMITTED) == LOST {
                self.hint = start;
                return Some((start, record.end));
            }
            i += 1;
        }
        unreachable!("the sum of waiting bytes says that one waits")
    }

    /// The segment that [`Self::next_lost`] named was sent again.
    pub(crate) fn on_retransmitted(&mut self, start: u64, now: Instant) {
        let i = self.index_of(start);
        let len = self.records[i].end - self.start_of(i);
        self.flag(i, self.records[i].flags | RETRANSMITTED | AMBIGUOUS);
        let record = &mut self.records[i];
        let passed = now.saturating_since(record.sent_at).as_nanos() / 1000;
        record.age_us = record.age_us.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX));
        record.sent_at = now;
        self.retransmitted += len;
        if record.flags & LOST != 0 {
            self.lost_waiting -= len;
            self.hint = start + len;
        }
        let pipe = self.pipe();
        if let Some(rates) = &mut self.rates {
            rates.on_resent(i, pipe);
        }
    }

    /// RFC 8985 §6.2 step 5 word for word, over all segments: how many are lost that do not wait to be sent again, and
    /// when the last one was sent that is to be waited for. It walks the whole window: for assertions only.
    pub(crate) fn rfc_8985_detect_loss(
        &self,
        newest: (Instant, u64),
        now: Instant,
        wait: Duration,
    ) -> (u64, Option<Instant>) {
        let (mut lost, mut pending) = (0, None);
        for r in self.records.iter().filter(|r| !r.has(SACKED) && r.flags & (LOST | RETRANSMITTED) != LOST) {
            let sent_after = newest.0 > r.sent_at || (newest.0 == r.sent_at && newest.1 > r.end);
            if sent_after && r.sent_at.saturating_add(wait) <= now {
                lost += 1;
            } else if sent_after {
                pending = pending.max(Some(r.sent_at));
            }
        }
        (lost, pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five segments of 100 bytes, sent 10 ms apart from time zero on.
    fn five() -> Scoreboard {
        let mut board = Scoreboard::new(1).with_rates(true);
        (0..5).for_each(|n| board.push(101 + 100 * n, Instant::from_millis(10 * n)));
        board
    }
    fn counted(board: &Scoreboard) -> u64 {
        board.rates.as_ref().map_or(0, |r| r.lost)
    }

    #[test]
    fn losses_at_a_timeout_are_counted_once_each() {
        // Linux: `tcp_timeout_mark_lost` leaves out what was sent less than `wait` ago, here the last two.
        let (now, wait) = (Instant::from_millis(60), Duration::from_millis(35));
        let mut board = five();
        board.mark_overdue_at_timeout(now, wait);
        assert_eq!(counted(&board), 300);
        // Segments that wait for retransmission are not lost again; retransmitted ones are, and those that have come of age.
        board.on_retransmitted(1, now);
        board.mark_overdue_at_timeout(Instant::from_millis(100), wait);
        assert_eq!(counted(&board), 600);
        board.on_retransmitted(1, Instant::from_millis(100));
        board.mark_all_lost();
        assert_eq!(counted(&board), 700);
        board.check();
    }

    #[test]
    fn a_retransmission_that_is_lost_is_counted_again() {
        let mut board = five();
        board.mark_head_lost();
        board.on_retransmitted(1, Instant::from_millis(60));
        assert_eq!(counted(&board), 100);
        board.mark_resent_lost(101, Instant::from_millis(60));
        assert_eq!(counted(&board), 200);
        board.check();
    }

    #[test]
    fn a_segment_keeps_the_time_of_its_first_sending() {
        let at = Instant::from_millis;
        let mut board = Scoreboard::new(1);
        board.push(101, at(10));
        board.push(201, at(20));
        board.on_retransmitted(1, at(300));
        board.on_retransmitted(1, at(900));
        assert_eq!(board.first_sending_of(100), Some(at(10)));
        assert_eq!(board.first_sent_at(), Some(at(900)), "the timer goes by the last");
        assert_eq!([101, 200].map(|seq| board.first_sending_of(seq)), [Some(at(20)); 2]);
        assert_eq!(board.first_sending_of(201), None, "not sent yet");
        board.ack_to(101);
        assert_eq!((board.first_sending_of(100), board.first_sending_of(101)), (None, Some(at(20))));
    }
}

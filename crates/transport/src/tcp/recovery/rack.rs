//! RACK (RFC 8985 §6): a segment is lost if one that was sent later, by a reordering window or more, was delivered.
//!
//! RFC 8985 keeps all segments in order of sending. Here those sent once are so already in the scoreboard, and those
//! sent again stand in a queue of their own: an ACK costs what it finds, not the window. Departures: D-SACK reports
//! of the latest loss probe do not widen the reordering window (as in Linux); 3 SACKed segments are `dup_thresh`.

use super::ack_findings::AckFindings;
use crate::tcp::options::clock;
use crate::tcp::send::scoreboard::{Scoreboard, SentSegment};
use tailrace_core::{Duration, Instant, Ring};

/// Recoveries without a D-SACK after which the reordering window is small again (RFC 8985 §6.2 step 4).
const PERSIST: u8 = 16;

/// Facts about the connection that loss detection depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct RackContext {
    pub(super) now: Instant,
    pub(super) min_rtt: Duration,
    pub(super) smoothed: Duration,
    pub(super) dup_thresh: u16,
    /// A recovery is under way that the latest ACK has not ended.
    pub(super) repairing: bool,
}

/// RACK's state (RFC 8985 §5.3).
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// The segment sent last among all delivered: when, and its end (RACK.xmit_ts, RACK.end_seq).
    newest: (Instant, u64),
    /// The round trip of the segment delivered last.
    rtt: Duration,
    /// Highest end of a delivered segment, and what it was before this ACK (RACK.fack).
    fack: u64,
    pub(super) fack_before: u64,
    reordering_seen: bool,
    /// D-SACK reports up to this acknowledgment count as one round (RACK.dsack_round).
    dsack_round: Option<u64>,
    /// The reordering window in quarters of the smallest round trip.
    multiplier: u64,
    persist: u8,
    /// Segments sent again, in order: end and time. Those delivered or marked since are skipped.
    resent: Ring<(u64, Instant)>,
    /// Deadline of overtaken segments that are not overdue yet.
    pub(super) deadline: Option<Instant>,
}

impl Rack {
    pub(super) fn new() -> Self {
        Self {
            newest: (Instant::ZERO, 0),
            rtt: Duration::ZERO,
            fack: 0,
            fack_before: 0,
            reordering_seen: false,
            dsack_round: None,
            multiplier: 1,
            persist: PERSIST,
            resent: Ring::new(),
            deadline: None,
        }
    }

    /// RFC 8985 §6.2 step 2: whether an ACK, of which `echo` is heeded, may be taken to be for the latest transmission.
    pub(super) fn is_genuine(sent: &SentSegment, echo: Option<u32>, min_rtt: Duration, now: Instant) -> bool {
        let echoes_earlier = echo.is_some_and(|echo| (echo.wrapping_sub(clock(sent.at)) as i32) < 0);
        !sent.again || (!echoes_earlier && now.saturating_since(sent.at) >= min_rtt)
    }

    /// RFC 8985 §6.2 step 3: remembers how far delivery has come; returns where a segment was overtaken.
    pub(super) fn note_order(&mut self, seen: &AckFindings) -> Option<u64> {
        self.fack_before = self.fack;
        self.fack = self.fack.max(seen.high);
        let low = seen.low.filter(|low| *low < self.fack_before);
        self.reordering_seen |= low.is_some();
        low
    }

    /// Whether nothing was overtaken, and nothing was sent again.
    pub(super) fn is_idle(&self) -> bool {
        self.resent.is_empty() && self.deadline.is_none()
    }

    /// All up to `una` was delivered in order, the last of it within `rtt`. Which segment that was need not be known:
    /// whatever overtakes another was sent later.
    pub(super) fn on_ack_in_order(&mut self, una: u64, rtt: Duration) {
        (self.fack, self.rtt) = (self.fack.max(una), rtt);
    }

    /// A segment goes out again. Most come in order; of those sent at the same time the lower counts as earlier.
    pub(super) fn note_resent(&mut self, end: u64, now: Instant) {
        let place = self.resent.partition_point(|r| (r.1, r.0) < (now, end));
        if place == self.resent.len() {
            self.resent.push_back((end, now));
        } else {
            self.resent.insert(place, (end, now));
        }
    }

    /// A recovery has ended.
    pub(super) fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiplier = 1;
        }
    }

    /// RFC 8985 §6.2, steps 2 to 5, for an ACK. Returns whether a retransmission was lost.
    pub(super) fn on_ack(
        &mut self,
        findings: &AckFindings,
        board: &mut Scoreboard,
        context: &RackContext,
    ) -> bool {
        if let (Some(newest), Some((_, sent_at))) = (findings.newest, findings.last) {
            self.rtt = context.now.saturating_since(sent_at);
            self.newest = self.newest.max(newest);
        }
        self.dsack_round = self.dsack_round.filter(|round| board.una < *round);
        if findings.dsack.is_some() && !findings.dsack_of_probe && self.dsack_round.is_none() {
            self.dsack_round = Some(board.nxt);
            self.multiplier += 1;
            self.persist = PERSIST;
        }
        self.detect_loss(board, context)
    }

    /// Marks lost segments (RACK_detect_loss) and sets the deadline of the overtaken ones that are not lost yet. Returns
    /// whether a retransmission was lost. With debug assertions the result is checked against RFC 8985's own algorithm.
    pub(super) fn detect_loss(&mut self, board: &mut Scoreboard, context: &RackContext) -> bool {
        let wait = self.rtt + self.reordering_window(board, context);
        if cfg!(debug_assertions) {
            self.detect_asserting(board, wait, context.now)
        } else {
            self.detect(board, wait, context.now)
        }
    }

    /// Asserts that exactly the segments that RFC 8985 finds lost are marked.
    fn detect_asserting(&mut self, board: &mut Scoreboard, wait: Duration, now: Instant) -> bool {
        let ((lost, pending), marked) = (board.rfc_8985_detect_loss(self.newest, now, wait), board.marked);
        let again = self.detect(board, wait, now);
        assert_eq!(u64::from(board.marked.wrapping_sub(marked)), lost, "what is lost");
        let left = board.rfc_8985_detect_loss(self.newest, now, wait);
        assert_eq!(left, (0, pending), "all of that waits to be sent again");
        assert_eq!(self.deadline, pending.map(|at| at.saturating_add(wait).max(now)), "what is waited for");
        again
    }

    fn detect(&mut self, board: &mut Scoreboard, wait: Duration, now: Instant) -> bool {
        let mut again = false;
        self.deadline = None;
        // The usual case: in order, and nothing sent again.
        if self.resent.is_empty() && !board.may_be_overtaken(self.newest) {
            return false;
        }
        let mut pending = board.mark_overdue(self.newest, now, wait);
        while let Some(&(end, at)) = self.resent.front() {
            let missing = end > board.una && board.misses_resent(end, at);
            let overdue = (at, end) < self.newest && at.saturating_add(wait) <= now;
            if missing && !overdue {
                break;
            }
            if missing {
                board.mark_resent_lost(end, at);
                again = true;
            }
            self.resent.pop_front();
        }
        for &(end, at) in self.resent.iter().take_while(|r| (r.1, r.0) < self.newest) {
            if end > board.una && board.misses_resent(end, at) {
                pending = pending.max(Some(at));
            }
        }
        self.deadline = pending.map(|at| at.saturating_add(wait).max(now));
        again
    }

    /// RFC 8985 §6.2 step 4: RACK.reo_wnd.
    fn reordering_window(&self, board: &Scoreboard, context: &RackContext) -> Duration {
        if !self.reordering_seen && (context.repairing || board.has_sacked(context.dup_thresh)) {
            return Duration::ZERO;
        }
        let window = context.min_rtt.saturating_mul(self.multiplier) / 4;
        window.min(context.smoothed)
    }

    /// RFC 8985 §6.3: at a timeout recently sent segments are not lost yet. Linux (`linux`) leaves the reordering window out
    /// (`tcp_timeout_mark_lost`).
    pub(super) fn on_timeout(&mut self, board: &mut Scoreboard, linux: bool, context: &RackContext) {
        let window = if linux { Duration::ZERO } else { self.reordering_window(board, context) };
        self.deadline = None;
        board.mark_overdue_at_timeout(context.now, self.rtt + window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_echo_makes_a_retransmission_doubtful_unless_it_is_not_heeded() {
        let sent = SentSegment { start: 0, end: 1000, at: Instant::from_millis(500), again: true };
        let (rtt, ms) = (Duration::from_millis(40), Instant::from_millis);
        assert!(!Rack::is_genuine(&sent, Some(450), rtt, ms(545)), "the first sending may have arrived");
        assert!(Rack::is_genuine(&sent, Some(500), rtt, ms(545)), "45 ms after the second");
        assert!(Rack::is_genuine(&sent, None, rtt, ms(545)));
        assert!(!Rack::is_genuine(&sent, None, rtt, ms(539)), "no round trip is that short");
    }
}

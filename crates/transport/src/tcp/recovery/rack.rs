//! RACK (RFC 8985 §6): a segment is lost if one that was sent later, by a reordering window or more, was delivered.
//!
//! RFC 8985 keeps all segments in order of sending. Here those sent once are so already in the scoreboard, and those
//! sent again stand in a queue of their own: an ACK costs what it finds, not the window. Departures: D-SACK reports
//! of the latest loss probe do not widen the reordering window (as in Linux); 3 SACKed segments are `dup_thresh`.

use super::Tcp;
use super::repair::Seen;
use crate::config::RtoWindow;
use crate::tcp::send::output::clock;
use crate::tcp::send::scoreboard::Sent;
use tailrace_core::{Duration, Instant, Ring};

/// Recoveries without a D-SACK after which the reordering window is small again (RFC 8985 §6.2 step 4).
const PERSIST: u8 = 16;

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
    /// What was sent again, in order: end and time. What of it was delivered or marked since is skipped.
    resent: Ring<(u64, Instant)>,
    /// When what is not overdue yet will be.
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
    pub(super) fn is_genuine(sent: &Sent, echo: Option<u32>, min_rtt: Duration, now: Instant) -> bool {
        let echoes_earlier = echo.is_some_and(|echo| (echo.wrapping_sub(clock(sent.at)) as i32) < 0);
        !sent.again || (!echoes_earlier && now.saturating_since(sent.at) >= min_rtt)
    }

    /// RFC 8985 §6.2 step 3: remembers how far delivery has come; returns where a segment was overtaken.
    pub(super) fn note_order(&mut self, seen: &Seen) -> Option<u64> {
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
}

impl Tcp {
    /// RFC 8985 §6.2, steps 2 to 5, for an ACK. Whether a retransmission was lost.
    pub(super) fn rack_on_ack(&mut self, seen: &Seen, now: Instant) -> bool {
        let (una, nxt) = (self.board.una, self.board.nxt);
        let Some(repair) = &mut self.repair else { return false };
        let rack = &mut repair.rack;
        if let (Some(newest), Some((_, sent_at))) = (seen.newest, seen.last) {
            rack.rtt = now.saturating_since(sent_at);
            rack.newest = rack.newest.max(newest);
        }
        rack.dsack_round = rack.dsack_round.filter(|round| una < *round);
        if seen.dsack.is_some() && !seen.dsack_of_probe && rack.dsack_round.is_none() {
            rack.dsack_round = Some(nxt);
            rack.multiplier += 1;
            rack.persist = PERSIST;
        }
        self.rack_detect(now)
    }

    /// Marks what is lost (RACK_detect_loss) and says when the rest of what was overtaken will be. Returns whether a
    /// retransmission was lost. Where debug assertions are on, RFC 8985's own words are held against it.
    pub(super) fn rack_detect(&mut self, now: Instant) -> bool {
        let Some(rack) = self.repair.as_ref().map(|r| &r.rack) else { return false };
        let wait = rack.rtt + self.reordering_window();
        if cfg!(debug_assertions) { self.detect_asserting(wait, now) } else { self.detect(wait, now) }
    }

    /// All that is to be found lost is marked, and no more than that.
    fn detect_asserting(&mut self, wait: Duration, now: Instant) -> bool {
        let asked =
            |t: &Self| t.repair.as_ref().map(|r| t.board.rfc_8985_detect_loss(r.rack.newest, now, wait));
        let (before, marked) = (asked(self), self.board.marked);
        let again = self.detect(wait, now);
        let (lost, pending) = before.unwrap_or_default();
        assert_eq!(u64::from(self.board.marked.wrapping_sub(marked)), lost, "what is lost");
        assert_eq!(asked(self).unwrap_or_default(), (0, pending), "all of that waits to be sent again");
        let deadline = self.repair.as_ref().and_then(|r| r.rack.deadline);
        assert_eq!(deadline, pending.map(|at| at.saturating_add(wait).max(now)), "what is waited for");
        again
    }

    fn detect(&mut self, wait: Duration, now: Instant) -> bool {
        let Some(repair) = &mut self.repair else { return false };
        let mut again = false;
        let rack = &mut repair.rack;
        rack.deadline = None;
        // The usual case: in order, and nothing sent again.
        if rack.resent.is_empty() && !self.board.may_be_overtaken(rack.newest) {
            return false;
        }
        let mut pending = self.board.mark_overdue(rack.newest, now, wait);
        while let Some(&(end, at)) = rack.resent.front() {
            let missing = end > self.board.una && self.board.misses_resent(end, at);
            let overdue = (at, end) < rack.newest && at.saturating_add(wait) <= now;
            if missing && !overdue {
                break;
            }
            if missing {
                self.board.mark_resent_lost(end, at);
                again = true;
            }
            rack.resent.pop_front();
        }
        for &(end, at) in rack.resent.iter().take_while(|r| (r.1, r.0) < rack.newest) {
            if end > self.board.una && self.board.misses_resent(end, at) {
                pending = pending.max(Some(at));
            }
        }
        rack.deadline = pending.map(|at| at.saturating_add(wait).max(now));
        again
    }

    /// RFC 8985 §6.2 step 4: RACK.reo_wnd.
    fn reordering_window(&self) -> Duration {
        let Some(repair) = &self.repair else { return Duration::ZERO };
        let rack = &repair.rack;
        // With this ACK a recovery may be over, which is left later.
        let repairing = self.recovery.is_active() && self.board.una < self.recovery.point;
        if !rack.reordering_seen && (repairing || self.board.has_sacked(repair.dup_thresh)) {
            return Duration::ZERO;
        }
        let window = self.rtt.min.saturating_mul(rack.multiplier) / 4;
        window.min(self.rtt.smoothed)
    }

    /// The reordering timer expired (RFC 8985 §6.3).
    pub(in crate::tcp) fn on_reorder_timeout(&mut self, now: Instant) {
        self.timer.bare_retransmission();
        let marked = self.board.marked;
        self.rack_detect(now);
        if self.board.marked != marked {
            if !self.recovery.is_active() {
                self.enter_fast(self.board.outstanding(), now);
                self.prr_on_timer();
            }
            self.overrides_window = true;
        }
        if let Some(at) = self.repair.as_ref().and_then(|r| r.rack.deadline).filter(|at| *at > now) {
            self.wait_for_reordering(at, now);
        }
    }

    /// What was overtaken is lost from `at` on.
    pub(super) fn wait_for_reordering(&mut self, at: Instant, now: Instant) {
        let wait = at.saturating_since(now) + self.slack();
        self.timer.put_reordering(self.expiry(now, wait));
    }

    /// RFC 8985 §6.3: at a timeout what was sent recently is not lost yet. Linux leaves the reordering window out
    /// (`tcp_timeout_mark_lost`).
    pub(super) fn rack_on_timeout(&mut self, now: Instant) {
        let linux = self.config.rto_window == RtoWindow::FlightAndOne;
        let window = if linux { Duration::ZERO } else { self.reordering_window() };
        let Some(repair) = &mut self.repair else { return };
        repair.rack.deadline = None;
        self.board.mark_overdue_at_timeout(now, repair.rack.rtt + window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_echo_makes_a_retransmission_doubtful_unless_it_is_not_heeded() {
        let sent = Sent { start: 0, end: 1000, at: Instant::from_millis(500), again: true };
        let (rtt, ms) = (Duration::from_millis(40), Instant::from_millis);
        assert!(!Rack::is_genuine(&sent, Some(450), rtt, ms(545)), "the first sending may have arrived");
        assert!(Rack::is_genuine(&sent, Some(500), rtt, ms(545)), "45 ms after the second");
        assert!(Rack::is_genuine(&sent, None, rtt, ms(545)));
        assert!(!Rack::is_genuine(&sent, None, rtt, ms(539)), "no round trip is that short");
    }
}

//! Recoveries that turn out to have been needless, and what follows.
//!
//! Four signs: data that was never sent again is acknowledged after a timeout (F-RTO, RFC 5682 §3.1 in Linux's form,
//! where the first ACK may say so already); the first ACK echoes a time before the retransmission (Eifel, RFC 3522);
//! D-SACK reports every retransmission as a duplicate (RFC 3708, counted as Linux does); TCP-DOOR's (`door.rs`).

use super::repair::Seen;
use super::{Phase, Tcp};
use crate::cc::CongestionControl;
use crate::config::UndoResponse;
use crate::segment::Segment;
use crate::tcp::send::output::clock;
use crate::tcp::send::scoreboard::Acked;
use tailrace_core::{Bytes, Instant};

/// What there is to undo.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// What was acknowledged when the last recovery began; none where it cannot be undone (any more).
    marker: Option<u64>,
    /// Retransmissions since that no D-SACK has reported.
    unreported: u32,
    /// The time on the first retransmission, and that of the first of all since last none was out (Linux `retrans_stamp`).
    stamp: Option<u32>,
    first: Option<u32>,
    /// That has been compared with an ACK.
    compared: bool,
    /// The window stays as it is, whatever was needless (Linux `prior_ssthresh` is 0).
    keeps_window: bool,
}

impl Undo {
    /// A recovery begins, with `resent` segments out that were sent again: an ACK may be for one of these, which is no sign that
    /// this recovery is needless.
    pub(super) fn begin(&mut self, una: u64, resent: u64) {
        let first = self.first.filter(|_| resent > 0);
        let unreported = resent.min(u64::from(u32::MAX)) as u32;
        *self =
            Self { marker: Some(una), unreported, stamp: first, first, compared: false, keeps_window: false };
    }
    pub(super) fn forget(&mut self) {
        *self = Self { first: self.first, ..Self::default() };
    }
    /// Whether an ACK without SACK says nothing about it.
    pub(super) fn is_idle(&self) -> bool {
        self.stamp.is_none()
    }
    pub(super) fn is_possible(&self) -> bool {
        self.marker.is_some()
    }
    /// If it was needless, that gives no window back.
    pub(super) fn keep_window(&mut self) {
        self.keeps_window = true;
    }
    /// Whether it gives the window back if it was needless.
    fn gives_window_back(&self) -> bool {
        self.is_possible() && !self.keeps_window
    }
    /// A segment goes out again.
    pub(super) fn note_resent(&mut self, now: Instant) {
        self.first.get_or_insert(clock(now));
        if self.is_possible() {
            self.unreported += 1;
            if !self.compared {
                self.stamp.get_or_insert(clock(now));
            }
        }
    }
    /// D-SACK reports `range`; whether nothing remains unreported.
    fn report(&mut self, range: (u64, u64), mss: u64) -> bool {
        if self.unreported == 0 || self.marker.is_none_or(|marker| range.1 <= marker) {
            return false;
        }
        let segments = (range.1.saturating_sub(range.0)).div_ceil(mss).max(1);
        self.unreported = self.unreported.saturating_sub(segments.min(u64::from(u32::MAX)) as u32);
        self.unreported == 0
    }
}

/// Where F-RTO stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frto {
    /// Not in use, or the timeout was genuine.
    Off,
    /// The oldest segment was sent again; its ACK is awaited.
    Waiting,
    /// That has come, and new data was sent.
    Probing,
}

impl Tcp {
    /// Whether repair waits until F-RTO has decided.
    pub(in crate::tcp) fn holds_repair_back(&self) -> bool {
        self.recovery.phase == Phase::Loss && self.repair.as_ref().is_some_and(|r| r.frto == Frto::Probing)
    }

    /// Looks for the signs in an ACK.
    pub(super) fn judge(&mut self, seen: &Seen, segment: &Segment, acked: Option<&Acked>, now: Instant) {
        let (mss, stamps) = (u64::from(self.mss), self.options.timestamps);
        let Some(repair) = &mut self.repair else { return };
        if !repair.undo.is_possible() && repair.frto == Frto::Off {
            return;
        }
        let reported = seen.dsack.is_some_and(|range| repair.undo.report(range, mss));
        let before = |t: u32, stamp: u32| (t.wrapping_sub(stamp) as i32) < 0;
        let earlier = match (segment.timestamps, repair.undo.stamp) {
            (Some(t), Some(stamp)) if acked.is_some() && stamps => {
                // RFC 3522: the first acceptable ACK decides.
                (repair.undo.stamp, repair.undo.compared) = (None, true);
                before(t.echo, stamp)
            }
            _ => false,
        };
        let needless = (reported && self.config.dsack_undo) || (earlier && self.config.eifel);
        if needless || self.frto_on_ack(seen, acked) {
            self.undo(acked.map_or(0, |a| a.bytes), now);
        }
    }

    /// RFC 5682 §3.1, steps 2 and 3; whether the timeout was spurious.
    fn frto_on_ack(&mut self, seen: &Seen, acked: Option<&Acked>) -> bool {
        if self.repair.as_ref().is_none_or(|r| r.frto == Frto::Off) {
            return false;
        }
        let (len, fin) = self.next_len();
        let more = self.snd.after(self.board.nxt) > 0 && len + fin > 0 && self.is_worth_sending(len, fin);
        let (sack, loss) = (self.options.sack, self.recovery.phase == Phase::Loss);
        let complete = self.board.una >= self.recovery.point;
        let Some(repair) = &mut self.repair else { return false };
        if !loss {
            repair.frto = Frto::Off;
            return false;
        }
        // Without SACK an ACK that also covers a retransmission proves nothing for the rest.
        if seen.original && (sack || acked.is_some_and(|a| !a.ambiguous)) {
            return true;
        }
        repair.frto = match (repair.frto, acked) {
            (Frto::Waiting, Some(_)) if !complete && more => Frto::Probing,
            // Duplicates before the first ACK of new data: the SACK variant waits on.
            (Frto::Waiting, None) if sack => Frto::Waiting,
            _ => Frto::Off,
        };
        false
    }

    /// The retransmission timer expired, `again` for data that was sent again already: step 1 of F-RTO.
    pub(super) fn frto_on_timeout(&mut self, was: Phase) {
        let start = self.config.frto
            && (matches!(was, Phase::Open | Phase::Cwr) || (was == Phase::Loss && self.timer.has_repeated()));
        if let Some(repair) = &mut self.repair {
            repair.frto = if start { Frto::Waiting } else { Frto::Off };
        }
    }

    /// The next reduction can be undone (`true`), or the last no more.
    pub(super) fn note_undo(&mut self, possible: bool, now: Instant) {
        let (una, resent) = (self.board.una, self.board.resent_bytes().div_ceil(u64::from(self.mss)));
        let Some(repair) = &mut self.repair else { return };
        if possible {
            repair.undo.begin(una, resent);
            repair.door.note_reduction(now);
        } else {
            repair.undo.forget();
        }
    }

    /// The last reduction was needless: the window is as if it had not been, if that can be. `acked` bytes were just acknowledged.
    pub(super) fn undo(&mut self, acked: u64, now: Instant) {
        let Some(repair) = &mut self.repair else { return };
        let gives_back = repair.undo.gives_window_back();
        repair.undo.forget();
        repair.frto = Frto::Off;
        self.stats.spurious_recoveries += 1;
        if gives_back {
            self.cc.tell(|cc| cc.on_undo());
        }
        self.board.unmark_lost();
        let r = &mut self.recovery;
        (r.phase, r.dup_acks, r.dup_bytes) = (Phase::Open, 0, 0);
        self.overrides_window = false;
        r.cwr_due = false;
        r.cwr_point = self.board.una;
        if gives_back && self.config.undo_response == UndoResponse::Eifel {
            // RFC 4015 §3.2: no burst, and the timeout learns from the round trip that was too long for it.
            let initial = self.config.initial_window(u64::from(self.mss));
            self.cc.tell(|cc| cc.on_recovered(Bytes(self.board.outstanding() + acked.min(initial))));
            self.rtt.after_spurious_timeout(&self.config);
        }
        if self.board.outstanding() > 0 && !self.timer.is_off() {
            self.rearm_retransmit(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_recovery_sent_again_counts_while_it_is_out() {
        let mut undo = Undo::default();
        undo.begin(1000, 0);
        undo.note_resent(Instant::from_millis(300));
        undo.begin(5000, 1);
        undo.note_resent(Instant::from_millis(400));
        assert_eq!((undo.stamp, undo.unreported), (Some(300), 2), "an echo of 350 may be that of the first");
        undo.begin(9000, 0);
        undo.note_resent(Instant::from_millis(500));
        assert_eq!((undo.stamp, undo.unreported), (Some(500), 1));
    }
}

//! Tail loss probes (RFC 8985 §7): when ACKs stay away for two round trips, a segment is sent to provoke one.
//!
//! The probe is new data where there is some, else the last segment again. If that alone repaired a loss, the window
//! falls as for any loss.

use super::repair::Seen;
use super::{Phase, Tcp};
use crate::cc::Signal;
use crate::config::RtoWindow;
use crate::segment::Segment;
use tailrace_core::{Duration, Instant};

/// How long a receiver may hold the ACK of a single segment back (TLP.max_ack_delay).
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);
/// The interval before there is a round-trip sample.
const INITIAL: Duration = Duration::from_secs(1);

/// A probe that is on its way.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// End of what was sent when it was (TLP.end_seq).
    end: u64,
    /// It was sent again, rather than new (TLP.is_retrans).
    resent: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tlp {
    probe: Option<Probe>,
    /// Round-trip samples when the latest was sent: without a new one there is no other probe.
    samples: Option<u64>,
    /// It goes out with the next poll, unless an ACK comes first.
    due: bool,
    /// When the timer was armed as more data at the same moment calls for, if it was.
    settled_at: Instant,
}

impl Tlp {
    /// Whether the range that D-SACK reports ends where the probe did, which was sent again.
    pub(super) fn was_probe(&self, dsack: (u64, u64)) -> bool {
        self.probe.is_some_and(|p| p.resent && dsack.1 == p.end)
    }
    /// Whether none is out or due.
    pub(super) fn is_idle(&self) -> bool {
        self.probe.is_none() && !self.due
    }
    /// A recovery begins.
    pub(super) fn reset(&mut self) {
        (self.probe, self.due) = (None, false);
    }
}

impl Tcp {
    /// Whether none is out, nor was one since the last round-trip sample.
    fn may_send_probe(&self) -> bool {
        let Some(repair) = &self.repair else { return false };
        let tlp = &repair.tlp;
        tlp.probe.is_none() && tlp.samples.is_none_or(|n| self.rtt.samples > n)
    }

    /// RFC 8985 §7.2: whether a probe may be scheduled. Linux does so while one is out, too (`tcp_schedule_loss_probe`).
    fn may_schedule_probe(&self) -> bool {
        let Some(repair) = &self.repair else { return false };
        let linux = self.config.rto_window == RtoWindow::FlightAndOne;
        self.config.tlp
            && (linux || self.may_send_probe())
            && repair.rack.deadline.is_none()
            && self.options.sack
            && !self.recovery.is_active()
            && !self.recovery.waits_for_timer()
            && self.board.sacked() == 0
            && self.board.outstanding() > 0
    }

    /// Schedules a probe where there may be one.
    pub(super) fn arm_probe(&mut self, now: Instant) {
        if !self.may_schedule_probe() {
            return;
        }
        self.timer.bare_retransmission();
        let single = self.has_single_segment_out();
        let wait = if self.rtt.samples == 0 { INITIAL } else { self.rtt.smoothed * 2 };
        let wait = wait + if single { MAX_ACK_DELAY } else { self.slack() };
        self.timer.put_probe(self.expiry(now, wait));
    }

    /// New data goes out up to `end`, as a probe or not: a probe sees to the timer itself. Where one is scheduled the timeout counts
    /// from when the oldest segment was sent from now on (Linux `tcp_event_new_data_sent`, `tcp_rearm_rto`).
    pub(super) fn arm_probe_after_data(&mut self, end: u64, now: Instant) {
        let Some(Tlp { probe, settled_at, .. }) = self.repair.as_ref().map(|repair| &repair.tlp) else {
            return;
        };
        let is_probe = probe.is_some_and(|probe| !probe.resent && probe.end == end);
        if is_probe || (self.timer.is_settled() && *settled_at == now) {
            return;
        }
        let restarts = self.config.rto_restart && self.timer.awaits_probe();
        if restarts {
            self.restart_rto(now);
        }
        self.arm_probe(now);
        if restarts && self.timer.awaits_probe() && !self.has_single_segment_out() {
            self.timer.settle();
            if let Some(repair) = &mut self.repair {
                repair.tlp.settled_at = now;
            }
        }
    }

    /// Whether no more than one segment is outstanding, whose ACK the receiver may hold back.
    fn has_single_segment_out(&self) -> bool {
        self.board.outstanding() <= self.board.head_len()
    }

    /// The time for a probe has come (RFC 8985 §7.3): new data where the peer's window has room for it, cwnd or not. While one is
    /// out there is no other, and the timeout is what comes next, at once if it would have expired.
    pub(in crate::tcp) fn on_probe_timeout(&mut self, now: Instant) {
        if self.config.rto_restart {
            self.restart_rto(now);
        }
        self.timer.bare_retransmission();
        let may = self.may_send_probe() && self.may_schedule_probe();
        let (len, fin) = self.next_len();
        let new = len + fin > 0 && self.board.nxt < self.snd.end() && !self.is_cut_by_window(len);
        if let (true, Some(repair)) = (may, &mut self.repair) {
            repair.tlp.due = true;
            self.overrides_window |= new;
            self.probe_due |= !new;
        }
    }

    /// Whether of the next new segment the peer's window has room for `len` bytes only: Linux sends none, then (`tcp_snd_wnd_test`).
    fn is_cut_by_window(&self, len: u64) -> bool {
        let open = (self.board.una + self.snd_wnd.size()).saturating_sub(self.board.nxt);
        let there = self.snd.data_end().min(self.buffered());
        self.shared_window.is_none()
            && len == open
            && len < u64::from(self.mss)
            && self.board.nxt + len < there
    }

    /// Whether a probe goes out with the next poll.
    #[inline]
    pub(in crate::tcp) fn has_probe_due(&self) -> bool {
        self.probe_due || self.repair.as_ref().is_some_and(|repair| repair.tlp.due)
    }

    /// Whether a probe is due, which is new data then.
    #[inline(never)]
    pub(in crate::tcp) fn probes_with_new(&mut self, now: Instant) -> bool {
        let (len, fin) = self.next_len();
        self.start_probe(self.board.nxt + len + fin, false, now)
    }

    /// The segment that is sent again as a probe, if one is due.
    pub(in crate::tcp) fn repeats_last(&mut self, now: Instant) -> Option<(u64, u64)> {
        let last = self.board.last_hole()?;
        self.start_probe(self.board.nxt, true, now).then_some(last)
    }

    /// A probe goes out, if one is due; all is sent up to `end` then, and the timeout counts from now.
    fn start_probe(&mut self, end: u64, resent: bool, now: Instant) -> bool {
        let samples = Some(self.rtt.samples);
        match &mut self.repair {
            Some(repair) if repair.tlp.due => {
                let probe = Some(Probe { end, resent });
                repair.tlp = Tlp { probe, samples, due: false, ..repair.tlp };
            }
            _ => return false,
        }
        self.stats.loss_probes += 1;
        self.rearm_retransmit(now);
        true
    }

    /// RFC 8985 §7.4.2: what an ACK says about the probe.
    pub(super) fn tlp_on_ack(
        &mut self,
        seen: &Seen,
        segment: &Segment,
        (una, ack): (u64, u64),
        now: Instant,
    ) {
        let Some(repair) = &mut self.repair else { return };
        let tlp = &mut repair.tlp;
        tlp.due = false;
        let Some(Probe { end, resent }) = tlp.probe.filter(|p| ack >= p.end) else { return };
        let nxt = self.board.nxt;
        if !resent || seen.dsack.is_some_and(|d| d.1 == end) {
            tlp.probe = None;
        } else if ack > end {
            // The probe repaired a loss, which nothing else has shown.
            tlp.probe = None;
            if self.recovery.phase == Phase::Open {
                self.signal(Signal::Loss, nxt - una, now);
                self.note_undo(false, now);
                self.reduced();
            }
        } else if ack == una && segment.sack.is_empty() && segment.seq_len() == 0 {
            tlp.probe = None;
        }
    }
}

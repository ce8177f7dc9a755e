//! Optional parts of loss recovery and the order in which they see an ACK: RACK, tail loss probes, PRR, undo, TCP-DOOR.
//!
//! Each ACK is examined twice: before the window reacts to it ([`Tcp::examine`]: what is lost, what was spurious) and after
//! ([`Tcp::conclude`]: how much may be sent, and which timer expires first).

use super::ack_findings::AckFindings;
use super::cwnd_validation::CwndValidation;
use super::door::Door;
use super::frto::{Frto, FrtoContext};
use super::prr::PrrState;
use super::rack::{Rack, RackContext};
use super::state::RecoveryPhase;
use super::tlp::Tlp;
use super::undo::Undo;
use crate::cc::{CongestionControl, Signal};
use crate::config::{Misbehaviour, Prr, RtoWindow, RttSampling, TcpConfig, UndoResponse};
use crate::segment::Segment;
use crate::tcp::Tcp;
use crate::tcp::recv::ack_policy::AckPolicy;
use crate::tcp::send::scoreboard::AckedSegments;
use tailrace_core::{Bytes, Duration, Instant};

/// State before an ACK: acknowledged, delivered in sum and in segments, and how often a segment was marked lost.
#[derive(Clone, Copy, Debug, Default)]
struct BeforeAck {
    una: u64,
    delivered: u64,
    segments: u32,
    marked: u32,
}

/// State of the optional parts.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct OptionalRecovery {
    before: BeforeAck,
    pub(super) findings: AckFindings,
    pub(super) rack: Rack,
    pub(super) tlp: Tlp,
    pub(super) prr: PrrState,
    pub(super) undo: Undo,
    /// Segments that D-SACK has reported.
    reported: u64,
    pub(super) frto: Frto,
    pub(super) door: Door,
    pub(super) cwnd_validation: CwndValidation,
    /// Bytes that duplicate ACKs may still count for in this fast recovery (`dup_limit = "flight"`).
    pub(super) dup_allowance: u64,
    /// `dup_thresh` as reordering has raised it.
    pub(super) dup_thresh: u16,
}

impl OptionalRecovery {
    pub(in crate::tcp) fn new(config: &TcpConfig) -> Self {
        Self {
            before: BeforeAck::default(),
            findings: AckFindings::default(),
            rack: Rack::new(),
            tlp: Tlp::default(),
            prr: PrrState::default(),
            undo: Undo::default(),
            reported: 0,
            frto: Frto::Off,
            door: Door::default(),
            cwnd_validation: CwndValidation::default(),
            dup_allowance: 0,
            dup_thresh: u16::from(config.dup_thresh),
        }
    }

    /// D-SACK reports `segments` more. Returns whether they count as delivered: not where more were reported than ever sent
    /// again, `resent` (`tcp_dsack_seen`).
    const fn count_dsack(&mut self, segments: u64, resent: u64) -> bool {
        self.reported += segments;
        self.reported <= resent
    }

    /// Reordering by `distance` segments raises the threshold of duplicate ACKs, up to `most`.
    fn on_reordering(&mut self, distance: u64, most: u64) {
        self.dup_thresh = self.dup_thresh.max(distance.min(most) as u16);
    }
}

impl Tcp {
    /// Takes the SACK blocks of an ACK up to `ack` and records their deliveries. `dsack`: the first block reports a duplicate;
    /// if that is acknowledged, too, it SACKs nothing.
    pub(in crate::tcp) fn sack(
        &mut self,
        blocks: &[(u64, u64)],
        (dsack, ack): (bool, u64),
        segment: &Segment,
        now: Instant,
    ) -> u64 {
        let (point, least) = (self.recovery.point, self.rtt.min);
        // Linux uses the echo only for what is acknowledged cumulatively.
        let linux = self.config.rto_window == RtoWindow::FlightAndOne;
        let echo = segment.timestamps.filter(|_| !linux).map(|t| t.echo);
        if dsack {
            self.count_dsack_as_delivered(blocks[0]);
        }
        let news = &blocks[usize::from(blocks[0].1 <= ack)..];
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else {
            return self.board.on_sack(news, |_| {});
        };
        repair.findings.dsack = dsack.then_some(blocks[0]);
        let findings = &mut repair.findings;
        let mut buffers = self.buffers.as_deref_mut();
        self.board.on_sack(news, |sent| {
            if let Some(buffers) = &mut buffers {
                buffers.on_sacked(sent.start, sent.end);
            }
            findings.note_sacked(&sent, point, Rack::is_genuine(&sent, echo, least, now));
        })
    }

    /// Counts the segments that D-SACK reports as delivered, as Linux does, unless more were reported than ever sent again
    /// (`tcp_dsack_seen`).
    fn count_dsack_as_delivered(&mut self, (start, end): (u64, u64)) {
        let segments = end.saturating_sub(start).div_ceil(u64::from(self.mss)).max(1);
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        if repair.count_dsack(segments, self.stats.retransmitted_segments) {
            self.board.delivered = self.board.delivered.wrapping_add(segments as u32);
        }
    }

    /// Sending times of the first and the last segment that this ACK SACKs for the first time, where they give a round trip.
    pub(in crate::tcp) fn sacked_from(&self) -> Option<(Instant, Instant)> {
        let wanted = self.config.rtt_sampling == RttSampling::AckOrSack;
        self.extensions.as_ref().filter(|_| wanted)?.repair.findings.sacked_from
    }

    /// An ACK that does not advance SACKs segments sent from `from` to `last`: a round-trip sample. If that was before the
    /// oldest segment was sent (again), the timeout counts from now; later ones prove nothing for that segment.
    fn on_round_trip_of_sack(&mut self, (from, last): (Instant, Instant), now: Instant) {
        if self.config.rtt_sampling == RttSampling::AckOrSack {
            let place = (self.board.una, self.board.nxt);
            self.rtt.on_sample(now.saturating_since(from), place, now, &self.config);
            self.rtt.on_shortest(now.saturating_since(last));
            self.tell_round_trip((0, self.board.outstanding()), Some(self.rtt.latest), now);
        }
        let head = self.board.first_sent_at();
        if self.config.rto_restart && head.is_some_and(|at| from < at) {
            self.restart_rto(now);
        }
    }

    /// The timeout counts from now; where another timer stands before it, from when the oldest segment was last sent (Linux
    /// `tcp_rearm_rto`).
    pub(in crate::tcp) fn restart_rto(&mut self, now: Instant) {
        if self.timer.stands_before_retransmission() {
            let from = self.board.first_sent_at().unwrap_or(now);
            let left = from.saturating_add(self.rto()).saturating_since(now).max(Duration::from_micros(1));
            self.timer.put_off_retransmission(self.expiry(now, left));
        } else {
            self.rearm_retransmit(now);
        }
    }

    /// Takes a cumulative acknowledgment and records what it delivers.
    #[inline(never)]
    pub(in crate::tcp) fn ack_recording(
        &mut self,
        ack: u64,
        segment: &Segment,
        now: Instant,
    ) -> AckedSegments {
        let (point, least) = (self.recovery.point, self.rtt.min);
        let echo = segment.timestamps.map(|t| t.echo);
        let extensions = self.extensions.as_deref_mut();
        let findings = &mut extensions.expect("findings are recorded where extensions exist").repair.findings;
        self.board.ack_to_with(ack, |sent| {
            findings.note_acked(&sent, point, Rack::is_genuine(&sent, echo, least, now));
        })
    }

    /// Examines an ACK that was taken. `una` was acknowledged before it; `acked` is what it covers, if it advances.
    #[inline(never)]
    pub(in crate::tcp) fn examine(
        &mut self,
        segment: &Segment,
        (una, ack): (u64, u64),
        acked: Option<AckedSegments>,
        now: Instant,
    ) {
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        let mut findings = core::mem::take(&mut repair.findings);
        if let (None, Some(from)) = (&acked, findings.sacked_from) {
            self.on_round_trip_of_sack(from, now);
        }
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        findings.dsack_of_probe = findings.dsack.is_some_and(|range| repair.tlp.was_probe(range));
        let reordered = repair.rack.note_order(&findings);
        if let Some(low) = reordered {
            let distance = (repair.rack.fack_before - low).div_ceil(u64::from(self.mss));
            repair.on_reordering(distance, u64::from(self.config.max_dup_thresh));
        }
        if self.config.door && (reordered.is_some() || ack < una) {
            self.on_door_event(now);
        }
        self.tlp_on_ack(&findings, segment, (una, ack), now);
        self.detect_spurious(&findings, segment, acked.as_ref(), now);
        if self.options.sack && self.config.rack {
            let context = self.rack_context(now);
            let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
            let again = repair.rack.on_ack(&findings, &mut self.board, &context);
            // Linux: a retransmission that was lost ends the repair of a timeout; fast recovery goes on from here.
            if again && self.follows_linux() && self.recovery.phase == RecoveryPhase::Loss {
                self.enter_fast(self.board.outstanding(), now);
            }
        }
    }

    /// A loss probe that alone repaired a loss lowers the window as any loss does.
    fn tlp_on_ack(&mut self, findings: &AckFindings, segment: &Segment, range: (u64, u64), now: Instant) {
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        let repaired = repair.tlp.on_ack(findings, segment, range);
        if repaired && self.recovery.phase == RecoveryPhase::Open {
            self.signal_congestion(Signal::Loss, self.board.nxt - range.0, now);
            self.note_undo(false, now);
            self.on_window_reduced();
        }
    }

    /// Whether an ACK without SACK blocks needs no look by the optional parts: all is in order, and nothing was sent again.
    #[inline]
    pub(in crate::tcp) fn takes_fast_path(&self) -> bool {
        let Some(repair) = self.extensions.as_deref().map(|e| &e.repair) else { return false };
        self.recovery.phase == RecoveryPhase::Open
            && self.board.is_clean()
            && repair.rack.is_idle()
            && repair.tlp.is_idle()
            && repair.undo.is_idle()
    }

    /// An ACK that takes the fast path has advanced and is processed.
    pub(in crate::tcp) fn after_fast_path(&mut self, now: Instant) {
        let una = self.board.una;
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            repair.rack.on_ack_in_order(una, self.rtt.latest);
        }
        self.arm_probe(now);
    }

    /// Records the state before an ACK, which [`Self::conclude`] compares with.
    #[inline(never)]
    pub(in crate::tcp) fn record_before_ack(&mut self) {
        let before = BeforeAck {
            una: self.board.una,
            delivered: self.delivered(),
            segments: self.board.delivered,
            marked: self.board.marked,
        };
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            repair.before = before;
        }
    }

    /// After the window has reacted to an ACK.
    #[inline(never)]
    pub(in crate::tcp) fn conclude(&mut self, now: Instant) {
        let Some(before) = self.extensions.as_ref().map(|extensions| extensions.repair.before) else {
            return;
        };
        let BeforeAck { una, delivered, segments, marked } = before;
        let news = self.delivered().saturating_sub(delivered);
        let reducing = matches!(self.recovery.phase, RecoveryPhase::Fast | RecoveryPhase::Cwr);
        let full = u64::from(self.board.delivered.wrapping_sub(segments)) * u64::from(self.mss);
        let counts_segments = self.config.prr == Prr::Linux && self.options.sack;
        let counted = if counts_segments { full } else { news };
        if reducing && self.reduces_rate() && counted > 0 {
            self.prr_on_ack(counted, self.board.una > una && self.board.marked == marked);
        }
        if news > 0 {
            self.arm_earlier(now);
        }
    }

    /// Bytes that have left the network for the receiver, as a running sum.
    fn delivered(&self) -> u64 {
        self.board.una + self.board.sacked() + self.recovery.dup_bytes
    }

    /// Puts the reordering timer or the loss probe in front of the retransmission timer, where either is due first.
    fn arm_earlier(&mut self, now: Instant) {
        self.timer.bare_retransmission();
        let Some(repair) = self.extensions.as_deref().map(|e| &e.repair) else { return };
        if let Some(at) = repair.rack.deadline {
            self.arm_reordering(at, now);
        } else {
            self.arm_probe(now);
        }
    }

    /// A segment with sequence space from `start` to `end` goes out.
    #[inline(never)]
    pub(in crate::tcp) fn note_sent(&mut self, (start, end): (u64, u64), new: bool, now: Instant) {
        if matches!(self.recovery.phase, RecoveryPhase::Fast | RecoveryPhase::Cwr) {
            let out = PrrState::in_units(self.config.prr, end - start, u64::from(self.mss));
            if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
                repair.prr.on_sent(out);
            }
        }
        if self.config.push_acks {
            self.extensions.on_data_sent(now);
        }
        if new {
            self.arm_probe_after_data(end, now);
            return;
        }
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        repair.undo.note_resent(now);
        if self.config.rack && self.options.sack {
            repair.rack.note_resent(end, now);
        }
    }

    /// Marks lost segments after a timeout, and begins F-RTO.
    pub(super) fn on_timeout_optional(&mut self, reneged: bool, now: Instant) {
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            let frto = Frto::at_timeout(self.recovery.phase, self.timer.has_repeated());
            repair.frto = if self.config.frto { frto } else { Frto::Off };
            repair.tlp.reset();
            repair.dup_thresh = u16::from(self.config.dup_thresh);
        }
        let (linux, context) = (self.follows_linux(), self.rack_context(now));
        match self.extensions.as_deref_mut().filter(|_| self.config.rack && self.options.sack && !reneged) {
            Some(extensions) => extensions.repair.rack.on_timeout(&mut self.board, linux, &context),
            None => self.board.mark_all_lost(),
        }
    }

    /// Duplicate ACKs that mean a loss.
    pub(in crate::tcp) fn dup_thresh(&self) -> u16 {
        self.extensions.as_ref().map_or(u16::from(self.config.dup_thresh), |e| e.repair.dup_thresh)
    }
}

/// RACK (RFC 8985 §6).
impl Tcp {
    fn rack_context(&self, now: Instant) -> RackContext {
        RackContext {
            now,
            min_rtt: self.rtt.min,
            smoothed: self.rtt.smoothed,
            dup_thresh: self.dup_thresh(),
            // With this ACK a recovery may be over, which is left later.
            repairing: self.recovery.is_active() && self.board.una < self.recovery.point,
        }
    }

    /// Whether the details are Linux's, where they differ from RFC 8985.
    fn follows_linux(&self) -> bool {
        self.config.rto_window == RtoWindow::FlightAndOne
    }

    /// The reordering timer expired (RFC 8985 §6.3).
    pub(in crate::tcp) fn on_reorder_timeout(&mut self, now: Instant) {
        self.timer.bare_retransmission();
        let (marked, context) = (self.board.marked, self.rack_context(now));
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            repair.rack.detect_loss(&mut self.board, &context);
        }
        if self.board.marked != marked {
            if !self.recovery.is_active() {
                self.enter_fast(self.board.outstanding(), now);
                // Linux counts a segment as delivered then, as if an ACK had come (`tcp_rack_reo_timeout`).
                if self.config.prr == Prr::Linux && self.reduces_rate() {
                    self.prr_on_ack(u64::from(self.mss), false);
                }
            }
            self.overrides_window = true;
        }
        let deadline = self.extensions.as_ref().and_then(|e| e.repair.rack.deadline);
        if let Some(at) = deadline.filter(|at| *at > now) {
            self.arm_reordering(at, now);
        }
    }

    /// Arms the reordering timer for segments that are lost from `at` on.
    fn arm_reordering(&mut self, at: Instant, now: Instant) {
        let wait = at.saturating_since(now) + self.slack();
        self.timer.put_reordering(self.expiry(now, wait));
    }
}

/// Tail loss probes (RFC 8985 §7).
impl Tcp {
    /// RFC 8985 §7.2: whether a probe may be scheduled. Linux does so while one is out, too (`tcp_schedule_loss_probe`).
    fn may_schedule_probe(&self) -> bool {
        let Some(repair) = self.extensions.as_deref().map(|e| &e.repair) else { return false };
        self.config.tlp
            && (self.follows_linux() || repair.tlp.may_send(self.rtt.samples))
            && repair.rack.deadline.is_none()
            && self.options.sack
            && !self.recovery.is_active()
            && !self.recovery.waits_for_timer()
            && self.board.sacked() == 0
            && self.board.outstanding() > 0
    }

    /// Schedules a probe where there may be one.
    fn arm_probe(&mut self, now: Instant) {
        if !self.may_schedule_probe() {
            return;
        }
        self.timer.bare_retransmission();
        let smoothed = (self.rtt.samples > 0).then_some(self.rtt.smoothed);
        let wait = Tlp::interval(smoothed, self.has_single_segment_out(), self.slack());
        self.timer.put_probe(self.expiry(now, wait));
    }

    /// New data is sent up to `end`, as a probe or not: a probe sets the timer itself. Where one is scheduled, the timeout counts
    /// from when the oldest segment was sent (Linux `tcp_event_new_data_sent`, `tcp_rearm_rto`).
    fn arm_probe_after_data(&mut self, end: u64, now: Instant) {
        let Some(tlp) = self.extensions.as_ref().map(|e| &e.repair.tlp) else { return };
        if tlp.is_new_data(end) || (self.timer.is_settled() && tlp.settled_at() == now) {
            return;
        }
        let restarts = self.config.rto_restart && self.timer.awaits_probe();
        if restarts {
            self.restart_rto(now);
        }
        self.arm_probe(now);
        if restarts && self.timer.awaits_probe() && !self.has_single_segment_out() {
            self.timer.settle();
            if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
                repair.tlp.settle(now);
            }
        }
    }

    /// Whether no more than one segment is outstanding, whose ACK the receiver may delay.
    fn has_single_segment_out(&self) -> bool {
        self.board.outstanding() <= self.board.head_len()
    }

    /// The time for a probe has come (RFC 8985 §7.3): new data where the peer's window has room for it, cwnd or not. While one is
    /// out there is no other; the timeout comes next, at once if it would have expired.
    pub(in crate::tcp) fn on_probe_timeout(&mut self, now: Instant) {
        if self.config.rto_restart {
            self.restart_rto(now);
        }
        self.timer.bare_retransmission();
        let samples = self.rtt.samples;
        let may = self.extensions.as_ref().is_some_and(|e| e.repair.tlp.may_send(samples));
        let may = may && self.may_schedule_probe();
        let (len, fin) = self.next_len();
        let new = len + fin > 0 && self.board.nxt < self.snd.end() && !self.is_cut_by_window(len);
        if let (true, Some(extensions)) = (may, self.extensions.as_deref_mut()) {
            extensions.repair.tlp.demand();
            self.overrides_window |= new;
            self.probe_due |= !new;
        }
    }

    /// Whether the peer's window cuts the next new segment to `len` bytes: Linux does not probe with it (`tcp_snd_wnd_test`).
    fn is_cut_by_window(&self, len: u64) -> bool {
        let open = (self.board.una + self.snd_wnd.size()).saturating_sub(self.board.nxt);
        let there = self.snd.data_end().min(self.buffered());
        self.shared_window.get().is_none()
            && len == open
            && len < u64::from(self.mss)
            && self.board.nxt + len < there
    }

    /// Whether a probe goes out with the next poll.
    #[inline]
    pub(in crate::tcp) fn has_probe_due(&self) -> bool {
        self.probe_due || self.extensions.as_ref().is_some_and(|e| e.repair.tlp.is_due())
    }

    /// Whether a probe is due, which is new data then.
    #[inline(never)]
    pub(in crate::tcp) fn probes_with_new(&mut self, now: Instant) -> bool {
        let (len, fin) = self.next_len();
        self.start_probe(self.board.nxt + len + fin, false, now)
    }

    /// The last segment, to be sent again as a probe, if one is due.
    pub(in crate::tcp) fn last_segment_as_probe(&mut self, now: Instant) -> Option<(u64, u64)> {
        let last = self.board.last_hole()?;
        self.start_probe(self.board.nxt, true, now).then_some(last)
    }

    /// Sends a probe, if one is due; all up to `end` is sent then, and the timeout counts from now.
    fn start_probe(&mut self, end: u64, resent: bool, now: Instant) -> bool {
        let samples = self.rtt.samples;
        if !self.extensions.as_mut().is_some_and(|e| e.repair.tlp.start(end, resent, samples)) {
            return false;
        }
        self.stats.loss_probes += 1;
        self.rearm_retransmit(now);
        true
    }
}

/// Proportional rate reduction (RFC 6937) and window validation.
impl Tcp {
    /// Whether the window falls in proportion to what is delivered. Algorithms that use delivery rates limit their flight
    /// themselves, as in Linux those with `cong_control`.
    pub(super) fn reduces_rate(&self) -> bool {
        self.config.prr != Prr::Off && !self.needs.rates
    }

    /// An ACK delivered `news` bytes in fast recovery.
    fn prr_on_ack(&mut self, news: u64, progress: bool) {
        let (kind, mss) = (self.config.prr, u64::from(self.mss));
        let (pipe, target) = (PrrState::in_units(kind, self.pipe(), mss), self.cc.cwnd().get());
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        repair.prr.on_ack(kind, (target, pipe, mss), news, progress);
    }

    /// Nothing more is sent for now; cwnd is the reason if it is `full`.
    #[inline(never)]
    pub(in crate::tcp) fn note_usage(&mut self, full: bool) {
        let (una, nxt) = (self.board.una, self.board.nxt);
        let waits = self.buffers.as_ref().is_none_or(|buffers| !buffers.is_all_sent());
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            repair.cwnd_validation.note((full, waits), (una, nxt), self.board.segments());
        }
    }

    /// Whether nothing was sent since that was noted.
    #[inline]
    pub(in crate::tcp) fn has_noted_usage(&self) -> bool {
        let nxt = self.board.nxt;
        self.extensions.as_ref().is_some_and(|e| e.repair.cwnd_validation.is_noted_up_to(nxt))
    }

    /// Whether the window may grow, as it is what limits the sender.
    #[inline]
    pub(in crate::tcp) fn is_cwnd_limited(&self) -> bool {
        match self.extensions.as_deref() {
            _ if !self.config.cwnd_validation => true,
            Some(extensions) if self.config.lasting_limit => extensions.repair.cwnd_validation.is_limited(
                self.cc.cwnd(),
                self.cc.ssthresh(),
                u64::from(self.mss),
            ),
            _ => self.cwnd_limited,
        }
    }
}

/// Needless recoveries and their undoing.
impl Tcp {
    /// Whether retransmission waits until F-RTO has decided.
    pub(in crate::tcp) fn defers_retransmission(&self) -> bool {
        self.recovery.phase == RecoveryPhase::Loss
            && self.extensions.as_ref().is_some_and(|e| e.repair.frto == Frto::Probing)
    }

    /// Undoes the last recovery if an ACK shows that it was needless.
    fn detect_spurious(
        &mut self,
        findings: &AckFindings,
        segment: &Segment,
        acked: Option<&AckedSegments>,
        now: Instant,
    ) {
        let (mss, stamps) = (u64::from(self.mss), self.options.timestamps);
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        if !repair.undo.is_possible() && repair.frto == Frto::Off {
            return;
        }
        let echo = segment.timestamps.filter(|_| acked.is_some() && stamps).map(|t| t.echo);
        let needless = repair.undo.is_refuted_by(findings.dsack, echo, mss, &self.config);
        if needless || self.frto_on_ack(findings.original, acked) {
            self.undo(acked.map_or(0, |a| a.bytes), now);
        }
    }

    /// Whether F-RTO finds the timeout spurious; `original`: a segment sent once, before the timeout, is delivered.
    fn frto_on_ack(&mut self, original: bool, acked: Option<&AckedSegments>) -> bool {
        if self.extensions.as_ref().is_none_or(|e| e.repair.frto == Frto::Off) {
            return false;
        }
        let (len, fin) = self.next_len();
        let context = FrtoContext {
            sack: self.options.sack,
            loss: self.recovery.phase == RecoveryPhase::Loss,
            complete: self.board.una >= self.recovery.point,
            more: self.snd.after(self.board.nxt) > 0 && len + fin > 0 && self.is_worth_sending(len, fin),
            original,
        };
        self.extensions.as_mut().is_some_and(|e| e.repair.frto.on_ack(acked, context))
    }

    /// Makes the next reduction undoable (`possible`), or the last one final.
    pub(super) fn note_undo(&mut self, possible: bool, now: Instant) {
        let (una, resent) = (self.board.una, self.board.resent_bytes().div_ceil(u64::from(self.mss)));
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        if possible {
            repair.undo.begin(una, resent);
            repair.door.note_reduction(now);
        } else {
            repair.undo.forget();
        }
    }

    /// Undoes the last reduction as far as possible; `acked` bytes were just acknowledged.
    fn undo(&mut self, acked: u64, now: Instant) {
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        let restores_window = repair.undo.gives_window_back();
        repair.undo.forget();
        repair.frto = Frto::Off;
        self.stats.spurious_recoveries += 1;
        if restores_window {
            self.cc.tell(|cc| cc.on_undo());
        }
        self.board.unmark_lost();
        let r = &mut self.recovery;
        (r.phase, r.dup_acks, r.dup_bytes) = (RecoveryPhase::Open, 0, 0);
        self.overrides_window = false;
        r.cwr_due = false;
        r.cwr_point = self.board.una;
        if restores_window && self.config.undo_response == UndoResponse::Eifel {
            // RFC 4015 §3.2: no burst, and the timeout learns from the round trip that was too long for it.
            let initial = self.config.initial_window(u64::from(self.mss));
            self.cc.tell(|cc| cc.on_recovered(Bytes(self.board.outstanding() + acked.min(initial))));
            self.rtt.after_spurious_timeout(&self.config);
        }
        if self.board.outstanding() > 0 && !self.timer.is_off() {
            self.rearm_retransmit(now);
        }
    }

    /// TCP-DOOR: something arrived out of order.
    fn on_door_event(&mut self, now: Instant) {
        let srtt = self.rtt.smoothed;
        let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) else { return };
        if repair.door.on_out_of_order(srtt, &self.config, now) && repair.undo.is_possible() {
            self.undo(0, now);
        }
    }

    /// Whether congestion signals change nothing at present.
    pub(super) fn ignores_congestion(&self, now: Instant) -> bool {
        let Some(repair) = self.extensions.as_deref().map(|e| &e.repair) else { return false };
        self.config.misbehaviour == Misbehaviour::IgnoresCongestion || repair.door.holds_off(now)
    }
}

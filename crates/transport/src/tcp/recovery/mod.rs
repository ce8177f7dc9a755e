//! Loss recovery: fast retransmit and fast recovery with SACK (RFC 6675) and without (RFC 6582), limited transmit
//! (RFC 3042), the timeout's slow start, and the response to congestion marks (RFC 3168).
//!
//! Without SACK each duplicate ACK stands for one segment that has left the network, so that both kinds share one
//! rule: send while pipe < cwnd. That is RFC 6582's window inflation from the other side, and cwnd shows no bumps.

mod ack_findings;
mod cwnd_validation;
mod door;
mod frto;
mod ns2_pipe;
mod optional;
mod prr;
mod rack;
mod state;
mod tlp;
mod undo;

pub(super) use optional::OptionalRecovery;
pub(super) use state::RecoveryState;

use super::Tcp;
use super::send::scoreboard::AckedSegments;
use crate::cc::{AckSample, CongestionControl, CongestionEvent, Signal};
use crate::config::{
    DupLimit, EcnLeast, HalveBase, Increase, Prr, RecoveryExit, RepeatedRto, RtoAfterMark, RtoWindow,
};
use state::RecoveryPhase;
use tailrace_core::{Bytes, Duration, Instant};

impl Tcp {
    /// Bytes in the network as far as the window rule is concerned.
    #[inline(always)]
    pub(super) fn pipe(&self) -> u64 {
        let r = &self.recovery;
        if r.counts {
            let calm = r.phase == RecoveryPhase::Open && r.dup_acks == 0;
            return if calm { self.board.outstanding() } else { self.ns2_pipe() };
        }
        // All else takes place for a loss, or without SACK.
        let usual = r.dup_bytes == 0 && r.phase != RecoveryPhase::Loss && self.config.limited_transmit;
        if usual {
            self.board.pipe()
        } else {
            self.recovery.pipe_less_duplicates(&self.board, &self.config, u64::from(self.mss))
        }
    }

    fn ns2_pipe(&self) -> u64 {
        let credit = if self.config.limited_transmit { self.dup_thresh().saturating_sub(1) } else { 0 };
        self.recovery.ns2_pipe(&self.board, u64::from(self.mss), credit)
    }

    /// The congestion window, as proportional rate reduction spreads its fall in fast recovery.
    #[inline]
    pub(super) fn cwnd(&self) -> Bytes {
        if matches!(self.recovery.phase, RecoveryPhase::Fast | RecoveryPhase::Cwr) {
            self.cwnd_in_reduction()
        } else {
            self.cc.cwnd()
        }
    }

    #[inline(never)]
    fn cwnd_in_reduction(&self) -> Bytes {
        match self.extensions.as_deref() {
            Some(extensions) if self.reduces_rate() => extensions.repair.prr.window(),
            _ => self.cc.cwnd(),
        }
    }

    /// The window in use: cwnd within the configured limit.
    #[inline(always)]
    pub(super) fn window(&self) -> u64 {
        self.limited(self.cwnd())
    }

    /// `cwnd` within the configured limit.
    #[inline]
    pub(super) fn limited(&self, cwnd: Bytes) -> u64 {
        match self.config.window {
            Some(packets) => cwnd.get().min(packets.max(1).saturating_mul(u64::from(self.mss))),
            None => cwnd.get(),
        }
    }

    fn halve_base(&self, flight: u64) -> Bytes {
        Bytes(match self.config.halve_base {
            // SACKed segments are outstanding, but not in the network: a loss must never raise the window.
            HalveBase::Flight => flight.min(self.window()),
            HalveBase::Window => self.window(),
        })
    }

    fn signal_congestion(&mut self, signal: Signal, flight: u64, now: Instant) {
        let ignored = self.ignores_congestion(now);
        if signal != Signal::RepeatedTimeout {
            self.note_undo(!ignored && signal != Signal::Ecn, now);
        }
        if ignored {
            return;
        }
        let base = self.halve_base(flight);
        self.cc.tell(|cc| cc.on_congestion(&CongestionEvent { now, signal, base }));
    }

    /// An ACK of new data. `flight` and `pipe` are what they were before it; `bytes` are what the window grows by.
    #[inline(always)]
    pub(super) fn on_advance(
        &mut self,
        (acked, bytes): (&AckedSegments, u64),
        (flight, pipe): (u64, u64),
        rtt: Option<Duration>,
        marked: bool,
        now: Instant,
    ) {
        self.recovery.dup_acks = 0;
        if !self.recovery.is_active() {
            self.recovery.dup_bytes = 0;
            if self.recovery.counts {
                self.board.forget_flags();
            }
        } else {
            let ended = self.board.una >= self.recovery.point;
            if self.recovery.phase == RecoveryPhase::Fast {
                self.on_ack_in_fast(acked, ended);
                let counts = ended && self.config.increase == Increase::Delivered;
                if self.recovery.phase != RecoveryPhase::Open || !(self.board.has_lost() || counts) {
                    self.tell_round_trip((acked.bytes, flight), rtt, now);
                    return;
                }
            } else if ended {
                self.leave_recovery();
            }
        }
        if !self.recovery.is_active() && self.board.has_lost() {
            self.enter_fast(flight, now);
        } else if self.recovery.phase != RecoveryPhase::Cwr
            && (!marked || self.recovery.phase == RecoveryPhase::Loss)
        {
            // The repair of a timeout sends no CWR for want of new data, so the echo goes on; it is answered already.
            let sample = AckSample {
                now,
                acked: Bytes(bytes),
                advance: Bytes(acked.bytes),
                in_flight: Bytes(pipe),
                outstanding: Bytes(flight),
                rtt,
                smoothed_rtt: self.rtt.smoothed,
                min_rtt: self.rtt.min,
                cwnd_limited: self.is_cwnd_limited(),
                after_timeout: self.recovery.phase == RecoveryPhase::Loss
                    && self.config.increase != Increase::Delivered,
            };
            self.cc.tell(|cc| cc.on_ack(&sample));
        } else {
            self.tell_round_trip((acked.bytes, flight), rtt, now);
        }
    }

    /// Tells the congestion control of an ACK that does not grow the window: it covers `advance` of `flight` bytes, or gave a
    /// round trip.
    pub(in crate::tcp) fn tell_round_trip(
        &mut self,
        (advance, flight): (u64, u64),
        rtt: Option<Duration>,
        now: Instant,
    ) {
        let sample = AckSample {
            now,
            acked: Bytes(advance),
            advance: Bytes(advance),
            in_flight: Bytes(self.pipe()),
            outstanding: Bytes(flight),
            rtt,
            smoothed_rtt: self.rtt.smoothed,
            min_rtt: self.rtt.min,
            cwnd_limited: false,
            after_timeout: false,
        };
        let window = self.cwnd();
        self.cc.tell(|cc| cc.on_round_trip(&sample, window));
    }

    #[inline(never)]
    fn on_ack_in_fast(&mut self, acked: &AckedSegments, ended: bool) {
        if ended || (!self.options.sack && self.cc.leaves_recovery_on_partial_ack()) {
            self.leave_recovery();
            if !self.options.sack && self.config.recovery_exit == RecoveryExit::Flight {
                let mss = u64::from(self.mss);
                self.cc.tell(|cc| cc.on_recovered(Bytes(self.board.outstanding().max(mss) + mss)));
            }
        } else if !self.options.sack {
            // Partial ACK: the next segment is missing, too. What was acknowledged beyond it had been counted as
            // having left already.
            let beyond = acked.bytes.saturating_sub(u64::from(self.mss));
            let room = self.room_above_head();
            self.recovery.dup_bytes = self.recovery.dup_bytes.saturating_sub(beyond).min(room);
            self.board.mark_head_lost();
            self.overrides_window = true;
        }
    }

    #[inline(never)]
    fn leave_recovery(&mut self) {
        if self.recovery.counts {
            self.recovery.end_ns2_count(&mut self.board);
        }
        self.recovery.phase = RecoveryPhase::Open;
        self.recovery.dup_bytes = 0;
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            repair.rack.on_recovered();
        }
    }

    /// Whether an ACK of new data restarts the timer: in the impatient variant of RFC 6582 §4 only the first
    /// partial one does.
    pub(super) fn restarts_timer(&mut self) -> bool {
        let partial = self.recovery.phase == RecoveryPhase::Fast && self.board.una < self.recovery.point;
        let first = !self.recovery.partial_seen;
        self.recovery.partial_seen |= partial;
        !partial || first || self.options.sack || !self.config.impatient
    }

    /// A duplicate ACK (without SACK), or one that SACKs something new.
    pub(super) fn on_duplicate(&mut self, now: Instant) {
        self.stats.dup_acks += 1;
        if self.recovery.dup_acks == 0 {
            self.recovery.flight = self.board.outstanding();
        }
        self.recovery.dup_acks = self.recovery.dup_acks.saturating_add(1);
        if self.recovery.phase == RecoveryPhase::Loss {
            return;
        }
        if !self.options.sack {
            self.count_duplicate();
        }
        if self.recovery.phase == RecoveryPhase::Fast {
            return;
        }
        let counts = !(self.config.rack && self.options.sack);
        let enough = counts && self.recovery.dup_acks >= u32::from(self.dup_thresh());
        // RFC 6582 §3.2 step 2 and RFC 6675 §5: not twice for one window.
        let fresh = if self.options.sack && !self.recovery.counts {
            self.board.una >= self.recovery.point
        } else {
            self.board.una > self.recovery.point
        };
        if self.board.has_lost() || (enough && fresh) {
            self.enter_fast(self.recovery.flight, now);
        }
    }

    /// Bytes that may have left the network above the missing segment.
    fn room_above_head(&self) -> u64 {
        self.board.outstanding() - self.board.head_len()
    }

    /// Counts a duplicate ACK as a segment that has left the network, while one may have: further ACKs are forged, or caused
    /// by needless retransmissions.
    fn count_duplicate(&mut self) {
        let (mss, room) = (u64::from(self.mss), self.room_above_head());
        let fast = self.recovery.phase == RecoveryPhase::Fast;
        let limited = fast && self.config.dup_limit == DupLimit::Flight;
        let allowance = self.extensions.as_deref_mut().filter(|_| limited);
        let news = match allowance.map(|extensions| &mut extensions.repair.dup_allowance) {
            Some(left) => {
                let news = mss.min(*left);
                *left -= news;
                news
            }
            None => mss,
        };
        self.recovery.dup_bytes = (self.recovery.dup_bytes + news).min(room);
    }

    #[inline(never)]
    pub(super) fn enter_fast(&mut self, flight: u64, now: Instant) {
        self.stats.fast_retransmits += 1;
        // A reduction that is being spread goes on, and ends where it would have.
        let reducing = self.recovery.phase == RecoveryPhase::Cwr;
        let window = self.window();
        // RFC 3168 §6.1.2: a window that fell for a mark does not fall again for a loss in the same window.
        let spared = reducing || self.board.una < self.recovery.cwr_point;
        if spared {
            self.note_undo(false, now);
        } else {
            self.signal_congestion(Signal::Loss, flight, now);
        }
        if self.recovery.counts {
            let outstanding = self.board.outstanding().div_ceil(u64::from(self.mss));
            self.recovery.begin_ns2_count(outstanding, self.dup_thresh());
        }
        let r = &mut self.recovery;
        r.point = if reducing || (spared && r.counts) { r.cwr_point } else { self.board.nxt };
        r.phase = RecoveryPhase::Fast;
        r.partial_seen = false;
        r.rescued = false;
        r.by_mark = false;
        if !reducing {
            self.on_window_reduced();
        }
        if !self.board.has_lost() {
            self.board.mark_head_lost();
        }
        if self.config.dup_limit == DupLimit::Flight {
            self.limit_duplicates(flight);
        }
        self.rtt.forget_timed();
        self.overrides_window = true;
        self.rearm_retransmit(now);
        let from = if self.config.prr == Prr::Linux { window } else { flight };
        let pipe = self.pipe();
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            repair.tlp.reset();
            if !reducing {
                repair.prr.begin(from, pipe, self.mss);
            }
        }
    }

    /// Limits the duplicate ACKs that count in this recovery to `flight`, the bytes outstanding at the first of them.
    #[inline(never)]
    fn limit_duplicates(&mut self, flight: u64) {
        let most = flight.saturating_sub(self.board.head_len());
        let counted = self.recovery.dup_bytes.min(most);
        self.recovery.dup_bytes = counted;
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            repair.dup_allowance = most - counted;
        }
    }

    /// The hole that `repair_holes` repairs before new data goes out.
    #[inline]
    pub(super) fn next_repair(&mut self) -> Option<(u64, u64)> {
        let repairs = self.config.repair_holes || self.recovery.counts;
        let wanted = self.recovery.phase == RecoveryPhase::Fast && self.options.sack && repairs;
        if wanted { self.board.next_hole() } else { None }
    }

    /// Whether SACKs count at present.
    #[inline]
    pub(super) fn uses_sack(&self) -> bool {
        self.options.sack && (self.config.sack_after_rto || self.recovery.phase != RecoveryPhase::Loss)
    }

    /// Segment of NextSeg's rules 3 and 4: the first hole below the highest SACK; once a recovery, the last segment.
    pub(super) fn next_rescue(&mut self) -> Option<(u64, u64)> {
        if self.recovery.phase != RecoveryPhase::Fast || !self.options.sack || !self.config.sack_rescue {
            return None;
        }
        let hole = self.board.next_hole();
        if hole.is_some() || self.recovery.rescued {
            return hole;
        }
        self.board.last_hole()
    }

    /// The segment of [`Self::next_rescue`], up to `end`, was sent.
    pub(super) fn on_rescued(&mut self, end: u64) {
        self.recovery.rescued |= end == self.board.nxt;
    }

    /// The retransmission timer expired.
    pub(super) fn on_timeout_loss(&mut self, now: Instant) {
        let again = self.recovery.phase == RecoveryPhase::Loss && self.timer.has_repeated();
        let lowered = match self.config.repeated_rto_ssthresh {
            RepeatedRto::Again => false,
            RepeatedRto::Once => again,
            RepeatedRto::Window => {
                again || matches!(self.recovery.phase, RecoveryPhase::Fast | RecoveryPhase::Cwr)
            }
        };
        let spared = self.config.rto_after_mark == RtoAfterMark::Keep && self.recovery.by_mark;
        let signal = if lowered || spared { Signal::RepeatedTimeout } else { Signal::Timeout };
        self.signal_congestion(signal, self.board.outstanding(), now);
        let reneged = self.board.head_is_sacked();
        if reneged || !self.config.sack_after_rto {
            self.board.clear_sacks();
            if let Some(buffer) = self.send_buffer_mut() {
                buffer.queue.forget_sacks();
            }
        }
        if self.extensions.is_some() {
            self.on_timeout_optional(reneged, now);
        } else {
            self.board.mark_all_lost();
        }
        self.on_window_reduced();
        let r = &mut self.recovery;
        (r.phase, r.point, r.dup_acks, r.dup_bytes) = (RecoveryPhase::Loss, self.board.nxt, 0, 0);
        r.by_mark = false;
        r.on_timer();
        self.rtt.forget_timed();
        let pipe = self.board.pipe();
        if self.config.rto_window == RtoWindow::FlightAndOne && !self.ignores_congestion(now) {
            self.cc.tell(|cc| cc.on_flight_after_timeout(Bytes(pipe + u64::from(self.mss))));
        }
        // Recent segments may still be on their way: the oldest one is sent nevertheless.
        self.overrides_window = pipe > 0;
    }

    /// The peer echoed a mark: once a window (RFC 3168 §6.1.2).
    pub(super) fn on_echo(&mut self, flight: u64, now: Instant) {
        if self.recovery.phase != RecoveryPhase::Open || self.board.una <= self.recovery.cwr_point {
            return;
        }
        self.stats.ecn_reductions += 1;
        let window = self.window();
        self.signal_congestion(Signal::Ecn, flight, now);
        self.on_window_reduced();
        self.recovery.by_mark = true;
        if self.config.ecn_least == EcnLeast::OneThenWait {
            self.wait_for_timer(window <= u64::from(self.mss), now);
        }
        // An algorithm for which marks are everyday signals sees to its window itself (`cong_control` of its Linux form).
        if self.config.prr == Prr::Linux && self.reduces_rate() && !self.needs.l4s {
            self.enter_cwr(window);
        }
    }

    /// A segment just sent was dropped at this host's own interface, which is down (`tcp_enter_cwr`).
    pub fn on_local_drop(&mut self, now: Instant) {
        if !self.config.heeds_local_drops {
            return;
        }
        if self.recovery.phase == RecoveryPhase::Open {
            let window = self.window();
            self.signal_congestion(Signal::Ecn, self.board.outstanding(), now);
            self.recovery.cwr_point = self.board.nxt;
            if self.config.prr == Prr::Linux && self.reduces_rate() {
                self.enter_cwr(window);
            }
        }
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            repair.undo.keep_window();
        }
    }

    /// Spreads the reduction of `window` for a mark in proportion to deliveries.
    fn enter_cwr(&mut self, window: u64) {
        let pipe = self.pipe();
        if let Some(repair) = self.extensions.as_deref_mut().map(|e| &mut e.repair) {
            self.recovery.phase = RecoveryPhase::Cwr;
            repair.prr.begin(window, pipe, self.mss);
        }
    }

    /// The reduction for a mark ends: data beyond it is acknowledged, so the peer has seen CWR (`TCP_CA_CWR` ends).
    #[inline]
    pub(super) fn leave_cwr(&mut self) {
        if self.recovery.phase == RecoveryPhase::Cwr && self.board.una > self.recovery.cwr_point {
            self.recovery.phase = RecoveryPhase::Open;
        }
    }

    /// A mark came, at a window of one segment or not. At one segment only the rate can fall: the next segment waits for the
    /// retransmission timer (RFC 3168 §6.1.2), and longer with each further mark.
    fn wait_for_timer(&mut self, at_one: bool, now: Instant) {
        if at_one {
            if self.recovery.marked_at_one {
                self.rtt.back_off();
            }
            self.recovery.waits_for_timer = true;
            self.rearm_retransmit(now);
        }
        self.recovery.marked_at_one = at_one;
    }

    /// The window has fallen: CWR is due, and marks of this window of data change nothing more.
    fn on_window_reduced(&mut self) {
        if self.options.ecn {
            self.recovery.cwr_due = !self.feedback.is_accurate();
            self.recovery.cwr_point = self.board.nxt;
        }
    }
}

//! What goes out: what subflows have to send, and new data by the scheduler's choice.

use super::behaviour::HandsOut;
use super::chunk::DataChunk;
use super::config::Penalisation;
use super::data::sender::DataSender;
use super::handshake::Stage;
use super::scheduler::{ConnectionView, Pieces, Scheduler, SubflowView};
use super::subflow::mappings::{FittedChunk, SentMapping};
use super::{Mptcp, Transmit};
use crate::cc::CongestionControl;
use tailrace_core::{Bytes, Instant};

/// What a scheduler may ask of the sending side.
struct Sendable<'a> {
    snd: &'a mut DataSender,
    /// New bytes within the peer's window.
    fresh: Option<DataChunk>,
}

impl Pieces for Sendable<'_> {
    fn reinjection(&mut self) -> Option<DataChunk> {
        self.snd.first_reinjection()
    }
    fn fresh(&self) -> Option<DataChunk> {
        self.fresh
    }
    fn sent_at(&self, dsn: u64) -> Option<DataChunk> {
        if dsn <= self.snd.una { self.snd.oldest() } else { self.snd.piece_at(dsn) }
    }
}

impl Mptcp {
    /// The next segment to send, if any. Call until `None` after each input.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Transmit> {
        let mut next = Transmit::default();
        self.poll_transmit_into(&mut next, now).then_some(next)
    }

    /// Whether there is another segment to send, which is put into `next`: it is large, and made where it is to be.
    #[inline(always)]
    pub fn poll_transmit_into(&mut self, next: &mut Transmit, now: Instant) -> bool {
        if let Some((tuple, segment, options)) = self.resets.pop_front() {
            *next = Transmit { subflow: None, tuple, segment, options, route: None, resent: false };
            return true;
        }
        if self.opening.is_some() && self.has_opened() {
            self.run_path_manager(now);
        }
        loop {
            if self.push_due {
                if self.repairs(next, now) {
                    return true;
                }
                self.push_pending(now);
            }
            if self.poll_subflows(next, now) {
                return true;
            }
            let goes_on = self.gives_way || (!self.fills && self.schedule(now));
            if !goes_on && !self.say_fin() && !self.refill(now) {
                return false;
            }
            self.push_due = self.fills;
        }
    }

    /// Whether it is known that nothing follows what was polled last, as at an end that only receives and has acknowledged what came.
    #[inline]
    pub fn is_exhausted(&mut self) -> bool {
        let done = self.subflows.first_dirty().is_none() && self.snd.is_idle() && self.resets.is_empty();
        let waits = self.push_due || self.gives_way || self.fin_due;
        let resends = self.resend.is_some() || self.judging.is_some();
        let exhausted = done && !waits && !resends && self.opening.is_none();
        if exhausted {
            self.acked = 0;
        }
        exhausted
    }

    /// What was written goes to the subflows before any of it is sent (`__mptcp_push_pending`). Before another subflow gets some, what
    /// the one before it got leaves as far as it can: then this goes on.
    fn push_pending(&mut self, now: Instant) {
        self.push_due = false;
        if !core::mem::take(&mut self.gives_way) {
            self.pushing = false;
            self.subflows.invalidate_dirty_views();
        }
        if self.judges_next() {
            self.judge_on(now);
        }
        self.note_data_interval(now);
        while self.schedule(now) {
            self.pushing = true;
        }
        self.heard = None;
        if let Some(id) = self.writes_to.take() {
            self.subflows[id].tcp.push();
        }
    }

    /// Whether the subflow that has just heard an ACK sends something again, which is put into `next`: the connection looks at what there is
    /// to hand out after that (`tcp_ack`, `mptcp_incoming_options`). One that has come to rest since waits for its own timer.
    #[inline]
    pub(super) fn repairs(&mut self, next: &mut Transmit, now: Instant) -> bool {
        let at_once = |id: &usize| self.subflows[*id].tcp.has_repairs() && self.subflows.is_dirty(*id);
        let Some(id) = self.heard.filter(at_once) else { return false };
        self.share_window(id);
        let repairs = self.subflows[id].tcp.poll_repair_into(&mut next.segment, now);
        if repairs {
            self.completes(id, next, now);
        }
        repairs
    }

    /// What the subflows that were touched have to send, if anything, into `next`. Those that have nothing more are as a scheduler
    /// sees them.
    #[inline(always)]
    fn poll_subflows(&mut self, next: &mut Transmit, now: Instant) -> bool {
        while let Some(id) = self.subflows.first_dirty() {
            self.share_window(id);
            let sends = self.subflows[id].tcp.poll_transmit_into(&mut next.segment, now);
            if !sends || self.completes(id, next, now) {
                self.subflows.clear_first_dirty();
                self.rest(id);
            }
            if sends {
                return true;
            }
        }
        false
    }

    /// Completes the segment that subflow `id` sends. Whether it is known that another poll of its TCP would bring nothing.
    #[inline(always)]
    fn completes(&mut self, id: usize, next: &mut Transmit, now: Instant) -> bool {
        let resent = next.segment.repeated;
        self.decorate(id, &mut next.segment, &mut next.options);
        let (segment, options) = (&next.segment, &next.options);
        let s = &mut self.subflows[id];
        (next.subflow, next.tuple, next.route, next.resent) = (Some(id), s.tuple, s.route, resent);
        if s.cut_off {
            s.tcp.on_local_drop(now);
        }
        if self.rcv.on_sent(id, s.tcp.shown_window()) {
            s.tcp.demand_ack();
        }
        if self.fills && segment.payload > 0 && !resent {
            self.date(id, now);
            if self.snd.is_full() && self.subflows[id].tcp.packet_is_out() {
                self.grow_buffer(id);
            }
        }
        if !self.signals.is_empty() && options.dss.is_some() && self.is_multipath() {
            self.ask_for_signals(id);
        }
        if !self.data_rto.runs() && options.dss.as_ref().is_some_and(|d| d.data_fin) {
            self.arm_data_timer(now);
        }
        self.subflows[id].is_exhausted(segment, !resent)
    }

    /// Tells the TCP of subflow `id` of the window that the connection has, unless it knows.
    #[inline]
    pub(super) fn share_window(&mut self, id: usize) {
        if self.rcv.take_changed() {
            self.subflows.invalidate_windows();
        }
        if !self.subflows.has_current_window(id) {
            self.share_another_window(id);
        }
    }

    #[inline(never)]
    fn share_another_window(&mut self, id: usize) {
        let mss = self.subflows[id].tcp.mss();
        let in_memory = || (self.subflows.arrivals(id).window(), self.subflows[id].tcp.window_unit());
        let window = self.rcv.window(id, mss, in_memory).saturating_sub(self.held(id));
        if self.subflows[id].tcp.has_quick_acks()
            && self.rcv.is_half_full(id, self.subflows.rcv_space_of(id).clamp())
        {
            self.subflows[id].tcp.end_quick_acks();
        }
        if self.rcv.take_changed() {
            self.subflows.invalidate_windows();
        }
        self.subflows.share_window(id, window);
    }

    /// Data leaves on subflow `id` for the first time there.
    fn date(&mut self, id: usize, now: Instant) {
        match self.subflows[id].leaving() {
            Some(m) if m.again => self.snd.date(m.dsn, now),
            Some(m) => self.snd.date_piece(m.piece, now),
            None => {}
        }
    }

    /// One signal a segment: the next ACK of subflow `id` takes the next.
    #[cold]
    fn ask_for_signals(&mut self, id: usize) {
        if self.signals.has_for(id) {
            self.subflows[id].tcp.demand_ack();
        }
    }

    /// Subflow `id` has come to rest. An end that has nothing to send looks at its subflows when it needs to.
    #[inline]
    fn rest(&mut self, id: usize) {
        self.subflows.refresh_timers(id);
        if self.snd.is_idle() {
            self.subflows.invalidate_view(id);
        } else if self.glances {
            self.subflows.refresh_usability(id, self.carries_data());
        } else {
            self.refresh(id);
        }
    }

    fn refresh(&mut self, id: usize) {
        self.subflows.refresh(id, self.carries_data());
    }

    /// Looks at the subflows that have changed unseen.
    #[inline]
    pub(super) fn look(&mut self) {
        self.subflows.look(self.carries_data());
    }

    pub(super) fn refresh_all(&mut self) {
        self.subflows.refresh_all(self.carries_data());
    }

    /// Hands the next bytes to a subflow, if there are any and one has room.
    #[inline]
    fn schedule(&mut self, now: Instant) -> bool {
        let nothing = self.snd.nxt >= self.snd.app_end && !self.snd.has_reinjections();
        !(nothing && self.resend.is_none() && self.judging.is_none()) && self.schedule_some(now)
    }

    /// The same where there are some.
    #[inline(never)]
    fn schedule_some(&mut self, now: Instant) -> bool {
        if !self.glances {
            self.look();
        }
        let nothing = self.glances && self.has_nothing_to_hand_out();
        let open =
            (nothing && self.subflows.has_known_open()) || self.subflows.finds_open(self.carries_data());
        let within = || self.is_within() && self.subflows.views().iter().any(|v| v.usable);
        if !open && !within() && !self.resends_anyway() {
            self.end_push_of_judgement(now);
            return false;
        }
        if let Some((chunk, id)) = self.next_resend() {
            self.assign(&chunk, id, now);
            return !self.ends_resending();
        }
        let mss = self.subflows.mss() - self.excess_of_capable().max(self.excess_of_acks());
        let Some((chunk, id)) = self.choose(mss, now).or_else(|| self.unblock(mss, now)) else {
            self.on_blocked_packet(now);
            self.end_push_of_judgement(now);
            return false;
        };
        self.stalled = false;
        if self.fills && self.gives_way_to(id) {
            return false;
        }
        self.assign(&chunk, id, now);
        true
    }

    /// Whether there is nothing to hand out, however large segments may be.
    #[inline]
    fn has_nothing_to_hand_out(&self) -> bool {
        !self.snd.has_fresh() && !self.snd.has_reinjections() && self.resend.is_none()
    }

    /// Whether all that the data timer sends again has been handed out. It leaves before another push, even if there is nothing more to
    /// hand out (`mptcp_check_and_set_pending`).
    fn ends_resending(&mut self) -> bool {
        self.gives_way = self.fills && self.resend.is_none();
        self.pushing &= !self.gives_way;
        self.gives_way
    }

    /// Subflow `id` is to get data: whether another one got some before, which is to leave first (`mptcp_push_release`). So does what
    /// a subflow may send by the ACK that lets data be handed out (`mptcp_subflow_delegate`): the choice is made before that.
    pub(super) fn gives_way_to(&mut self, id: usize) -> bool {
        if self.heard.take().is_some_and(|heard| heard != id) {
            self.pushing = true;
            self.gives_way = true;
            return true;
        }
        let Some(before) = self.writes_to.take_if(|before| *before != id) else { return false };
        self.subflows[before].tcp.push();
        self.gives_way = true;
        true
    }

    /// Where data waits only for the peer's window, a scheduler that fills queues still finds a subflow for it, and the first that
    /// has nothing would be done first: that learns of the window once a packet is begun.
    fn on_blocked_packet(&mut self, now: Instant) {
        if !self.fills || self.snd.unassigned() == 0 {
            return;
        }
        let views = self.subflows.views();
        let regular = views.iter().any(|v| v.usable && !v.backup);
        let fit = |v: &SubflowView| v.usable && !(v.backup && regular) && v.queued == Bytes::ZERO;
        if let Some(id) = views.iter().position(fit) {
            self.subflows[id].tcp.on_blocked_packet(now);
        }
    }

    /// What a scheduler hands out next, and to whom. One that fills queues need not be asked where there is nothing.
    fn choose(&mut self, mss: u32, now: Instant) -> Option<(DataChunk, usize)> {
        let fresh = self.snd.fresh(mss);
        if self.glances && fresh.is_none() && !self.snd.has_reinjections() {
            return None;
        }
        self.look();
        if self.scheduler.looks_at_windows() {
            self.subflows.measure();
        }
        let conn = self.view(now);
        let mut sendable = Sendable { snd: &mut self.snd, fresh };
        self.scheduler.next(&mut sendable, &conn, self.subflows.views())
    }

    /// Whether the next byte goes on with a fragment of which a part has just been handed out, and where packets count with one of
    /// those.
    #[inline]
    fn is_within(&self) -> bool {
        self.pushing && self.is_within_fragment()
    }

    fn is_within_fragment(&self) -> bool {
        let packets = self.plan.mptcp.hands_out == HandsOut::Packets;
        let full = || self.writes_to.is_none_or(|id| !self.subflows[id].tcp.has_room_in_packet());
        let goes_on =
            || if self.snd.has_reinjections() { self.snd.resends_within() } else { self.snd.is_within() };
        goes_on() && !(packets && full())
    }

    fn view(&self, now: Instant) -> ConnectionView {
        let snd = &self.snd;
        ConnectionView {
            now,
            unassigned: Bytes(snd.unassigned()),
            window: Bytes(snd.window_left()),
            outstanding: Bytes(snd.outstanding()),
            within: self.is_within(),
            goes_on: self.pushing || self.plan.mptcp.hands_out == HandsOut::Packets,
            open: self.subflows.open(),
            blocked: self.stats.window_stalls,
        }
    }

    /// `chunk` goes onto subflow `id`, to leave at once.
    fn assign(&mut self, chunk: &DataChunk, id: usize, now: Instant) {
        let most = self.most_in_segment();
        let again = chunk.dsn < self.snd.nxt;
        let s = &mut self.subflows[id];
        let FittedChunk { ref chunk, goes_on, joins } = s.fitting(chunk, most, again);
        if self.snd.outstanding() == 0 {
            self.data_rto.stop();
        }
        let piece = self.snd.hand_out(chunk, (id, joins));
        if !again && !self.fills {
            self.snd.date_newest(now);
        }
        let window = self.snd.edge.saturating_sub(chunk.dsn);
        if let Some(peer_window) = &mut s.peer_window {
            peer_window.reach(window);
        }
        let ssn_end = s.tcp.end_ssn() + u64::from(chunk.len);
        let offset = chunk.end() as i64 - ssn_end as i64;
        if offset != s.run.0 {
            s.run = (offset, chunk.dsn);
        }
        let len = chunk.len as u16;
        s.hold(SentMapping { ssn_end, dsn: chunk.dsn, piece, len, reinjected: false, again }, joins);
        s.stats.scheduled_bytes += u64::from(chunk.len);
        if again {
            s.stats.reinjected_bytes += u64::from(chunk.len);
            self.stats.reinjected_bytes += u64::from(chunk.len);
        }
        s.tcp.take(u64::from(chunk.len), goes_on);
        s.begin_piece();
        let held_back = s.tcp.is_held_back();
        if self.fills {
            self.writes_to = Some(id);
        }
        if !self.data_rto.runs() && self.judging.is_none() {
            self.arm_data_timer(now);
        }
        if self.stage == Stage::Fallback && self.snd.closing && self.snd.nxt == self.snd.app_end {
            self.subflows[id].tcp.close();
        } else if held_back {
            // What it has waits already, and this waits behind it.
            self.share_window(id);
            return self.subflows.refresh_queue(id);
        }
        self.subflows.mark_dirty(id);
        if self.fills {
            self.subflows.refresh_queue(id);
        }
    }

    /// The window is shut, though a subflow has room: notes the stall, and with opportunistic retransmission sends
    /// what shuts it once more (Raiciu et al., NSDI 2012 §4.2; multipath-tcp/mptcp `mptcp_rcv_buf_optimization`).
    fn unblock(&mut self, mss: u32, now: Instant) -> Option<(DataChunk, usize)> {
        let shut = self.snd.is_window_limited(mss) || self.snd.is_buffer_limited(mss);
        if !shut || self.snd.has_reinjections() {
            return None;
        }
        if !self.stalled {
            self.stalled = true;
            self.stats.window_stalls += 1;
        }
        if self.snd.is_shut_out() && !self.data_rto.runs() {
            self.arm_data_timer(now);
        }
        let mptcp = &self.plan.mptcp;
        if mptcp.penalisation == Penalisation::None && !mptcp.opportunistic_retransmission {
            return None;
        }
        let oldest = self.snd.oldest()?;
        self.look();
        self.subflows.measure();
        let views = self.subflows.views();
        let open = |id: &usize| {
            let v = &views[*id];
            v.usable && v.room && !v.in_loss && oldest.carriers >> id & 1 == 0
        };
        let id = (0..views.len()).filter(open).min_by_key(|id| views[*id].srtt)?;
        let carrier =
            (0..views.len()).find(|c| oldest.carriers >> c & 1 == 1 && views[*c].srtt > views[id].srtt)?;
        self.penalise(carrier, id, now);
        self.subflows.measure();
        let views = self.subflows.views();
        let (fast, slow) = (views[id], views[carrier]);
        let worth = slow.cwnd.get() <= 4 * u64::from(slow.mss) || fast.srtt.saturating_mul(4) < slow.srtt;
        if !self.plan.mptcp.opportunistic_retransmission || !worth {
            return None;
        }
        self.stats.opportunistic_bytes += u64::from(oldest.len);
        Some((oldest, id))
    }

    /// Halves the window of `slow`, for which `fast` waits, as far as the connection does so.
    pub(super) fn penalise(&mut self, slow: usize, fast: usize, now: Instant) {
        let (of, beside) = (&self.subflows.views()[slow], &self.subflows.views()[fast]);
        let (due, pause, ends_slow_start) = match self.plan.mptcp.penalisation {
            Penalisation::None => return,
            // One that repairs a loss has a lowered window already.
            Penalisation::Linux => (!of.in_recovery && !of.in_loss, beside.srtt, false),
            Penalisation::Nsdi2012 => (of.rate() < beside.rate(), of.srtt, true),
        };
        let s = &mut self.subflows[slow];
        if s.penalty_over > now || s.gone || !due {
            return;
        }
        s.penalty_over = now.saturating_add(pause);
        s.tcp.tell_control(|cc| cc.penalise(ends_slow_start));
        s.stats.penalties += 1;
        self.stats.penalties += 1;
        self.refresh(slow);
    }

    /// Where a DATA_FIN is due without data to ride on: an ACK carries it (RFC 8684 §3.3.3).
    fn say_fin(&mut self) -> bool {
        let due = self.fin_due && self.snd.nxt >= self.snd.app_end && !self.snd.has_reinjections();
        if !due {
            return false;
        }
        match self.stage {
            Stage::Established => {}
            Stage::Fallback => {
                self.fin_due = false;
                let Some(id) = self.subflows.iter().position(|s| !s.gone) else { return false };
                self.subflows[id].tcp.close();
                self.subflows.mark_dirty(id);
                return true;
            }
            _ => return false,
        }
        let Some(id) = self.speaker() else { return false };
        self.subflows[id].tcp.demand_ack();
        self.subflows.mark_dirty(id);
        true
    }
}

//! Output: the segments of subflows, and the assignment of data to them by the scheduler's choice.

use super::behaviour::HandsOut;
use super::chunk::DataChunk;
use super::config::Penalisation;
use super::data::sender::DataSender;
use super::scheduler::{ConnectionView, Pieces, Scheduler, SubflowView};
use super::state::ConnectionState;
use super::subflow::send_mappings::{FittedChunk, SentMapping};
use super::window_update::rejected_bytes;
use super::{Mptcp, Transmit};
use crate::cc::CongestionControl;
use tailrace_core::{Bytes, Instant};

/// Data that a scheduler may choose from.
struct SendableData<'a> {
    snd: &'a mut DataSender,
    /// New data within the peer's window.
    fresh: Option<DataChunk>,
}

impl Pieces for SendableData<'_> {
    fn reinjection(&mut self) -> Option<DataChunk> {
        self.snd.first_reinjection()
    }
    fn fresh(&self) -> Option<DataChunk> {
        self.fresh
    }
    fn sent_at(&self, dsn: u64) -> Option<DataChunk> {
        if dsn <= self.snd.una() { self.snd.oldest() } else { self.snd.piece_at(dsn) }
    }
}

impl Mptcp {
    /// The next segment to send, if any. Call until `None` after each input.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Transmit> {
        let mut next = Transmit::default();
        self.poll_transmit_into(&mut next, now).then_some(next)
    }

    /// Whether there is another segment to send, which is written into `next` in place: it is large.
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
            if self.push.is_due() {
                if self.poll_repair(next, now) {
                    return true;
                }
                self.push_pending(now);
            }
            if self.poll_subflows(next, now) {
                return true;
            }
            let continues = self.push.is_paused() || (!self.push.fills_queues() && self.assign_next(now));
            if !continues && !self.send_fin() && !self.refill(now) {
                return false;
            }
            self.push.schedule();
        }
    }

    /// Whether another poll would find nothing, as at an end that only receives and has acknowledged everything.
    #[inline]
    pub fn is_exhausted(&mut self) -> bool {
        let sent = self.subflows.first_dirty().is_none() && self.snd.is_idle() && self.resets.is_empty();
        let waits = !self.push.is_idle() || self.snd.is_fin_due();
        let exhausted = sent && !waits && self.retransmission.is_idle() && self.opening.is_none();
        if exhausted {
            self.write_space.forget_segments();
        }
        exhausted
    }

    /// Assigns data to subflows before any of it is sent (`__mptcp_push_pending`), until nothing is left, no subflow has room or the push
    /// pauses.
    fn push_pending(&mut self, now: Instant) {
        if self.push.begin() {
            self.subflows.invalidate_dirty_views();
        }
        if self.retransmission.checks_next() {
            self.continue_stale_check(now);
        }
        self.note_data_timeout(now);
        while self.assign_next(now) {
            self.push.on_assigned();
        }
        self.push.end(&mut self.subflows);
    }

    /// Lets the application write into the send buffer; whether there is more to assign.
    fn refill(&mut self, now: Instant) -> bool {
        self.push.fills_queues() && self.write_side().refill(now)
    }

    /// Whether the subflow on which a segment has just arrived retransmits something, which is written into `next`: that goes before new
    /// data is assigned (`tcp_ack`, `mptcp_incoming_options`). A subflow that is not dirty waits for its own timer.
    #[inline]
    pub(super) fn poll_repair(&mut self, next: &mut Transmit, now: Instant) -> bool {
        let at_once = |id: &usize| self.subflows[*id].tcp.has_repairs() && self.subflows.is_dirty(*id);
        let Some(id) = self.push.heard().filter(at_once) else { return false };
        self.share_window(id);
        let repairs = self.subflows[id].tcp.poll_repair_into(&mut next.segment, now);
        if repairs {
            self.complete(id, next, now);
        }
        repairs
    }

    /// Writes the next segment of the dirty subflows into `next`, if there is any. The views of subflows without one become current.
    #[inline(always)]
    fn poll_subflows(&mut self, next: &mut Transmit, now: Instant) -> bool {
        while let Some(id) = self.subflows.first_dirty() {
            self.share_window(id);
            let sends = self.subflows[id].tcp.poll_transmit_into(&mut next.segment, now);
            if !sends || self.complete(id, next, now) {
                self.subflows.clear_first_dirty();
                self.refresh_idle(id);
            }
            if sends {
                return true;
            }
        }
        false
    }

    /// Completes the segment that subflow `id` sends. Whether another poll of its TCP would find nothing.
    #[inline(always)]
    fn complete(&mut self, id: usize, next: &mut Transmit, now: Instant) -> bool {
        let resent = next.segment.repeated;
        self.write_options(id, &mut next.segment, &mut next.options);
        let (segment, options) = (&next.segment, &next.options);
        let s = &mut self.subflows[id];
        (next.subflow, next.tuple, next.route, next.resent) = (Some(id), s.tuple, s.route, resent);
        if s.carrier_down {
            s.tcp.on_local_drop(now);
        }
        if self.rcv.on_sent(id, s.tcp.shown_window()) {
            s.tcp.demand_ack();
        }
        if self.push.fills_queues() && segment.payload > 0 && !resent {
            self.stamp_leaving(id, now);
            if self.snd.is_full() && self.subflows[id].tcp.packet_is_out() {
                self.write_side().grow_buffer(id);
            }
        }
        if !self.signals.is_empty() && options.dss.is_some() && self.is_multipath() {
            self.demand_ack_for_signal(id);
        }
        if options.dss.as_ref().is_some_and(|d| d.data_fin) {
            self.on_data_fin_sent(now);
        }
        self.subflows[id].is_exhausted(segment, !resent)
    }

    /// Starts the timers of a DATA_FIN that has just left.
    #[cold]
    fn on_data_fin_sent(&mut self, now: Instant) {
        self.close_timers.start_data_fin(now.saturating_add(self.plan.mptcp.close_timeout));
        if !self.data_rto.is_running() {
            self.arm_data_timer(now);
        }
    }

    /// Tells the TCP of subflow `id` the window of the connection, unless it knows.
    #[inline]
    pub(super) fn share_window(&mut self, id: usize) {
        let rejects = self.fallback.rejects();
        self.subflows.share_window(id, &mut self.rcv, |subflows| rejected_bytes(subflows, id, rejects));
    }

    /// Stamps the data that subflow `id` sends for the first time.
    fn stamp_leaving(&mut self, id: usize, now: Instant) {
        match self.subflows[id].send.leaving() {
            Some(m) if m.again => self.snd.stamp(m.dsn, now),
            Some(m) => self.snd.stamp_piece(m.piece, now),
            None => {}
        }
    }

    /// Demands another ACK of subflow `id` if a signal waits for it, as a segment carries one signal.
    #[cold]
    fn demand_ack_for_signal(&mut self, id: usize) {
        if self.signals.has_for(id) {
            self.subflows[id].tcp.demand_ack();
        }
    }

    /// Makes timers and view of subflow `id` current, which has nothing more to send. An end that has nothing to send needs no view.
    #[inline]
    fn refresh_idle(&mut self, id: usize) {
        self.subflows.refresh_timers(id);
        if self.snd.is_idle() {
            self.subflows.invalidate_view(id);
        } else if self.push.is_lazy() {
            self.subflows.refresh_usability(id, self.state.carries_data());
        } else {
            self.subflows.refresh(id, self.state.carries_data());
        }
    }

    /// Makes all outdated views current.
    #[inline]
    pub(super) fn refresh_outdated_views(&mut self) {
        self.subflows.refresh_outdated(self.state.carries_data());
    }

    /// Assigns the next data to a subflow, if there is any and one has room.
    #[inline]
    fn assign_next(&mut self, now: Instant) -> bool {
        let nothing = self.snd.is_all_sent() && !self.snd.has_reinjections();
        !(nothing && self.retransmission.is_idle()) && self.assign_some(now)
    }

    #[inline(never)]
    fn assign_some(&mut self, now: Instant) -> bool {
        if !self.push.is_lazy() {
            self.refresh_outdated_views();
        }
        let nothing = self.push.is_lazy() && self.has_nothing_to_assign();
        let open = (nothing && self.subflows.has_known_open())
            || self.subflows.finds_open(self.state.carries_data());
        let within = || self.continues_fragment() && self.subflows.views().iter().any(|v| v.usable);
        if !open && !within() && !self.retransmits_without_room() {
            self.end_push_of_stale_check(now);
            return false;
        }
        if let Some((chunk, id)) = self.next_retransmission() {
            self.assign(&chunk, id, now);
            return !self.pauses_after_retransmission();
        }
        let mss = self.subflows.mss() - self.excess_of_capable().max(self.excess_of_acks());
        let Some((chunk, id)) = self.choose(mss, now).or_else(|| self.unblock(mss, now)) else {
            self.on_window_limited_push(now);
            self.end_push_of_stale_check(now);
            return false;
        };
        self.snd.end_stall();
        if self.push.yields_before(id, &mut self.subflows) {
            return false;
        }
        self.assign(&chunk, id, now);
        true
    }

    /// Whether there is nothing to assign, however large segments may be.
    #[inline]
    fn has_nothing_to_assign(&self) -> bool {
        !self.snd.has_fresh() && !self.snd.has_reinjections() && !self.retransmission.has_data()
    }

    /// Whether a retransmission is complete and leaves before another push, even if there is nothing more to assign
    /// (`mptcp_check_and_set_pending`).
    fn pauses_after_retransmission(&mut self) -> bool {
        let pauses = self.push.fills_queues() && !self.retransmission.has_data();
        if pauses {
            self.push.pause();
            self.push.end_burst();
        }
        pauses
    }

    /// Handles a push that only the peer's window stops. A scheduler that fills queues still finds a subflow, the first whose queue is
    /// empty: that begins a packet, and learns of the window then.
    fn on_window_limited_push(&mut self, now: Instant) {
        if !self.push.fills_queues() || self.snd.unassigned() == 0 {
            return;
        }
        let views = self.subflows.views();
        let regular = views.iter().any(|v| v.usable && !v.backup);
        let fit = |v: &SubflowView| v.usable && !(v.backup && regular) && v.queued == Bytes::ZERO;
        if let Some(id) = views.iter().position(fit) {
            self.subflows[id].tcp.on_blocked_packet(now);
        }
    }

    /// Choice of the scheduler: the next chunk and its subflow. A scheduler that fills queues is not asked without data.
    fn choose(&mut self, mss: u32, now: Instant) -> Option<(DataChunk, usize)> {
        let fresh = self.snd.fresh(mss);
        if self.push.is_lazy() && fresh.is_none() && !self.snd.has_reinjections() {
            return None;
        }
        self.refresh_outdated_views();
        if self.scheduler.looks_at_windows() {
            self.subflows.refresh_all_windows();
        }
        let conn = self.view(now);
        let mut data = SendableData { snd: &mut self.snd, fresh };
        self.scheduler.next(&mut data, &conn, self.subflows.views())
    }

    /// Whether the next byte continues a fragment of which this push has assigned a part; where packets count, only as long as the last
    /// packet has room.
    #[inline]
    fn continues_fragment(&self) -> bool {
        self.push.has_started() && self.snd.is_within_fragment() && !self.ends_with_packet()
    }

    fn ends_with_packet(&self) -> bool {
        let full = |id: usize| !self.subflows[id].tcp.has_room_in_packet();
        self.plan.mptcp.hands_out == HandsOut::Packets && self.push.written().is_none_or(full)
    }

    fn view(&self, now: Instant) -> ConnectionView {
        let snd = &self.snd;
        ConnectionView {
            now,
            unassigned: Bytes(snd.unassigned()),
            window: Bytes(snd.window_left()),
            outstanding: Bytes(snd.outstanding()),
            within: self.continues_fragment(),
            goes_on: self.push.has_started() || self.plan.mptcp.hands_out == HandsOut::Packets,
            open: self.subflows.open(),
            blocked: self.stats.window_stalls,
        }
    }

    /// Assigns `chunk` to subflow `id`, which sends it at once or queues it.
    fn assign(&mut self, chunk: &DataChunk, id: usize, now: Instant) {
        let most = self.segment_room();
        let again = chunk.dsn < self.snd.nxt();
        let fills_queues = self.push.fills_queues();
        let s = &mut self.subflows[id];
        let FittedChunk { ref chunk, appends, joins } = s.fit(chunk, most, again);
        if self.snd.outstanding() == 0 {
            self.data_rto.stop();
        }
        let piece = self.snd.assign(chunk, (id, joins));
        if !again && !fills_queues {
            self.snd.stamp_newest(now);
        }
        if let Some(peer_window) = &mut s.peer_window {
            peer_window.reach(self.snd.window_from(chunk.dsn));
        }
        let (ssn_end, len) = (s.tcp.end_ssn() + u64::from(chunk.len), chunk.len as u16);
        s.send.push(SentMapping { ssn_end, dsn: chunk.dsn, piece, len, reinjected: false, again }, joins);
        s.stats.scheduled_bytes += u64::from(chunk.len);
        if again {
            s.stats.reinjected_bytes += u64::from(chunk.len);
            self.stats.reinjected_bytes += u64::from(chunk.len);
        }
        s.tcp.take(u64::from(chunk.len), appends);
        s.begin_piece();
        let held_back = s.tcp.is_held_back();
        self.push.on_written(id);
        if !self.data_rto.is_running() && !self.retransmission.is_checking() {
            self.arm_data_timer(now);
        }
        self.after_assignment(id, held_back);
    }

    /// Makes subflow `id` send the data that it was just given, unless its window has `held_back` the data before.
    #[inline]
    fn after_assignment(&mut self, id: usize, held_back: bool) {
        let last = self.snd.is_closing() && self.snd.nxt() == self.snd.app_end();
        if self.state == ConnectionState::Fallback && last {
            self.subflows[id].tcp.close();
        } else if held_back {
            self.share_window(id);
            return self.subflows.refresh_queue(id);
        }
        self.subflows.mark_dirty(id);
        if self.push.fills_queues() {
            self.subflows.refresh_queue(id);
        }
    }

    /// Handles a window that is shut while a subflow has room: counts the stall, penalises the subflow that causes it, and opportunistically
    /// retransmits the data that shuts it (Raiciu et al., NSDI 2012 §4.2; multipath-tcp/mptcp `mptcp_rcv_buf_optimization`).
    fn unblock(&mut self, mss: u32, now: Instant) -> Option<(DataChunk, usize)> {
        let shut = self.snd.is_window_limited(mss) || self.snd.is_buffer_limited(mss);
        if !shut || self.snd.has_reinjections() {
            return None;
        }
        if self.snd.on_stall() {
            self.stats.window_stalls += 1;
        }
        if self.snd.is_shut_out() && !self.data_rto.is_running() {
            self.arm_data_timer(now);
        }
        let mptcp = &self.plan.mptcp;
        if mptcp.penalisation == Penalisation::None && !mptcp.opportunistic_retransmission {
            return None;
        }
        let oldest = self.snd.oldest()?;
        self.refresh_outdated_views();
        self.subflows.refresh_all_windows();
        let views = self.subflows.views();
        let open = |id: &usize| {
            let v = &views[*id];
            v.usable && v.room && !v.in_loss && oldest.carriers >> id & 1 == 0
        };
        let id = (0..views.len()).filter(open).min_by_key(|id| views[*id].srtt)?;
        let carrier =
            (0..views.len()).find(|c| oldest.carriers >> c & 1 == 1 && views[*c].srtt > views[id].srtt)?;
        self.penalise(carrier, id, now);
        self.subflows.refresh_all_windows();
        let views = self.subflows.views();
        let (fast, slow) = (views[id], views[carrier]);
        let worth = slow.cwnd.get() <= 4 * u64::from(slow.mss) || fast.srtt.saturating_mul(4) < slow.srtt;
        if !self.plan.mptcp.opportunistic_retransmission || !worth {
            return None;
        }
        self.stats.opportunistic_bytes += u64::from(oldest.len);
        Some((oldest, id))
    }

    /// Halves the window of `slow`, for which `fast` waits, if the connection penalises subflows.
    pub(super) fn penalise(&mut self, slow: usize, fast: usize, now: Instant) {
        let (of, beside) = (&self.subflows.views()[slow], &self.subflows.views()[fast]);
        let (due, pause, ends_slow_start) = match self.plan.mptcp.penalisation {
            Penalisation::None => return,
            // A subflow in recovery has reduced its window already.
            Penalisation::Linux => (!of.in_recovery && !of.in_loss, beside.srtt, false),
            Penalisation::Nsdi2012 => (of.rate() < beside.rate(), of.srtt, true),
        };
        let s = &mut self.subflows[slow];
        if s.penalty_over > now || s.is_over() || !due {
            return;
        }
        s.penalty_over = now.saturating_add(pause);
        s.tcp.tell_control(|cc| cc.penalise(ends_slow_start));
        s.stats.penalties += 1;
        self.stats.penalties += 1;
        self.subflows.refresh(slow, self.state.carries_data());
    }

    /// Sends a DATA_FIN that is due without data to ride on: an ACK carries it (RFC 8684 §3.3.3). In a fallback, closes the subflow
    /// instead. Whether there is something to send by it.
    fn send_fin(&mut self) -> bool {
        if !self.snd.is_fin_due() || !self.snd.is_all_sent() || self.snd.has_reinjections() {
            return false;
        }
        if self.state == ConnectionState::Fallback {
            self.snd.on_plain_fin();
            let Some(id) = self.subflows.iter().position(|s| !s.is_over()) else { return false };
            self.subflows[id].tcp.close();
            self.subflows.mark_dirty(id);
            return true;
        }
        if !self.state.is_established() {
            return false;
        }
        let Some(id) = self.signalling_subflow() else { return false };
        self.subflows[id].tcp.demand_ack();
        self.subflows.mark_dirty(id);
        true
    }
}

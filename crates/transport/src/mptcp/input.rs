//! Input: segments with their options, and the time.

use super::Mptcp;
use super::coupled::Coupling;
use super::handshake::Verdict;
use super::option::{Dss, Mapping, Options, ResetReason, Signal};
use super::path_manager::{PathEvent, PathManager};
use super::state::{ConnectionState, Trigger};
use super::subflow::receive_mappings::{InOrderData, ReleasedBuffers};
use super::subflow::state::SubflowTrigger;
use super::subflow::{Subflow, Tuple};
use crate::cc::Cc;
use crate::segment::{Flags, Segment};
use crate::tcp::linux::receive_queue::{BufferPiece, MappingMark};
use crate::tcp::{Event, ResetCause, State};
use tailrace_core::Instant;

impl Mptcp {
    /// Takes a segment that arrived at `now` for this end's side of `tuple`. Segments of no subflow are reset,
    /// unless they ask to join.
    pub fn handle_segment(&mut self, tuple: &Tuple, segment: &Segment, options: &Options, now: Instant) {
        let found = match self.subflows.find(tuple) {
            Some(id) => Ok(id),
            None => self.accept_join(tuple, segment, options, now),
        };
        let id = match found {
            Ok(id) => id,
            Err(reason) => return self.send_reset(tuple, segment, reason),
        };
        if self.subflows[id].breaks_at(segment) {
            self.send_reset(tuple, segment, Some(ResetReason::Unspecified));
            self.subflows[id].tcp.give_up();
            return self.settle(id, now);
        }
        self.subflows.mark_dirty_first(id);
        self.update_windows(now);
        let counts = self.subflows[id].tcp.validates(segment);
        let handshaking = !self.state.is_established() || !self.subflows[id].state().has_joined();
        let rare = options.signal.is_some() || segment.flags.has_any(Flags::SYN.with(Flags::RST));
        if (handshaking || rare) && counts && !self.admit(id, tuple, segment, options, now) {
            return;
        }
        if segment.payload > 0 {
            if self.is_mapped() {
                self.store_mapping(id, segment, options);
            }
            self.grow_rcv_space(id, segment, options, now);
        }
        self.pass_to_tcp(id, segment, now);
        self.write_space.on_segment(id);
        if !counts {
            // TCP discards it and answers, if it may.
        } else if self.state.is_established() {
            self.on_options(id, segment, options, now);
        } else if self.state == ConnectionState::Fallback {
            self.on_fallback_options(id, options, now);
        }
        self.take_data(id, segment, now);
        self.settle(id, now);
        self.push.on_segment(id);
    }

    /// Passes a segment to the TCP of subflow `id`, and notes the round trips that it tells.
    #[inline]
    fn pass_to_tcp(&mut self, id: usize, segment: &Segment, now: Instant) {
        let s = &mut self.subflows[id];
        let (before, had) = (s.tcp.latest_rtt().0, s.tcp.received_ssn());
        if segment.flags.has(Flags::SYN) {
            s.handle_segment(&reserve_mapping(segment, self.plan.mptcp.mapping_len()), now);
        } else {
            s.handle_segment(segment, now);
        }
        let (samples, latest) = s.tcp.latest_rtt();
        s.health.on_segment(now);
        if samples != before {
            self.latest_rtt = (self.latest_rtt.0 + 1, latest);
        }
        let (has, shown) = (s.tcp.received_ssn(), s.tcp.shown_window());
        if has > had && segment.timestamps.is_none() && segment.payload > 0 && self.rcv.counts_memory() {
            self.subflows.rcv_space_mut(id).note_order(has, shown, now);
        }
    }

    /// Whether a segment passes to the TCP of subflow `id` that belongs to a handshake, carries a signal, SYN or RST, or arrives in a
    /// fallback.
    #[inline(never)]
    fn admit(
        &mut self,
        id: usize,
        tuple: &Tuple,
        segment: &Segment,
        options: &Options,
        now: Instant,
    ) -> bool {
        if self.state == ConnectionState::Opening {
            let server = self.role == super::Role::Server;
            self.rcv.begin(server && self.plan.mptcp.sizes_from_first_read, now);
        }
        match self.check_handshake(id, segment, options) {
            Verdict::Pass => {}
            Verdict::Drop => return false,
            Verdict::Reset(reason) => {
                if self.subflows[id].tcp.state() == State::SynSent {
                    // Its TCP, which has not seen the SYN-ACK, has nothing to reset.
                    self.send_reset(tuple, segment, Some(reason));
                }
                self.subflows[id].abort(reason);
                self.settle(id, now);
                return false;
            }
        }
        if self.state == ConnectionState::Fallback && self.contradicts_fallback(id, segment, options) {
            self.subflows[id].abort(ResetReason::Middlebox);
            self.settle(id, now);
            return false;
        }
        if segment.flags.has(Flags::SYN) {
            self.subflows.invalidate_window(id);
        }
        if segment.flags.has(Flags::RST) {
            let lasts =
                |s| matches!(s, Signal::Reset { transient: false, .. } | Signal::Fail { closes: true, .. });
            self.subflows[id].refused = options.signal.is_some_and(lasts);
        }
        true
    }

    /// Lets the window that subflow `id` may show grow with the data that has arrived on it.
    #[inline]
    fn grow_rcv_space(&mut self, id: usize, segment: &Segment, options: &Options, now: Instant) {
        self.subflows.invalidate_window(id);
        if !self.rcv.counts_memory() {
            return;
        }
        let size = self.subflows.rcv_space(id).size();
        if let Some(room) = self.rcv.room(&self.subflows[id].tcp, size, segment)
            && self.subflows.rcv_space_mut(id).note(segment, || options.len(), room, now)
        {
            self.subflows[id].tcp.note_window_grown();
        }
    }

    /// Answers a segment that belongs to no subflow with RST (RFC 9293 §3.5.2 group 1).
    fn send_reset(&mut self, tuple: &Tuple, segment: &Segment, reason: Option<ResetReason>) {
        let Some(reset) = segment.refusal() else { return };
        let signal = reason.map(|reason| Signal::Reset { transient: false, reason });
        self.resets.push_back((*tuple, reset, Options::new(None, signal)));
    }

    /// Stores the mapping of the segment's payload.
    fn store_mapping(&mut self, id: usize, segment: &Segment, options: &Options) {
        let (mapping, len) = if let Some(dss) = &options.dss
            && let Some(m) = self.mapping_in(dss)
        {
            self.format.on_mapping(dss.wide_dsn, &self.plan.mptcp);
            (m, m.len.saturating_sub(u16::from(dss.data_fin)))
        } else if let Some(Signal::CapableAck { len: Some(len), .. }) = options.signal {
            self.format.on_capable_mapping(&self.plan.mptcp);
            (Mapping { dsn: self.numbers.received(1), ssn: 1, len }, len)
        } else {
            return;
        };
        let dsn = self.numbers.of_received(mapping.dsn);
        let s = &mut self.subflows[id];
        if self.rcv.counts_memory() {
            let (_, end) = s.tcp.received_range(segment);
            let within =
                u32::from(len) > segment.payload && end as u32 != mapping.ssn.wrapping_add(u32::from(len));
            let ends = !within && options.dss.is_some_and(|dss| !dss.goes_on);
            s.tcp.note_mark(MappingMark { offset: mapping.dsn.wrapping_sub(u64::from(mapping.ssn)), ends });
        }
        let new = s.receive.insert(Mapping { dsn, len, ..mapping });
        if let Some(sums) = options.sums.as_ref().filter(|_| self.format.has_checksum()) {
            let range = s.tcp.received_range(segment);
            s.receive.note_checksum(new, &mapping, range, sums);
        }
    }

    /// Mapping of a DSS with its whole data sequence number, of which a header may show the low half.
    #[inline]
    pub(super) fn mapping_in(&self, dss: &Dss) -> Option<Mapping> {
        let m = dss.mapping?;
        let dsn = self.numbers.of_received_near((m.dsn, dss.wide_dsn), self.rcv.nxt());
        Some(Mapping { dsn: self.numbers.received(dsn), ..m })
    }

    /// Processes the options of a segment beside its mapping.
    fn on_options(&mut self, id: usize, segment: &Segment, options: &Options, now: Instant) {
        let unconfirmed = self.state == ConnectionState::Established;
        if let Some(dss) = &options.dss {
            if !self.on_dss(id, segment, dss, now) {
                return;
            }
        } else if unconfirmed && options.is_empty() && self.shows_fallback(id, segment) {
            if self.try_fall_back(id) {
                // A peer that has acknowledged no data may have fallen back or not, and learns of it by the next segment.
                if self.subflows[id].tcp.acked_ssn() <= 1 {
                    self.subflows[id].tcp.demand_ack();
                }
                return;
            }
        } else if let Some(Signal::CapableAck { .. }) = options.signal {
            // It tells no more of the window than TCP's own field.
            let window = self.subflows[id].tcp.window_of(segment);
            self.snd.on_ack(self.snd.una(), window);
            if unconfirmed {
                self.confirm(now);
            }
        }
        if let Some(signal) = &options.signal {
            self.on_signal(id, signal, now);
        }
    }

    /// Processes DATA_ACK, DATA_FIN and infinite mapping of a DSS. Whether further options count: not after an infinite mapping.
    #[inline]
    fn on_dss(&mut self, id: usize, segment: &Segment, dss: &Dss, now: Instant) -> bool {
        // Other mappings were stored already.
        let ends = dss.data_fin || dss.mapping.is_some_and(|m| m.len == 0);
        let mapping = if ends { self.mapping_in(dss) } else { None };
        if let Some(m) = mapping.filter(|m| m.len == 0) {
            self.on_infinite_mapping(id, m, now);
            return false;
        }
        if let Some(ack) = dss.data_ack {
            let window = self.subflows[id].peer_window_by(segment);
            let ack = self.numbers.of_sent_near((ack, dss.wide_ack), self.snd.una());
            self.on_data_ack(ack, window, now);
            if self.state == ConnectionState::Established {
                self.confirm(now);
            }
        }
        if let (true, Some(m)) = (dss.data_fin, mapping) {
            let last = u64::from(m.len) - 1;
            self.rcv.on_fin(self.numbers.of_received(m.dsn).saturating_add(last));
            self.subflows[id].tcp.demand_ack();
            self.check_complete();
        }
        true
    }

    fn on_signal(&mut self, id: usize, signal: &Signal, now: Instant) {
        match *signal {
            Signal::AddAddr { id: remote, address, port, hmac: Some(hmac) } => {
                // Only a peer that has this end's key sends it (`check_fully_established`).
                if self.state == ConnectionState::Established {
                    self.confirm(now);
                }
                self.on_add_addr(id, (remote, address, port), hmac, now);
            }
            Signal::AddAddr { id: local, hmac: None, .. } => self.on_add_addr_echo(local, now),
            Signal::RemoveAddr(ids) => {
                for &remote in ids.as_slice() {
                    self.path_manager.on_event(&PathEvent::RemoteRemoved { id: remote }, now);
                }
            }
            Signal::Priority { backup } => self.subflows[id].priority.set_peer(backup),
            Signal::Fail { closes: false, .. } => self.on_fail(id, false, now),
            Signal::FastClose { key } if key == self.numbers.key().0 => self.on_fastclose(),
            _ => {}
        }
    }

    /// Handles MP_FASTCLOSE: the peer aborts the connection (RFC 8684 §3.5).
    fn on_fastclose(&mut self) {
        for id in 0..self.subflows.len() {
            if !self.subflows[id].is_over() {
                self.subflows[id].tcp.abort();
                self.subflows.mark_dirty(id);
            }
        }
        self.reset(ResetCause::Peer);
    }

    fn on_data_ack(&mut self, ack: u64, window: u64, now: Instant) {
        let news = self.snd.on_ack(ack, window);
        if news == 0 {
            return;
        }
        let fin = u64::from(self.snd.fin_acked());
        self.stats.bytes_acked += news - fin;
        self.data_rto.on_progress();
        // Data is assigned before the timer restarts (`ack_update_msk`).
        if self.may_push() {
            self.note_data_timeout(now);
        }
        self.arm_data_timer(now);
        self.close_if_done();
    }

    /// Takes the data that is in order on subflow `id` to the data level.
    fn take_data(&mut self, id: usize, segment: &Segment, now: Instant) {
        self.releases = false;
        let s = &mut self.subflows[id];
        let (hole, to) = (s.tcp.take_hole(), s.tcp.received_ssn());
        if hole.is_none() && s.receive.next() >= to && self.state.is_established() && segment.payload == 0 {
            return; // An acknowledgment, as at an end that only sends.
        }
        if let Some(hole) = hole {
            self.skip_hole(id, hole);
        }
        if self.state == ConnectionState::Fallback {
            self.take_in_fallback(id, segment, now);
            return;
        }
        if self.fallback.rejects() {
            self.fallback.on_rejected(segment);
            return;
        }
        let taken = self.subflows[id].receive.next();
        if taken >= to || self.discards(id, to) {
            return;
        }
        let fills_gap = to - taken > u64::from(segment.payload);
        let before = self.rcv.nxt();
        let Some(known) = self.take_in_order(id, to, (segment, fills_gap), now) else { return };
        let came = self.rcv.nxt() - before;
        if fills_gap {
            self.read_side().count_gap_ack(id, came, known);
        } else if known {
            self.read_side().delay_ack_of_known_data(id, now);
        }
        if came > 0 {
            self.check_complete();
            self.read_side().on_delivery(id, came, fills_gap, now);
        }
        self.stats.max_waiting_bytes = self.stats.max_waiting_bytes.max(self.rcv.waiting());
    }

    /// Takes the data in order on subflow `id` up to `to`, which `segment` has brought or released. Whether all of it was known to the data
    /// level; `None` after a fallback or a reset for want of a mapping.
    #[inline]
    fn take_in_order(
        &mut self,
        id: usize,
        to: u64,
        (segment, fills_gap): (&Segment, bool),
        now: Instant,
    ) -> Option<bool> {
        let before = self.rcv.nxt();
        // The segment that fills a gap comes before the data that it releases.
        let (mut own, mut known) = (true, true);
        let mut buffers = self.begin_move(fills_gap);
        while let Some((taken, piece)) = self.take_next(id, &mut buffers, to) {
            match taken {
                InOrderData::Bytes { dsn, end } => {
                    let nothing_yet = self.rcv.nxt() == before;
                    let delivers = self.take_piece(id, (dsn, end), piece, now);
                    self.releases |= delivers && nothing_yet && !own;
                    own = false;
                    known &= end <= before;
                }
                InOrderData::BadChecksum { dsn } => {
                    self.on_bad_checksum(id, dsn, now);
                    break;
                }
                InOrderData::Unmapped => {
                    self.on_unmapped(id, segment, now);
                    return None;
                }
            }
        }
        if buffers.is_some() {
            self.rcv.end_move();
        }
        Some(known)
    }

    /// Handles data without a mapping: a middlebox has removed options. The connection falls back, or the subflow is reset.
    #[cold]
    fn on_unmapped(&mut self, id: usize, segment: &Segment, now: Instant) {
        let falls_back = self.try_fall_back(id);
        self.rcv.end_move();
        if falls_back {
            self.take_in_fallback(id, segment, now);
        } else {
            self.subflows[id].abort(ResetReason::Middlebox);
        }
    }

    /// Discards the data up to `to` of subflow `id`, if the connection has released that and takes nothing after it. Whether it does.
    fn discards(&mut self, id: usize, to: u64) -> bool {
        let s = &mut self.subflows[id];
        let discards = s.state().is_detached() && !self.plan.mptcp.takes_after_close;
        if discards {
            s.receive.discard(to);
        }
        discards
    }

    /// Begins to move data that a gap has held back, buffer by buffer where those count.
    fn begin_move(&mut self, fills_gap: bool) -> Option<ReleasedBuffers> {
        let moves = fills_gap && self.rcv.counts_memory() && !self.format.has_checksum();
        if moves {
            self.rcv.begin_move();
        }
        moves.then(ReleasedBuffers::default)
    }

    /// Next data in order on subflow `id` up to `to`, and its piece of the buffer; not from beyond the present buffer, where `buffers`
    /// count.
    #[inline]
    fn take_next(
        &mut self,
        id: usize,
        buffers: &mut Option<ReleasedBuffers>,
        to: u64,
    ) -> Option<(InOrderData, BufferPiece)> {
        let s = &mut self.subflows[id];
        let upto = buffers.as_mut().map_or(to, |buffers| s.end_of_buffer(buffers, to));
        let taken = s.receive.take(upto, self.format.has_checksum())?;
        let piece = buffers.as_mut().map_or(BufferPiece::PACKET, |buffers| buffers.piece(s.receive.next()));
        Some((taken, piece))
    }

    /// Takes `dsn..end` from subflow `id` to the data level; whether any data is delivered by it.
    #[inline]
    pub(super) fn take_bytes(&mut self, id: usize, dsn: u64, end: u64, now: Instant) -> bool {
        self.take_piece(id, (dsn, end), BufferPiece::PACKET, now)
    }

    /// [`Mptcp::take_bytes`] for a `piece` of the subflow's buffer.
    #[inline]
    fn take_piece(&mut self, id: usize, (dsn, end): (u64, u64), piece: BufferPiece, now: Instant) -> bool {
        if self.subflows[id].receive.has_corrupted() {
            self.count_corrupted(id, dsn, end);
        }
        let expected = self.rcv.nxt();
        let (came, new) = self.rcv.insert_piece((dsn, end), piece);
        if new > 0 {
            self.stats.new_bytes += new;
            self.reordering.on_arrival(dsn, expected, now);
            self.reordering.on_delivery(self.rcv.nxt(), now);
        } else {
            self.stats.duplicate_bytes += end - dsn;
        }
        self.pending.delivered(came);
        self.stats.bytes_delivered += came;
        came > 0
    }

    /// Tells the application if the peer's data is complete.
    fn check_complete(&mut self) {
        if self.rcv.is_complete() && self.pending.peer_closed() {
            self.close_if_done();
        }
    }

    /// Closes the subflows if both directions are done, and tells the application: the connection is closed then, though the FINs of
    /// subflows are still exchanged (RFC 8684 §3.3.3; Linux `mptcp_check_data_fin_ack` moves the socket to CLOSE).
    fn close_if_done(&mut self) {
        if !self.is_data_done() {
            return;
        }
        self.pending.closed();
        for id in 0..self.subflows.len() {
            self.subflows[id].tcp.close();
            self.subflows.mark_dirty(id);
        }
    }

    /// Follows the TCP of subflow `id` after anything that moved it: its events, its window, its deadline.
    pub(super) fn settle(&mut self, id: usize, now: Instant) {
        let s = &mut self.subflows[id];
        s.drop_acked_mappings();
        // At an end that has nothing to send no window moves once its subflow is established.
        let moves = s.tcp.has_changed() || self.snd.has_written() || s.tcp.state() != State::Established;
        if s.tcp.has_changed() || s.tcp.state() == State::FinWait2 {
            self.poll_subflow_events(id, now);
        }
        if let Some(coupling) = self.coupling.as_mut().filter(|_| moves && self.subflows[id].is_attached()) {
            couple(coupling, id, &mut self.subflows[id]);
        }
        self.run_path_manager(now);
        self.subflows.mark_dirty(id);
        if self.push.fills_queues() && self.may_push() {
            self.push.schedule();
        }
    }

    /// Handles the events of subflow `id`'s TCP: it has opened, or is over in one direction or both.
    #[inline(never)]
    pub(super) fn poll_subflow_events(&mut self, id: usize, now: Instant) {
        while let Some(event) = self.subflows[id].tcp.poll_event() {
            match event {
                Event::Connected => self.on_connected(id, now),
                // Data is taken with the segment.
                Event::Delivered { .. } => {}
                Event::PeerClosed => self.on_subflow_fin(id, now),
                Event::Closed => self.on_subflow_over(id, None, now),
                Event::Reset { cause } => self.on_subflow_over(id, Some(cause), now),
            }
        }
        if self.subflows[id].tcp.state() == State::FinWait2 && self.is_over() {
            self.close_timers.start_fin(now);
        }
    }

    /// Whether a segment lets data be assigned: not while the peer's window is used up, even for reinjections within it
    /// (`ack_update_msk`).
    fn may_push(&self) -> bool {
        !self.state.is_established() || self.snd.window_left() > 0
    }

    /// Handles the peer's FIN on subflow `id`.
    fn on_subflow_fin(&mut self, id: usize, now: Instant) {
        if self.state == ConnectionState::Fallback {
            self.pending.peer_closed();
        } else if self.plan.mptcp.closes_in_order && self.subflows[id].is_attached() && !self.is_ending() {
            self.detach(id, None, now);
        } else if self.rcv.fin().is_none() || self.is_data_done() {
            self.subflows[id].tcp.close();
        }
        // After the peer's DATA_FIN the subflow stays in CLOSE-WAIT: this end may still have data to send, and closes the subflow once
        // both directions are done (RFC 8684 §3.3.3).
    }

    /// Whether either end has said that it sends nothing more.
    fn is_ending(&self) -> bool {
        self.snd.is_closing() || self.rcv.fin().is_some()
    }

    /// Handles the end of subflow `id`'s TCP, because of `cause` unless it closed in good order.
    fn on_subflow_over(&mut self, id: usize, cause: Option<ResetCause>, now: Instant) {
        let (attached, joined) = (self.subflows[id].is_attached(), self.subflows[id].state().has_joined());
        if self.subflows[id].on(SubflowTrigger::Closed) && attached {
            self.release_subflow(id, joined, cause, now);
        }
    }

    /// Releases subflow `id`, which had `joined` or not, because of `cause` unless it ended in good order.
    pub(super) fn release_subflow(
        &mut self,
        id: usize,
        joined: bool,
        cause: Option<ResetCause>,
        now: Instant,
    ) {
        self.subflows.rcv_space_mut(id).end();
        self.signals.release(id);
        if let Some(coupling) = &mut self.coupling {
            coupling.remove(id);
        }
        self.reinject_after(id);
        self.write_space.on_released(&self.subflows[id]);
        self.write_side().sum_buffers();
        self.stats.subflows_lost += u32::from(cause.is_some());
        if self.state.is_closed() {
            return;
        }
        let alone = self.subflows.attached().next().is_none();
        let fallback = self.state == ConnectionState::Fallback;
        let finished = fallback || self.is_data_done();
        match cause {
            _ if alone && finished && (cause.is_none() || self.state.is_established()) => {
                self.advance(Trigger::Finished);
                self.stop_timers();
                self.pending.closed();
            }
            Some(cause) if alone && !(joined && self.state.is_established()) => self.reset(cause),
            _ => self.on_subflow_lost(id, cause, (finished, alone), now),
        }
    }

    /// Tells the path manager of the loss of subflow `id`, and gives the connection up after a while if it was the last (`alone`).
    fn on_subflow_lost(
        &mut self,
        id: usize,
        cause: Option<ResetCause>,
        (finished, alone): (bool, bool),
        now: Instant,
    ) {
        let (local, remote) = (self.subflows[id].local, self.subflows[id].remote);
        if let Some(cause) = cause {
            let cause = if self.subflows[id].refused { ResetCause::Refused } else { cause };
            self.path_manager.on_event(&PathEvent::SubflowLost { local, remote, cause: Some(cause) }, now);
        }
        if !finished {
            self.path_manager.on_event(&PathEvent::SubflowGone { local, remote }, now);
        }
        if alone {
            let at = now.saturating_add(self.plan.mptcp.close_timeout);
            self.close_timers.start(at, cause.unwrap_or(ResetCause::TimedOut));
        }
    }

    /// Reinjects the unacknowledged data of subflow `id`, or all unacknowledged data, even if that subflow carried none of it, as when it
    /// was refused.
    fn reinject_after(&mut self, id: usize) {
        if self.plan.mptcp.reinject_all && self.state != ConnectionState::Fallback && self.may_reinject() {
            self.snd.reinject_all();
        }
        self.push.schedule();
        for m in self.subflows[id].send.iter() {
            self.snd.reinject(m.dsn, m.end());
        }
    }

    /// Sends window updates and grows buffers for reads before `now`.
    #[inline]
    pub(super) fn update_windows(&mut self, now: Instant) {
        if self.window_updates.is_due(now) {
            self.read_side().on_time(now);
        }
    }

    /// The earliest deadline, if any. It may move with every call; waking the connection early is harmless.
    pub fn poll_timeout(&self) -> Option<Instant> {
        let mut own = self.data_rto.at().min(self.close_timers.give_up()).min(self.add_addr_deadline());
        own = own.min(self.window_updates.deadline()).min(self.write_space.deadline());
        // A path manager's plans come to nothing once the connection is over.
        if !self.state.is_closed() {
            let closing = self.close_timers.fin().min(self.fallback.deadline());
            own = own.min(closing).min(self.path_manager.deadline());
        }
        let first = self.subflows.first_deadline().min(own);
        (first != Instant::MAX).then_some(first)
    }

    /// Tells the connection the time. Whatever is due happens; early calls do nothing.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.update_windows(now);
        let mut expired = false;
        for id in 0..self.subflows.len() {
            if self.subflows.deadline(id) <= now {
                self.on_subflow_deadline(id, now);
                expired = true;
            }
        }
        if self.data_rto.at() <= now {
            self.on_data_timer(expired, now);
        }
        if self.fallback.deadline() <= now {
            self.repeat_fail(now);
        }
        if self.close_timers.give_up() <= now {
            self.reset(self.close_timers.cause());
        }
        if self.close_timers.fin() <= now {
            self.close_timers.stop_fin();
            self.reset_without_fin(now);
        }
        self.repeat_add_addrs(now);
        if self.path_manager.deadline() <= now {
            self.path_manager.handle_timeout(now);
            self.run_path_manager(now);
        }
    }

    /// Resets subflows on which the peer's FIN does not come.
    fn reset_without_fin(&mut self, now: Instant) {
        for id in 0..self.subflows.len() {
            if !self.subflows[id].is_over() && self.subflows[id].tcp.state() == State::FinWait2 {
                self.subflows[id].tcp.abort();
                self.settle(id, now);
            }
        }
    }

    fn on_subflow_deadline(&mut self, id: usize, now: Instant) {
        self.subflows.mark_dirty(id);
        let s = &mut self.subflows[id];
        let timeouts = s.tcp.stats().timeouts;
        s.tcp.handle_timeout(now);
        if s.is_join_due(now) {
            s.repeat_join_ack(now);
        }
        let timeouts = s.tcp.stats().timeouts - timeouts;
        self.stats.timeouts += timeouts;
        if timeouts != 0 && s.is_attached() {
            self.on_subflow_timeout(id);
        }
        self.settle(id, now);
    }
}

/// A SYN as the TCP of a subflow sees it: `mapping` bytes of the peer's MSS are for mappings.
#[inline(never)]
fn reserve_mapping(syn: &Segment, mapping: u16) -> Segment {
    Segment { mss: syn.mss.map(|mss| mss.saturating_sub(mapping).max(1)), ..*syn }
}

/// Reports ACKs and losses of subflow `id` to the coupled controller.
fn couple(coupling: &mut Coupling, id: usize, subflow: &mut Subflow) {
    let (srtt, _, min_rtt) = subflow.tcp.round_trips();
    let times = (srtt, min_rtt);
    let Cc::CoupledSubflow(member) = subflow.tcp.control() else { return };
    if coupling.has_changed(id, member, times) {
        subflow.tcp.tell_control(|cc| {
            if let Cc::CoupledSubflow(member) = cc {
                coupling.settle(id, member, times);
            }
        });
    }
}

//! What comes in: segments with their options, and the time.

use super::Mptcp;
use super::close_timer::CloseTimer;
use super::coupled::Coupling;
use super::handshake::{Stage, Verdict};
use super::linux::send_buffer::SendBuffer;
use super::option::{Dss, Mapping, Options, ResetReason, Signal};
use super::path_manager::{PathEvent, PathManager};
use super::subflow::Tuple;
use super::subflow::in_order::{InOrderData, ReleasedBuffers};
use crate::cc::Cc;
use crate::segment::{Flags, Segment};
use crate::tcp::linux::receive_queue::{BufferPiece, MappingMark};
use crate::tcp::{Event, ResetCause, State};
use tailrace_core::Instant;

impl Mptcp {
    /// Takes a segment that arrived at `now` for this end's side of `tuple`. Segments of no subflow are refused,
    /// unless they ask to join.
    pub fn handle_segment(&mut self, tuple: &Tuple, segment: &Segment, options: &Options, now: Instant) {
        let place = match self.subflows.find(tuple) {
            Some(id) => Ok(id),
            None => self.accept_join(tuple, segment, options, now),
        };
        let id = match place {
            Ok(id) => id,
            Err(reason) => return self.refuse(tuple, segment, reason),
        };
        if self.subflows[id].breaks_at(segment) {
            self.refuse(tuple, segment, Some(ResetReason::Unspecified));
            self.subflows[id].tcp.give_up();
            return self.settle(id, now);
        }
        self.subflows.mark_dirty_first(id);
        self.adjust_buffer(now);
        let begins = self.stage != Stage::Established || !self.subflows[id].ready;
        let says_more = options.signal.is_some() || segment.flags.has_any(Flags::SYN.with(Flags::RST));
        if (begins || says_more) && !self.lets_in(id, tuple, segment, options, now) {
            return;
        }
        if segment.payload > 0 {
            if self.is_mapped() {
                self.announce(id, segment, options);
            }
            self.note_payload(id, segment, options, now);
        }
        let s = &mut self.subflows[id];
        let (before, had) = (s.tcp.latest_rtt().0, s.tcp.received_ssn());
        if segment.flags.has(Flags::SYN) {
            s.handle_segment(&leave_room(segment, self.plan.mptcp.mapping_len()), now);
        } else {
            s.handle_segment(segment, now);
        }
        let (samples, latest) = s.tcp.latest_rtt();
        s.hear(now);
        if samples != before {
            self.latest_rtt = (self.latest_rtt.0 + 1, latest);
        }
        let (has, told) = (s.tcp.received_ssn(), s.tcp.shown_window());
        if has > had && segment.timestamps.is_none() && segment.payload > 0 && self.rcv.counts_memory() {
            self.subflows.arrivals(id).note_order(has, told, now);
        }
        self.acked |= 1 << id;
        if self.stage == Stage::Established {
            self.on_options(id, segment, options, now);
        } else if self.stage == Stage::Fallback {
            self.on_late_options(id, options, now);
        }
        self.take(id, segment, now);
        self.settle(id, now);
        self.heard = Some(id);
    }

    /// Whether a segment is passed on to the TCP of subflow `id` that has more to say than that there is data or an acknowledgment, or
    /// comes when the connection or the subflow has not begun, or the connection has fallen back.
    #[inline(never)]
    fn lets_in(
        &mut self,
        id: usize,
        tuple: &Tuple,
        segment: &Segment,
        options: &Options,
        now: Instant,
    ) -> bool {
        if self.stage == Stage::Opening {
            self.rcv.begin(!self.client && self.plan.mptcp.sizes_from_first_read, now);
        }
        match self.check_in(id, segment, options) {
            Verdict::Pass => {}
            Verdict::Ignore => return false,
            Verdict::Refuse(reason) => {
                if self.subflows[id].tcp.state() == State::SynSent {
                    // Its TCP, which has not seen the SYN-ACK, has nothing to reset.
                    self.refuse(tuple, segment, Some(reason));
                }
                self.subflows[id].abort(reason);
                self.settle(id, now);
                return false;
            }
        }
        if self.stage == Stage::Fallback && self.contradicts(id, segment, options) {
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

    /// Data has come on subflow `id`, which may show more window for it.
    #[inline]
    fn note_payload(&mut self, id: usize, segment: &Segment, options: &Options, now: Instant) {
        self.subflows.invalidate_window(id);
        if !self.rcv.counts_memory() {
            return;
        }
        let size = self.subflows.rcv_space_of(id).size();
        if let Some(room) = self.rcv.room(&self.subflows[id].tcp, size, segment)
            && self.subflows.arrivals(id).note(segment, || options.len(), room, now)
        {
            self.subflows[id].tcp.note_window_grown();
        }
    }

    /// RFC 9293 §3.5.2 group 1: a segment that belongs to no subflow is answered with a reset.
    fn refuse(&mut self, tuple: &Tuple, segment: &Segment, reason: Option<ResetReason>) {
        let Some(reset) = segment.refusal() else { return };
        let signal = reason.map(|reason| Signal::Reset { transient: false, reason });
        self.resets.push_back((*tuple, reset, Options::new(None, signal)));
    }

    /// Remembers what the segment's payload maps to.
    fn announce(&mut self, id: usize, segment: &Segment, options: &Options) {
        let (mapping, len) = if let Some(dss) = &options.dss
            && let Some(m) = self.mapping_in(dss)
        {
            self.widens_acks |= dss.wide_dsn && self.plan.mptcp.answer_wide_dsn;
            self.mapped = true;
            (m, m.len.saturating_sub(u16::from(dss.data_fin)))
        } else if let Some(Signal::CapableAck { len: Some(len), .. }) = options.signal {
            // Linux takes that number for a wide one (`mptcp_incoming_options`).
            self.widens_acks |= self.plan.mptcp.answer_wide_dsn;
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
        let new = s.announce(Mapping { dsn, len, ..mapping });
        if let Some(sums) = options.sums.as_ref().filter(|_| self.checksum) {
            if let Some(ssn) = new {
                s.checksums.announce(ssn, &mapping, sums.stated);
            }
            s.checksums.note(s.tcp.received_range(segment), sums);
        }
    }

    /// The mapping of a DSS with its whole number: the wire may show the low half of it.
    #[inline]
    pub(super) fn mapping_in(&self, dss: &Dss) -> Option<Mapping> {
        let m = dss.mapping?;
        let dsn = self.numbers.of_received_near((m.dsn, dss.wide_dsn), self.rcv.nxt());
        Some(Mapping { dsn: self.numbers.received(dsn), ..m })
    }

    /// Takes what stands in the options beside the mapping.
    fn on_options(&mut self, id: usize, segment: &Segment, options: &Options, now: Instant) {
        if let Some(dss) = &options.dss {
            // What else a mapping says was noted when it was announced.
            let ends = dss.data_fin || dss.mapping.is_some_and(|m| m.len == 0);
            let mapping = if ends { self.mapping_in(dss) } else { None };
            if let Some(m) = mapping.filter(|m| m.len == 0) {
                self.on_infinite(id, m, now);
                return;
            }
            if let Some(ack) = dss.data_ack {
                let window = self.subflows[id].peer_window_by(segment);
                let ack = self.numbers.of_sent_near((ack, dss.wide_ack), self.snd.una);
                self.on_data_ack(ack, window, now);
                if !self.confirmed {
                    self.confirm(now);
                }
            }
            if let (true, Some(m)) = (dss.data_fin, mapping) {
                let last = u64::from(m.len) - 1;
                self.rcv.on_fin(self.numbers.of_received(m.dsn).saturating_add(last));
                self.subflows[id].tcp.demand_ack();
                self.check_complete();
            }
        } else if !self.confirmed && options.is_empty() && self.subflows[id].tcp.acked_ssn() > 1 {
            // Data was acknowledged at the subflow only: the options do not get through (RFC 8684 §3.7).
            if self.try_fall_back(id) {
                return;
            }
        } else if let Some(Signal::CapableAck { .. }) = options.signal {
            // It says no more about the window than TCP's own fields do.
            let window = self.subflows[id].tcp.window_of(segment);
            self.snd.on_ack(self.snd.una, window);
            if !self.confirmed {
                self.confirm(now);
            }
        }
        if let Some(signal) = &options.signal {
            self.on_signal(id, signal, now);
        }
    }

    fn on_signal(&mut self, id: usize, signal: &Signal, now: Instant) {
        match *signal {
            Signal::AddAddr { id: remote, address, port, hmac: Some(hmac) } => {
                // Who announces has what proves this end (`check_fully_established`).
                if !self.confirmed {
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
            Signal::Priority { backup } => self.subflows[id].peer_backup = backup,
            Signal::Fail { closes: false, .. } => self.on_fail(id, false, now),
            Signal::FastClose { key } if key == self.numbers.key().0 => {
                for id in 0..self.subflows.len() {
                    if !self.subflows[id].gone {
                        self.subflows[id].tcp.abort();
                        self.subflows.mark_dirty(id);
                    }
                }
                self.break_off(ResetCause::Peer);
            }
            _ => {}
        }
    }

    fn on_data_ack(&mut self, ack: u64, window: u64, now: Instant) {
        let news = self.snd.on_ack(ack, window);
        if news == 0 {
            return;
        }
        let fin = u64::from(self.snd.fin_acked());
        self.stats.bytes_acked += news - fin;
        self.data_rto.on_progress();
        // More is handed out before the timer starts anew (`ack_update_msk`).
        if self.may_push() {
            self.note_data_interval(now);
        }
        self.arm_data_timer(now);
        self.check_closed();
    }

    /// Takes what has come in order on subflow `id` to the data level.
    fn take(&mut self, id: usize, segment: &Segment, now: Instant) {
        self.releases = false;
        let s = &mut self.subflows[id];
        let (hole, to) = (s.tcp.take_hole(), s.tcp.received_ssn());
        if hole.is_none() && s.taken >= to && self.stage == Stage::Established && segment.payload == 0 {
            return; // An acknowledgment, as at an end that only sends.
        }
        if let Some(hole) = hole {
            self.pass_over(id, hole);
        }
        if self.stage == Stage::Fallback {
            self.take_in_fallback(id, segment, now);
            return;
        }
        if self.fallback.rejected.is_some() {
            self.fallback.fail_due |= segment.payload > 0;
            return;
        }
        let taken = self.subflows[id].taken;
        if taken >= to || self.throws_away(id, to) {
            return;
        }
        let fills_gap = to - taken > u64::from(segment.payload);
        let before = self.rcv.nxt();
        // What fills a gap of the subflow comes first of what it releases.
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
                InOrderData::Broken { dsn } => {
                    self.on_bad_checksum(id, dsn, now);
                    break;
                }
                // Someone has taken the options away.
                InOrderData::Unmapped if self.try_fall_back(id) => {
                    self.rcv.end_move();
                    self.take_in_fallback(id, segment, now);
                    return;
                }
                InOrderData::Unmapped => {
                    self.rcv.end_move();
                    self.subflows[id].abort(ResetReason::Middlebox);
                    return;
                }
            }
        }
        if buffers.is_some() {
            self.rcv.end_move();
        }
        self.settle_acks(id, (fills_gap, known), self.rcv.nxt() - before, now);
        if self.rcv.nxt() != before {
            self.check_complete();
            self.let_read(id, self.rcv.nxt() - before, fills_gap, now);
        }
        self.stats.max_waiting_bytes = self.stats.max_waiting_bytes.max(self.rcv.waiting());
    }

    /// Whether what has come in order on subflow `id` up to `to` is of no use, as the connection is done with it: then it is forgotten.
    fn throws_away(&mut self, id: usize, to: u64) -> bool {
        let s = &mut self.subflows[id];
        let throws = s.detached && !self.plan.mptcp.takes_after_close;
        if throws {
            s.throw_away(to);
        }
        throws
    }

    /// Of what has come in order on subflow `id`, `unread` bytes wait for the application: whether the ACK of a gap that was filled counts,
    /// and whether that of what was known to the connection waits.
    #[inline]
    fn settle_acks(&mut self, id: usize, (fills_gap, known): (bool, bool), unread: u64, now: Instant) {
        if fills_gap {
            self.count_gap_ack(id, unread, known);
        } else if known {
            self.put_off_ack_of_known(id, now);
        }
    }

    /// What a gap has held back begins to be moved to the data level, buffer by buffer where those count.
    fn begin_move(&mut self, fills_gap: bool) -> Option<ReleasedBuffers> {
        let moves = fills_gap && self.rcv.counts_memory() && !self.checksum;
        if moves {
            self.rcv.begin_move();
        }
        moves.then(ReleasedBuffers::default)
    }

    /// The next of the bytes that have come in order on subflow `id` up to `to`: none from beyond the buffer of those before them, where
    /// `buffers` count. Also what piece of that they are.
    #[inline]
    fn take_next(
        &mut self,
        id: usize,
        buffers: &mut Option<ReleasedBuffers>,
        to: u64,
    ) -> Option<(InOrderData, BufferPiece)> {
        let s = &mut self.subflows[id];
        let upto = buffers.as_mut().map_or(to, |buffers| s.end_of_buffer(buffers, to));
        let taken = s.take(upto, self.checksum)?;
        let piece = buffers.as_mut().map_or(BufferPiece::PACKET, |buffers| buffers.piece(s.taken));
        Some((taken, piece))
    }

    /// Takes `dsn..end` from subflow `id` to the data level; returns whether anything is delivered by it.
    #[inline]
    pub(super) fn take_bytes(&mut self, id: usize, dsn: u64, end: u64, now: Instant) -> bool {
        self.take_piece(id, (dsn, end), BufferPiece::PACKET, now)
    }

    /// The same, of a `piece` of the subflow's buffer.
    #[inline]
    fn take_piece(&mut self, id: usize, (dsn, end): (u64, u64), piece: BufferPiece, now: Instant) -> bool {
        if !self.subflows[id].altered.is_empty() {
            self.count_altered(id, dsn, end);
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
        self.deliver(came);
        came > 0
    }

    fn deliver(&mut self, bytes: u64) {
        self.pending.delivered(bytes);
        self.stats.bytes_delivered += bytes;
    }

    /// Whether the peer's data is complete by now.
    fn check_complete(&mut self) {
        if self.rcv.is_complete() && self.pending.peer_closed() {
            self.check_closed();
        }
    }

    /// Both directions are done: the subflows are closed (RFC 8684 §3.3.3).
    fn check_closed(&mut self) {
        if !(self.snd.fin_acked() && self.rcv.is_complete()) {
            return;
        }
        for id in 0..self.subflows.len() {
            self.subflows[id].tcp.close();
            self.subflows.mark_dirty(id);
        }
    }

    /// After anything that moved subflow `id`'s TCP: its events, its window, its deadline.
    pub(super) fn settle(&mut self, id: usize, now: Instant) {
        let s = &mut self.subflows[id];
        s.forget_acknowledged();
        // At an end that has nothing to send no window moves once its subflow is there, and all that tells of it is far away.
        let moves = s.tcp.has_changed() || self.snd.has_written() || s.tcp.state() != State::Established;
        if s.tcp.has_changed() || s.tcp.state() == State::FinWait2 {
            self.follow(id, now);
        }
        if let Some(coupling) = self.coupling.as_mut().filter(|_| moves && self.subflows[id].is_attached()) {
            couple(coupling, id, &mut self.subflows[id]);
        }
        self.run_path_manager(now);
        self.subflows.mark_dirty(id);
        self.push_due |= self.fills && self.may_push();
    }

    /// Subflow `id`'s TCP has opened, or is over in one direction or both.
    #[inline(never)]
    fn follow(&mut self, id: usize, now: Instant) {
        while let Some(event) = self.subflows[id].tcp.poll_event() {
            match event {
                Event::Connected => self.on_connected(id, now),
                // What it delivers is looked at anyway.
                Event::Delivered { .. } => {}
                Event::PeerClosed => self.on_subflow_fin(id, now),
                Event::Closed => self.on_gone(id, None, now),
                Event::Reset { cause } => self.on_gone(id, Some(cause), now),
            }
        }
        if self.subflows[id].tcp.state() == State::FinWait2
            && self.fin_deadline == Instant::MAX
            && self.is_over()
        {
            self.fin_deadline = now.saturating_add(super::FIN_TIMEOUT);
        }
    }

    /// Whether what comes on a subflow lets data be handed out: not while the peer's window is used up, even where data is to be
    /// sent again that lies within it (`ack_update_msk`).
    fn may_push(&self) -> bool {
        self.stage != Stage::Established || self.snd.edge > self.snd.nxt
    }

    /// The peer will send nothing more on subflow `id`.
    fn on_subflow_fin(&mut self, id: usize, now: Instant) {
        if self.stage == Stage::Fallback {
            self.pending.peer_closed();
        } else if self.plan.mptcp.closes_in_order && self.subflows[id].is_attached() && !self.is_ending() {
            self.detach(id, None, now);
        } else {
            self.subflows[id].tcp.close();
        }
    }

    /// Whether either end has said that it sends nothing more.
    fn is_ending(&self) -> bool {
        self.snd.closing || self.rcv.fin().is_some()
    }

    /// Subflow `id` is over, because of `cause` if not in good order.
    fn on_gone(&mut self, id: usize, cause: Option<ResetCause>, now: Instant) {
        if core::mem::replace(&mut self.subflows[id].gone, true) {
            return;
        }
        if !self.subflows[id].detached {
            self.part_with(id, cause, now);
        }
    }

    /// The connection does without subflow `id`, because of `cause` if that did not end in good order.
    pub(super) fn part_with(&mut self, id: usize, cause: Option<ResetCause>, now: Instant) {
        let established = self.subflows[id].ready;
        self.subflows.arrivals(id).end();
        if let Some(coupling) = &mut self.coupling {
            coupling.remove(id);
        }
        self.return_bytes(id);
        if self.subflows[id].is_first() {
            self.first_buffer = self.subflows[id].memory.as_ref().map(SendBuffer::size);
        }
        self.join_buffers();
        self.stats.subflows_lost += u32::from(cause.is_some());
        let alone = self.subflows.attached().next().is_none();
        if self.stage == Stage::Closed {
            return;
        }
        let finished = self.stage == Stage::Fallback || (self.snd.fin_acked() && self.rcv.is_complete());
        match cause {
            _ if alone && finished && (cause.is_none() || self.stage == Stage::Established) => {
                self.stage = Stage::Closed;
                self.data_rto.stop();
                self.fallback.deadline = Instant::MAX;
                self.close_timer = CloseTimer::OFF;
                self.pending.closed();
                return;
            }
            Some(cause) if self.stage != Stage::Established || (!established && alone) => {
                self.break_off(cause);
                return;
            }
            _ => {}
        }
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
            self.close_timer = CloseTimer::new(at, cause.unwrap_or(ResetCause::TimedOut));
        }
    }

    /// What subflow `id` carried and the peer has not acknowledged at the data level goes to others; or whatever the peer has not, even if
    /// that subflow carried none of it, as when it was refused.
    pub(super) fn return_bytes(&mut self, id: usize) {
        if self.plan.mptcp.reinject_all && self.stage != Stage::Fallback && self.may_reinject() {
            self.snd.reinject_all();
        }
        self.push_due = self.fills;
        for m in self.subflows[id].sent.iter() {
            self.snd.reinject(m.dsn, m.dsn + u64::from(m.len));
        }
    }

    /// The earliest deadline, if any. It may move with every call; waking the connection early is harmless.
    pub fn poll_timeout(&self) -> Option<Instant> {
        let mut own = self.data_rto.at().min(self.close_timer.at()).min(self.announcement_deadline());
        own = own.min(self.look_due).min(self.room_due).min(self.write_due);
        // What a path manager still plans comes to nothing once the connection is over.
        if self.stage != Stage::Closed {
            own = own.min(self.fin_deadline).min(self.fallback.deadline).min(self.path_manager.deadline());
        }
        let first = self.subflows.first_deadline().min(own);
        (first != Instant::MAX).then_some(first)
    }

    /// Tells the connection the time. Whatever is due happens; early calls do nothing.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.adjust_buffer(now);
        for id in 0..self.subflows.len() {
            if self.subflows.deadline(id) <= now {
                self.on_subflow_deadline(id, now);
            }
        }
        if self.data_rto.at() <= now {
            self.on_data_timeout(now);
        }
        if self.fallback.deadline <= now {
            self.repeat_fail(now);
        }
        if self.close_timer.at() <= now {
            self.break_off(self.close_timer.cause());
        }
        if self.fin_deadline <= now {
            self.fin_deadline = Instant::MAX;
            self.give_up_waiting(now);
        }
        self.repeat_announcements(now);
        if self.path_manager.deadline() <= now {
            self.path_manager.handle_timeout(now);
            self.run_path_manager(now);
        }
    }

    /// Subflows on which the peer's FIN does not come are reset.
    fn give_up_waiting(&mut self, now: Instant) {
        for id in 0..self.subflows.len() {
            if !self.subflows[id].gone && self.subflows[id].tcp.state() == State::FinWait2 {
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
        if s.proof_deadline <= now {
            s.repeat_proof(now);
        }
        let timeouts = s.tcp.stats().timeouts - timeouts;
        self.stats.timeouts += timeouts;
        if timeouts != 0 && s.is_attached() {
            self.on_subflow_timeout(id);
        }
        self.settle(id, now);
    }
}

/// A SYN as the TCP of a subflow sees it: so many bytes of what the peer takes at a time are for mappings.
#[inline(never)]
fn leave_room(syn: &Segment, mapping: u16) -> Segment {
    Segment { mss: syn.mss.map(|mss| mss.saturating_sub(mapping).max(1)), ..*syn }
}

/// Takes what the window of subflow `id` has noted to the coupled controller.
fn couple(coupling: &mut Coupling, id: usize, subflow: &mut super::subflow::Subflow) {
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

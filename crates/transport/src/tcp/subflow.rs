//! Interface for a Multipath TCP connection (RFC 8684 §3.3): the window is the connection's, and data comes in pieces, each of
//! which is sent in a segment of its own.

use super::linux::buffers::LinuxBuffers;
use super::linux::receive_queue::{HeldPackets, MappingMark, ReceiveQueue, SegmentPlace};
use super::recv::ack_policy::AckPolicy;
use super::sequence::unwrap;
use super::{ResetCause, Tcp, TransmitHint};
use crate::cc::{Cc, CongestionControl};
use crate::config::Misbehaviour;
use crate::segment::{Flags, Segment, SeqNumber};
use tailrace_core::{Bytes, Instant};

impl Tcp {
    /// Makes the endpoint a subflow of a connection that shares `window` bytes of receive window among its subflows, limited
    /// to 32 bits.
    #[inline]
    pub(crate) fn share_window(&mut self, window: u64) {
        let before = self.shared_window.replace(window);
        if before.is_none() {
            self.buffers = None;
            // The connection notes that the window grows before the first segment of a subflow can say that ACKs hurry.
            self.acks.begin_quick_acks(self.config.quick_acks);
        }
    }

    /// Ends quick ACKs: the buffer of the connection is too full.
    pub(crate) fn end_quick_acks(&mut self) {
        self.acks.forget_quick();
    }

    /// Rest of the window advertised last, by the subflow's own sequence numbers (`tcp_receive_window`).
    pub(crate) fn current_window(&self) -> u64 {
        (self.acks.last_sent() + u64::from(self.shown_window)).saturating_sub(self.rcv.nxt())
    }

    /// Whether MPTCP options of `segment` count, beside a mapping: not if its sequence or acknowledgment number or its timestamp is not
    /// valid (RFC 9293 §3.10.7.4; Linux calls `mptcp_incoming_options` after `tcp_validate_incoming` and `tcp_ack`). The window is what
    /// the subflow has shown at most, beyond the last ACK.
    #[inline]
    pub(crate) fn validates(&self, segment: &Segment) -> bool {
        if !self.state.is_synchronized() {
            return true;
        }
        let seq = unwrap(self.rcv.nxt(), segment.seq);
        if segment.flags.has_any(Flags::SYN.with(Flags::RST)) {
            return !segment.flags.has(Flags::SYN) && seq == self.rcv.nxt();
        }
        let (ack, last) = (unwrap(self.board.una, segment.ack), self.acks.last_sent());
        let acknowledges = ack <= self.board.nxt && ack + self.snd_wnd.largest() >= self.board.una;
        let within =
            seq + u64::from(segment.seq_len()) >= last && seq <= last + u64::from(self.largest_shown);
        within && acknowledges && segment.flags.has(Flags::ACK) && !self.is_stale(segment, seq)
    }

    /// Whether pacing holds back what the connection would hand to the subflow.
    pub(crate) fn awaits_pacing(&self) -> bool {
        !self.pacer.is_open()
    }

    /// Bytes that a unit of the window field stands for.
    #[inline]
    pub(crate) const fn window_unit(&self) -> u64 {
        1 << self.options.rcv_scale
    }

    /// Follows the packets that the connection writes, as they count as memory, unless only segments are sent. Options take
    /// `beside` bytes of each segment.
    pub(crate) fn follow_packets(&mut self, beside: u32) {
        if let Some(extensions) = self.extensions.as_deref_mut() {
            extensions.segmentation.set_options(beside);
            self.buffers = Some(LinuxBuffers::of_subflow(&self.config));
        }
    }

    /// Sets the length of the next piece of data.
    #[inline]
    pub(crate) fn begin_piece(&mut self, len: u32) {
        self.snd.begin_piece(len.min(self.mss) as u16);
    }

    /// The connection writes `bytes` more, which continue the last mapping or not.
    #[inline]
    pub(crate) fn take(&mut self, bytes: u64, goes_on: bool) {
        self.snd.write(bytes);
        if self.buffers.is_some() {
            let goal = self.size_goal();
            if let Some(buffer) = self.send_buffer_mut() {
                buffer.take(bytes, goes_on, goal);
            }
        }
    }

    /// Pushes the written data: its last segment has PSH (`tcp_push`).
    pub(crate) fn push(&mut self) {
        if let Some(buffer) = self.send_buffer_mut() {
            buffer.queue.push_tail(true);
        }
    }

    /// Whether the last waiting packet has room for more.
    pub(crate) fn has_room_in_packet(&self) -> bool {
        self.room_in_packet().is_some_and(|room| room > 0)
    }

    /// Room in the last waiting packet; `None` where packets are not followed.
    pub(crate) fn room_in_packet(&self) -> Option<u64> {
        Some(self.tuned_send_buffer()?.queue.room_in_tail(self.size_goal()))
    }

    /// Whether the packet handed down last was sent as a whole.
    pub(crate) fn packet_is_out(&self) -> bool {
        self.tuned_send_buffer().is_none_or(|buffer| buffer.queue.left() == self.board.nxt)
    }

    /// Number of waiting packets that the connection has written, where they are followed.
    pub(crate) fn packets_waiting(&self) -> u64 {
        let written = self.tuned_send_buffer().filter(|_| self.shared_window.get().is_some());
        written.map_or(0, |buffer| buffer.queue.waiting())
    }

    /// Whether the last waiting packet may grow; its last piece starts at relative number `piece`.
    pub(crate) fn may_grow(&self, piece: u64) -> bool {
        self.tuned_send_buffer().map_or(piece >= self.next_ssn(), |buffer| buffer.queue.may_grow())
    }

    /// Memory of unacknowledged data (`sk_wmem_queued`).
    pub(crate) fn memory_queued(&self) -> u64 {
        let in_segments = || {
            let queued = self.queued();
            queued + queued.div_ceil(u64::from(self.mss)) * self.config.send_overhead.get()
        };
        self.tuned_send_buffer().map_or_else(in_segments, |buffer| buffer.queue.memory())
    }

    /// The window has grown: the segment that is about to come is acknowledged at once (`tcp_grow_window`).
    pub(crate) fn note_window_grown(&mut self) {
        self.acks.window_will_grow();
    }

    /// The application has read everything received on the connection: pushed data is acknowledged, unless the subflow has a
    /// gap (`tcp_cleanup_rbuf`). Whether an ACK is due.
    pub(crate) fn note_all_read(&mut self) -> bool {
        if self.has_pushed() {
            self.acks.on_all_read(self.extensions.is_pingpong());
        }
        let due = self.acks.is_due();
        if due {
            self.transmit_hint = TransmitHint::Unknown;
        }
        due
    }

    /// Whether pushed data is to be acknowledged once the application has read everything.
    pub(crate) fn has_pushed(&self) -> bool {
        self.acks.is_pushed() && !self.rcv.has_gap()
    }

    /// Bytes written and not sent yet.
    #[inline]
    pub(crate) fn unsent(&self) -> u64 {
        self.snd.after(self.board.nxt)
    }

    /// Bytes written and not acknowledged.
    #[inline]
    pub(crate) fn queued(&self) -> u64 {
        self.snd.after(self.board.una)
    }

    /// Whether a segment of `len` bytes of new data would be sent at once.
    #[inline]
    pub(crate) fn has_room(&self, len: u64) -> bool {
        let pipe = self.pipe();
        self.state.may_send()
            && !self.snd.is_closed()
            && self.pacer.is_open()
            && self.snd.data_end() == self.board.nxt
            && !self.board.has_waiting()
            && (pipe == 0 || pipe + self.board.weight(len) <= self.window())
    }

    /// Whether data may be written ahead of the window.
    #[inline]
    pub(crate) fn may_queue(&self) -> bool {
        self.state.may_send() && !self.snd.is_closed()
    }

    /// Whether an ACK is sent with the next poll.
    pub(crate) const fn owes_ack(&self) -> bool {
        self.acks.is_due()
    }

    /// Whether more segments have come than one ACK may wait for, and no ACK was sent.
    pub(crate) fn has_overdue_ack(&self) -> bool {
        self.acks.segments_waiting() >= self.config.delayed_ack
    }

    /// Whether segments are acknowledged at once (quick ACKs).
    pub(crate) const fn has_quick_acks(&self) -> bool {
        self.acks.is_quick()
    }

    /// Whether ACKs are sent at once, and not only by count.
    pub(crate) fn acknowledges_at_once(&self) -> bool {
        self.has_quick_acks() || self.rcv.has_gap()
    }

    /// Window advertised last.
    pub(crate) const fn shown_window(&self) -> u64 {
        self.shown_window as u64
    }

    /// Sends a window probe with the next poll (RFC 9293 §3.8.6.1).
    pub(crate) fn demand_probe(&mut self) {
        if self.state.is_synchronized() {
            self.probe_due = true;
            self.transmit_hint = TransmitHint::Unknown;
        }
    }

    /// Sends an ACK with the next poll.
    pub(crate) fn demand_ack(&mut self) {
        if self.state.is_synchronized() {
            self.acks.demand();
            self.transmit_hint = TransmitHint::Unknown;
        }
    }

    /// Whether the last poll found no room in the window for the next segment: more data changes nothing.
    #[inline]
    pub(crate) const fn is_held_back(&self) -> bool {
        matches!(self.transmit_hint, TransmitHint::NoRoom)
    }

    /// Whether the next poll, right after new data was sent, is known to have nothing, as all is sent or the window has no
    /// room for another full segment. Notes what that poll would note.
    #[inline]
    pub(crate) fn looks_ahead(&mut self) -> bool {
        let repairs =
            self.recovery.is_active() || self.board.has_waiting() || self.recovery.waits_for_timer();
        let owes = self.acks.is_due() || self.has_probe_due() || self.syn_due;
        if repairs || owes || self.paces || self.config.max_burst > 0 {
            return false;
        }
        let (pipe, cwnd) = (self.pipe(), self.cwnd());
        if self.board.nxt == self.snd.end() {
            self.note_limit(pipe, cwnd);
            self.note_idle();
            return true;
        }
        let full = u64::from(self.mss);
        let shut = self.next_len().0 == full && pipe + full > self.window();
        if shut {
            self.note_limit(pipe, cwnd);
            self.transmit_hint = TransmitHint::NoRoom;
        }
        shut
    }

    /// The relative sequence number of the next new byte; the first is 1.
    #[inline]
    pub(crate) fn next_ssn(&self) -> u64 {
        self.board.nxt - self.iss()
    }

    /// The relative sequence number of the next byte to be written.
    #[inline]
    pub(crate) fn end_ssn(&self) -> u64 {
        self.snd.data_end() - self.iss()
    }

    /// The relative sequence number up to which the peer has acknowledged.
    #[inline]
    pub(crate) fn acked_ssn(&self) -> u64 {
        self.board.una - self.iss()
    }

    /// Relative sequence number of the first byte of a sent segment.
    #[inline]
    pub(crate) fn ssn_of(&self, segment: &Segment) -> u64 {
        let una = self.board.una;
        // A reset may have any number.
        una.wrapping_add_signed(i64::from(segment.seq.distance(SeqNumber(una as u32))))
            .wrapping_sub(self.iss())
    }

    /// Whether the bytes behind a sent segment continue its mapping. Without a packet queue they do behind a full segment, or
    /// one without PSH.
    #[inline]
    pub(crate) fn mapping_continues_after(&self, segment: &Segment) -> bool {
        if segment.payload == 0 {
            return false;
        }
        let end = self.ssn_of(segment).wrapping_add(self.iss()).wrapping_add(u64::from(segment.payload));
        match self.tuned_send_buffer() {
            Some(buffer) => buffer.queue.mapping_continues_at(end),
            None => segment.payload >= self.mss() || !segment.flags.has(Flags::PSH),
        }
    }

    /// Relative sequence number up to which data is received in order.
    #[inline]
    pub(crate) fn received_ssn(&self) -> u64 {
        self.rcv.nxt_data().saturating_sub(self.irs)
    }

    /// Place of a segment's payload in the receive queue.
    pub(crate) fn place_of(&self, segment: &Segment) -> SegmentPlace {
        let start = unwrap(self.rcv.nxt(), segment.seq);
        if self.rcv.missing(start, start.saturating_add(u64::from(segment.payload))) == 0 {
            return SegmentPlace::Again;
        }
        if start <= self.rcv.nxt() {
            return SegmentPlace::InOrder;
        }
        self.arrivals().map_or(SegmentPlace::BehindAnother, |arrivals| arrivals.place_of(start))
    }

    /// Sets the mark of the segment that is about to come.
    pub(crate) fn note_mark(&mut self, mark: MappingMark) {
        if let Some(buffers) = self.buffers.as_deref_mut() {
            buffers.arrivals_mut().note_mark(mark);
        }
    }

    /// Buffer number `i` of those that the latest segment brought into order: relative number of the byte behind it, and its
    /// packets.
    pub(crate) fn released(&self, i: usize) -> Option<(u64, u64)> {
        let (end, packets) = *self.arrivals()?.released().get(i)?;
        Some((end - self.irs, packets))
    }

    /// Received bytes that were corrupted on the way.
    pub(crate) fn altered_arrived(&self) -> u64 {
        self.altered.as_ref().map_or(0, |a| a.arrived())
    }

    /// Relative sequence numbers of a received segment's payload.
    pub(crate) fn received_range(&self, segment: &Segment) -> (u64, u64) {
        let start = unwrap(self.rcv.nxt(), segment.seq).saturating_sub(self.irs);
        (start, start.saturating_add(u64::from(segment.payload)))
    }

    /// The window field of `segment` in bytes.
    #[inline]
    pub(crate) fn window_of(&self, segment: &Segment) -> u64 {
        let syn = segment.flags.has(Flags::SYN);
        u64::from(if syn { u32::from(segment.window) } else { self.snd_wnd.scaled(segment) })
    }

    /// Congestion control of the subflow.
    #[inline]
    pub(crate) fn control(&self) -> &Cc {
        &self.cc
    }

    /// Tells the congestion control something, which may change the window.
    #[inline]
    pub(crate) fn tell_control(&mut self, what: impl FnOnce(&mut Cc)) {
        self.transmit_hint = TransmitHint::Unknown;
        self.cc.tell(what);
    }

    /// The congestion window, and the slow-start threshold if there is one yet.
    #[inline]
    pub(crate) fn windows(&self) -> (Bytes, Option<Bytes>) {
        (self.cwnd(), self.cc.ssthresh())
    }

    /// Whether an event other than a delivery is pending.
    #[inline]
    pub(crate) const fn has_changed(&self) -> bool {
        self.pending.has_other()
    }

    /// The congestion window.
    #[inline]
    pub(crate) fn cwnd_in_use(&self) -> Bytes {
        self.cwnd()
    }

    /// Bytes in the network.
    #[inline]
    pub(crate) fn in_flight(&self) -> Bytes {
        Bytes(self.pipe())
    }

    /// Pacing rate when the last ACK was processed, bytes a second, whether data is paced or not (`sk_pacing_rate`); `None`
    /// where it is not noted.
    pub(crate) fn rate_noted(&self) -> Option<u64> {
        self.extensions.as_ref().filter(|_| self.config.tso).map(|e| e.segmentation.rate())
    }

    /// Segments sent and not acknowledged, each as a full one (`packets_out`).
    pub(crate) fn outstanding(&self) -> Bytes {
        Bytes(self.board.segments() * u64::from(self.mss))
    }

    /// Whether any loss is being repaired.
    #[inline]
    pub(crate) fn repairs_loss(&self) -> bool {
        self.recovery.is_active()
    }

    /// Whether a timeout is being repaired.
    #[inline]
    pub(crate) fn repairs_timeout(&self) -> bool {
        self.recovery.is_after_timeout()
    }

    /// Whether nothing is outstanding or waits to be sent.
    pub(crate) fn is_idle(&self) -> bool {
        self.board.outstanding() == 0 && self.snd.data_end() == self.board.nxt
    }

    /// Expiry of the retransmission timer, or of a probe in its place, as a kernel notes it; `None` where neither runs.
    pub(crate) fn retransmission_noted(&self) -> Option<Instant> {
        self.timer.retransmission_noted(self.config.jiffy)
    }

    /// Ends the attempt to connect.
    pub(crate) fn give_up(&mut self) {
        self.break_off(ResetCause::TimedOut);
    }

    /// Received packets, where they are followed.
    fn arrivals(&self) -> Option<&ReceiveQueue> {
        self.buffers.as_deref().map(LinuxBuffers::arrivals)
    }

    /// Packets received above gaps: full ones, where they are not followed.
    pub(crate) fn held_above_gaps(&self) -> HeldPackets {
        let ranges = || self.rcv.ranges().map(|(start, end)| end - start);
        let in_ranges = || HeldPackets {
            bytes: ranges().sum(),
            packets: ranges().map(|range| range.div_ceil(u64::from(self.mss))).sum(),
            buffers: ranges().count() as u64,
        };
        self.arrivals().map_or_else(in_ranges, |arrivals| arrivals.held(0, 1))
    }

    /// Counts an ACK that is about to leave, as a gap was filled, among those that report the next gap at once.
    pub(crate) fn count_gap_ack(&mut self) {
        let counts = self.rcv.has_gap() && !self.acks.is_quick() && !self.has_one_unacknowledged();
        let nxt = self.rcv.nxt();
        if let Some(extensions) = self.extensions.as_deref_mut().filter(|_| counts) {
            extensions.ack_policy.count_gap_ack(nxt);
        }
    }

    /// Relative numbers of the bytes that the latest segment made this end pass over (`misbehaviour`).
    #[inline]
    pub(crate) fn take_hole(&mut self) -> Option<(u64, u64)> {
        if self.config.misbehaviour != Misbehaviour::OptimisticAcks {
            return None;
        }
        self.extensions.as_deref_mut()?.misbehaviour.take_hole()
    }
}

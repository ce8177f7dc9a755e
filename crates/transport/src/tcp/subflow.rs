//! What a Multipath TCP connection asks of the TCP beneath it (RFC 8684 §3.3): windows are the connection's, and
//! data comes in pieces, each of which leaves in a segment of its own.

use super::linux::buffers::LinuxBuffers;
use super::linux::receive_queue::{Held, Mark, Place, ReceiveQueue};
use super::recv::ack_policy::AckPolicy;
use super::sequence::unwrap;
use super::{ResetCause, Tcp, TransmitHint};
use crate::cc::{Cc, CongestionControl};
use crate::config::Misbehaviour;
use crate::segment::{Flags, Segment, SeqNumber};
use tailrace_core::{Bytes, Instant};

impl Tcp {
    /// Puts the endpoint under a connection that shares `window` bytes of receive window among its subflows. More than 32
    /// bits cannot be told, with any scale.
    #[inline]
    pub(crate) fn share_window(&mut self, window: u64) {
        let before = self.shared_window.replace(u32::try_from(window).unwrap_or(u32::MAX));
        if before.is_none() {
            self.buffers = None;
            // The connection notes that the window grows before the first segment of a subflow can say that ACKs hurry.
            self.acks.begin_quick_acks(self.config.quick_acks);
        }
    }

    /// The buffer of the connection is so full that no more ACKs are hurried.
    pub(crate) fn end_hurry(&mut self) {
        self.acks.forget_quick();
    }

    /// What is left of the window that it showed last, by its own sequence numbers (`tcp_receive_window`).
    pub(crate) fn current_window(&self) -> u64 {
        (self.acks.last_sent() + u64::from(self.shown_window)).saturating_sub(self.rcv.nxt())
    }

    /// Bytes that a unit of its window field stands for.
    #[inline]
    pub(crate) const fn window_unit(&self) -> u64 {
        1 << self.options.rcv_scale
    }

    /// The packets that the connection writes count as memory: they are followed, unless only segments are sent. Beside the data of each,
    /// its options take so many bytes.
    pub(crate) fn follow_packets(&mut self, beside: u32) {
        if let Some(extensions) = self.extensions.as_deref_mut() {
            extensions.segmentation.set_options(beside);
            self.buffers = Some(LinuxBuffers::of_subflow(&self.config));
        }
    }

    /// The piece of data that is to be sent next has so many bytes.
    #[inline]
    pub(crate) fn begin_piece(&mut self, len: u32) {
        self.snd.begin_piece(len.min(self.mss) as u16);
    }

    /// The connection hands it `bytes` more, which go on with the mapping of the last or do not.
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

    /// What it was handed is to leave, and the last segment of it is pushed (`tcp_push`).
    pub(crate) fn push(&mut self) {
        if let Some(buffer) = self.send_buffer_mut() {
            buffer.queue.push_tail(true);
        }
    }

    /// Whether the last packet that waits has room for more.
    pub(crate) fn has_room_in_packet(&self) -> bool {
        self.room_in_packet().is_some_and(|room| room > 0)
    }

    /// So many bytes the last packet that waits has room for; `None` where it is not known in which packets it waits.
    pub(crate) fn room_in_packet(&self) -> Option<u64> {
        Some(self.tuned_send_buffer()?.queue.room_in_tail(self.size_goal()))
    }

    /// Whether the packet that was handed down last has left as a whole.
    pub(crate) fn packet_is_out(&self) -> bool {
        self.tuned_send_buffer().is_none_or(|buffer| buffer.queue.left() == self.board.nxt)
    }

    /// How many packets wait that the connection has written, where they are followed.
    pub(crate) fn packets_waiting(&self) -> u64 {
        let written = self.tuned_send_buffer().filter(|_| self.shared_window.is_some());
        written.map_or(0, |buffer| buffer.queue.waiting())
    }

    /// Whether the packet may become longer that waits as the last; its last piece starts at relative number `piece`.
    pub(crate) fn may_grow(&self, piece: u64) -> bool {
        self.tuned_send_buffer().map_or(piece >= self.next_ssn(), |buffer| buffer.queue.may_grow())
    }

    /// Memory of what it was handed and the peer has not acknowledged (`sk_wmem_queued`).
    pub(crate) fn memory_queued(&self) -> u64 {
        let in_segments = || {
            let queued = self.queued();
            queued + queued.div_ceil(u64::from(self.mss)) * self.config.send_overhead.get()
        };
        self.tuned_send_buffer().map_or_else(in_segments, |buffer| buffer.queue.memory())
    }

    /// The window that it may show has grown: the segment that is about to come is acknowledged at once (`tcp_grow_window`).
    pub(crate) fn note_window_grown(&mut self) {
        self.acks.window_will_grow();
    }

    /// The connection's application has read all that came on it: what was pushed is acknowledged, unless the subflow holds some that
    /// waits for a loss (`tcp_cleanup_rbuf`). Whether it is.
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

    /// Whether it is to acknowledge what was pushed once the application has read everything.
    pub(crate) fn has_pushed(&self) -> bool {
        self.acks.is_pushed() && !self.rcv.has_gap()
    }

    /// Bytes that were handed to it and have not been sent yet.
    #[inline]
    pub(crate) fn unsent(&self) -> u64 {
        self.snd.after(self.board.nxt)
    }

    /// Bytes that were handed to it and the peer has not acknowledged.
    #[inline]
    pub(crate) fn queued(&self) -> u64 {
        self.snd.after(self.board.una)
    }

    /// Whether a segment of `len` bytes of new data would leave at once.
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

    /// Whether data may be handed to it ahead of its window.
    #[inline]
    pub(crate) fn may_queue(&self) -> bool {
        self.state.may_send() && !self.snd.is_closed()
    }

    /// Whether an ACK goes out with the next poll.
    pub(crate) const fn owes_ack(&self) -> bool {
        self.acks.is_due()
    }

    /// Whether more has come than one ACK may wait for, and none has left for it.
    pub(crate) fn has_put_off_ack(&self) -> bool {
        self.acks.segments_waiting() >= self.config.delayed_ack
    }

    /// Whether some more ACKs are ordered to leave at once.
    pub(crate) const fn has_quick_acks(&self) -> bool {
        self.acks.is_quick()
    }

    /// Whether ACKs leave at once, and not only by count.
    pub(crate) fn hurries_acks(&self) -> bool {
        self.has_quick_acks() || self.rcv.has_gap()
    }

    /// The window that it showed last.
    pub(crate) const fn shown_window(&self) -> u64 {
        self.shown_window as u64
    }

    /// The peer is asked for its window with the next poll (RFC 9293 §3.8.6.1).
    pub(crate) fn demand_probe(&mut self) {
        if self.state.is_synchronized() {
            self.probe_due = true;
            self.transmit_hint = TransmitHint::Unknown;
        }
    }

    /// An ACK goes out with the next poll.
    pub(crate) fn demand_ack(&mut self) {
        if self.state.is_synchronized() {
            self.acks.demand();
            self.transmit_hint = TransmitHint::Unknown;
        }
    }

    /// Whether the last poll has found no room in the window for what comes next: more data behind that changes nothing, and a
    /// poll for it would be in vain.
    #[inline]
    pub(crate) const fn is_held_back(&self) -> bool {
        matches!(self.transmit_hint, TransmitHint::NoRoom)
    }

    /// New data has just left. Whether it is known that the next poll would bring nothing, as all is sent or the window has no
    /// room for another full segment: what that poll would note is noted then.
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

    /// The relative sequence number of the next byte that it will be given.
    #[inline]
    pub(crate) fn end_ssn(&self) -> u64 {
        self.snd.data_end() - self.iss()
    }

    /// The relative sequence number up to which the peer has acknowledged.
    #[inline]
    pub(crate) fn acked_ssn(&self) -> u64 {
        self.board.una - self.iss()
    }

    /// The relative number of the first byte of a segment that this end sends.
    #[inline]
    pub(crate) fn ssn_of(&self, segment: &Segment) -> u64 {
        let una = self.board.una;
        // A reset may have any number.
        una.wrapping_add_signed(i64::from(segment.seq.distance(SeqNumber(una as u32))))
            .wrapping_sub(self.iss())
    }

    /// Whether what was written with the last byte of a segment that this end sends goes on behind it. Without a queue of packets it is
    /// taken to go on behind a full segment, or one that is not pushed.
    #[inline]
    pub(crate) fn goes_on_behind(&self, segment: &Segment) -> bool {
        if segment.payload == 0 {
            return false;
        }
        let end = self.ssn_of(segment).wrapping_add(self.iss()).wrapping_add(u64::from(segment.payload));
        match self.tuned_send_buffer() {
            Some(buffer) => buffer.queue.goes_on_at(end),
            None => segment.payload >= self.mss() || !segment.flags.has(Flags::PSH),
        }
    }

    /// The relative number up to which the peer's bytes have arrived in order.
    #[inline]
    pub(crate) fn received_ssn(&self) -> u64 {
        self.rcv.nxt_data().saturating_sub(self.irs)
    }

    /// Where the payload of a segment comes.
    pub(crate) fn place_of(&self, segment: &Segment) -> Place {
        let start = unwrap(self.rcv.nxt(), segment.seq);
        if self.rcv.missing(start, start.saturating_add(u64::from(segment.payload))) == 0 {
            return Place::Again;
        }
        if start <= self.rcv.nxt() {
            return Place::InOrder;
        }
        self.arrivals().map_or(Place::BehindAnother, |arrivals| arrivals.place_of(start))
    }

    /// The segment that is about to come has this mark.
    pub(crate) fn note_mark(&mut self, mark: Mark) {
        if let Some(buffers) = self.buffers.as_deref_mut() {
            buffers.arrivals_mut().note_mark(mark);
        }
    }

    /// Of the buffers that the latest segment has brought into order, the one with number `i`: the relative number of the byte behind it, and
    /// its packets.
    pub(crate) fn released(&self, i: usize) -> Option<(u64, u64)> {
        let (end, packets) = *self.arrivals()?.released().get(i)?;
        Some((end - self.irs, packets))
    }

    /// Bytes that have come and were changed on the way.
    pub(crate) fn altered_arrived(&self) -> u64 {
        self.altered.as_ref().map_or(0, |a| a.arrived())
    }

    /// The relative numbers of the payload of a segment that has come.
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

    /// What governs its congestion window.
    #[inline]
    pub(crate) fn control(&self) -> &Cc {
        &self.cc
    }

    /// Tells that of something, upon which the window may be another.
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

    /// Whether there is an event beside that bytes were delivered.
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

    /// Its pacing rate when an ACK was dealt with last, bytes a second, whether it paces or not (`sk_pacing_rate`); none where that is
    /// not noted.
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

    /// Whether nothing is on its way or waits to be.
    pub(crate) fn is_idle(&self) -> bool {
        self.board.outstanding() == 0 && self.snd.data_end() == self.board.nxt
    }

    /// When the retransmission timer, or a probe in its place, expires; `None` where it does not run.
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
    pub(crate) fn held_above_gaps(&self) -> Held {
        let ranges = || self.rcv.ranges().map(|(start, end)| end - start);
        let in_ranges = || Held {
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

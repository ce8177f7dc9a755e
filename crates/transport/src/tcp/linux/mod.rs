//! Linux, to the byte: memory of socket buffers, the out-of-order queue, segmentation offload, ACK policy and timer ticks.
//!
//! Nothing here is needed to understand RFC 9293. Each part is off where its parameter is, and TCP is that of the RFCs then. The
//! seams are the traits [`AckPolicy`](super::recv::ack_policy::AckPolicy) and [`SocketBuffers`](super::socket_buffers::SocketBuffers),
//! and the questions about packets below.

mod ack_compression;
pub(in crate::tcp) mod ack_policy;
mod ato;
pub(in crate::tcp) mod buffers;
pub(in crate::tcp) mod ofo_queue;
mod peer_mss;
pub(crate) mod receive_queue;
pub(crate) mod receive_space;
mod sack_memory;
pub(in crate::tcp) mod segmentation;
pub(in crate::tcp) mod send_buffer;
pub(in crate::tcp) mod send_queue;

use super::Tcp;
use super::socket_buffers::SocketBuffers;
use crate::config::Nagle;
use segmentation::{AckClock, PacketRoom, size_goal};
use send_buffer::{PushMode, SendBuffer};
use tailrace_core::Instant;

/// The application in front of a tuned send buffer (`tcp_sendmsg_locked`).
impl Tcp {
    #[inline]
    pub(in crate::tcp) fn tuned_send_buffer(&self) -> Option<&SendBuffer> {
        self.buffers.as_ref()?.send()
    }

    #[inline]
    pub(in crate::tcp) fn send_buffer_mut(&mut self) -> Option<&mut SendBuffer> {
        self.buffers.as_mut()?.send_mut()
    }

    /// Segments that fit into the congestion window, unless it is full (`tcp_should_expand_sndbuf`).
    fn segments_if_open(&self) -> Option<u64> {
        let (mss, window) = (u64::from(self.mss), self.window());
        (self.pipe() + mss <= window).then_some(window / mss)
    }

    /// Looks for room in the buffer, if the application waits for it.
    #[inline]
    fn look_for_room(&mut self) {
        if self.tuned_send_buffer().is_some_and(SendBuffer::waits) {
            self.look_for_room_in_window();
        }
    }

    #[inline(never)]
    fn look_for_room_in_window(&mut self) {
        let (segments, mss) = (self.segments_if_open(), u64::from(self.mss));
        if let Some(buffer) = self.send_buffer_mut() {
            buffer.look_for_room(segments, mss);
        }
    }

    /// Everything that may be sent has left: the application writes on. Whether any of that may leave now.
    #[inline]
    pub(in crate::tcp) fn application_writes_on(&mut self) -> bool {
        let end = self.snd.data_end();
        let rests = |buffer: &SendBuffer| buffer.rests(end);
        self.state.is_synchronized()
            && !self.tuned_send_buffer().is_none_or(rests)
            && self.application_looks(end)
    }

    /// The application looks for room, and writes of what it has up to `end`. Whether any of it is to leave now.
    #[inline(never)]
    fn application_looks(&mut self, end: u64) -> bool {
        let Some(buffer) = self.send_buffer_mut() else { return false };
        if buffer.take_acked() {
            self.look_for_room();
        }
        let (goal, half) = (self.size_goal(), self.snd_wnd.largest() / 2);
        let Some(buffer) = self.send_buffer_mut() else { return false };
        buffer.look(end) && buffer.write(end, goal, half)
    }

    /// Data from `start` on is sent again, `alone` or with other segments of its packet.
    #[inline(never)]
    pub(in crate::tcp) fn resend_from_buffer(&mut self, start: u64, alone: bool) {
        let mss = u64::from(self.mss);
        let room = self.window().saturating_sub(self.pipe()) / mss;
        let most = if alone { 1 } else { room.clamp(1, self.most_in_packet().max(1)) };
        if let Some(buffer) = self.send_buffer_mut() {
            buffer.queue.resend(start, most * mss);
        }
    }
}

/// Packets of several segments (`tcp_write_xmit`).
impl Tcp {
    /// Whether new data may leave now, for which the window has room beside `pipe`: within a packet, or as the first of one that need
    /// not wait.
    #[inline(never)]
    pub(in crate::tcp) fn may_begin_packet(&mut self, (window, pipe): (u64, u64), now: Instant) -> bool {
        if !self.config.tso || self.paces {
            return true;
        }
        let nxt = self.board.nxt;
        if self.extensions.as_ref().is_none_or(|e| e.segmentation.is_within_packet(nxt)) {
            return true;
        }
        if self.tuned_send_buffer().is_some() {
            return self.begin_packet_of_queue((window, pipe), now);
        }
        let written = self.buffered().min(self.snd.data_end());
        // The connection of a subflow hands out what leaves at once.
        if nxt >= written || self.shared_window.get().is_some() {
            return true;
        }
        let room = self.room_for_packet(window, pipe);
        let (most, goal) = (room.quota() * room.mss, self.size_goal());
        let fills = self.config.fills_short_packets;
        let Some(extensions) = self.extensions.as_deref() else { return true };
        let packet = extensions.segmentation.next_packet((nxt, written), goal, most, fills);
        if packet.len > room.mss && !self.overrides_window && !self.recovery.is_active() {
            let clock = self.ack_clock(now);
            if let Some(limited) = room.defers(packet.len, packet.tail, self.snd.is_closed(), &clock) {
                self.note_deferred(limited);
                return false;
            }
        }
        let len = if self.overrides_window { room.mss } else { packet.len.min(most).min(room.wnd_room) };
        if let Some(extensions) = self.extensions.as_deref_mut() {
            extensions.segmentation.begin(nxt, len, &packet, room.mss);
        }
        true
    }

    /// The same, of packets that wait in a send buffer.
    fn begin_packet_of_queue(&mut self, (window, pipe): (u64, u64), now: Instant) -> bool {
        let (overrides, repairs) = (self.overrides_window, self.recovery.is_active());
        let came = self.stats.segments_received;
        let Some(buffer) = self.tuned_send_buffer() else { return true };
        let push = buffer.push;
        // Passing time is no reason to look again.
        if !overrides && !repairs && buffer.deferred.is_some_and(|(since, then)| then == came && since < now)
        {
            return false;
        }
        if push == PushMode::Done {
            self.note_limit(pipe, self.cwnd());
            return false;
        }
        let room = self.room_for_packet(window, pipe);
        let quota = room.quota() * room.mss;
        let fills = self.config.fills_short_packets;
        let Some(buffer) = self.send_buffer_mut() else { return true };
        let head = if fills { buffer.queue.grow_head(quota) } else { buffer.queue.head() };
        let Some(head) = head else { return true };
        let (tail, written) = (buffer.queue.has_one_waiting(), buffer.queue.written());
        let closed = self.snd.is_closed() && written == self.snd.data_end();
        if head > room.mss
            && push != PushMode::One
            && !overrides
            && !repairs
            && let Some(limited) = room.defers(head, tail, closed, &self.ack_clock(now))
        {
            self.note_deferred(limited);
            if let Some(buffer) = self.send_buffer_mut() {
                buffer.deferred = Some((now, came));
            }
            return false;
        }
        let nagled = || self.config.nagle != Nagle::Off && self.snd.has_small_after(self.board.una);
        let waits = tail && push == PushMode::Nagled && !closed && nagled();
        let len = if waits && head < room.mss { 0 } else { room.part_of(head, quota, (tail, waits)) };
        if len == 0 {
            self.note_limit(pipe, self.cwnd());
            return false;
        }
        let nxt = self.board.nxt;
        if let Some(buffer) = self.send_buffer_mut() {
            buffer.queue.hand_down(len);
        }
        if let Some(extensions) = self.extensions.as_deref_mut() {
            extensions.segmentation.begin_packet(nxt, len, len > room.mss);
        }
        true
    }

    /// A packet waits for the next ACK; the congestion window is the reason if `limited`.
    fn note_deferred(&mut self, limited: bool) {
        self.cwnd_limited = limited;
        self.note_usage(limited);
    }

    /// The part of a segment of `len` bytes, and perhaps a FIN, that is in the packet that has begun. Pieces of a connection are
    /// whole: a packet that ends within one, as some of its segments are shorter than others, is extended to its end.
    #[inline(never)]
    pub(in crate::tcp) fn within_packet(&mut self, nxt: u64, len: u64, fin: u64) -> (u64, u64) {
        if self.shared_window.get().is_some() {
            if let Some(buffer) = self.send_buffer_mut().filter(|buffer| nxt < buffer.queue.left()) {
                buffer.queue.extend_to(nxt + len);
            }
            return (len, fin);
        }
        let left = self.tuned_send_buffer().map_or(0, |buffer| buffer.queue.left());
        if nxt < left && left - nxt < len { (left - nxt, 0) } else { (len, fin) }
    }

    /// Whether new data that ends at `end` is all that was written, or the rest of a packet.
    pub(in crate::tcp) fn ends_packet(&self, end: u64) -> bool {
        self.tuned_send_buffer().is_some_and(|buffer| {
            let queue = &buffer.queue;
            end == queue.written() || (self.board.nxt < queue.left() && queue.left() <= end)
        })
    }

    /// Updates the pacing rate, and with it the size of packets, after an ACK (`tcp_update_pacing_rate`).
    pub(in crate::tcp) fn note_rate(&mut self) {
        if !self.config.tso {
            return;
        }
        let rate = self.pacing_rate().map_or(u64::MAX, |rate| rate.as_bps() / 8);
        if let Some(extensions) = self.extensions.as_deref_mut() {
            extensions.segmentation.set_rate(rate, self.rtt.min, u64::from(self.mss));
        }
    }

    /// Most segments of a packet.
    fn most_in_packet(&self) -> u64 {
        self.extensions.as_ref().map_or(segmentation::LEAST, |e| e.segmentation.most())
    }

    fn ack_clock(&self, now: Instant) -> AckClock {
        let (head, smoothed) = (self.board.first_sent_at(), self.rtt.smoothed);
        // An ACK without data counts as well (`__tcp_transmit_skb`).
        let acked = self.extensions.as_ref().map_or(Instant::ZERO, |e| e.segmentation.acked_between());
        AckClock { now, last_sent: self.last_sent.max(acked), head, smoothed }
    }

    fn room_for_packet(&self, window: u64, pipe: u64) -> PacketRoom {
        let full = u64::from(self.mss);
        let mss = match self.shared_window.get() {
            // Beside what its options take, a segment may have room for less.
            Some(_) => self.snd.piece().max(1),
            None => full,
        };
        PacketRoom {
            mss,
            cwnd: window,
            segments: (window / full).saturating_sub(pipe.div_ceil(full)),
            wnd: self.snd_wnd.size(),
            wnd_room: match self.shared_window.get() {
                // The connection has seen to its window.
                Some(_) => u64::MAX / 2,
                None => (self.board.una + self.snd_wnd.size()).saturating_sub(self.board.nxt),
            },
            most: self.most_in_packet(),
        }
    }

    /// Bytes that an application writes into a packet: a segment, where packets hold no more.
    pub(in crate::tcp) fn size_goal(&self) -> u64 {
        let mss = u64::from(self.mss);
        if self.config.tso { size_goal(mss, self.snd_wnd.largest()) } else { mss }
    }

    /// End of the data that the send buffer lets out.
    #[inline(always)]
    pub(in crate::tcp) fn buffered(&self) -> u64 {
        self.buffers.send_limit(self.board.una, self.snd.data_end(), &self.config)
    }

    /// New data that ends at `end` leaves. Whether it has PSH.
    pub(in crate::tcp) fn is_pushed(&mut self, end: u64) -> bool {
        if let Some(buffer) = self.send_buffer_mut() {
            let pushed = buffer.on_sent(end);
            if pushed.is_some() {
                self.look_for_room();
            }
            return pushed.unwrap_or(false);
        }
        let largest = self.snd_wnd.largest();
        self.config.tso && self.extensions.as_ref().is_some_and(|e| e.segmentation.is_pushed(end, largest))
    }
}

//! Socket buffers as Linux has them: a receive buffer that counts memory and grows with the path, the packets in it, and a send buffer
//! that the application fills.

use super::receive_queue::{HeldPackets, ReceiveQueue};
use super::receive_space::ReceiveSpace;
use super::send_buffer::SendBuffer;
use crate::config::TcpConfig;
use crate::segment::Segment;
use crate::tcp::options::clock;
use crate::tcp::recv::acks::OwedAcks;
use crate::tcp::recv::reassembly::Reassembly;
use crate::tcp::socket_buffers::{FixedBuffers, ReceiveView, SocketBuffers};
use tailrace_core::{Duration, Instant};

/// The buffers of one endpoint.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct LinuxBuffers {
    receive: Option<ReceiveSpace>,
    arrivals: ReceiveQueue,
    send: Option<SendBuffer>,
    /// The last timestamp echo that gave a round trip.
    last_echo: u32,
    /// Right edge of the window of an ACK that is about to leave, if it was fixed when a segment arrived.
    fixed_edge: Option<u64>,
    /// Reading has opened the window wide since then: another ACK follows with it.
    opened: bool,
}

impl LinuxBuffers {
    /// `None` where neither buffer is tuned.
    pub(in crate::tcp) fn build(config: &TcpConfig) -> Option<Box<Self>> {
        let (receive, send) = (ReceiveSpace::new(config), SendBuffer::new(config));
        let any = receive.is_some() || send.is_some();
        any.then(|| Box::new(Self::with(receive, send)))
    }

    /// Buffers of a subflow: the connection has the memory, only the packets are followed.
    pub(in crate::tcp) fn of_subflow(config: &TcpConfig) -> Box<Self> {
        Box::new(Self::with(None, Some(SendBuffer::of_subflow(config))))
    }

    fn with(receive: Option<ReceiveSpace>, send: Option<SendBuffer>) -> Self {
        let arrivals = ReceiveQueue::default();
        Self { receive, arrivals, send, last_echo: 0, fixed_edge: None, opened: false }
    }

    /// The connection is established: all up to `una` is acknowledged, the application has read up to `read`.
    pub(in crate::tcp) fn start(&mut self, mss: u64, una: u64, read: u64, now: Instant) {
        if let Some(space) = &mut self.receive {
            space.start(mss, read, now);
        }
        if let Some(buffer) = &mut self.send {
            buffer.start(una, mss);
        }
    }

    /// Whether the receive buffer is tuned.
    #[inline]
    pub(in crate::tcp) const fn tunes_window(&self) -> bool {
        self.receive.is_some()
    }

    /// Received packets, where they are followed.
    pub(in crate::tcp) const fn arrivals(&self) -> &ReceiveQueue {
        &self.arrivals
    }

    pub(in crate::tcp) const fn arrivals_mut(&mut self) -> &mut ReceiveQueue {
        &mut self.arrivals
    }

    /// The send buffer, where it is tuned or that of a subflow.
    #[inline]
    pub(in crate::tcp) const fn send(&self) -> Option<&SendBuffer> {
        self.send.as_ref()
    }

    #[inline]
    pub(in crate::tcp) const fn send_mut(&mut self) -> Option<&mut SendBuffer> {
        self.send.as_mut()
    }

    /// The segment `start..end` is SACKed.
    pub(in crate::tcp) fn on_sacked(&mut self, start: u64, end: u64) {
        if let Some(buffer) = &mut self.send {
            buffer.queue.on_sacked(start, end);
        }
    }

    /// Whether no packet waits to be sent, as far as packets are followed.
    pub(in crate::tcp) fn is_all_sent(&self) -> bool {
        self.send.as_ref().is_some_and(|buffer| buffer.queue.is_all_sent())
    }
}

/// The receive window.
impl LinuxBuffers {
    /// Packets in the receive buffer, above gaps or unread.
    fn held(&self, view: &ReceiveView<'_>) -> HeldPackets {
        self.arrivals.held(view.rcv.nxt() - view.rcv.read(), u64::from(view.mss))
    }

    /// The right edge of the window, where the buffer is tuned.
    #[inline(never)]
    fn tuned_edge(&self, view: &ReceiveView<'_>) -> Option<u64> {
        self.fixed_edge.or_else(|| {
            let space = self.receive.as_ref()?;
            Some(view.rcv.nxt() + space.window(self.held(view), view.window_unit))
        })
    }

    /// Whether the window told before the application reads is no smaller than the last; else an ACK that nothing hurries leaves
    /// once it has read (`__tcp_ack_snd_check`). The question alone ends quick ACKs where half of the buffer is full
    /// (`__tcp_select_window`).
    pub(in crate::tcp) fn window_would_not_shrink(
        &self,
        view: &ReceiveView<'_>,
        acks: &mut OwedAcks,
    ) -> bool {
        self.end_quick_acks_if_half_full(view, acks);
        would_not_shrink(self.tuned_edge(view), view, acks)
    }

    fn end_quick_acks_if_half_full(&self, view: &ReceiveView<'_>, acks: &mut OwedAcks) {
        if self.receive.as_ref().is_some_and(|space| space.is_half_full(self.held(view))) {
            acks.forget_quick();
        }
    }

    /// An ACK is due for a segment. Fixes its window if it leaves before the application reads. Returns whether it does not: then
    /// it waits for the application, or for its timer.
    #[inline(never)]
    pub(in crate::tcp) fn settle_window(
        &mut self,
        in_order: bool,
        view: &ReceiveView<'_>,
        acks: &mut OwedAcks,
    ) -> bool {
        let edge = self.tuned_edge(view);
        let leaves = !in_order || acks.is_quick() || would_not_shrink(edge, view, acks);
        if leaves {
            self.end_quick_acks_if_half_full(view, acks);
            self.fixed_edge = edge;
        }
        !leaves
    }

    /// A window was advertised. Returns whether another ACK follows, as reading has opened it wide.
    pub(in crate::tcp) const fn on_window_told(&mut self) -> bool {
        self.fixed_edge = None;
        core::mem::replace(&mut self.opened, false)
    }

    /// The application has read all it can: if that opens the window wide, the peer is told at once, unless the ACK that is due
    /// will tell it.
    pub(in crate::tcp) fn tell_window_after_reading(&mut self, view: &ReceiveView<'_>, acks: &mut OwedAcks) {
        let (due, nxt, unit) = (acks.is_due(), view.rcv.nxt(), view.window_unit);
        let promised = self.fixed_edge.map_or(0, |edge| edge.saturating_sub(nxt).next_multiple_of(unit));
        let known = promised.max(view.rcv.window());
        if !self.receive.as_ref().is_some_and(|space| space.opens_wide(known, self.held(view), unit)) {
            return;
        }
        if due {
            self.opened = true;
        } else {
            acks.demand();
        }
    }

    /// Whether reading may open the window of a tuned buffer before the next ACK tells it anyway.
    #[inline(always)]
    pub(in crate::tcp) const fn may_tell_window_after_reading(&self, acks: &OwedAcks) -> bool {
        self.receive.is_some() && (!acks.is_due() || self.fixed_edge.is_some())
    }

    /// The round trip as the receiver sees it, once it has (`rcv_rtt_est`).
    pub(in crate::tcp) fn receiver_rtt(&self) -> Option<Duration> {
        self.receive.as_ref()?.round_trip()
    }

    /// A segment with data has arrived, of which `start..end` is new: the window grows with it.
    #[inline]
    pub(in crate::tcp) fn on_arrival(
        &mut self,
        segment: &Segment,
        (start, end): (u64, u64),
        view: &ReceiveView<'_>,
        acks: &mut OwedAcks,
        now: Instant,
    ) {
        let (nxt, unread) = (view.rcv.nxt(), view.rcv.nxt() - view.rcv.read());
        let stamps = segment.timestamps.filter(|t| view.timestamps && t.echo != 0);
        if start < end {
            self.arrivals.on_arrival(start, end, nxt);
        }
        let Some(space) = &mut self.receive else { return };
        let bytes = u64::from(segment.payload);
        let held = self.arrivals.held_before(unread, u64::from(view.mss));
        if let Some(t) = stamps.filter(|t| t.echo != self.last_echo && space.is_full(bytes)) {
            self.last_echo = t.echo;
            let passed = clock(now).wrapping_sub(t.echo);
            if passed <= i32::MAX as u32 {
                space.on_round_trip(Duration::from_millis(u64::from(passed.max(1))));
            }
        }
        if !view.timestamps && end <= nxt {
            space.on_order(nxt, view.rcv.edge().saturating_sub(acks.last_sent()), now);
        }
        if space.on_arrival(bytes, held) {
            acks.on_window_grown();
        }
    }

    /// The application has read all it can.
    #[inline]
    pub(in crate::tcp) fn on_read(&mut self, rcv: &Reassembly, now: Instant) {
        let read = rcv.read();
        // Linux measures the reading rate buffer by buffer, and the first counts.
        let first = self.arrivals.first_end().min(read);
        self.arrivals.on_read();
        if let Some(space) = &mut self.receive {
            space.on_read((first, read - first), now);
        }
    }

    /// A slow application has read something and left the rest (`tcp_rcv_space_adjust`).
    pub(in crate::tcp) fn on_slow_read(&mut self, rcv: &Reassembly, now: Instant) {
        let (read, end) = (rcv.read(), rcv.nxt_data());
        let Self { arrivals, receive, .. } = self;
        let mut look = |read: u64| {
            if let Some(space) = receive {
                space.on_read((read, end - read), now);
            }
        };
        arrivals.on_slow_read(read, &mut look);
        look(read);
    }

    /// Whether a slow reader's window update is due: the window opens wide, or more than a full segment waits for its ACK
    /// (`__tcp_cleanup_rbuf`). `None` where the buffer is not tuned.
    pub(in crate::tcp) fn owes_update_to_slow_reader(
        &self,
        view: &ReceiveView<'_>,
        acks: &OwedAcks,
    ) -> Option<bool> {
        let space = self.receive.as_ref()?;
        let waits = acks.has_unacknowledged() && !space.is_within_full(view.rcv.nxt() - acks.last_sent());
        Some(waits || space.opens_wide(view.rcv.window(), self.held(view), view.window_unit))
    }
}

/// Whether the window up to `edge` is no smaller than the last one told, where it is tuned.
fn would_not_shrink(edge: Option<u64>, view: &ReceiveView<'_>, acks: &OwedAcks) -> bool {
    let before = view.rcv.edge().saturating_sub(acks.last_sent());
    edge.is_none_or(|edge| edge.saturating_sub(view.rcv.nxt()).next_multiple_of(view.window_unit) >= before)
}

impl SocketBuffers for Option<Box<LinuxBuffers>> {
    #[inline(always)]
    fn receive_edge(&self, view: &ReceiveView<'_>) -> u64 {
        let tuned = self.as_ref().and_then(|buffers| buffers.tuned_edge(view));
        tuned.unwrap_or_else(|| FixedBuffers.receive_edge(view))
    }

    fn initial_window(&self, config: &TcpConfig) -> u64 {
        match self.as_ref().and_then(|buffers| buffers.receive.as_ref()) {
            Some(space) => space.window(HeldPackets::default(), 1).min(65_535),
            None => FixedBuffers.initial_window(config),
        }
    }

    #[inline]
    fn accepts(&mut self, bytes: u64, view: &ReceiveView<'_>) -> bool {
        let Some(buffers) = self.as_deref_mut() else { return FixedBuffers.accepts(bytes, view) };
        if !view.rcv.has_gap() && view.rcv.nxt() == view.rcv.read() {
            return true;
        }
        let held = buffers.held(view);
        let held =
            HeldPackets { bytes: held.bytes + bytes, packets: held.packets + 1, buffers: held.buffers + 1 };
        buffers.receive.as_mut().is_none_or(|space| space.makes_room(held))
    }

    /// Data that the application has written into the buffer, or all where that is all it has.
    #[inline(always)]
    fn send_limit(&self, una: u64, data_end: u64, config: &TcpConfig) -> u64 {
        let tuned = self.as_ref().and_then(|buffers| buffers.tuned_end(data_end));
        tuned.unwrap_or_else(|| FixedBuffers.send_limit(una, data_end, config))
    }
}

impl LinuxBuffers {
    #[inline(never)]
    fn tuned_end(&self, data_end: u64) -> Option<u64> {
        let written = self.send.as_ref()?.queue.written();
        Some(if written < data_end { written } else { u64::MAX })
    }
}

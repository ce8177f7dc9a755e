//! Buffers that grow with the path (Linux 6.1, `tcp_rmem` and `tcp_wmem`).
//!
//! Receive side: the buffer grows with what the application takes in a round trip ([`RightSizing`]), and the advertised
//! window follows what arrives (`tcp_grow_window`). Packets are charged with
//! the memory that they take, not with their payload, and a part of the buffer is kept for that: half (`tcp_adv_win_scale`), or since
//! 6.7 what the first full segment shows to be needed (`scaling_ratio`).
//! Send side: twice what the congestion window needs, filled by the application ([`SendBuffer`]).
//!
//! Departures: no memory pressure; what waits out of order is never copied together, but charged as if it had been once it
//! is more than the largest buffer; windows that come tell of round trips only where timestamps do not. Multipath TCP has one buffer a connection, with laws of its own (`mptcp/memory.rs`).

use crate::buffer_sizes::{DESCRIPTION, SHARED};
use crate::config::TcpConfig;
use crate::right_sizing::{Passage, RightSizing, least_round_trip};
use crate::segment::Segment;
use crate::tcp::Tcp;
use crate::tcp::linux::receive_queue::{Held, ReceiveQueue};
use crate::tcp::linux::send_buffer::SendBuffer;
use crate::tcp::send::output::clock;
use tailrace_core::{Duration, Instant};

/// Payload and memory of a buffer into which packets are copied together (`tcp_collapse`: one page).
const PAGE: (u64, u64) = (4096 - SHARED, 4096 + DESCRIPTION);
/// A segment of so much payload counts as full before a larger one has come (`TCP_MSS_DEFAULT`).
const LEAST_FULL: u64 = 536;
/// Of 256 parts of the free space so many are window at first: `tcp_adv_win_scale` of 1, `TCP_DEFAULT_SCALING_RATIO`.
const HALF: u64 = 128;

/// The receive buffer of a connection.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveSpace {
    /// Memory that may be charged (`sk_rcvbuf`), and the most that it may become.
    size: u64,
    most: u64,
    /// Memory a packet takes beside the payload of a full one, however much it has: cards receive into buffers of one size.
    overhead: u64,
    mss: u64,
    /// The largest payload so far (`rcv_mss`): what the peer calls a full segment, which may be less than this end could take.
    largest: u64,
    /// Of 256 parts of the free space so many are window; what a full segment shows, where segments tell.
    share: u64,
    measured: Option<u64>,
    /// Most that may be advertised (`window_clamp`), and as far as that has got (`rcv_ssthresh`).
    clamp: u64,
    window: u64,
    /// How large it must be.
    sizing: RightSizing,
    /// Round trip as the receiver sees it, in eighths of a microsecond (`rcv_rtt_est`), and what tells it where there are no timestamps.
    rtt_eighths: u64,
    passage: Passage,
}

impl ReceiveSpace {
    /// `None` where buffers are no matter of memory.
    pub(crate) fn new(config: &TcpConfig) -> Option<Self> {
        let sizes = config.tcp_rmem?;
        let size = sizes.initial;
        let half = size * HALF / 256;
        Some(Self {
            size,
            most: sizes.most,
            overhead: config.packet_overhead.get(),
            mss: config.mss.get().max(1),
            largest: LEAST_FULL.min(config.mss.get().max(1)),
            share: HALF,
            measured: config.tcp_window_share.map(|share| (share * 256.0) as u64),
            clamp: half,
            window: half,
            sizing: RightSizing::new(0, 0, Instant::ZERO),
            rtt_eighths: 0,
            passage: Passage::default(),
        })
    }

    /// The connection stands: segments are of `mss` bytes, the application has read up to `read` (`tcp_init_buffer_space`).
    pub(crate) fn start(&mut self, mss: u64, read: u64, now: Instant) {
        self.mss = mss.max(1);
        self.largest = self.largest.min(self.mss);
        let all = self.window_of(self.size);
        self.clamp = if all > 2 * self.mss { (2 * self.mss).max(all - self.mss) } else { all };
        self.window = self.window.min(65_535).min(self.clamp);
        self.sizing = RightSizing::new(self.window.min(10 * self.mss), read, now);
    }

    /// What of so much space is window (`tcp_win_from_space`).
    const fn window_of(&self, space: u64) -> u64 {
        space * self.share / 256
    }

    /// Memory of a packet.
    const fn packet(&self) -> u64 {
        self.mss + self.overhead
    }

    /// Memory that what is held takes: packets, of which those behind others share their description (`tcp_try_coalesce`); copied
    /// together where the largest buffer would not hold them otherwise.
    fn charge(&self, held: Held) -> u64 {
        let spared = held.packets.saturating_sub(held.buffers) * DESCRIPTION.min(self.overhead);
        let plain = held.packets * self.packet() - spared;
        if plain <= self.most { plain } else { plain.min(held.bytes * PAGE.1 / PAGE.0) }
    }

    /// A segment with so many bytes has come; `held` is what waits in the buffer (`tcp_grow_window`).
    /// Returns whether the window grew: then Linux acknowledges at once.
    fn on_arrival(&mut self, bytes: u64, held: Held) -> bool {
        self.measure(bytes);
        if self.window >= self.clamp || bytes < 128 {
            return false;
        }
        let room = self.clamp.min(self.free(held)).saturating_sub(self.window);
        let memory = self.window_of(self.packet());
        let step = match memory <= bytes {
            true => 2 * self.mss,
            false => careful_step(bytes, memory, (self.window, self.window_of(self.most)), self.largest),
        };
        if room == 0 || step == 0 {
            return false;
        }
        self.window += room.min(step.max(2 * bytes));
        true
    }

    /// A segment larger than all before it shows what share of its memory is payload (`tcp_measure_rcv_mss`).
    fn measure(&mut self, bytes: u64) {
        if bytes <= self.largest {
            return;
        }
        self.largest = bytes.min(self.mss);
        let Some(most) = self.measured else { return };
        let share = if bytes >= self.mss { most } else { most.min((bytes << 8) / self.packet()) };
        if share != self.share {
            self.share = share;
            self.clamp = self.window_of(self.size);
        }
    }

    /// Whether the peer's segments are not known to be larger.
    const fn is_full(&self, bytes: u64) -> bool {
        bytes >= self.largest
    }

    /// A round trip as the receiver sees it: what came echoes an ACK of its own (`tcp_rcv_rtt_update`).
    pub(crate) fn on_round_trip(&mut self, rtt: Duration) {
        let (sample, old) = (rtt.as_micros(), self.rtt_eighths);
        let first = old == 0 || sample.saturating_mul(8) < old;
        self.rtt_eighths = if first { sample.saturating_mul(8) } else { old - (old >> 3) + sample };
    }

    /// The same without timestamps: all up to `nxt` has come, while the last window told was of so much.
    fn on_order(&mut self, nxt: u64, window: u64, now: Instant) {
        if let Some(passed) = self.passage.on_order(nxt, window, now) {
            self.rtt_eighths = least_round_trip(self.rtt_eighths, passed);
        }
    }

    /// The application has read up to `read`, and as much as lies `behind` it could be read.
    fn on_read(&mut self, (read, behind): (u64, u64), now: Instant) {
        let rtt = Duration::from_micros(self.rtt_eighths >> 3);
        let wanted = if self.measured.is_none() {
            self.sizing.on_read(read, rtt, self.mss, now)
        } else {
            let window = self.sizing.window_on_read((read, behind), rtt, self.mss, now);
            window.map(|window| window.saturating_mul(256) / self.share)
        };
        let wanted = wanted.map_or(0, |size| size.min(self.most));
        if wanted > self.size {
            self.size = wanted;
            self.clamp = self.window_of(wanted);
        }
    }

    /// Whether there is room for so much; the buffer grows for it (`tcp_clamp_window`).
    fn makes_room(&mut self, held: Held) -> bool {
        let charged = self.charge(held);
        if charged > self.size {
            self.size = charged.min(self.most);
        }
        if charged > self.size {
            self.window = self.clamp.min(2 * self.mss);
        }
        charged <= self.size
    }

    /// What could be advertised for the memory that what is `held` leaves.
    fn free(&self, held: Held) -> u64 {
        self.window_of(self.size.saturating_sub(self.charge(held)))
    }

    /// Whether less than half of what there could be is left (`__tcp_select_window`).
    fn is_half_full(&self, held: Held) -> bool {
        self.free(held) < self.clamp.min(self.window_of(self.size)) / 2
    }

    /// Whether the window would be twice what the peer knows of, or more, when told in multiples of `unit` (`__tcp_cleanup_rbuf`).
    fn opens_wide(&self, known: u64, held: Held, unit: u64) -> bool {
        if 2 * known > self.clamp {
            return false;
        }
        let window = self.window(held, unit).next_multiple_of(unit);
        window > 0 && window >= 2 * known
    }

    /// The window to advertise beyond what has come in order, while so much is `held` in the buffer
    /// (`__tcp_select_window`). What was promised stays promised; the caller sees to that. It is told in multiples of `unit`, and of
    /// the last one a part does not count where less than half is left.
    fn window(&self, held: Held, unit: u64) -> u64 {
        let (mut free, all) = (self.free(held), self.window_of(self.size));
        let full = self.clamp.min(all);
        if free < full / 2 {
            free -= free % unit;
            if free < all >> 4 || free < self.mss.min(full) {
                return 0;
            }
        }
        free.min(self.window)
    }
}

/// What a segment of `bytes` adds to `window`, if its `memory` could be a larger window: such small segments waste memory, so the
/// window stays below what they could fill, of `largest` at most (`__tcp_grow_window`).
pub(crate) fn careful_step(bytes: u64, memory: u64, (window, largest): (u64, u64), mss: u64) -> u64 {
    let (mut memory, mut limit) = (memory >> 1, largest >> 1);
    while window <= limit {
        if memory <= bytes {
            return 2 * mss;
        }
        (memory, limit) = (memory >> 1, limit >> 1);
    }
    0
}

/// The tuned buffers of one endpoint.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Buffers {
    receive: Option<ReceiveSpace>,
    arrivals: ReceiveQueue,
    pub(in crate::tcp) send: Option<SendBuffer>,
    /// The last echo that gave a round trip.
    last_echo: u32,
    /// The right edge of the window of an ACK that is about to leave, if it was settled when a segment came.
    told: Option<u64>,
    /// Reading has opened the window wide since then: another ACK follows that tells so.
    opened: bool,
}

impl Buffers {
    /// `None` where none is tuned.
    pub(in crate::tcp) fn build(config: &TcpConfig) -> Option<Box<Self>> {
        let (receive, send) = (ReceiveSpace::new(config), SendBuffer::new(config));
        let any = receive.is_some() || send.is_some();
        any.then(|| Box::new(Self::with(receive, send)))
    }

    fn with(receive: Option<ReceiveSpace>, send: Option<SendBuffer>) -> Self {
        Self { receive, arrivals: ReceiveQueue::default(), send, last_echo: 0, told: None, opened: false }
    }
}

impl Tcp {
    fn receive_space(&self) -> Option<&ReceiveSpace> {
        self.buffers.as_ref()?.receive.as_ref()
    }

    /// Whether its window is that of a tuned buffer of its own.
    #[inline]
    pub(in crate::tcp) fn tunes_window(&self) -> bool {
        self.receive_space().is_some()
    }

    /// The buffers are another's, which shares its window among subflows.
    pub(in crate::tcp) fn leave_buffers_to_others(&mut self) {
        self.buffers = None;
    }

    /// They are, but the packets that it writes are followed.
    pub(in crate::tcp) fn follow_packets_of_connection(&mut self) {
        let send = Some(SendBuffer::of_subflow(&self.config));
        self.buffers = Some(Box::new(Buffers::with(None, send)));
    }

    /// The connection stands.
    pub(in crate::tcp) fn start_buffers(&mut self, now: Instant) {
        let (mss, read) = (u64::from(self.mss), self.rcv.read());
        let Some(buffers) = &mut self.buffers else { return };
        if let Some(space) = &mut buffers.receive {
            space.start(mss, read, now);
        }
        self.start_send_buffer();
    }

    /// What has come, where it is followed packet by packet.
    pub(in crate::tcp) fn arrivals(&self) -> Option<&ReceiveQueue> {
        self.buffers.as_ref().map(|buffers| &buffers.arrivals)
    }

    pub(in crate::tcp) fn arrivals_mut(&mut self) -> Option<&mut ReceiveQueue> {
        self.buffers.as_mut().map(|buffers| &mut buffers.arrivals)
    }

    /// What waits in the receive buffer, for others before it or for the application.
    fn held(&self) -> Held {
        let unread = self.rcv.nxt() - self.rcv.read();
        self.buffers.as_ref().map_or(Held::default(), |b| b.arrivals.held(unread, u64::from(self.mss)))
    }

    /// The right edge of the window that could be advertised.
    #[inline(always)]
    pub(in crate::tcp) fn receive_edge(&self) -> u64 {
        let tuned = if self.buffers.is_some() { self.tuned_edge() } else { None };
        tuned.unwrap_or_else(|| self.rcv.read().saturating_add(self.config.receive_buffer.get()))
    }

    /// That of a tuned buffer, where it is tuned.
    #[inline(never)]
    fn tuned_edge(&self) -> Option<u64> {
        let told = self.buffers.as_ref()?.told;
        told.or_else(|| {
            self.receive_space().map(|space| self.rcv.nxt() + space.window(self.held(), self.window_unit()))
        })
    }

    /// Whether the window that is told before the application reads is no smaller than the last; else an ACK that nothing hurries leaves
    /// once it has read (`__tcp_ack_snd_check`). The question alone ends the hurry of ACKs where half of the buffer is full
    /// (`__tcp_select_window`).
    pub(in crate::tcp) fn window_would_not_shrink(&mut self) -> bool {
        self.end_hurry_if_half_full();
        self.would_not_shrink_to(self.tuned_edge())
    }

    /// Where what has come fills more than half of the buffer, no more ACKs are hurried.
    fn end_hurry_if_half_full(&mut self) {
        if self.receive_space().is_some_and(|space| space.is_half_full(self.held())) {
            self.acks.forget_quick();
        }
    }

    /// The same of the window up to `edge`, where it is tuned.
    fn would_not_shrink_to(&self, edge: Option<u64>) -> bool {
        let before = self.rcv.edge().saturating_sub(self.acks.last_sent());
        edge.is_none_or(|edge| {
            edge.saturating_sub(self.rcv.nxt()).next_multiple_of(self.window_unit()) >= before
        })
    }

    /// An ACK is due for what came, in order or not. The window that it tells is settled now if it leaves before the application reads;
    /// else it waits for that, or for its timer if the application takes its time.
    #[inline(never)]
    pub(in crate::tcp) fn settle_window(&mut self, in_order: bool, now: Instant) {
        let edge = self.tuned_edge();
        if !in_order || self.acks.is_quick() || self.would_not_shrink_to(edge) {
            self.tell_window_before_reading(edge);
        } else if !self.auto_read {
            self.leave_ack_to_reader(now);
        }
    }

    /// An ACK leaves before the application can read what has come: that is what its window, up to `edge`, knows.
    #[inline]
    fn tell_window_before_reading(&mut self, edge: Option<u64>) {
        self.end_hurry_if_half_full();
        if let Some(buffers) = &mut self.buffers {
            buffers.told = edge;
        }
    }

    /// A window was told.
    pub(in crate::tcp) fn forget_told_window(&mut self) {
        let Some(buffers) = &mut self.buffers else { return };
        buffers.told = None;
        if core::mem::take(&mut buffers.opened) {
            self.acks.demand();
        }
    }

    /// The application has read what it can: if that opens the window wide, the peer is told at once, unless the ACK that is due
    /// will tell it.
    pub(in crate::tcp) fn tell_window_after_reading(&mut self) {
        let (due, nxt, unit) = (self.acks.is_due(), self.rcv.nxt(), self.window_unit());
        let told = self.buffers.as_ref().and_then(|buffers| buffers.told);
        if !self.auto_read || !self.state.may_receive() || (due && told.is_none()) {
            return;
        }
        let promised = told.map_or(0, |edge| edge.saturating_sub(nxt).next_multiple_of(unit));
        let known = promised.max(self.rcv.window());
        if !self.receive_space().is_some_and(|space| space.opens_wide(known, self.held(), unit)) {
            return;
        }
        match &mut self.buffers {
            Some(buffers) if due => buffers.opened = true,
            _ => self.acks.demand(),
        }
    }

    /// The window of a SYN.
    pub(in crate::tcp) fn first_window(&self) -> u64 {
        self.receive_space()
            .map_or(self.config.receive_buffer.get(), |space| space.window(Held::default(), 1))
            .min(65_535)
    }

    /// The round trip as a tuned buffer sees it, once it has.
    pub(in crate::tcp) fn round_trip_seen(&self) -> Option<Duration> {
        let eighths = self.receive_space()?.rtt_eighths;
        (eighths > 0).then(|| Duration::from_nanos(eighths * 125))
    }

    /// Data is about to come into the buffer; false where that has no room for it.
    #[inline]
    pub(in crate::tcp) fn takes_in(&mut self, bytes: u64) -> bool {
        if !self.rcv.has_gap() && self.rcv.nxt() == self.rcv.read() {
            return true;
        }
        let held = self.held();
        let held = Held { bytes: held.bytes + bytes, packets: held.packets + 1, buffers: held.buffers + 1 };
        self.buffers.as_mut().and_then(|b| b.receive.as_mut()).is_none_or(|space| space.makes_room(held))
    }

    /// A segment with data has come, in order or not: the window grows with it.
    #[inline]
    pub(in crate::tcp) fn tune_to_arrival(
        &mut self,
        segment: &Segment,
        (start, end): (u64, u64),
        now: Instant,
    ) {
        let (nxt, unread) = (self.rcv.nxt(), self.rcv.nxt() - self.rcv.read());
        let (bytes, mss) = (u64::from(segment.payload), u64::from(self.mss));
        let stamps = segment.timestamps.filter(|t| self.options.timestamps && t.echo != 0);
        let told = self.rcv.edge().saturating_sub(self.acks.last_sent());
        let Some(buffers) = &mut self.buffers else { return };
        if start < end {
            buffers.arrivals.on_arrival(start, end, nxt);
        }
        let Some(space) = &mut buffers.receive else { return };
        let held = buffers.arrivals.held_before(unread, mss);
        if let Some(t) = stamps.filter(|t| t.echo != buffers.last_echo && space.is_full(bytes)) {
            buffers.last_echo = t.echo;
            let passed = clock(now).wrapping_sub(t.echo);
            if passed <= i32::MAX as u32 {
                space.on_round_trip(Duration::from_millis(u64::from(passed.max(1))));
            }
        }
        if !self.options.timestamps && end <= nxt {
            space.on_order(nxt, told, now);
        }
        if space.on_arrival(bytes, held) {
            self.acks.on_window_grown();
        }
    }

    /// The application has read what it can.
    #[inline]
    pub(in crate::tcp) fn tune_to_reading(&mut self, now: Instant) {
        let read = self.rcv.read();
        let Some(buffers) = &mut self.buffers else { return };
        // How fast it reads is looked at with each buffer: the first is the one that counts.
        let first = buffers.arrivals.first_end().min(read);
        buffers.arrivals.on_read();
        if let Some(space) = &mut buffers.receive {
            space.on_read((first, read - first), now);
        }
    }

    /// An application that takes its time has read something, and left the rest (`tcp_rcv_space_adjust`).
    pub(in crate::tcp) fn tune_to_slow_reading(&mut self, now: Instant) {
        let (read, end) = (self.rcv.read(), self.rcv.nxt_data());
        let Some(Buffers { arrivals, receive, .. }) = self.buffers.as_deref_mut() else { return };
        let mut look = |read: u64| {
            if let Some(space) = receive {
                space.on_read((read, end - read), now);
            }
        };
        arrivals.on_slow_read(read, &mut look);
        look(read);
    }

    /// Whether an application that takes its time tells the peer of what it has read just now: of a window that opens wide, or of more
    /// than a full segment if an ACK waits (`__tcp_cleanup_rbuf`).
    pub(in crate::tcp) fn slow_reading_is_worth_telling(&self) -> bool {
        let Some(space) = self.receive_space() else { return self.window_may_open() };
        let waits = self.acks.has_unacknowledged() && self.rcv.nxt() - self.acks.last_sent() > space.largest;
        waits || space.opens_wide(self.rcv.window(), self.held(), self.window_unit())
    }

    /// Whether the application takes its time.
    pub(in crate::tcp) fn note_slow_application(&mut self, on: bool) {
        if let Some(buffers) = &mut self.buffers {
            buffers.arrivals.set_slow(on);
        }
    }

    /// How much may be unacknowledged, where that is of one size.
    #[inline(always)]
    pub(in crate::tcp) fn send_buffer(&self) -> u64 {
        self.config.send_buffer.map_or(u64::MAX, |b| b.get().max(1))
    }

    /// As far as the send buffer lets data leave.
    #[inline(always)]
    pub(in crate::tcp) fn buffered(&self) -> u64 {
        let tuned = if self.buffers.is_some() { self.tuned_end() } else { None };
        tuned.unwrap_or_else(|| self.board.una.saturating_add(self.send_buffer()))
    }

    /// The same of a tuned one, where it is tuned: what has been written, or all if that is all.
    #[inline(never)]
    fn tuned_end(&self) -> Option<u64> {
        let written = self.tuned_send_buffer()?.queue.written();
        Some(if written < self.snd.data_end() { written } else { u64::MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer_sizes::BufferSizes;
    use crate::config::Profile;

    const MSS: u64 = 1448;
    const NONE: Held = Held { bytes: 0, packets: 0, buffers: 0 };

    /// So many bytes, each full packet in a buffer of its own.
    fn apart(bytes: u64) -> Held {
        Held { bytes, packets: bytes.div_ceil(MSS), buffers: bytes.div_ceil(MSS) }
    }

    /// That of Linux 6.1.
    fn space() -> ReceiveSpace {
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux61)).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        s
    }

    /// Reads `per_rtt` bytes in each of `rounds` round trips of 50 ms; what was read before, and when, is `since`.
    fn rounds(s: &mut ReceiveSpace, since: &mut (u64, Instant), per_rtt: u64, rounds: u64) {
        s.on_round_trip(Duration::from_millis(50));
        for _ in 0..rounds {
            for _ in 0..per_rtt / MSS {
                s.on_arrival(MSS, NONE);
            }
            *since = (since.0 + per_rtt, since.1 + Duration::from_millis(50));
            s.on_read((since.0, 0), since.1);
        }
    }

    #[test]
    fn it_starts_with_half_of_the_initial_size_less_a_segment() {
        // 131072 / 2 - 1448.
        assert_eq!(space().window(NONE, 1), 64_088);
    }

    #[test]
    fn it_grows_with_what_is_read_in_a_round_trip() {
        // From 10 segments a round trip to 40: (2 * 40 + 16) segments, and 2 * that * (40 - 10) / 10 more: 672 of 2984 B
        // (1448 + 896 raised by steps of 128 to twice the payload).
        let (mut s, mut since) = (space(), (0, Instant::ZERO));
        rounds(&mut s, &mut since, 40 * MSS, 1);
        assert_eq!((s.size, s.clamp), (672 * 2984, 336 * 2984));
        // What is steady does not grow it again.
        rounds(&mut s, &mut since, 40 * MSS, 20);
        assert_eq!(s.size, 672 * 2984);
        // And there is an end: 6 MB, of which half is window.
        rounds(&mut s, &mut since, 4000 * MSS, 20);
        assert_eq!((s.size, s.window(NONE, 1)), (6_291_456, 3_145_728));
    }

    #[test]
    fn a_full_segment_shows_what_share_is_window() {
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        assert!(!s.on_arrival(536, NONE));
        assert_eq!((s.share, s.clamp, s.window(NONE, 1)), (128, 64_088, 64_088), "half, less a segment");
        // 170/256 of 131072, and of what a segment leaves of that; each lets the window grow by two: 8 of them until there.
        let grew = (0..20).filter(|_| s.on_arrival(MSS, apart(MSS))).count();
        assert_eq!((s.clamp, s.window(NONE, 1), grew), (87_040, (131_072 - 2176) * 170 / 256, 8));
        // The window of 672 segments as above, and the memory that has this as its share.
        let mut since = (0, Instant::ZERO);
        rounds(&mut s, &mut since, 40 * MSS, 1);
        assert_eq!(s.size, 672 * MSS * 256 / 170);
        rounds(&mut s, &mut since, 4000 * MSS, 20);
        assert_eq!((s.size, s.window(NONE, 1)), (6_291_456, 6_291_456 * 170 / 256));
    }

    #[test]
    fn what_is_full_is_the_largest_segment_that_the_peer_sends() {
        // A peer that makes room for options twice, or that has a smaller MTU: 1436 of 2176 bytes are 168 of 256.
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        assert!(!s.is_full(535) && s.is_full(536));
        assert!(s.on_arrival(1436, NONE));
        assert_eq!((s.share, s.clamp), (168, 131_072 * 168 / 256));
        assert!(!s.is_full(1435) && s.is_full(1436));
        // A shorter one says nothing anew; a longer one does, and what was agreed is the most.
        s.on_arrival(1000, NONE);
        assert_eq!(s.share, 168);
        s.on_arrival(9000, NONE);
        assert_eq!((s.share, s.largest), (170, MSS));
    }

    #[test]
    fn without_timestamps_the_least_round_trip_counts() {
        let mut s = space();
        for ms in [0, 40, 70] {
            s.on_order(1000 * ms, 30_000, Instant::from_millis(ms));
        }
        assert_eq!(s.rtt_eighths, 8 * 30_000);
    }

    #[test]
    fn round_trips_are_of_whole_microseconds() {
        // As a kernel 6.12 traced it: 1257378 eighths and 167 ms are 1267206, and a round trip is over after 158400 us.
        let mut s = space();
        s.rtt_eighths = 1_257_378;
        s.on_round_trip(Duration::from_millis(167));
        assert_eq!(s.rtt_eighths, 1_267_206);
        let size = s.size;
        s.on_read((132 * MSS, 0), Instant::from_nanos(158_399_999));
        assert_eq!(s.size, size);
        s.on_read((132 * MSS, 0), Instant::from_nanos(158_400_000));
        assert!(s.size > size);
    }

    #[test]
    fn in_6_1_a_buffer_grows_by_what_the_first_read_took() {
        // As a kernel 6.1 traced it, as a gap was filled: 91,224 bytes lay behind.
        let mut s = space();
        (s.sizing, s.rtt_eighths) = (RightSizing::new(57_920, 0, Instant::ZERO), 584_987);
        s.on_read((76_744, 91_224), Instant::from_millis(74));
        assert_eq!(s.size, 599_784);
    }

    #[test]
    fn packets_are_charged_with_their_memory() {
        // 20 packets of 1448 + 728 bytes leave 87552 of 131072.
        let s = space();
        assert_eq!(s.window(apart(20 * MSS), 1), 43_776);
        // 39 leave 46208, of which half is less than half of the window, and told without the part of 128 bytes at its end.
        assert_eq!((s.window(apart(39 * MSS), 1), s.window(apart(39 * MSS), 128)), (23_104, 23_040));
        // Below a sixteenth of what there could be nothing is promised: 58 packets leave 2432 of half the buffer.
        assert_eq!(s.window(apart(58 * MSS), 1), 0);
    }

    #[test]
    fn a_buffer_is_half_full_with_what_takes_half_of_its_window() {
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        s.on_arrival(MSS, NONE);
        // 87040 of 131072: 31 packets of 2176 leave 42245 of that.
        assert!(s.is_half_full(apart(31 * MSS)) && !s.is_half_full(apart(30 * MSS)));
    }

    #[test]
    fn a_window_opens_wide_when_it_is_twice_what_is_known() {
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        // 64088 are told in multiples of 128 as 64128, of which half is 32064; but of 64088 it is 32044, and more is not looked at.
        assert!(s.opens_wide(32_044, NONE, 128) && !s.opens_wide(32_045, NONE, 128));
        assert!(s.opens_wide(0, NONE, 128));
        // 31 packets of 2176 leave 63616 of 131072, and half of that is window: 31808, of which 31744 are told.
        assert!(s.opens_wide(15_872, apart(31 * MSS), 128) && !s.opens_wide(15_873, apart(31 * MSS), 128));
        // 60 packets leave 512, of which nothing is promised.
        assert!(!s.opens_wide(0, apart(60 * MSS), 128));
    }

    #[test]
    fn packets_behind_others_share_their_description() {
        // As a kernel 6.12 traced it: 17 packets in two buffers take 2 * 2176 + 15 * 1920.
        let s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        assert_eq!(s.charge(Held { bytes: 17 * MSS, packets: 17, buffers: 2 }), 33_152);
        assert_eq!(s.charge(apart(17 * MSS)), 17 * 2176);
    }

    #[test]
    fn a_buffer_without_room_to_grow_stays() {
        let sizes = BufferSizes { least: 4096, initial: 131_072, most: 131_072 };
        let config = TcpConfig { tcp_rmem: Some(sizes), ..TcpConfig::for_profile(Profile::Linux61) };
        let mut s = ReceiveSpace::new(&config).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        rounds(&mut s, &mut (0, Instant::ZERO), 400 * MSS, 5);
        assert_eq!(s.size, 131_072);
        assert!(!s.makes_room(apart(120_000)), "120 kB copied together take 138 kB");
        assert!(s.makes_room(apart(100_000)));
    }

    #[test]
    fn a_tuned_buffer_grows_for_what_waits_out_of_order() {
        let mut s = space();
        assert!(s.makes_room(apart(1_000_000)));
        assert!(s.size > 1_000_000);
        assert!(!s.makes_room(apart(8_000_000)));
    }
}

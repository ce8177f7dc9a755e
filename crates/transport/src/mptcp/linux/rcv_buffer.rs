//! Receive buffer of a connection as Linux keeps it: it counts memory instead of data, and grows with the data read unless its size was
//! set.
//!
//! It holds the out-of-order queue and the data that the application has not read (`__mptcp_space`, [`RightSizing`]); half of its free
//! memory is the window, or another share. Adjacent packets share a description (`mptcp_try_coalesce`).

use crate::buffer_sizes::DESCRIPTION;
use crate::mptcp::linux::buffer_size::{
    BufferSize, FULL, GrownBuffer, HALF, INITIAL_SEGMENTS, MOST, STAMPS, full_segment, window_of,
};
use crate::mptcp::linux::rcv_space::RcvRoom;
use crate::right_sizing::RightSizing;
use crate::tcp::linux::receive_queue::{BufferPiece, HeldPackets, READ, ReceiveQueue, SegmentPlace};
use tailrace_core::{Duration, Instant};

/// Memory of a packet beyond the 1448 bytes of a full one with timestamps: 1600 bytes for a frame of 1514 behind the header of the card,
/// 320 and 256 for its descriptions (`receive_small` of virtio_net, traced in Linux 6.12), which are 2176 in all.
const OVERHEAD: u64 = 728;
/// Space for TCP options and data in those 1600 bytes: 78 are headroom and the header of the card, 14 Ethernet, 40 IP and TCP.
const ROOM_IN_PACKET: u64 = 1600 - 78 - 14 - 40;
/// Divisor of the memory that bounds a coalesced buffer (`mptcp_try_coalesce`).
const LONGEST: u64 = 8;
/// Shortest in-order segment that opens the window, bytes (`tcp_event_data_recv`).
const LEAST_IN_ORDER: u64 = 128;

/// The receive buffer of a connection.
#[derive(Clone, Debug)]
pub(crate) struct RcvBuffer {
    size: BufferSize,
    mss: u64,
    /// Memory of a packet beyond the payload of a full one, however short it is (`packet_overhead`).
    overhead: u64,
    /// Payload of a full packet, for which it is sized.
    full: u64,
    /// Share of memory that is window on subflows on which data has arrived, in 256ths (`scaling_ratio`); `None`: half, and the buffer has
    /// whole segments.
    share: Option<u64>,
    /// The least share of a subflow when the application read last, or the first time in a round trip.
    least: u64,
    /// The packets in it.
    arrivals: ReceiveQueue,
    /// Set while data moves here that a gap of a subflow has held back: the application has all up to this number.
    moved: Option<u64>,
    /// Size by the application's reads, and the bytes read so far.
    sizing: RightSizing,
    taken: u64,
    /// Longest round trip of a subflow at the last read; zero if unknown.
    rtt: Duration,
}

impl RcvBuffer {
    /// For segments of `mss` bytes, with timestamps or without.
    pub(crate) fn new(size: BufferSize, mss: u64, stamps: bool, share: Option<f64>) -> Self {
        let mss = if mss == 0 { 1 } else { mss };
        let mut arrivals = ReceiveQueue::default();
        arrivals.set_longest(size.now / LONGEST);
        Self {
            size,
            mss,
            overhead: OVERHEAD,
            full: full_segment(stamps),
            share: share.map(|share| (256.0 * share) as u64),
            least: HALF,
            arrivals,
            moved: None,
            sizing: RightSizing::new(INITIAL_SEGMENTS * FULL, 0, Instant::ZERO),
            taken: 0,
            rtt: Duration::ZERO,
        }
    }

    /// Data comes with so many bytes of options.
    pub(crate) fn with_options(mut self, len: u64) -> Self {
        let room = ROOM_IN_PACKET + self.mss.saturating_sub(FULL);
        self.arrivals.set_room_in_packet(room.saturating_sub(len));
        self
    }

    /// Packets take so much memory beyond the payload of a full one.
    pub(crate) const fn with_overhead(mut self, overhead: u64) -> Self {
        self.overhead = overhead;
        self
    }

    /// The connection is there, and the first round trip begins.
    pub(crate) const fn begin(&mut self, now: Instant) {
        self.sizing.begin(now);
    }

    /// The connection is there, and the first round trip begins as the application reads.
    pub(crate) const fn begin_with_reading(&mut self) {
        self.sizing.begin_with_reading();
    }

    /// New data from `start` to `end` has come, so that all up to `nxt` has: a `piece` of a subflow's buffer.
    pub(crate) fn on_arrival(&mut self, (start, end): (u64, u64), nxt: u64, piece: BufferPiece) {
        let Some(moved) = &mut self.moved else { return self.arrivals.on_piece((start, end), nxt, piece) };
        if start <= *moved {
            *moved = end.max(*moved);
        }
        self.arrivals.on_piece((start, end), *moved, piece);
    }

    /// Begins to move data here that a gap of a subflow has held back; all up to `nxt` has arrived before.
    pub(crate) const fn begin_move(&mut self, nxt: u64) {
        self.moved = Some(nxt);
    }

    /// Ends that move: all up to `nxt` has arrived (`__mptcp_ofo_queue`).
    pub(crate) fn end_move(&mut self, nxt: u64) {
        if let Some(moved) = self.moved.take() {
            self.arrivals.release(moved, nxt);
        }
    }

    /// The application has read all that came in order.
    pub(crate) fn on_read_all(&mut self) {
        self.arrivals.on_read();
    }

    /// Whether the application reads slowly.
    pub(crate) fn set_slow(&mut self, on: bool) {
        self.arrivals.set_slow(on);
    }

    /// A slow application has read all up to `read`.
    pub(crate) fn on_slow_read(&mut self, read: u64) {
        self.arrivals.on_slow_read(read, |_| {});
    }

    /// Memory of the packets in it, of which `unread` bytes wait for the application.
    #[inline]
    pub(crate) fn held(&self, unread: u64) -> u64 {
        self.charge(self.arrivals.held(unread, self.mss))
    }

    /// The same of what is there once the application has read for the first time of what has come.
    pub(crate) fn held_after_first_read(&self) -> u64 {
        self.charge(self.arrivals.held_after_first_read())
    }

    /// Memory of so many packets. Those behind others share their description.
    fn charge(&self, held: HeldPackets) -> u64 {
        held.packets * self.packet() - held.packets.saturating_sub(held.buffers) * self.spared()
    }

    /// Memory of one.
    const fn packet(&self) -> u64 {
        FULL - STAMPS + self.overhead + self.mss.saturating_sub(FULL)
    }

    /// Memory that a packet behind another one spares: its description.
    const fn spared(&self) -> u64 {
        if self.overhead < DESCRIPTION { self.overhead } else { DESCRIPTION }
    }

    /// The window, while packets that wait take `held` of the buffer; none where little is left (`__tcp_select_window`).
    #[inline]
    pub(crate) fn window(&self, held: u64) -> u64 {
        let of = |memory| window_of(memory, self.least);
        let (free, all) = (of(self.size.now.saturating_sub(held)), of(self.size.now));
        if self.is_half_full(free, MOST) && (free < all >> 4 || free < self.mss) { 0 } else { free }
    }

    /// Whether a `window` is less than half of what there could be, which is `most` at most.
    #[inline]
    pub(crate) fn is_half_full(&self, window: u64, most: u64) -> bool {
        window < window_of(self.size.now, self.least).min(most) / 2
    }

    /// The memory of which a subflow may show some on which a segment has come, at this place, while others wait there for those before
    /// them (`tcp_space`). One that begins a buffer above a gap does not count yet. Its own buffer has `size`.
    pub(crate) fn room(&self, size: u64, waiting: HeldPackets, place: SegmentPlace) -> RcvRoom {
        let own = match place {
            SegmentPlace::InOrder => self.packet(),
            SegmentPlace::BehindAnother => self.packet() - self.spared(),
            SegmentPlace::AboveGap | SegmentPlace::Again => 0,
        };
        RcvRoom {
            free: size.saturating_sub(own + self.charge(waiting)),
            size,
            most: self.size.most,
            packet: self.packet(),
            share: self.share,
            least: match place {
                SegmentPlace::InOrder => LEAST_IN_ORDER,
                SegmentPlace::BehindAnother | SegmentPlace::AboveGap => 0,
                SegmentPlace::Again => u64::MAX,
            },
        }
    }

    /// The application has taken `bytes`, in several reads where they are many: the first that ends a round trip counts for it, and
    /// those after it for the next. `look` gives the longest round trip of a subflow, and the least share of its memory that one shows as
    /// window; it is asked once in a round trip. Gives what the buffer grows to, if it does (`mptcp_rcv_space_adjust`).
    pub(crate) fn on_read(
        &mut self,
        bytes: u64,
        look: impl FnOnce() -> (Duration, u64),
        now: Instant,
    ) -> Option<GrownBuffer> {
        let first = bytes.min(READ);
        self.taken += first;
        let grown = self.adjust(look, now);
        self.taken += bytes - first;
        grown
    }

    /// Whether a round trip is over at `now`, as long as that is known.
    #[inline]
    pub(crate) fn looks_at_reading(&self, now: Instant) -> bool {
        self.rtt.is_zero() || self.sizing.is_over(self.rtt, now)
    }

    fn adjust(&mut self, look: impl FnOnce() -> (Duration, u64), now: Instant) -> Option<GrownBuffer> {
        if !self.looks_at_reading(now) {
            return None;
        }
        let (rtt, least) = look();
        self.rtt = rtt;
        let wanted = match self.share {
            None => self.sizing.on_read(self.taken, rtt, self.full, now)?,
            Some(_) => {
                self.least = least;
                let window = self.sizing.window_on_read((self.taken, 0), rtt, self.full, now)?;
                window.saturating_mul(256) / self.least
            }
        };
        let wanted = wanted.min(self.size.most);
        if wanted <= self.size.now {
            return None;
        }
        self.size.now = wanted;
        self.arrivals.set_longest(wanted / LONGEST);
        Some(GrownBuffer { size: wanted, clamp: window_of(wanted, self.least) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::linux::receive_queue::PieceMemory;

    const MSS: u64 = 1424;

    #[test]
    fn packets_take_the_overhead_that_is_given() {
        // 1448 and 728 bytes, and 256 less behind another; a loopback's 768 in place of those, and with 100 no more can be spared.
        for (overhead, first, behind) in [(728, 2176, 1920), (768, 2216, 1960), (100, 1548, 1448)] {
            let mut memory =
                RcvBuffer::new(BufferSize::fixed(524_288), MSS, true, None).with_overhead(overhead);
            (1..4).for_each(|n| memory.on_arrival((n * MSS, (n + 1) * MSS), MSS, BufferPiece::PACKET));
            assert_eq!(memory.held(0), first + 2 * behind, "{overhead}");
        }
    }

    #[test]
    fn out_of_order_queue_takes_window_by_its_memory() {
        let mut fixed = RcvBuffer::new(BufferSize::fixed(524_288), MSS, false, None);
        assert_eq!(fixed.window(0), 262_144);
        // Traced in Linux 6.12: the first packet above a gap takes 2176 bytes, and each that follows it 1920.
        (1..15).for_each(|n| fixed.on_arrival((n * MSS, (n + 1) * MSS), MSS, BufferPiece::PACKET));
        assert_eq!(fixed.held(0), 2176 + 13 * 1920);
        (30..50).for_each(|n| fixed.on_arrival((n * MSS, (n + 1) * MSS), MSS, BufferPiece::PACKET));
        assert_eq!(fixed.held(0), 3 * 2176 + (13 + 17 + 1) * 1920, "18 packets are a run");
        assert_eq!(fixed.held(MSS), 4 * 2176 + 31 * 1920, "and one that is not read yet");
        assert_eq!(fixed.window(2176 + 13 * 1920), 248_576);
        // Less than a sixteenth of what there could be is none.
        assert_eq!((fixed.window(491_000), fixed.window(492_000)), (16_644, 0));
    }

    /// A buffer of a subflow, of so many full packets.
    fn buffer(packets: u64) -> BufferPiece {
        BufferPiece { together: PieceMemory { packets, bytes: packets * MSS }, packets }
    }

    #[test]
    fn data_behind_a_subflow_gap_moves_before_the_queue_behind_it() {
        let mut memory = RcvBuffer::new(BufferSize::fixed(4 << 20), MSS, false, None);
        // 7 packets wait, 4 behind a gap of 4, and 12 behind a gap of 3.
        let waiting = (3..10).chain(14..18).chain(21..33);
        waiting.for_each(|n| memory.on_arrival((n * MSS, (n + 1) * MSS), 0, BufferPiece::PACKET));
        // Traced in Linux 6.12: a subflow brings the first 3 packets and those that fill both gaps, each in a buffer. They are coalesced
        // with the 7 and 4 packets that wait behind them before all is released to the application: 3 and 11, 4 and 3, and 12 for which
        // those have no room.
        memory.begin_move(0);
        for (start, packets, nxt) in [(0, 3, 10), (10, 4, 18), (18, 3, 33)] {
            memory.on_arrival((start * MSS, (start + packets) * MSS), nxt * MSS, buffer(packets));
        }
        memory.end_move(33 * MSS);
        assert_eq!(memory.held(33 * MSS), 3 * 2176 + 30 * 1920);
    }

    #[test]
    fn a_buffer_has_an_eighth_of_the_memory_at_most() {
        let tuned = BufferSize { now: 131_072, most: 6_291_456, set: false };
        let mut memory = RcvBuffer::new(tuned, MSS, false, None);
        // 11 packets of 1424 bytes are 15664 of 16384.
        let come = |memory: &mut RcvBuffer| {
            (0..12).for_each(|n| {
                memory.on_arrival((n * MSS, (n + 1) * MSS), (n + 1) * MSS, BufferPiece::PACKET)
            });
            let held = memory.held(12 * MSS);
            memory.on_read_all();
            held
        };
        assert_eq!(come(&mut memory), 2 * 2176 + 10 * 1920);
        memory.on_arrival((20 * MSS, 31 * MSS), 12 * MSS, buffer(11));
        memory.on_arrival((31 * MSS, 32 * MSS), 12 * MSS, BufferPiece::PACKET);
        assert_eq!(memory.held(0), 2 * 2176 + 10 * 1920, "nor above a gap");
        memory = RcvBuffer::new(tuned, MSS, false, None);
        memory.on_read(100 * MSS, || (Duration::from_millis(100), HALF), Instant::from_millis(150));
        assert_eq!(come(&mut memory), 2176 + 11 * 1920, "it has grown");
    }

    #[test]
    fn a_receive_buffer_grows_with_what_is_taken_in_the_longest_round_trip() {
        let (rtt, at) = (Duration::from_millis(100), Instant::from_millis);
        let mut memory =
            RcvBuffer::new(BufferSize { now: 131_072, most: 6_291_456, set: false }, MSS, false, None);
        memory.on_read(20 * MSS, || (rtt, HALF), at(150));
        // 2 * 28480 + 16 * 1460 = 80320, and twice that times (28480 - 14600) / 14600: 233038, 159 packets of 2996.
        assert_eq!(memory.window(0), 159 * 2996 / 2);
        memory.on_read(100 * MSS, || (rtt, HALF), at(200));
        assert_eq!(memory.window(0), 159 * 2996 / 2, "only half of a round trip has passed");
        let mut fixed = RcvBuffer::new(BufferSize::fixed(131_072), MSS, false, None);
        fixed.on_read(100 * MSS, || (rtt, HALF), at(150));
        assert_eq!(fixed.window(0), 65_536);
    }

    #[test]
    fn more_than_half_of_the_memory_may_be_window() {
        let round_trip = || (Duration::from_millis(100), 144);
        let mut fixed = RcvBuffer::new(BufferSize::fixed(524_288), MSS, false, Some(0.5625));
        assert_eq!(fixed.window(0), 262_144, "half of it before the application has read");
        fixed.on_read(MSS, round_trip, Instant::from_millis(150));
        assert_eq!((fixed.window(0), fixed.window(24_288)), (294_912, 281_250));
        let mut tuned = RcvBuffer::new(
            BufferSize { now: 131_072, most: 6_291_456, set: false },
            MSS,
            false,
            Some(0.5625),
        );
        tuned.on_read(20 * MSS, round_trip, Instant::from_millis(150));
        // A window of 233038, as with half, in memory of 414289.
        assert_eq!(tuned.window(0), 233_037);
    }

    #[test]
    fn a_subflow_without_data_makes_the_buffer_larger_and_the_window_smaller_for_a_while() {
        let at = Instant::from_millis;
        let tuned = BufferSize { now: 131_072, most: 6_291_456, set: false };
        let mut memory = RcvBuffer::new(tuned, 1460, true, Some(167.0 / 256.0));
        memory.begin(at(0));
        assert_eq!(memory.on_read(11 * MSS, || (Duration::from_millis(153), 167), at(160)), None);
        assert_eq!(memory.window(0), 131_072 * 167 / 256);
        // Measured in Linux 6.12: 2 * 28480 + 16 * 1448 = 80128, and twice that times (28480 - 15664) / 15664: 211246 in memory of 422492,
        // since another subflow has joined on which nothing has come.
        let grown = memory.on_read(20 * MSS, || (Duration::from_millis(153), HALF), at(320));
        assert_eq!(grown, Some(GrownBuffer { size: 422_492, clamp: 211_246 }));
        assert_eq!(memory.window(19_456), 201_518);
        memory.on_read(MSS, || (Duration::from_millis(153), 167), at(480));
        assert_eq!(memory.window(19_456), 262_918, "more than the subflows may show");
    }

    #[test]
    fn first_of_many_reads_at_once_ends_the_round_trip() {
        let (rtt, at) = (Duration::from_millis(100), Instant::from_millis);
        let tuned = BufferSize { now: 131_072, most: 6_291_456, set: false };
        let mut memory = RcvBuffer::new(tuned, 1460, true, Some(0.5));
        memory.on_read(171_000, || (rtt, HALF), at(100));
        // 2 * 65536 + 16 * 1448 = 154240, and twice that times (65536 - 14600) / 14600.
        assert_eq!(memory.size.now, 2 * (154_240 + 2 * 538_107));
        // 105465 in this round trip, with the rest of before: 234098, and twice that times (105465 - 65536) / 65536, are less.
        assert_eq!(memory.on_read(1, || (rtt, HALF), at(200)), None);
        // And no more than that in the next.
        assert_eq!(memory.on_read(105_465, || (rtt, HALF), at(300)), None);
    }
}

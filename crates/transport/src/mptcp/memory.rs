//! Buffers as Linux keeps them for Multipath TCP: what they may hold is counted in memory, and they grow with what
//! goes through unless they were set.
//!
//! Receive side (`__mptcp_space`, [`RightSizing`]): the connection's buffer holds what waits for data before
//! it, or for the application; half of what is free is the window, or another share. Packets that follow one another share a
//! description (`mptcp_try_coalesce`). Send side (`tcp_sndbuf_expand`, `mptcp_propagate_sndbuf`): a
//! subflow that could send more than it has while the connection's buffer is full gets a buffer of twice its window, and
//! the connection's is as large as the largest of its subflows' (Linux 6.1), or as all of them (6.12).

use super::MptcpPlan;
use crate::buffer_sizes::{BufferSizes, DESCRIPTION};
use crate::right_sizing::{Passage, RightSizing, least_round_trip};
use crate::segment::Segment;
use crate::tcp::autotune::careful_step;
use crate::tcp::receive_queue::{Held, Piece, Place, READ, ReceiveQueue};
use tailrace_core::{Bytes, Duration, Instant};

/// Memory of a packet, whatever it has in it: 1600 bytes for a frame of 1514 with what the card puts before it, 320 and 256 for what
/// describes it (`receive_small` of virtio_net, as Linux 6.12 was seen to charge).
const PACKET: u64 = 2176;
/// Memory that the send buffer grants for each segment of the window: 2048 for a full one with its headers, and 256.
const SEGMENT: u64 = 2304;
/// More than any path could fill, and far from what sums could not hold.
const MOST: u64 = 1 << 40;
/// No buffer has more than this part of the memory (`mptcp_try_coalesce`).
const LONGEST: u64 = 8;
/// A send buffer without subflows (`tcp_wmem`).
const LEAST: u64 = 4096;
/// Segments that are sent before anything is known of the path (`TCP_INIT_CWND`).
const INITIAL_SEGMENTS: u64 = 10;
/// The share of memory that is window where none is given, and before data has come, in 256ths (`TCP_DEFAULT_SCALING_RATIO`).
pub(crate) const HALF: u64 = 128;
/// Payload of a full packet without options, for which a tuned buffer is sized (`advmss`).
const FULL: u64 = 1460;
/// What timestamps take of that.
const STAMPS: u64 = 12;
/// A segment of so much payload counts as full before a larger one has come (`TCP_MSS_DEFAULT`).
const LEAST_FULL: u32 = 536;
/// Shorter segments that come in order do not open the window (`tcp_event_data_recv`).
const LEAST_IN_ORDER: u64 = 128;

/// How large a buffer is, and may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) now: u64,
    pub(crate) most: u64,
    /// It was set, and stays.
    pub(crate) set: bool,
}

impl Size {
    /// Linux's send buffer as it comes (`tcp_wmem`).
    pub(crate) const KERNEL: Self = Self { now: 16_384, most: 4_194_304, set: false };

    /// One that was set and stays.
    pub(crate) fn fixed(bytes: u64) -> Self {
        let bytes = bytes.clamp(1, MOST);
        Self { now: bytes, most: bytes, set: true }
    }
}

/// The sizes of the receive and the send buffer, where they are counted in memory. One that is set is doubled, as
/// `SO_RCVBUF` and `SO_SNDBUF` are; one that is left alone grows.
pub(crate) fn sizes(plan: &MptcpPlan) -> Option<(Size, Size)> {
    let tcp = plan.mptcp.counts_memory.then_some(&plan.tcp)?;
    let doubled = |set: Bytes| Size::fixed(set.get().saturating_mul(2));
    let tuned = |sizes: BufferSizes| Size { now: sizes.initial, most: sizes.most, set: false };
    let receive = tcp.tcp_rmem.map_or_else(|| doubled(tcp.receive_buffer), tuned);
    let send = match (tcp.send_buffer, tcp.tcp_wmem) {
        (Some(set), _) => doubled(set),
        (None, sizes) => sizes.map_or(Size::KERNEL, tuned),
    };
    Some((receive, send))
}

/// What the peer is told at first: as much of the receive buffer as is window before a segment has come
/// (`tcp_select_initial_window`), where that is not less.
pub(crate) fn first_window(plan: &MptcpPlan) -> Option<Bytes> {
    plan.mptcp.first_window.or_else(|| sizes(plan).map(|(receive, _)| Bytes(receive.now / 2)))
}

/// A subflow on which nothing has come. It may show one full segment less than the receive buffer has room for
/// (`tcp_init_buffer_space`), and no more than the first window.
pub(crate) fn first_arrivals(plan: &MptcpPlan) -> Arrivals {
    let mut arrivals = Arrivals::new(first_window(plan));
    if let Some((receive, _)) = sizes(plan) {
        let clamp = (receive.now / 2).saturating_sub(full_segment(plan.tcp.timestamps));
        arrivals.set_buffer(Grown { size: receive.now, clamp });
        arrivals.window = arrivals.window.min(clamp);
    }
    arrivals
}

/// Payload of a full packet, with timestamps or without.
const fn full_segment(stamps: bool) -> u64 {
    if stamps { FULL - STAMPS } else { FULL }
}

/// What a receive buffer has grown to: its memory, and the window that subflows may show at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grown {
    pub(crate) size: u64,
    pub(crate) clamp: u64,
}

/// The receive buffer of a connection.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveMemory {
    size: Size,
    mss: u64,
    /// Payload of a full packet, for which it is sized.
    full: u64,
    /// The share of memory that is window on subflows on which data has come, in 256ths (`scaling_ratio`); without one it is half,
    /// and the buffer is of whole segments.
    share: Option<u64>,
    /// The least share of a subflow when the application read last, or the first time in a round trip.
    least: u64,
    /// The packets in it.
    arrivals: ReceiveQueue,
    /// While what a gap of a subflow has held back is moved here: all up to this number is the application's.
    moved: Option<u64>,
    /// How large it should be, by what the application has taken so far.
    sizing: RightSizing,
    taken: u64,
    /// The longest round trip of a subflow as it was then; zero where it was not known.
    rtt: Duration,
}

impl ReceiveMemory {
    /// For segments of `mss` bytes, with timestamps or without.
    pub(crate) fn new(size: Size, mss: u64, stamps: bool, share: Option<f64>) -> Self {
        let mss = if mss == 0 { 1 } else { mss };
        let mut arrivals = ReceiveQueue::default();
        arrivals.set_longest(size.now / LONGEST);
        Self {
            size,
            mss,
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

    /// The connection is there, and the first round trip begins.
    pub(crate) const fn begin(&mut self, now: Instant) {
        self.sizing.begin(now);
    }

    /// New data from `start` to `end` has come, so that all up to `nxt` has: a `piece` of a subflow's buffer.
    pub(crate) fn on_arrival(&mut self, (start, end): (u64, u64), nxt: u64, piece: Piece) {
        let Some(moved) = &mut self.moved else { return self.arrivals.on_piece((start, end), nxt, piece) };
        if start <= *moved {
            *moved = end.max(*moved);
        }
        self.arrivals.on_piece((start, end), *moved, piece);
    }

    /// What a gap of a subflow has held back begins to be moved here, where all up to `nxt` has come.
    pub(crate) const fn begin_move(&mut self, nxt: u64) {
        self.moved = Some(nxt);
    }

    /// All of that is here, so that all up to `nxt` has come (`__mptcp_ofo_queue`).
    pub(crate) fn end_move(&mut self, nxt: u64) {
        if let Some(moved) = self.moved.take() {
            self.arrivals.release(moved, nxt);
        }
    }

    /// The application has read all that came in order.
    pub(crate) fn on_read_all(&mut self) {
        self.arrivals.on_read();
    }

    /// Memory of the packets in it, of which `unread` bytes wait for the application.
    pub(crate) fn held(&self, unread: u64) -> u64 {
        self.charge(self.arrivals.held(unread, self.mss))
    }

    /// The same of what is there once the application has read for the first time of what has come.
    pub(crate) fn held_after_first_read(&self) -> u64 {
        self.charge(self.arrivals.held_after_first_read())
    }

    /// Memory of so many packets. Those behind others share their description.
    fn charge(&self, held: Held) -> u64 {
        held.packets * self.packet() - held.packets.saturating_sub(held.buffers) * DESCRIPTION
    }

    /// Memory of one.
    const fn packet(&self) -> u64 {
        PACKET + self.mss.saturating_sub(FULL)
    }

    /// The window, while packets that wait take `held` of the buffer; none where little is left (`__tcp_select_window`).
    pub(crate) fn window(&self, held: u64) -> u64 {
        let of = |memory| window_of(memory, self.least);
        let (free, all) = (of(self.size.now.saturating_sub(held)), of(self.size.now));
        if self.is_half_full(free) && (free < all >> 4 || free < self.mss) { 0 } else { free }
    }

    /// Whether a `window` is less than half of what there could be.
    pub(crate) const fn is_half_full(&self, window: u64) -> bool {
        window < window_of(self.size.now, self.least) / 2
    }

    /// The memory of which a subflow may show some on which a segment has come, at this place, while others wait there for those before
    /// them (`tcp_space`). One that begins a buffer above a gap does not count yet. Its own buffer has `size`.
    pub(crate) fn room(&self, size: u64, waiting: Held, place: Place) -> Room {
        let own = match place {
            Place::InOrder => self.packet(),
            Place::BehindAnother => self.packet() - DESCRIPTION,
            Place::AboveGap | Place::Again => 0,
        };
        Room {
            free: size.saturating_sub(own + self.charge(waiting)),
            size,
            most: self.size.most,
            packet: self.packet(),
            share: self.share,
            least: match place {
                Place::InOrder => LEAST_IN_ORDER,
                Place::BehindAnother | Place::AboveGap => 0,
                Place::Again => u64::MAX,
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
    ) -> Option<Grown> {
        let first = bytes.min(READ);
        self.taken += first;
        let grown = self.adjust(look, now);
        self.taken += bytes - first;
        grown
    }

    /// Whether a round trip is over at `now`, as long as that is known.
    pub(crate) fn looks_at_reading(&self, now: Instant) -> bool {
        self.rtt.is_zero() || self.sizing.is_over(self.rtt, now)
    }

    fn adjust(&mut self, look: impl FnOnce() -> (Duration, u64), now: Instant) -> Option<Grown> {
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
        Some(Grown { size: wanted, clamp: window_of(wanted, self.least) })
    }
}

/// The window of so much memory, of which such a share is window.
const fn window_of(memory: u64, share: u64) -> u64 {
    let memory = if memory < MOST { memory } else { MOST };
    (memory * share) >> 8
}

/// Memory of which a subflow may show some.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Beside what it holds.
    free: u64,
    /// The whole buffer, the largest that it may become, and what a packet takes.
    size: u64,
    most: u64,
    packet: u64,
    /// What of it is window on a subflow on which a full segment has come, in 256ths, where data tells that.
    share: Option<u64>,
    /// Segments of less do not open the window, nor does any that has come before.
    least: u64,
}

impl Room {
    /// What of the memory of a segment of `bytes` is window (`tcp_measure_rcv_mss`).
    fn share_of(&self, bytes: u64) -> Option<u64> {
        self.share.map(|most| ((bytes << 8) / self.packet).clamp(1, most))
    }

    /// What a segment of `bytes` adds to `window`; `full` is the payload of a full one, and the peer's have `largest` at most.
    fn step(&self, bytes: u64, (window, share): (u64, u64), (full, largest): (u64, u64)) -> u64 {
        let packet = window_of(self.packet, share);
        let step = match packet <= bytes {
            true => 2 * full,
            false => careful_step(bytes, packet, (window, window_of(self.most, share)), largest),
        };
        if step > 0 && bytes >= self.least { step.max(2 * bytes) } else { 0 }
    }
}

/// A subflow as its receiver sees it: its round trip, as what comes echoes the clock of an ACK
/// (`tcp_rcv_rtt_measure_ts`), and the window that it may show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrivals {
    last: u32,
    /// Payload of a full segment, as far as is known (`rcv_mss`): that of the largest, or of two in a row that were as short. Only full ones
    /// tell of round trips.
    full: u32,
    /// That of the last segment, if it was not full, with what its options take beside timestamps (`last_seg_size`).
    short: u32,
    /// In microseconds, smoothed, times eight, and what tells it where there are no timestamps.
    eighths: u64,
    passage: Passage,
    /// How much window its segments may show: more with each that comes (`tcp_grow_window`).
    window: u64,
    /// The most that this will ever be, as the buffer was when it grew last, or when a larger segment came than before and told its share of
    /// window (`window_clamp`).
    clamp: u64,
    /// That share, in 256ths (`scaling_ratio`).
    share: u64,
    /// Memory of its own buffer: as large as that of the connection when that grew last, if the subflow was there (`sk_rcvbuf`).
    size: u64,
}

impl Arrivals {
    /// Nothing has come. The peer is told of `first` at most, and of more with each segment.
    pub(crate) fn new(first: Option<Bytes>) -> Self {
        let window = first.map_or(MOST, Bytes::get);
        Self {
            last: 0,
            full: LEAST_FULL,
            short: 0,
            eighths: 0,
            passage: Passage::default(),
            window,
            clamp: MOST,
            share: HALF,
            size: MOST,
        }
    }

    /// What of the memory is window, as the largest segment so far tells it, in 256ths.
    pub(crate) const fn share(&self) -> u64 {
        self.share
    }

    /// The buffer has grown.
    pub(crate) const fn set_buffer(&mut self, grown: Grown) {
        (self.size, self.clamp) = (grown.size, grown.clamp);
    }

    /// The most that its window will ever be.
    pub(crate) const fn clamp(&self) -> u64 {
        self.clamp
    }

    /// Memory of its own buffer.
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// A segment with payload, which lets the window grow where there is room; whether it does (`tcp_grow_window`).
    pub(crate) fn note(
        &mut self,
        segment: &Segment,
        options: impl FnOnce() -> u32,
        room: Room,
        now: Instant,
    ) -> bool {
        let bytes = u64::from(segment.payload);
        if room.least != u64::MAX {
            self.measure(segment, options, room);
        }
        self.note_round_trip(segment, now);
        let (before, most) = (self.window, window_of(room.free, self.share).min(self.clamp));
        let sizes = (full_segment(segment.timestamps.is_some()), u64::from(self.full));
        let step = room.step(bytes, (before, self.share), sizes);
        self.window = (before + step).min(most).max(before);
        self.window > before
    }

    /// What is a full segment (`tcp_measure_rcv_mss`), now that one has come whose `options` take so much beside timestamps. Two short
    /// ones in a row are compared with their options, and so is what comes after them.
    fn measure(&mut self, segment: &Segment, options: impl FnOnce() -> u32, room: Room) {
        let last = core::mem::take(&mut self.short);
        if segment.payload >= self.full {
            if segment.payload > self.full {
                self.note_share(room.share_of(u64::from(segment.payload)), room.size);
            }
            self.full = segment.payload;
            return;
        }
        let stamps = if segment.timestamps.is_some() { STAMPS as u32 } else { 0 };
        let with_options = segment.payload.saturating_add(options());
        if with_options + stamps >= LEAST_FULL {
            self.short = with_options;
            if with_options == last {
                self.full = with_options;
            }
        }
    }

    /// A segment is larger than those before: such a share of the memory of `size` bytes is window, where data tells that.
    #[cold]
    fn note_share(&mut self, share: Option<u64>, size: u64) {
        if let Some(share) = share.filter(|share| *share != self.share) {
            (self.share, self.clamp) = (share, window_of(size, share));
        }
    }

    /// The least counts at once, more little by little (`tcp_rcv_rtt_update`).
    fn note_round_trip(&mut self, segment: &Segment, now: Instant) {
        let is_full = segment.payload >= self.full;
        self.full = self.full.max(segment.payload);
        let Some(stamps) = segment.timestamps.filter(|t| t.echo != self.last) else { return };
        self.last = stamps.echo;
        if !is_full {
            return;
        }
        let clock = (now.as_nanos() / 1_000_000) as u32;
        let sample = 1000 * u64::from(clock.wrapping_sub(stamps.echo)).max(1);
        let least = self.eighths == 0 || 8 * sample < self.eighths;
        self.eighths = if least { 8 * sample } else { self.eighths - (self.eighths >> 3) + sample };
    }

    /// Without timestamps: all up to `nxt` has come, while the last window told was of so much.
    pub(crate) fn note_order(&mut self, nxt: u64, told: u64, now: Instant) {
        if let Some(passed) = self.passage.on_order(nxt, told, now) {
            self.eighths = least_round_trip(self.eighths, passed);
        }
    }

    pub(crate) const fn window(&self) -> u64 {
        self.window
    }

    /// Whether the window is twice what it was when the subflow showed it last (`shown`), or more. Room that the connection's buffer has
    /// `left` is not enough for that: what has come on the subflow must let it show as much (`tcp_cleanup_rbuf`).
    pub(crate) fn open_wide(&self, left: u64, shown: u64) -> bool {
        let open = left.min(self.window);
        open > 0 && open >= 2 * shown
    }

    /// The subflow is over.
    pub(crate) fn end(&mut self) {
        self.eighths = 0;
    }

    /// Zero before anything has told it, and once the subflow is over.
    pub(crate) fn round_trip(&self) -> Duration {
        Duration::from_micros(self.eighths >> 3)
    }
}

/// The send buffer of a subflow, or of the connection.
#[derive(Clone, Debug)]
pub(crate) struct SendMemory {
    size: Size,
}

impl SendMemory {
    pub(crate) fn new(size: Size) -> Self {
        let mut memory = Self { size };
        memory.expand(0);
        memory
    }

    /// There is room in a window of so many segments (`tcp_sndbuf_expand`). Whether it grows.
    pub(crate) fn expand(&mut self, segments: u64) -> bool {
        let wanted = segments.max(INITIAL_SEGMENTS).saturating_mul(2 * SEGMENT).min(self.size.most);
        let grows = wanted > self.size.now;
        self.size.now = self.size.now.max(wanted);
        grows
    }

    /// Whether it may grow for a window of so many bytes, in segments of `mss`: not if it has room for them.
    #[inline]
    pub(crate) const fn may_grow(&self, window: u64, mss: u64) -> bool {
        self.size.now < self.size.most
            && window.saturating_mul(2 * SEGMENT) > self.size.now.saturating_mul(mss)
    }

    pub(crate) const fn size(&self) -> u64 {
        self.size.now
    }

    /// As large as that of a subflow, unless it was set (`mptcp_propagate_sndbuf`).
    pub(crate) fn follow(&mut self, subflow: &Self) {
        if !self.size.set {
            self.size.now = self.size.now.max(subflow.size.now.min(self.size.most));
        }
    }

    /// As large as those of all subflows, unless it was set: `sizes`, and the least that there is (`__mptcp_sync_sndbuf`).
    pub(crate) fn join(&mut self, sizes: impl Iterator<Item = u64>) {
        if !self.size.set {
            self.size.now = sizes.fold(LEAST, u64::saturating_add).min(MOST);
        }
    }

    /// Whether an application that waits for room goes on where `held` bytes are not acknowledged: a third is free
    /// (`sk_stream_is_writeable`).
    pub(crate) const fn is_writeable(&self, held: u64) -> bool {
        held <= self.size.now / 3 * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::receive_queue::Together;

    const MSS: u64 = 1424;
    /// Of a buffer of 6 MiB, of which 167/256 are window: 1419 of a packet's 2176 bytes.
    const ROOM: Room =
        Room { free: 6_291_456, size: 6_291_456, most: 6_291_456, packet: 2176, share: Some(167), least: 0 };

    #[test]
    fn a_send_buffer_grows_for_no_window_that_it_has_room_for() {
        let mut memory = SendMemory::new(Size::KERNEL);
        memory.expand(20);
        assert!(!memory.may_grow(20 * MSS, MSS) && memory.may_grow(21 * MSS, MSS));
        for window in (0..40 * MSS).step_by(97) {
            let grows = memory.clone().expand(window / MSS);
            assert!(memory.may_grow(window, MSS) || !grows, "{window}");
        }
    }

    #[test]
    fn a_segment_that_wastes_memory_opens_the_window_by_less() {
        let mut arrivals = Arrivals::new(Some(Bytes(84_084)));
        let stamps = Some(crate::segment::Timestamps { value: 0, echo: 1 });
        let mut note = |payload| {
            let segment = Segment { payload, timestamps: stamps, ..Segment::default() };
            arrivals.note(&segment, || 24, ROOM, Instant::from_millis(700));
            arrivals.window()
        };
        // As traced in Linux 6.12: 2 * 1448 by a full segment, twice the largest so far by one of 1080 bytes.
        assert_eq!((note(1424), note(1080)), (86_980, 89_828));
        // 1419 / 32 = 44 are less than 60, while the window is below 4104192 / 32 = 128256; 1419 / 64 = 22 are not less than 20.
        assert_eq!((note(60), note(20)), (92_676, 92_676));
    }

    #[test]
    fn what_waits_takes_window_by_its_memory() {
        let mut fixed = ReceiveMemory::new(Size::fixed(524_288), MSS, false, None);
        assert_eq!(fixed.window(0), 262_144);
        // As traced in Linux 6.12: the first packet above a gap takes 2176 bytes, and each that follows it 1920.
        (1..15).for_each(|n| fixed.on_arrival((n * MSS, (n + 1) * MSS), MSS, Piece::PACKET));
        assert_eq!(fixed.held(0), 2176 + 13 * 1920);
        (30..50).for_each(|n| fixed.on_arrival((n * MSS, (n + 1) * MSS), MSS, Piece::PACKET));
        assert_eq!(fixed.held(0), 3 * 2176 + (13 + 17 + 1) * 1920, "18 packets are a run");
        assert_eq!(fixed.held(MSS), 4 * 2176 + 31 * 1920, "and one that is not read yet");
        assert_eq!(fixed.window(2176 + 13 * 1920), 248_576);
        // Less than a sixteenth of what there could be is none.
        assert_eq!((fixed.window(491_000), fixed.window(492_000)), (16_644, 0));
    }

    /// A buffer of a subflow, of so many full packets.
    fn buffer(packets: u64) -> Piece {
        Piece { together: Together { packets, bytes: packets * MSS }, packets }
    }

    #[test]
    fn what_a_gap_of_a_subflow_held_back_is_moved_before_what_waits_behind_it() {
        let mut memory = ReceiveMemory::new(Size::fixed(4 << 20), MSS, false, None);
        // 7 packets wait, 4 behind a gap of 4, and 12 behind a gap of 3.
        let waiting = (3..10).chain(14..18).chain(21..33);
        waiting.for_each(|n| memory.on_arrival((n * MSS, (n + 1) * MSS), 0, Piece::PACKET));
        // As a kernel 6.12 did it: a subflow brings the first 3 and what fills both gaps, each in a buffer. These join what waits before
        // them, 7 and 4 packets, and only then does all become the application's: 3 and 11, 4 and 3, and 12 for which those have no room.
        memory.begin_move(0);
        for (start, packets, nxt) in [(0, 3, 10), (10, 4, 18), (18, 3, 33)] {
            memory.on_arrival((start * MSS, (start + packets) * MSS), nxt * MSS, buffer(packets));
        }
        memory.end_move(33 * MSS);
        assert_eq!(memory.held(33 * MSS), 3 * 2176 + 30 * 1920);
    }

    #[test]
    fn a_buffer_has_an_eighth_of_the_memory_at_most() {
        let tuned = Size { now: 131_072, most: 6_291_456, set: false };
        let mut memory = ReceiveMemory::new(tuned, MSS, false, None);
        // 11 packets of 1424 bytes are 15664 of 16384.
        let come = |memory: &mut ReceiveMemory| {
            (0..12).for_each(|n| memory.on_arrival((n * MSS, (n + 1) * MSS), (n + 1) * MSS, Piece::PACKET));
            let held = memory.held(12 * MSS);
            memory.on_read_all();
            held
        };
        assert_eq!(come(&mut memory), 2 * 2176 + 10 * 1920);
        memory.on_arrival((20 * MSS, 31 * MSS), 12 * MSS, buffer(11));
        memory.on_arrival((31 * MSS, 32 * MSS), 12 * MSS, Piece::PACKET);
        assert_eq!(memory.held(0), 2 * 2176 + 10 * 1920, "nor above a gap");
        memory = ReceiveMemory::new(tuned, MSS, false, None);
        memory.on_read(100 * MSS, || (Duration::from_millis(100), HALF), Instant::from_millis(150));
        assert_eq!(come(&mut memory), 2176 + 11 * 1920, "it has grown");
    }

    #[test]
    fn two_short_segments_in_a_row_are_full_ones() {
        let mut arrivals = Arrivals::new(Some(Bytes(84_084)));
        let stamps = Some(crate::segment::Timestamps { value: 0, echo: 1 });
        let mut note = |payload| {
            let before = arrivals.window();
            let segment = Segment { payload, timestamps: stamps, ..Segment::default() };
            arrivals.note(&segment, || 24, ROOM, Instant::from_millis(700));
            arrivals.window() - before
        };
        // As traced in Linux 6.12: 2 * 1448 by a full segment, 2 * 1424 by a shorter one, and 2 * 1416 by the second of 1392 bytes with 24
        // of options.
        assert_eq!([1424, 1392, 1392, 1392].map(&mut note), [2896, 2848, 2832, 2832]);
        assert_eq!([1424, 1392, 1424, 1392].map(&mut note), [2896, 2848, 2896, 2848], "not in a row");
    }

    #[test]
    fn a_receive_buffer_grows_with_what_is_taken_in_the_longest_round_trip() {
        let (rtt, at) = (Duration::from_millis(100), Instant::from_millis);
        let mut memory =
            ReceiveMemory::new(Size { now: 131_072, most: 6_291_456, set: false }, MSS, false, None);
        memory.on_read(20 * MSS, || (rtt, HALF), at(150));
        // 2 * 28480 + 16 * 1460 = 80320, and twice that times (28480 - 14600) / 14600: 233038, 159 packets of 2996.
        assert_eq!(memory.window(0), 159 * 2996 / 2);
        memory.on_read(100 * MSS, || (rtt, HALF), at(200));
        assert_eq!(memory.window(0), 159 * 2996 / 2, "only half of a round trip has passed");
        let mut fixed = ReceiveMemory::new(Size::fixed(131_072), MSS, false, None);
        fixed.on_read(100 * MSS, || (rtt, HALF), at(150));
        assert_eq!(fixed.window(0), 65_536);
    }

    #[test]
    fn a_send_buffer_is_twice_the_window_and_that_of_a_connection_the_largest() {
        let tuned = Size { now: 16_384, most: 4_194_304, set: false };
        let (mut one, mut all) = (SendMemory::new(tuned), SendMemory::new(tuned));
        assert_eq!(one.size(), 46_080, "of ten segments");
        one.expand(163);
        // As measured in Linux: 751104.
        assert_eq!(one.size(), 751_104);
        all.follow(&one);
        assert_eq!(all.size(), 751_104);
        one.expand(10);
        assert_eq!(one.size(), 751_104, "it never shrinks");
        let mut set = SendMemory::new(Size::fixed(131_072));
        set.follow(&one);
        set.expand(500);
        assert_eq!(set.size(), 131_072);
    }

    #[test]
    fn a_buffer_of_all_subflows_goes_with_them_and_one_that_was_set_stays() {
        let tuned = Size { now: 16_384, most: 4_194_304, set: false };
        let (mut one, mut two, mut all) =
            (SendMemory::new(tuned), SendMemory::new(tuned), SendMemory::new(tuned));
        one.expand(163);
        all.join([&one, &two].map(SendMemory::size).into_iter());
        assert_eq!(all.size(), 4096 + 751_104 + 46_080);
        // 4608 bytes a segment, and no more than `tcp_wmem` has; together they have more.
        for subflow in [&mut one, &mut two] {
            subflow.expand(2000);
        }
        all.join([&one, &two].map(SendMemory::size).into_iter());
        assert_eq!(all.size(), 4096 + 2 * 4_194_304);
        all.join([one.size()].into_iter());
        assert_eq!(all.size(), 4096 + 4_194_304, "one is gone");
        let mut set = SendMemory::new(Size::fixed(131_072));
        set.join([one.size()].into_iter());
        assert_eq!(set.size(), 131_072);
    }

    #[test]
    fn more_than_half_of_the_memory_may_be_window() {
        let round_trip = || (Duration::from_millis(100), 144);
        let mut fixed = ReceiveMemory::new(Size::fixed(524_288), MSS, false, Some(0.5625));
        assert_eq!(fixed.window(0), 262_144, "half of it before the application has read");
        fixed.on_read(MSS, round_trip, Instant::from_millis(150));
        assert_eq!((fixed.window(0), fixed.window(24_288)), (294_912, 281_250));
        let mut tuned =
            ReceiveMemory::new(Size { now: 131_072, most: 6_291_456, set: false }, MSS, false, Some(0.5625));
        tuned.on_read(20 * MSS, round_trip, Instant::from_millis(150));
        // A window of 233038, as with half, in memory of 414289.
        assert_eq!(tuned.window(0), 233_037);
    }

    #[test]
    fn a_subflow_without_data_makes_the_buffer_larger_and_the_window_smaller_for_a_while() {
        let at = Instant::from_millis;
        let tuned = Size { now: 131_072, most: 6_291_456, set: false };
        let mut memory = ReceiveMemory::new(tuned, 1460, true, Some(167.0 / 256.0));
        memory.begin(at(0));
        assert_eq!(memory.on_read(11 * MSS, || (Duration::from_millis(153), 167), at(160)), None);
        assert_eq!(memory.window(0), 131_072 * 167 / 256);
        // As measured in Linux 6.12: 2 * 28480 + 16 * 1448 = 80128, and twice that times (28480 - 15664) / 15664: 211246 in
        // memory of 422492, since another subflow has joined on which nothing has come.
        let grown = memory.on_read(20 * MSS, || (Duration::from_millis(153), HALF), at(320));
        assert_eq!(grown, Some(Grown { size: 422_492, clamp: 211_246 }));
        assert_eq!(memory.window(19_456), 201_518);
        memory.on_read(MSS, || (Duration::from_millis(153), 167), at(480));
        assert_eq!(memory.window(19_456), 262_918, "more than the subflows may show");
    }

    #[test]
    fn room_of_the_connection_is_told_once_the_subflow_may_show_it() {
        // As traced in Linux 6.12: the buffer grows from 131072 to 422492 bytes, and the window that it leaves from 84084 to
        // 211246; the subflow may show 84084 still, and waits with its ACK for a second segment.
        let mut arrivals = Arrivals::new(Some(Bytes(84_084)));
        arrivals.set_buffer(Grown { size: 422_492, clamp: 211_246 });
        assert!(!arrivals.open_wide(211_246, 82_672));
        let segment = Segment { payload: 1424, ..Segment::default() };
        let room = Room { size: 323_827, ..ROOM };
        while arrivals.note(&segment, || 24, room, Instant::from_millis(700)) {}
        assert_eq!(arrivals.window(), 211_246);
        assert!(arrivals.open_wide(211_246, 82_672));
        assert!(!arrivals.open_wide(150_000, 82_672), "that is all the room there is");
        assert!(!arrivals.open_wide(0, 0), "nor is none");
    }

    #[test]
    fn of_much_that_is_taken_at_once_the_first_read_ends_the_round_trip() {
        let (rtt, at) = (Duration::from_millis(100), Instant::from_millis);
        let tuned = Size { now: 131_072, most: 6_291_456, set: false };
        let mut memory = ReceiveMemory::new(tuned, 1460, true, Some(0.5));
        memory.on_read(171_000, || (rtt, HALF), at(100));
        // 2 * 65536 + 16 * 1448 = 154240, and twice that times (65536 - 14600) / 14600.
        assert_eq!(memory.size.now, 2 * (154_240 + 2 * 538_107));
        // 105465 in this round trip, with the rest of before: 234098, and twice that times (105465 - 65536) / 65536, are less.
        assert_eq!(memory.on_read(1, || (rtt, HALF), at(200)), None);
        // And no more than that in the next.
        assert_eq!(memory.on_read(105_465, || (rtt, HALF), at(300)), None);
    }

    #[test]
    fn a_round_trip_is_smoothed_in_microseconds() {
        let mut arrivals = Arrivals::new(None);
        // As traced in Linux 6.12: rcv_rtt_est, eighths of a microsecond.
        for (echo, rtt, eighths) in
            [(1, 41, 328_000), (2, 43, 330_000), (3, 43, 331_750), (4, 45, 335_282), (5, 46, 339_372)]
        {
            let stamps = Some(crate::segment::Timestamps { value: 0, echo });
            let segment = Segment { payload: 1424, timestamps: stamps, ..Segment::default() };
            arrivals.note(&segment, || 24, ROOM, Instant::from_millis(u64::from(echo) + rtt));
            assert_eq!(arrivals.eighths, eighths, "{rtt}");
        }
    }

    #[test]
    fn a_subflow_that_joins_later_shows_what_its_own_buffer_has_room_for() {
        // As traced in Linux 6.12: the connection's buffer has 997844 bytes, but 131072 less a packet of 2176 are 84084 of window.
        let mut arrivals = Arrivals::new(Some(Bytes(64_088)));
        arrivals.set_buffer(Grown { size: 131_072, clamp: 64_088 });
        let size = Size { now: 997_844, most: 6_291_456, set: false };
        let memory = ReceiveMemory::new(size, 1424, true, Some(167.0 / 256.0));
        let stamps = Some(crate::segment::Timestamps { value: 0, echo: 1 });
        let segment = Segment { payload: 1424, timestamps: stamps, ..Segment::default() };
        let room = |size| memory.room(size, Held::default(), Place::InOrder);
        while arrivals.note(&segment, || 24, room(arrivals.size()), Instant::from_millis(700)) {}
        assert_eq!(arrivals.window(), 84_084);
        arrivals.set_buffer(Grown { size: 997_844, clamp: 650_937 });
        arrivals.note(&segment, || 24, room(arrivals.size()), Instant::from_millis(701));
        assert_eq!(arrivals.window(), 86_980);
        let again = memory.room(arrivals.size(), Held::default(), Place::Again);
        assert!(!arrivals.note(&segment, || 24, again, Instant::from_millis(702)), "it had come before");
    }

    #[test]
    fn only_full_segments_tell_of_round_trips_and_the_least_counts() {
        let segment = |payload, echo| Segment {
            payload,
            timestamps: Some(crate::segment::Timestamps { value: 0, echo }),
            ..Segment::default()
        };
        let mut arrivals = Arrivals::new(None);
        let room = Room { free: 1000, ..ROOM };
        for (payload, echo, now, rtt) in [
            (1424, 1, 154, 153_000),
            (96, 2, 160, 153_000),
            (1424, 2, 162, 153_000), // The same echo as before.
            (1424, 3, 180, 156_000), // An eighth of what is more.
            (1424, 4, 157, 153_000),
        ] {
            arrivals.note(&segment(payload, echo), || 24, room, Instant::from_millis(now));
            assert_eq!(arrivals.round_trip(), Duration::from_micros(rtt), "{echo}");
        }
    }
}

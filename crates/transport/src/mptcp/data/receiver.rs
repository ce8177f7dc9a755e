//! Receiving side of the data level: data of all subflows in the order of the stream, and one window for all of them (RFC 8684 §3.3.1,
//! §3.3.4).

use crate::mptcp::linux::buffer_size::GrownBuffer;
use crate::mptcp::linux::rcv_buffer::RcvBuffer;
use crate::mptcp::linux::rcv_space::{RcvRoom, RcvSpace};
use crate::mptcp::linux::rcv_window::LinuxWindow;
use crate::segment::Segment;
use crate::tcp::Tcp;
use crate::tcp::linux::receive_queue::BufferPiece;
use crate::tcp::recv::reassembly::Reassembly;
use tailrace_core::{Duration, Instant};

/// Receiving side of the data level. Its buffer counts data, as RFC 8684 has it, or memory, as Linux does. Fields that most segments
/// need come before the large ones.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct DataReceiver {
    auto_read: bool,
    /// Whether the window may differ from the one that was asked for last.
    changed: bool,
    /// Bytes of the out-of-order queue.
    waiting: u64,
    /// Size of the buffer; of one in memory the window that the peer knows at first.
    buffer: u64,
    /// Buffer and window in memory, as Linux has them.
    linux: Option<LinuxWindow>,
    queue: Reassembly,
}

impl DataReceiver {
    /// With a buffer of so many bytes of data.
    pub(crate) fn new(buffer: u64) -> Self {
        let (queue, buffer) = (Reassembly::default(), buffer.max(1));
        Self { queue, buffer, auto_read: true, waiting: 0, linux: None, changed: true }
    }

    /// With a buffer of memory, if there is one. However large it is, the peer first knows the window of `first`, and more as segments
    /// arrive (`rcv_ssthresh`).
    pub(crate) fn with_memory(memory: Option<RcvBuffer>, buffer: u64, first: RcvSpace) -> Self {
        let buffer = memory.as_ref().map_or(buffer, |m| m.window(0).min(first.window()));
        Self { linux: memory.map(LinuxWindow::new), ..Self::new(buffer) }
    }

    /// The connection is established: the first round trip of reads begins, or begins with the first read.
    pub(crate) fn begin(&mut self, with_reading: bool, now: Instant) {
        match self.linux.as_mut().map(LinuxWindow::memory_mut) {
            Some(memory) if with_reading => memory.begin_with_reading(),
            Some(memory) => memory.begin(now),
            None => {}
        }
    }

    /// The first byte of data has number `dsn`.
    pub(crate) fn start(&mut self, dsn: u64) {
        self.queue.start(dsn, self.buffer);
        if let Some(linux) = &mut self.linux {
            linux.set_shown(self.buffer);
        }
        self.invalidate_window();
    }

    pub(crate) fn set_auto_read(&mut self, on: bool) {
        self.auto_read = on;
        if let Some(linux) = &mut self.linux {
            linux.memory_mut().set_slow(!on);
        }
    }

    /// Next data sequence number expected: the DATA_ACK.
    #[inline]
    pub(crate) const fn nxt(&self) -> u64 {
        self.queue.nxt()
    }

    /// Right edge of the window that the peer may know.
    pub(crate) const fn edge(&self) -> u64 {
        self.queue.edge()
    }

    /// Number of bytes of `dsn..end` that have not arrived yet.
    pub(crate) fn missing(&self, dsn: u64, end: u64) -> u64 {
        self.queue.missing(dsn, end)
    }

    /// Bytes of the out-of-order queue.
    pub(crate) const fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Disjoint ranges of the out-of-order queue, in order; the last may end with the DATA_FIN.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = &(u64, u64)> {
        self.queue.ranges()
    }

    /// Data sequence number of the DATA_FIN, once known.
    pub(crate) fn fin(&self) -> Option<u64> {
        self.queue.fin()
    }

    /// Next data sequence number expected, the DATA_FIN left out.
    pub(crate) fn data_nxt(&self) -> u64 {
        self.queue.nxt_data()
    }

    /// Bytes in order that the application has not read.
    #[inline]
    fn unread(&self) -> u64 {
        self.queue.nxt_data() - self.queue.read()
    }

    /// Takes `dsn..end`; returns the bytes that are in order by it, and whether it brought anything new. See
    /// [`DataReceiver::insert_piece`].
    #[inline]
    pub(crate) fn insert(&mut self, dsn: u64, end: u64) -> (u64, bool) {
        let (came, new) = self.insert_piece((dsn, end), BufferPiece::PACKET);
        (came, new > 0)
    }

    /// Takes `dsn..end`, a `piece` of a subflow's buffer; returns the bytes that are in order by it, and those that are new. Nothing
    /// beyond the window is taken. In memory, data in order is always taken, and other data as a whole or not at all
    /// (`mptcp_data_queue_ofo`).
    #[inline]
    pub(crate) fn insert_piece(&mut self, (dsn, end): (u64, u64), piece: BufferPiece) -> (u64, u64) {
        let before = self.queue.nxt_data();
        let end = match self.linux {
            Some(_) if dsn <= before => end,
            Some(_) if end > self.queue.edge() => dsn,
            Some(_) => end,
            None => end.min(self.queue.edge().max(before)),
        };
        if dsn >= end {
            return (0, 0);
        }
        self.invalidate_window();
        let new = self.queue.missing(dsn, end);
        self.queue.insert(dsn, end);
        self.queue.absorb_fin();
        let came = self.queue.nxt_data() - before;
        self.waiting = self.waiting + new - came;
        if let Some(linux) = self.linux.as_mut().filter(|_| new > 0 || dsn > before) {
            linux.memory_mut().on_arrival((dsn.max(before), end), self.queue.nxt_data(), piece);
        }
        if self.auto_read {
            self.queue.take_all();
        }
        (came, new)
    }

    /// Data that a gap of a subflow held back follows, buffer by buffer.
    pub(crate) fn begin_move(&mut self) {
        let nxt = self.queue.nxt_data();
        if let Some(linux) = &mut self.linux {
            linux.memory_mut().begin_move(nxt);
        }
    }

    /// All of that data has been inserted.
    pub(crate) fn end_move(&mut self) {
        let nxt = self.queue.nxt_data();
        if let Some(linux) = &mut self.linux {
            linux.memory_mut().end_move(nxt);
        }
    }

    /// Takes a DATA_FIN with number `dsn`.
    pub(crate) fn on_fin(&mut self, dsn: u64) {
        if dsn >= self.queue.nxt() && self.queue.fin().is_none() {
            self.queue.on_fin(dsn);
            self.queue.absorb_fin();
            self.invalidate_window();
        }
    }

    /// Whether the peer's data is complete, its DATA_FIN included.
    pub(crate) fn is_complete(&self) -> bool {
        self.queue.is_complete()
    }

    /// Window to advertise beside the DATA_ACK on subflow `id`. Its right edge never moves back, and moves forward only by as much as is
    /// worth telling: receiver-side silly window avoidance (RFC 9293 §3.8.6.2.2). In memory it is limited and rounded by `limits`, the
    /// most that the subflow may show and the unit of its window field. There a subflow may show less than before, by its own sequence
    /// numbers: Linux forgets its last window (`mptcp_established_options_dss`).
    #[inline]
    pub(crate) fn window(&mut self, id: usize, mss: u32, limits: impl FnOnce() -> (u64, u64)) -> u64 {
        if self.linux.is_some() {
            return self.window_in_memory(id, limits());
        }
        if self.may_open(mss) {
            self.advertise(self.queue.read().saturating_add(self.buffer));
        }
        self.queue.window()
    }

    /// The peer knows that window only once a segment leaves ([`DataReceiver::on_sent`]).
    #[inline]
    fn window_in_memory(&mut self, id: usize, limits: (u64, u64)) -> u64 {
        let unread = self.unread();
        let window = match &mut self.linux {
            Some(linux) => {
                let free = linux.free_on(id, unread);
                linux.in_units(free, limits)
            }
            None => 0,
        };
        window.max(self.queue.window())
    }

    /// Whether less than half of the memory, or of `most`, is free, as the next ACK on subflow `id` knows it (`__tcp_select_window`).
    pub(crate) fn is_half_full(&mut self, id: usize, most: u64) -> bool {
        let unread = self.unread();
        self.linux.as_mut().is_some_and(|linux| linux.is_half_full(id, unread, most))
    }

    /// `window` as a subflow shows it that may show `limits`; see [`LinuxWindow::in_units`].
    pub(crate) fn in_units(&self, window: u64, limits: (u64, u64)) -> u64 {
        self.linux.as_ref().map_or(window, |linux| linux.in_units(window, limits))
    }

    #[inline]
    fn advertise(&mut self, edge: u64) {
        let before = self.queue.edge();
        self.queue.advertise(edge);
        self.changed |= self.queue.edge() != before;
    }

    /// Whether the window may have changed since this was asked last.
    #[inline]
    pub(crate) const fn take_changed(&mut self) -> bool {
        core::mem::replace(&mut self.changed, false)
    }

    /// Data has arrived or was read.
    #[inline]
    const fn invalidate_window(&mut self) {
        self.changed = true;
        if let Some(linux) = &mut self.linux {
            linux.invalidate();
        }
    }

    /// Window of the free memory; none where data counts.
    #[inline]
    pub(crate) fn left(&mut self) -> u64 {
        let unread = self.unread();
        self.linux.as_mut().map_or(0, |linux| linux.free(unread))
    }

    /// The ACK that is due on subflow `id` leaves before the application reads `unread` bytes.
    pub(crate) fn ack_before_read(&mut self, id: usize, unread: u64) {
        let unread = self.before_reading(unread);
        if let Some(linux) = &mut self.linux {
            linux.ack_before_read(id, unread);
            self.changed = true;
        }
    }

    /// The ACK that is due on subflow `id` leaves while the application reads `unread` bytes, perhaps by several calls.
    pub(crate) fn ack_after_read(&mut self, id: usize, unread: u64) {
        if let Some(linux) = &mut self.linux {
            linux.ack_after_read(id, unread);
        }
        self.changed = true;
    }

    /// Whether the application reads data as soon as it is in order.
    pub(crate) const fn is_read_at_once(&self) -> bool {
        self.auto_read
    }

    /// Bytes that wait for the application before it reads the latest `unread` bytes.
    pub(crate) fn before_reading(&self, unread: u64) -> u64 {
        unread.max(self.unread())
    }

    /// Window of the free memory before the application reads the latest `unread` bytes.
    pub(crate) fn left_before_reading(&self, unread: u64) -> u64 {
        let unread = self.before_reading(unread);
        self.linux.as_ref().map_or(u64::MAX, |linux| linux.free_before_read(unread))
    }

    /// The application reads everything in order at this moment, unless it takes its time.
    pub(crate) fn deliver(&mut self) {
        let all_read = self.queue.read() == self.queue.nxt_data();
        if let Some(linux) = self.linux.as_mut().filter(|_| all_read) {
            linux.memory_mut().on_read_all();
        }
    }

    /// See [`LinuxWindow::updates_after_ack`].
    pub(crate) fn updates_after_ack(&mut self, id: usize) -> bool {
        self.linux.as_mut().is_some_and(|linux| linux.updates_after_ack(id))
    }

    /// The peer learns of a window of `shown` bytes.
    #[inline]
    pub(crate) fn promise(&mut self, shown: u64) {
        if self.linux.is_none() {
            return;
        }
        self.advertise(self.queue.nxt() + shown);
        if let Some(linux) = &mut self.linux {
            linux.set_shown(shown);
        }
    }

    /// A segment has left on subflow `id` and showed a window of `shown` bytes. Whether another ACK is to follow.
    #[inline]
    pub(crate) fn on_sent(&mut self, id: usize, shown: u64) -> bool {
        if self.linux.is_none() {
            return false;
        }
        self.promise(shown);
        let Some(follows) = self.linux.as_mut().and_then(|linux| linux.take_pending_ack(id)) else {
            return false;
        };
        self.changed = true;
        follows
    }

    /// Whether a round trip of reads is over at `now`, so that the buffer may grow.
    pub(crate) fn looks_at_reading(&self, now: Instant) -> bool {
        self.linux.as_ref().is_some_and(|linux| linux.memory().looks_at_reading(now))
    }

    /// The application has read `bytes`; see [`RcvBuffer::on_read`].
    pub(crate) fn on_taken(
        &mut self,
        bytes: u64,
        look: impl FnOnce() -> (Duration, u64),
        now: Instant,
    ) -> Option<GrownBuffer> {
        self.changed = true;
        self.linux.as_mut()?.on_read(bytes, look, now)
    }

    /// Whether the window is twice the one shown last, or more (`mptcp_cleanup_rbuf`).
    pub(crate) fn opens_wide(&mut self) -> bool {
        let unread = self.unread();
        self.linux.as_mut().is_some_and(|linux| linux.opens_wide(unread))
    }

    /// See [`LinuxWindow::opens_wide_after_ack`].
    pub(crate) fn opens_wide_after_ack(&mut self) -> bool {
        let unread = self.unread();
        self.linux.as_mut().is_some_and(|linux| linux.opens_wide_after_ack(unread))
    }

    /// Memory of which a subflow may show some ([`RcvBuffer::room`]); `None` where data counts.
    pub(crate) fn room(&self, tcp: &Tcp, size: u64, segment: &Segment) -> Option<RcvRoom> {
        let linux = self.linux.as_ref()?;
        Some(linux.memory().room(size, tcp.held_above_gaps(), tcp.place_of(segment)))
    }

    /// Whether no data waits, neither out of order nor for the application.
    pub(crate) fn is_all_read(&self) -> bool {
        self.waiting == 0 && self.unread() == 0
    }

    /// Whether the buffer counts memory.
    #[inline]
    pub(crate) const fn counts_memory(&self) -> bool {
        self.linux.is_some()
    }

    fn may_open(&mut self, mss: u32) -> bool {
        if self.linux.is_some() {
            return self.opens_wide();
        }
        let edge = self.queue.read().saturating_add(self.buffer);
        edge.saturating_sub(self.queue.edge()) >= (self.buffer / 2).min(u64::from(mss)).max(1)
    }

    /// The application reads up to `bytes`; returns how many there were and whether the window opens by it.
    pub(crate) fn read(&mut self, bytes: u64, mss: u32) -> (u64, bool) {
        let taken = self.queue.take(bytes);
        if let Some(linux) = &mut self.linux {
            linux.memory_mut().on_slow_read(self.queue.read());
        }
        self.invalidate_window();
        self.deliver();
        (taken, self.may_open(mss))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::linux::buffer_size::BufferSize;
    use tailrace_core::Bytes;

    /// A buffer of so much memory, of which the peer first knows `window` bytes.
    fn in_memory(memory: u64, window: u64) -> DataReceiver {
        let memory = RcvBuffer::new(BufferSize::fixed(memory), 1424, false, None);
        let first = RcvSpace::new(Some(Bytes(window)));
        let mut r = DataReceiver::with_memory(Some(memory), u64::MAX, first);
        r.start(1);
        r
    }

    #[test]
    fn window_below_half_is_rounded_down() {
        // Traced in Linux 6.12, for a window of at most 1000549 bytes.
        let r = in_memory(2_001_098, 65_535);
        assert_eq!(r.in_units(626_720, (1 << 40, 128)), 626_816);
        assert_eq!(r.in_units(497_963, (1 << 40, 128)), 497_920);
        assert_eq!(r.in_units(497_963, (300_001, 128)), 300_032, "what the subflow may show is rounded up");
    }

    #[test]
    fn bytes_are_delivered_in_order_and_once() {
        let mut r = DataReceiver::new(10_000);
        r.start(1);
        assert_eq!(r.insert(101, 201), (0, true));
        assert_eq!(r.insert(151, 301), (0, true));
        assert_eq!((r.waiting(), r.nxt()), (200, 1));
        assert_eq!(r.insert(101, 201), (0, false));
        assert_eq!(r.insert(1, 101), (300, true));
        assert_eq!((r.waiting(), r.nxt()), (0, 301));
        assert_eq!(r.insert(1, 101), (0, false));
    }

    #[test]
    fn window_shrinks_by_unread_data() {
        let mut r = DataReceiver::new(1000);
        r.start(1);
        r.set_auto_read(false);
        r.insert(1, 601);
        assert_eq!(r.window(0, 100, || (u64::MAX, 1)), 400);
        assert_eq!(r.read(50, 100), (50, false), "too little to be told");
        assert_eq!(r.window(0, 100, || (u64::MAX, 1)), 400);
        assert_eq!(r.read(1000, 100), (550, true));
        assert_eq!(r.window(0, 100, || (u64::MAX, 1)), 1000);
    }

    #[test]
    fn large_buffer_is_advertised_gradually() {
        let mut r = in_memory(12_000_000, 65_535);
        assert_eq!(r.window(0, 1424, || (65_535, 1)), 65_535);
        assert_eq!(r.window(0, 1424, || (100_000, 1)), 100_000);
        assert_eq!(r.window(0, 1424, || (1 << 40, 1)), 6_000_000);
    }

    #[test]
    fn window_changes_on_arrival_read_and_advertisement() {
        let mut r = DataReceiver::new(1000);
        r.start(1);
        r.set_auto_read(false);
        assert_eq!((r.take_changed(), r.take_changed()), (true, false));
        r.insert(1, 601);
        assert_eq!((r.take_changed(), r.take_changed()), (true, false));
        r.window(0, 100, || (u64::MAX, 1));
        assert!(!r.take_changed(), "nothing was told that was not known");
        r.read(600, 100);
        assert!(r.take_changed());
        r.window(0, 100, || (u64::MAX, 1));
        assert!(r.take_changed(), "the edge has moved for all");
    }

    #[test]
    fn data_beyond_the_window_is_dropped() {
        let mut r = DataReceiver::new(1000);
        r.start(1);
        assert_eq!(r.insert(901, 1101), (0, true));
        assert_eq!(r.waiting(), 100);
    }

    #[test]
    fn duplicate_across_two_buffers_takes_memory() {
        let mut r = in_memory(1 << 20, 1 << 19);
        // 18 packets share a buffer, and one is alone.
        for n in 1..20 {
            r.insert(1 + n * 1424, 1 + (n + 1) * 1424);
        }
        let left = r.left();
        assert_eq!(r.insert(1 + 19 * 1424 - 700, 1 + 19 * 1424 + 724), (0, false));
        // Half of the memory of a packet of 2176 bytes.
        assert_eq!(left - r.left(), 1088);
        assert_eq!(r.insert(1 + 19 * 1424 + 724, 1 + 20 * 1424), (0, false));
        // Half of 1920.
        assert_eq!(left - r.left(), 1088 + 960, "it follows that, which lies above both in the tree");
    }

    #[test]
    fn memory_beyond_the_window_takes_in_order_packets_only() {
        let mut r = in_memory(12_000, 3_000);
        assert_eq!(r.edge(), 3001);
        assert_eq!(r.insert(2849, 4273), (0, false), "as a whole");
        assert_eq!(r.insert(1425, 2849), (0, true));
        assert_eq!(r.insert(1, 1425), (2848, true));
        assert_eq!(r.insert(2849, 4273), (1424, true), "in order");
    }

    #[test]
    fn window_opens_wide_at_twice_the_last_one_shown() {
        let mut r = in_memory(12_000, 6_000);
        r.set_auto_read(false);
        r.promise(1000);
        assert!(r.opens_wide(), "though the peer knows of 6000 bytes: 12000 are there, half of them window");
        r.promise(3001);
        assert!(!r.opens_wide());
    }

    #[test]
    fn ack_after_the_first_read_shows_the_grown_buffer() {
        let size = BufferSize { now: 400_000, most: 800_000, set: false };
        let memory = RcvBuffer::new(size, 1424, false, Some(0.5));
        let mut r = DataReceiver::with_memory(Some(memory), u64::MAX, RcvSpace::new(Some(Bytes(1000))));
        r.start(1);
        for n in 0..100 {
            r.insert(1 + n * 1424, 1 + (n + 1) * 1424);
        }
        let shows = |r: &mut DataReceiver| r.window(0, 1424, || (1 << 40, 1));
        r.ack_before_read(0, 142_400);
        let before = shows(&mut r);
        r.ack_after_read(0, 142_400);
        let during = shows(&mut r);
        assert!(before < during && during < 200_000, "65536 bytes have been read: {before} {during}");
        r.deliver();
        let grown = r.on_taken(142_400, || (Duration::from_millis(1), 128), Instant::from_millis(9));
        assert_eq!(grown.map(|grown| grown.size), Some(800_000));
        assert_eq!(shows(&mut r), during + 200_000, "half of what it has grown by");
    }

    #[test]
    fn data_fin_takes_a_sequence_number() {
        let mut r = DataReceiver::new(1000);
        r.start(1);
        r.on_fin(101);
        assert!(!r.is_complete());
        assert_eq!(r.insert(1, 101), (100, true));
        assert!(r.is_complete());
        assert_eq!(r.nxt(), 102);
    }
}

//! The receiving side of a connection: subflow bytes in their order at the data level, one window for all subflows
//! (RFC 8684 §3.3.1, §3.3.4).

use crate::mptcp::linux::buffer_size::GrownBuffer;
use crate::mptcp::linux::rcv_buffer::RcvBuffer;
use crate::mptcp::linux::rcv_space::{RcvSpace, Room};
use crate::segment::Segment;
use crate::tcp::Tcp;
use crate::tcp::linux::receive_queue::{BufferPiece, READ};
use crate::tcp::recv::reassembly::Reassembly;
use tailrace_core::{Duration, Instant};

/// Of memory, which is large, most segments ask only whether it is there: it follows what is asked for as often.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct DataReceiver {
    auto_read: bool,
    /// The window may be another than when this was last asked.
    changed: bool,
    /// The window that the last segment showed, however much has come since (`old_wspace`).
    shown: u64,
    /// The window that the memory leaves, until something comes or is taken.
    left: Option<u64>,
    /// Bytes that wait for others before them.
    waiting: u64,
    buffer: u64,
    /// What the buffer holds is counted in memory, where this is there.
    memory: Option<RcvBuffer>,
    /// The ACK that is about to leave, where it was due before the application could read; only where memory counts.
    told: Option<PendingAck>,
    queue: Reassembly,
}

/// An ACK that falls due as data comes shows the window that is left before the application reads, or while it does.
#[derive(Clone, Copy, Debug)]
struct PendingAck {
    /// The subflow that it leaves on.
    id: usize,
    left: Left,
    /// Reading has opened the window wide since: another ACK follows.
    opened: bool,
}

/// What the buffer leaves.
#[derive(Clone, Copy, Debug)]
enum Left {
    /// This window.
    Window(u64),
    /// That of a buffer which holds so much memory, and may have grown with the reading.
    Beside(u64),
}

impl DataReceiver {
    pub(crate) fn new(buffer: u64) -> Self {
        let (queue, buffer) = (Reassembly::default(), buffer.max(1));
        Self {
            queue,
            buffer,
            auto_read: true,
            waiting: 0,
            memory: None,
            left: None,
            shown: 0,
            told: None,
            changed: true,
        }
    }

    /// The buffer is one of memory. However large it is, the peer first knows of what a first window can tell, and of more
    /// as segments come (`rcv_ssthresh`).
    pub(crate) fn with_memory(memory: Option<RcvBuffer>, buffer: u64, first: RcvSpace) -> Self {
        let first = first.window();
        let buffer = memory.as_ref().map_or(buffer, |m| m.window(0).min(first));
        Self { memory, ..Self::new(buffer) }
    }

    /// The connection is there: round trips of its application's reads begin, or do so with the first read.
    pub(crate) fn begin(&mut self, with_reading: bool, now: Instant) {
        match &mut self.memory {
            Some(memory) if with_reading => memory.begin_with_reading(),
            Some(memory) => memory.begin(now),
            None => {}
        }
    }

    /// The first byte of data has number `dsn`.
    pub(crate) fn start(&mut self, dsn: u64) {
        self.queue.start(dsn, self.buffer);
        self.shown = self.buffer;
        self.invalidate_window();
    }

    pub(crate) fn set_auto_read(&mut self, on: bool) {
        self.auto_read = on;
        if let Some(memory) = &mut self.memory {
            memory.set_slow(!on);
        }
    }

    /// Next data sequence number expected: the data-level acknowledgment.
    #[inline]
    pub(crate) const fn nxt(&self) -> u64 {
        self.queue.nxt()
    }

    /// The right edge of the window that the peer may know of.
    pub(crate) const fn edge(&self) -> u64 {
        self.queue.edge()
    }

    /// How many of `dsn..end` have not come yet.
    pub(crate) fn missing(&self, dsn: u64, end: u64) -> u64 {
        self.queue.missing(dsn, end)
    }

    /// Bytes that arrived and wait for others before them.
    pub(crate) const fn waiting(&self) -> u64 {
        self.waiting
    }

    /// What has come and waits for others before it: disjoint ranges in order, which may end with the DATA_FIN.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = &(u64, u64)> {
        self.queue.ranges()
    }

    /// Number of the DATA_FIN, once known.
    pub(crate) fn fin(&self) -> Option<u64> {
        self.queue.fin()
    }

    /// Next data sequence number expected, the DATA_FIN left out.
    pub(crate) fn data_nxt(&self) -> u64 {
        self.queue.nxt_data()
    }

    /// Takes `dsn..end`; returns the bytes that have come in order by it, and whether it brought anything. Nothing beyond the window is
    /// taken; where memory counts, what comes in order is taken in any case, and anything else as a whole or not at all
    /// (`mptcp_data_queue_ofo`).
    #[inline]
    pub(crate) fn insert(&mut self, dsn: u64, end: u64) -> (u64, bool) {
        let (came, new) = self.insert_piece((dsn, end), BufferPiece::PACKET);
        (came, new > 0)
    }

    /// The same, of a `piece` of a subflow's buffer; how many bytes it brought.
    #[inline]
    pub(crate) fn insert_piece(&mut self, (dsn, end): (u64, u64), piece: BufferPiece) -> (u64, u64) {
        let before = self.queue.nxt_data();
        let end = match self.memory {
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
        if let Some(memory) = self.memory.as_mut().filter(|_| new > 0 || dsn > before) {
            memory.on_arrival((dsn.max(before), end), self.queue.nxt_data(), piece);
        }
        if self.auto_read {
            self.queue.take_all();
        }
        (came, new)
    }

    /// What a gap of a subflow has held back comes next, buffer by buffer.
    pub(crate) fn begin_move(&mut self) {
        let nxt = self.queue.nxt_data();
        if let Some(memory) = &mut self.memory {
            memory.begin_move(nxt);
        }
    }

    /// All of that has come.
    pub(crate) fn end_move(&mut self) {
        let nxt = self.queue.nxt_data();
        if let Some(memory) = &mut self.memory {
            memory.end_move(nxt);
        }
    }

    /// A DATA_FIN with number `dsn`.
    pub(crate) fn on_fin(&mut self, dsn: u64) {
        if dsn >= self.queue.nxt() && self.queue.fin().is_none() {
            self.queue.on_fin(dsn);
            self.queue.absorb_fin();
            self.invalidate_window();
        }
    }

    /// Whether the peer's data is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.queue.is_complete()
    }

    /// The window to advertise beside the data-level acknowledgment on subflow `id`. Its right edge never moves back, and forward
    /// only by as much as is worth telling (RFC 9293 §3.8.6.2.2). Where memory counts it is `most` at most, in whole units of the
    /// window field, rounded up (`__tcp_select_window`). A subflow may show less than before, by its own sequence numbers: Linux forgets its last
    /// window there (`mptcp_established_options_dss`).
    ///
    /// `in_memory` tells `most` and the unit, and is asked only where memory counts.
    #[inline]
    pub(crate) fn window(&mut self, id: usize, mss: u32, in_memory: impl FnOnce() -> (u64, u64)) -> u64 {
        if self.memory.is_some() {
            return self.window_in_memory(id, in_memory());
        }
        if self.may_open(mss) {
            self.advertise(self.queue.read().saturating_add(self.buffer));
        }
        self.queue.window()
    }

    /// The peer knows of it only once a segment leaves ([`Self::on_sent`]).
    #[inline]
    fn window_in_memory(&mut self, id: usize, (most, unit): (u64, u64)) -> u64 {
        let window = self.left_on(id);
        self.in_units(window, (most, unit)).max(self.queue.window())
    }

    /// The window that the memory leaves, as the next ACK on subflow `id` knows it.
    fn left_on(&mut self, id: usize) -> u64 {
        let told = self.told.filter(|told| told.id == id);
        match (told.map(|told| told.left), &self.memory) {
            (Some(Left::Window(window)), _) => window,
            (Some(Left::Beside(held)), Some(memory)) => memory.window(held),
            _ => self.left(),
        }
    }

    /// Whether the memory leaves, for all that the next ACK on subflow `id` knows, less than half of what it leaves when it is empty,
    /// or of the `most` that there may be (`__tcp_select_window`).
    pub(crate) fn is_half_full(&mut self, id: usize, most: u64) -> bool {
        let left = self.left_on(id);
        self.memory.as_ref().is_some_and(|memory| memory.is_half_full(left, most))
    }

    /// What a subflow shows of `window`, which is `most` at most: in multiples of `unit`, of which the last one counts in part, but not where
    /// less than half is left (`__tcp_select_window`).
    #[inline]
    pub(crate) fn in_units(&self, window: u64, (most, unit): (u64, u64)) -> u64 {
        debug_assert!(unit.is_power_of_two(), "it is a shift");
        let less = self.memory.as_ref().is_some_and(|memory| memory.is_half_full(window, u64::MAX));
        let whole = if less { window & !(unit - 1) } else { window };
        (whole.min(most) + (unit - 1)) & !(unit - 1)
    }

    #[inline]
    fn advertise(&mut self, edge: u64) {
        let before = self.queue.edge();
        self.queue.advertise(edge);
        self.changed |= self.queue.edge() != before;
    }

    /// Whether the window may be another than when this was last asked.
    #[inline]
    pub(crate) const fn take_changed(&mut self) -> bool {
        core::mem::replace(&mut self.changed, false)
    }

    /// Something has come or was taken.
    #[inline]
    const fn invalidate_window(&mut self) {
        (self.left, self.changed) = (None, true);
    }

    /// The window that the memory leaves.
    #[inline]
    pub(crate) fn left(&mut self) -> u64 {
        self.left.unwrap_or_else(|| self.measure())
    }

    #[inline(never)]
    fn measure(&mut self) -> u64 {
        let window = self.memory.as_ref().map_or(0, |memory| memory.window(self.held(memory)));
        self.left = Some(window);
        window
    }

    /// Memory of what waits, for data before it or for the application.
    fn held(&self, memory: &RcvBuffer) -> u64 {
        memory.held(self.queue.nxt_data() - self.queue.read())
    }

    /// Subflow `id` is about to acknowledge what has just come, before the application can read these `unread` bytes.
    pub(crate) fn tell_before_reading(&mut self, id: usize, unread: u64) {
        if self.memory.is_some() {
            let left = Left::Window(self.left_before_reading(unread));
            self.told = Some(PendingAck { id, left, opened: false });
            self.changed = true;
        }
    }

    /// Subflow `id` acknowledges what has just come once the application reads. Of these `unread` bytes it may need several reads, and
    /// the ACK follows the first.
    pub(crate) fn tell_after_reading(&mut self, id: usize, unread: u64) {
        let some = self.memory.as_ref().filter(|_| unread > READ);
        let left = some.map(|memory| Left::Beside(memory.held_after_first_read()));
        self.told = left.map_or(self.told, |left| Some(PendingAck { id, left, opened: false }));
        self.changed = true;
    }

    /// Whether the application reads whatever comes as soon as it does.
    pub(crate) const fn is_read_at_once(&self) -> bool {
        self.auto_read
    }

    /// What waits for the application before it reads these `unread` bytes.
    pub(crate) fn before_reading(&self, unread: u64) -> u64 {
        unread.max(self.queue.nxt_data() - self.queue.read())
    }

    /// The window that the memory leaves before the application reads these `unread` bytes, and what it has not read before.
    pub(crate) fn left_before_reading(&self, unread: u64) -> u64 {
        let unread = self.before_reading(unread);
        self.memory.as_ref().map_or(u64::MAX, |memory| memory.window(memory.held(unread)))
    }

    /// The application reads what has come at this moment, unless it takes its time.
    pub(crate) fn deliver(&mut self) {
        if let Some(memory) = self.memory.as_mut().filter(|_| self.queue.read() == self.queue.nxt_data()) {
            memory.on_read_all();
        }
    }

    /// The window has opened wide on subflow `id`. Whether an ACK is about to leave there that does not say so: another is to follow.
    pub(crate) fn opens_after_ack(&mut self, id: usize) -> bool {
        let told = self.told.as_mut().filter(|told| told.id == id);
        told.map(|told| told.opened = true).is_some()
    }

    /// The peer knows of a window of so much.
    #[inline]
    pub(crate) fn promise(&mut self, shown: u64) {
        if self.memory.is_some() {
            self.advertise(self.queue.nxt() + shown);
            self.shown = shown;
        }
    }

    /// A segment has left on subflow `id`, which showed so much window; whether another ACK is to follow.
    #[inline]
    pub(crate) fn on_sent(&mut self, id: usize, shown: u64) -> bool {
        if self.memory.is_none() {
            return false;
        }
        self.promise(shown);
        let Some(told) = self.told.take_if(|told| told.id == id) else { return false };
        self.changed = true;
        told.opened
    }

    /// Whether a round trip of reading is over at `now`, so that the buffer may grow.
    pub(crate) fn looks_at_reading(&self, now: Instant) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.looks_at_reading(now))
    }

    /// The application has taken `bytes`; see [`RcvBuffer::on_read`].
    pub(crate) fn on_taken(
        &mut self,
        bytes: u64,
        look: impl FnOnce() -> (Duration, u64),
        now: Instant,
    ) -> Option<GrownBuffer> {
        self.invalidate_window();
        self.memory.as_mut()?.on_read(bytes, look, now)
    }

    /// Whether the window of a buffer of memory would be twice what was shown last, or more (`mptcp_cleanup_rbuf`).
    pub(crate) fn opens_wide(&mut self) -> bool {
        let window = self.left();
        window > 0 && window >= 2 * self.shown
    }

    /// The same once an ACK has left that shows what there is before the application reads.
    pub(crate) fn opens_wide_after_ack(&mut self) -> bool {
        let shown = match self.told.map(|told| told.left) {
            Some(Left::Window(left)) => self.shown.min(left),
            _ => self.shown,
        };
        let window = self.left();
        window > 0 && window >= 2 * shown
    }

    /// What a subflow may show ([`RcvBuffer::room`]); none where memory does not count.
    pub(crate) fn room(&self, tcp: &Tcp, size: u64, segment: &Segment) -> Option<Room> {
        self.memory.as_ref().map(|memory| memory.room(size, tcp.held_above_gaps(), tcp.place_of(segment)))
    }

    /// Whether nothing waits, neither for data before it nor for the application.
    pub(crate) fn is_all_read(&self) -> bool {
        self.waiting == 0 && self.queue.read() == self.queue.nxt_data()
    }

    /// Whether the buffer is one of memory.
    pub(crate) const fn counts_memory(&self) -> bool {
        self.memory.is_some()
    }

    fn may_open(&mut self, mss: u32) -> bool {
        if self.memory.is_some() {
            return self.opens_wide();
        }
        let edge = self.queue.read().saturating_add(self.buffer);
        edge.saturating_sub(self.queue.edge()) >= (self.buffer / 2).min(u64::from(mss)).max(1)
    }

    /// The application reads up to `bytes`; returns how many there were and whether the window opens by it.
    pub(crate) fn read(&mut self, bytes: u64, mss: u32) -> (u64, bool) {
        let taken = self.queue.take(bytes);
        if let Some(memory) = &mut self.memory {
            memory.on_slow_read(self.queue.read());
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
    fn a_window_below_half_is_rounded_down() {
        // As traced in Linux 6.12, of 1000549 bytes.
        let r = in_memory(2_001_098, 65_535);
        assert_eq!(r.in_units(626_720, (1 << 40, 128)), 626_816);
        assert_eq!(r.in_units(497_963, (1 << 40, 128)), 497_920);
        assert_eq!(r.in_units(497_963, (300_001, 128)), 300_032, "what the subflow may show is rounded up");
    }

    #[test]
    fn bytes_come_in_order_once_and_the_rest_waits() {
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
    fn one_window_shrinks_with_what_is_not_read() {
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
    fn a_large_buffer_is_told_of_little_by_little() {
        let mut r = in_memory(12_000_000, 65_535);
        assert_eq!(r.window(0, 1424, || (65_535, 1)), 65_535);
        assert_eq!(r.window(0, 1424, || (100_000, 1)), 100_000);
        assert_eq!(r.window(0, 1424, || (1 << 40, 1)), 6_000_000);
    }

    #[test]
    fn the_window_is_another_once_something_has_come_or_was_read_or_one_subflow_was_told() {
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
    fn what_lies_beyond_the_window_is_not_taken() {
        let mut r = DataReceiver::new(1000);
        r.start(1);
        assert_eq!(r.insert(901, 1101), (0, true));
        assert_eq!(r.waiting(), 100);
    }

    #[test]
    fn what_overlaps_two_buffers_takes_memory_though_all_of_it_has_come() {
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
    fn beyond_the_window_of_a_buffer_of_memory_packets_are_taken_in_order_only() {
        let mut r = in_memory(12_000, 3_000);
        assert_eq!(r.edge(), 3001);
        assert_eq!(r.insert(2849, 4273), (0, false), "as a whole");
        assert_eq!(r.insert(1425, 2849), (0, true));
        assert_eq!(r.insert(1, 1425), (2848, true));
        assert_eq!(r.insert(2849, 4273), (1424, true), "in order");
    }

    #[test]
    fn the_window_opens_wide_at_twice_what_the_last_segment_showed() {
        let mut r = in_memory(12_000, 6_000);
        r.set_auto_read(false);
        r.promise(1000);
        assert!(r.opens_wide(), "though the peer knows of 6000 bytes: 12000 are there, half of them window");
        r.promise(3001);
        assert!(!r.opens_wide());
    }

    #[test]
    fn an_ack_after_the_first_read_shows_what_the_buffer_has_grown_to() {
        let size = BufferSize { now: 400_000, most: 800_000, set: false };
        let memory = RcvBuffer::new(size, 1424, false, Some(0.5));
        let mut r = DataReceiver::with_memory(Some(memory), u64::MAX, RcvSpace::new(Some(Bytes(1000))));
        r.start(1);
        for n in 0..100 {
            r.insert(1 + n * 1424, 1 + (n + 1) * 1424);
        }
        let shows = |r: &mut DataReceiver| r.window(0, 1424, || (1 << 40, 1));
        r.tell_before_reading(0, 142_400);
        let before = shows(&mut r);
        r.tell_after_reading(0, 142_400);
        let during = shows(&mut r);
        assert!(before < during && during < 200_000, "65536 bytes have been read: {before} {during}");
        r.deliver();
        let grown = r.on_taken(142_400, || (Duration::from_millis(1), 128), Instant::from_millis(9));
        assert_eq!(grown.map(|grown| grown.size), Some(800_000));
        assert_eq!(shows(&mut r), during + 200_000, "half of what it has grown by");
    }

    #[test]
    fn the_data_fin_takes_a_number() {
        let mut r = DataReceiver::new(1000);
        r.start(1);
        r.on_fin(101);
        assert!(!r.is_complete());
        assert_eq!(r.insert(1, 101), (100, true));
        assert!(r.is_complete());
        assert_eq!(r.nxt(), 102);
    }
}

//! Receive queue packet by packet: `sk_receive_queue` and `out_of_order_queue` of Linux.
//!
//! A segment that follows another is coalesced into its buffer, and takes less memory by a description then; a buffer holds 18
//! at most (`tcp_try_coalesce`, `MAX_SKB_FRAGS`). A segment that joins two ranges goes into the left one, and the right one
//! keeps its buffers. As a gap is filled, the buffers behind it move to the application's queue and are coalesced once more as
//! far as they fit (`tcp_ofo_queue`).
//!
//! A segment that fits into the memory of a single packet before it is copied there, and takes nothing (`skb_try_coalesce`).
//!
//! On a subflow of Multipath TCP only segments of one mapping share a buffer (`mptcp_skb_can_collapse`). A buffer is moved to
//! the connection as a whole, where mappings do not count any more (`__mptcp_move_skb`), but a buffer has an eighth of all
//! memory at most (`mptcp_try_coalesce`). Buffers held back by a gap of the subflow are moved together, before later ones that
//! wait at the connection become the application's (`__mptcp_ofo_queue`).

use crate::tcp::linux::ofo_queue::{OfoQueue, OfoSlot, SearchStep};
use std::collections::VecDeque;

/// Packets that a buffer holds: the first, and 17 fragments of others.
const MOST: u64 = 18;
/// Bytes that an application reads at a time.
pub(crate) const READ: u64 = 65_536;

/// Content of a receive buffer: bytes, packets, and the buffers that hold them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldPackets {
    pub(crate) bytes: u64,
    pub(crate) packets: u64,
    pub(crate) buffers: u64,
}

/// Place of an arriving segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentPlace {
    /// In order.
    InOrder,
    /// Above a gap, in the buffer of another segment.
    BehindAnother,
    /// Above a gap, in a new buffer.
    AboveGap,
    /// Nowhere: a duplicate.
    Again,
}

/// Mapping that a segment of a subflow belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MappingMark {
    /// Data sequence number minus subflow number.
    pub(crate) offset: u64,
    /// The mapping ends with it.
    pub(crate) ends: bool,
}

impl MappingMark {
    /// Whether a following segment with mark `next` is of the same mapping.
    const fn continues_with(self, next: Self) -> bool {
        !self.ends && self.offset == next.offset
    }
}

/// Result of the search for a segment above a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OfoMatch {
    /// A buffer contains all of it.
    Within,
    /// The buffer at this place starts where the segment does, and is shorter.
    Covers(u32),
    /// The segment joins the buffer at this place.
    Follows(u32),
}

/// A buffer (`sk_buff`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct QueuedBuffer {
    start: u64,
    end: u64,
    packets: u64,
    mark: MappingMark,
}

/// Part of a subflow's buffer that is moved to the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferPiece {
    /// Packets and bytes that need room together: all of the buffer with its first piece, nothing with the others.
    pub(crate) together: PieceMemory,
    /// Packets of the piece.
    pub(crate) packets: u64,
}

/// Packets and bytes that need room together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PieceMemory {
    pub(crate) packets: u64,
    /// Zero: the bytes of the piece.
    pub(crate) bytes: u64,
}

impl BufferPiece {
    /// A packet that is a buffer of its own.
    pub(crate) const PACKET: Self = Self { together: PieceMemory { packets: 1, bytes: 0 }, packets: 1 };
}

/// Positions are sequence numbers. Buffers above gaps are ordered by their start. A segment that overlaps others, as after a
/// retransmission in other pieces, is kept as a whole, unless a buffer contains it that the search passes before one that it
/// follows (`tcp_data_queue_ofo`, `mptcp_data_queue_ofo`).
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceiveQueue {
    above: OfoQueue<QueuedBuffer>,
    /// Mark of the next segment, on a subflow.
    mark: Option<MappingMark>,
    /// Buffers of a subflow that came into order with the latest segment: end and packets of each.
    released: Vec<(u64, u64)>,
    /// Sums over the buffers above gaps.
    bytes: u64,
    packets: u64,
    /// Unread data in order since the last read, the packets and bytes of its last buffer, and the end of the first.
    unread: HeldPackets,
    in_last: u64,
    bytes_in_last: u64,
    last_mark: MappingMark,
    first_end: u64,
    /// Packets and buffers of it that remain after the first read.
    rest: (u64, u64),
    /// Buffers in order that a slow application has not read whole.
    slow: Option<VecDeque<QueuedBuffer>>,
    /// Bytes of the buffer that the latest segment began above a gap, and the number of buffers that it joined to others.
    begun: u64,
    joined: u64,
    /// Most bytes of a buffer, where they are limited beside its packets.
    longest: Option<u64>,
    /// Bytes that fit into the memory of one packet; zero: none is copied.
    in_packet: u64,
}

impl ReceiveQueue {
    /// Limits buffers to `bytes`.
    pub(crate) const fn set_longest(&mut self, bytes: u64) {
        self.longest = Some(bytes);
    }

    /// Sets the bytes that fit into the memory of one packet.
    pub(crate) const fn set_room_in_packet(&mut self, bytes: u64) {
        self.in_packet = bytes;
    }

    /// Makes the application a slow reader: each buffer stays until all of it is read (`tcp_recvmsg_locked`).
    pub(crate) fn set_slow(&mut self, on: bool) {
        self.slow = on.then(VecDeque::new);
    }

    /// Sets the mark of the next segment of a subflow.
    pub(crate) const fn note_mark(&mut self, mark: MappingMark) {
        self.mark = Some(mark);
    }

    /// Buffers of a subflow that came into order with the latest segment: end and packets of each.
    pub(crate) fn released(&self) -> &[(u64, u64)] {
        &self.released
    }

    /// New data from `start` to `end` arrives: in order, so that all up to `nxt` is there, or above a gap.
    pub(crate) fn on_arrival(&mut self, start: u64, end: u64, nxt: u64) {
        self.on_piece((start, end), nxt, BufferPiece::PACKET);
    }

    /// A `piece` of a subflow's buffer arrives at the connection.
    pub(crate) fn on_piece(&mut self, (start, end): (u64, u64), nxt: u64, piece: BufferPiece) {
        (self.begun, self.joined) = (0, 0);
        let came = QueuedBuffer { start, end, packets: piece.packets, mark: self.mark.unwrap_or_default() };
        if end <= nxt { self.on_order(came, nxt, piece.together) } else { self.on_gap(came, piece.together) }
    }

    fn on_order(&mut self, came: QueuedBuffer, nxt: u64, together: PieceMemory) {
        self.released.clear();
        // A subflow's data that no gap has held back is the connection's at once.
        if self.mark.is_some() && self.above.is_empty() {
            return;
        }
        self.append(came, together, true);
        self.release(came.end, nxt);
    }

    /// Moves buffers above a gap to the application's queue up to `nxt`; all up to `reached` is there already.
    pub(crate) fn release(&mut self, mut reached: u64, nxt: u64) {
        while let Some((place, next)) = self.above.first().filter(|(_, next)| next.start < nxt) {
            self.above.remove(place);
            self.uncount(&next);
            if next.end > reached {
                let (start, adjoins) = (next.start.max(reached), next.start == reached);
                let together = PieceMemory { packets: next.packets, bytes: next.end - next.start };
                self.joined += u64::from(self.append(QueuedBuffer { start, ..next }, together, adjoins));
                reached = next.end;
            }
        }
    }

    /// Counts data above a gap.
    const fn count(&mut self, bytes: u64, packets: u64) {
        (self.bytes, self.packets) = (self.bytes + bytes, self.packets + packets);
    }

    /// Uncounts a buffer that leaves the out-of-order queue.
    const fn uncount(&mut self, buffer: &QueuedBuffer) {
        (self.bytes, self.packets) =
            (self.bytes - (buffer.end - buffer.start), self.packets - buffer.packets);
    }

    /// Whether a buffer of so many packets and bytes has room for `together`, whose first bytes are `next`.
    fn has_room(&self, (packets, bytes): (u64, u64), together: PieceMemory, next: u64) -> bool {
        let long = || self.longest.is_some_and(|most| bytes + together.bytes.max(next) > most);
        packets + together.packets <= MOST && (together.packets == 0 || !long())
    }

    /// Packets that `came` adds to a buffer of so many packets and bytes that it joins: none if it is copied.
    const fn added(&self, (packets, in_it): (u64, u64), came: &QueuedBuffer, together: PieceMemory) -> u64 {
        let bytes = came.end - came.start;
        let fits = packets == 1 && together.packets == 1 && in_it + bytes <= self.in_packet;
        if fits { 0 } else { came.packets }
    }

    /// Appends a buffer to the application's queue. Whether it joins the last one there: if it `adjoins` that, and there is
    /// room for `together`.
    fn append(&mut self, mut next: QueuedBuffer, together: PieceMemory, adjoins: bool) -> bool {
        let bytes = next.end - next.start;
        let fits = adjoins
            && self.unread.buffers > 0
            && self.has_room((self.in_last, self.bytes_in_last), together, bytes);
        let joins = fits && self.last_mark.continues_with(next.mark);
        if joins {
            next.packets = self.added((self.in_last, self.bytes_in_last), &next, together);
        } else {
            (self.in_last, self.bytes_in_last) = (0, 0);
        }
        (self.in_last, self.bytes_in_last) = (self.in_last + next.packets, self.bytes_in_last + bytes);
        self.last_mark = next.mark;
        if self.mark.is_some() {
            match self.released.last_mut().filter(|_| joins) {
                Some(last) => *last = (next.end, last.1 + next.packets),
                None => self.released.push((next.end, next.packets)),
            }
        }
        self.unread.bytes += bytes;
        self.unread.packets += next.packets;
        self.unread.buffers += u64::from(!joins);
        if self.unread.buffers == 1 {
            self.first_end = next.end;
        }
        if let Some(slow) = &mut self.slow {
            match slow.back_mut().filter(|_| joins) {
                Some(last) => (last.end, last.packets) = (next.end, last.packets + next.packets),
                None => slow.push_back(next),
            }
        }
        if self.unread.bytes > READ {
            let begins = !joins || self.rest.1 == 0;
            self.rest = (
                self.rest.0 + if begins { self.in_last } else { next.packets },
                self.rest.1 + u64::from(begins),
            );
        }
        joins
    }

    /// Content of the buffer after the first read of unread data. Buffers read in part remain as a whole.
    pub(crate) fn held_after_first_read(&self) -> HeldPackets {
        let bytes = self.unread.bytes.saturating_sub(READ) + self.bytes;
        HeldPackets {
            bytes,
            packets: self.rest.0 + self.packets,
            buffers: self.rest.1 + self.above.len() as u64,
        }
    }

    /// The application has read everything in order.
    pub(crate) fn on_read(&mut self) {
        (self.unread, self.in_last, self.bytes_in_last, self.rest) = (HeldPackets::default(), 0, 0, (0, 0));
    }

    /// A slow application has read up to `read`; each buffer that is gone by it is `seen`, with its end.
    pub(crate) fn on_slow_read(&mut self, read: u64, mut seen: impl FnMut(u64)) {
        let Some(slow) = &mut self.slow else { return };
        while let Some(gone) = slow.front().copied().filter(|first| first.end <= read) {
            slow.pop_front();
            self.unread.bytes -= gone.end - gone.start;
            self.unread.packets -= gone.packets;
            self.unread.buffers -= 1;
            seen(gone.end);
        }
        if slow.is_empty() {
            self.on_read();
        }
    }

    /// Place above a gap of a segment that starts at `start`.
    pub(crate) fn place_of(&self, start: u64) -> SegmentPlace {
        match self
            .find((start, u64::MAX), |buffer| self.joins(buffer, start, BufferPiece::PACKET.together, 0))
        {
            Ok(OfoMatch::Follows(_)) => SegmentPlace::BehindAnother,
            _ => SegmentPlace::AboveGap,
        }
    }

    /// Searches for a segment from `start` to `end` above a gap; `joins` says whether it joins a buffer. Otherwise it gets a
    /// slot of its own.
    fn find(
        &self,
        (start, end): (u64, u64),
        joins: impl Fn(&QueuedBuffer) -> bool,
    ) -> Result<OfoMatch, OfoSlot> {
        if let Some((place, last)) = self.above.last().filter(|(_, last)| start >= last.end) {
            return if joins(&last) { Ok(OfoMatch::Follows(place)) } else { Err(self.above.end()) };
        }
        self.above.search(|place, buffer| {
            if start < buffer.start {
                SearchStep::Left
            } else if start >= buffer.end {
                if joins(buffer) { SearchStep::OfoMatch(OfoMatch::Follows(place)) } else { SearchStep::Right }
            } else if end <= buffer.end {
                SearchStep::OfoMatch(OfoMatch::Within)
            } else if start == buffer.start {
                SearchStep::OfoMatch(OfoMatch::Covers(place))
            } else {
                SearchStep::Right
            }
        })
    }

    /// Whether a segment at `start` with its first `bytes` has room in the buffer before it, with all of `together`.
    fn joins(&self, before: &QueuedBuffer, start: u64, together: PieceMemory, bytes: u64) -> bool {
        let fits = || self.has_room((before.packets, before.end - before.start), together, bytes);
        before.end == start && fits() && before.mark.continues_with(self.mark.unwrap_or_default())
    }

    fn on_gap(&mut self, came: QueuedBuffer, together: PieceMemory) {
        let (range, bytes) = ((came.start, came.end), came.end - came.start);
        let place = match self.find(range, |before| self.joins(before, came.start, together, bytes)) {
            Ok(OfoMatch::Within) => return,
            Ok(OfoMatch::Follows(place)) => return self.follow(place, came, together),
            Ok(OfoMatch::Covers(place)) => {
                let covered = self.above.set(place, came);
                self.uncount(&covered);
                place
            }
            Err(spot) => self.above.insert(spot, came),
        };
        self.count(bytes, came.packets);
        self.begun = bytes;
        while let Some((next, covered)) = self.above.after(place).filter(|(_, next)| next.end <= came.end) {
            self.above.remove(next);
            self.uncount(&covered);
        }
    }

    /// Joins `came` to the buffer at `place`.
    fn follow(&mut self, place: u32, came: QueuedBuffer, together: PieceMemory) {
        let before = self.above.get(place);
        let added = self.added((before.packets, before.end - before.start), &came, together);
        self.count(came.end - came.start, added);
        self.above.set(place, QueuedBuffer { start: before.start, packets: before.packets + added, ..came });
    }

    /// Content of the buffer, with `unread` bytes in order; segments are of `mss` bytes.
    pub(crate) fn held(&self, unread: u64, mss: u64) -> HeldPackets {
        if unread == 0 && self.packets == 0 {
            return HeldPackets::default();
        }
        let known = self.slow.is_some() || unread == self.unread.bytes;
        let below = if known { self.unread } else { of_full_packets(unread, mss) };
        HeldPackets {
            bytes: below.bytes + self.bytes,
            packets: below.packets + self.packets,
            buffers: below.buffers + self.above.len() as u64,
        }
    }

    /// Content of the buffer as the growth of the window sees it: a buffer begun above a gap is not counted yet, and buffers
    /// that left the gap are not joined yet.
    pub(crate) fn held_before(&self, unread: u64, mss: u64) -> HeldPackets {
        let (held, begun) = (self.held(unread, mss), u64::from(self.begun > 0));
        HeldPackets {
            bytes: held.bytes - self.begun,
            packets: held.packets - begun,
            buffers: held.buffers - begun + self.joined,
        }
    }

    /// End of the first unread buffer.
    pub(crate) const fn first_end(&self) -> u64 {
        self.first_end
    }
}

/// Partly read data, as full packets of `mss` bytes in full buffers.
const fn of_full_packets(bytes: u64, mss: u64) -> HeldPackets {
    let packets = bytes.div_ceil(mss);
    HeldPackets { bytes, packets, buffers: packets.div_ceil(MOST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// Segments that come above a gap, by their numbers.
    fn queue(segments: &[u64]) -> ReceiveQueue {
        let mut queue = ReceiveQueue::default();
        segments.iter().for_each(|n| queue.on_arrival(n * MSS, (n + 1) * MSS, 0));
        queue
    }

    fn held(packets: u64, buffers: u64) -> HeldPackets {
        HeldPackets { bytes: packets * MSS, packets, buffers }
    }

    #[test]
    fn a_segment_joins_the_one_that_it_follows_and_no_other() {
        assert_eq!(queue(&[1, 2, 3]).held(0, MSS), held(3, 1));
        assert_eq!(queue(&[3, 2, 1]).held(0, MSS), held(3, 3), "each came before the next");
        assert_eq!(queue(&[1, 3, 2]).held(0, MSS), held(3, 2), "what fills a gap belongs to what it follows");
        assert_eq!(queue(&(1..=19).collect::<Vec<_>>()).held(0, MSS), held(19, 2), "18 are the most");
        assert_eq!(queue(&[1, 2, 1]).held(0, MSS), held(2, 1), "what comes again is not kept");
    }

    #[test]
    fn an_application_that_takes_its_time_leaves_a_buffer_until_it_has_read_all_of_it() {
        let mut slow = ReceiveQueue::default();
        slow.set_slow(true);
        (0..20).for_each(|n| slow.on_arrival(n * MSS, (n + 1) * MSS, (n + 1) * MSS));
        assert_eq!(slow.held(20 * MSS, MSS), held(20, 2), "18 packets and 2");
        let read = |slow: &mut ReceiveQueue, to: u64| {
            let mut gone = Vec::new();
            slow.on_slow_read(to, |end| gone.push(end));
            (gone, slow.held(20 * MSS - to, MSS))
        };
        assert_eq!(read(&mut slow, 18 * MSS - 1), (vec![], held(20, 2)), "a byte of the first is left");
        assert_eq!(read(&mut slow, 18 * MSS), (vec![18 * MSS], held(2, 1)));
        slow.on_arrival(20 * MSS, 21 * MSS, 21 * MSS);
        assert_eq!(
            read(&mut slow, 19 * MSS),
            (vec![], held(3, 1)),
            "it joins one that has been read in part"
        );
        slow.on_slow_read(21 * MSS, |_| {});
        slow.on_arrival(21 * MSS, 22 * MSS, 22 * MSS);
        assert_eq!(slow.held(MSS, MSS), held(1, 1), "with nothing left it begins another");
    }

    /// Segments of a subflow above a gap, by their numbers, data sequence numbers less subflow numbers, and whether the mapping ends.
    fn subflow(segments: &[(u64, u64, bool)]) -> ReceiveQueue {
        let mut queue = ReceiveQueue::default();
        for &(n, offset, ends) in segments {
            queue.note_mark(MappingMark { offset, ends });
            queue.on_arrival(n * MSS, (n + 1) * MSS, 0);
        }
        queue
    }

    #[test]
    fn segments_of_two_mappings_share_no_buffer() {
        assert_eq!(subflow(&[(1, 5, false), (2, 5, false)]).held(0, MSS), held(2, 1));
        let mut elsewhere = subflow(&[(1, 5, false), (2, 9, false)]);
        assert_eq!(elsewhere.held(0, MSS), held(2, 2), "the data goes on elsewhere");
        assert_eq!(elsewhere.place_of(3 * MSS), SegmentPlace::BehindAnother);
        elsewhere.note_mark(MappingMark { offset: 5, ends: false });
        assert_eq!(elsewhere.place_of(3 * MSS), SegmentPlace::AboveGap);
        assert_eq!(subflow(&[(1, 5, true), (2, 5, false)]).held(0, MSS), held(2, 2), "the mapping has ended");
        assert_eq!(subflow(&[(1, 5, false), (2, 5, true), (3, 5, false)]).held(0, MSS), held(3, 2));
    }

    #[test]
    fn buffers_of_a_subflow_reach_the_connection_whole() {
        // 19 segments of one mapping wait in two buffers, and 3 of another; then the first comes, which has room for none of the 18.
        let above: Vec<_> = (1..20).map(|n| (n, 5, false)).chain((20..23).map(|n| (n, 9, false))).collect();
        let mut queue = subflow(&above);
        queue.note_mark(MappingMark { offset: 5, ends: false });
        queue.on_arrival(0, MSS, 23 * MSS);
        assert_eq!(queue.released(), [(MSS, 1), (19 * MSS, 18), (20 * MSS, 1), (23 * MSS, 3)]);
        // There, where 10 wait, the 18 join none of them; the next two do, as they come one by one, and so do three at once.
        let mut all = ReceiveQueue::default();
        let mut at = 10 * MSS;
        all.on_arrival(0, at, at);
        let mut come = |pieces: &[(u64, u64)]| {
            for &(together, packets) in pieces {
                let together = PieceMemory { packets: together, bytes: 0 };
                all.on_piece((at, at + MSS), at + MSS, BufferPiece { together, packets });
                at += MSS;
            }
            all.held(at, MSS).buffers
        };
        assert_eq!(come(&[(18, 1), (0, 17)]), 2);
        assert_eq!(come(&[(1, 1)]), 3, "18 are the most");
        assert_eq!(come(&[(3, 1), (0, 1), (0, 1)]), 3);
        // Above a gap it is the same: 17 have room for one more, and not for 18 that come together, after which there is none.
        let above = |pieces: &[(u64, u64)]| {
            let mut queue = super::tests::queue(&(1..18).collect::<Vec<_>>());
            for (n, &(together, packets)) in (18..).zip(pieces) {
                let together = PieceMemory { packets: together, bytes: 0 };
                queue.on_piece((n * MSS, (n + 1) * MSS), 0, BufferPiece { together, packets });
            }
            queue.held(0, MSS).buffers
        };
        assert_eq!((above(&[(1, 1)]), above(&[(18, 1), (0, 17), (1, 1)])), (1, 3));
    }

    #[test]
    fn small_segments_are_copied_into_the_memory_of_a_packet() {
        let mut queue = ReceiveQueue::default();
        queue.set_room_in_packet(1432);
        // Trace of a kernel 6.1: 128, 400 and 400 bytes are in the memory of the first packet, which has room for 504 more.
        let ends = [128, 528, 928];
        ends.windows(2).for_each(|w| queue.on_arrival(1000 + w[0], 1000 + w[1], 0));
        assert_eq!(queue.held(0, MSS), HeldPackets { bytes: 800, packets: 1, buffers: 1 });
        queue.on_arrival(1928, 2561, 0);
        assert_eq!(
            queue.held(0, MSS),
            HeldPackets { bytes: 1433, packets: 2, buffers: 1 },
            "a byte too much"
        );
        queue.on_arrival(2561, 2562, 0);
        assert_eq!(
            queue.held(0, MSS),
            HeldPackets { bytes: 1434, packets: 3, buffers: 1 },
            "it is of two by now"
        );
        // In order it is the same; what comes in one buffer of two packets is not copied.
        queue.on_arrival(0, 1128, 2562);
        assert_eq!(queue.held(2562, MSS), HeldPackets { bytes: 2562, packets: 4, buffers: 1 });
        queue.on_read();
        queue.on_arrival(2562, 2600, 2600);
        queue.on_arrival(2600, 2700, 2700);
        assert_eq!(queue.held(138, MSS), HeldPackets { bytes: 138, packets: 1, buffers: 1 });
        let together = PieceMemory { packets: 2, bytes: 100 };
        queue.on_piece((2700, 2800), 2800, BufferPiece { together, packets: 2 });
        assert_eq!(queue.held(238, MSS), HeldPackets { bytes: 238, packets: 3, buffers: 1 });
        queue.on_arrival(2800, 2850, 2850);
        assert_eq!(
            queue.held(288, MSS),
            HeldPackets { bytes: 288, packets: 4, buffers: 1 },
            "nor into one of several"
        );
    }

    #[test]
    fn new_buffer_counts_after_the_window_has_grown() {
        assert_eq!(queue(&[1, 2]).held_before(0, MSS), held(2, 1));
        assert_eq!(queue(&[1, 3]).held_before(0, MSS), held(1, 1));
    }

    #[test]
    fn unread_data_is_counted_buffer_by_buffer() {
        // Trace of a kernel 6.12: a short segment fills a gap before 22 others, and one more comes in order. The first buffer
        // is full with 18 of those, and the last joins the four behind it.
        let mut queue = queue(&(1..=22).collect::<Vec<_>>());
        queue.on_arrival(900, MSS, 23 * MSS);
        queue.on_arrival(23 * MSS, 24 * MSS, 24 * MSS);
        let all = 23 * MSS + 100;
        assert_eq!(queue.held(all, MSS), HeldPackets { bytes: all, packets: 24, buffers: 3 });
        // Read in part: as if it were full packets in full buffers.
        assert_eq!(queue.held(20 * MSS, MSS), held(20, 2));
        queue.on_read();
        assert_eq!(queue.held(0, MSS), held(0, 0));
    }

    #[test]
    fn after_the_first_read_buffers_are_left_of_which_a_part_is() {
        // 65536 bytes end within the 66th segment, in the fifth buffer.
        let mut queue = queue(&(1..=89).collect::<Vec<_>>());
        queue.on_arrival(0, MSS, 90 * MSS);
        // The first alone, as the buffer behind it is full; then 18, 18, 18, 18 and 17.
        assert_eq!(queue.held(90 * MSS, MSS), held(90, 6));
        assert_eq!(
            queue.held_after_first_read(),
            HeldPackets { bytes: 90_000 - 65_536, packets: 35, buffers: 2 }
        );
    }

    #[test]
    fn place_of_a_segment_above_a_gap() {
        let some = queue(&[1, 2, 5]);
        assert_eq!([3, 6].map(|n| some.place_of(n * MSS)), [SegmentPlace::BehindAnother; 2]);
        assert_eq!([4, 7].map(|n| some.place_of(n * MSS)), [SegmentPlace::AboveGap; 2]);
        let full = queue(&(1..=18).collect::<Vec<_>>());
        assert_eq!(full.place_of(19 * MSS), SegmentPlace::AboveGap, "18 are the most");
    }

    #[test]
    fn filled_gap_coalesces_buffers_up_to_their_limit() {
        // Trace of a kernel 6.12: behind the segment 13 in one buffer, which joins it, and 7 in another, which would be too
        // many.
        let mut some = queue(&(1..=13).chain([15, 16, 17, 18, 19, 20, 14]).collect::<Vec<_>>());
        assert_eq!(some.held(0, MSS), held(20, 2));
        some.on_arrival(0, MSS, 21 * MSS);
        assert_eq!((some.held(21 * MSS, MSS), some.first_end()), (held(21, 2), 15 * MSS));
        assert_eq!(some.held_before(21 * MSS, MSS), held(21, 3));
        assert_eq!(some.held(0, MSS), held(0, 0), "all is read");
        // A buffer that is full joins nothing.
        let mut full = queue(&(1..=18).collect::<Vec<_>>());
        full.on_arrival(0, MSS, 19 * MSS);
        assert_eq!((full.held(19 * MSS, MSS), full.first_end()), (held(19, 2), MSS));
        // A segment in order, alone, after everything was read.
        full.on_read();
        full.on_arrival(19 * MSS, 20 * MSS, 20 * MSS);
        assert_eq!((full.held(MSS, MSS), full.first_end()), (held(1, 1), 20 * MSS));
    }

    #[test]
    fn a_buffer_that_overlaps_others_above_a_gap_is_kept_unless_one_has_all_of_it() {
        // 18 packets in one buffer, and the next in another.
        let mut queue = queue(&(1..=19).collect::<Vec<_>>());
        let held = |queue: &ReceiveQueue| (queue.held(0, MSS).packets, queue.held(0, MSS).buffers);
        assert_eq!(held(&queue), (19, 2));
        queue.on_arrival(18_500, 19_500, 0);
        assert_eq!(held(&queue), (20, 3), "half of it is in either");
        // It lies above the two in the tree, so its successor is kept, too, though the second contains it.
        queue.on_arrival(19_500, 19_900, 0);
        assert_eq!(held(&queue), (21, 3));
        queue.on_arrival(19_100, 19_400, 0);
        assert_eq!(held(&queue), (21, 3), "one of them has all of this, and it follows none");
        // In order, what was there before is skipped, and nothing is joined across it.
        queue.on_arrival(0, MSS, 20_000);
        assert_eq!(queue.held(20_000, MSS), HeldPackets { bytes: 20_000, packets: 22, buffers: 4 });
    }

    #[test]
    fn successor_of_an_overlapping_buffer_is_kept_by_tree_order() {
        // Buffers of 18 packets from 0 on; one segment overlaps the last of `first` and the next, and another follows it.
        let kept = |buffers: u64, first: u64| {
            let mut queue = queue(&(1..=18 * buffers).collect::<Vec<_>>());
            let at = (18 * first + 1) * MSS;
            queue.on_arrival(at - 500, at + 500, 0);
            queue.on_arrival(at + 500, at + 700, 0);
            queue.held(0, MSS).packets - 18 * buffers - 1
        };
        // The three of four buffers that are not the root are 1, 3 and below that 4. What overlaps 1 and 2, or 2 and 3, goes below 1 or 3
        // and is passed after 2 or 3; what overlaps 3 and 4 comes to lie above both.
        assert_eq!([1, 2, 3].map(|first| kept(4, first)), [0, 0, 1]);
    }

    #[test]
    fn covered_buffers_above_a_gap_are_dropped() {
        let mut queue = queue(&[5, 7]);
        queue.on_arrival(5_000, 6_500, 0);
        queue.on_arrival(6_800, 8_200, 0);
        assert_eq!(queue.held(0, MSS), HeldPackets { bytes: 1500 + 1400, packets: 2, buffers: 2 });
    }
}

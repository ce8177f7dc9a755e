//! DSS mappings of the data that arrives on a subflow, until that data is in order and moves to the data level (RFC 8684 §3.3.1).

use crate::mptcp::data::dss_checksum::DssChecksums;
use crate::mptcp::data::wire_numbers::nearest;
use crate::mptcp::option::{Mapping, Sums};
use crate::tcp::linux::receive_queue::{BufferPiece, PieceMemory};
use std::collections::VecDeque;

/// Mapping announced by the peer.
#[derive(Clone, Copy, Debug)]
struct ReceivedMapping {
    dsn: u64,
    /// Relative subflow sequence number of the first byte.
    ssn: u64,
    len: u64,
}

/// Next in-order data of a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InOrderData {
    /// Bytes `dsn..end` of the stream.
    Bytes { dsn: u64, end: u64 },
    /// Bytes without a mapping.
    Unmapped,
    /// Mapping from `dsn` on with a wrong checksum.
    BadChecksum { dsn: u64 },
}

/// Progress through the socket buffers that one segment has brought into order, while they move to the data level one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReleasedBuffers {
    /// Number of buffers begun.
    begun: usize,
    /// Bounds of the latest buffer, and its packets that have not been moved.
    start: u64,
    end: u64,
    packets: u64,
    /// Whether none of it has been moved.
    fresh: bool,
}

impl ReleasedBuffers {
    /// End of the buffer with byte `taken`, at most `to`. `released` gives end and packets of buffer number `i`.
    pub(super) fn end_at(
        &mut self,
        taken: u64,
        to: u64,
        released: impl FnOnce(usize) -> Option<(u64, u64)>,
    ) -> u64 {
        if self.end <= taken {
            let (end, packets) = released(self.begun).unwrap_or((to, 1));
            *self = Self { begun: self.begun + 1, start: taken, end, packets, fresh: true };
        }
        self.end.min(to)
    }

    /// BufferPiece of the current buffer that has been moved, now that all up to `taken` is.
    pub(crate) fn piece(&mut self, taken: u64) -> BufferPiece {
        let together = match core::mem::take(&mut self.fresh) {
            true => PieceMemory { packets: self.packets, bytes: self.end - self.start },
            false => PieceMemory::default(),
        };
        let packets = if taken >= self.end { self.packets } else { self.packets.min(1) };
        self.packets -= packets;
        BufferPiece { together, packets }
    }
}

/// Mappings whose data has not all moved to the data level, with what is known of damage to that data.
#[derive(Debug)]
pub(crate) struct ReceiveMappings {
    /// Relative subflow sequence number of the next byte to move to the data level.
    next: u64,
    /// Ordered by subflow sequence number.
    mappings: VecDeque<ReceivedMapping>,
    /// Subflow sequence numbers of corrupted bytes.
    corrupted: Vec<(u64, u64)>,
    checksums: DssChecksums,
}

impl ReceiveMappings {
    pub(crate) fn new() -> Self {
        Self { next: 1, mappings: VecDeque::new(), corrupted: Vec::new(), checksums: DssChecksums::default() }
    }

    /// Relative subflow sequence number of the next byte to move to the data level.
    #[inline]
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// Moves on to `next`, without a mapping.
    pub(crate) fn skip_to(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    /// Advances by `len` bytes, without a mapping.
    pub(crate) fn advance(&mut self, len: u64) {
        self.next += len;
    }

    /// Reads the first mapping, for [`Mptcp::warm_up`](crate::mptcp::Mptcp::warm_up).
    #[inline]
    pub(crate) fn warm_up(&self) -> Option<u64> {
        self.mappings.front().map(|m| m.ssn)
    }

    /// Forgets all mappings: an infinite mapping takes their place.
    pub(crate) fn clear(&mut self) {
        self.mappings.clear();
    }

    /// Stores a mapping of bytes that are still to come in order. Returns the relative number of its first byte if it is new.
    pub(crate) fn insert(&mut self, mapping: Mapping) -> Option<u64> {
        let (ssn, len) = (nearest(self.next, mapping.ssn), u64::from(mapping.len));
        if ssn.saturating_add(len) <= self.next || len == 0 {
            return None;
        }
        if self.mappings.back().is_none_or(|m| m.ssn < ssn) {
            self.mappings.push_back(ReceivedMapping { dsn: mapping.dsn, ssn, len });
            return Some(ssn);
        }
        let i = self.mappings.partition_point(|m| m.ssn < ssn);
        let new = self.mappings.get(i).is_none_or(|m| m.ssn != ssn);
        if new {
            self.mappings.insert(i, ReceivedMapping { dsn: mapping.dsn, ssn, len });
        }
        new.then_some(ssn)
    }

    /// Notes the checksum of `mapping`, whose numbers are those of the wire; `ssn` is its first byte if it is new, and `range` the payload
    /// of its segment.
    pub(crate) fn note_checksum(
        &mut self,
        ssn: Option<u64>,
        mapping: &Mapping,
        range: (u64, u64),
        sums: &Sums,
    ) {
        if let Some(ssn) = ssn {
            self.checksums.announce(ssn, mapping, sums.stated);
        }
        self.checksums.note(range, sums);
    }

    /// Notes that the payload in `range` was corrupted on its way.
    pub(super) fn note_corrupted(&mut self, range: (u64, u64)) {
        self.corrupted.push(range);
    }

    /// Whether any byte that has not moved to the data level was corrupted.
    #[inline]
    pub(crate) fn has_corrupted(&self) -> bool {
        !self.corrupted.is_empty()
    }

    /// Corrupted parts of the `len` bytes that have just moved, as offsets from the first; they are forgotten.
    pub(crate) fn take_corrupted(&mut self, len: u64) -> Vec<(u64, u64)> {
        let (from, to) = (self.next - len, self.next);
        let clipped = self.corrupted.iter().map(|r| (r.0.max(from), r.1.min(to)));
        let parts = clipped.filter(|r| r.0 < r.1).map(|r| (r.0 - from, r.1 - from)).collect();
        self.corrupted.retain(|r| r.1 > to);
        parts
    }

    /// Next of the bytes that are in order up to `to`. With `checksum` a mapping is taken as a whole, if it is intact.
    #[inline]
    pub(crate) fn take(&mut self, to: u64, checksum: bool) -> Option<InOrderData> {
        if self.next < to { self.take_some(to, checksum) } else { None }
    }

    #[inline(never)]
    fn take_some(&mut self, to: u64, checksum: bool) -> Option<InOrderData> {
        let Some(&m) = self.mappings.front() else { return Some(InOrderData::Unmapped) };
        let (start, end) = (m.ssn, m.ssn.saturating_add(m.len));
        if end <= self.next {
            self.mappings.pop_front();
            return self.take(to, checksum);
        }
        if start > self.next {
            return Some(InOrderData::Unmapped);
        }
        if checksum {
            if end > to {
                return None;
            }
            let corrupted = self.corrupted.iter().any(|r| r.0 < end && r.1 > start);
            if corrupted || self.checksums.refute(start, end) {
                return Some(InOrderData::BadChecksum { dsn: m.dsn });
            }
        }
        let upto = end.min(to);
        let dsn = |ssn: u64| m.dsn.saturating_add(ssn - start);
        let range = InOrderData::Bytes { dsn: dsn(self.next), end: dsn(upto) };
        self.next = upto;
        if upto == end {
            self.mappings.pop_front();
        }
        if checksum {
            self.checksums.forget(upto);
        }
        Some(range)
    }

    /// Discards all data up to `to`.
    pub(crate) fn discard(&mut self, to: u64) {
        self.mappings.retain(|m| m.ssn.saturating_add(m.len) > to);
        self.checksums.forget(to);
        self.next = to;
    }

    /// Data sequence numbers of subflow sequence numbers `from..to`, as far as mappings are known.
    pub(crate) fn data_ranges(&self, (from, to): (u64, u64)) -> impl Iterator<Item = (u64, u64)> {
        self.mappings.iter().filter_map(move |m| {
            let (start, end) = (m.ssn, m.ssn.saturating_add(m.len));
            let (low, high) = (start.max(from), end.min(to));
            (low < high).then(|| (m.dsn.saturating_add(low - start), m.dsn.saturating_add(high - start)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_release_bytes_in_order_and_once() {
        let mut s = ReceiveMappings::new();
        s.insert(Mapping { dsn: 500, ssn: 101, len: 50 });
        s.insert(Mapping { dsn: 9000, ssn: 1, len: 100 });
        s.insert(Mapping { dsn: 9000, ssn: 1, len: 100 });
        let bytes = |dsn, end| Some(InOrderData::Bytes { dsn, end });
        assert_eq!(s.take(1, false), None);
        assert_eq!(s.take(61, false), bytes(9000, 9060));
        assert_eq!(s.take(151, false), bytes(9060, 9100));
        assert_eq!(s.take(151, false), bytes(500, 550));
        assert_eq!((s.take(151, false), s.mappings.len()), (None, 0));
        s.insert(Mapping { dsn: 500, ssn: 101, len: 50 });
        assert_eq!(s.mappings.len(), 0, "taken already");
    }

    #[test]
    fn bytes_without_mapping_are_reported() {
        let mut s = ReceiveMappings::new();
        assert_eq!(s.take(10, false), Some(InOrderData::Unmapped));
        s.insert(Mapping { dsn: 1, ssn: 5, len: 10 });
        assert_eq!(s.take(10, false), Some(InOrderData::Unmapped), "the first four have none");
    }

    #[test]
    fn subflow_sequence_numbers_wrap_at_4_gib() {
        let mut s = ReceiveMappings::new();
        s.next = (1 << 32) - 99;
        s.insert(Mapping { dsn: 1 << 40, ssn: u32::MAX - 98, len: 100 });
        s.insert(Mapping { dsn: 7, ssn: 1, len: 100 });
        let bytes = |dsn, end| Some(InOrderData::Bytes { dsn, end });
        assert_eq!(s.take((1 << 32) + 101, false), bytes(1 << 40, (1 << 40) + 100));
        assert_eq!(s.take((1 << 32) + 101, false), bytes(7, 107));
    }

    #[test]
    fn checksum_covers_the_whole_mapping() {
        let mut s = ReceiveMappings::new();
        s.insert(Mapping { dsn: 1, ssn: 1, len: 10 });
        s.insert(Mapping { dsn: 11, ssn: 11, len: 10 });
        assert_eq!(s.take(9, true), None, "the last two are to come");
        assert_eq!(s.take(12, true), Some(InOrderData::Bytes { dsn: 1, end: 11 }));
        s.note_corrupted((18, 19));
        assert_eq!(s.take(21, true), Some(InOrderData::BadChecksum { dsn: 11 }));
        assert_eq!(s.take(21, false), Some(InOrderData::Bytes { dsn: 11, end: 21 }));
    }

    #[test]
    fn corrupted_parts_are_offsets_into_moved_bytes() {
        let mut s = ReceiveMappings::new();
        s.note_corrupted((5, 15));
        s.advance(10);
        assert_eq!(s.take_corrupted(10), [(4, 10)]);
        assert!(s.has_corrupted(), "the rest is still to move");
        s.advance(10);
        assert_eq!((s.take_corrupted(10), s.has_corrupted()), (vec![(0, 4)], false));
    }
}

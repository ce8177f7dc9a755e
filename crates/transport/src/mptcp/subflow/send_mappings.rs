//! DSS mappings of the data that a subflow sends (RFC 8684 §3.3.1).

use crate::mptcp::chunk::DataChunk;
use crate::mptcp::option::Mapping;
use tailrace_core::Ring;

/// Mapping of one segment's data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentMapping {
    /// Relative subflow sequence number after the last byte.
    pub(crate) ssn_end: u64,
    /// Data sequence number of the first byte.
    pub(crate) dsn: u64,
    /// Number of the piece, if its data was new (see [`DataSender::assign`](crate::mptcp::data::sender::DataSender::assign)).
    pub(crate) piece: u32,
    pub(crate) len: u16,
    /// Whether other subflows were asked to carry it, too.
    pub(crate) reinjected: bool,
    /// Whether other subflows had carried this data before.
    pub(crate) again: bool,
}

impl SentMapping {
    /// Data sequence number after the last byte.
    #[inline]
    pub(crate) const fn end(&self) -> u64 {
        self.dsn + self.len as u64
    }

    /// Whether data from `dsn` on may join this mapping, in segments of `most` bytes. The first data of a client stays short: it
    /// leaves room for MP_CAPABLE.
    #[inline]
    fn continues_at(&self, dsn: u64, most: u32) -> bool {
        self.end() == dsn && (self.dsn > 1 || u32::from(self.len) == most)
    }
}

/// Part of a chunk that one segment takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FittedChunk {
    pub(crate) chunk: DataChunk,
    /// Whether it continues the data that the subflow was given last.
    pub(crate) appends: bool,
    /// Whether it becomes part of the last unsent segment.
    pub(crate) joins: bool,
}

impl FittedChunk {
    #[inline]
    const fn separate(chunk: DataChunk, appends: bool) -> Self {
        Self { chunk, appends, joins: false }
    }
}

/// Mappings of the data that a subflow was given and the peer has not acknowledged, in the order of the subflow.
#[derive(Debug)]
pub(crate) struct SendMappings {
    all: Ring<SentMapping>,
    /// Lower bound of the number of mappings whose segments have left.
    left: usize,
    /// Latest contiguous run of the stream: data minus subflow sequence numbers, and its first data sequence number.
    run: (i64, u64),
}

impl SendMappings {
    pub(crate) fn new() -> Self {
        Self { all: Ring::new(), left: 0, run: (0, 1) }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &SentMapping> {
        self.all.iter()
    }

    /// Mappings that no other subflow was asked to carry; they are marked as reinjected.
    pub(crate) fn reinject(&mut self) -> impl Iterator<Item = &SentMapping> {
        self.all.iter_mut().filter(|m| !m.reinjected).map(|m| {
            m.reinjected = true;
            &*m
        })
    }

    /// Reads the first mapping and the length, for [`Mptcp::warm_up`](crate::mptcp::Mptcp::warm_up).
    #[inline]
    pub(crate) fn warm_up(&self) -> (usize, Option<u64>) {
        (self.all.len(), self.all.front().map(|m| m.ssn_end))
    }

    /// Length of the next mapping to leave, if its segment starts at or after `next_ssn`.
    #[inline]
    pub(super) fn next_len(&mut self, next_ssn: u64) -> Option<u32> {
        while let Some(m) = self.all.get(self.left) {
            if m.ssn_end > next_ssn {
                return Some(u32::from(m.len));
            }
            self.left += 1;
        }
        None
    }

    /// Mapping of the segment that leaves for the first time, before the next piece begins.
    #[inline]
    pub(crate) fn leaving(&self) -> Option<&SentMapping> {
        self.all.get(self.left)
    }

    /// Prefix of `chunk` for one segment of at most `most` bytes. It fills up the last unsent segment first if it continues that one:
    /// `room` is the space in that segment's packet. Reinjected data (`again`) joins no segment with new data.
    #[inline]
    pub(super) fn fit(
        &self,
        chunk: &DataChunk,
        (most, again): (u32, bool),
        room: impl FnOnce(&SentMapping) -> u32,
    ) -> FittedChunk {
        let Some(last) = self.all.back().filter(|last| last.continues_at(chunk.dsn, most)) else {
            return FittedChunk::separate(*chunk, false);
        };
        let room = if u32::from(last.len) < most { room(last) } else { 0 };
        if room == 0 {
            return FittedChunk::separate(*chunk, true);
        }
        let len = chunk.len.min(most - u32::from(last.len)).min(room);
        FittedChunk { chunk: DataChunk { len, ..*chunk }, appends: true, joins: last.again || !again }
    }

    /// Adds the mapping of data just given to the subflow; with `joins` it extends the last one.
    #[inline]
    pub(crate) fn push(&mut self, mapping: SentMapping, joins: bool) {
        let offset = mapping.end() as i64 - mapping.ssn_end as i64;
        if offset != self.run.0 {
            self.run = (offset, mapping.dsn);
        }
        match self.all.back_mut().filter(|_| joins) {
            Some(last) => (last.ssn_end, last.len) = (mapping.ssn_end, last.len + mapping.len),
            None => self.all.push_back(mapping),
        }
    }

    /// Offset of data over subflow sequence numbers, if the run that ends with `offset` began at or before `una`.
    pub(crate) fn is_one_run(&self, offset: i64, una: u64) -> bool {
        self.run.0 == offset && self.run.1 <= una
    }

    /// Drops mappings that the peer's TCP has acknowledged up to relative number `acked`.
    #[inline]
    pub(super) fn drop_acked(&mut self, acked: u64) {
        while self.all.front().is_some_and(|m| m.ssn_end <= acked) {
            self.all.pop_front();
            self.left = self.left.saturating_sub(1);
        }
    }

    /// Mapping of the segment that starts at `ssn`, and whether other subflows had carried its data before.
    #[inline]
    pub(super) fn at(&self, ssn: u64) -> Option<(Mapping, bool)> {
        let begins = |m: &&SentMapping| m.ssn_end - u64::from(m.len) == ssn;
        // Most segments leave for the first time.
        let m = self.all.get(self.left).filter(begins);
        let m = m.or_else(|| self.all.get(self.all.partition_point(|m| m.ssn_end <= ssn)))?;
        let ssn = (m.ssn_end - u64::from(m.len)) as u32;
        Some((Mapping { dsn: m.dsn, ssn, len: m.len }, m.again))
    }
}

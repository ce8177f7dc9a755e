//! The receiving side: what arrived out of order, what the application has read, what SACK blocks say about it.

use crate::segment::{SackBlocks, SeqNumber};

/// How many ranges are remembered in order of arrival; more do not fit into a header.
const RECENT: usize = 4;

/// What became of an arriving range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It was next in order and no gap is left.
    InOrder,
    /// It filled a gap, wholly or in part.
    FilledGap,
    /// It lies above a gap.
    OutOfOrder,
    /// It brought nothing new.
    Duplicate,
}

/// Sequence numbers are unwrapped to 64 bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    /// Next in order (RCV.NXT).
    pub(crate) nxt: u64,
    /// How far the application has read.
    pub(crate) read: u64,
    /// Right edge of the advertised window.
    pub(crate) adv: u64,
    /// Disjoint ranges above `nxt`, sorted.
    ranges: Vec<(u64, u64)>,
    /// A point in each of the ranges that grew last, latest first; zero is none.
    recent: [u64; RECENT],
    /// Range to report as a duplicate (RFC 2883).
    duplicate: Option<(u64, u64)>,
}

impl Reassembly {
    /// Expects data from `nxt` on, after a window of `window` bytes was advertised.
    pub(crate) fn start(&mut self, nxt: u64, window: u64) {
        (self.nxt, self.read, self.adv) = (nxt, nxt, nxt + window);
    }
    /// Bytes that wait above gaps.
    pub(crate) fn above(&self) -> u64 {
        self.ranges.iter().map(|(start, end)| end - start).sum()
    }
    pub(crate) fn has_gap(&self) -> bool {
        !self.ranges.is_empty()
    }
    pub(crate) fn has_duplicate(&self) -> bool {
        self.duplicate.is_some()
    }

    /// Takes `start..end`, which is not empty and ends within the window.
    #[inline]
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> Arrival {
        if end <= self.nxt {
            self.duplicate = Some((start, end));
            return Arrival::Duplicate;
        }
        if start > self.nxt {
            return self.insert_above(start, end);
        }
        if start < self.nxt {
            self.duplicate = Some((start, self.nxt));
        }
        self.nxt = end;
        if self.ranges.is_empty() {
            return Arrival::InOrder;
        }
        self.absorb()
    }

    /// Moves `nxt` over the ranges it has reached.
    fn absorb(&mut self) -> Arrival {
        let reached = self.ranges.partition_point(|r| r.0 <= self.nxt);
        if let Some(&(start, end)) = self.ranges[..reached].last() {
            // Only a segment that was resent larger can overlap what lies above a gap.
            if self.nxt > start {
                self.duplicate = Some((start, self.nxt.min(end)));
            }
            self.nxt = self.nxt.max(end);
        }
        self.ranges.drain(..reached);
        self.recent.iter_mut().filter(|p| **p < self.nxt).for_each(|p| *p = 0);
        Arrival::FilledGap
    }

    fn insert_above(&mut self, start: u64, end: u64) -> Arrival {
        let first = self.ranges.partition_point(|r| r.1 < start);
        let last = self.ranges.partition_point(|r| r.0 <= end);
        let mut merged = (start, end);
        let arrival = match self.ranges.get(first) {
            Some(r) if r.0 <= start && end <= r.1 => {
                self.duplicate = Some((start, end));
                Arrival::Duplicate
            }
            _ => Arrival::OutOfOrder,
        };
        if first < last {
            merged = (start.min(self.ranges[first].0), end.max(self.ranges[last - 1].1));
            self.ranges[first] = merged;
            self.ranges.drain(first + 1..last);
        } else {
            self.ranges.insert(first, merged);
        }
        self.remember(merged);
        arrival
    }

    /// Puts a range first in the order of reports (RFC 2018 §4).
    fn remember(&mut self, (start, end): (u64, u64)) {
        let mut recent = [0; RECENT];
        recent[0] = start;
        let others = self.recent.iter().filter(|p| **p != 0 && !(start..end).contains(p));
        for (slot, point) in recent[1..].iter_mut().zip(others) {
            *slot = *point;
        }
        self.recent = recent;
    }

    /// The blocks of the next ACK, at most `room` of them: a duplicate first (RFC 2883 §4), then the ranges that
    /// grew last, then the others. Reports a duplicate once.
    pub(crate) fn blocks(&mut self, room: usize) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        let wire = |n: u64| SeqNumber(n as u32);
        if let Some((left, right)) = self.duplicate.take() {
            blocks.push(wire(left), wire(right));
        }
        let of = |point: u64| {
            let i = self.ranges.partition_point(|r| r.1 <= point);
            self.ranges.get(i).filter(|r| r.0 <= point)
        };
        let recent = self.recent.iter().filter_map(|&p| (p != 0).then(|| of(p)).flatten());
        let had = |r: &(u64, u64)| self.recent.iter().any(|p| (r.0..r.1).contains(p));
        let others = self.ranges.iter().filter(|r| !had(r));
        for &(left, right) in recent.chain(others).take(room.saturating_sub(blocks.as_slice().len())) {
            blocks.push(wire(left), wire(right));
        }
        blocks
    }
}

impl Reassembly {
    /// What has arrived above a gap: disjoint ranges in order.
    pub(crate) fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// How many bytes of `start..end` have not arrived yet.
    pub(crate) fn missing(&self, start: u64, end: u64) -> u64 {
        let start = start.max(self.nxt);
        let first = self.ranges.partition_point(|r| r.1 <= start);
        let there = self.ranges[first..]
            .iter()
            .take_while(|r| r.0 < end)
            .map(|r| r.1.min(end) - r.0.max(start))
            .sum::<u64>();
        end.saturating_sub(start) - there
    }

    /// End of the data received in order: the FIN, once reached, is none.
    pub(crate) fn nxt_data(&self, fin_at: Option<u64>) -> u64 {
        fin_at.map_or(self.nxt, |fin| self.nxt.min(fin))
    }
}

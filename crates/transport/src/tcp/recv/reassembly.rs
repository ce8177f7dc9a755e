//! Reassembly: received ranges, the reading position, and the SACK blocks that report them.

use crate::segment::{SackBlocks, SeqNumber};
use std::collections::VecDeque;

/// Ranges remembered in order of arrival; no more fit into a header.
const RECENT: usize = 4;
/// Position of a FIN that is not known.
const NO_FIN: u64 = u64::MAX;

/// Result of inserting a range.
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

/// Received part of a stream. Positions are sequence numbers, unwrapped to 64 bits. The application reads only what is in
/// order, and an advertised window is never taken back.
///
/// A segment in order needs only the first fields, up to whether there are ranges.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Reassembly {
    /// Next in order (RCV.NXT).
    nxt: u64,
    /// Position up to which the application has read.
    read: u64,
    /// Right edge of the advertised window.
    adv: u64,
    /// Position of the FIN, which is no data; [`NO_FIN`] before it is known.
    fin: u64,
    /// Disjoint ranges above `nxt`, sorted: there may be thousands, which come and go at the ends.
    ranges: VecDeque<(u64, u64)>,
    /// Range to report as a duplicate (RFC 2883); empty if there is none.
    duplicate: (u64, u64),
    /// A position in each of the ranges that grew last, latest first; zero is none.
    recent: [u64; RECENT],
}

impl Default for Reassembly {
    fn default() -> Self {
        let (ranges, recent, duplicate) = (VecDeque::new(), [0; RECENT], (0, 0));
        Self { nxt: 0, read: 0, adv: 0, fin: NO_FIN, ranges, recent, duplicate }
    }
}

/// The edges of the stream.
impl Reassembly {
    /// Expects data from `nxt` on, after a window of `window` bytes was advertised.
    pub(crate) fn start(&mut self, nxt: u64, window: u64) {
        (self.nxt, self.read, self.adv) = (nxt, nxt, nxt + window);
    }
    /// Next in order (RCV.NXT).
    #[inline(always)]
    pub(crate) const fn nxt(&self) -> u64 {
        self.nxt
    }
    /// End of the data received in order: the FIN, once reached, is none.
    #[inline(always)]
    pub(crate) fn nxt_data(&self) -> u64 {
        self.nxt.min(self.fin)
    }
    /// Position of the FIN, once known.
    #[inline(always)]
    pub(crate) fn fin(&self) -> Option<u64> {
        (self.fin != NO_FIN).then_some(self.fin)
    }
    /// A FIN lies at `at`; the first that comes counts.
    pub(crate) fn on_fin(&mut self, at: u64) {
        if self.fin == NO_FIN {
            self.fin = at;
        }
    }
    /// The FIN is next, and takes a number: passes over it.
    pub(crate) fn absorb_fin(&mut self) {
        if self.nxt == self.fin {
            self.nxt += 1;
        }
    }
    /// Whether all up to the FIN has come, and it.
    #[inline(always)]
    pub(crate) fn is_complete(&self) -> bool {
        self.nxt > self.fin
    }
    /// Position up to which the application has read.
    #[inline(always)]
    pub(crate) const fn read(&self) -> u64 {
        self.read
    }
    /// The application reads all that has come in order.
    #[inline(always)]
    pub(crate) fn take_all(&mut self) {
        self.read = self.nxt_data();
    }
    /// The application reads up to `bytes`; returns how many there were.
    pub(crate) fn take(&mut self, bytes: u64) -> u64 {
        let taken = bytes.min(self.nxt_data().saturating_sub(self.read));
        self.read += taken;
        taken
    }
    /// Right edge of the advertised window.
    #[inline(always)]
    pub(crate) const fn edge(&self) -> u64 {
        self.adv
    }
    /// Bytes of it that the peer may still send.
    #[inline(always)]
    pub(crate) const fn window(&self) -> u64 {
        self.adv.saturating_sub(self.nxt)
    }
    /// The window is advertised up to `edge`, if that is more than it was.
    #[inline(always)]
    pub(crate) fn advertise(&mut self, edge: u64) {
        self.adv = self.adv.max(edge);
    }
}

/// Ranges above gaps.
impl Reassembly {
    pub(crate) fn has_gap(&self) -> bool {
        !self.ranges.is_empty()
    }
    pub(crate) fn has_duplicate(&self) -> bool {
        self.duplicate.0 < self.duplicate.1
    }

    /// Takes `start..end`, which is not empty and ends within the window.
    #[inline]
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> Arrival {
        if end <= self.nxt {
            self.duplicate = (start, end);
            return Arrival::Duplicate;
        }
        if start > self.nxt {
            return self.insert_above(start, end);
        }
        if start < self.nxt {
            self.duplicate = (start, self.nxt);
        }
        self.nxt = end;
        if self.ranges.is_empty() {
            return Arrival::InOrder;
        }
        self.absorb()
    }

    /// Moves `nxt` over the ranges it has reached.
    fn absorb(&mut self) -> Arrival {
        let (to, mut last) = (self.nxt, None);
        while let Some(&range) = self.ranges.front().filter(|r| r.0 <= to) {
            last = Some(range);
            self.ranges.pop_front();
        }
        if let Some((start, end)) = last {
            // Only a segment that was resent larger can overlap what lies above a gap.
            if to > start {
                self.duplicate = (start, to.min(end));
            }
            self.nxt = to.max(end);
        }
        self.recent.iter_mut().filter(|p| **p < self.nxt).for_each(|p| *p = 0);
        Arrival::FilledGap
    }

    fn insert_above(&mut self, start: u64, end: u64) -> Arrival {
        // Mostly it lies behind all that has come, or goes on with the last of it.
        if let Some(last) = self.ranges.back_mut().filter(|r| r.1 <= start) {
            let goes_on = last.1 == start;
            let merged = if goes_on { (last.0, end) } else { (start, end) };
            if goes_on {
                *last = merged;
            } else {
                self.ranges.push_back(merged);
            }
            self.remember(merged);
            return Arrival::OutOfOrder;
        }
        let first = self.ranges.partition_point(|r| r.1 < start);
        let last = self.ranges.partition_point(|r| r.0 <= end);
        let mut merged = (start, end);
        let arrival = match self.ranges.get(first) {
            Some(r) if r.0 <= start && end <= r.1 => {
                self.duplicate = (start, end);
                Arrival::Duplicate
            }
            _ => Arrival::OutOfOrder,
        };
        if first < last {
            merged = (start.min(self.ranges[first].0), end.max(self.ranges[last - 1].1));
            self.ranges[first] = merged;
            if first + 1 < last {
                self.ranges.drain(first + 1..last);
            }
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

    /// The block of a duplicate, if there is one (RFC 2883 §4), which is reported once.
    pub(crate) fn report_duplicate(&mut self) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        if self.has_duplicate() {
            let (left, right) = core::mem::take(&mut self.duplicate);
            blocks.push(SeqNumber(left as u32), SeqNumber(right as u32));
        }
        blocks
    }

    /// The blocks of the next ACK, at most `room` of them: a duplicate first, then the ranges that grew last, then the
    /// others.
    pub(crate) fn blocks(&mut self, room: usize) -> SackBlocks {
        let mut blocks = self.report_duplicate();
        let wire = |n: u64| SeqNumber(n as u32);
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
    /// Ranges received above gaps: disjoint, in order.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = &(u64, u64)> {
        self.ranges.iter()
    }

    /// Number of bytes of `start..end` that have not arrived yet.
    #[inline]
    pub(crate) fn missing(&self, start: u64, end: u64) -> u64 {
        let start = start.max(self.nxt);
        // Mostly all that has come above it, if anything, lies further up, or all of it below.
        if self.ranges.front().is_none_or(|r| r.0 >= end) || self.ranges.back().is_none_or(|r| r.1 <= start) {
            return end.saturating_sub(start);
        }
        self.missing_among(start, end)
    }

    fn missing_among(&self, start: u64, end: u64) -> u64 {
        let first = self.ranges.partition_point(|r| r.1 <= start);
        let there = self
            .ranges
            .range(first..)
            .take_while(|r| r.0 < end)
            .map(|r| r.1.min(end) - r.0.max(start))
            .sum::<u64>();
        end.saturating_sub(start) - there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expecting(nxt: u64, window: u64) -> Reassembly {
        let mut r = Reassembly::default();
        r.start(nxt, window);
        r
    }

    #[test]
    fn a_fin_that_is_reached_is_no_data() {
        let mut r = expecting(1, 100);
        r.on_fin(51);
        r.on_fin(60);
        assert_eq!(r.insert(21, 52), Arrival::OutOfOrder);
        assert!(!r.is_complete());
        assert_eq!(r.insert(1, 21), Arrival::FilledGap);
        assert_eq!((r.nxt(), r.nxt_data(), r.fin(), r.is_complete()), (52, 51, Some(51), true));
        r.take_all();
        assert_eq!(r.read(), 51);
    }

    #[test]
    fn an_application_reads_what_has_come_in_order() {
        let mut r = expecting(1, 100);
        r.insert(1, 41);
        r.insert(61, 81);
        assert_eq!((r.take(30), r.take(30), r.take(30)), (30, 10, 0));
        assert_eq!(r.read(), 41);
    }

    #[test]
    fn an_advertised_window_is_never_taken_back() {
        let mut r = expecting(1, 100);
        r.advertise(80);
        assert_eq!((r.edge(), r.window()), (101, 100));
        r.insert(1, 41);
        r.advertise(151);
        assert_eq!((r.edge(), r.window()), (151, 110));
    }
}

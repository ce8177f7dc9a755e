//! Displacement and delay of data that arrives ahead of its order at a receiver.
//!
//! A segment that brings the data level something new counts once: with its displacement, the bytes between the number
//! that was expected when it came and its own first one (RFC 4737 measures the same in packets, from the late one back),
//! and with its reordering delay, the time from there to its delivery. Both are zero for what comes in order. What a
//! subflow's own TCP holds back for its losses does not count before it reaches the data level.

use core::cmp::Reverse;
use std::collections::BinaryHeap;
use tailrace_core::{CoarseHistogram, Instant};

/// A segment in the out-of-order queue: its first number, and below it when it arrived. As one number it is compared without branches, which
/// nobody could predict in a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Held(u128);

impl Held {
    fn new(dsn: u64, arrived: Instant) -> Self {
        Self(u128::from(dsn) << 64 | u128::from(arrived.as_nanos()))
    }
    const fn dsn(self) -> u64 {
        (self.0 >> 64) as u64
    }
    const fn arrived(self) -> Instant {
        Instant::from_nanos(self.0 as u64)
    }
}

/// Reordering statistics of a receiver, in bounded memory. In-order data touches the first cache line alone.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Reordering {
    in_order: u64,
    /// The first number of those that are held; beyond all if none is.
    first_held: u64,
    /// First number of the segment that came last.
    latest: u64,
    /// Largest displacement since it was last taken.
    recent: u64,
    /// Segments that wait for earlier ones, by number. A heap, as with several paths most segments arrive between
    /// others.
    held: BinaryHeap<Reverse<Held>>,
    /// Displacements, in bytes, and delays of all segments that arrived out of order.
    displacement: CoarseHistogram,
    delay: CoarseHistogram,
}

impl Default for Reordering {
    fn default() -> Self {
        Self {
            in_order: 0,
            displacement: CoarseHistogram::default(),
            delay: CoarseHistogram::default(),
            held: BinaryHeap::new(),
            first_held: u64::MAX,
            recent: 0,
            latest: 0,
        }
    }
}

impl Reordering {
    /// A segment has brought new data from `dsn` on when `expected` was next.
    #[inline]
    pub(crate) fn on_arrival(&mut self, dsn: u64, expected: u64, now: Instant) {
        self.latest = dsn;
        if dsn <= expected {
            self.in_order += 1;
        } else {
            self.hold(dsn, expected, now);
        }
    }

    fn hold(&mut self, dsn: u64, expected: u64, now: Instant) {
        self.displacement.record_value(dsn - expected);
        self.recent = self.recent.max(dsn - expected);
        self.held.push(Reverse(Held::new(dsn, now)));
        self.first_held = self.first_held.min(dsn);
    }

    /// Everything below `next` has been delivered.
    #[inline]
    pub(crate) fn on_delivery(&mut self, next: u64, now: Instant) {
        while self.first_held < next {
            self.release_first(now);
        }
    }

    fn release_first(&mut self, now: Instant) {
        if let Some(Reverse(held)) = self.held.pop() {
            self.delay.record(now.saturating_since(held.arrived()));
        }
        self.first_held = self.held.peek().map_or(u64::MAX, |Reverse(held)| held.dsn());
    }

    /// Displacements of all segments, bytes.
    pub fn displacement(&self) -> CoarseHistogram {
        self.with_those_in_order(&self.displacement)
    }

    /// Reordering delays of all segments that were delivered.
    pub fn delay(&self) -> CoarseHistogram {
        self.with_those_in_order(&self.delay)
    }

    fn with_those_in_order(&self, late: &CoarseHistogram) -> CoarseHistogram {
        let mut all = late.clone();
        all.record_many(0, self.in_order);
        all
    }

    /// Share of the segments that came ahead of their order; NaN without any.
    pub fn ratio(&self) -> f64 {
        let ahead = self.displacement.count();
        ahead as f64 / (ahead + self.in_order) as f64
    }

    /// Where in the stream the latest segment that brought anything new begins, bytes from its start.
    #[inline]
    pub const fn latest(&self) -> u64 {
        self.latest
    }

    /// The largest displacement since this was last asked.
    pub fn take_recent(&mut self) -> u64 {
        core::mem::take(&mut self.recent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Duration;

    #[test]
    fn displacement_is_taken_on_arrival_and_delay_on_delivery() {
        let at = Instant::from_millis;
        let mut r = Reordering::default();
        r.on_arrival(1, 1, at(0));
        // 101 is late: 201, 401 and then 301 come before it.
        r.on_arrival(201, 101, at(10));
        r.on_arrival(401, 101, at(20));
        r.on_arrival(301, 101, at(30));
        assert_eq!((r.take_recent(), r.take_recent(), r.latest()), (300, 0, 301));
        r.on_arrival(101, 101, at(50));
        r.on_delivery(501, at(50));
        let (displacement, delay) = (r.displacement(), r.delay());
        assert_eq!((displacement.count(), displacement.mean(), displacement.max()), (5, 120.0, 300.0));
        // 40, 30 and 20 ms, and two without.
        assert_eq!((delay.count(), delay.mean_s(), delay.max_s()), (5, 0.018, 0.04));
        assert_eq!(r.ratio(), 0.6);
    }

    #[test]
    fn undelivered_data_has_no_reordering_delay() {
        let mut r = Reordering::default();
        r.on_arrival(201, 101, Instant::ZERO);
        r.on_arrival(401, 101, Instant::ZERO);
        r.on_delivery(301, Instant::from_millis(7));
        assert_eq!((r.displacement().count(), r.delay().count()), (2, 1));
        r.on_delivery(501, Instant::from_millis(9));
        assert_eq!(r.delay().max_s(), Duration::from_millis(9).as_secs_f64());
        assert!(Reordering::default().ratio().is_nan());
    }
}

//! How far, and for how long, data runs ahead of its order at a receiver.
//!
//! A segment that brings the data level something new counts once: with its displacement, the bytes between the number
//! that was expected when it came and its own first one (RFC 4737 measures the same in packets, from the late one back),
//! and with its reordering delay, the time from there to its delivery. Both are zero for what comes in order. What a
//! subflow's own TCP holds back for its losses does not count before it reaches the data level.

use tailrace_core::{CoarseHistogram, Instant, Ring};

/// A segment in the out-of-order queue.
#[derive(Clone, Copy, Debug)]
struct Held {
    dsn: u64,
    arrived: Instant,
}

/// What a receiver has seen of reordering, in bounded memory.
#[derive(Clone, Debug, Default)]
pub struct Reordering {
    in_order: u64,
    /// Of the others, bytes and times.
    displacement: CoarseHistogram,
    delay: CoarseHistogram,
    /// Those of each subflow by their numbers, in which nearly all of one subflow come, while most come between those of others.
    held: Vec<Ring<Held>>,
    /// The least number of all of these; zero without any.
    first: u64,
    /// Largest displacement since it was last taken.
    recent: u64,
    /// First number of the segment that came last.
    latest: u64,
}

impl Reordering {
    /// A segment has brought new data from `dsn` on by subflow `id` when `expected` was next.
    #[inline]
    pub(crate) fn on_arrival(&mut self, id: usize, dsn: u64, expected: u64, now: Instant) {
        self.latest = dsn;
        if dsn <= expected {
            self.in_order += 1;
        } else {
            self.displacement.record_value(dsn - expected);
            self.recent = self.recent.max(dsn - expected);
            self.hold(id, Held { dsn, arrived: now });
        }
    }

    fn hold(&mut self, id: usize, held: Held) {
        if self.held.len() <= id {
            self.held.resize_with(id + 1, Ring::new);
        }
        self.first = if self.first == 0 { held.dsn } else { self.first.min(held.dsn) };
        let queue = &mut self.held[id];
        if queue.back().is_none_or(|last| last.dsn <= held.dsn) {
            return queue.push_back(held);
        }
        let place = queue.partition_point(|h| h.dsn <= held.dsn);
        queue.insert(place, held);
    }

    /// Everything below `next` has been delivered.
    #[inline]
    pub(crate) fn on_delivery(&mut self, next: u64, now: Instant) {
        if self.first != 0 && self.first < next {
            self.release(next, now);
        }
    }

    fn release(&mut self, next: u64, now: Instant) {
        for queue in &mut self.held {
            while queue.front().is_some_and(|held| held.dsn < next)
                && let Some(held) = queue.pop_front()
            {
                self.delay.record(now.saturating_since(held.arrived));
            }
        }
        let fronts = self.held.iter().filter_map(|queue| queue.front());
        self.first = fronts.map(|held| held.dsn).min().unwrap_or(0);
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
        r.on_arrival(0, 1, 1, at(0));
        // 101 is late: 201, 401 and then 301 come before it.
        r.on_arrival(0, 201, 101, at(10));
        r.on_arrival(1, 401, 101, at(20));
        r.on_arrival(1, 301, 101, at(30));
        assert_eq!((r.take_recent(), r.take_recent(), r.latest()), (300, 0, 301));
        r.on_arrival(0, 101, 101, at(50));
        r.on_delivery(501, at(50));
        let (displacement, delay) = (r.displacement(), r.delay());
        assert_eq!((displacement.count(), displacement.mean(), displacement.max()), (5, 120.0, 300.0));
        // 40, 30 and 20 ms, and two without.
        assert_eq!((delay.count(), delay.mean_s(), delay.max_s()), (5, 0.018, 0.04));
        assert_eq!(r.ratio(), 0.6);
    }

    #[test]
    fn what_is_not_delivered_yet_has_no_delay() {
        let mut r = Reordering::default();
        r.on_arrival(3, 201, 101, Instant::ZERO);
        r.on_arrival(0, 401, 101, Instant::ZERO);
        r.on_delivery(301, Instant::from_millis(7));
        assert_eq!((r.displacement().count(), r.delay().count()), (2, 1));
        r.on_delivery(501, Instant::from_millis(9));
        assert_eq!(r.delay().max_s(), Duration::from_millis(9).as_secs_f64());
        assert!(Reordering::default().ratio().is_nan());
    }
}

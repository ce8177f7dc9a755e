//! Capacity of links over time: rates or delivery opportunities, as faults change them.

use std::collections::BTreeMap;
use tailrace_access::LinkSchedule;
use tailrace_core::{Instant, Rate, Rng};
use tailrace_net::LinkId;
use tailrace_scenario::model::LinkSpec;

/// Capacity of a link direction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LinkCapacity {
    /// Constant rate.
    Rate(Rate),
    /// Schedule, with its random stream.
    Schedule(LinkSchedule, Rng),
}

impl LinkCapacity {
    /// Capacity of the scenario's link; `stream` is its random stream for schedules.
    pub(crate) fn of(spec: &LinkSpec, stream: impl FnOnce() -> Rng) -> Self {
        match &spec.schedule {
            Some(schedule) => Self::Schedule(schedule.clone(), stream()),
            None => Self::Rate(spec.rate),
        }
    }

    /// Bits after `from`, up to and including `to`.
    fn bits(&self, from: Instant, to: Instant) -> f64 {
        match self {
            Self::Rate(rate) => rate.as_bps() as f64 * to.saturating_since(from).as_secs_f64(),
            Self::Schedule(schedule, rng) => schedule.bits(rng.clone(), from, to),
        }
    }
}

/// Rates of the link directions whose rate has changed.
#[derive(Debug, Default)]
pub(crate) struct CapacityHistory {
    /// Changes in order of time, each with its start.
    changes: BTreeMap<LinkId, Vec<(Instant, LinkCapacity)>>,
}

impl CapacityHistory {
    /// Records another rate of a direction from now on.
    pub(crate) fn changed(&mut self, way: LinkId, now: Instant, pace: LinkCapacity) {
        self.changes.entry(way).or_default().push((now, pace));
    }

    /// Mean rate of a direction from `from` to `to`, if it began with `first`.
    pub(crate) fn mean_bps(&self, way: LinkId, first: &LinkCapacity, from: Instant, to: Instant) -> f64 {
        let changes = self.changes.get(&way).map_or(&[][..], Vec::as_slice);
        let before = changes.partition_point(|(at, _)| *at <= from);
        let first = before.checked_sub(1).map_or(first, |last| &changes[last].1);
        let within: Vec<_> = changes[before..].iter().filter(|(at, _)| *at < to).collect();
        let span = to.saturating_since(from);
        if let LinkCapacity::Rate(rate) = first
            && (within.is_empty() || span.is_zero())
        {
            return rate.as_bps() as f64;
        }
        let (mut bits, mut since, mut pace) = (0.0, from, first);
        for (at, next) in within {
            bits += pace.bits(since, *at);
            (since, pace) = (*at, next);
        }
        bits += pace.bits(since, to);
        if span.is_zero() { 0.0 } else { bits / span.as_secs_f64() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tailrace_core::DeliveryTrace;

    #[test]
    fn mean_rate_is_time_weighted() {
        let (way, second) = (LinkId(3), Instant::from_secs);
        let [ten, one, four] = [10, 1, 4].map(|mbit| LinkCapacity::Rate(Rate::from_mbit(mbit)));
        let mut rates = CapacityHistory::default();
        let mean = |rates: &CapacityHistory, from, to| rates.mean_bps(way, &ten, second(from), second(to));
        assert_eq!(mean(&rates, 0, 8), 10e6);
        rates.changed(way, second(2), one);
        rates.changed(way, second(4), four);
        // 2 s of 10, 2 s of 1 and 4 s of 4 Mbit/s: 38 Mbit in 8 s.
        assert_eq!(mean(&rates, 0, 8), 38e6 / 8.0);
        assert_eq!(mean(&rates, 2, 4), 1e6);
        // 1 s of 1 and 1 s of 4.
        assert_eq!(mean(&rates, 3, 5), 2.5e6);
        assert_eq!((mean(&rates, 0, 2), mean(&rates, 5, 9)), (10e6, 4e6));
        assert_eq!(rates.mean_bps(LinkId(4), &ten, second(0), second(8)), 10e6);
    }

    #[test]
    fn mean_rate_of_a_trace_counts_opportunities() {
        let trace = LinkSchedule::Trace(Arc::new(DeliveryTrace::parse("250 250 1000").unwrap()));
        let trace = LinkCapacity::Schedule(trace, Rng::new(1));
        let (way, second) = (LinkId(0), Instant::from_secs);
        let mut rates = CapacityHistory::default();
        assert_eq!(rates.mean_bps(way, &trace, second(0), second(4)), 3.0 * 12_032.0);
        assert_eq!(rates.mean_bps(way, &trace, second(2), second(2)), 0.0);
        rates.changed(way, Instant::from_nanos(500_000_000), LinkCapacity::Rate(Rate::from_bps(1000)));
        // Two opportunities and 500 bits in a second.
        assert_eq!(rates.mean_bps(way, &trace, second(0), second(1)), 2.0 * 12_032.0 + 500.0);
    }
}

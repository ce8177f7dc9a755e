//! What links could have carried: their rates over time, where faults change them.

use std::collections::BTreeMap;
use tailrace_core::{Duration, Instant, Rate};
use tailrace_net::LinkId;

/// Rates of the link directions whose rate has changed.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    /// From when on it was which, in the order of time.
    changes: BTreeMap<LinkId, Vec<(Instant, Rate)>>,
}

impl Rates {
    /// A direction has another rate from now on.
    pub(crate) fn changed(&mut self, way: LinkId, now: Instant, rate: Rate) {
        self.changes.entry(way).or_default().push((now, rate));
    }

    /// The mean rate of a direction from `from` to `to`, if it began with `first`.
    pub(crate) fn mean_bps(&self, way: LinkId, first: Rate, from: Instant, to: Instant) -> f64 {
        let changes = self.changes.get(&way).map_or(&[][..], Vec::as_slice);
        let before = changes.partition_point(|(at, _)| *at <= from);
        let first = before.checked_sub(1).map_or(first, |last| changes[last].1);
        let within: Vec<_> = changes[before..].iter().filter(|(at, _)| *at < to).collect();
        let span = to.saturating_since(from);
        if within.is_empty() || span.is_zero() {
            return first.as_bps() as f64;
        }
        let (mut bits, mut since, mut rate) = (0.0, from, first);
        let mut pass = |until: Instant, next: Rate| {
            let time: Duration = until.saturating_since(since);
            bits += rate.as_bps() as f64 * time.as_secs_f64();
            (since, rate) = (until, next);
        };
        within.iter().for_each(|(at, next)| pass(*at, *next));
        pass(to, first);
        bits / span.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_weighted_by_time() {
        let (way, second) = (LinkId(3), Instant::from_secs);
        let [ten, one, four] = [10, 1, 4].map(Rate::from_mbit);
        let mut rates = Rates::default();
        let mean = |rates: &Rates, from, to| rates.mean_bps(way, ten, second(from), second(to));
        assert_eq!(mean(&rates, 0, 8), 10e6);
        rates.changed(way, second(2), one);
        rates.changed(way, second(4), four);
        // 2 s of 10, 2 s of 1 and 4 s of 4 Mbit/s: 38 Mbit in 8 s.
        assert_eq!(mean(&rates, 0, 8), 38e6 / 8.0);
        assert_eq!(mean(&rates, 2, 4), 1e6);
        // 1 s of 1 and 1 s of 4.
        assert_eq!(mean(&rates, 3, 5), 2.5e6);
        assert_eq!((mean(&rates, 0, 2), mean(&rates, 5, 9)), (10e6, 4e6));
        assert_eq!(rates.mean_bps(LinkId(4), ten, second(0), second(8)), 10e6);
    }
}

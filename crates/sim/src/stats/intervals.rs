//! How even goodput and loss are from one interval of `[record] interval` to the next: of each flow and each group, in the
//! whole and in the window that began last. Counters are looked at when an interval ends, so packets pay nothing.

use crate::ground::rate::loss_ratio;
use crate::ground::scope::{Each, Open};
use crate::host::flow::Flow;
use crate::host::hosts::World;
use tailrace_core::{Duration, Instant, math};
use tailrace_scenario::model::Scenario;

/// Of a run whose scenario records at intervals.
#[derive(Debug)]
pub(crate) struct Bins {
    pub(crate) interval: Duration,
    /// When the present one began.
    since: Instant,
    /// The windows that there are: the whole, and parts of it where the scenario has any.
    windows: &'static [Open],
    flows: Vec<Binned>,
    groups: Vec<Binned>,
}

/// What has been counted up to some moment, and whether anything was open then.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    delivered_bytes: u64,
    received_packets: u64,
    lost_packets: u64,
    is_open: bool,
}

impl Standing {
    fn of(flow: &Flow, now: Instant) -> Self {
        Self {
            delivered_bytes: flow.tally.delivered_bytes,
            received_packets: flow.tally.received_packets,
            lost_packets: flow.tally.lost_packets,
            is_open: flow.silence.is_open(now),
        }
    }

    fn add(&mut self, other: Self) {
        self.delivered_bytes += other.delivered_bytes;
        self.received_packets += other.received_packets;
        self.lost_packets += other.lost_packets;
        self.is_open |= other.is_open;
    }
}

/// A flow, or a group: where it stood when the present interval began, and what its intervals were like.
#[derive(Clone, Copy, Debug, Default)]
struct Binned {
    at: Standing,
    evenness: Each<Evenness>,
}

impl Binned {
    fn beginning(at: Standing) -> Self {
        Self { at, evenness: Each::default() }
    }

    /// The interval ends, of those windows that hold all of it.
    fn close(&mut self, now: Standing, windows: impl Iterator<Item = Open>) {
        let before = std::mem::replace(&mut self.at, now);
        for open in windows {
            let evenness = &mut self.evenness[open];
            if before.is_open && now.is_open {
                evenness.add(now.delivered_bytes - before.delivered_bytes);
            }
            let lost = now.lost_packets - before.lost_packets;
            evenness.lose(lost, now.received_packets - before.received_packets);
        }
    }
}

/// What intervals were like.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evenness {
    /// Those at both ends of which something was open, and bytes delivered in each.
    pub(crate) count: u64,
    sum: u64,
    squares: u128,
    min: u64,
    max: u64,
    /// The largest share lost in any; none where nothing was lost or arrived.
    loss: Option<f64>,
}

impl Evenness {
    fn add(&mut self, bytes: u64) {
        self.min = if self.count == 0 { bytes } else { self.min.min(bytes) };
        self.max = self.max.max(bytes);
        self.count += 1;
        self.sum += bytes;
        self.squares += u128::from(bytes) * u128::from(bytes);
    }

    fn lose(&mut self, lost: u64, received: u64) {
        if lost + received > 0 {
            let share = loss_ratio(lost, lost + received);
            self.loss = Some(self.loss.map_or(share, |most| most.max(share)));
        }
    }

    /// Standard deviation over mean; NaN of fewer than two intervals, or without a byte.
    pub(crate) fn goodput_cv(&self) -> f64 {
        if self.count < 2 || self.sum == 0 {
            return f64::NAN;
        }
        // n² times the variance: whole numbers until they are even.
        let spread = u128::from(self.count).saturating_mul(self.squares);
        let variance = spread.saturating_sub(u128::from(self.sum) * u128::from(self.sum));
        math::sqrt(variance as f64) / self.sum as f64
    }

    /// The least of bytes in an interval; none without one.
    pub(crate) fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// The most.
    pub(crate) fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The largest share lost in an interval; NaN where nothing was lost or arrived in any.
    pub(crate) fn loss_max_ratio(&self) -> f64 {
        self.loss.unwrap_or(f64::NAN)
    }
}

impl Bins {
    /// Those of a scenario that records at intervals.
    pub(crate) fn of(scenario: &Scenario, flows: &[Flow]) -> Option<Box<Self>> {
        let interval = scenario.record.interval?;
        let mut groups = vec![Standing::default(); scenario.flows.len()];
        let standings: Vec<_> = flows.iter().map(|flow| Standing::of(flow, Instant::ZERO)).collect();
        flows.iter().zip(&standings).for_each(|(flow, at)| groups[flow.group as usize].add(*at));
        let binned = |at: Vec<Standing>| at.into_iter().map(Binned::beginning).collect();
        Some(Box::new(Self {
            interval,
            since: Instant::ZERO,
            windows: if scenario.windows.is_empty() { &[Open::Whole] } else { &Open::BOTH },
            flows: binned(standings),
            groups: binned(groups),
        }))
    }

    /// A window begins.
    pub(crate) fn begin(&mut self, open: Open) {
        let all = self.flows.iter_mut().chain(&mut self.groups);
        all.for_each(|binned| binned.evenness[open] = Evenness::default());
    }

    /// An interval ends now, if it does and has not been told yet.
    fn close(&mut self, flows: &[Flow], begun: &Each<Option<Instant>>, now: Instant) {
        if now != self.since + self.interval {
            return;
        }
        let since = std::mem::replace(&mut self.since, now);
        let holds = |open: &Open| begun[*open].is_none_or(|begun| begun <= since);
        let windows = || self.windows.iter().copied().filter(holds);
        let mut groups = vec![Standing::default(); self.groups.len()];
        for (binned, flow) in self.flows.iter_mut().zip(flows) {
            let standing = Standing::of(flow, now);
            groups[flow.group as usize].add(standing);
            binned.close(standing, windows());
        }
        for (binned, standing) in self.groups.iter_mut().zip(groups) {
            binned.close(standing, windows());
        }
    }
}

impl World {
    /// An interval may end now. One that ends with a window is of that window. Queues under study are settled.
    pub(crate) fn close_bins(&mut self, now: Instant) {
        if let Some(bins) = &mut self.bins {
            bins.close(&self.flows, &self.begun, now);
        }
    }

    /// What the intervals of a flow in a window were like; none where none are recorded.
    pub(crate) fn evenness_of_flow(&self, flow: usize, open: Open) -> Evenness {
        self.bins.as_ref().map_or_else(Evenness::default, |bins| bins.flows[flow].evenness[open])
    }

    /// The same of a group, with how long an interval is.
    pub(crate) fn evenness_of_group(&self, group: usize, open: Open) -> Option<(Duration, Evenness)> {
        self.bins.as_ref().map(|bins| (bins.interval, bins.groups[group].evenness[open]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenness_is_that_of_the_numbers() {
        let mut evenness = Evenness::default();
        assert!(evenness.goodput_cv().is_nan() && evenness.loss_max_ratio().is_nan());
        assert_eq!((evenness.min(), evenness.max()), (None, None));
        [2, 4, 4, 4, 5, 5, 7, 9].into_iter().for_each(|bytes| evenness.add(bytes));
        // Their mean is 5, their standard deviation 2.
        assert_eq!((evenness.goodput_cv(), evenness.min(), evenness.max()), (0.4, Some(2), Some(9)));
        [(0, 0), (1, 3), (5, 5), (0, 7)]
            .into_iter()
            .for_each(|(lost, received)| evenness.lose(lost, received));
        assert_eq!(evenness.loss_max_ratio(), 0.5);
    }

    #[test]
    fn equal_intervals_are_even_however_large() {
        let mut evenness = Evenness::default();
        (0..1000).for_each(|_| evenness.add(123_456_789_012));
        assert_eq!(evenness.goodput_cv(), 0.0);
    }

    #[test]
    fn an_interval_counts_where_something_is_open_at_both_its_ends() {
        let standing =
            |delivered_bytes, is_open| Standing { delivered_bytes, is_open, ..Standing::default() };
        let mut binned = Binned::default();
        for (bytes, is_open) in [(10, true), (40, true), (90, true), (95, false), (100, false), (100, true)] {
            binned.close(standing(bytes, is_open), [Open::Whole].into_iter());
        }
        let whole = binned.evenness[Open::Whole];
        assert_eq!((whole.count, whole.min(), whole.max()), (2, Some(30), Some(50)));
        assert_eq!(binned.evenness[Open::Part].count, 0);
    }
}

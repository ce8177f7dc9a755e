//! Smoothness of goodput and loss over the intervals of `[record] interval`, for each flow and group, over the run and the
//! current window. Counters are read at the end of each interval, without cost per packet.

use crate::ground::rate::loss_ratio;
use crate::ground::scope::{PerScope, Scope};
use crate::stats::flow_stats::FlowStats;
use tailrace_core::{Duration, Instant, math};
use tailrace_scenario::model::Scenario;

/// Interval statistics of a run with `[record] interval`.
#[derive(Debug)]
pub(crate) struct Intervals {
    pub(crate) interval: Duration,
    /// Start of the current interval.
    since: Instant,
    /// Scopes that the scenario has: the run, and its windows if there are any.
    scopes: &'static [Scope],
    flows: Vec<IntervalStats>,
    groups: Vec<IntervalStats>,
}

/// Counters at the edge of an interval, and whether anything was open then.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IntervalCounters {
    delivered_bytes: u64,
    received_packets: u64,
    lost_packets: u64,
    is_open: bool,
}

impl IntervalCounters {
    pub(crate) fn new(stats: &FlowStats, is_open: bool) -> Self {
        Self {
            delivered_bytes: stats.delivered_bytes,
            received_packets: stats.received_packets,
            lost_packets: stats.lost_packets,
            is_open,
        }
    }

    fn add(&mut self, other: Self) {
        self.delivered_bytes += other.delivered_bytes;
        self.received_packets += other.received_packets;
        self.lost_packets += other.lost_packets;
        self.is_open |= other.is_open;
    }
}

/// A flow or group: counters at the start of the current interval, and the smoothness of past intervals.
#[derive(Clone, Copy, Debug, Default)]
struct IntervalStats {
    at: IntervalCounters,
    smoothness: PerScope<Smoothness>,
}

impl IntervalStats {
    fn starting_at(at: IntervalCounters) -> Self {
        Self { at, smoothness: PerScope::default() }
    }

    /// Ends an interval for those scopes that contain all of it.
    fn close(&mut self, now: IntervalCounters, scopes: impl Iterator<Item = Scope>) {
        let before = std::mem::replace(&mut self.at, now);
        for scope in scopes {
            let smoothness = &mut self.smoothness[scope];
            if before.is_open && now.is_open {
                smoothness.add_goodput(now.delivered_bytes - before.delivered_bytes);
            }
            let lost = now.lost_packets - before.lost_packets;
            smoothness.add_loss(lost, now.received_packets - before.received_packets);
        }
    }
}

/// Goodput and loss of intervals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Smoothness {
    /// Number of intervals with something open at both edges.
    pub(crate) count: u64,
    /// Bytes delivered in these intervals; below, the sum of their squares.
    sum: u64,
    squares: u128,
    min: u64,
    max: u64,
    /// Largest loss ratio of an interval; `None` if no packet was lost or arrived.
    loss: Option<f64>,
}

impl Smoothness {
    fn add_goodput(&mut self, bytes: u64) {
        self.min = if self.count == 0 { bytes } else { self.min.min(bytes) };
        self.max = self.max.max(bytes);
        self.count += 1;
        self.sum += bytes;
        self.squares += u128::from(bytes) * u128::from(bytes);
    }

    fn add_loss(&mut self, lost: u64, received: u64) {
        if lost + received > 0 {
            let share = loss_ratio(lost, lost + received);
            self.loss = Some(self.loss.map_or(share, |most| most.max(share)));
        }
    }

    /// Coefficient of variation of goodput: standard deviation over mean. NaN for fewer than two intervals or no bytes.
    pub(crate) fn goodput_cv(&self) -> f64 {
        if self.count < 2 || self.sum == 0 {
            return f64::NAN;
        }
        // n² times the variance, in integers, so that equal intervals give exactly zero.
        let spread = u128::from(self.count).saturating_mul(self.squares);
        let variance = spread.saturating_sub(u128::from(self.sum) * u128::from(self.sum));
        math::sqrt(variance as f64) / self.sum as f64
    }

    /// Smallest number of bytes delivered in an interval.
    pub(crate) fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// Largest number of bytes delivered in an interval.
    pub(crate) fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// Largest loss ratio of an interval; NaN if no packet was lost or arrived.
    pub(crate) fn loss_max_ratio(&self) -> f64 {
        self.loss.unwrap_or(f64::NAN)
    }
}

impl Intervals {
    /// Interval statistics, if the scenario records at intervals. `flows` are the groups and initial counters of all flows.
    pub(crate) fn of(
        scenario: &Scenario,
        flows: impl Iterator<Item = (u32, IntervalCounters)>,
    ) -> Option<Box<Self>> {
        let interval = scenario.record.interval?;
        let mut groups = vec![IntervalCounters::default(); scenario.flows.len()];
        let mut each = Vec::new();
        for (group, counters) in flows {
            groups[group as usize].add(counters);
            each.push(IntervalStats::starting_at(counters));
        }
        Some(Box::new(Self {
            interval,
            since: Instant::ZERO,
            scopes: if scenario.windows.is_empty() { &[Scope::Run] } else { &Scope::BOTH },
            flows: each,
            groups: groups.into_iter().map(IntervalStats::starting_at).collect(),
        }))
    }

    /// Starts a window.
    pub(crate) fn begin(&mut self, scope: Scope) {
        let all = self.flows.iter_mut().chain(&mut self.groups);
        all.for_each(|stats| stats.smoothness[scope] = Smoothness::default());
    }

    /// Whether an interval ends at `now` and has not been closed yet.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        now == self.since + self.interval
    }

    /// Closes the interval that ends at `now`, given the start of each scope and the groups and counters of all flows.
    pub(crate) fn close(
        &mut self,
        flows: impl Iterator<Item = (u32, IntervalCounters)>,
        scope_starts: &PerScope<Option<Instant>>,
        now: Instant,
    ) {
        let since = std::mem::replace(&mut self.since, now);
        let contains = |scope: &Scope| scope_starts[*scope].is_none_or(|start| start <= since);
        let scopes = || self.scopes.iter().copied().filter(contains);
        let mut groups = vec![IntervalCounters::default(); self.groups.len()];
        for (stats, (group, counters)) in self.flows.iter_mut().zip(flows) {
            groups[group as usize].add(counters);
            stats.close(counters, scopes());
        }
        for (stats, counters) in self.groups.iter_mut().zip(groups) {
            stats.close(counters, scopes());
        }
    }

    /// Smoothness of a flow in a scope.
    pub(crate) fn of_flow(&self, flow: usize, scope: Scope) -> Smoothness {
        self.flows[flow].smoothness[scope]
    }

    /// Smoothness of a group in a scope.
    pub(crate) fn of_group(&self, group: usize, scope: Scope) -> Smoothness {
        self.groups[group].smoothness[scope]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodput_cv_and_largest_loss_ratio_match_hand_computed_values() {
        let mut smoothness = Smoothness::default();
        assert!(smoothness.goodput_cv().is_nan() && smoothness.loss_max_ratio().is_nan());
        assert_eq!((smoothness.min(), smoothness.max()), (None, None));
        [2, 4, 4, 4, 5, 5, 7, 9].into_iter().for_each(|bytes| smoothness.add_goodput(bytes));
        // Mean 5, standard deviation 2.
        assert_eq!((smoothness.goodput_cv(), smoothness.min(), smoothness.max()), (0.4, Some(2), Some(9)));
        [(0, 0), (1, 3), (5, 5), (0, 7)]
            .into_iter()
            .for_each(|(lost, received)| smoothness.add_loss(lost, received));
        assert_eq!(smoothness.loss_max_ratio(), 0.5);
    }

    #[test]
    fn goodput_cv_of_equal_large_intervals_is_exactly_zero() {
        let mut smoothness = Smoothness::default();
        (0..1000).for_each(|_| smoothness.add_goodput(123_456_789_012));
        assert_eq!(smoothness.goodput_cv(), 0.0);
    }

    #[test]
    fn goodput_counts_only_intervals_open_at_both_edges() {
        let counters = |delivered_bytes, is_open| IntervalCounters {
            delivered_bytes,
            is_open,
            ..IntervalCounters::default()
        };
        let mut stats = IntervalStats::default();
        for (bytes, is_open) in [(10, true), (40, true), (90, true), (95, false), (100, false), (100, true)] {
            stats.close(counters(bytes, is_open), [Scope::Run].into_iter());
        }
        let whole = stats.smoothness[Scope::Run];
        assert_eq!((whole.count, whole.min(), whole.max()), (2, Some(30), Some(50)));
        assert_eq!(stats.smoothness[Scope::Window].count, 0);
    }
}

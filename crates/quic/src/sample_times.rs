//! Times at which connections report their statistics.

use std::collections::BTreeSet;
use tailrace_core::{Duration, Instant};
use tailrace_scenario::Scenario;

/// Connections report a little before the recorder reads their statistics: at each sample of series, and at the start and end of
/// windows and of the run.
#[derive(Clone, Debug)]
pub(crate) struct SampleTimes {
    next: Instant,
    interval: Option<Duration>,
    others: BTreeSet<Instant>,
}

/// Lead over the recorder, as kernels have it.
const BEFORE: Duration = Duration::from_micros(20);

impl SampleTimes {
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let before = |at: Duration| Instant::ZERO + at.saturating_sub(BEFORE);
        let windows = scenario.windows.iter().flat_map(|window| [window.start, window.end]);
        let all = windows.chain([scenario.warmup, scenario.duration]);
        let interval = scenario.record.interval;
        let next = interval.map_or(Instant::MAX, before);
        Self { next, interval, others: all.filter(|at| *at <= scenario.duration).map(before).collect() }
    }

    /// Time of the next report.
    pub(crate) fn next(&self) -> Instant {
        self.others.first().copied().unwrap_or(Instant::MAX).min(self.next)
    }

    /// Goes on to the first time after `now`; whether one was due.
    pub(crate) fn pass(&mut self, now: Instant) -> bool {
        let due = self.next() <= now;
        while let Some(interval) = self.interval.filter(|_| self.next <= now) {
            self.next = self.next.saturating_add(interval);
        }
        self.others = self.others.split_off(&now.saturating_add(Duration::from_nanos(1)));
        due
    }
}

//! Statistics by window: from the end of the warm-up to the end of the run, and for consecutive parts of it.
//!
//! Distributions are recorded once, for the latest part. At its end they are merged into those of the earlier parts; the whole is
//! the sum of earlier parts and the latest. Counters are copied where a window begins, for the whole and for the part. A packet
//! therefore costs nothing extra for windows, and only the summary of a finished part is kept.

use crate::ground::scope::{PerScope, Scope};
use crate::results::connection_summary::ListedConnections;
use crate::results::flow_counts::FlowCounts;
use crate::results::group_summary::{ConnectionCounts, TransferCounts};
use crate::results::run_summary::WindowSummary;
use crate::stats::group_distributions::GroupDistributions;
use tailrace_core::Instant;
use tailrace_net::{LinkCounters, QueueStats};
use tailrace_scenario::model::Scenario;

/// Measurement windows of a run.
#[derive(Debug, Default)]
pub(crate) struct MeasurementWindows {
    pub(crate) cuts: PerScope<WindowStart>,
    /// MPTCP connections at the start of the present part.
    pub(crate) connections: ListedConnections,
    pub(crate) past: EarlierWindows,
    /// Whether the present part is one of the scenario's windows.
    pub(crate) under_way: bool,
    /// Summaries of the scenario's finished windows.
    pub(crate) over: Vec<WindowSummary>,
    /// Flow statistics of the finished windows.
    pub(crate) flows_over: Vec<Vec<FlowCounts>>,
}

/// State at the start of a window; empty for a window that starts with the run.
#[derive(Debug, Default)]
pub(crate) struct WindowStart {
    /// Counters of queues, and bits that they count as sent although these are still to be sent
    /// ([`tailrace_net::Link::unsent_bits`]).
    pub(crate) queues: Vec<(LinkCounters, f64)>,
    /// Outcomes of applications at the start of a part. For the whole, outcomes count from the start of the run, warm-up
    /// included.
    pub(crate) outcomes: Vec<(Option<TransferCounts>, Option<ConnectionCounts>)>,
}

/// Distributions from the end of the warm-up to the start of the present part; empty in the first part.
#[derive(Debug, Default)]
pub(crate) struct EarlierWindows {
    pub(crate) groups: Vec<GroupDistributions>,
    pub(crate) queues: Vec<QueueStats>,
}

impl EarlierWindows {
    pub(crate) fn add(&mut self, groups: Vec<GroupDistributions>, queues: Vec<QueueStats>) {
        if self.groups.is_empty() && self.queues.is_empty() {
            *self = Self { groups, queues };
            return;
        }
        self.groups.iter_mut().zip(&groups).for_each(|(past, part)| past.merge(part));
        self.queues.iter_mut().zip(&queues).for_each(|(past, part)| past.merge(part));
    }
}

/// Next start or end of a window after `now`, before the end of the run.
pub(crate) fn next_boundary(scenario: &Scenario, now: Instant) -> Option<Instant> {
    let windows = scenario.windows.iter().flat_map(|window| [window.start, window.end]);
    let times = windows.chain([scenario.warmup]).filter(|at| *at < scenario.duration);
    times.map(|at| Instant::ZERO + at).filter(|at| *at > now).min()
}

impl MeasurementWindows {
    /// Windows at the start of a run.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self { under_way: begins(scenario, Instant::ZERO), ..Self::default() }
    }

    /// Summaries of the finished windows, without later losses of their packets.
    pub(crate) fn over(&self) -> &[WindowSummary] {
        &self.over
    }

    /// Flow statistics of the finished windows, without later losses of their packets.
    pub(crate) fn flows_over(&self) -> &[Vec<FlowCounts>] {
        &self.flows_over
    }

    /// Whether one of the scenario's windows has begun and not ended.
    pub(crate) fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// Counters of a queue at the start of a window.
    pub(crate) fn counters(&self, scope: Scope, queue: usize) -> LinkCounters {
        self.cuts[scope].queues.get(queue).map_or_else(LinkCounters::default, |(counters, _)| *counters)
    }

    /// Bits counted by the queue's link as sent before the window although they left in it or never.
    pub(crate) fn unsent_bits(&self, scope: Scope, queue: usize) -> f64 {
        self.cuts[scope].queues.get(queue).map_or(0.0, |(_, bits)| *bits)
    }

    /// Outcomes of a group's applications at the start of a window, if these are to be subtracted.
    pub(crate) fn outcomes(
        &self,
        scope: Scope,
        group: usize,
    ) -> Option<&(Option<TransferCounts>, Option<ConnectionCounts>)> {
        self.cuts[scope].outcomes.get(group)
    }

    /// MPTCP connections at the start of the present part.
    pub(crate) fn connections(&self) -> &ListedConnections {
        &self.connections
    }

    /// Distributions of groups in earlier parts of a scope.
    pub(crate) fn past_groups(&self, scope: Scope) -> &[GroupDistributions] {
        if scope == Scope::Run { &self.past.groups } else { &[] }
    }

    /// Distributions of queues in earlier parts of a scope.
    pub(crate) fn past_queues(&self, scope: Scope) -> &[QueueStats] {
        if scope == Scope::Run { &self.past.queues } else { &[] }
    }
}

/// Whether one of the scenario's windows begins at `now`.
pub(crate) fn begins(scenario: &Scenario, now: Instant) -> bool {
    scenario.windows.iter().any(|window| Instant::ZERO + window.start == now)
}

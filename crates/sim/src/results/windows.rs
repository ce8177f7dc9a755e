//! Statistics by window: from the end of the warm-up to the end of the run, and in parts of it that follow one another.
//!
//! What is recorded packet by packet is recorded once, for the part that began last. Where a part ends, its distributions
//! go to those of the parts before it, and the whole is these and the present ones; counters are remembered where a window
//! begins, for the whole and for the part. So a packet pays nothing for windows, and of a part that is over its summary is
//! kept.

use crate::ground::scope::{PerScope, Scope};
use crate::results::connection_summary::ListedConnections;
use crate::results::flow_counts::FlowCounts;
use crate::results::group_summary::{ConnectionCounts, TransferCounts};
use crate::results::run_summary::WindowSummary;
use crate::stats::group_distributions::GroupDistributions;
use tailrace_core::Instant;
use tailrace_net::{LinkCounters, QueueStats};
use tailrace_scenario::model::Scenario;

/// The windows of a run.
#[derive(Debug, Default)]
pub(crate) struct MeasurementWindows {
    pub(crate) cuts: PerScope<WindowStart>,
    /// Connections of Multipath TCP where the present part began.
    pub(crate) connections: ListedConnections,
    pub(crate) past: EarlierWindows,
    /// Whether the present part is one of the scenario's windows.
    pub(crate) under_way: bool,
    /// Those of the scenario's windows that have ended.
    pub(crate) over: Vec<WindowSummary>,
    /// Their flows.
    pub(crate) flows_over: Vec<Vec<FlowCounts>>,
}

/// Where a window began; empty where it began with the run.
#[derive(Debug, Default)]
pub(crate) struct WindowStart {
    /// Counters of queues, and bits that count as sent in them and are not ([`tailrace_net::Link::unsent_bits`]).
    pub(crate) queues: Vec<(LinkCounters, f64)>,
    /// What applications had done, of a part: what is said of them in all is said of the whole run, warm-up included.
    pub(crate) outcomes: Vec<(Option<TransferCounts>, Option<ConnectionCounts>)>,
}

/// Distributions from the end of the warm-up to the beginning of the present part; empty where that is the first.
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

/// The first time after `now` at which a window begins or ends while the run goes on.
pub(crate) fn next_boundary(scenario: &Scenario, now: Instant) -> Option<Instant> {
    let windows = scenario.windows.iter().flat_map(|window| [window.start, window.end]);
    let times = windows.chain([scenario.warmup]).filter(|at| *at < scenario.duration);
    times.map(|at| Instant::ZERO + at).filter(|at| *at > now).min()
}

impl MeasurementWindows {
    /// Those at the start of a run.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self { under_way: begins(scenario, Instant::ZERO), ..Self::default() }
    }

    /// The scenario's windows that have ended, but for what has befallen their packets since.
    pub(crate) fn over(&self) -> &[WindowSummary] {
        &self.over
    }

    /// Flows of those, likewise.
    pub(crate) fn flows_over(&self) -> &[Vec<FlowCounts>] {
        &self.flows_over
    }

    /// Whether one of the scenario's windows has begun and not ended.
    pub(crate) fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// Counters of a queue where a window began.
    pub(crate) fn counters(&self, scope: Scope, queue: usize) -> LinkCounters {
        self.cuts[scope].queues.get(queue).map_or_else(LinkCounters::default, |(counters, _)| *counters)
    }

    /// Bits that its link counted as sent then, though they left in the window or never.
    pub(crate) fn unsent_bits(&self, scope: Scope, queue: usize) -> f64 {
        self.cuts[scope].queues.get(queue).map_or(0.0, |(_, bits)| *bits)
    }

    /// What applications of a group had done where a window began, if that is to be left out.
    pub(crate) fn outcomes(
        &self,
        scope: Scope,
        group: usize,
    ) -> Option<&(Option<TransferCounts>, Option<ConnectionCounts>)> {
        self.cuts[scope].outcomes.get(group)
    }

    /// Connections of Multipath TCP where the present part began.
    pub(crate) fn connections(&self) -> &ListedConnections {
        &self.connections
    }

    /// Distributions of groups that a window has beside the present ones.
    pub(crate) fn past_groups(&self, scope: Scope) -> &[GroupDistributions] {
        if scope == Scope::Run { &self.past.groups } else { &[] }
    }

    /// Distributions of queues that a window has beside the present ones.
    pub(crate) fn past_queues(&self, scope: Scope) -> &[QueueStats] {
        if scope == Scope::Run { &self.past.queues } else { &[] }
    }
}

/// Whether one of the scenario's windows begins then.
pub(crate) fn begins(scenario: &Scenario, now: Instant) -> bool {
    scenario.windows.iter().any(|window| Instant::ZERO + window.start == now)
}

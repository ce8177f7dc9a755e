//! Statistics by window: from the end of the warm-up to the end of the run, and in parts of it that follow one another.
//!
//! What is recorded packet by packet is recorded once, for the part that began last. Where a part ends, its distributions
//! go to those of the parts before it, and the whole is these and the present ones; counters are remembered where a window
//! begins, for the whole and for the part. So a packet pays nothing for windows, and of a part that is over its summary is
//! kept.

use crate::ground::plan::RunPlan;
use crate::ground::scope::{PerScope, Scope};
use crate::host::hosts::World;
use crate::packet::sim_packet::SimFabric;
use crate::results::connection_summary::ListedConnections;
use crate::results::group_summary::{ConnectionCounts, TransferCounts};
use crate::results::run_summary::WindowSummary;
use crate::results::tables::flow_windows;
use crate::results::tables::flow_windows::FlowCounts;
use crate::results::view::RunView;
use crate::stats::group_distributions::GroupDistributions;
use tailrace_core::Instant;
use tailrace_net::{LinkCounters, QueueStats};
use tailrace_scenario::model::Scenario;

/// The windows of a run.
#[derive(Debug, Default)]
pub(crate) struct MeasurementWindows {
    cuts: PerScope<WindowStart>,
    /// Connections of Multipath TCP where the present part began.
    connections: ListedConnections,
    past: EarlierWindows,
    /// Whether the present part is one of the scenario's windows.
    under_way: bool,
    /// Those of the scenario's windows that have ended.
    over: Vec<WindowSummary>,
    /// Their flows.
    flows_over: Vec<Vec<FlowCounts>>,
}

/// Where a window began; empty where it began with the run.
#[derive(Debug, Default)]
struct WindowStart {
    /// Counters of queues, and bits that count as sent in them and are not ([`tailrace_net::Link::unsent_bits`]).
    queues: Vec<(LinkCounters, f64)>,
    /// What applications had done, of a part: what is said of them in all is said of the whole run, warm-up included.
    outcomes: Vec<(Option<TransferCounts>, Option<ConnectionCounts>)>,
}

/// Distributions from the end of the warm-up to the beginning of the present part; empty where that is the first.
#[derive(Debug, Default)]
struct EarlierWindows {
    groups: Vec<GroupDistributions>,
    queues: Vec<QueueStats>,
}

impl EarlierWindows {
    fn add(&mut self, groups: Vec<GroupDistributions>, queues: Vec<QueueStats>) {
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

    /// A boundary: what was under way is over, and what begins now begins. All links are settled.
    pub(crate) fn turn(&mut self, plan: &RunPlan, world: &mut World, fabric: &mut SimFabric) {
        let (scenario, now) = (&plan.scenario, fabric.now());
        if self.under_way {
            let view = RunView { plan, fabric, world, windows: self };
            let (summary, flows) = (view.part(), flow_windows::counts(&view));
            self.over.push(summary);
            self.flows_over.push(flows);
            world.loss_attribution.close(world.scope_starts[Scope::Window], now, world.flows.len());
        }
        let groups = world.recorder.cut();
        let queues = plan.queues.iter().filter_map(|queue| fabric.cut_stats(queue.link)).collect();
        world.cut_path_delays(now > Instant::ZERO + scenario.warmup);
        if now == Instant::ZERO + scenario.warmup {
            self.begin(Scope::Run, plan, world, fabric);
        } else if now > Instant::ZERO + scenario.warmup {
            self.past.add(groups, queues);
        }
        if !scenario.windows.is_empty() {
            self.begin(Scope::Window, plan, world, fabric);
            self.connections = ListedConnections::of(plan, world, fabric);
            self.under_way = begins(scenario, now);
        }
    }

    fn begin(&mut self, scope: Scope, plan: &RunPlan, world: &mut World, fabric: &SimFabric) {
        world.begin_scope(scope, fabric.now());
        let links = plan.queues.iter().map(|queue| fabric.link(queue.link));
        let queues = links.map(|link| (link.counters(), link.unsent_bits(fabric.now()))).collect();
        let outcomes = match scope {
            Scope::Run => Vec::new(),
            Scope::Window => RunView { plan, fabric, world, windows: self }.outcomes(),
        };
        self.cuts[scope] = WindowStart { queues, outcomes };
    }
}

/// Whether one of the scenario's windows begins then.
fn begins(scenario: &Scenario, now: Instant) -> bool {
    scenario.windows.iter().any(|window| Instant::ZERO + window.start == now)
}

//! Statistics by window: from the end of the warm-up to the end of the run, and in parts of it that follow one another.
//!
//! What is recorded packet by packet is recorded once, for the part that began last. Where a part ends, its distributions
//! go to those of the parts before it, and the whole is these and the present ones; counters are remembered where a window
//! begins, for the whole and for the part. So a packet pays nothing for windows, and of a part that is over its summary is
//! kept.

use crate::ground::plan::Plan;
use crate::ground::scope::{Each, Open};
use crate::host::hosts::World;
use crate::packet::sim_packet::SimFabric;
use crate::results::connection_summary::Listed;
use crate::results::group_summary::{Connections, Transfers};
use crate::results::run_summary::WindowSummary;
use crate::results::tables::flow_windows;
use crate::results::tables::flow_windows::FlowCounts;
use crate::results::view::RunView;
use crate::stats::group_distributions::GroupTally;
use tailrace_core::Instant;
use tailrace_net::{LinkCounters, QueueStats};
use tailrace_scenario::model::Scenario;

/// The windows of a run.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    cuts: Each<Cut>,
    /// Connections of Multipath TCP where the present part began.
    connections: Listed,
    past: Past,
    /// Whether the present part is one of the scenario's windows.
    under_way: bool,
    /// Those of the scenario's windows that have ended.
    over: Vec<WindowSummary>,
    /// Their flows.
    flows_over: Vec<Vec<FlowCounts>>,
}

/// Where a window began; empty where it began with the run.
#[derive(Debug, Default)]
struct Cut {
    /// Counters of queues, and bits that count as sent in them and are not ([`tailrace_net::Link::unsent_bits`]).
    queues: Vec<(LinkCounters, f64)>,
    /// What applications had done, of a part: what is said of them in all is said of the whole run, warm-up included.
    outcomes: Vec<(Option<Transfers>, Option<Connections>)>,
}

/// Distributions from the end of the warm-up to the beginning of the present part; empty where that is the first.
#[derive(Debug, Default)]
struct Past {
    groups: Vec<GroupTally>,
    queues: Vec<QueueStats>,
}

impl Past {
    fn add(&mut self, groups: Vec<GroupTally>, queues: Vec<QueueStats>) {
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

impl Windows {
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
    pub(crate) fn counters(&self, open: Open, queue: usize) -> LinkCounters {
        self.cuts[open].queues.get(queue).map_or_else(LinkCounters::default, |(counters, _)| *counters)
    }

    /// Bits that its link counted as sent then, though they left in the window or never.
    pub(crate) fn unsent_bits(&self, open: Open, queue: usize) -> f64 {
        self.cuts[open].queues.get(queue).map_or(0.0, |(_, bits)| *bits)
    }

    /// What applications of a group had done where a window began, if that is to be left out.
    pub(crate) fn outcomes(
        &self,
        open: Open,
        group: usize,
    ) -> Option<&(Option<Transfers>, Option<Connections>)> {
        self.cuts[open].outcomes.get(group)
    }

    /// Connections of Multipath TCP where the present part began.
    pub(crate) fn connections(&self) -> &Listed {
        &self.connections
    }

    /// Distributions of groups that a window has beside the present ones.
    pub(crate) fn past_groups(&self, open: Open) -> &[GroupTally] {
        if open == Open::Whole { &self.past.groups } else { &[] }
    }

    /// Distributions of queues that a window has beside the present ones.
    pub(crate) fn past_queues(&self, open: Open) -> &[QueueStats] {
        if open == Open::Whole { &self.past.queues } else { &[] }
    }

    /// A boundary: what was under way is over, and what begins now begins. All links are settled.
    pub(crate) fn turn(&mut self, plan: &Plan, world: &mut World, fabric: &mut SimFabric) {
        let (scenario, now) = (&plan.scenario, fabric.now());
        if self.under_way {
            let view = RunView { plan, fabric, world, windows: self };
            let (summary, flows) = (view.part(), flow_windows::counts(&view));
            self.over.push(summary);
            self.flows_over.push(flows);
            world.late.close(world.begun[Open::Part], now, world.flows.len());
        }
        let groups = world.recorder.cut();
        let queues = plan.queues.iter().filter_map(|queue| fabric.cut_stats(queue.link)).collect();
        world.cut_path_delays(now > Instant::ZERO + scenario.warmup);
        if now == Instant::ZERO + scenario.warmup {
            self.begin(Open::Whole, plan, world, fabric);
        } else if now > Instant::ZERO + scenario.warmup {
            self.past.add(groups, queues);
        }
        if !scenario.windows.is_empty() {
            self.begin(Open::Part, plan, world, fabric);
            self.connections = Listed::of(plan, world, fabric);
            self.under_way = begins(scenario, now);
        }
    }

    fn begin(&mut self, open: Open, plan: &Plan, world: &mut World, fabric: &SimFabric) {
        world.begin(open, fabric.now());
        let links = plan.queues.iter().map(|queue| fabric.link(queue.link));
        let queues = links.map(|link| (link.counters(), link.unsent_bits(fabric.now()))).collect();
        let outcomes = match open {
            Open::Whole => Vec::new(),
            Open::Part => RunView { plan, fabric, world, windows: self }.outcomes(),
        };
        self.cuts[open] = Cut { queues, outcomes };
    }
}

/// Whether one of the scenario's windows begins then.
fn begins(scenario: &Scenario, now: Instant) -> bool {
    scenario.windows.iter().any(|window| Instant::ZERO + window.start == now)
}

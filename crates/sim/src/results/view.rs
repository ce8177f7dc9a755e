//! View of a run from which results are made, at its end or before.

use crate::ground::plan::RunPlan;
use crate::ground::rate::{rate_bps, span};
use crate::ground::scope::Scope;
use crate::host::hosts::World;
use crate::packet::sim_packet::SimFabric;
use crate::results::windows::MeasurementWindows;
use crate::stats::flow_stats::FlowStats;
use std::ops::Range;
use tailrace_core::{Duration, Instant};

/// Parts of a run. Links are settled: their counters are those of the present.
pub(crate) struct RunView<'a> {
    pub(crate) plan: &'a RunPlan,
    pub(crate) fabric: &'a SimFabric,
    pub(crate) world: &'a World,
    pub(crate) windows: &'a MeasurementWindows,
}

impl RunView<'_> {
    /// Duration of a scope so far.
    pub(crate) fn span(&self, scope: Scope) -> Duration {
        span(self.since(scope), self.fabric.now())
    }

    pub(crate) fn since(&self, scope: Scope) -> Instant {
        self.world.scope_starts[scope].unwrap_or(Instant::ZERO)
    }

    pub(crate) fn goodput_bps(&self, flow: usize, tally: &FlowStats, scope: Scope) -> f64 {
        rate_bps(self.world.goodput_bytes(flow, tally, scope), self.span(scope))
    }

    /// Flows of each group.
    pub(crate) fn members(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.plan.scenario.flows.iter().scan(0, |first, group| {
            let flows = *first..*first + group.pairs.len();
            *first = flows.end;
            Some(flows)
        })
    }
}

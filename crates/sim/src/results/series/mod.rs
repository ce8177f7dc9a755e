//! Time series: samples of flows and queues at a fixed interval.

pub(crate) mod connections;
pub(crate) mod flows;
pub(crate) mod groups;
pub(crate) mod laws;
pub(crate) mod multipath;
pub(crate) mod open_flows;
pub(crate) mod open_sums;
pub(crate) mod paths;
pub(crate) mod queues;
pub(crate) mod sender;
pub(crate) mod subflows;

use crate::ground::output::Table;
use crate::ground::plan::RunPlan;
use crate::host::hosts::World;
use crate::packet::sim_packet::SimFabric;
use crate::results::series::flows::FlowSeries;
use crate::results::series::groups::GroupSeries;
use crate::results::series::laws::LawSeries;
use crate::results::series::multipath::MultipathSeries;
use crate::results::series::open_sums::OpenSums;
use crate::results::series::queues::QueueSeries;
use tailrace_core::Duration;

/// Series tables being filled.
#[derive(Debug)]
pub(crate) struct Series {
    interval: Duration,
    sums: OpenSums,
    groups: GroupSeries,
    flows: FlowSeries,
    queues: QueueSeries,
    laws: LawSeries,
    multipath: Option<MultipathSeries>,
}

impl Series {
    pub(crate) fn new(plan: &RunPlan, interval: Duration) -> Self {
        Self {
            interval,
            sums: OpenSums::default(),
            groups: GroupSeries::new(plan.scenario.flows.len(), interval),
            flows: FlowSeries::new(plan, interval),
            queues: QueueSeries::new(plan.queues.len(), interval),
            laws: LawSeries::new(),
            multipath: MultipathSeries::of(&plan.scenario, interval),
        }
    }

    /// Number of sockets read for the latest sample.
    #[cfg(test)]
    pub(crate) fn sockets_read(&self) -> usize {
        self.sums.last_read()
    }

    /// Interval between samples.
    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// Samples everything; queues under study are settled.
    pub(crate) fn sample(&mut self, plan: &RunPlan, world: &mut World, fabric: &mut SimFabric) {
        let now = fabric.now();
        self.sums.update(world);
        for i in 0..self.flows.len() {
            let (flow, new) = self.flows.sample(i, plan, (world, &self.sums), now);
            if let Some(multipath) = &mut self.multipath {
                multipath.sample((flow, &new), plan, world, fabric);
            }
        }
        self.groups.sample(plan, (world, &self.sums), now);
        for i in 0..plan.queues.len() {
            self.queues.sample(i, plan, fabric);
            self.laws.sample(i, plan, fabric);
        }
    }

    /// Takes the rows since the previous call.
    pub(crate) fn take(&mut self) -> Vec<Table> {
        let mut tables = vec![self.groups.take(), self.flows.take(), self.queues.take(), self.laws.take()];
        tables.extend(self.multipath.iter_mut().flat_map(MultipathSeries::take));
        tables
    }

    /// Memory of the rows in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let multipath = self.multipath.as_ref().map_or(0, MultipathSeries::bytes);
        self.groups.bytes() + self.flows.bytes() + self.queues.bytes() + self.laws.bytes() + multipath
    }
}

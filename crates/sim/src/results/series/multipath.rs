//! Time series of MPTCP: samples of each sending end, its subflows and its data level.

use crate::ground::output::Table;
use crate::ground::plan::RunPlan;
use crate::host::endpoint::Endpoint;
use crate::host::hosts::World;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimFabric;
use crate::results::connection_names::{any, end_name, path_name, take_recent_displacement};
use crate::results::series::connections;
use crate::results::series::connections::ConnectionSeries;
use crate::results::series::paths::PathSeries;
use crate::results::series::sender::SendingEnd;
use crate::results::series::subflows::{SubflowSample, SubflowSeries};
use crate::stats::flow_stats::FlowStats;
use tailrace_core::Duration;
use tailrace_net::Address;
use tailrace_scenario::Scenario;
use tailrace_transport::mptcp::Mptcp;

/// Series of the connections of sampled flows.
#[derive(Debug)]
pub(crate) struct MultipathSeries {
    subflows: SubflowSeries,
    connections: ConnectionSeries,
    paths: PathSeries,
}

impl MultipathSeries {
    /// Series for a scenario with MPTCP connections.
    pub(crate) fn of(scenario: &Scenario, interval: Duration) -> Option<Self> {
        any(scenario).then(|| Self {
            subflows: SubflowSeries::new(),
            connections: ConnectionSeries::new(),
            paths: PathSeries::new(interval),
        })
    }

    /// Samples the connection of flow `f`; `new` is the increase of the flow's counters since the last sample.
    pub(crate) fn sample(
        &mut self,
        (f, new): (usize, &FlowStats),
        plan: &RunPlan,
        world: &mut World,
        fabric: &SimFabric,
    ) {
        let client = FlowEnd::client(f);
        for end in [client, client.peer()] {
            let displacement = take_recent_displacement(world, end.peer());
            self.sample_end(end, (displacement, new), plan, world, fabric);
        }
        self.paths.sample(f, plan, world, fabric);
    }

    /// Samples one sending end with its receiver. Servers that send nothing have no rows.
    fn sample_end(
        &mut self,
        end: FlowEnd,
        (displacement_bytes, new): (u64, &FlowStats),
        plan: &RunPlan,
        world: &World,
        fabric: &SimFabric,
    ) {
        let Some(endpoint) = world.latest(end).map(|socket| &socket.endpoint) else { return };
        let flow = &world.flows[end.flow()];
        if !flow.carrier.is_multipath() {
            return;
        }
        let of = SendingEnd {
            run: plan.run,
            now: fabric.now(),
            group: &plan.scenario.flows[flow.group as usize].name,
            member: flow.member,
            end: end_name(end),
        };
        let receiver = world.latest(end.peer()).map(|socket| &socket.endpoint);
        // A receiver without a socket holds nothing; a foreign host's out-of-order queue is unknown.
        let knows = !matches!(receiver, Some(Endpoint::Remote(_)));
        let waiting_bytes = receiver.and_then(Endpoint::as_mptcp).map_or(0, Mptcp::waiting_bytes);
        let mut row = connections::ConnectionSample {
            of: &of,
            acked_bytes: None,
            sent_bytes: None,
            delivered_bytes: receiver.map_or(0, Endpoint::bytes_delivered),
            waiting_bytes: knows.then_some(waiting_bytes),
            reinjected_bytes: None,
            window_stalls: None,
            usable: 0,
            jitter_s: new.mean_jitter_s(),
            displacement_bytes: knows.then_some(displacement_bytes),
        };
        match endpoint {
            Endpoint::Mptcp(sender) => {
                if end.is_server() && sender.progress().1 == 0 {
                    return;
                }
                for subflow in sender.subflows() {
                    row.usable += u32::from(subflow.usable);
                    let link = path_name(plan, fabric, (flow.group, subflow.tuple.local), subflow.route);
                    self.subflows.add(&of, &SubflowSample::simulated(&subflow, &link));
                }
                row.send_as(sender);
            }
            Endpoint::Remote(sender) => {
                if end.is_server() && sender.stats().bytes_sent == 0 {
                    return;
                }
                for (id, subflow) in sender.subflows() {
                    row.usable += u32::from(subflow.usable);
                    let ends = [subflow.socket.local, subflow.socket.remote].map(|at| u32::from(*at.ip()));
                    let link = path_name(plan, fabric, (flow.group, ends[0]), None);
                    let is_backup = ends.iter().any(|at| is_backup(plan, fabric, Address(*at)));
                    self.subflows.add(&of, &SubflowSample::foreign((id, subflow), &link, is_backup));
                }
                row.send_as_foreign(sender);
            }
            Endpoint::Tcp(_) => return,
        }
        self.connections.add(&row);
    }

    /// Takes the rows since the previous call.
    pub(crate) fn take(&mut self) -> [Table; 3] {
        [self.subflows.take(), self.connections.take(), self.paths.take()]
    }

    /// Memory of the rows in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.subflows.bytes() + self.connections.bytes() + self.paths.bytes()
    }
}

/// Whether the scenario declares the foreign endpoint with this address as a backup.
fn is_backup(plan: &RunPlan, fabric: &SimFabric, address: Address) -> bool {
    let graph = fabric.graph();
    let Some(host) = graph.owner(address) else { return false };
    let interface = graph.addresses(host).position(|own| own == address).map(|i| i + 1);
    let kernel = plan.scenario.nodes.get(host.0 as usize).and_then(|node| node.kernel.as_ref());
    let endpoints = kernel.into_iter().flat_map(|kernel| &kernel.endpoints);
    endpoints.into_iter().any(|e| e.backup && Some(usize::from(e.interface)) == interface)
}

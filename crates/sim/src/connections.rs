//! Multipath TCP connections over time: series of subflows and of the data level.

use crate::build::Plan;
use crate::flow::Endpoint;
use crate::output::Table;
use crate::packet::FlowEnd;
use crate::table::{Cell, TableBuilder};
use crate::tally::FlowTally;
use crate::world::{SimFabric, World};
use tailrace_net::Address;
use tailrace_scenario::Scenario;
use tailrace_scenario::model::Transport;
use tailrace_transport::mptcp::{Mptcp, SourceRoute};

/// Whether a scenario has connections at all.
pub(crate) fn any(scenario: &Scenario) -> bool {
    scenario.flows.iter().any(|g| matches!(g.transport, Transport::Mptcp { .. }))
}

fn take_recent_displacement(world: &mut World, socket: FlowEnd) -> u64 {
    let latest = world.flows[socket.flow()].latest;
    let peer = world.sockets.get(latest).map(|client| client.envelope.peer);
    let id = if socket.is_server() { peer } else { Some(latest) };
    match id.and_then(|id| world.sockets.get_mut(id)).map(|s| &mut s.endpoint) {
        Some(Endpoint::Mptcp(connection)) => connection.take_recent_displacement(),
        _ => 0,
    }
}

pub(crate) fn connection(world: &World, socket: FlowEnd) -> Option<&Mptcp> {
    world.latest(socket).and_then(|s| s.endpoint.as_mptcp())
}

/// The name of the link behind an address, and of the gateways that subflows go through from there.
pub(crate) fn path_name(
    plan: &Plan,
    fabric: &SimFabric,
    (group, address): (u32, u32),
    route: Option<SourceRoute>,
) -> String {
    let mut name = link_name(plan, fabric, address);
    if let Some(route) = route {
        let gateways = &plan.scenario.flows[group as usize].gateways[usize::from(route.number)];
        let names: Vec<_> =
            gateways.iter().map(|g| plan.scenario.nodes[g.0 as usize].name.as_str()).collect();
        name += &format!(" via {}", names.join(", "));
    }
    name
}

/// The name of the link behind an address.
fn link_name(plan: &Plan, fabric: &SimFabric, address: u32) -> String {
    let link = fabric.graph().egress(Address(address));
    link.map_or_else(String::new, |l| plan.scenario.links[l.0 as usize / 2].name.clone())
}

/// What an end of a flow is called in tables.
pub(crate) fn end_name(socket: FlowEnd) -> &'static str {
    if socket.is_server() { "server" } else { "client" }
}

/// Series of the connections of sampled flows.
#[derive(Debug)]
pub(crate) struct ConnectionSeries {
    subflows: TableBuilder,
    connections: TableBuilder,
}

impl ConnectionSeries {
    /// Series, where the scenario has connections.
    pub(crate) fn of(scenario: &Scenario) -> Option<Self> {
        let flow = [
            ("run", Cell::U32(0)),
            ("time_s", Cell::F64(0.0)),
            ("group", Cell::Text("")),
            ("flow", Cell::U32(0)),
            ("end", Cell::Text("")),
        ];
        let subflow = [
            ("subflow", Cell::U32(0)),
            ("link", Cell::Text("")),
            ("usable", Cell::U32(0)),
            ("backup", Cell::U32(0)),
            ("cwnd_bytes", Cell::F64(0.0)),
            ("ssthresh_bytes", Cell::F64(0.0)),
            ("rtt_s", Cell::F64(0.0)),
            ("in_flight_bytes", Cell::F64(0.0)),
            ("scheduled_bytes", Cell::U64(0)),
            ("reinjected_bytes", Cell::U64(0)),
            ("retransmitted_packets", Cell::U64(0)),
            ("timeouts", Cell::U64(0)),
        ];
        let connection = [
            ("acked_bytes", Cell::U64(0)),
            ("sent_bytes", Cell::U64(0)),
            ("delivered_bytes", Cell::U64(0)),
            ("waiting_bytes", Cell::U64(0)),
            ("reinjected_bytes", Cell::U64(0)),
            ("window_stalls", Cell::U64(0)),
            ("subflows", Cell::U32(0)),
            ("jitter_s", Cell::F64(0.0)),
            ("displacement_bytes", Cell::U64(0)),
        ];
        any(scenario).then(|| Self {
            subflows: TableBuilder::new("subflow_series", &[&flow[..], &subflow].concat()),
            connections: TableBuilder::new("connection_series", &[&flow[..], &connection].concat()),
        })
    }

    /// Takes a sample of flow `f`'s connection; `new` is what the flow did since the last one.
    pub(crate) fn sample(
        &mut self,
        (f, new): (usize, &FlowTally),
        plan: &Plan,
        world: &mut World,
        fabric: &SimFabric,
    ) {
        let near = FlowEnd::client(f);
        for end in [near, near.peer()] {
            let displacement = take_recent_displacement(world, end.peer());
            self.sample_end(end, (displacement, new), plan, world, fabric);
        }
    }

    /// Of one end: what it sends, and how that comes to the other. Servers that send nothing have no rows.
    fn sample_end(
        &mut self,
        end: FlowEnd,
        (displacement, new): (u64, &FlowTally),
        plan: &Plan,
        world: &World,
        fabric: &SimFabric,
    ) {
        let Some(sender) = connection(world, end) else { return };
        let (acked, sent) = sender.progress();
        if end.is_server() && sent == 0 {
            return;
        }
        let flow = &world.flows[end.flow()];
        let head = [
            Cell::U32(plan.run),
            Cell::F64(fabric.now().as_secs_f64()),
            Cell::Text(&plan.scenario.flows[flow.group as usize].name),
            Cell::U32(flow.member),
            Cell::Text(end_name(end)),
        ];
        let mut usable = 0;
        for s in sender.subflows() {
            usable += u32::from(s.usable);
            let link = path_name(plan, fabric, (flow.group, s.tuple.local), s.route);
            let rtt = if s.view.rtt_samples == 0 { f64::NAN } else { s.view.smoothed_rtt.as_secs_f64() };
            let cells = [
                Cell::U32(s.id as u32),
                Cell::Text(&link),
                Cell::U32(u32::from(s.usable)),
                Cell::U32(u32::from(s.backup)),
                Cell::F64(s.view.cwnd.as_f64()),
                Cell::F64(s.view.ssthresh.map_or(f64::NAN, |t| t.as_f64())),
                Cell::F64(rtt),
                Cell::F64(s.view.in_flight.as_f64()),
                Cell::U64(s.stats.scheduled_bytes),
                Cell::U64(s.stats.reinjected_bytes),
                Cell::U64(s.tcp.retransmitted_segments),
                Cell::U64(u64::from(s.tcp.timeouts)),
            ];
            self.subflows.row(&[&head[..], &cells].concat());
        }
        let receiver = connection(world, end.peer());
        let cells = [
            Cell::U64(acked),
            Cell::U64(sent),
            Cell::U64(receiver.map_or(0, |r| r.stats().bytes_delivered)),
            Cell::U64(receiver.map_or(0, Mptcp::waiting_bytes)),
            Cell::U64(sender.stats().reinjected_bytes),
            Cell::U64(sender.stats().window_stalls),
            Cell::U32(usable),
            Cell::F64(new.mean_jitter_s()),
            Cell::U64(displacement),
        ];
        self.connections.row(&[&head[..], &cells].concat());
    }

    /// The rows since the last time.
    pub(crate) fn take(&mut self) -> [Table; 2] {
        [self.subflows.take(), self.connections.take()]
    }
}

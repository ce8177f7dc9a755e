//! Names of MPTCP connections' ends and paths in tables.

use crate::ground::plan::RunPlan;
use crate::host::endpoint::Endpoint;
use crate::host::hosts::World;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimFabric;
use crate::stats::paths::PathKey;
use tailrace_net::Address;
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{NodeIndex, Transport};
use tailrace_transport::mptcp::{Mptcp, SourceRoute};

/// Whether a scenario has MPTCP connections.
pub(crate) fn any(scenario: &Scenario) -> bool {
    scenario.flows.iter().any(|g| matches!(g.transport, Transport::Mptcp { .. }))
}

/// Largest displacement that an end's receiver has seen since the previous call.
pub(crate) fn take_recent_displacement(world: &mut World, socket: FlowEnd) -> u64 {
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

/// Name of the link behind an address, with the gateways that subflows go through from there.
pub(crate) fn path_name(
    plan: &RunPlan,
    fabric: &SimFabric,
    (group, address): (u32, u32),
    route: Option<SourceRoute>,
) -> String {
    let mut name = link_name(plan, fabric, address);
    if let Some(route) = route {
        name += &via(plan, &plan.scenario.flows[group as usize].gateways[usize::from(route.number)]);
    }
    name
}

/// Name of a path of a flow: the link by which it leaves the client, the link by which it reaches the server if that has several,
/// and the gateways of its source route.
pub(crate) fn name_of_path(plan: &RunPlan, fabric: &SimFabric, path: PathKey) -> String {
    let (mut name, there) = (link_name(plan, fabric, path.client.0), link_name(plan, fabric, path.server.0));
    let graph = fabric.graph();
    let choice = graph.owner(path.server).is_some_and(|host| graph.addresses(host).nth(1).is_some());
    if choice && there != name {
        name += &format!(" to {there}");
    }
    let mut lists = plan.scenario.flows.iter().flat_map(|group| &group.gateways);
    if let Some(gateways) = path.gateways.and_then(|list| lists.nth(list as usize)) {
        name += &via(plan, gateways);
    }
    name
}

/// Suffix for the gateways of a source route.
fn via(plan: &RunPlan, gateways: &[NodeIndex]) -> String {
    let names: Vec<_> = gateways.iter().map(|g| plan.scenario.nodes[g.0 as usize].name.as_str()).collect();
    format!(" via {}", names.join(", "))
}

/// Name of the link behind an address.
fn link_name(plan: &RunPlan, fabric: &SimFabric, address: u32) -> String {
    let link = fabric.graph().link_behind(Address(address));
    link.map_or_else(String::new, |l| plan.scenario.links[l.0 as usize / 2].name.clone())
}

/// Name of a flow's end in tables.
pub(crate) fn end_name(socket: FlowEnd) -> &'static str {
    if socket.is_server() { "server" } else { "client" }
}

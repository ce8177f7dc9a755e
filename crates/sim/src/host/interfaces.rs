//! Interfaces of hosts that go down, come up or change their address.

use crate::packet::sim_packet::SimFabric;
use tailrace_net::Address;

/// Whether packets from `source` reach `destination` itself, not another address of its host: what a host's route
/// for a subnet means.
pub(crate) fn reaches(fabric: &SimFabric, source: Address, destination: Address) -> bool {
    let graph = fabric.graph();
    graph.path(source, destination).is_some_and(|path| path.last().copied() == graph.ingress(destination))
}

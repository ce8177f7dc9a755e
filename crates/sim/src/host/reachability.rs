//! Reachability of addresses as hosts see it, with one route for each subnet.

use crate::packet::sim_packet::SimFabric;
use tailrace_net::Address;

/// Whether packets from `source` reach `destination` at its own interface, not at another interface of its host.
pub(crate) fn reaches(fabric: &SimFabric, source: Address, destination: Address) -> bool {
    let graph = fabric.graph();
    graph.path(source, destination).is_some_and(|path| path.last().copied() == graph.ingress(destination))
}

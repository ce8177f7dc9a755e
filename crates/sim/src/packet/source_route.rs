//! Loose source routes of a run: their gateways, and how packets follow them (RFC 791 §3.1).

use crate::packet::flow_end::FlowEnd;
use core::net::Ipv4Addr;
use std::collections::BTreeMap;
use tailrace_net::{Address, Graph, NodeId};
use tailrace_scenario::Scenario;
use tailrace_transport::mptcp::SourceRoute;
use tailrace_wire::Ipv4Options;

/// Index of a route: even for the forward direction, the next odd one for the reverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RouteId(u32);

/// Progress of a packet on its route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Itinerary {
    route: RouteId,
    /// Number of gateways passed.
    passed: u8,
    /// Final destination.
    last: Address,
}

impl Itinerary {
    /// Final destination.
    pub(crate) const fn last(self) -> Address {
        self.last
    }

    /// Index of its gateway list among all of the run, for either direction.
    pub(crate) const fn list(self) -> u32 {
        self.route.0 / 2
    }
}

/// All routes of a run; most runs have none.
#[derive(Debug, Default)]
pub(crate) struct SourceRoutes {
    stops: Vec<Box<[Address]>>,
    /// First route of each flow group.
    first: Vec<u32>,
    /// Reversed route of the SYN, by the server's socket and its client's port.
    learnt: BTreeMap<(u32, u16), RouteId>,
}

impl SourceRoutes {
    /// The routes that a scenario's path managers use; their gateways get addresses.
    pub(crate) fn of(scenario: &Scenario, graph: &mut Graph) -> Self {
        let mut routes = Self::default();
        for group in &scenario.flows {
            routes.first.push(routes.stops.len() as u32);
            for list in &group.gateways {
                let there: Box<[_]> = list.iter().map(|g| graph.add_gateway(NodeId(g.0))).collect();
                let back = there.iter().rev().copied().collect();
                routes.stops.extend([there, back]);
            }
        }
        routes
    }

    /// Whether the run has no source routes.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.stops.is_empty()
    }

    fn stops(&self, route: RouteId) -> &[Address] {
        &self.stops[route.0 as usize]
    }

    /// Route of a segment that leaves a flow's socket: the one that its connection asks for, or the reverse of its peer's.
    pub(crate) fn departing(
        &self,
        (socket, group): (FlowEnd, u32),
        asked: Option<SourceRoute>,
        peer_port: u16,
    ) -> Option<RouteId> {
        match asked {
            Some(route) => Some(RouteId(self.first[group as usize] + 2 * u32::from(route.number))),
            None => self.learnt.get(&(socket.0, peer_port)).copied(),
        }
    }

    /// Records the route of a SYN for a server's socket, or that it has none.
    pub(crate) fn learn(&mut self, (socket, peer_port): (FlowEnd, u16), came: Option<Itinerary>) {
        let end = (socket.0, peer_port);
        match came {
            Some(came) => self.learnt.insert(end, RouteId(came.route.0 ^ 1)),
            None if self.is_empty() => None,
            None => self.learnt.remove(&end),
        };
    }

    /// Starts a packet for `last` on its route: returns its itinerary, its first stop, and the size of the IP option.
    pub(crate) fn set_out(&self, route: RouteId, last: Address) -> (Itinerary, Address, u32) {
        let stops = self.stops(route);
        let len = SourceRoute::option_len(stops.len());
        (Itinerary { route, passed: 0, last }, stops[0], len)
    }

    /// Next stop of a packet that has reached its destination address; `None` at the end of its route.
    pub(crate) fn next_stop(&self, itinerary: &mut Itinerary) -> Option<Address> {
        let stops = self.stops(itinerary.route);
        let passed = usize::from(itinerary.passed);
        if passed >= stops.len() {
            return None;
        }
        itinerary.passed += 1;
        Some(stops.get(passed + 1).copied().unwrap_or(itinerary.last))
    }

    /// IP option as in the header: passed gateways in their recorded places, then the stops after the next.
    pub(crate) fn option(&self, itinerary: &Itinerary) -> Ipv4Options {
        let (stops, passed) = (self.stops(itinerary.route), usize::from(itinerary.passed));
        let ahead = stops.iter().skip(passed + 1).copied().chain([itinerary.last]);
        let slots = stops.iter().take(passed).copied().chain(ahead).take(stops.len());
        let slots: Vec<Ipv4Addr> = slots.map(|a| a.0.into()).collect();
        Ipv4Options::loose_source_route(&slots, passed).expect("scenarios have at most nine gateways a list")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u8) -> Address {
        Address::from_index(u32::from(n) - 1)
    }

    /// Two routes, through 1 and through 2 and 3, with their reverses.
    fn routes() -> SourceRoutes {
        let stops: [&[u8]; 4] = [&[1], &[1], &[2, 3], &[3, 2]];
        SourceRoutes {
            stops: stops.iter().map(|s| s.iter().map(|n| address(*n)).collect()).collect(),
            first: vec![0],
            learnt: BTreeMap::new(),
        }
    }

    fn asked(number: u8) -> Option<SourceRoute> {
        Some(SourceRoute { number })
    }

    #[test]
    fn source_route_option_follows_each_stop() {
        let routes = routes();
        let route = routes.departing((FlowEnd(0), 0), asked(1), 80).unwrap();
        let (mut itinerary, first, len) = routes.set_out(route, address(9));
        assert_eq!((first, len), (address(2), 12));
        let option = |i: &Itinerary| routes.option(i).as_slice().to_vec();
        assert_eq!(option(&itinerary), [1, 131, 11, 4, 10, 0, 0, 3, 10, 0, 0, 9]);
        assert_eq!(routes.next_stop(&mut itinerary), Some(address(3)));
        assert_eq!(option(&itinerary), [1, 131, 11, 8, 10, 0, 0, 2, 10, 0, 0, 9]);
        assert_eq!(routes.next_stop(&mut itinerary), Some(address(9)));
        assert_eq!(option(&itinerary), [1, 131, 11, 12, 10, 0, 0, 2, 10, 0, 0, 3]);
        assert_eq!(routes.next_stop(&mut itinerary), None);
    }

    #[test]
    fn server_replies_by_reversed_route_of_latest_syn() {
        let mut routes = routes();
        let (server, other) = (FlowEnd(1), FlowEnd(3));
        let route = routes.departing((FlowEnd(0), 0), asked(1), 80).unwrap();
        let came = routes.set_out(route, address(9)).0;
        routes.learn((server, 5001), Some(came));
        routes.learn((server, 5000), None);
        routes.learn((other, 5001), Some(came));
        routes.learn((other, 5002), Some(came));
        routes.learn((other, 5002), None);
        let back = routes.departing((server, 0), None, 5001).unwrap();
        assert_eq!(routes.set_out(back, address(8)).1, address(3), "the last gateway first");
        assert_eq!(routes.departing((server, 0), None, 5000), None);
        routes.learn((server, 5001), None);
        assert_eq!(
            routes.departing((server, 0), None, 5001),
            None,
            "the port's next connection came straight"
        );
        assert_eq!(routes.departing((other, 0), None, 5001), Some(back));
        assert_eq!(routes.departing((other, 0), None, 5002), None, "the later SYN came straight");
    }
}

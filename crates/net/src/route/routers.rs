//! Addresses by which all routers can be spoken to, and the way of a packet by them.

use super::Graph;
use crate::ids::{Address, LinkId, NodeId};
use tailrace_core::FlowKey;

impl Graph {
    /// Gives each router an address that nobody else ever has; [gateways](Graph::add_gateway) keep theirs. Call after all other
    /// addresses have been given and reserved, and before [`Graph::compute_routes`].
    pub fn name_routers(&mut self) {
        let mut named = vec![false; self.nodes.len()];
        self.gateways.iter().for_each(|gateway| named[gateway.0 as usize] = true);
        let mut next = (self.addresses.len() + self.gateways.len()) as u32;
        for node in (0..self.nodes.len() as u32).map(NodeId) {
            if named[node.0 as usize] || !self.is_router(node) {
                continue;
            }
            let number = (self.addresses.len() + self.gateways.len()) as u32;
            while self.numbering.is_given(Address::from_index(next)) {
                next += 1;
            }
            self.numbering.name(number, Address::from_index(next));
            self.gateways.push(node);
            next += 1;
        }
    }

    /// The address of a router, if it has one. A search: not for each packet.
    pub fn router_address(&self, router: NodeId) -> Option<Address> {
        let place = self.gateways.iter().position(|gateway| *gateway == router)?;
        Some(self.numbering.address((self.addresses.len() + place) as u32))
    }

    /// Number of routers.
    pub fn router_count(&self) -> u32 {
        self.routers
    }

    /// The links that a packet of this flow crosses on its way from one address to another, as far as there is a way now.
    pub fn links_on_way(
        &mut self,
        (source, destination): (Address, Address),
        flow: FlowKey,
    ) -> impl Iterator<Item = LinkId> + '_ {
        let mut next = self.egress(source);
        if next.is_none() {
            let router = self.holder(source).and_then(|node| self.router_number(node));
            next = router.and_then(|router| self.route(router, destination, || flow));
        }
        core::iter::from_fn(move || {
            let link = next?;
            let router = self.router_number(self.head(link));
            next = router.and_then(|router| self.route(router, destination, || flow));
            Some(link)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::EcmpHash;
    use super::*;
    use tailrace_qdisc::flow_hash::FlowBy;

    const FLOW: FlowKey = FlowKey { src: 1, dst: 2, src_port: 3, dst_port: 4, protocol: 17 };

    /// `h1 - r1 - r2 - r3 - h2`, and `r4`, which nothing joins.
    fn line() -> (Graph, [NodeId; 4], [Address; 2]) {
        let mut graph = Graph::default();
        let (h1, h2) = (graph.add_node(false), graph.add_node(false));
        let routers = [(); 4].map(|()| graph.add_node(true));
        for pair in [h1, routers[0], routers[1], routers[2], h2].windows(2) {
            graph.add_link(pair[0], pair[1]);
        }
        let hosts = [h1, h2].map(|host| graph.addresses(host).next().unwrap());
        (graph, routers, hosts)
    }

    #[test]
    fn each_router_gets_an_address_that_nobody_has() {
        let (mut graph, routers, [a1, a2]) = line();
        let gateway = graph.add_gateway(routers[1]);
        // A host has the address that the next router would be counted as, and another will.
        let (given, later) = (Address::from_index(3), Address::from_index(5));
        graph.give_addresses(&[(a1, given)]);
        graph.reserve_addresses(&[(a2, later)]);
        graph.name_routers();
        let named = routers.map(|router| graph.router_address(router).unwrap());
        let free = [4, 6, 7].map(Address::from_index);
        assert_eq!(named, [free[0], gateway, free[1], free[2]]);
        for (router, address) in routers.iter().zip(named) {
            assert_eq!((graph.owner(address), graph.holder(address)), (Some(*router), Some(*router)));
        }
        let owners = [given, later].map(|address| graph.owner(address).unwrap());
        assert!(owners.iter().all(|owner| !graph.is_router(*owner)));
    }

    #[test]
    fn a_way_has_the_links_that_a_packet_crosses() {
        let (mut graph, routers, [a1, a2]) = line();
        graph.name_routers();
        graph.compute_routes();
        let [b2, b4] = [routers[1], routers[3]].map(|router| graph.router_address(router).unwrap());
        let mut way = |from, to| graph.links_on_way((from, to), FLOW).map(|link| link.0).collect::<Vec<_>>();
        assert_eq!(way(a1, a2), [0, 2, 4, 6]);
        assert_eq!(way(a2, a1), [7, 5, 3, 1]);
        assert_eq!(way(a1, b2), [0, 2], "to a router");
        assert_eq!(way(b2, a1), [3, 1], "and from one");
        assert_eq!(way(a1, b4), [0], "nothing leads there from the first");
        assert_eq!(way(Address(0xc0a8_0001), a1), [], "nobody's address");
    }

    #[test]
    fn each_flow_has_its_own_of_ways_of_one_length() {
        let mut graph = Graph::default();
        let (h1, h2) = (graph.add_node(false), graph.add_node(false));
        let [near, upper, lower, far] = [(); 4].map(|()| graph.add_node(true));
        for (a, b) in [(h1, near), (near, upper), (near, lower), (upper, far), (lower, far), (far, h2)] {
            graph.add_link(a, b);
        }
        graph.spread(EcmpHash::new(FlowBy::FiveTuple, 7));
        graph.compute_routes();
        let [a1, a2] = [h1, h2].map(|host| graph.addresses(host).next().unwrap());
        let paths = (0..64).map(|src_port| {
            graph.links_on_way((a1, a2), FlowKey { src_port, ..FLOW }).map(|link| link.0).collect::<Vec<_>>()
        });
        let mut paths: Vec<_> = paths.collect();
        paths.sort();
        paths.dedup();
        assert_eq!(paths, [[0, 2, 6, 10], [0, 4, 8, 10]]);
    }
}

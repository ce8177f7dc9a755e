//! Routers as packets meet them one after another, and the addresses by which all can be spoken to.

use super::Graph;
use crate::{Address, NodeId};
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

    /// How many routers there are.
    pub fn router_count(&self) -> u32 {
        self.routers
    }

    /// The routers that a packet of this flow meets on its way from one address to another, as far as there is a way now; not the
    /// one that sends it.
    pub fn routers_on_way(
        &mut self,
        (source, destination): (Address, Address),
        flow: FlowKey,
    ) -> impl Iterator<Item = NodeId> + '_ {
        let mut next = self.egress(source);
        if next.is_none() {
            let router = self.holder(source).and_then(|node| self.router_number(node));
            next = router.and_then(|router| self.route(router, destination, || flow));
        }
        core::iter::from_fn(move || {
            let here = self.head(next?);
            next = self.route(self.router_number(here)?, destination, || flow);
            Some(here)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // One host has what the next router would be counted as, and another will.
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
    fn a_packet_meets_the_routers_between_its_hosts() {
        let (mut graph, [r1, r2, r3, r4], [a1, a2]) = line();
        graph.name_routers();
        graph.compute_routes();
        let mut way = |from, to| graph.routers_on_way((from, to), FLOW).collect::<Vec<_>>();
        assert_eq!(way(a1, a2), [r1, r2, r3]);
        assert_eq!(way(a2, a1), [r3, r2, r1]);
        let [b2, b4] = [r2, r4].map(|router| line_address(router));
        assert_eq!(way(a1, b2), [r1, r2], "the router itself is the last");
        assert_eq!(way(b2, a1), [r1], "and does not meet itself");
        assert_eq!(way(a1, b4), [r1], "nothing leads there");
        assert_eq!(way(Address(0xc0a8_0001), a1), [], "nobody's address");
    }

    /// Where [`line`] has a router.
    fn line_address(router: NodeId) -> Address {
        let (mut graph, ..) = line();
        graph.name_routers();
        graph.router_address(router).unwrap()
    }
}

//! Static shortest-path routes: fewest links, ties broken by the order in which links were added.
//!
//! Hosts do not forward, so routes are computed between routers only and a host's addresses inherit the route to
//! the router behind their link. With R routers and A addresses this costs O(R · (links between routers + A)), not
//! the all-pairs time and memory that make ns-2 slow to start.
//!
//! Routers have no addresses, since nothing is sent to them, except those that packets are routed through on purpose
//! ([`Graph::add_gateway`]): one each, numbered after the hosts' interfaces.

use crate::{Address, LinkId, NodeId};
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// The topology and its routing tables.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    arcs: Vec<Arc>,
    addresses: Vec<Interface>,
    /// Routers with an address, in the order of these.
    gateways: Vec<NodeId>,
    routers: u32,
    /// Addresses of interfaces and gateways when routes were computed.
    width: usize,
    /// Next link from router `r` to address `a` at `[r · width + a]`; a gateway has none to itself.
    table: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Node {
    /// Position among the routers, or `NONE` for a host.
    router: u32,
    /// Links that leave it.
    out: Vec<LinkId>,
}

#[derive(Clone, Copy, Debug)]
struct Arc {
    from: NodeId,
    to: NodeId,
    up: bool,
}

/// A host's end of a link.
#[derive(Clone, Copy, Debug)]
struct Interface {
    host: NodeId,
    /// From the host.
    out: LinkId,
    /// To the host.
    into: LinkId,
}

impl Graph {
    /// Adds a node.
    pub fn add_node(&mut self, is_router: bool) -> NodeId {
        let router = if is_router { self.routers } else { NONE };
        self.routers += u32::from(is_router);
        self.nodes.push(Node { router, out: Vec::new() });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds both directions of a link: a to b and b to a, in that order. Host ends get an address each.
    pub fn add_link(&mut self, a: NodeId, b: NodeId) -> (LinkId, LinkId) {
        debug_assert!(self.gateways.is_empty(), "addresses of gateways come after those of all interfaces");
        let (forward, backward) = (LinkId(self.arcs.len() as u32), LinkId(self.arcs.len() as u32 + 1));
        for (id, from, to, reverse) in [(forward, a, b, backward), (backward, b, a, forward)] {
            self.arcs.push(Arc { from, to, up: true });
            let node = &mut self.nodes[from.0 as usize];
            node.out.push(id);
            if node.router == NONE {
                self.addresses.push(Interface { host: from, out: id, into: reverse });
            }
        }
        (forward, backward)
    }

    /// Gives a router an address, so that packets can be sent to it on their way; it has one however often it is asked for.
    /// Call after the last [`Graph::add_link`]: interfaces come first.
    ///
    /// # Panics
    /// When `router` is a host.
    pub fn add_gateway(&mut self, router: NodeId) -> Address {
        assert!(self.is_router(router), "hosts do not forward");
        let known = self.gateways.iter().position(|g| *g == router);
        let number = known.unwrap_or_else(|| {
            self.gateways.push(router);
            self.gateways.len() - 1
        });
        Address::from_index((self.addresses.len() + number) as u32)
    }

    /// Whether the node forwards packets.
    #[inline]
    pub fn is_router(&self, node: NodeId) -> bool {
        self.nodes[node.0 as usize].router != NONE
    }

    /// Number of link directions.
    pub fn link_count(&self) -> usize {
        self.arcs.len()
    }

    /// Where a link leads.
    pub fn head(&self, link: LinkId) -> NodeId {
        self.arcs[link.0 as usize].to
    }

    /// Addresses of a host, in the order of its links.
    pub fn addresses(&self, host: NodeId) -> impl Iterator<Item = Address> + '_ {
        let out = &self.nodes[host.0 as usize].out;
        // Interfaces are created in link order, so each is found by bisection over its outgoing link.
        out.iter().filter_map(move |link| {
            let i = self.addresses.partition_point(|a| a.out.0.min(a.into.0) < link.0.min(link.0 ^ 1));
            (i..self.addresses.len().min(i + 2))
                .find(|&i| self.addresses[i].out == *link)
                .map(|i| Address::from_index(i as u32))
        })
    }

    /// The host, or the gateway, that owns an address.
    pub fn owner(&self, address: Address) -> Option<NodeId> {
        let gateway = || self.gateways.get(address.index().wrapping_sub(self.addresses.len())).copied();
        self.addresses.get(address.index()).map(|i| i.host).or_else(gateway)
    }

    /// The link by which packets with this source address leave their host.
    #[inline]
    pub fn egress(&self, source: Address) -> Option<LinkId> {
        self.addresses.get(source.index()).map(|i| i.out)
    }

    /// The address whose packets leave their host by `link`, if that is a host's.
    pub fn source_of(&self, link: LinkId) -> Option<Address> {
        let host = self.arcs.get(link.0 as usize)?.from;
        self.addresses(host).find(|a| self.egress(*a) == Some(link))
    }

    /// Whether the link behind an address is up, as far as routing knows.
    pub fn is_usable(&self, address: Address) -> bool {
        self.egress(address).is_some_and(|link| self.arcs[link.0 as usize].up)
    }

    /// The link by which packets for this address reach its host.
    pub fn ingress(&self, address: Address) -> Option<LinkId> {
        self.addresses.get(address.index()).map(|i| i.into)
    }

    /// The number of a node among the routers.
    pub(crate) fn router_number(&self, node: NodeId) -> Option<u32> {
        Some(self.nodes[node.0 as usize].router).filter(|r| *r != NONE)
    }

    /// The link by which `router` forwards to `destination`.
    fn next_hop(&self, router: NodeId, destination: Address) -> Option<LinkId> {
        self.next_hop_of(self.router_number(router)?, destination)
    }

    /// The link by which router number `router` forwards to `destination`.
    #[inline]
    pub(crate) fn next_hop_of(&self, router: u32, destination: Address) -> Option<LinkId> {
        let (index, width) = (destination.index(), self.width);
        if index >= width {
            return None;
        }
        self.table.get(router as usize * width + index).copied().filter(|l| *l != NONE).map(LinkId)
    }

    /// Marks a link direction as usable or not; routes change with the next [`Graph::compute_routes`].
    pub fn set_up(&mut self, link: LinkId, up: bool) {
        self.arcs[link.0 as usize].up = up;
    }

    /// Computes all routes.
    pub fn compute_routes(&mut self) {
        let width = self.addresses.len() + self.gateways.len();
        self.width = width;
        self.table.clear();
        self.table.resize(self.routers as usize * width, NONE);
        for node in 0..self.nodes.len() {
            let router = self.nodes[node].router;
            if router == NONE {
                continue;
            }
            let first = self.first_links(NodeId(node as u32));
            let row = router as usize * width;
            for (i, interface) in self.addresses.iter().enumerate() {
                let arc = self.arcs[interface.into.0 as usize];
                let gateway = self.nodes[arc.from.0 as usize].router;
                if !arc.up || gateway == NONE {
                    continue; // Down, or a link between two hosts, which needs no router.
                }
                self.table[row + i] =
                    if gateway == router { interface.into.0 } else { first[gateway as usize] };
            }
            for (i, gateway) in self.gateways.iter().enumerate() {
                let number = self.nodes[gateway.0 as usize].router;
                self.table[row + self.addresses.len() + i] = first[number as usize];
            }
        }
    }

    /// For each router, the first link of the shortest path from `start` (breadth first over routers).
    fn first_links(&self, start: NodeId) -> Vec<u32> {
        let mut first = vec![NONE; self.routers as usize];
        let mut queue = VecDeque::from([(start, NONE)]);
        let mut seen = vec![false; self.routers as usize];
        seen[self.nodes[start.0 as usize].router as usize] = true;
        while let Some((node, via)) = queue.pop_front() {
            for link in &self.nodes[node.0 as usize].out {
                let arc = self.arcs[link.0 as usize];
                let router = self.nodes[arc.to.0 as usize].router;
                if router == NONE || !arc.up || seen[router as usize] {
                    continue;
                }
                seen[router as usize] = true;
                let via = if via == NONE { link.0 } else { via };
                first[router as usize] = via;
                queue.push_back((arc.to, via));
            }
        }
        first
    }

    /// The links from `source` to `destination`, or `None` without a route.
    pub fn path(&self, source: Address, destination: Address) -> Option<Vec<LinkId>> {
        let mut link = self.egress(source).filter(|l| self.arcs[l.0 as usize].up)?;
        let mut path = vec![link];
        let owner = self.owner(destination)?;
        while self.head(link) != owner {
            let at = self.head(link);
            if !self.is_router(at) || path.len() > self.routers as usize + 1 {
                return None;
            }
            link = self.next_hop(at, destination)?;
            path.push(link);
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_take_the_fewest_links_and_the_first_of_equals() {
        // h1 - r1 = r2 (two parallel links) - h2, and r1 - r3 - r2 the long way.
        let mut g = Graph::default();
        let (h1, h2) = (g.add_node(false), g.add_node(false));
        let (r1, r2, r3) = (g.add_node(true), g.add_node(true), g.add_node(true));
        let (h1_r1, _) = g.add_link(h1, r1);
        let (_, r3_r1) = g.add_link(r1, r3);
        let (first, _) = g.add_link(r1, r2);
        let (second, _) = g.add_link(r1, r2);
        g.add_link(r3, r2);
        let (r2_h2, _) = g.add_link(r2, h2);
        g.compute_routes();
        let (a1, a2) = (g.addresses(h1).next().unwrap(), g.addresses(h2).next().unwrap());
        assert_eq!(g.path(a1, a2), Some(vec![h1_r1, first, r2_h2]));
        assert_eq!(g.owner(a2), Some(h2));
        g.set_up(first, false);
        g.compute_routes();
        assert_eq!(g.path(a1, a2), Some(vec![h1_r1, second, r2_h2]));
        g.set_up(second, false);
        g.compute_routes();
        assert_eq!(g.path(a1, a2).map(|p| p.len()), Some(4));
        g.set_up(LinkId(r3_r1.0 ^ 1), false);
        g.compute_routes();
        assert_eq!(g.path(a1, a2), None);
    }

    #[test]
    fn each_interface_of_a_host_has_its_own_address_and_way_out() {
        let mut g = Graph::default();
        let (h, r1, r2) = (g.add_node(false), g.add_node(true), g.add_node(true));
        let (_, up) = g.add_link(r1, h);
        let (down, _) = g.add_link(h, r2);
        let addresses: Vec<_> = g.addresses(h).collect();
        assert_eq!(addresses.len(), 2);
        assert_eq!(addresses.iter().map(|a| g.egress(*a).unwrap()).collect::<Vec<_>>(), [up, down]);
        assert_eq!(addresses[0].to_string(), "10.0.0.1");
    }
}

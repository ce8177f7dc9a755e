//! Static shortest-path routes: least sum of the costs of links ([`Graph::set_cost`]), which is the fewest links where none is
//! stated; ties broken by the order in which links were added, or by a hash of the packet's flow ([`Graph::spread`]).
//!
//! Hosts do not forward, so routes are computed between routers only and a host's addresses inherit the route to
//! the router behind their link. Those to one router are computed when somebody first asks for one, and for many such in
//! one go ([`Graph::learn`]). A link that goes down or up later changes only the routes that it can
//! ([`Graph::set_links_up`]): one to a host what routers know of that host, one between routers the routes that then are
//! shorter or longer.
//!
//! Routers have no addresses, since nothing is sent to them, except those that packets are routed through on purpose
//! ([`Graph::add_gateway`]), or all where somebody may ask who they are ([`Graph::name_routers`]): one each, numbered after the
//! hosts' interfaces.

mod address_numbers;
mod ecmp;
mod entry;
mod incremental_update;
mod least_cost;
mod router_links;
mod routers;
mod shortest_paths;
mod table;
#[cfg(test)]
mod tests;

use crate::ids::{Address, LinkId, NodeId};
use address_numbers::AddressNumbers;
pub use ecmp::EcmpHash;
use std::collections::BTreeMap;
use table::Routes;
use tailrace_core::FlowKey;

const NONE: u32 = u32::MAX;

/// The topology and its routing tables.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    arcs: Vec<Arc>,
    addresses: Vec<Interface>,
    numbering: AddressNumbers,
    /// Links that are up, or not, other than routes have it; see [`Graph::set_seen_up`].
    seen_up: BTreeMap<LinkId, bool>,
    /// Routers with an address, in the order of these.
    gateways: Vec<NodeId>,
    routers: u32,
    spreading: Option<EcmpHash>,
    /// Whether some link has another cost than 1.
    has_costs: bool,
    /// Whether links between routers will go down or up.
    will_change: bool,
    routes: Routes,
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
    /// Whether routes may lead over it.
    up: bool,
    /// Cost for routes, at least 1.
    cost: u32,
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
            self.arcs.push(Arc { from, to, up: true, cost: 1 });
            let node = &mut self.nodes[from.0 as usize];
            node.out.push(id);
            if node.router == NONE {
                self.addresses.push(Interface { host: from, out: id, into: reverse });
            }
        }
        (forward, backward)
    }

    /// Sets the cost of a link direction for routes (RFC 2328 §2.1), which is 1 otherwise. Call before [`Graph::compute_routes`].
    ///
    /// # Panics
    /// When it is 0: routes could then run in circles.
    pub fn set_cost(&mut self, link: LinkId, cost: u32) {
        assert!(cost > 0, "the cost of a link is at least 1");
        self.arcs[link.0 as usize].cost = cost;
        self.has_costs |= cost != 1;
    }

    /// Sum of the costs of some links.
    pub fn cost_of(&self, links: &[LinkId]) -> u64 {
        links.iter().map(|link| u64::from(self.arcs[link.0 as usize].cost)).sum()
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
        self.numbering.address((self.addresses.len() + number) as u32)
    }

    /// Interfaces with the first of two addresses have the second from now on, all at once. Call before anything is sent.
    ///
    /// # Panics
    /// When one is no interface's, or two would be the same.
    pub fn give_addresses(&mut self, pairs: &[(Address, Address)]) {
        if pairs.is_empty() {
            return;
        }
        let number = |(now, given): &(Address, Address)| {
            let number = self.numbering.number(*now);
            assert!(number < self.addresses.len(), "{now} is no interface's");
            (number as u32, *given)
        };
        let numbered: Vec<_> = pairs.iter().map(number).collect();
        self.numbering.give(numbered);
        for number in 0..self.addresses.len() {
            let address = self.numbering.address(number as u32);
            assert_eq!(self.numbering.number(address), number, "two interfaces have {address}");
        }
    }

    /// Interfaces with the first of two addresses may have the second later ([`Graph::change_address`]), and it is theirs alone:
    /// what is sent to either goes to their host. Call before anything is sent, and after [`Graph::give_addresses`].
    ///
    /// # Panics
    /// When the first is no interface's, or the second is another's.
    pub fn reserve_addresses(&mut self, pairs: &[(Address, Address)]) {
        for (now, later) in pairs {
            let number = self.numbering.holder(*now);
            assert!(number < self.addresses.len(), "{now} is no interface's");
            let other = self.numbering.number(*later);
            assert!(
                other == number || other >= self.addresses.len() + self.gateways.len(),
                "{later} is another's"
            );
            self.numbering.reserve(number as u32, *later);
        }
    }

    /// The host's interface at which `link` begins has another of its reserved addresses from now on, or again that which it
    /// had first. Gives the one that it had until now, if it was another.
    ///
    /// # Panics
    /// When `link` begins at no host, or the address was not reserved for that interface.
    pub fn change_address(&mut self, link: LinkId, address: Address) -> Option<Address> {
        let number = self.interface_before(link).expect("an address changes where a link begins at a host");
        assert_eq!(self.numbering.number(address), number, "{address} was not reserved");
        let before = self.numbering.address(number as u32);
        self.numbering.change(number as u32, address);
        Some(before).filter(|before| *before != address)
    }

    /// Whether there are other addresses than counted ones: such that can be nobody's for a while among them.
    pub fn has_given_addresses(&self) -> bool {
        self.numbering.has_given()
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
                .map(|i| self.numbering.address(i as u32))
        })
    }

    /// The host, or the gateway, to which packets for an address go: one of its own, now or at another time.
    pub fn owner(&self, address: Address) -> Option<NodeId> {
        self.node_of(self.numbering.number(address))
    }

    /// The host, or the gateway, whose address this is now.
    pub fn holder(&self, address: Address) -> Option<NodeId> {
        self.node_of(self.numbering.holder(address))
    }

    fn node_of(&self, number: usize) -> Option<NodeId> {
        let gateway = || self.gateways.get(number.wrapping_sub(self.addresses.len())).copied();
        self.addresses.get(number).map(|i| i.host).or_else(gateway)
    }

    /// The link by which packets with this source address leave their host; none where no host has it now.
    #[inline]
    pub fn egress(&self, source: Address) -> Option<LinkId> {
        self.addresses.get(self.numbering.holder(source)).map(|i| i.out)
    }

    /// The link from the host whose address this is, now or at another time.
    pub fn link_behind(&self, address: Address) -> Option<LinkId> {
        self.addresses.get(self.numbering.number(address)).map(|i| i.out)
    }

    /// The address whose packets leave their host by `link`, if that is a host's.
    pub fn source_of(&self, link: LinkId) -> Option<Address> {
        Some(self.numbering.address(self.interface_before(link)? as u32))
    }

    /// The number of the interface at which a link begins.
    fn interface_before(&self, link: LinkId) -> Option<usize> {
        self.interfaces_at(link).find(|i| self.addresses[*i].out == link)
    }

    /// Whether the link behind an address is up, as far as its host knows: there may be no route by it yet.
    pub fn is_usable(&self, address: Address) -> bool {
        self.egress(address).is_some_and(|link| self.is_up(link))
    }

    /// Whether a link direction is up, as far as its ends know.
    pub fn is_up(&self, link: LinkId) -> bool {
        self.seen_up.get(&link).copied().unwrap_or(self.arcs[link.0 as usize].up)
    }

    /// Whether a link direction leads to a host straight from a router, which needs no route for that.
    pub fn is_last_hop(&self, link: LinkId) -> bool {
        let arc = &self.arcs[link.0 as usize];
        self.is_router(arc.from) && !self.is_router(arc.to)
    }

    /// The host at which a link direction begins, if that is one.
    pub fn first_hop(&self, link: LinkId) -> Option<NodeId> {
        Some(self.arcs[link.0 as usize].from).filter(|node| !self.is_router(*node))
    }

    /// Says whether the ends of a link direction see that it is up, where routes have it otherwise; none where they have it so.
    pub fn set_seen_up(&mut self, link: LinkId, seen: Option<bool>) {
        match seen.filter(|up| *up != self.arcs[link.0 as usize].up) {
            Some(up) => self.seen_up.insert(link, up),
            None => self.seen_up.remove(&link),
        };
    }

    /// The link by which packets for this address reach its host.
    pub fn ingress(&self, address: Address) -> Option<LinkId> {
        self.addresses.get(self.numbering.number(address)).map(|i| i.into)
    }

    /// The number of the address whose packets come to its host by `link`.
    fn interface_behind(&self, link: LinkId) -> Option<usize> {
        self.interfaces_at(link).find(|i| self.addresses[*i].into == link)
    }

    /// Numbers of the interfaces at the ends of a link, at most two, among others.
    fn interfaces_at(&self, link: LinkId) -> std::ops::Range<usize> {
        // They are created in the order of links.
        let first = self.addresses.partition_point(|a| a.into.0 / 2 < link.0 / 2);
        first..self.addresses.len().min(first + 2)
    }

    /// The number of a node among the routers.
    pub(crate) fn router_number(&self, node: NodeId) -> Option<u32> {
        Some(self.nodes[node.0 as usize].router).filter(|r| *r != NONE)
    }

    /// The number of a node among the routers, or `NONE`.
    fn router_at(&self, node: NodeId) -> u32 {
        self.nodes[node.0 as usize].router
    }

    /// Whether the last link to an address, by its number, is up; a gateway needs none.
    fn is_open(&self, number: usize) -> bool {
        self.addresses.get(number).is_none_or(|interface| self.arcs[interface.into.0 as usize].up)
    }

    /// The link by which router number `router` forwards to `destination`, where that is at hand; else [`Graph::route`] knows.
    #[inline]
    pub(crate) fn next_hop_of(&self, router: u32, destination: Address) -> Option<LinkId> {
        self.routes.next_hop(router, self.numbering.number(destination))
    }

    /// The link by which router number `router` forwards packets of this flow to `destination`.
    pub(crate) fn route(
        &mut self,
        router: u32,
        destination: Address,
        flow: impl FnOnce() -> FlowKey,
    ) -> Option<LinkId> {
        let number = self.numbering.number(destination);
        if let Some(egress) = self.routes.lacks(number) {
            self.with_routes(|routes, graph| routes.compute_routes_to(graph, vec![egress]));
        }
        let choose = |of| self.spreading.as_ref().map_or(0, |spreading| spreading.choose(flow(), router, of));
        self.routes.find(self, router, number, choose)
    }

    /// Enables ECMP: packets are spread over next hops of equal path cost. Call before [`Graph::compute_routes`].
    pub fn spread(&mut self, spreading: EcmpHash) {
        self.spreading = Some(spreading);
    }

    /// Whether ECMP is enabled.
    fn spreads(&self) -> bool {
        self.spreading.is_some()
    }

    /// Announces that links between routers will go down or up, so that distances are kept for incremental updates. Optional.
    pub fn expect_changes(&mut self) {
        self.will_change = true;
    }

    /// Marks link directions as up or down, updates the computed routes, and returns the directions whose state changed. The
    /// update is incremental: a link to a host affects the entry of its address, a link from a host no route, and a link
    /// between routers those routers whose distance changes.
    pub fn set_links_up(&mut self, links: &[LinkId], up: bool) -> Vec<LinkId> {
        let mut changed = links.to_vec();
        changed.retain(|link| self.arcs[link.0 as usize].up != up);
        changed.sort_unstable();
        changed.dedup();
        if changed.is_empty() {
            return changed;
        }
        let mut routes = std::mem::take(&mut self.routes);
        let (mut done, mut budget) = (routes.is_empty(), routes.cost());
        for (i, link) in changed.iter().enumerate() {
            self.arcs[link.0 as usize].up = up;
            if !done && routes.follow(self, *link, &mut budget).is_none() {
                // Full computation, after all links have changed, where it is cheaper than the incremental update.
                changed[i..].iter().for_each(|later| self.arcs[later.0 as usize].up = up);
                routes.compute(self);
                done = true;
            }
        }
        self.routes = routes;
        changed
    }

    /// Discards all routes and reads the topology; routes are computed on demand.
    pub fn compute_routes(&mut self) {
        self.with_routes(Routes::load_topology);
    }

    /// Computes routes to these addresses in advance; others are computed when the first packet is sent there.
    pub fn compute_routes_to(&mut self, addresses: impl IntoIterator<Item = Address>) {
        let numbers: Vec<usize> =
            addresses.into_iter().map(|address| self.numbering.number(address)).collect();
        self.with_routes(|routes, graph| {
            let egresses = routes.egresses_of(numbers.into_iter());
            routes.compute_routes_to(graph, egresses);
        });
    }

    fn with_routes(&mut self, change: impl FnOnce(&mut Routes, &Self)) {
        let mut routes = std::mem::take(&mut self.routes);
        change(&mut routes, self);
        self.routes = routes;
    }

    /// The links from `source` to `destination`, or `None` without a route. With ECMP, by the first next hops.
    pub fn path(&self, source: Address, destination: Address) -> Option<Vec<LinkId>> {
        let link = self.egress(source).filter(|l| self.arcs[l.0 as usize].up)?;
        let number = self.numbering.number(destination);
        let (at, owner) = (self.head(link), self.node_of(number)?);
        let mut path = vec![link];
        if at != owner {
            path.extend(self.routes.links(self, self.router_number(at)?, number)?);
        }
        Some(path)
    }
}

//! Routing tables of all routers, computed on demand.
//!
//! All addresses behind one router share their routes, so routes lead to *egress routers*: routers with hosts behind them or
//! an address of their own. The entry of an address names its egress router and the last link from there; while that link is
//! down, the entry leads nowhere. Routes to an egress router are computed when the first packet needs them: destinations
//! that nobody sends to take neither time nor memory.

use super::entry::{AT_EGRESS, ECMP_FLAG};
use super::least_cost;
use super::router_links::RouterLinks;
use super::shortest_paths::{Block, LANES, ShortestPaths};
use super::{Graph, NONE};
use crate::ids::LinkId;

/// Bound of link numbers without flags, and of the number of entries.
const MAX_LINK: u32 = ECMP_FLAG;
/// Row of an egress router without computed routes.
const NO_ROW: u32 = MAX_LINK;

/// Routes from every router to every address.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    /// Entries by address number.
    entries: Vec<AddressEntry>,
    /// Next link from router `r` to the egress router with `row`: at `[row + r · lanes]`.
    next: Vec<u32>,
    /// Egress routers to a block of `next`.
    lanes: usize,
    pub(super) router_links: RouterLinks,
    /// Index in `egresses` by address number, or `NONE`.
    egress_of: Vec<u32>,
    pub(super) egresses: Vec<EgressRouter>,
    /// Egress routers with computed routes, in the order of their rows.
    pub(super) computed: Vec<u32>,
    /// Distances (sums of costs, hops where none is stated), laid out as `next`; `NONE` without a path. Kept from the first change of a link between routers, or
    /// from the start if changes are expected.
    pub(super) distances: Option<Vec<u32>>,
    /// Whether ECMP is enabled.
    pub(super) marks_ecmp: bool,
}

/// Entry of an address in the routing tables.
#[derive(Clone, Copy, Debug)]
struct AddressEntry {
    /// Row of the egress router in `next`, or `NO_ROW`.
    row: u32,
    /// Link from the egress router to the host, or `NONE` if the address is the router's own.
    last: u32,
}

/// Last router on the way to some addresses.
#[derive(Clone, Debug)]
pub(super) struct EgressRouter {
    pub(super) router: u32,
    /// Row of its routes in `next`, or `NO_ROW`.
    row: u32,
    /// Numbers of the addresses behind it.
    addresses: Vec<u32>,
}

impl Routes {
    /// Whether the topology has not been read yet.
    pub(super) fn is_empty(&self) -> bool {
        self.router_links.is_empty()
    }

    pub(super) fn routers(&self) -> usize {
        self.router_links.routers()
    }

    /// Approximate number of entries and links that [`Routes::compute`] visits.
    pub(super) fn cost(&self) -> u64 {
        // A block is searched in some steps, most of which look at many routers.
        let blocks = self.computed.len().div_ceil(self.lanes.max(1));
        self.next.len() as u64 + 8 * (blocks * self.router_links.len()) as u64
    }

    /// Next link from router number `router` to address number `index`, if one table lookup gives it; otherwise (no routes
    /// yet, ECMP, unreachable) [`Routes::find`] decides.
    #[inline]
    pub(super) fn next_hop(&self, router: u32, index: usize) -> Option<LinkId> {
        let entry = self.entries.get(index)?;
        let next = *self.next.get(entry.row as usize + router as usize * self.lanes)?;
        let link = if next == AT_EGRESS { entry.last } else { next };
        (link < MAX_LINK).then_some(LinkId(link))
    }

    /// The egress router of address number `index`, if there are no routes to it yet.
    pub(super) fn lacks(&self, index: usize) -> Option<u32> {
        let egress = self.egress_of.get(index).copied().filter(|egress| *egress != NONE)?;
        (self.egresses[egress as usize].row == NO_ROW).then_some(egress)
    }

    /// Next link from router number `router` to address number `index`. Of several with equal cost, `choose` gets the number and
    /// returns the index.
    pub(super) fn find(
        &self,
        graph: &Graph,
        router: u32,
        index: usize,
        choose: impl FnOnce(u32) -> u32,
    ) -> Option<LinkId> {
        let egress = self.open_egress(graph, index)?;
        let next = self.next_to(graph, router, egress);
        if next < AT_EGRESS && next & ECMP_FLAG != 0 {
            let nearer = || self.router_links.nearer(graph, router, |r| self.distance(r, egress as usize));
            return nearer().nth(choose(nearer().count() as u32) as usize).map(LinkId);
        }
        self.link(index, next)
    }

    /// Links of the path from a router to an address, the first of equal-cost ones. Searches without keeping the routes if they
    /// have not been computed.
    pub(super) fn links(&self, graph: &Graph, router: u32, index: usize) -> Option<Vec<LinkId>> {
        let egress = self.open_egress(graph, index)?;
        let found = if self.egresses[egress as usize].row == NO_ROW {
            Some(self.search(graph, egress))
        } else {
            None
        };
        let next =
            |r: u32| found.as_ref().map_or_else(|| self.next_to(graph, r, egress), |next| next[r as usize]);
        let (mut links, mut at) = (Vec::new(), router);
        while next(at) != AT_EGRESS {
            let link = self.link(index, next(at))?;
            links.push(link);
            at = graph.router_at(graph.head(link));
        }
        links.extend(self.link(index, AT_EGRESS));
        Some(links)
    }

    /// Egress router of an address, if there is one and the last link is up.
    fn open_egress(&self, graph: &Graph, index: usize) -> Option<u32> {
        self.egress_of.get(index).copied().filter(|egress| *egress != NONE && graph.is_open(index))
    }

    /// Link that an entry stands for.
    fn link(&self, index: usize, next: u32) -> Option<LinkId> {
        let link = match next {
            AT_EGRESS => self.entries[index].last,
            NONE => NONE,
            several => several & !ECMP_FLAG,
        };
        (link != NONE).then_some(LinkId(link))
    }

    /// Entry of a router for an egress router, searched if not computed.
    fn next_to(&self, graph: &Graph, router: u32, egress: u32) -> u32 {
        match self.egresses[egress as usize].row {
            NO_ROW => self.search(graph, egress)[router as usize],
            row => self.next[row as usize + router as usize * self.lanes],
        }
    }

    /// Entries of all routers for one egress router, without keeping them.
    fn search(&self, graph: &Graph, egress: u32) -> Vec<u32> {
        let mut next = vec![NONE; self.routers()];
        let mut block = Block { lanes: 1, next: &mut next, distances: None, marks_ecmp: false };
        let egresses = [(0, self.egresses[egress as usize].router)];
        let mut search = ShortestPaths::new(self.routers());
        Self::find_paths(&self.router_links, graph, &mut search, &egresses, &mut block);
        next
    }

    /// Finds next links and distances of all routers to `egresses` (lane and router number).
    fn find_paths(
        router_links: &RouterLinks,
        graph: &Graph,
        search: &mut ShortestPaths,
        egresses: &[(usize, u32)],
        block: &mut Block<'_>,
    ) {
        if graph.has_costs {
            least_cost::run(graph, router_links, egresses, block);
        } else {
            search.run(graph, router_links, egresses, block);
        }
    }

    /// Reads the topology: links between routers, egress routers and their addresses.
    pub(super) fn load_topology(&mut self, graph: &Graph) {
        let last =
            graph.addresses.iter().map(|i| (graph.router_at(graph.arcs[i.into.0 as usize].from), i.into.0));
        let behind: Vec<(u32, u32)> =
            last.chain(graph.gateways.iter().map(|g| (graph.router_at(*g), NONE))).collect();
        self.router_links = RouterLinks::of(graph);
        self.entries = behind.iter().map(|(_, last)| AddressEntry { row: NO_ROW, last: *last }).collect();
        let mut addresses: Vec<Vec<u32>> = vec![Vec::new(); self.routers()];
        for (index, (router, _)) in behind.iter().enumerate().filter(|(_, (router, _))| *router != NONE) {
            // Addresses without a router are ends of links between two hosts.
            addresses[*router as usize].push(index as u32);
        }
        self.egress_of = vec![NONE; behind.len()];
        self.egresses.clear();
        for (router, addresses) in addresses.into_iter().enumerate().filter(|(_, behind)| !behind.is_empty())
        {
            let egress = self.egresses.len() as u32;
            addresses.iter().for_each(|index| self.egress_of[*index as usize] = egress);
            self.egresses.push(EgressRouter { router: router as u32, row: NO_ROW, addresses });
        }
        self.lanes = self.egresses.len().next_power_of_two().min(LANES);
        self.next.clear();
        self.computed.clear();
        self.distances = (graph.will_change || graph.spreads()).then(Vec::new);
        self.marks_ecmp = graph.spreads();
    }

    /// The egress routers of these addresses.
    pub(super) fn egresses_of(&self, indices: impl Iterator<Item = usize>) -> Vec<u32> {
        indices
            .filter_map(|index| self.egress_of.get(index).copied())
            .filter(|egress| *egress != NONE)
            .collect()
    }

    /// Computes routes to those of these egress routers that have none, as far as entry numbers suffice.
    pub(super) fn compute_routes_to(&mut self, graph: &Graph, mut egresses: Vec<u32>) {
        egresses.retain(|egress| self.egresses[*egress as usize].row == NO_ROW);
        egresses.sort_unstable();
        egresses.dedup();
        let most = NO_ROW as usize / (self.routers() * self.lanes).max(1) * self.lanes;
        egresses.truncate(most.saturating_sub(self.computed.len()));
        if egresses.is_empty() {
            return;
        }
        let first = self.computed.len();
        self.computed.extend(egresses);
        for slot in first..self.computed.len() {
            let (block, lane) = (slot / self.lanes, slot % self.lanes);
            self.egresses[self.computed[slot] as usize].row =
                (block * self.routers() * self.lanes + lane) as u32;
        }
        self.fill(graph, first);
    }

    /// Recomputes all routes that have been computed before.
    pub(super) fn compute(&mut self, graph: &Graph) {
        self.next.clear();
        if let Some(distances) = &mut self.distances {
            distances.clear();
        }
        self.fill(graph, 0);
    }

    /// Computes the routes to `computed[first..]`, and enters their rows into the addresses' entries.
    fn fill(&mut self, graph: &Graph, first: usize) {
        let (len, lanes) = (self.routers() * self.lanes, self.lanes);
        let blocks = self.computed.len().div_ceil(lanes);
        self.next.resize(blocks * len, NONE);
        if let Some(distances) = &mut self.distances {
            distances.resize(blocks * len, NONE);
        }
        let mut search = ShortestPaths::new(self.routers());
        for block in first / lanes..blocks {
            let slots = first.max(block * lanes)..self.computed.len().min((block + 1) * lanes);
            let router = |slot: usize| self.egresses[self.computed[slot] as usize].router;
            let egresses: Vec<(usize, u32)> = slots.map(|slot| (slot % lanes, router(slot))).collect();
            let here = block * len..(block + 1) * len;
            let mut block = Block {
                lanes,
                next: &mut self.next[here.clone()],
                distances: self.distances.as_mut().map(|all| &mut all[here]),
                marks_ecmp: self.marks_ecmp,
            };
            Self::find_paths(&self.router_links, graph, &mut search, &egresses, &mut block);
        }
        for egress in &self.computed[first..] {
            let EgressRouter { row, addresses, .. } = &self.egresses[*egress as usize];
            for index in addresses.iter().map(|index| *index as usize) {
                self.entries[index].row = if graph.is_open(index) { *row } else { NO_ROW };
            }
        }
    }

    #[inline]
    fn at(&self, router: u32, k: usize) -> usize {
        self.egresses[k].row as usize + router as usize * self.lanes
    }

    /// Distance from a router to egress router number `k`, whose routes are computed, or `NONE`.
    #[inline]
    pub(super) fn distance(&self, router: u32, k: usize) -> u32 {
        self.distances.as_ref().expect("asked for by the caller")[self.at(router, k)]
    }

    pub(super) fn set_distance(&mut self, router: u32, k: usize, distance: u32) {
        let at = self.at(router, k);
        self.distances.as_mut().expect("asked for by the caller")[at] = distance;
    }

    /// Updates the next link from `router` to egress router number `k` from the distances.
    pub(super) fn enter(&mut self, graph: &Graph, router: u32, k: usize) {
        let mut nearer = self.router_links.nearer(graph, router, |r| self.distance(r, k));
        let first = nearer.next();
        let several = self.marks_ecmp && nearer.next().is_some();
        drop(nearer);
        let at = self.at(router, k);
        self.next[at] = first.map_or(NONE, |link| if several { link | ECMP_FLAG } else { link });
    }

    /// Updates the entry of address number `index` when its last link goes down or up.
    pub(super) fn update_entry(&mut self, index: usize, up: bool) {
        let egress = &self.egresses[self.egress_of[index] as usize];
        self.entries[index].row = if up { egress.row } else { NO_ROW };
    }
}

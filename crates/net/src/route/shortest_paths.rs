//! Shortest paths from all routers to several egress routers.
//!
//! Breadth-first search from up to 64 egress routers at once, one bit of a word each (a lane): the parts that the searches
//! have in common, most of them in a network of short distances, are visited once (multi-source BFS, Then et al., "The more the merrier: efficient multi-source graph traversal",
//! PVLDB 8(4), 2014). A router's next link is the first, in the order of links, to a router one hop nearer. Links with costs need
//! another search ([`super::least_cost`]).

use super::Graph;
use super::entry::{AT_EGRESS, ECMP_FLAG};
use super::router_links::RouterLinks;

/// Largest number of egress routers in one search.
pub(super) const LANES: usize = 64;

/// Output of a search: entry and distance from router `r` to the egress router in lane `l` at `[r · lanes + l]`.
pub(super) struct Block<'a> {
    pub(super) lanes: usize,
    pub(super) next: &'a mut [u32],
    pub(super) distances: Option<&'a mut [u32]>,
    /// Whether entries with several equal-cost next links get the flag [`ECMP_FLAG`].
    pub(super) marks_ecmp: bool,
}

/// Sets of egress routers for each router, one bit a lane. All but `seen` are empty between searches.
pub(super) struct ShortestPaths {
    /// Egress routers whose distance is known.
    seen: Vec<u64>,
    /// Egress routers at the present distance.
    front: Vec<u64>,
    /// Egress routers one hop farther.
    gained: Vec<u64>,
    /// Routers with a `front`.
    at: Vec<u32>,
    /// Routers that have `gained`.
    then: Vec<u32>,
}

impl ShortestPaths {
    pub(super) fn new(routers: usize) -> Self {
        let sets = || vec![0; routers];
        Self { seen: sets(), front: sets(), gained: sets(), at: Vec::new(), then: Vec::new() }
    }

    /// Finds next links and distances of all routers to `egresses` (lane and router number). Entries of routers that cannot
    /// reach the egress router stay as they are.
    pub(super) fn run(
        &mut self,
        graph: &Graph,
        router_links: &RouterLinks,
        egresses: &[(usize, u32)],
        block: &mut Block<'_>,
    ) {
        self.seen.fill(0);
        for &(lane, router) in egresses {
            self.seen[router as usize] |= 1 << lane;
            self.front[router as usize] |= 1 << lane;
            self.at.push(router);
            block.enter(router, 1 << lane, AT_EGRESS, 0);
        }
        let mut distance = 0;
        while !self.at.is_empty() {
            distance += 1;
            self.spread(graph, router_links);
            for &router in &self.then {
                self.settle(graph, router_links, router, distance, block);
            }
            self.advance();
        }
    }

    /// Finds who is one farther, and from what.
    fn spread(&mut self, graph: &Graph, router_links: &RouterLinks) {
        for &router in &self.at {
            let front = self.front[router as usize];
            for from in router_links.neighbours(graph, router) {
                let gained = front & !self.seen[from as usize];
                if gained != 0 {
                    if self.gained[from as usize] == 0 {
                        self.then.push(from);
                    }
                    self.gained[from as usize] |= gained;
                }
            }
        }
    }

    /// Enters the first link from a router that leads nearer, to each egress router that it has gained.
    fn settle(
        &self,
        graph: &Graph,
        router_links: &RouterLinks,
        router: u32,
        distance: u32,
        block: &mut Block<'_>,
    ) {
        let gained = self.gained[router as usize];
        let mut left = gained;
        for way in router_links.from(router).iter().filter(|way| graph.arcs[way.link as usize].up) {
            let nearer = self.front[way.to as usize] & gained;
            block.enter(router, nearer & left, way.link, distance);
            if block.marks_ecmp {
                block.mark(router, nearer & !left);
            }
            left &= !nearer;
            if left == 0 && !block.marks_ecmp {
                break;
            }
        }
    }

    /// Advances the search by one: routers that were one farther are its front.
    fn advance(&mut self) {
        for router in self.at.drain(..) {
            self.front[router as usize] = 0;
        }
        for &router in &self.then {
            let gained = std::mem::take(&mut self.gained[router as usize]);
            self.front[router as usize] = gained;
            self.seen[router as usize] |= gained;
        }
        std::mem::swap(&mut self.at, &mut self.then);
    }
}

impl Block<'_> {
    /// Enters the same link and distance for egress routers.
    #[inline]
    pub(super) fn enter(&mut self, router: u32, egresses: u64, link: u32, distance: u32) {
        let row = router as usize * self.lanes;
        for lane in lanes_of(egresses) {
            self.next[row + lane] = link;
            if let Some(distances) = &mut self.distances {
                distances[row + lane] = distance;
            }
        }
    }

    /// Says that the way that was entered is one of several.
    pub(super) fn mark(&mut self, router: u32, egresses: u64) {
        let row = router as usize * self.lanes;
        lanes_of(egresses).for_each(|lane| self.next[row + lane] |= ECMP_FLAG);
    }
}

/// The positions of the bits that are set.
fn lanes_of(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            lane
        })
    })
}

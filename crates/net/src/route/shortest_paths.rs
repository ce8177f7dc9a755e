//! Shortest paths from all routers to some at once.
//!
//! Breadth first, from the far end, for up to 64 goals in one go: what the searches have in common, which in a network of
//! short distances is most, is looked at once (Then et al., "The more the merrier: efficient multi-source graph traversal",
//! PVLDB 8(4), 2014). A router's next link is the first, in the order of links, whose far end is one nearer.

use super::Graph;
use super::entry::{HERE, SEVERAL};
use super::router_links::RouterLinks;

/// Most goals of one search.
pub(super) const LANES: usize = 64;

/// Where the answers for some goals go: that of router `r` for the goal in lane `l` to `[r · lanes + l]`.
pub(super) struct Block<'a> {
    pub(super) lanes: usize,
    pub(super) next: &'a mut [u32],
    pub(super) distances: Option<&'a mut [u32]>,
    /// Whether to say where there are several ways of one length.
    pub(super) marks_equals: bool,
}

/// State of a search for each router: sets of goals, a bit a lane. Empty between searches, but for `seen`.
pub(super) struct ShortestPaths {
    /// Goals whose distance is known.
    seen: Vec<u64>,
    /// Goals at the search's present distance.
    front: Vec<u64>,
    /// Goals that are one farther.
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

    /// Finds the next links, and distances, of all routers to these goals: lanes and routers. What of their lanes is not
    /// reached is left alone.
    pub(super) fn run(
        &mut self,
        graph: &Graph,
        ways: &RouterLinks,
        goals: &[(usize, u32)],
        block: &mut Block<'_>,
    ) {
        self.seen.fill(0);
        for &(lane, router) in goals {
            self.seen[router as usize] |= 1 << lane;
            self.front[router as usize] |= 1 << lane;
            self.at.push(router);
            block.enter(router, 1 << lane, HERE, 0);
        }
        let mut distance = 0;
        while !self.at.is_empty() {
            distance += 1;
            self.spread(graph, ways);
            for &router in &self.then {
                self.settle(graph, ways, router, distance, block);
            }
            self.advance();
        }
    }

    /// Finds who is one farther, and from what.
    fn spread(&mut self, graph: &Graph, ways: &RouterLinks) {
        for &router in &self.at {
            let front = self.front[router as usize];
            for from in ways.neighbours(graph, router) {
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

    /// Enters the first link from a router that leads nearer, to each goal that it has gained.
    fn settle(&self, graph: &Graph, ways: &RouterLinks, router: u32, distance: u32, block: &mut Block<'_>) {
        let gained = self.gained[router as usize];
        let mut left = gained;
        for way in ways.from(router).iter().filter(|way| graph.arcs[way.link as usize].up) {
            let nearer = self.front[way.to as usize] & gained;
            block.enter(router, nearer & left, way.link, distance);
            if block.marks_equals {
                block.mark(router, nearer & !left);
            }
            left &= !nearer;
            if left == 0 && !block.marks_equals {
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
    /// Enters the same link and distance for goals.
    #[inline]
    fn enter(&mut self, router: u32, goals: u64, link: u32, distance: u32) {
        let row = router as usize * self.lanes;
        for lane in lanes_of(goals) {
            self.next[row + lane] = link;
            if let Some(distances) = &mut self.distances {
                distances[row + lane] = distance;
            }
        }
    }

    /// Says that the way that was entered is one of several.
    fn mark(&mut self, router: u32, goals: u64) {
        let row = router as usize * self.lanes;
        lanes_of(goals).for_each(|lane| self.next[row + lane] |= SEVERAL);
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

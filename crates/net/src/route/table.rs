//! The routing tables: what is kept, how it is read, and computed when it is first needed.
//!
//! What is behind one router is reached alike by all others, so routes lead to *goals*: routers with hosts behind them, or an
//! address of their own. An address says which goal it is behind and which link leads on from there; one whose last link
//! is down has no goal to be found by. Routes to a goal are computed when somebody asks for one, so that who is never sent to
//! takes neither time nor memory.

use super::entry::{HERE, SEVERAL};
use super::router_links::RouterLinks;
use super::shortest_paths::{Block, LANES, ShortestPaths};
use super::{Graph, NONE};
use crate::ids::LinkId;

/// Next links that are nothing else are below this, and so is the number of entries.
const PLAIN: u32 = SEVERAL;
/// The place of routes that are not there.
const ABSENT: u32 = PLAIN;

/// Routes from every router to every address.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    /// By the number of an address.
    doors: Vec<Door>,
    /// From router `r` to a goal at `row`: at `[row + r · lanes]`.
    next: Vec<u32>,
    /// Goals whose routes lie in one block.
    lanes: usize,
    pub(super) ways: RouterLinks,
    /// The goal behind which an address lies, or `NONE`.
    goal_of: Vec<u32>,
    pub(super) goals: Vec<Goal>,
    /// Goals with routes, in the order of these.
    pub(super) learnt: Vec<u32>,
    /// Distances in the form of `next`, `NONE` where there is no way; kept from the first time on that a link between
    /// routers changes, or from the beginning where one will.
    pub(super) distances: Option<Vec<u32>>,
    /// Whether packets are spread over ways of one length.
    pub(super) marks_equals: bool,
}

/// Entry of an address in the routing tables.
#[derive(Clone, Copy, Debug)]
struct Door {
    /// The place of routes to its goal, or `ABSENT`.
    row: u32,
    /// The link from its goal to its host, or `NONE` where the goal itself has this address.
    last: u32,
}

/// A router that somebody is reached through.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub(super) router: u32,
    /// The place of the routes to it, or `ABSENT`.
    row: u32,
    /// Numbers of the addresses behind it.
    addresses: Vec<u32>,
}

impl Routes {
    /// Whether there are none yet.
    pub(super) fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    pub(super) fn routers(&self) -> usize {
        self.ways.routers()
    }

    /// Roughly how many entries and links [`Routes::compute`] looks at.
    pub(super) fn cost(&self) -> u64 {
        // A block is searched in some steps, most of which look at many routers.
        let blocks = self.learnt.len().div_ceil(self.lanes.max(1));
        self.next.len() as u64 + 8 * (blocks * self.ways.len()) as u64
    }

    /// The next link from router number `router` to address number `index`, as far as it is at hand: where there is none,
    /// [`Routes::find`] knows.
    #[inline]
    pub(super) fn next_hop(&self, router: u32, index: usize) -> Option<LinkId> {
        let door = self.doors.get(index)?;
        let next = *self.next.get(door.row as usize + router as usize * self.lanes)?;
        let link = if next == HERE { door.last } else { next };
        (link < PLAIN).then_some(LinkId(link))
    }

    /// The goal of address number `index`, if there are no routes to it yet.
    pub(super) fn lacks(&self, index: usize) -> Option<u32> {
        let goal = self.goal_of.get(index).copied().filter(|goal| *goal != NONE)?;
        (self.goals[goal as usize].row == ABSENT).then_some(goal)
    }

    /// The next link from router number `router` to address number `index`. Of several that lead nearer, that which `choose`
    /// takes of so many.
    pub(super) fn find(
        &self,
        graph: &Graph,
        router: u32,
        index: usize,
        choose: impl FnOnce(u32) -> u32,
    ) -> Option<LinkId> {
        let goal = self.open_goal(graph, index)?;
        let next = self.next_to(graph, router, goal);
        if next < HERE && next & SEVERAL != 0 {
            let nearer = || self.ways.nearer(graph, router, |r| self.distance(r, goal as usize));
            return nearer().nth(choose(nearer().count() as u32) as usize).map(LinkId);
        }
        self.link(index, next)
    }

    /// All links to an address, one after another, from a router on; the first where several lead nearer. Looks for them where
    /// nobody has asked yet.
    pub(super) fn links(&self, graph: &Graph, router: u32, index: usize) -> Option<Vec<LinkId>> {
        let goal = self.open_goal(graph, index)?;
        let found =
            if self.goals[goal as usize].row == ABSENT { Some(self.search(graph, goal)) } else { None };
        let next =
            |r: u32| found.as_ref().map_or_else(|| self.next_to(graph, r, goal), |next| next[r as usize]);
        let (mut links, mut at) = (Vec::new(), router);
        while next(at) != HERE {
            let link = self.link(index, next(at))?;
            links.push(link);
            at = graph.router_at(graph.head(link));
        }
        links.extend(self.link(index, HERE));
        Some(links)
    }

    /// The goal to which packets for an address go: none where it has none, or the last link is down.
    fn open_goal(&self, graph: &Graph, index: usize) -> Option<u32> {
        self.goal_of.get(index).copied().filter(|goal| *goal != NONE && graph.is_open(index))
    }

    /// An entry as it is read.
    fn link(&self, index: usize, next: u32) -> Option<LinkId> {
        let link = match next {
            HERE => self.doors[index].last,
            NONE => NONE,
            several => several & !SEVERAL,
        };
        (link != NONE).then_some(LinkId(link))
    }

    /// The entry from a router to a goal.
    fn next_to(&self, graph: &Graph, router: u32, goal: u32) -> u32 {
        match self.goals[goal as usize].row {
            ABSENT => self.search(graph, goal)[router as usize],
            row => self.next[row as usize + router as usize * self.lanes],
        }
    }

    /// The entries from all routers to one goal, which are not kept.
    fn search(&self, graph: &Graph, goal: u32) -> Vec<u32> {
        let mut next = vec![NONE; self.routers()];
        let mut block = Block { lanes: 1, next: &mut next, distances: None, marks_equals: false };
        let goals = [(0, self.goals[goal as usize].router)];
        ShortestPaths::new(self.routers()).run(graph, &self.ways, &goals, &mut block);
        next
    }

    /// Takes over the topology: links between routers, and what is reached through whom.
    pub(super) fn lay_out(&mut self, graph: &Graph) {
        let last =
            graph.addresses.iter().map(|i| (graph.router_at(graph.arcs[i.into.0 as usize].from), i.into.0));
        let behind: Vec<(u32, u32)> =
            last.chain(graph.gateways.iter().map(|g| (graph.router_at(*g), NONE))).collect();
        self.ways = RouterLinks::of(graph);
        self.doors = behind.iter().map(|(_, last)| Door { row: ABSENT, last: *last }).collect();
        let mut addresses: Vec<Vec<u32>> = vec![Vec::new(); self.routers()];
        for (index, (router, _)) in behind.iter().enumerate().filter(|(_, (router, _))| *router != NONE) {
            // The others are ends of links between two hosts, which need no router.
            addresses[*router as usize].push(index as u32);
        }
        self.goal_of = vec![NONE; behind.len()];
        self.goals.clear();
        for (router, addresses) in addresses.into_iter().enumerate().filter(|(_, behind)| !behind.is_empty())
        {
            let goal = self.goals.len() as u32;
            addresses.iter().for_each(|index| self.goal_of[*index as usize] = goal);
            self.goals.push(Goal { router: router as u32, row: ABSENT, addresses });
        }
        self.lanes = self.goals.len().next_power_of_two().min(LANES);
        self.next.clear();
        self.learnt.clear();
        self.distances = (graph.will_change || graph.spreads()).then(Vec::new);
        self.marks_equals = graph.spreads();
    }

    /// The goals of these addresses.
    pub(super) fn goals_of(&self, indices: impl Iterator<Item = usize>) -> Vec<u32> {
        indices.filter_map(|index| self.goal_of.get(index).copied()).filter(|goal| *goal != NONE).collect()
    }

    /// Computes routes to these goals, where there are none yet and there is room for them.
    pub(super) fn learn(&mut self, graph: &Graph, mut goals: Vec<u32>) {
        goals.retain(|goal| self.goals[*goal as usize].row == ABSENT);
        goals.sort_unstable();
        goals.dedup();
        let most = ABSENT as usize / (self.routers() * self.lanes).max(1) * self.lanes;
        goals.truncate(most.saturating_sub(self.learnt.len()));
        if goals.is_empty() {
            return;
        }
        let first = self.learnt.len();
        self.learnt.extend(goals);
        for slot in first..self.learnt.len() {
            let (block, lane) = (slot / self.lanes, slot % self.lanes);
            self.goals[self.learnt[slot] as usize].row = (block * self.routers() * self.lanes + lane) as u32;
        }
        self.fill(graph, first);
    }

    /// Computes all routes anew that there are.
    pub(super) fn compute(&mut self, graph: &Graph) {
        self.next.clear();
        if let Some(distances) = &mut self.distances {
            distances.clear();
        }
        self.fill(graph, 0);
    }

    /// Computes the routes from this place in `learnt` on, and opens the doors behind their goals.
    fn fill(&mut self, graph: &Graph, first: usize) {
        let (len, lanes) = (self.routers() * self.lanes, self.lanes);
        let blocks = self.learnt.len().div_ceil(lanes);
        self.next.resize(blocks * len, NONE);
        if let Some(distances) = &mut self.distances {
            distances.resize(blocks * len, NONE);
        }
        let mut search = ShortestPaths::new(self.routers());
        for block in first / lanes..blocks {
            let slots = first.max(block * lanes)..self.learnt.len().min((block + 1) * lanes);
            let router = |slot: usize| self.goals[self.learnt[slot] as usize].router;
            let goals: Vec<(usize, u32)> = slots.map(|slot| (slot % lanes, router(slot))).collect();
            let here = block * len..(block + 1) * len;
            let mut block = Block {
                lanes,
                next: &mut self.next[here.clone()],
                distances: self.distances.as_mut().map(|all| &mut all[here]),
                marks_equals: self.marks_equals,
            };
            search.run(graph, &self.ways, &goals, &mut block);
        }
        for goal in &self.learnt[first..] {
            let Goal { row, addresses, .. } = &self.goals[*goal as usize];
            for index in addresses.iter().map(|index| *index as usize) {
                self.doors[index].row = if graph.is_open(index) { *row } else { ABSENT };
            }
        }
    }

    #[inline]
    fn at(&self, router: u32, k: usize) -> usize {
        self.goals[k].row as usize + router as usize * self.lanes
    }

    /// The number of links from a router to goal number `k`, to which there are routes, or `NONE`.
    #[inline]
    pub(super) fn distance(&self, router: u32, k: usize) -> u32 {
        self.distances.as_ref().expect("asked for by the caller")[self.at(router, k)]
    }

    pub(super) fn set_distance(&mut self, router: u32, k: usize, distance: u32) {
        let at = self.at(router, k);
        self.distances.as_mut().expect("asked for by the caller")[at] = distance;
    }

    /// Enters the next link from `router` to goal number `k` anew, from distances.
    pub(super) fn enter(&mut self, graph: &Graph, router: u32, k: usize) {
        let mut nearer = self.ways.nearer(graph, router, |r| self.distance(r, k));
        let first = nearer.next();
        let several = self.marks_equals && nearer.next().is_some();
        drop(nearer);
        let at = self.at(router, k);
        self.next[at] = first.map_or(NONE, |link| if several { link | SEVERAL } else { link });
    }

    /// The last link to address number `index` has gone down or up.
    pub(super) fn turn_door(&mut self, index: usize, up: bool) {
        let goal = &self.goals[self.goal_of[index] as usize];
        self.doors[index].row = if up { goal.row } else { ABSENT };
    }
}

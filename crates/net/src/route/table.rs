//! The routing tables, computed from scratch.
//!
//! They are computed from the far end: for each router that somebody is reached through, the distance of all others to
//! it, and from these everybody's next link: the first, in the order of links, whose far end is one nearer.

use super::{Graph, NONE};
use crate::{LinkId, NodeId};

/// Goals are searched for so many at a time, so that what is written next to each other is written together.
const BLOCK: usize = 16;

/// Routes from every router to every address.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    /// Addresses of interfaces and gateways.
    width: usize,
    /// Next link from router `r` to address `a` at `[r · width + a]`; a gateway has none to itself.
    table: Vec<u32>,
    /// Links between routers: those that leave router `r` are at `starts[r]..starts[r + 1]`, in the order of links.
    starts: Vec<u32>,
    ways: Vec<Way>,
    /// Routers that have addresses behind them, or one of their own.
    pub(super) goals: Vec<Goal>,
    /// From router `r` to goal `k` at `[r · goals + k]`, `NONE` where there is no way; kept from the first time on that a
    /// link between routers changes.
    pub(super) distances: Option<Vec<u32>>,
}

/// A link from a router to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) link: u32,
    /// Number of the router it leads to.
    pub(super) to: u32,
}

/// A router that somebody is reached through.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub(super) router: u32,
    /// What is reached through it, in ascending order.
    pub(super) columns: Vec<Column>,
}

/// An address in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) index: u32,
    /// Whether the last link, to its host, is up; a gateway needs none.
    pub(super) up: bool,
}

/// Distances of all routers to one goal.
pub(super) struct Search {
    pub(super) distance: Vec<u32>,
    queue: Vec<u32>,
}

impl Search {
    pub(super) fn new(routers: usize) -> Self {
        Self { distance: vec![NONE; routers], queue: Vec::with_capacity(routers) }
    }
}

impl Routes {
    /// Whether there are none yet.
    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(super) fn routers(&self) -> usize {
        self.starts.len() - 1
    }

    /// Roughly how many entries and links [`Routes::compute`] looks at.
    pub(super) fn cost(&self) -> u64 {
        let each = self.starts.len() + self.ways.len();
        self.goals.len() as u64 * each as u64 + self.table.len() as u64
    }

    /// The next link from router number `router` to address number `index`.
    #[inline]
    pub(super) fn next_hop(&self, router: u32, index: usize) -> Option<LinkId> {
        if index >= self.width {
            return None;
        }
        self.table.get(router as usize * self.width + index).copied().filter(|l| *l != NONE).map(LinkId)
    }

    /// Takes over the topology: links between routers, and what is reached through whom.
    pub(super) fn lay_out(&mut self, graph: &Graph) {
        let number = |node: NodeId| graph.nodes[node.0 as usize].router;
        self.width = graph.addresses.len() + graph.gateways.len();
        (self.starts, self.ways) = (vec![0], Vec::new());
        for node in graph.nodes.iter().filter(|n| n.router != NONE) {
            let ways = node.out.iter().map(|l| Way { link: l.0, to: number(graph.head(*l)) });
            self.ways.extend(ways.filter(|way| way.to != NONE));
            self.starts.push(self.ways.len() as u32);
        }
        let mut behind: Vec<Vec<Column>> = vec![Vec::new(); graph.routers as usize];
        let last = graph.addresses.iter().map(|interface| number(graph.arcs[interface.into.0 as usize].from));
        let owners = last.chain(graph.gateways.iter().map(|g| number(*g)));
        for (index, router) in owners.enumerate().filter(|(_, router)| *router != NONE) {
            // The others are ends of links between two hosts, which need no router.
            behind[router as usize].push(Column { index: index as u32, up: true });
        }
        let goals = behind.into_iter().enumerate().filter(|(_, columns)| !columns.is_empty());
        self.goals = goals.map(|(router, columns)| Goal { router: router as u32, columns }).collect();
    }

    /// Computes everything.
    pub(super) fn compute(&mut self, graph: &Graph) {
        self.table.clear();
        self.table.resize(self.routers() * self.width, NONE);
        for column in self.goals.iter_mut().flat_map(|goal| &mut goal.columns) {
            let interface = graph.addresses.get(column.index as usize);
            column.up = interface.is_none_or(|i| graph.arcs[i.into.0 as usize].up);
        }
        let entries = self.routers() * self.goals.len();
        if let Some(distances) = &mut self.distances {
            distances.clear();
            distances.resize(entries, NONE);
        }
        let mut searches: Vec<_> =
            (0..BLOCK.min(self.goals.len())).map(|_| Search::new(self.routers())).collect();
        for first in (0..self.goals.len()).step_by(BLOCK) {
            let block = first..self.goals.len().min(first + BLOCK);
            for k in block.clone() {
                self.search(graph, self.goals[k].router, &mut searches[k - first]);
            }
            for router in 0..self.routers() as u32 {
                for k in block.clone() {
                    let distance = &searches[k - first].distance;
                    let next = self.first_way(graph, router, |r| distance[r as usize]);
                    self.enter(graph, router, k, next);
                    let at = router as usize * self.goals.len() + k;
                    if let Some(distances) = &mut self.distances {
                        distances[at] = distance[router as usize];
                    }
                }
            }
        }
    }

    /// Distances of all routers to `goal`, breadth first.
    pub(super) fn search(&self, graph: &Graph, goal: u32, search: &mut Search) {
        let Search { distance, queue } = search;
        distance.fill(NONE);
        queue.clear();
        queue.push(goal);
        distance[goal as usize] = 0;
        let mut done = 0;
        while let Some(&router) = queue.get(done) {
            done += 1;
            for from in self.neighbours(graph, router) {
                if distance[from as usize] == NONE {
                    distance[from as usize] = distance[router as usize] + 1;
                    queue.push(from);
                }
            }
        }
    }

    /// Links that leave a router for others.
    #[inline]
    pub(super) fn ways(&self, router: u32) -> &[Way] {
        let router = router as usize;
        &self.ways[self.starts[router] as usize..self.starts[router + 1] as usize]
    }

    /// Routers with a link to this one that is up.
    #[inline]
    pub(super) fn neighbours<'a>(&'a self, graph: &'a Graph, router: u32) -> impl Iterator<Item = u32> + 'a {
        // The other direction of a link that leaves it.
        let into = self.ways(router).iter().filter(|way| graph.arcs[(way.link ^ 1) as usize].up);
        into.map(|way| way.to)
    }

    /// The first link from `router` that leads nearer to the goal of these distances.
    #[inline]
    pub(super) fn first_way(&self, graph: &Graph, router: u32, distance: impl Fn(u32) -> u32) -> u32 {
        let here = distance(router);
        if here == 0 || here == NONE {
            return NONE;
        }
        let nearer = |way: &&Way| graph.arcs[way.link as usize].up && distance(way.to) == here - 1;
        self.ways(router).iter().find(nearer).map_or(NONE, |way| way.link)
    }

    /// Enters the next link from `router` to goal number `k` for all that is behind that.
    pub(super) fn enter(&mut self, graph: &Graph, router: u32, k: usize, next: u32) {
        let goal = &self.goals[k];
        let row = &mut self.table[router as usize * self.width..][..self.width];
        if goal.router == router {
            for column in &goal.columns {
                let last = graph.addresses.get(column.index as usize).map_or(NONE, |i| i.into.0);
                row[column.index as usize] = if column.up { last } else { NONE };
            }
        } else {
            for column in &goal.columns {
                row[column.index as usize] = if column.up { next } else { NONE };
            }
        }
    }

    /// The last link to address number `index` behind goal number `k` has gone down or up: what all routers know of it.
    pub(super) fn enter_column(&mut self, graph: &Graph, k: usize, index: usize, up: bool) {
        let goal = self.goals[k].router;
        let mut search = Search::new(if up { self.routers() } else { 0 });
        if up {
            self.search(graph, goal, &mut search);
        }
        for router in 0..self.routers() as u32 {
            self.table[router as usize * self.width + index] = if !up {
                NONE
            } else if router == goal {
                graph.addresses[index].into.0
            } else {
                self.first_way(graph, router, |r| search.distance[r as usize])
            };
        }
    }
}

//! Update of the routing tables when a link goes down or up.
//!
//! A route is the first link that begins a shortest path, so it depends on distances and costs alone. The update runs for each egress router
//! and stops if the link does not lead nearer to it. If other links from the same router do, one entry may change; if not, the
//! distances of the routers upstream change, and a search from there finds them (Ramalingam and
//! Reps, "An incremental algorithm for a generalization of the shortest-path problem", J. Algorithms 21(2), 1996).

use super::router_links::RouterLink;
use super::table::Routes;
use super::{Graph, NONE};
use crate::ids::LinkId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Routers whose distance to one egress router changes.
#[derive(Default)]
struct Moved {
    routers: Vec<u32>,
    /// Membership in `routers`, by router number.
    is_in: Vec<bool>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Moved {
    fn add(&mut self, router: u32) {
        if !std::mem::replace(&mut self.is_in[router as usize], true) {
            self.routers.push(router);
        }
    }

    fn contains(&self, router: u32) -> bool {
        self.is_in[router as usize]
    }

    fn clear(&mut self) {
        for router in self.routers.drain(..) {
            self.is_in[router as usize] = false;
        }
    }
}

impl Routes {
    /// Updates the routes after a change of `link` in `graph`, and subtracts the work from `budget`. `None` if the budget does not
    /// suffice; the tables are then incomplete and must be recomputed.
    pub(super) fn follow(&mut self, graph: &Graph, link: LinkId, budget: &mut u64) -> Option<()> {
        let arc = graph.arcs[link.0 as usize];
        let [from, to] = [arc.from, arc.to].map(|n| graph.router_at(n));
        if from == NONE {
            return Some(()); // A link from a host is on no route between routers.
        }
        if to == NONE {
            *budget = budget.checked_sub(1)?;
            let index = graph.interface_behind(link).expect("a link to a host ends at an interface");
            self.update_entry(index, arc.up);
            return Some(());
        }
        if self.distances.is_none() {
            self.distances = Some(Vec::new()); // Distances are kept from now on.
            return None;
        }
        let mut moved = Moved { is_in: vec![false; self.routers()], ..Moved::default() };
        for slot in 0..self.computed.len() {
            let k = self.computed[slot] as usize;
            let work = if arc.up {
                self.link_up(graph, (from, to, arc.cost), k, &mut moved)
            } else {
                self.link_down(graph, (from, to, arc.cost), k, &mut moved)
            };
            *budget = budget.checked_sub(1 + work)?;
        }
        Some(())
    }

    /// Updates routes to egress router `k` after the link from `from` to `to` came up; returns the work done.
    fn link_up(
        &mut self,
        graph: &Graph,
        (from, to, cost): (u32, u32, u32),
        k: usize,
        moved: &mut Moved,
    ) -> u64 {
        let (before, beyond) = (self.distance(from, k), self.distance(to, k));
        let through = beyond.saturating_add(cost);
        if beyond == NONE || before < through {
            return 0;
        }
        if before == through {
            return self.renew(graph, from, k);
        }
        self.set_distance(from, k, through);
        moved.add(from);
        moved.heap.push(Reverse((through, from)));
        self.relax(graph, k, moved, false);
        self.renew_around(graph, k, moved)
    }

    /// Updates routes to egress router `k` after the link from `from` to `to` went down; returns the work done.
    fn link_down(
        &mut self,
        graph: &Graph,
        (from, to, cost): (u32, u32, u32),
        k: usize,
        moved: &mut Moved,
    ) -> u64 {
        let (before, beyond) = (self.distance(from, k), self.distance(to, k));
        if before == NONE || beyond == NONE || beyond.checked_add(cost) != Some(before) {
            return 0;
        }
        if self.has_nearer_link(graph, from, k, moved) {
            return self.renew(graph, from, k);
        }
        // The router has lost its last link that leads nearer. Routers upstream are looked at again whenever one of those
        // before them moves.
        moved.add(from);
        let mut done = 0;
        while let Some(&router) = moved.routers.get(done) {
            done += 1;
            let distance = self.distance(router, k);
            for (behind, cost) in self.router_links.neighbours_with_cost(graph, router) {
                if distance.checked_add(cost) == Some(self.distance(behind, k))
                    && !moved.contains(behind)
                    && !self.has_nearer_link(graph, behind, k, moved)
                {
                    moved.add(behind);
                }
            }
        }
        self.recompute_distances(graph, k, moved);
        self.renew_around(graph, k, moved)
    }

    /// Whether a link leads from `router` to a nearer router whose distance does not change.
    fn has_nearer_link(&self, graph: &Graph, router: u32, k: usize, moved: &Moved) -> bool {
        let here = self.distance(router, k);
        let leads = |way: &RouterLink| {
            let arc = &graph.arcs[way.link as usize];
            arc.up && !moved.contains(way.to) && self.distance(way.to, k).checked_add(arc.cost) == Some(here)
        };
        self.router_links.from(router).iter().any(leads)
    }

    /// Computes the new distances of the moved routers from those of the others (Dijkstra's algorithm).
    fn recompute_distances(&mut self, graph: &Graph, k: usize, moved: &mut Moved) {
        for i in 0..moved.routers.len() {
            let router = moved.routers[i];
            let open = |way: &&RouterLink| graph.arcs[way.link as usize].up && !moved.contains(way.to);
            let through = |way: &RouterLink| {
                self.distance(way.to, k).saturating_add(graph.arcs[way.link as usize].cost)
            };
            let distance =
                self.router_links.from(router).iter().filter(open).map(through).min().unwrap_or(NONE);
            self.set_distance(router, k, distance);
            if distance != NONE {
                moved.heap.push(Reverse((distance, router)));
            }
        }
        self.relax(graph, k, moved, true);
    }

    /// Passes the distances of the routers in the heap on to those upstream (Dijkstra's algorithm): to moved ones only, or to all,
    /// which then have moved.
    fn relax(&mut self, graph: &Graph, k: usize, moved: &mut Moved, moved_only: bool) {
        while let Some(Reverse((distance, router))) = moved.heap.pop() {
            if distance > self.distance(router, k) {
                continue;
            }
            let through = |(from, cost): (u32, u32)| (distance.saturating_add(cost), from);
            let farther = |(through, from): &(u32, u32)| {
                (!moved_only || moved.contains(*from)) && *through < self.distance(*from, k)
            };
            let upstream = self.router_links.neighbours_with_cost(graph, router);
            let nearer_now: Vec<(u32, u32)> = upstream.map(through).filter(farther).collect();
            for (through, from) in nearer_now {
                // Links in parallel of which a later one is cheaper come twice.
                if through < self.distance(from, k) {
                    self.set_distance(from, k, through);
                    moved.add(from);
                    moved.heap.push(Reverse((through, from)));
                }
            }
        }
    }

    /// Updates the entries of the moved routers and their neighbours, and clears `moved`.
    fn renew_around(&mut self, graph: &Graph, k: usize, moved: &mut Moved) -> u64 {
        for i in 0..moved.routers.len() {
            for from in self.router_links.neighbours(graph, moved.routers[i]) {
                moved.add(from);
            }
        }
        let work = moved.routers.iter().map(|router| self.renew(graph, *router, k)).sum();
        moved.clear();
        work
    }

    /// Updates the entry of `router` for egress router number `k`; returns the work done.
    fn renew(&mut self, graph: &Graph, router: u32, k: usize) -> u64 {
        if self.egresses[k].router == router {
            return 1; // The entry of the egress router itself never changes.
        }
        self.enter(graph, router, k);
        self.router_links.from(router).len() as u64
    }
}

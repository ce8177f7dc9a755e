//! Update of the routing tables when a link goes down or up.
//!
//! A route is the first of the links that lead nearer, so it depends on distances alone. For each goal in turn: the link
//! matters only if it leads nearer. If it was, or becomes, one of several such links, one entry may change; if not, the
//! distances of those behind it change, and are found from there as breadth-first search would find them (Ramalingam and
//! Reps, "An incremental algorithm for a generalization of the shortest-path problem", J. Algorithms 21(2), 1996).

use super::router_links::RouterLink;
use super::table::Routes;
use super::{Graph, NONE};
use crate::ids::LinkId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Routers whose distance to one goal changes.
#[derive(Default)]
struct Moved {
    routers: Vec<u32>,
    /// Whether a router is among them.
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
    /// Follows a link that has changed in `graph`. Gives none, and leaves the tables undone, where that would take more
    /// than the `budget`, of which it takes what it needs.
    pub(super) fn follow(&mut self, graph: &Graph, link: LinkId, budget: &mut u64) -> Option<()> {
        let arc = graph.arcs[link.0 as usize];
        let [from, to] = [arc.from, arc.to].map(|n| graph.router_at(n));
        if from == NONE {
            return Some(()); // From a host: nobody is routed over it.
        }
        if to == NONE {
            *budget = budget.checked_sub(1)?;
            let index = graph.interface_behind(link).expect("a link to a host ends at an interface");
            self.turn_door(index, arc.up);
            return Some(());
        }
        if self.distances.is_none() {
            self.distances = Some(Vec::new()); // To be kept from now on.
            return None;
        }
        let mut moved = Moved { is_in: vec![false; self.routers()], ..Moved::default() };
        for slot in 0..self.learnt.len() {
            let k = self.learnt[slot] as usize;
            let work = if arc.up {
                self.gain(graph, (from, to), k, &mut moved)
            } else {
                self.lose(graph, (from, to), k, &mut moved)
            };
            *budget = budget.checked_sub(1 + work)?;
        }
        Some(())
    }

    /// The link from `from` to `to` is there. Gives the work done.
    fn gain(&mut self, graph: &Graph, (from, to): (u32, u32), k: usize, moved: &mut Moved) -> u64 {
        let (before, beyond) = (self.distance(from, k), self.distance(to, k));
        if beyond == NONE || before <= beyond {
            return 0;
        }
        if before == beyond + 1 {
            return self.renew(graph, from, k);
        }
        self.set_distance(from, k, beyond + 1);
        moved.add(from);
        let mut done = 0;
        while let Some(&router) = moved.routers.get(done) {
            done += 1;
            let distance = self.distance(router, k) + 1;
            let farther = |r: &u32| self.distance(*r, k) > distance;
            let nearer_now: Vec<u32> = self.ways.neighbours(graph, router).filter(farther).collect();
            for router in nearer_now {
                self.set_distance(router, k, distance);
                moved.add(router);
            }
        }
        self.renew_around(graph, k, moved)
    }

    /// The link from `from` to `to` is gone. Gives the work done.
    fn lose(&mut self, graph: &Graph, (from, to): (u32, u32), k: usize, moved: &mut Moved) -> u64 {
        let (before, beyond) = (self.distance(from, k), self.distance(to, k));
        if before == NONE || beyond == NONE || before != beyond + 1 {
            return 0;
        }
        if self.has_way(graph, from, k, moved) {
            return self.renew(graph, from, k);
        }
        // This router has lost every link that led nearer; routers nearest to the goal come first.
        moved.add(from);
        let mut done = 0;
        while let Some(&router) = moved.routers.get(done) {
            done += 1;
            let distance = self.distance(router, k);
            for behind in self.ways.neighbours(graph, router) {
                if self.distance(behind, k) == distance + 1
                    && !moved.contains(behind)
                    && !self.has_way(graph, behind, k, moved)
                {
                    moved.add(behind);
                }
            }
        }
        self.reach(graph, k, moved);
        self.renew_around(graph, k, moved)
    }

    /// Whether a link leads from `router` to one that is nearer and does not move.
    fn has_way(&self, graph: &Graph, router: u32, k: usize, moved: &Moved) -> bool {
        let here = self.distance(router, k);
        let leads = |way: &RouterLink| {
            graph.arcs[way.link as usize].up
                && !moved.contains(way.to)
                && self.distance(way.to, k).checked_add(1) == Some(here)
        };
        self.ways.from(router).iter().any(leads)
    }

    /// New distances of those that have moved, from those that have not.
    fn reach(&mut self, graph: &Graph, k: usize, moved: &mut Moved) {
        for i in 0..moved.routers.len() {
            let router = moved.routers[i];
            let open = |way: &&RouterLink| graph.arcs[way.link as usize].up && !moved.contains(way.to);
            let beyond = self.ways.from(router).iter().filter(open).map(|way| self.distance(way.to, k)).min();
            let distance = beyond.map_or(NONE, |d| d.saturating_add(1));
            self.set_distance(router, k, distance);
            if distance != NONE {
                moved.heap.push(Reverse((distance, router)));
            }
        }
        while let Some(Reverse((distance, router))) = moved.heap.pop() {
            if distance > self.distance(router, k) {
                continue;
            }
            let farther = |r: &u32| moved.is_in[*r as usize] && self.distance(*r, k) > distance + 1;
            let nearer_now: Vec<u32> = self.ways.neighbours(graph, router).filter(farther).collect();
            for router in nearer_now {
                self.set_distance(router, k, distance + 1);
                moved.heap.push(Reverse((distance + 1, router)));
            }
        }
    }

    /// Enters anew the routes of those that have moved and of their neighbours; nobody has moved then.
    fn renew_around(&mut self, graph: &Graph, k: usize, moved: &mut Moved) -> u64 {
        for i in 0..moved.routers.len() {
            for from in self.ways.neighbours(graph, moved.routers[i]) {
                moved.add(from);
            }
        }
        let work = moved.routers.iter().map(|router| self.renew(graph, *router, k)).sum();
        moved.clear();
        work
    }

    /// Enters the route from `router` to goal number `k` anew.
    fn renew(&mut self, graph: &Graph, router: u32, k: usize) -> u64 {
        if self.goals[k].router == router {
            return 1; // What is behind it is its own.
        }
        self.enter(graph, router, k);
        self.ways.from(router).len() as u64
    }
}

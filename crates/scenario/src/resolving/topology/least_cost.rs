//! Paths of least cost between routers, where links have costs. Of equal ones a router takes that whose link comes first in the
//! file, as `tailrace_net::route` does.

use super::{MAX_TREES, PathHop, Topology, is_router};
use crate::model::{LinkIndex, NodeIndex};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl Topology<'_> {
    /// Sum of the costs of a path's links, each in its direction; their number where none is stated.
    pub(crate) fn cost_of(&self, path: &[PathHop]) -> u64 {
        path.iter().map(|(link, forward)| self.cost(*link, *forward)).sum()
    }

    fn cost(&self, link: LinkIndex, forward: bool) -> u64 {
        let link = &self.scenario.links[link.0 as usize];
        u64::from(if forward { link.forward.cost } else { link.backward.cost })
    }

    /// The links between two routers that are joined.
    pub(super) fn between_by_cost(&mut self, from: NodeIndex, to: NodeIndex) -> Option<Vec<PathHop>> {
        if !self.distances.contains_key(&to.0) {
            if self.distances.len() >= MAX_TREES {
                self.distances.clear();
            }
            let distances = self.distances_to(to);
            self.distances.insert(to.0, distances);
        }
        let distances = &self.distances[&to.0];
        let (mut path, mut at) = (Vec::new(), from);
        while at != to {
            let here = distances[at.0 as usize];
            let leads = |(other, hop): &(NodeIndex, PathHop)| {
                distances[other.0 as usize].checked_add(self.cost(hop.0, hop.1)) == Some(here)
            };
            let (next, hop) = self.to_routers(at).find(leads)?;
            path.push(hop);
            at = next;
        }
        Some(path)
    }

    /// Distances of all routers to one (Dijkstra's algorithm).
    fn distances_to(&self, goal: NodeIndex) -> Vec<u64> {
        let mut distances = vec![u64::MAX; self.scenario.nodes.len()];
        distances[goal.0 as usize] = 0;
        let mut heap = BinaryHeap::from([Reverse((0_u64, goal))]);
        while let Some(Reverse((distance, router))) = heap.pop() {
            if distance > distances[router.0 as usize] {
                continue;
            }
            for (from, (link, forward)) in self.to_routers(router) {
                let through = distance + self.cost(link, !forward);
                if through < distances[from.0 as usize] {
                    distances[from.0 as usize] = through;
                    heap.push(Reverse((through, from)));
                }
            }
        }
        distances
    }

    /// Links from a router to others, in the order of the file.
    fn to_routers(&self, router: NodeIndex) -> impl Iterator<Item = (NodeIndex, PathHop)> + '_ {
        let ends = self.arms(router).iter().filter(|end| is_router(self.scenario, end.other));
        ends.map(move |end| (end.other, self.hop(end.link, router)))
    }
}

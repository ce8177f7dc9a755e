//! The graph of a scenario: what is reachable, and over which links. Hosts do not forward. Paths have the least cost, as in
//! `tailrace_net::route`.

mod least_cost;

use crate::model::{LinkIndex, NodeIndex, NodeKind, Scenario};
use crate::resolving::uplinks::{LinkEnd, Uplinks};
use std::collections::{BTreeMap, VecDeque};

const NONE: u32 = u32::MAX;
/// Trees kept at a time; scenarios with more attachment points than this recompute some.
const MAX_TREES: usize = 256;

/// Nodes with their links.
pub(crate) struct Topology<'s> {
    scenario: &'s Scenario,
    /// Position of each node's first arm in `arms`; one more at the end.
    starts: Vec<usize>,
    arms: Vec<LinkEnd>,
    /// Connected set of routers that a router belongs to; a host is its own.
    component: Vec<u32>,
    uplinks: Uplinks,
    /// Without further links to the same router, which are no part of a shortest path.
    first_uplinks: Uplinks,
    trees: BTreeMap<u32, Vec<u32>>,
    /// Where links have costs: distances of all routers to one.
    distances: BTreeMap<u32, Vec<u64>>,
    has_costs: bool,
}

/// A link and whether it is crossed from a to b.
pub(crate) type PathHop = (LinkIndex, bool);

impl<'s> Topology<'s> {
    pub(crate) fn new(scenario: &'s Scenario) -> Self {
        let mut starts = vec![0_usize; scenario.nodes.len() + 1];
        for link in &scenario.links {
            starts[link.a.0 as usize + 1] += 1;
            starts[link.b.0 as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut arms =
            vec![LinkEnd { other: NodeIndex(NONE), link: LinkIndex(NONE) }; scenario.links.len() * 2];
        for (i, link) in scenario.links.iter().enumerate() {
            for (here, other) in [(link.a, link.b), (link.b, link.a)] {
                arms[next[here.0 as usize]] = LinkEnd { other, link: LinkIndex(i as u32) };
                next[here.0 as usize] += 1;
            }
        }
        let component = components(scenario);
        let of_node = |node: NodeIndex| &arms[starts[node.0 as usize]..starts[node.0 as usize + 1]];
        let to_routers = |node| of_node(node).iter().copied().filter(|end| is_router(scenario, end.other));
        let uplinks = Uplinks::new(scenario.nodes.len(), to_routers, |router| component[router.0 as usize]);
        let has_costs = scenario.links.iter().any(|link| link.forward.cost != 1 || link.backward.cost != 1);
        // Links to one router: the first of several is taken only where all cost the same.
        let first_uplinks = if has_costs { uplinks.clone() } else { uplinks.first_of_each_router() };
        let (trees, distances) = (BTreeMap::new(), BTreeMap::new());
        Self { scenario, starts, arms, component, uplinks, first_uplinks, trees, distances, has_costs }
    }

    fn arms(&self, node: NodeIndex) -> &[LinkEnd] {
        &self.arms[self.starts[node.0 as usize]..self.starts[node.0 as usize + 1]]
    }

    /// Links between two nodes, in the order of the file.
    fn direct(&self, a: NodeIndex, b: NodeIndex) -> impl Iterator<Item = LinkIndex> + '_ {
        let (fewer, other) = if self.degree(a) <= self.degree(b) { (a, b) } else { (b, a) };
        self.arms(fewer).iter().filter(move |arm| arm.other == other).map(|arm| arm.link)
    }

    /// Number of links at a node.
    pub(crate) fn degree(&self, node: NodeIndex) -> usize {
        self.arms(node).len()
    }

    /// The links at a node in the order of the file: the interfaces of a host.
    pub(crate) fn links(&self, node: NodeIndex) -> impl Iterator<Item = LinkIndex> + '_ {
        self.arms(node).iter().map(|arm| arm.link)
    }

    /// Whether packets can go from host `a` to host `b`.
    pub(crate) fn reachable(&self, a: NodeIndex, b: NodeIndex) -> bool {
        self.direct(a, b).next().is_some() || !self.uplinks.common(a, b).is_empty()
    }

    /// Whether packets that leave host `a` by `link` can go to a router.
    pub(crate) fn reaches_router(&self, a: NodeIndex, link: LinkIndex, router: NodeIndex) -> bool {
        let goal = self.component[router.0 as usize];
        let ends = &self.scenario.links[link.0 as usize];
        let other = if ends.a == a { ends.b } else { ends.a };
        is_router(self.scenario, other) && self.component[other.0 as usize] == goal
    }

    /// The links from host `a` to host `b` along a shortest path (least cost; fewest links where none is stated).
    pub(crate) fn path(&mut self, a: NodeIndex, b: NodeIndex) -> Option<Vec<PathHop>> {
        if let Some(link) = self.direct(a, b).next() {
            return Some(vec![self.hop(link, a)]);
        }
        let pairs = self.first_uplinks.pairs(a, b);
        let paths: Vec<_> = pairs.into_iter().filter_map(|pair| self.through_routers(a, pair)).collect();
        paths.into_iter().min_by_key(|path| self.cost_of(path))
    }

    /// The links from host `a` to host `b` for every two of their interfaces.
    pub(crate) fn paths(&mut self, a: NodeIndex, b: NodeIndex) -> Vec<Vec<PathHop>> {
        let mut paths: Vec<Vec<PathHop>> = self.direct(a, b).map(|link| vec![self.hop(link, a)]).collect();
        let pairs = self.uplinks.pairs(a, b);
        paths.extend(pairs.into_iter().filter_map(|pair| self.through_routers(a, pair)));
        paths
    }

    /// The links from host `a` that begin with one given link and end with another.
    fn through_routers(&mut self, a: NodeIndex, (enter, leave): (LinkEnd, LinkEnd)) -> Option<Vec<PathHop>> {
        let middle = self.between(enter.other, leave.other)?;
        let mut path = vec![self.hop(enter.link, a)];
        path.extend(middle);
        path.push(self.hop(leave.link, leave.other));
        Some(path)
    }

    fn hop(&self, link: LinkIndex, from: NodeIndex) -> PathHop {
        (link, self.scenario.links[link.0 as usize].a == from)
    }

    /// The links between two routers.
    fn between(&mut self, from: NodeIndex, to: NodeIndex) -> Option<Vec<PathHop>> {
        if self.component[from.0 as usize] != self.component[to.0 as usize] {
            return None;
        }
        if self.has_costs {
            return self.between_by_cost(from, to);
        }
        if !self.trees.contains_key(&from.0) {
            if self.trees.len() >= MAX_TREES {
                self.trees.clear();
            }
            let tree = self.tree(from);
            self.trees.insert(from.0, tree);
        }
        let tree = &self.trees[&from.0];
        let (mut path, mut at) = (Vec::new(), to);
        while at != from {
            let link = tree[at.0 as usize];
            if link == NONE {
                return None;
            }
            let ends = &self.scenario.links[link as usize];
            let before = if ends.a == at { ends.b } else { ends.a };
            path.push((LinkIndex(link), ends.a == before));
            at = before;
        }
        path.reverse();
        Some(path)
    }

    /// The link by which each router is reached from `root`.
    fn tree(&self, root: NodeIndex) -> Vec<u32> {
        let mut reached = vec![NONE; self.scenario.nodes.len()];
        let mut queue = VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            for arm in self.arms(node) {
                let slot = arm.other.0 as usize;
                if arm.other != root && is_router(self.scenario, arm.other) && reached[slot] == NONE {
                    reached[slot] = arm.link.0;
                    queue.push_back(arm.other);
                }
            }
        }
        reached
    }
}

fn is_router(scenario: &Scenario, node: NodeIndex) -> bool {
    scenario.nodes[node.0 as usize].kind == NodeKind::Router
}

/// Union-find over the links between routers.
fn components(scenario: &Scenario) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..scenario.nodes.len() as u32).collect();
    for link in &scenario.links {
        if is_router(scenario, link.a) && is_router(scenario, link.b) {
            let (a, b) = (root(&mut parent, link.a.0), root(&mut parent, link.b.0));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    (0..parent.len() as u32).map(|i| root(&mut parent, i)).collect()
}

/// The set's representative; halves the way to it for the next time.
fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        let up = parent[parent[i as usize] as usize];
        parent[i as usize] = up;
        i = up;
    }
    i
}

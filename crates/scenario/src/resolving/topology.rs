//! The graph of a scenario: what is reachable, and over which links. Hosts do not forward.

use crate::model::{LinkIndex, NodeIndex, NodeKind, Scenario};
use std::collections::{BTreeMap, VecDeque};

const NONE: u32 = u32::MAX;
/// Trees kept at a time; scenarios with more attachment points than this recompute some.
const MAX_TREES: usize = 256;

/// A link as one of its ends sees it.
#[derive(Clone, Copy, Debug)]
struct LinkEnd {
    other: NodeIndex,
    link: LinkIndex,
}

/// Nodes with their links.
pub(crate) struct Topology<'s> {
    scenario: &'s Scenario,
    /// Position of each node's first arm in `arms`; one more at the end.
    starts: Vec<usize>,
    arms: Vec<LinkEnd>,
    /// Connected set of routers that a router belongs to; a host is its own.
    component: Vec<u32>,
    trees: BTreeMap<u32, Vec<u32>>,
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
        Self { scenario, starts, arms, component, trees: BTreeMap::new() }
    }

    fn arms(&self, node: NodeIndex) -> &[LinkEnd] {
        &self.arms[self.starts[node.0 as usize]..self.starts[node.0 as usize + 1]]
    }

    fn is_router(&self, node: NodeIndex) -> bool {
        self.scenario.nodes[node.0 as usize].kind == NodeKind::Router
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
        let near = self.arms(a).iter().filter(|arm| self.is_router(arm.other));
        let sets: Vec<u32> = near.map(|arm| self.component[arm.other.0 as usize]).collect();
        self.arms(b).iter().any(|arm| {
            arm.other == a
                || (self.is_router(arm.other) && sets.contains(&self.component[arm.other.0 as usize]))
        })
    }

    /// Whether packets that leave host `a` by `link` can go to a router.
    pub(crate) fn reaches_router(&self, a: NodeIndex, link: LinkIndex, router: NodeIndex) -> bool {
        let goal = self.component[router.0 as usize];
        let mut arms = self.arms(a).iter().filter(|arm| arm.link == link);
        arms.any(|arm| self.is_router(arm.other) && self.component[arm.other.0 as usize] == goal)
    }

    /// The links from host `a` to host `b` along a shortest path (fewest links).
    pub(crate) fn path(&mut self, a: NodeIndex, b: NodeIndex) -> Option<Vec<PathHop>> {
        self.paths(a, b).into_iter().min_by_key(Vec::len)
    }

    /// The links from host `a` to host `b` for every two of their interfaces.
    pub(crate) fn paths(&mut self, a: NodeIndex, b: NodeIndex) -> Vec<Vec<PathHop>> {
        let direct = self.arms(a).iter().filter(|arm| arm.other == b);
        let mut paths: Vec<Vec<PathHop>> = direct.map(|arm| vec![self.hop(arm.link, a)]).collect();
        let of =
            |t: &Self, n| t.arms(n).iter().copied().filter(|arm| t.is_router(arm.other)).collect::<Vec<_>>();
        let (near, far) = (of(self, a), of(self, b));
        for enter in &near {
            for leave in &far {
                let Some(middle) = self.between(enter.other, leave.other) else { continue };
                let mut path = vec![self.hop(enter.link, a)];
                path.extend(middle);
                path.push(self.hop(leave.link, leave.other));
                paths.push(path);
            }
        }
        paths
    }

    fn hop(&self, link: LinkIndex, from: NodeIndex) -> PathHop {
        (link, self.scenario.links[link.0 as usize].a == from)
    }

    /// The links between two routers.
    fn between(&mut self, from: NodeIndex, to: NodeIndex) -> Option<Vec<PathHop>> {
        if self.component[from.0 as usize] != self.component[to.0 as usize] {
            return None;
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
                if arm.other != root && self.is_router(arm.other) && reached[slot] == NONE {
                    reached[slot] = arm.link.0;
                    queue.push_back(arm.other);
                }
            }
        }
        reached
    }
}

/// Union-find over the links between routers.
fn components(scenario: &Scenario) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..scenario.nodes.len() as u32).collect();
    let router = |n: NodeIndex| scenario.nodes[n.0 as usize].kind == NodeKind::Router;
    for link in &scenario.links {
        if router(link.a) && router(link.b) {
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

//! Links from nodes to routers, found by the connected set of routers that they lead into.

use crate::model::{LinkIndex, NodeIndex};

/// A link as one of its ends sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkEnd {
    pub(super) other: NodeIndex,
    pub(super) link: LinkIndex,
}

/// Each node's links to routers, by connected set and then in the order of the file. Questions about two hosts walk the one with
/// fewer links and search the other, so that a host with one link costs the same however many share its peer.
#[derive(Clone)]
pub(super) struct Uplinks {
    /// Position of each node's first entry in `ends`; one more at the end.
    starts: Vec<usize>,
    /// Connected set and link.
    ends: Vec<(u32, LinkEnd)>,
}

impl Uplinks {
    /// `of_node` gives a node's links to routers in the order of the file, `component` the connected set of a router.
    pub(super) fn new<I: IntoIterator<Item = LinkEnd>>(
        nodes: usize,
        of_node: impl Fn(NodeIndex) -> I,
        component: impl Fn(NodeIndex) -> u32,
    ) -> Self {
        let (mut starts, mut ends) = (vec![0], Vec::new());
        for node in 0..nodes {
            let start = ends.len();
            ends.extend(of_node(NodeIndex(node as u32)).into_iter().map(|end| (component(end.other), end)));
            ends[start..].sort_by_key(|(component, _)| *component);
            starts.push(ends.len());
        }
        Self { starts, ends }
    }

    /// The same, of several links to one router only the first.
    pub(super) fn first_of_each_router(&self) -> Self {
        let (mut starts, mut ends) = (vec![0], Vec::new());
        for node in self.starts.windows(2) {
            let start = ends.len();
            ends.extend_from_slice(&self.ends[node[0]..node[1]]);
            let kept = &mut ends[start..];
            kept.sort_by_key(|(component, end)| (*component, end.other, end.link));
            let mut of_node = ends.split_off(start);
            of_node.dedup_by_key(|(_, end)| end.other);
            of_node.sort_by_key(|(component, end)| (*component, end.link));
            ends.extend(of_node);
            starts.push(ends.len());
        }
        Self { starts, ends }
    }

    fn of(&self, node: NodeIndex) -> &[(u32, LinkEnd)] {
        &self.ends[self.starts[node.0 as usize]..self.starts[node.0 as usize + 1]]
    }

    /// A node's links into one connected set.
    fn leading_into(&self, node: NodeIndex, component: u32) -> &[(u32, LinkEnd)] {
        let ends = self.of(node);
        let from = ends.partition_point(|(c, _)| *c < component);
        let len = ends[from..].partition_point(|(c, _)| *c == component);
        &ends[from..from + len]
    }

    /// Connected sets that both nodes have links into.
    pub(super) fn common(&self, a: NodeIndex, b: NodeIndex) -> Vec<u32> {
        let (fewer, more) = if self.of(a).len() <= self.of(b).len() { (a, b) } else { (b, a) };
        let mut components: Vec<u32> = self.of(fewer).iter().map(|(component, _)| *component).collect();
        components.dedup();
        components.retain(|component| !self.leading_into(more, *component).is_empty());
        components
    }

    /// Pairs of a link of `a` and a link of `b` into the same connected set, in the order of `a`'s links in the file, then of `b`'s.
    pub(super) fn pairs(&self, a: NodeIndex, b: NodeIndex) -> Vec<(LinkEnd, LinkEnd)> {
        let near = self.common(a, b).into_iter().flat_map(|component| self.leading_into(a, component));
        let mut near: Vec<(u32, LinkEnd)> = near.copied().collect();
        near.sort_by_key(|(_, end)| end.link);
        let far = |(component, enter): (u32, LinkEnd)| {
            self.leading_into(b, component).iter().map(move |(_, leave)| (enter, *leave))
        };
        near.into_iter().flat_map(far).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROUTERS: u32 = 6;

    /// Pairs of links into one connected set, as the definition says.
    fn pairs_by_definition(
        a: &[LinkEnd],
        b: &[LinkEnd],
        component: impl Fn(NodeIndex) -> u32,
    ) -> Vec<(u32, u32)> {
        let pairs = a.iter().flat_map(|enter| b.iter().map(move |leave| (enter, leave)));
        pairs
            .filter(|(enter, leave)| component(enter.other) == component(leave.other))
            .map(|(enter, leave)| (enter.link.0, leave.link.0))
            .collect()
    }

    /// Links of each of two hosts to the routers given, numbered through.
    fn links_to(routers: [&[u32]; 2]) -> [Vec<LinkEnd>; 2] {
        let mut links = 0..;
        routers.map(|of_host| {
            let end =
                |(router, link): (&u32, u32)| LinkEnd { other: NodeIndex(*router), link: LinkIndex(link) };
            of_host.iter().zip(&mut links).map(end).collect()
        })
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_the_definition_in_the_order_of_the_file(
            near in proptest::collection::vec(0..ROUTERS, 0..9),
            far in proptest::collection::vec(0..ROUTERS, 0..9),
            sets in proptest::collection::vec(0_u32..3, ROUTERS as usize),
        ) {
            let ends = links_to([&near, &far]);
            let component = |router: NodeIndex| sets[router.0 as usize];
            let uplinks = Uplinks::new(2, |node| ends[node.0 as usize].clone(), component);
            let (a, b) = (NodeIndex(0), NodeIndex(1));
            let found: Vec<_> = uplinks.pairs(a, b).iter().map(|(x, y)| (x.link.0, y.link.0)).collect();
            prop_assert_eq!(&found, &pairs_by_definition(&ends[0], &ends[1], component));
            prop_assert_eq!(uplinks.common(a, b).is_empty(), found.is_empty());
            let first = ends.clone().map(|mut ends| {
                let all = ends.clone();
                ends.retain(|end| all.iter().find(|e| e.other == end.other).is_some_and(|e| e.link == end.link));
                ends
            });
            let found = uplinks.first_of_each_router().pairs(a, b);
            let found: Vec<_> = found.iter().map(|(x, y)| (x.link.0, y.link.0)).collect();
            prop_assert_eq!(found, pairs_by_definition(&first[0], &first[1], component));
        }
    }
}

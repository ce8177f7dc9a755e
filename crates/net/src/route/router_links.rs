//! Links between routers, and the search for the nearest way to some of them.

use super::{Graph, NONE};

/// A link from a router to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct RouterLink {
    pub(super) link: u32,
    /// Number of the router it leads to.
    pub(super) to: u32,
}

/// Links that leave routers for others.
#[derive(Clone, Debug, Default)]
pub(super) struct RouterLinks {
    /// Links of router `r` are at `starts[r]..starts[r + 1]`, in the order of links.
    starts: Vec<u32>,
    all: Vec<RouterLink>,
}

impl RouterLinks {
    pub(super) fn of(graph: &Graph) -> Self {
        let mut router_links = Self { starts: vec![0], all: Vec::new() };
        for node in graph.nodes.iter().filter(|n| n.router != NONE) {
            let out = node.out.iter().map(|l| RouterLink { link: l.0, to: graph.router_at(graph.head(*l)) });
            router_links.all.extend(out.filter(|way| way.to != NONE));
            router_links.starts.push(router_links.all.len() as u32);
        }
        router_links
    }

    /// Whether nothing has been laid out yet.
    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(super) fn routers(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of routers and links.
    pub(super) fn len(&self) -> usize {
        self.starts.len() + self.all.len()
    }

    /// Links that leave a router for others.
    #[inline]
    pub(super) fn from(&self, router: u32) -> &[RouterLink] {
        let router = router as usize;
        &self.all[self.starts[router] as usize..self.starts[router + 1] as usize]
    }

    /// Routers with a link to this one that is up.
    #[inline]
    pub(super) fn neighbours<'a>(&'a self, graph: &'a Graph, router: u32) -> impl Iterator<Item = u32> + 'a {
        self.neighbours_with_cost(graph, router).map(|(from, _)| from)
    }

    /// Routers with a link to this one that is up, and the cost of that link.
    #[inline]
    pub(super) fn neighbours_with_cost<'a>(
        &'a self,
        graph: &'a Graph,
        router: u32,
    ) -> impl Iterator<Item = (u32, u32)> + 'a {
        // The other direction of a link that leaves it.
        let into = self.from(router).iter().map(|way| (way.to, &graph.arcs[(way.link ^ 1) as usize]));
        into.filter(|(_, arc)| arc.up).map(|(from, arc)| (from, arc.cost))
    }

    /// The links from `router` that begin a shortest path to the egress router of these distances, in the order of links.
    #[inline]
    pub(super) fn nearer<'a>(
        &'a self,
        graph: &'a Graph,
        router: u32,
        distance: impl Fn(u32) -> u32 + 'a,
    ) -> impl Iterator<Item = u32> + 'a {
        let here = distance(router);
        let open = here != 0 && here != NONE;
        let leads = move |way: &&RouterLink| {
            let arc = &graph.arcs[way.link as usize];
            arc.up && distance(way.to).checked_add(arc.cost) == Some(here)
        };
        let router_links = if open { self.from(router) } else { &[] };
        router_links.iter().filter(leads).map(|way| way.link)
    }
}

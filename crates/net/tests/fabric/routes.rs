//! Routes against a search that shares no code with them.

use proptest::prelude::*;
use tailrace_core::Rng;
use tailrace_net::{Graph, LinkId, NodeId};

/// A random network: `routers` routers, then hosts with one to three links each, and which links are up.
struct Network {
    graph: Graph,
    routers: u32,
    hosts: Vec<NodeId>,
    /// From, to, up; by link.
    arcs: Vec<(NodeId, NodeId, bool)>,
}

impl Network {
    fn random(rng: &mut Rng, routers: u32, hosts: usize) -> Self {
        let mut graph = Graph::default();
        let nodes: Vec<_> = (0..routers).map(|_| graph.add_node(true)).collect();
        let mut net = Self { graph, routers, hosts: Vec::new(), arcs: Vec::new() };
        let pick = |rng: &mut Rng| nodes[rng.below(u64::from(routers)) as usize];
        for _ in 0..rng.below(2 * u64::from(routers)) {
            let (a, b) = (pick(rng), pick(rng));
            if a != b {
                net.join(a, b);
            }
        }
        for _ in 0..hosts {
            let host = net.graph.add_node(false);
            net.hosts.push(host);
            for _ in 0..=rng.below(3) {
                let router = pick(rng);
                // Either end may be named first.
                if rng.bernoulli(0.5) { net.join(host, router) } else { net.join(router, host) }
            }
        }
        for link in 0..net.arcs.len() {
            if rng.bernoulli(0.1) {
                net.graph.set_links_up(&[LinkId(link as u32)], false);
                net.arcs[link].2 = false;
            }
        }
        net.graph.compute_routes();
        net
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        self.graph.add_link(a, b);
        self.arcs.extend([(a, b, true), (b, a, true)]);
    }

    /// Fewest links from the head of `first` to its router's interface whose incoming link is `last`, by relaxation until
    /// nothing changes (Bellman-Ford).
    fn distance(&self, first: LinkId, last: LinkId) -> Option<usize> {
        let is_router = |n: NodeId| n.0 < self.routers;
        let (start, goal) = (self.arcs[first.0 as usize], self.arcs[last.0 as usize]);
        if !start.2 || !goal.2 {
            return None;
        }
        let mut reach = vec![usize::MAX; self.routers as usize];
        reach[start.1.0 as usize] = 1;
        let mut changed = true;
        while changed {
            changed = false;
            for (from, to, up) in &self.arcs {
                if *up && is_router(*from) && is_router(*to) {
                    let through = reach[from.0 as usize].saturating_add(1);
                    if through < reach[to.0 as usize] {
                        reach[to.0 as usize] = through;
                        changed = true;
                    }
                }
            }
        }
        Some(reach[goal.0.0 as usize]).filter(|d| *d < usize::MAX).map(|d| d + 1)
    }

    fn check(&self) -> Result<(), TestCaseError> {
        for from in &self.hosts {
            for to in self.hosts.iter().filter(|to| *to != from) {
                for source in self.graph.addresses(*from) {
                    for destination in self.graph.addresses(*to) {
                        let first = self.graph.egress(source).unwrap();
                        // The other direction of the destination's own way out.
                        let last = LinkId(self.graph.egress(destination).unwrap().0 ^ 1);
                        let path = self.graph.path(source, destination);
                        prop_assert_eq!(path.as_ref().map(Vec::len), self.distance(first, last));
                        let Some(path) = path else { continue };
                        prop_assert_eq!((path[0], path[path.len() - 1]), (first, last));
                        prop_assert!(path.iter().all(|l| self.arcs[l.0 as usize].2));
                        let joined =
                            |w: &[LinkId]| self.arcs[w[0].0 as usize].1 == self.arcs[w[1].0 as usize].0;
                        prop_assert!(path.windows(2).all(joined));
                    }
                }
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn paths_are_the_shortest_and_exist_where_there_is_one(seed in any::<u64>(), routers in 1u32..9, hosts in 2usize..6) {
        Network::random(&mut Rng::new(seed), routers, hosts).check()?;
    }

    #[test]
    fn every_address_belongs_to_its_host_and_leaves_by_its_link(seed in any::<u64>(), routers in 1u32..9) {
        let net = Network::random(&mut Rng::new(seed), routers, 5);
        let mut all = Vec::new();
        for host in &net.hosts {
            let links: Vec<_> = (0..net.arcs.len()).filter(|l| net.arcs[*l].0 == *host).collect();
            let ways: Vec<_> =
                net.graph.addresses(*host).map(|a| net.graph.egress(a).unwrap().0 as usize).collect();
            prop_assert_eq!(links, ways);
            for address in net.graph.addresses(*host) {
                prop_assert_eq!(net.graph.owner(address), Some(*host));
                all.push(address);
            }
        }
        all.sort();
        all.dedup();
        let interfaces = net.arcs.iter().filter(|a| a.0.0 >= routers).count();
        prop_assert_eq!(all.len(), interfaces, "no address twice");
    }
}

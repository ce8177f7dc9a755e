use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;
use tailrace_core::Rng;
use tailrace_qdisc::flow_hash::FlowBy;

#[test]
fn paths_take_the_fewest_links_and_the_first_of_equals() {
    // h1 - r1 = r2 (two parallel links) - h2, and r1 - r3 - r2 the long way.
    let mut g = Graph::default();
    let (h1, h2) = (g.add_node(false), g.add_node(false));
    let (r1, r2, r3) = (g.add_node(true), g.add_node(true), g.add_node(true));
    let (h1_r1, _) = g.add_link(h1, r1);
    let (_, r3_r1) = g.add_link(r1, r3);
    let (first, _) = g.add_link(r1, r2);
    let (second, _) = g.add_link(r1, r2);
    g.add_link(r3, r2);
    let (r2_h2, _) = g.add_link(r2, h2);
    g.compute_routes();
    let (a1, a2) = (g.addresses(h1).next().unwrap(), g.addresses(h2).next().unwrap());
    assert_eq!(g.path(a1, a2), Some(vec![h1_r1, first, r2_h2]));
    assert_eq!(g.owner(a2), Some(h2));
    g.set_links_up(&[first], false);
    assert_eq!(g.path(a1, a2), Some(vec![h1_r1, second, r2_h2]));
    g.set_links_up(&[second], false);
    assert_eq!(g.path(a1, a2).map(|p| p.len()), Some(4));
    g.set_links_up(&[LinkId(r3_r1.0 ^ 1)], false);
    assert_eq!(g.path(a1, a2), None);
}

#[test]
fn each_interface_of_a_host_has_its_own_address_and_way_out() {
    let mut g = Graph::default();
    let (h, r1, r2) = (g.add_node(false), g.add_node(true), g.add_node(true));
    let (_, up) = g.add_link(r1, h);
    let (down, _) = g.add_link(h, r2);
    let addresses: Vec<_> = g.addresses(h).collect();
    assert_eq!(addresses.len(), 2);
    assert_eq!(addresses.iter().map(|a| g.egress(*a).unwrap()).collect::<Vec<_>>(), [up, down]);
    assert_eq!(addresses[0].to_string(), "10.0.0.1");
    assert_eq!([up, down].map(|link| g.source_of(link)), [Some(addresses[0]), Some(addresses[1])]);
    assert_eq!([up, down].map(|link| g.source_of(LinkId(link.0 ^ 1))), [None, None]);
}

#[test]
fn given_addresses_lead_where_counted_ones_did() {
    let mut g = Graph::default();
    let (h1, h2, r) = (g.add_node(false), g.add_node(false), g.add_node(true));
    g.add_link(h1, r);
    g.add_link(r, h2);
    g.compute_routes();
    let (a1, a2) = (g.addresses(h1).next().unwrap(), g.addresses(h2).next().unwrap());
    let (path, given) = (g.path(a1, a2), Address(0xc0a8_0101));
    g.give_addresses(&[(a2, given)]);
    assert_eq!(g.addresses(h2).collect::<Vec<_>>(), [given]);
    assert_eq!((g.path(a1, given), g.owner(given)), (path.clone(), Some(h2)));
    assert_eq!((g.path(a1, a2), g.owner(a2), g.egress(a2)), (None, None, None));
    let last = *path.unwrap().last().unwrap();
    assert_eq!((g.ingress(given), g.source_of(LinkId(last.0 ^ 1))), (Some(last), Some(given)));
    g.set_links_up(&[last], false);
    assert_eq!(g.path(a1, given), None);
}

#[test]
fn an_address_that_changes_keeps_its_routes_and_its_link() {
    let mut g = Graph::default();
    let (h1, h2, r) = (g.add_node(false), g.add_node(false), g.add_node(true));
    g.add_link(h1, r);
    let (last, out) = g.add_link(r, h2);
    g.compute_routes();
    let (a1, a2) = (g.addresses(h1).next().unwrap(), g.addresses(h2).next().unwrap());
    let (path, later) = (g.path(a1, a2), Address(0x0a00_0909));
    g.reserve_addresses(&[(a2, later)]);
    assert_eq!((g.change_address(out, later), g.change_address(out, later)), (Some(a2), None));
    assert_eq!(g.addresses(h2).collect::<Vec<_>>(), [later]);
    assert_eq!((g.source_of(out), g.egress(later), g.egress(a2)), (Some(later), Some(out), None));
    assert_eq!((g.holder(later), g.holder(a2), g.owner(a2)), (Some(h2), None, Some(h2)));
    assert_eq!((g.link_behind(a2), g.ingress(a2)), (Some(out), Some(last)));
    assert_eq!([g.path(a1, a2), g.path(a1, later)], [path.clone(), path]);
    assert!(g.path(a2, a1).is_none(), "nothing leaves from there");
    assert_eq!((g.change_address(out, a2), g.holder(a2), g.egress(later)), (Some(later), Some(h2), None));
}

#[test]
#[should_panic(expected = "10.0.0.1 is another's")]
fn nobody_can_have_the_address_of_another_later() {
    let mut g = Graph::default();
    let (h1, h2) = (g.add_node(false), g.add_node(false));
    g.add_link(h1, h2);
    g.reserve_addresses(&[(Address::from_index(1), Address::from_index(0))]);
}

#[test]
fn paths_have_the_least_cost_each_way() {
    // h1 - r1 - r2 - h2, and r1 - r3 - r2 the long way, which is cheaper there, and as dear back.
    let mut g = Graph::default();
    let (h1, h2) = (g.add_node(false), g.add_node(false));
    let (r1, r2, r3) = (g.add_node(true), g.add_node(true), g.add_node(true));
    let (enter, out) = g.add_link(h1, r1);
    let (there, back) = g.add_link(r1, r2);
    let (up, _) = g.add_link(r1, r3);
    let (down, _) = g.add_link(r3, r2);
    let (leave, into) = g.add_link(r2, h2);
    for (link, cost) in [(there, 5), (back, 2), (up, 2), (down, 2)] {
        g.set_cost(link, cost);
    }
    g.compute_routes();
    let (a1, a2) = (g.addresses(h1).next().unwrap(), g.addresses(h2).next().unwrap());
    let path = g.path(a1, a2).unwrap();
    assert_eq!((g.cost_of(&path), path), (6, vec![enter, up, down, leave]));
    assert_eq!(g.path(a2, a1), Some(vec![into, back, out]), "the first of equals");
    g.set_links_up(&[down], false);
    assert_eq!(g.path(a1, a2), Some(vec![enter, there, leave]));
    g.set_links_up(&[down], true);
    assert_eq!(g.path(a1, a2), Some(vec![enter, up, down, leave]));
}

/// For each router, the first link of the shortest path from `start`.
fn first_links(g: &Graph, start: NodeId) -> Vec<u32> {
    if g.has_costs { first_links_by_cost(g, start) } else { first_links_by_hops(g, start) }
}

/// By cost, from the definition: distances to each router by relaxing all links until none changes (Bellman and Ford), then the
/// first link of `start` that begins a path of least cost.
fn first_links_by_cost(g: &Graph, start: NodeId) -> Vec<u32> {
    let router = |node: NodeId| g.nodes[node.0 as usize].router;
    let between = || g.arcs.iter().filter(|arc| arc.up && router(arc.from) != NONE && router(arc.to) != NONE);
    let mut first = vec![NONE; g.routers as usize];
    for goal in 0..g.routers {
        let mut distance = vec![u64::MAX; g.routers as usize];
        distance[goal as usize] = 0;
        for _ in 0..g.routers {
            for arc in between() {
                let through = distance[router(arc.to) as usize].saturating_add(u64::from(arc.cost));
                let here = &mut distance[router(arc.from) as usize];
                *here = through.min(*here);
            }
        }
        let here = distance[router(start) as usize];
        let leads = |link: &&LinkId| {
            let arc = g.arcs[link.0 as usize];
            let to = router(arc.to);
            to != NONE && arc.up && distance[to as usize].checked_add(u64::from(arc.cost)) == Some(here)
        };
        if goal != router(start) && here != u64::MAX {
            first[goal as usize] = g.nodes[start.0 as usize].out.iter().find(leads).unwrap().0;
        }
    }
    first
}

/// By hops: breadth first over routers, in the order of links.
fn first_links_by_hops(g: &Graph, start: NodeId) -> Vec<u32> {
    let mut first = vec![NONE; g.routers as usize];
    let mut queue = VecDeque::from([(start, NONE)]);
    let mut seen = vec![false; g.routers as usize];
    seen[g.nodes[start.0 as usize].router as usize] = true;
    while let Some((node, via)) = queue.pop_front() {
        for link in &g.nodes[node.0 as usize].out {
            let arc = g.arcs[link.0 as usize];
            let router = g.nodes[arc.to.0 as usize].router;
            if router == NONE || !arc.up || seen[router as usize] {
                continue;
            }
            seen[router as usize] = true;
            let via = if via == NONE { link.0 } else { via };
            first[router as usize] = via;
            queue.push_back((arc.to, via));
        }
    }
    first
}

/// The whole table, found from each router forwards.
fn forwards(g: &Graph) -> Vec<Option<LinkId>> {
    let mut table = Vec::new();
    for (node, _) in g.nodes.iter().enumerate().filter(|(_, n)| n.router != NONE) {
        let first = first_links(g, NodeId(node as u32));
        let own = g.nodes[node].router;
        for interface in &g.addresses {
            let last = g.arcs[interface.into.0 as usize];
            let gateway = g.nodes[last.from.0 as usize].router;
            table.push(match gateway {
                NONE => None,
                _ if !last.up => None,
                _ if gateway == own => Some(interface.into),
                _ => Some(first[gateway as usize]).filter(|l| *l != NONE).map(LinkId),
            });
        }
        for gateway in &g.gateways {
            let number = g.nodes[gateway.0 as usize].router;
            table.push(Some(first[number as usize]).filter(|l| *l != NONE).map(LinkId));
        }
    }
    table
}

/// The whole table: what is at hand of it must be what is found when it is asked for.
fn entries(g: &Graph) -> Vec<Option<LinkId>> {
    let mut asked = g.clone();
    let width = g.addresses.len() + g.gateways.len();
    let mut table = Vec::new();
    for router in 0..g.routers {
        for address in (0..width).map(|number| Address::from_index(number as u32)) {
            let entry = asked.route(router, address, FlowKey::default);
            let at_hand = g.next_hop_of(router, address);
            assert!(at_hand.is_none() || at_hand == entry, "{at_hand:?} {entry:?}");
            assert_eq!(asked.next_hop_of(router, address), entry);
            table.push(entry);
        }
    }
    table
}

/// Routers in a random graph, with parallel links and parts that are cut off, hosts at them, some at two, some joined by a
/// link of their own, and gateways.
fn random_graph(rng: &mut Rng, routers: usize) -> Graph {
    let mut g = Graph::default();
    let nodes: Vec<NodeId> = (0..routers).map(|_| g.add_node(true)).collect();
    let hosts: Vec<NodeId> = (0..routers).map(|_| g.add_node(false)).collect();
    let pick = |rng: &mut Rng, of: &[NodeId]| of[rng.below(of.len() as u64) as usize];
    for _ in 0..rng.below(3 * routers as u64) {
        let (a, b) = (pick(rng, &nodes), pick(rng, &nodes));
        if a != b {
            g.add_link(a, b);
        }
    }
    for _ in 0..routers + rng.below(routers as u64) as usize {
        let (host, router) = (pick(rng, &hosts), pick(rng, &nodes));
        if rng.bernoulli(0.5) {
            g.add_link(host, router)
        } else {
            g.add_link(router, host)
        };
    }
    g.add_link(hosts[0], hosts[routers - 1]);
    for _ in 0..rng.below(3) {
        g.add_gateway(pick(rng, &nodes));
    }
    g
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn routes_that_follow_changes_are_those_computed_anew(seed in any::<u64>(), routers in 1usize..16, most in 1u64..8) {
        let mut rng = Rng::new(seed);
        let mut g = random_graph(&mut rng, routers);
        if rng.bernoulli(0.5) {
            random_costs(&mut g, &mut rng);
        }
        if rng.bernoulli(0.5) {
            g.expect_changes();
        }
        g.compute_routes();
        prop_assert_eq!(entries(&g), forwards(&g));
        for _ in 0..30 {
            if rng.bernoulli(0.2) {
                let width = (g.addresses.len() + g.gateways.len()) as u64;
                let asked: Vec<Address> =
                    (0..rng.below(4)).map(|_| Address::from_index(rng.below(width) as u32)).collect();
                g.compute_routes_to(asked);
            }
            let links: Vec<LinkId> =
                (0..=rng.below(most)).map(|_| LinkId(rng.below(g.link_count() as u64) as u32)).collect();
            let up = rng.bernoulli(0.5);
            let before: Vec<bool> = g.arcs.iter().map(|a| a.up).collect();
            let changed = g.set_links_up(&links, up);
            prop_assert!(changed.iter().all(|l| before[l.0 as usize] != up));
            prop_assert!(links.iter().all(|l| g.arcs[l.0 as usize].up == up));
            prop_assert_eq!(entries(&g), forwards(&g), "{:?} {}", changed, up);
            let mut anew = g.clone();
            anew.compute_routes();
            prop_assert_eq!(entries(&g), entries(&anew));
        }
    }
}

/// Cost of the path that a packet of a flow takes from a router to an address, by the routers' decisions.
fn cost(g: &mut Graph, router: u32, address: Address, flow: FlowKey) -> Option<u64> {
    let (mut at, mut path) = (router, Vec::new());
    loop {
        let link = g.route(at, address, || flow)?;
        path.push(link);
        assert!(path.len() <= g.routers as usize, "a loop");
        match g.router_number(g.head(link)) {
            Some(next) => at = next,
            None => return Some(g.cost_of(&path)),
        }
    }
}

/// Small costs, of which many are equal.
fn random_costs(g: &mut Graph, rng: &mut Rng) {
    for link in 0..g.link_count() as u32 {
        g.set_cost(LinkId(link), 1 + rng.below(4) as u32);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn flows_take_one_of_the_shortest_ways_also_when_links_change(seed in any::<u64>(), routers in 1usize..12) {
        let mut rng = Rng::new(seed);
        let mut plain = random_graph(&mut rng, routers);
        if rng.bernoulli(0.5) {
            random_costs(&mut plain, &mut rng);
        }
        let mut g = plain.clone();
        g.spread(EcmpHash::new(FlowBy::FiveTuple, seed));
        [&mut plain, &mut g].into_iter().for_each(Graph::compute_routes);
        for _ in 0..8 {
            let links: Vec<LinkId> = (0..4).map(|_| LinkId(rng.below(g.link_count() as u64) as u32)).collect();
            let up = rng.bernoulli(0.5);
            prop_assert_eq!(g.set_links_up(&links, up), plain.set_links_up(&links, up));
            let mut anew = g.clone();
            anew.compute_routes();
            for router in 0..g.routers {
                for address in (0..g.addresses.len()).map(|number| Address::from_index(number as u32)) {
                    let flow = FlowKey { src_port: rng.below(1000) as u16, ..FlowKey::default() };
                    let least = cost(&mut plain, router, address, flow);
                    prop_assert_eq!(cost(&mut g, router, address, flow), least);
                    prop_assert_eq!(g.route(router, address, || flow), anew.route(router, address, || flow));
                }
            }
        }
    }
}

#[test]
fn a_change_looks_at_no_more_than_it_can_change() {
    // A ring of 100 routers with a host each, and a leaf behind router 0.
    let mut g = Graph::default();
    let ring: Vec<NodeId> = (0..100).map(|_| g.add_node(true)).collect();
    for i in 0..100 {
        g.add_link(ring[i], ring[(i + 1) % 100]);
    }
    let hosts: Vec<NodeId> = ring
        .iter()
        .map(|router| {
            let host = g.add_node(false);
            g.add_link(host, *router);
            host
        })
        .collect();
    let leaf = g.add_node(true);
    let (uplink, _) = g.add_link(leaf, ring[0]);
    g.compute_routes();
    g.compute_routes_to(hosts.iter().filter_map(|host| g.addresses(*host).next()).collect::<Vec<_>>());
    g.set_links_up(&[uplink], false); // From here on distances are known.
    let work = |g: &mut Graph, link: LinkId, up: bool| {
        let mut routes = std::mem::take(&mut g.routes);
        g.arcs[link.0 as usize].up = up;
        let mut budget = u64::MAX;
        routes.follow(g, link, &mut budget).expect("within the budget");
        g.routes = routes;
        assert_eq!(entries(g), forwards(g));
        u64::MAX - budget
    };
    let anew = g.routes.cost();
    let access = g.ingress(g.addresses(hosts[50]).next().unwrap()).unwrap();
    let from_host = LinkId(access.0 ^ 1);
    assert_eq!(work(&mut g, from_host, false), 0);
    assert_eq!([work(&mut g, access, false), work(&mut g, access, true)], [1, 1]);
    // A leaf's way to everybody: an entry for each, and its neighbour's.
    assert!(work(&mut g, uplink, true) < anew / 10, "{anew}");
    assert!(work(&mut g, uplink, false) < anew / 10, "{anew}");
}

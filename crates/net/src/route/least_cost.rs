//! Paths of least cost from all routers to egress routers (Dijkstra, "A note on two problems in connexion with graphs", Numerische
//! Mathematik 1, 1959), where links have costs. A router's next link is the first, in the order of links, that begins such a path.

use super::entry::AT_EGRESS;
use super::router_links::RouterLinks;
use super::shortest_paths::Block;
use super::{Graph, NONE};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Finds next links and distances of all routers to `egresses` (lane and router number). Entries of routers that cannot reach the
/// egress router stay as they are.
pub(super) fn run(
    graph: &Graph,
    router_links: &RouterLinks,
    egresses: &[(usize, u32)],
    block: &mut Block<'_>,
) {
    for &(lane, egress) in egresses {
        let distances = distances_to(graph, router_links, egress);
        for router in (0..distances.len() as u32).filter(|router| distances[*router as usize] != NONE) {
            let mut nearer = router_links.nearer(graph, router, |r| distances[r as usize]);
            let next = nearer.next().unwrap_or(AT_EGRESS);
            block.enter(router, 1 << lane, next, distances[router as usize]);
            if block.marks_ecmp && nearer.next().is_some() {
                block.mark(router, 1 << lane);
            }
        }
    }
}

/// Distances of all routers to one, `NONE` without a path.
fn distances_to(graph: &Graph, router_links: &RouterLinks, egress: u32) -> Vec<u32> {
    let mut distances = vec![NONE; router_links.routers()];
    distances[egress as usize] = 0;
    let mut heap = BinaryHeap::from([Reverse((0, egress))]);
    while let Some(Reverse((distance, router))) = heap.pop() {
        if distance > distances[router as usize] {
            continue;
        }
        for (from, cost) in router_links.neighbours_with_cost(graph, router) {
            let through = distance.saturating_add(cost);
            if through < distances[from as usize] {
                distances[from as usize] = through;
                heap.push(Reverse((through, from)));
            }
        }
    }
    distances
}

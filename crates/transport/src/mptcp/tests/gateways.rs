//! Subflows through gateways.

use super::*;

/// A client with the path manager `binder` and lists of gateways; the paths are between the first addresses.
fn bound(gateways: &str) -> MptcpPlan {
    let mut plan = plan("lowest_rtt", "binder", lia());
    plan.path_manager.set("gateways", &tailrace_core::params::Value::Text(gateways.into())).unwrap();
    plan
}

#[test]
fn binder_opens_a_subflow_for_each_list_of_gateways() {
    let mut w = World::new(&bound("g1; g2, g3"), &[Path::new(10, 0.0)], 1);
    let reports = |c: &Mptcp| -> Vec<_> { c.subflows().map(|s| (s.tuple, s.route, s.usable)).collect() };
    w.ends[1].write(100);
    w.run_for(1);
    let route = |number| Some(SourceRoute { number });
    let client = reports(&w.ends[0]);
    assert_eq!(client.iter().map(|r| r.1).collect::<Vec<_>>(), [None, route(0), route(1)]);
    assert!(client.iter().all(|(t, _, usable)| (t.local, t.remote) == (10, 20) && *usable));
    let server = reports(&w.ends[1]);
    assert_eq!(server.len(), 3);
    assert!(server.iter().all(|(_, route, _)| route.is_none()), "its packets go back as its host has it");
    w.ends[0].write(1_000_000);
    w.run_for(20);
    assert_eq!(w.delivered, [100, 1_000_000]);
    let paths = w.ends[0].paths();
    assert_eq!(paths.iter().map(|p| p.route).collect::<Vec<_>>(), [None, route(0), route(1)]);
    assert!(paths.iter().all(|p| p.subflows == 1 && p.stats.scheduled_bytes > 0), "{paths:?}");
}

#[test]
fn every_segment_says_which_gateways_it_goes_through() {
    let mut w = World::new(&bound("g1"), &[Path::new(10, 0.0)], 1);
    w.ends[0].write(UNLIMITED);
    let mut seen = [0; 2];
    for _ in 0..200 {
        while let Some(t) = w.ends[0].poll_transmit(w.now) {
            let of_join = t.tuple.local_port != 5000;
            assert_eq!(t.route, of_join.then_some(SourceRoute { number: 0 }), "{t:?}");
            seen[usize::from(of_join)] += 1;
            w.fly(0, t);
        }
        let until = w.now.saturating_add(Duration::from_millis(1));
        while let Some(entry) = w.flying.first_entry().filter(|e| e.key().0 <= until) {
            let (to, t) = entry.remove();
            w.ends[to].handle_segment(&reversed(&t.tuple), &t.segment, &t.options, until);
        }
        w.now = until;
        (0..2).for_each(|end| w.ends[end].handle_timeout(w.now));
        while let Some(t) = w.ends[1].poll_transmit(w.now) {
            assert_eq!(t.route, None);
            w.fly(1, t);
        }
    }
    assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
}

#[test]
fn a_subflow_whose_gateways_are_dead_leaves_the_connection_alone() {
    let mut w = World::new(&bound("g1"), &[Path::new(10, 0.0)], 1);
    w.eats = |_, t, _| t.route.is_some();
    w.ends[0].write(UNLIMITED);
    w.run_for(30);
    // The SYN and its three retransmissions; then it is over, and not tried again.
    assert_eq!(w.eaten, 4);
    let stats = w.ends[0].stats();
    assert_eq!((stats.subflows_established, stats.subflows_lost), (1, 1));
    assert!(stats.bytes_acked > 10_000_000, "{stats:?}");
}

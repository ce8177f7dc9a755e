//! Links that go down and up, reroute, and change.

use crate::common::{
    FORWARD, Header, Log, address, config_of, disciplined, droptail, header, link, pair, random_trace,
};
use tailrace_core::{DropReason, Duration, Instant, Limit, Rate, Rng};
use tailrace_net::{Fabric, Graph, LinkConfig, LinkId, LinkQueue};
use tailrace_qdisc::QdiscConfig;

const MBIT: Rate = Rate::from_mbit(12); // 1500 bytes take 1 ms.

#[test]
fn a_link_that_goes_down_loses_what_waits_what_is_sent_and_what_flies() {
    let (mut fabric, src, dst) = pair(link(MBIT, Duration::from_millis(2)));
    let mut log = Log::default();
    for id in 0..6 {
        fabric.send(src, header(id, src, dst, 1500), &mut log);
    }
    // At 3.5 ms packet 0 has arrived, 1 and 2 fly, 3 is being sent, 4 and 5 wait.
    fabric.run_until(Instant::from_nanos(3_500_000), &mut log);
    fabric.set_links_up(&[FORWARD], false, false, &mut log);
    fabric.send(src, header(6, src, dst, 1500), &mut log);
    fabric.run_until(Instant::from_millis(100), &mut log);
    fabric.send(src, header(7, src, dst, 1500), &mut log);
    fabric.set_links_up(&[FORWARD], true, false, &mut log);
    fabric.send(src, header(8, src, dst, 1500), &mut log);
    fabric.run_until(Instant::from_millis(200), &mut log);
    assert_eq!(log.times(), [(3_000_000, 0), (103_000_000, 8)]);
    assert_eq!(log.dropped.iter().map(|d| d.2).collect::<Vec<_>>(), (1..8).collect::<Vec<_>>());
    assert!(log.dropped.iter().all(|d| d.3 == DropReason::LinkDown));
    let c = fabric.link(FORWARD).counters();
    assert_eq!((c.arrived, c.refused, c.expelled, c.dequeued, c.delivered), (9, 2, 2, 5, 2));
}

#[test]
fn from_an_address_that_is_gone_nothing_leaves_and_to_it_packets_go_on_to_its_host() {
    let mut graph = Graph::default();
    let (a, b) = (graph.add_node(false), graph.add_node(false));
    let (out, _) = graph.add_link(a, b);
    let [src, dst] = [a, b].map(|host| address(&graph, host));
    let later = tailrace_net::Address(0x0a00_0909);
    graph.reserve_addresses(&[(src, later)]);
    let links = (0..2).map(|_| link(MBIT, Duration::from_millis(2)));
    let mut fabric = Fabric::new(graph, links, 0);
    let mut log = Log::default();
    for (id, at, now) in [(0, 0, src), (1, 10, later), (2, 20, src)] {
        fabric.run_until(Instant::from_millis(at), &mut log);
        fabric.change_address(out, now);
        fabric.send(src, header(id, src, dst, 1500), &mut log);
        fabric.send(dst, header(10 + id, dst, src, 1500), &mut log);
    }
    fabric.run_until(Instant::from_millis(100), &mut log);
    assert_eq!(log.unroutable, [(Instant::from_millis(10), a, 1)]);
    let mut received = log.ids();
    received.sort_unstable();
    assert_eq!(received, [0, 2, 10, 11, 12], "whose address it is, its host knows");
}

/// a - r1 - r2 - b with a detour r1 - r3 - r2; all links take 1 ms and 1 ms.
fn detour() -> (Fabric<crate::common::Header>, [LinkId; 2]) {
    let mut graph = Graph::default();
    let (a, b) = (graph.add_node(false), graph.add_node(false));
    let [r1, r2, r3] = [(); 3].map(|()| graph.add_node(true));
    graph.add_link(a, r1);
    graph.add_link(b, r2);
    let (forth, back) = graph.add_link(r1, r2);
    graph.add_link(r1, r3);
    graph.add_link(r3, r2);
    let links: Vec<_> = (0..10).map(|_| link(MBIT, Duration::from_millis(1))).collect();
    (Fabric::new(graph, links, 0), [forth, back])
}

#[test]
fn routes_follow_a_fault_only_where_asked_to_and_come_back() {
    for reroute in [true, false] {
        let (mut fabric, direct) = detour();
        let graph = fabric.graph().clone();
        let [src, dst] = [0, 1].map(|host| address(&graph, tailrace_net::NodeId(host)));
        let mut log = Log::default();
        let send = |id, fabric: &mut Fabric<_>, log: &mut Log| {
            let sent = fabric.now();
            fabric.send(src, header(id, src, dst, 1500), log);
            fabric.run_until(sent + Duration::from_millis(50), log);
            log.received.last().filter(|r| r.2 == id).map(|r| (r.0 - sent).as_millis())
        };
        assert_eq!(send(0, &mut fabric, &mut log), Some(6));
        fabric.set_links_up(&direct, false, reroute, &mut log);
        assert_eq!(send(1, &mut fabric, &mut log), reroute.then_some(8));
        fabric.set_links_up(&direct, true, reroute, &mut log);
        assert_eq!(send(2, &mut fabric, &mut log), Some(6));
        assert_eq!(log.dropped.len(), usize::from(!reroute));
    }
}

#[test]
fn without_any_route_a_router_reports_the_packet() {
    let (mut fabric, _) = detour();
    let graph = fabric.graph().clone();
    let [src, dst] = [0, 1].map(|host| address(&graph, tailrace_net::NodeId(host)));
    let mut log = Log::default();
    fabric.set_links_up(&[LinkId(2), LinkId(3)], false, true, &mut log);
    fabric.send(src, header(0, src, dst, 1500), &mut log);
    fabric.run_until(Instant::from_secs(1), &mut log);
    assert_eq!(log.unroutable, [(Instant::from_millis(2), tailrace_net::NodeId(2), 0)]);
}

#[test]
fn a_new_rate_serves_what_waits_and_spares_what_is_in_service() {
    let (mut fabric, src, dst) = pair(link(MBIT, Duration::ZERO));
    let mut log = Log::default();
    for id in 0..4 {
        fabric.send(src, header(id, src, dst, 1500), &mut log);
    }
    fabric.run_until(Instant::from_nanos(1_500_000), &mut log);
    fabric.set_rate(FORWARD, Rate::from_mbit(6), &mut log);
    fabric.run_until(Instant::from_secs(1), &mut log);
    // Packet 1 finishes at the old rate at 2 ms; the others take 2 ms each.
    assert_eq!(log.times(), [(1_000_000, 0), (2_000_000, 1), (4_000_000, 2), (6_000_000, 3)]);
}

#[test]
fn a_new_delay_concerns_what_waits_and_nothing_is_overtaken() {
    let (mut fabric, src, dst) = pair(link(MBIT, Duration::from_millis(10)));
    let mut log = Log::default();
    for id in 0..4 {
        fabric.send(src, header(id, src, dst, 1500), &mut log);
    }
    fabric.run_until(Instant::from_nanos(1_500_000), &mut log);
    fabric.set_delay(FORWARD, Duration::from_millis(1), &mut log);
    fabric.run_until(Instant::from_nanos(11_500_000), &mut log);
    fabric.send(src, header(4, src, dst, 1500), &mut log);
    fabric.set_delay(FORWARD, Duration::from_millis(20), &mut log);
    fabric.run_until(Instant::from_secs(1), &mut log);
    // 0 and 1 left under the old delay (11 ms and 12 ms); 2 and 3 would arrive at 4 ms and 5 ms but wait for 1.
    let ms = 1_000_000;
    assert_eq!(log.times(), [(11 * ms, 0), (12 * ms, 1), (12 * ms, 2), (12 * ms, 3), (13 * ms + 500_000, 4)]);
}

/// Whatever discipline holds packets, and however it holds them back, the one that comes after it gets them all; and it
/// serves what it got.
#[test]
fn every_discipline_hands_over_what_waits() {
    let rate = Rate::from_mbit(2);
    let room = || droptail::<Header>(Limit::Packets(100_000), rate);
    let replace = |fabric: &mut Fabric<Header>, queue: LinkQueue<Header>, log: &mut Log| {
        let LinkQueue::Disciplined(queue) = queue else { unreachable!("built as a discipline") };
        fabric.set_queue(FORWARD, queue, log);
    };
    for name in QdiscConfig::names() {
        let config = config_of(name);
        let trace = random_trace(&mut Rng::new(7), 900, rate, 1.5);
        let queue = disciplined(&config, rate, 1);
        let (mut fabric, src, dst) = pair(LinkConfig { queue, ..link(rate, Duration::from_millis(10)) });
        let mut log = Log::default();
        for (id, s) in trace.iter().enumerate() {
            fabric.run_until(s.at, &mut log);
            fabric.settle(FORWARD, &mut log);
            let (before, dropped) = (fabric.link(FORWARD).backlog().packets, log.dropped.len());
            match id {
                300 => replace(&mut fabric, room(), &mut log),
                600 => replace(&mut fabric, disciplined(&config, rate, 2), &mut log),
                _ => {}
            }
            if id == 300 {
                // At most one of them has begun to leave, where the old one was holding it back.
                let after = fabric.link(FORWARD).backlog().packets;
                assert!(after == before || after + 1 == before, "{name}: {before} waited, {after} do");
                assert_eq!(log.dropped.len(), dropped, "{name}");
            }
            let pkt = Header { flow: s.flow, ecn: s.ecn, ..header(id as u16, src, dst, s.size) };
            fabric.send(src, pkt, &mut log);
        }
        fabric.run_until(Instant::from_secs(600), &mut log);
        fabric.settle(FORWARD, &mut log);
        let c = fabric.link(FORWARD).counters();
        assert_eq!(fabric.link(FORWARD).backlog().packets, 0, "{name}");
        assert_eq!((c.arrived, c.delivered + c.dropped_total()), (900, 900), "{name}: {c:?}");
        assert_eq!(c.enqueued(), c.dequeued + c.expelled, "{name}: {c:?}");
    }
}

#[test]
fn at_a_rate_of_zero_packets_wait_and_leave_with_the_next_rate() {
    for disciplines in [false, true] {
        let fifo = LinkQueue::Fifo(Limit::Packets(100));
        let queue = if disciplines { droptail(Limit::Packets(100), MBIT) } else { fifo };
        let (mut fabric, src, dst) = pair(LinkConfig { queue, ..link(MBIT, Duration::ZERO) });
        let mut log = Log::default();
        for id in 0..3 {
            fabric.send(src, header(id, src, dst, 1500), &mut log);
        }
        fabric.run_until(Instant::from_nanos(500_000), &mut log);
        fabric.set_rate(FORWARD, Rate::from_bps(0), &mut log);
        fabric.run_until(Instant::from_millis(50), &mut log);
        fabric.send(src, header(3, src, dst, 1500), &mut log);
        fabric.run_until(Instant::from_millis(100), &mut log);
        // Packet 0 was being sent; the others wait, as does what comes meanwhile.
        assert_eq!(log.times(), [(1_000_000, 0)]);
        assert_eq!(fabric.link(FORWARD).backlog().packets, 3);
        fabric.set_rate(FORWARD, Rate::from_mbit(6), &mut log);
        fabric.run_until(Instant::from_secs(1), &mut log);
        assert_eq!(log.times()[1..], [(102_000_000, 1), (104_000_000, 2), (106_000_000, 3)]);
    }
}

//! Times to the nanosecond.

use crate::common::{FORWARD, Log, address, droptail, header, link, pair};
use proptest::prelude::*;
use tailrace_core::{Bytes, Duration, Instant, Limit, Rate, Rng};
use tailrace_net::{Fabric, Graph, LinkQueue};

#[test]
fn an_uncongested_path_delivers_to_the_nanosecond() {
    // 1500 B: 1.2 ms at 10 Mbit/s, 4 ms at 3 Mbit/s, 12000 bit / 7 Mbit/s = 1 714 285.7 ns rounded down;
    // with delays of 1 ms, 20 ms and 333 ns: 27 914 618 ns.
    let mut graph = Graph::default();
    let (a, b) = (graph.add_node(false), graph.add_node(false));
    let (r1, r2) = (graph.add_node(true), graph.add_node(true));
    let hops = [
        (a, r1, 10_000_000, Duration::from_millis(1)),
        (r1, r2, 3_000_000, Duration::from_millis(20)),
        (r2, b, 7_000_000, Duration::from_nanos(333)),
    ];
    let mut links = Vec::new();
    for (from, to, bps, delay) in hops {
        graph.add_link(from, to);
        links.extend([link(Rate::from_bps(bps), delay), link(Rate::from_bps(bps), delay)]);
    }
    let (src, dst) = (address(&graph, a), address(&graph, b));
    let mut fabric = Fabric::new(graph, links, 0);
    let mut log = Log::default();
    for (id, ms) in [0, 100, 200].into_iter().enumerate() {
        fabric.run_until(Instant::from_millis(ms), &mut log);
        fabric.send(src, header(id as u16, src, dst, 1500), &mut log);
    }
    // The answer comes back by the same links: 40 B take 32 µs, 106 666.7 ns and 45 714.3 ns.
    fabric.run_until(Instant::from_millis(300), &mut log);
    fabric.send(dst, header(3, dst, src, 40), &mut log);
    fabric.run_until(Instant::from_millis(400), &mut log);
    let expected = [(27_914_618, 0), (127_914_618, 1), (227_914_618, 2), (321_184_713, 3)];
    assert_eq!(log.times(), expected);
    assert_eq!((fabric.hops(), fabric.handled()), (12, 12), "one event a packet-hop");
}

#[test]
fn a_thousand_packets_of_1500_bytes_at_3_mbit_take_4_seconds_exactly() {
    let rate = Rate::from_mbit(3);
    for queue in [LinkQueue::Fifo(Limit::Packets(1000)), droptail(Limit::Packets(1000), rate)] {
        let mut config = link(rate, Duration::ZERO);
        config.queue = queue;
        let (mut fabric, src, dst) = pair(config);
        let mut log = Log::default();
        for id in 0..1000 {
            fabric.send(src, header(id, src, dst, 1500), &mut log);
        }
        fabric.run_until(Instant::from_secs(10), &mut log);
        assert_eq!(log.received.last().unwrap().0.as_nanos(), 4_000_000_000);
        assert_eq!(log.received.len(), 1000);
    }
}

#[test]
fn overhead_takes_time_on_the_link_but_no_room_in_the_queue() {
    let mut config = link(Rate::from_mbit(8), Duration::ZERO);
    (config.overhead, config.queue) = (Bytes(38), LinkQueue::Fifo(Limit::Bytes(Bytes(3000))));
    let (mut fabric, src, dst) = pair(config);
    let mut log = Log::default();
    for id in 0..4 {
        fabric.send(src, header(id, src, dst, 1500), &mut log);
    }
    fabric.run_until(Instant::from_secs(1), &mut log);
    // 1 byte a microsecond; one in service and two waiting fit.
    assert_eq!(log.times(), [(1_538_000, 0), (3_076_000, 1), (4_614_000, 2)]);
    fabric.settle(FORWARD, &mut log);
    assert_eq!(fabric.link(FORWARD).counters().sent_bytes, 4500);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// A busy period ends at the exact rational time, rounded down, whatever the rate, the sizes, and the queue.
    #[test]
    fn a_busy_period_is_exact_at_odd_rates(
        bps in prop_oneof![Just(7_u64), Just(1_234_567), 1_u64..100, 1_000_u64..10_000_000_000],
        seed in any::<u64>(),
        overhead in 0u64..64,
        fifo in any::<bool>(),
    ) {
        let rate = Rate::from_bps(bps);
        let mut config = link(rate, Duration::from_nanos(5));
        config.overhead = Bytes(overhead);
        if !fifo {
            config.queue = droptail(Limit::Packets(1000), rate);
        }
        let (mut fabric, src, dst) = pair(config);
        let (mut log, mut rng, mut bits) = (Log::default(), Rng::new(seed), 0u128);
        let mut expected = Vec::new();
        for id in 0..300 {
            let size = 1 + rng.below(1500);
            fabric.send(src, header(id, src, dst, size), &mut log);
            bits += u128::from(size + overhead) * 8;
            expected.push(((bits * 1_000_000_000 / u128::from(bps)) as u64 + 5, id));
        }
        fabric.run_until(Instant::from_secs(100_000_000), &mut log);
        prop_assert_eq!(log.times(), expected);
    }
}

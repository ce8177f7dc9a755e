//! Orders of departure worked out by hand.

use super::super::DrrConfig;
use super::*;
use crate::registry::Discipline as _;
use crate::testing::{Collector, TestPacket};
use tailrace_core::packet::protocol;
use tailrace_core::{Dscp, Duration, Ecn, FlowKey, Rate, Rng};

const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

fn config(classes: &str) -> DrrConfig {
    DrrConfig { classes: Some(Classes::parse(classes).unwrap()), ..Default::default() }
}

struct Bench {
    queue: DrrQueue<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    now: Instant,
}

impl Bench {
    fn new(config: &DrrConfig) -> Self {
        assert_eq!(config.validate(), Ok(()));
        Self { queue: config.build(&LINK), rng: Rng::new(1), sink: Collector::default(), now: Instant::ZERO }
    }
    fn offer(&mut self, packet: TestPacket) {
        let mut cx = Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.enqueue(packet, &mut cx);
    }
    /// Packets with ids that name what they are of: the codepoint's number times 100 and up.
    fn arrive(&mut self, dscp: u8, sizes: &[u64]) {
        for (size, i) in sizes.iter().zip(0..) {
            let packet = TestPacket::new(u64::from(dscp) * 100 + i, 1, *size);
            self.offer(TestPacket { dscp: Dscp(dscp), ..packet });
        }
    }
    /// The ids of the next `n` that leave.
    fn leave(&mut self, n: usize) -> Vec<u64> {
        let mut cx = Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
        (0..n).map_while(|_| self.queue.dequeue(&mut cx)).map(|(p, _)| p.id).collect()
    }
    fn dropped(&self) -> Vec<u64> {
        self.sink.dropped.iter().map(|(p, ..)| p.id).collect()
    }
}

#[test]
fn a_class_sends_what_fits_and_keeps_what_is_left_for_its_next_turn() {
    let mut bench = Bench::new(&config("1 quantum 1000 B; 2 quantum 500 B"));
    bench.arrive(1, &[600; 4]);
    bench.arrive(2, &[400; 4]);
    // Class 1 has 1000: 600 goes, 400 is left, gets 1000. Class 2 has 500: 400 goes, 100 left, gets 500.
    // Class 1 has 1400: two go, 200 left, gets 1000. Class 2 has 600: one goes, 200 left, gets 500.
    // Class 1 has 1200: its last goes. Class 2 has 700: one goes, 300 left; gets 500, and its last goes.
    assert_eq!(bench.leave(9), [100, 200, 101, 102, 201, 103, 202, 203]);
    assert_eq!(bench.queue.backlog(), Backlog::default());
}

#[test]
fn a_packet_larger_than_the_quantum_waits_for_as_many_turns_as_it_needs() {
    let mut bench = Bench::new(&config("1 quantum 256 B; 2 quantum 256 B"));
    bench.arrive(1, &[1000]);
    bench.arrive(2, &[256; 5]);
    // 1000 needs four quanta; the first is there on arrival.
    assert_eq!(bench.leave(9), [200, 201, 202, 100, 203, 204]);
}

#[test]
fn a_class_that_ran_empty_comes_back_at_the_end_with_a_full_quantum() {
    let mut bench = Bench::new(&config("1 quantum 1000 B; 2 quantum 1000 B"));
    bench.arrive(1, &[100]);
    bench.arrive(2, &[900; 3]);
    assert_eq!(bench.leave(2), [100, 200]);
    // The remainder of class 1 is forgotten: with 900 + 1000 both of these would go in one turn. Class 2 had 100 left
    // and gets 1000, of which each turn sends one.
    bench.arrive(1, &[1000, 900]);
    assert_eq!(bench.leave(9), [100, 201, 101, 202]);
}

#[test]
fn the_first_filter_that_matches_decides_and_what_none_matches_is_dropped() {
    let mut bench = Bench::new(&config("EF, udp dport 80; sport 7; tcp"));
    let packet = |id, sport, protocol| {
        let packet = TestPacket::new(id, sport, 100);
        TestPacket { flow: FlowKey { protocol, ..packet.flow }, ..packet }
    };
    bench.offer(TestPacket { dscp: Dscp(46), ..packet(0, 7, protocol::TCP) });
    bench.offer(packet(1, 7, protocol::UDP));
    bench.offer(packet(2, 7, protocol::TCP));
    bench.offer(packet(3, 8, protocol::TCP));
    bench.offer(packet(4, 8, 1));
    let mut waiting = [0.0; 3];
    bench.queue.state(&mut waiting);
    assert_eq!((waiting, bench.queue.state_names().len()), ([2.0, 1.0, 1.0], 3));
    assert_eq!(bench.dropped(), [4]);
    assert_eq!(bench.sink.dropped[0].1, DropReason::Aqm);
}

#[test]
fn the_packet_that_was_looked_at_keeps_its_place_in_a_fifo() {
    let mut bench = Bench::new(&config("1 quantum 256 B: pfifo limit 2; 2 quantum 256 B"));
    bench.arrive(1, &[500, 500]);
    bench.arrive(2, &[200, 200]);
    // Class 1 was looked at and has to wait for its second quantum: still two wait, and a third does not fit.
    assert_eq!(bench.leave(1), [200]);
    bench.arrive(1, &[500]);
    assert_eq!((bench.dropped(), bench.queue.backlog().packets), (vec![100], 3));
}

#[test]
fn each_class_has_its_own_discipline() {
    let mut bench = Bench::new(&config("1: codel(ecn = true); 2: bfifo limit 1kb; other: sfq"));
    bench.arrive(2, &[600, 600]);
    assert_eq!(bench.dropped(), [201]);
    for id in 0..100 {
        bench.offer(TestPacket { dscp: Dscp(1), ..TestPacket::new(id, 1, 1000).with_ecn(Ecn::Ect0) });
    }
    // A standing queue of more than 5 ms for more than 100 ms: marks in class 1 only.
    for _ in 0..60 {
        bench.now += Duration::from_millis(10);
        bench.leave(1);
    }
    assert!(!bench.sink.marked.is_empty() && bench.sink.marked.iter().all(|(p, _)| p.dscp == Dscp(1)));
    assert_eq!(bench.dropped(), [201]);
}

#[test]
fn a_class_that_holds_its_packets_back_is_passed_over() {
    let mut bench = Bench::new(&config("1: cake(bandwidth = 8 kbit/s); 2"));
    bench.arrive(1, &[1000; 3]);
    bench.arrive(2, &[1000; 3]);
    let first = bench.leave(9);
    assert_eq!(first.iter().filter(|id| **id >= 200).count(), 3);
    assert!(first.len() < 6 && bench.queue.backlog().packets > 0);
    bench.now = bench.queue.poll_timeout().unwrap();
    assert_eq!(bench.leave(1).len(), 1);
}

#[test]
fn the_commands_of_tc_make_the_classes() {
    let config = config("EF, dport 80 quantum 3000 B: codel target 5ms; other").explicit(&LINK);
    let (line, commands) = config.to_tc().unwrap().into_parts();
    assert_eq!(line, "drr quantum 1514");
    assert_eq!(
        commands,
        [
            "tc qdisc replace dev DEV PARENT handle 10: drr",
            "tc class replace dev DEV parent 10: classid 10:1 drr quantum 3000",
            "tc qdisc replace dev DEV parent 10:1 codel limit 1000 target 5ms interval 100ms noecn",
            "tc class replace dev DEV parent 10: classid 10:2 drr quantum 1514",
            "tc qdisc replace dev DEV parent 10:2 pfifo limit 1000",
            "tc filter replace dev DEV parent 10: protocol ip prio 1 handle 1 flower ip_tos 0xb8/0xfc classid 10:1",
            "tc filter replace dev DEV parent 10: protocol ip prio 2 handle 1 flower ip_proto tcp dst_port 80 classid 10:1",
            "tc filter replace dev DEV parent 10: protocol ip prio 3 handle 1 flower ip_proto udp dst_port 80 classid 10:1",
            "tc filter replace dev DEV parent 10: protocol all prio 4 handle 1 matchall classid 10:2",
        ]
    );
}

//! Numbers worked out by hand, and the limits of what is kept.

use super::*;
use crate::testing::{Collector, TestPacket};
use tailrace_core::{Duration, Rate, Rng};

/// 1000 bytes a second, equal weights.
fn setup(clock: Clock) -> FairSetup {
    FairSetup {
        limit: Limit::Packets(1000),
        flow_limit: None,
        by: Some(FlowBy::FiveTuple),
        clock,
        delta: 0.0,
        weights: [1.0; 8],
        payer: Payer::Longest,
        link: LinkView::new(Rate::from_bps(8000), Duration::ZERO),
    }
}

struct Bench {
    queue: FairQueue<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    next: u64,
}

impl Bench {
    fn new(setup: FairSetup) -> Self {
        Self { queue: FairQueue::new(setup), rng: Rng::new(1), sink: Collector::default(), next: 0 }
    }

    fn enqueue(&mut self, flow: u32, size: u64, ms: u64) {
        self.enqueue_class(flow, size, ms, 0);
    }

    fn enqueue_class(&mut self, flow: u32, size: u64, ms: u64, class: u8) {
        let packet = TestPacket { dscp: Dscp(class << 3), ..TestPacket::new(self.next, flow, size) };
        self.next += 1;
        let now = Instant::from_millis(ms);
        self.queue.enqueue(packet, &mut Cx { now, rng: &mut self.rng, sink: &mut self.sink });
    }

    fn dequeue(&mut self, ms: u64) -> Option<u64> {
        let now = Instant::from_millis(ms);
        let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.dequeue(&mut cx).map(|(packet, _)| packet.id)
    }

    /// All packets, one after the other at the rate of the link.
    fn drain(&mut self, mut ms: u64) -> Vec<u64> {
        let mut out = Vec::new();
        while let Some(id) = self.dequeue(ms) {
            out.push(id);
            ms += 1000;
        }
        out
    }
}

#[test]
fn the_fluid_round_slows_down_with_the_flows_in_it() {
    // A (1000 B) and B (3000 B) share 1000 B/s from 0 s, so the round is 750 after 1.5 s. A's second packet starts
    // where its first ends, at 1000, and ends at 2000; C's comes at 750 and ends at 1000 bytes later.
    let mut bench = Bench::new(setup(Clock::Fluid));
    bench.enqueue(0, 1000, 0);
    bench.enqueue(1, 3000, 0);
    assert_eq!(bench.dequeue(0), Some(0));
    assert_eq!(bench.dequeue(1000), Some(1));
    bench.enqueue(0, 1000, 1500);
    bench.enqueue(2, 1000, 1500);
    let last: Vec<f64> = bench.queue.flows.all().iter().map(|flow| flow.last).collect();
    assert_eq!(last, [2000.0, 3000.0, 1750.0]);
    // Three share from here: 250 bytes each until 2.25 s, when the round is 1000 (A's first packet ends in the
    // middle of its flow); at 4.5 s C ends at 1750.
    bench.queue.advance(Instant::from_millis(2250));
    assert!((bench.queue.fluid.clock - 1000.0).abs() < 1e-9);
    bench.queue.advance(Instant::from_millis(4500));
    assert!((bench.queue.fluid.clock - 1750.0).abs() < 1e-9 && bench.queue.fluid.active_weight() == 2.0);
    assert_eq!([bench.dequeue(4500), bench.dequeue(5500), bench.dequeue(6500)], [Some(3), Some(2), None]);
    // Idle: nothing is remembered.
    assert_eq!((bench.queue.fluid.clock, bench.queue.flows.known()), (0.0, 0));
}

#[test]
fn a_link_that_becomes_faster_speeds_the_round_up_from_then_on() {
    // Two share 1000 B/s for 0.5 s: the round is 250. Then they share 4000 B/s: 450 after another 0.1 s.
    let mut bench = Bench::new(setup(Clock::Fluid));
    bench.enqueue(0, 1000, 0);
    bench.enqueue(1, 1000, 0);
    let mut at = |ms: u64, link: Option<LinkView>| {
        let now = Instant::from_millis(ms);
        let mut cx = Cx { now, rng: &mut bench.rng, sink: &mut bench.sink };
        match link {
            Some(link) => bench.queue.link_changed(&link, &mut cx),
            None => bench.queue.advance(cx.now),
        }
        bench.queue.fluid.clock
    };
    let faster = LinkView::new(Rate::from_bps(32_000), Duration::ZERO);
    assert_eq!(at(500, Some(faster)), 250.0);
    assert!((at(600, None) - 450.0).abs() < 1e-9);
}

#[test]
fn one_flow_is_a_fifo_and_equal_flows_take_turns() {
    for clock in [Clock::Fluid, Clock::Finish, Clock::Start, Clock::Real] {
        let mut bench = Bench::new(setup(clock));
        (0..20).for_each(|_| bench.enqueue(7, 1000, 0));
        assert!(bench.drain(0).into_iter().eq(0..20), "{clock:?}");
        let mut bench = Bench::new(setup(clock));
        // Flow 0 sends all of its packets first, then flow 1, ...
        for flow in 0..5 {
            (0..10).for_each(|_| bench.enqueue(flow, 1000, 0));
        }
        let flows: Vec<u64> = bench.drain(0).into_iter().map(|id| id / 10).collect();
        assert!(flows.chunks(5).all(|turn| turn == [0, 1, 2, 3, 4]), "{clock:?} {flows:?}");
    }
}

#[test]
fn weights_divide_the_link() {
    // Class 5 has three times the weight of class 0: of every four packets three.
    for clock in [Clock::Fluid, Clock::Finish, Clock::Start] {
        let mut weights = [1.0; 8];
        weights[5] = 3.0;
        let mut bench = Bench::new(FairSetup { weights, ..setup(clock) });
        for _ in 0..60 {
            bench.enqueue_class(0, 1000, 0, 0);
            bench.enqueue_class(1, 1000, 0, 5);
        }
        let heavy = bench.drain(0).into_iter().take(80).filter(|id| id % 2 == 1).count();
        assert!((59..=61).contains(&heavy), "{clock:?} {heavy}");
        // Where classes have the shares, their numbers of flows do not count.
        let mut bench = Bench::new(FairSetup { weights, by: None, ..setup(clock) });
        for flow in 0..60 {
            bench.enqueue_class(flow, 1000, 0, 0);
            bench.enqueue_class(100, 1000, 0, 5);
        }
        assert_eq!(bench.queue.holding, 2);
        let heavy = bench.drain(0).into_iter().take(80).filter(|id| id % 2 == 1).count();
        assert!((59..=61).contains(&heavy), "{clock:?} {heavy}");
    }
}

#[test]
fn delta_lets_a_newcomer_go_first() {
    // DKS89: B = L + max(F, R - delta). Flows 0 and 1 have 10 packets each; the round is 1000 after 2 s, when flow 2
    // comes with a tag of 2000, the third in its line; with delta 1500 it is 1000 and goes first.
    for (delta, order) in [(0.0, [1, 11, 20]), (1500.0, [20, 1, 11])] {
        let mut bench = Bench::new(FairSetup { delta, ..setup(Clock::Fluid) });
        for flow in 0..2 {
            (0..10).for_each(|_| bench.enqueue(flow, 1000, 0));
        }
        assert_eq!((bench.dequeue(0), bench.dequeue(1000)), (Some(0), Some(10)));
        bench.enqueue(2, 1000, 2000);
        let next = [2000, 3000, 4000].map(|ms| bench.dequeue(ms).expect("backlogged"));
        assert_eq!(next, order, "{delta}");
    }
}

#[test]
fn the_last_packets_of_the_longest_flow_make_room_and_leave_the_fluid() {
    let mut bench = Bench::new(FairSetup { limit: Limit::Bytes(Bytes(10_000)), ..setup(Clock::Fluid) });
    (0..8).for_each(|_| bench.enqueue(0, 1000, 0));
    bench.enqueue(1, 1500, 0);
    assert_eq!(bench.queue.flows[0].last, 8000.0);
    bench.enqueue(2, 1500, 0);
    // 9500 and 1500: a packet of flow 0 has to go. The next of its own die at once.
    assert_eq!(bench.sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [7]);
    assert_eq!(bench.queue.flows[0].last, 7000.0);
    bench.enqueue(0, 1000, 0);
    assert_eq!(bench.sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [7, 10]);
    assert_eq!((bench.queue.flows[0].last, bench.queue.backlog().bytes), (7000.0, Bytes(10_000)));
    // The arrival dies instead, and is never tagged.
    let limit = Limit::Packets(2);
    let mut bench = Bench::new(FairSetup { payer: Payer::Arrival, limit, ..setup(Clock::Fluid) });
    (0..3).for_each(|flow| bench.enqueue(flow, 1000, 0));
    assert_eq!(bench.sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [2]);
    assert_eq!(bench.queue.flows.known(), 2);
}

#[test]
fn a_million_spoofed_flows_stay_within_the_limit_and_what_is_remembered() {
    for clock in [Clock::Fluid, Clock::Finish, Clock::Start, Clock::Real] {
        let payers = [Payer::Longest, Payer::Arrival];
        for payer in payers.into_iter().take(if clock == Clock::Fluid { 2 } else { 1 }) {
            let mut bench = Bench::new(FairSetup {
                payer,
                link: LinkView::new(Rate::from_mbit(8), Duration::ZERO),
                ..setup(clock)
            });
            let all = (clock, payer) == (Clock::Fluid, Payer::Longest);
            let mut most = 0;
            for flow in 0..if all { 1_000_000u32 } else { 70_000 } {
                // Half of the packets are served, and the fluid system and real time run late.
                let now = Instant::ZERO + Duration::from_micros(u64::from(flow) / 100);
                let mut cx = Cx { now, rng: &mut bench.rng, sink: &mut bench.sink };
                bench.queue.enqueue(TestPacket::new(0, flow, 100), &mut cx);
                if flow % 2 == 0 && clock != Clock::Real || flow % 512 == 0 {
                    bench.queue.dequeue(&mut cx);
                }
                bench.sink.dropped.clear();
                most = most.max(bench.queue.flows.known());
            }
            assert!(most <= 1001 + MOST_REMEMBERED, "{clock:?} {most}");
            assert!(bench.queue.flows.all().iter().len() as u32 <= 1001 + MOST_REMEMBERED);
            while bench.dequeue(1_000_000).is_some() {}
            assert!(clock == Clock::Real || bench.queue.flows.known() == 0);
        }
    }
}

//! The scheduler apart from any law.

use super::*;
use crate::managed::NoLaw;
use crate::testing::{Collector, Counter, TestPacket};
use proptest::prelude::*;
use tailrace_core::Rng;

struct Bench {
    queue: FlowQueue<NoLaw, TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    next: u64,
}

impl Bench {
    fn new(setup: FlowSetup) -> Self {
        Self { queue: FlowQueue::new(setup, NoLaw), rng: Rng::new(1), sink: Collector::default(), next: 0 }
    }
    fn enqueue(&mut self, flow: u32, size: u64) {
        let packet = TestPacket::new(self.next, flow, size);
        self.next += 1;
        self.queue.enqueue(packet, &mut Cx { now: Instant::ZERO, rng: &mut self.rng, sink: &mut self.sink });
    }
    fn dequeue(&mut self) -> Option<TestPacket> {
        let mut cx = Cx { now: Instant::ZERO, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.dequeue(&mut cx).map(|(p, _)| p)
    }
    /// Deficit and place of flow number `flow`.
    fn flow(&self, flow: u32) -> (i64, Place) {
        let found = self.queue.flows.iter().find(|f| f.key.src == flow).expect("was seen");
        (found.deficit, found.place)
    }
}

#[test]
fn deficits_and_lists_follow_ns3() {
    // ns-3 fq-codel-queue-disc-test-suite, deficit test: quantum 90, packets of 120 B.
    let mut b = Bench::new(FlowSetup { quantum: Bytes(90), ..FlowSetup::RFC8290 });
    b.enqueue(1, 120);
    assert_eq!(b.flow(1), (90, Place::New));
    b.dequeue();
    assert_eq!(b.flow(1), (-30, Place::New));
    b.enqueue(1, 120);
    b.enqueue(1, 120);
    b.enqueue(2, 120);
    b.enqueue(2, 120);
    assert_eq!(b.flow(2), (90, Place::New));
    b.dequeue();
    assert_eq!((b.flow(1), b.flow(2)), ((60, Place::Old), (-30, Place::New)));
    b.dequeue();
    assert_eq!((b.flow(1), b.flow(2)), ((-60, Place::Old), (60, Place::Old)));
    b.dequeue();
    assert_eq!((b.flow(1), b.flow(2)), ((30, Place::Old), (-60, Place::Old)));
    b.dequeue();
    assert_eq!((b.flow(1), b.flow(2)), ((-90, Place::Old), (30, Place::Old)));
    assert_eq!(b.dequeue(), None);
    assert_eq!((b.flow(1), b.flow(2)), ((90, Place::Outside), (30, Place::Outside)));
}

#[test]
fn a_deficit_turn_sends_what_fits_and_keeps_the_rest() {
    // Shreedhar and Varghese 1995, figures 2 and 3: quantum 500, queues of 200 750 20 and of 500 500.
    let mut b =
        Bench::new(FlowSetup { service: Service::Deficit, quantum: Bytes(500), ..FlowSetup::RFC8290 });
    for size in [200, 750, 20] {
        b.enqueue(1, size);
    }
    for size in [500, 500] {
        b.enqueue(2, size);
    }
    // Turn of 1: 200 goes, 300 are left and 750 do not fit. Turn of 2: 500. Turn of 1: 800, so 750 and 20.
    let sizes: Vec<u64> = std::iter::from_fn(|| b.dequeue()).map(|p| p.size.get()).collect();
    assert_eq!(sizes, [200, 500, 750, 20, 500]);
    assert_eq!(b.flow(1), (30, Place::Outside));
    b.enqueue(1, 100);
    assert_eq!(b.flow(1), (0, Place::Old));
}

#[test]
fn packet_service_gives_bytes_in_proportion_to_packet_sizes() {
    // Nagle's round robin: 1500 B against 500 B is three to one.
    let mut b = Bench::new(FlowSetup { service: Service::Packet, ..FlowSetup::RFC8290 });
    for _ in 0..100 {
        b.enqueue(1, 1500);
        b.enqueue(2, 500);
    }
    let mut bytes = [0, 0];
    for _ in 0..100 {
        let p = b.dequeue().expect("backlogged");
        bytes[p.flow.src as usize - 1] += p.size.get();
    }
    assert_eq!(bytes, [75_000, 25_000]);
}

#[test]
fn surplus_and_deficit_service_share_bytes_evenly() {
    for service in [Service::Surplus, Service::Deficit] {
        let mut b = Bench::new(FlowSetup { service, ..FlowSetup::RFC8290 });
        for _ in 0..300 {
            b.enqueue(1, 1500);
            b.enqueue(2, 500);
            b.enqueue(2, 500);
            b.enqueue(2, 500);
        }
        let mut bytes = [0i64, 0];
        for _ in 0..600 {
            let p = b.dequeue().expect("backlogged");
            bytes[p.flow.src as usize - 1] += p.size.get() as i64;
            // Shreedhar and Varghese 1995, theorem: at most 2 Max + Q apart.
            assert!((bytes[0] - bytes[1]).abs() <= 2 * 1500 + 1514, "{bytes:?}");
        }
    }
}

#[test]
fn a_flood_of_new_keys_grows_no_table() {
    let exact = FlowSetup {
        limit: Limit::Packets(100),
        separation: Separation::Exact(128),
        service: Service::Packet,
        overflow: Overflow::Arrival,
        ..FlowSetup::RFC8290
    };
    let hashed = FlowSetup { separation: Separation::Hashed(64), ..FlowSetup::RFC8290 };
    for (setup, most) in [(exact, 101), (hashed, 64)] {
        let mut queue = FlowQueue::new(setup, NoLaw);
        let (mut rng, mut sink) = (Rng::new(1), Counter::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for id in 0..1_000_000u32 {
            queue.enqueue(TestPacket::new(u64::from(id), id, 100), &mut cx);
            if id % 3 == 0 {
                queue.dequeue(&mut cx);
            }
        }
        assert!(queue.flows.len() <= most, "{}", queue.flows.len());
    }
}

#[test]
fn exact_flows_that_share_a_chain_stay_apart() {
    let setup = FlowSetup {
        separation: Separation::Exact(2),
        service: Service::Packet,
        overflow: Overflow::Arrival,
        flow_limit: Some(Limit::Packets(2)),
        ..FlowSetup::RFC8290
    };
    let mut b = Bench::new(setup);
    for round in 0..20 {
        for flow in 0..10 {
            for _ in 0..3 {
                b.enqueue((flow + round) % 13, 100);
            }
        }
        assert_eq!(b.queue.backlog().packets, 20);
        let order: Vec<u32> = std::iter::from_fn(|| b.dequeue()).map(|p| p.flow.src).collect();
        assert_eq!(order[..10], order[10..]);
        let mut flows = order[..10].to_vec();
        flows.sort_unstable();
        flows.dedup();
        assert_eq!(flows.len(), 10);
    }
    assert_eq!(b.queue.flows.len(), 10);
}

#[test]
fn the_newest_is_served_first_where_asked_and_the_oldest_dies() {
    let setup = FlowSetup {
        limit: Limit::Packets(3),
        separation: Separation::Hashed(1),
        serve: End::Newest,
        overflow: Overflow::Longest(End::Oldest, 1),
        ..FlowSetup::RFC8290
    };
    let mut b = Bench::new(setup);
    for flow in 0..4 {
        b.enqueue(flow, 100);
    }
    let order: Vec<u64> = std::iter::from_fn(|| b.dequeue()).map(|p| p.id).collect();
    assert_eq!(order, [3, 2, 1]);
    assert_eq!(b.sink.dropped[0].0.id, 0);
}

proptest! {
    /// Against a look at all flows, through rounds of overflow and of peace, whatever decides between equals.
    #[test]
    fn the_longest_flow_is_the_one_that_a_look_at_all_finds(
        by_turn in any::<bool>(), exact in any::<bool>(), surplus in any::<bool>(),
        steps in prop::collection::vec((0u8..4, 0u32..9, 0u64..3), 1..300),
    ) {
        let mut b = Bench::new(FlowSetup {
            limit: Limit::Packets(12),
            separation: if exact { Separation::Exact(3) } else { Separation::Hashed(8) },
            ties: if by_turn { Ties::Turn } else { Ties::Bucket },
            service: if surplus { Service::Surplus } else { Service::Deficit },
            overflow: Overflow::Longest(End::Newest, 1),
            quantum: Bytes(150),
            ..FlowSetup::RFC8290
        });
        for (what, flow, size) in steps {
            if what == 0 {
                b.dequeue();
            } else {
                b.enqueue(flow, 100 * size);
            }
            let (mut most, mut plain) = ((Bytes::ZERO, 0), None);
            for (index, flow) in b.queue.flows.iter().enumerate().filter(|(_, flow)| flow.backlog.packets > 0) {
                let held = (flow.backlog.bytes, flow.backlog.packets);
                let first = plain.is_none_or(|other: usize| flow.tie < b.queue.flows[other].tie);
                if held > most || (held == most && first) {
                    (most, plain) = (held, Some(index));
                }
            }
            if b.queue.longest.is_kept() && what == 1 {
                let found = b.queue.longest.first(b.queue.flows.iter().map(Flow::length));
                prop_assert_eq!(found.map(|index| index as usize), plain);
            }
        }
    }
}

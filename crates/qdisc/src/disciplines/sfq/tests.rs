//! SFQ against ns-2's and Linux's rules worked by hand.

use super::*;
use crate::testing::{Collector, TestPacket};
use tailrace_core::Rate;

struct Bench {
    queue: Sfq<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    next_id: u64,
    now: Instant,
}

impl Bench {
    fn new(config: &SfqConfig) -> Self {
        assert_eq!(config.validate(), Ok(()));
        let link = LinkView::new(Rate::from_mbit(45), Duration::ZERO);
        let (queue, now) = (config.build(&link), Instant::ZERO);
        Self { queue, rng: Rng::new(5), sink: Collector::default(), next_id: 0, now }
    }
    /// Offers a packet of 1000 bytes from each of `flows`.
    fn offer_all(&mut self, flows: impl IntoIterator<Item = u32>) {
        flows.into_iter().for_each(|flow| _ = self.offer(flow, 1000));
    }
    /// Offers a packet; returns whether nothing was dropped.
    fn offer(&mut self, flow: u32, size: u64) -> bool {
        let before = self.sink.dropped.len();
        let packet = TestPacket::new(self.next_id, flow, size);
        self.next_id += 1;
        self.queue.enqueue(packet, &mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink });
        self.sink.dropped.len() == before
    }
    fn take(&mut self) -> Option<TestPacket> {
        let mut cx = Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.dequeue(&mut cx).map(|(p, _)| p)
    }
    fn take_flows(&mut self, n: usize) -> Vec<u32> {
        (0..n).map_while(|_| self.take()).map(|p| p.flow.src).collect()
    }
    fn waiting(&self) -> u64 {
        self.queue.backlog().packets
    }
    fn active(&self) -> f64 {
        let mut out = [0.0];
        self.queue.state(&mut out);
        out[0]
    }
}

fn ns2(limit: u64, buckets: u32) -> SfqConfig {
    SfqConfig {
        form: Form::Ns2,
        limit: Some(Limit::Packets(limit)),
        buckets: Some(buckets),
        ..SfqConfig::default()
    }
}

/// A flow for each of the first `n` buckets.
fn flow_per_bucket(buckets: u32, n: u32) -> Vec<u32> {
    let bucket = |flow| ns2_bucket(TestPacket::new(0, flow, 0).flow, buckets);
    (0..n).map(|b| (0..).find(|f| bucket(*f) == b).unwrap()).collect()
}

#[test]
fn ns2_caps_a_single_flow_at_a_third() {
    for (limit, buckets, most) in [(40, 16, 13), (200, 23, 67), (100, 16, 33)] {
        let mut b = Bench::new(&ns2(limit, buckets));
        for _ in 0..limit {
            b.offer(1, 1000);
        }
        assert_eq!(b.waiting(), most);
        // The arrivals died, not those that waited.
        assert!(b.sink.dropped.iter().all(|(p, ..)| p.id >= most));
    }
}

#[test]
fn ns2_gives_two_flows_a_quarter_each() {
    for (limit, buckets, each) in [(40, 16, 10), (200, 23, 50)] {
        let mut b = Bench::new(&ns2(limit, buckets));
        let flows = flow_per_bucket(buckets, 2);
        for _ in 0..limit {
            flows.iter().for_each(|f| assert!(b.offer(*f, 1000) || b.waiting() == 2 * each));
        }
        let sent = b.take_flows(1000);
        let of = |f| sent.iter().filter(|s| **s == f).count() as u64;
        assert_eq!((of(flows[0]), of(flows[1])), (each, each));
    }
}

#[test]
fn ns2_fills_all_23_buckets_to_8_packets_each() {
    // Bedi, Roy and Shiva 2014, table 4: SFQ with these parameters holds 182 packets on average.
    let mut b = Bench::new(&ns2(200, 23));
    let flows = flow_per_bucket(23, 23);
    for _ in 0..100 {
        b.offer_all(flows.iter().copied());
    }
    assert_eq!((b.waiting(), b.active()), (184, 23.0));
    let sent = b.take_flows(1000);
    assert!(flows.iter().all(|f| sent.iter().filter(|s| *s == f).count() == 8));
    assert_eq!(b.active(), 0.0);
}

#[test]
fn ns2_hash_is_that_of_the_sum_of_addresses() {
    // 1000 + (1000 >> 8) + ~(1000 >> 4) = 1000 + 3 - 63 = 940; 940 mod 23 = 20.
    let flow = |src, dst| FlowKey { src, dst, ..FlowKey::default() };
    assert_eq!(ns2_bucket(flow(600, 400), 23), 20);
    assert_eq!(ns2_bucket(flow(400, 600), 23), 20);
    // Zero gives -1, which wraps to 2^20 - 2 = 1 048 574; mod 16 that is 14.
    assert_eq!(ns2_bucket(flow(0, 0), 16), 14);
}

#[test]
fn packets_take_turns() {
    let config = SfqConfig { service: Some(Service::Packet), ..SfqConfig::default() };
    let mut b = Bench::new(&config);
    b.offer_all([1, 1, 1, 2, 2, 3]);
    assert_eq!(b.take_flows(10), [1, 2, 3, 1, 2, 1]);
    // A flow that comes back joins at the end of the round.
    b.offer_all([1, 1, 2]);
    assert_eq!(b.take_flows(1), [1]);
    b.offer(3, 1000);
    assert_eq!(b.take_flows(10), [2, 1, 3]);
}

/// Bytes that two flows with always waiting packets of 1500 and 500 bytes get.
fn bytes_of_two(service: Service) -> (u64, u64) {
    let mut b = Bench::new(&SfqConfig { service: Some(service), ..SfqConfig::default() });
    let (mut large, mut small) = (0, 0);
    (0..20).for_each(|_| assert!(b.offer(1, 1500) && b.offer(2, 500)));
    for _ in 0..4000 {
        let p = b.take().unwrap();
        *if p.flow.src == 1 { &mut large } else { &mut small } += p.size.get();
        b.offer(p.flow.src, p.size.get());
    }
    (large, small)
}

#[test]
fn byte_service_is_fair_in_bytes_and_packet_service_in_packets() {
    let (large, small) = bytes_of_two(Service::Byte);
    // Deficit round robin: shares never differ by more than a quantum and a packet.
    assert!(large.abs_diff(small) <= 1514 + 1500, "{large} {small}");
    let (large, small) = bytes_of_two(Service::Packet);
    assert!(large.abs_diff(3 * small) <= 1500, "{large} {small}");
}

#[test]
fn deficits_carry_over_rounds() {
    // Flow 1 sends 1500 bytes a packet and is given 1000 a round: two packets in three rounds. Its allotment when its
    // turn comes: 1000, 500, 0 (passed over), 1000, 500, 0, ...
    let mut b = Bench::new(&SfqConfig { quantum: Bytes(1000), ..SfqConfig::default() });
    (0..8).for_each(|_| assert!(b.offer(1, 1500)));
    b.offer_all([2; 8]);
    assert_eq!(b.take_flows(10), [1, 2, 1, 2, 2, 1, 2, 1, 2, 2]);
}

#[test]
fn the_longest_flow_pays() {
    let limited =
        |drop| SfqConfig { limit: Some(Limit::Packets(6)), drop: Some(drop), ..SfqConfig::default() };
    for (drop, victim) in [(Victim::LongestTail, 3), (Victim::LongestHead, 0)] {
        let mut b = Bench::new(&limited(drop));
        [1, 1, 1, 1, 2, 2].iter().for_each(|f| assert!(b.offer(*f, 1000)));
        assert!(!b.offer(3, 1000));
        assert_eq!((b.sink.dropped[0].0.id, b.waiting()), (victim, 6));
    }
    // The arrival itself, where its own flow is the longest.
    let mut b = Bench::new(&limited(Victim::LongestTail));
    (0..6).for_each(|_| assert!(b.offer(1, 1000)));
    assert!(!b.offer(1, 1000));
    assert_eq!(b.sink.dropped[0].0.id, 6);
}

#[test]
fn where_all_hold_one_packet_the_next_in_turn_pays() {
    let config = SfqConfig { limit: Some(Limit::Packets(3)), ..SfqConfig::default() };
    let mut b = Bench::new(&config);
    b.offer_all([1, 2, 3, 4]);
    assert_eq!(b.sink.dropped[0].0.flow.src, 1);
    assert_eq!(b.take_flows(9), [2, 3, 4]);
}

#[test]
fn depth_and_slots_bound_what_a_flow_and_all_flows_hold() {
    let deep = |drop| SfqConfig { depth: Some(2), drop: Some(drop), ..SfqConfig::default() };
    let mut b = Bench::new(&deep(Victim::LongestTail));
    b.offer_all([1; 3]);
    assert_eq!((b.sink.dropped[0].0.id, b.waiting()), (2, 2));
    let mut b = Bench::new(&deep(Victim::LongestHead));
    b.offer_all([1; 3]);
    assert_eq!((b.sink.dropped[0].0.id, b.waiting()), (0, 2));
    // Two slots: the third flow is refused until one of the others is gone.
    let mut b = Bench::new(&SfqConfig { flows: Some(2), ..SfqConfig::default() });
    assert!(b.offer(1, 1000) && b.offer(2, 1000) && !b.offer(3, 1000));
    b.take();
    assert!(b.offer(3, 1000));
}

#[test]
fn a_flood_leaves_the_others_their_share() {
    // Ten flows offer a tenth of the link each, one ten times the link: each gets an eleventh. The quantum is one
    // packet, so that a bucket that empties gains nothing from a fresh allotment.
    let mut b = Bench::new(&SfqConfig { quantum: Bytes(1000), ..SfqConfig::default() });
    let mut sent = [0; 11];
    for round in 0..20_000u32 {
        b.offer_all([0; 10]);
        b.offer(1 + round % 10, 1000);
        if let Some(p) = b.take() {
            sent[p.flow.src as usize] += 1;
        }
    }
    for (flow, n) in sent.iter().enumerate() {
        assert!((f64::from(*n) / (20_000.0 / 11.0) - 1.0).abs() < 0.05, "{flow}: {sent:?}");
    }
}

#[test]
fn a_new_salt_moves_flows_but_keeps_their_order() {
    let config = SfqConfig {
        buckets: Some(4),
        perturb: Some(Duration::from_secs(10)),
        limit: Some(Limit::Packets(1000)),
        depth: Some(1000),
        ..SfqConfig::default()
    };
    let mut b = Bench::new(&config);
    b.offer_all((0..600).map(|i| i % 12));
    let place = |b: &mut Bench| -> Vec<u32> {
        (0..12).map(|f| b.queue.bucket(TestPacket::new(0, f, 0).flow, &mut b.rng)).collect()
    };
    let before = place(&mut b);
    b.now = Instant::from_secs(10);
    assert_eq!(b.queue.poll_timeout(), Some(b.now));
    let mut cx = Cx { now: b.now, rng: &mut b.rng, sink: &mut b.sink };
    b.queue.handle_timeout(&mut cx);
    assert_eq!(b.queue.poll_timeout(), Some(Instant::from_secs(20)));
    assert_ne!(place(&mut b), before);
    assert_eq!((b.waiting(), b.sink.dropped.len()), (600, 0));
    let mut last = [None; 12];
    for _ in 0..600 {
        let p = b.take().unwrap();
        let last = &mut last[p.flow.src as usize];
        assert!(*last < Some(p.id), "flow {} out of order", p.flow.src);
        *last = Some(p.id);
    }
    assert_eq!(b.waiting(), 0);
}

#[test]
fn what_finds_no_place_under_a_new_salt_is_dropped() {
    let config = SfqConfig {
        buckets: Some(8),
        depth: Some(10),
        perturb: Some(Duration::from_secs(1)),
        limit: Some(Limit::Packets(1000)),
        ..SfqConfig::default()
    };
    let mut b = Bench::new(&config);
    b.offer_all((0..80).map(|i| i % 8));
    let refused = b.sink.dropped.len();
    for second in 1..20 {
        b.now = Instant::from_secs(second);
        let mut cx = Cx { now: b.now, rng: &mut b.rng, sink: &mut b.sink };
        b.queue.handle_timeout(&mut cx);
        assert_eq!(b.waiting() + b.sink.dropped.len() as u64, 80);
        // No flow holds more than the depth, so no bucket does.
        assert!(b.active() * 10.0 >= b.waiting() as f64);
    }
    assert!(b.sink.dropped.len() > refused, "salts never collided");
    let left = b.waiting() as usize;
    assert_eq!(b.take_flows(100).len(), left);
}

#[test]
fn forms_and_tc_lines_give_what_they_name() {
    let mut words = TcWords::new("limit 100 perturb 10 quantum 1514 divisor 1024 flows 64 depth 50 headdrop");
    let c = SfqConfig::from_tc("sfq", &mut words).unwrap();
    assert_eq!((c.limit_packets(), c.perturb(), c.buckets()), (100, Duration::from_secs(10), 1024));
    assert_eq!((c.flows(), c.depth(), c.victim()), (64, 50, Victim::LongestHead));
    let mut words = TcWords::new("redflowlimit 100");
    assert!(SfqConfig::from_tc("sfq", &mut words).unwrap_err().message.contains("not supported"));
    let linux = SfqConfig::default();
    assert_eq!((linux.limit_packets(), linux.depth(), linux.flows()), (127, 127, 128));
    assert_eq!((linux.service(), linux.victim()), (Service::Byte, Victim::LongestTail));
    let ns2 = SfqConfig { form: Form::Ns2, ..SfqConfig::default() };
    assert_eq!((ns2.limit_packets(), ns2.buckets(), ns2.hash()), (40, 16, FlowHash::Ns2));
    let paper = SfqConfig { form: Form::Paper, ..SfqConfig::default() };
    assert_eq!((paper.service(), paper.perturb()), (Service::Packet, Duration::from_secs(10)));
}

#[test]
fn impossible_combinations_are_named() {
    let base = SfqConfig::default;
    let bad = [
        ("limit", SfqConfig { limit: Some(Limit::Bytes(Bytes(9000))), ..base() }),
        ("limit", SfqConfig { limit: Some(Limit::Packets(0)), ..base() }),
        ("limit", ns2(1, 16)),
        ("buckets", SfqConfig { buckets: Some(0), ..base() }),
        ("flows", SfqConfig { flows: Some(0), ..base() }),
        ("depth", SfqConfig { depth: Some(0), ..base() }),
        ("quantum", SfqConfig { quantum: Bytes(1), ..base() }),
        ("perturb", SfqConfig { perturb: Some(Duration::from_secs(1)), ..ns2(40, 16) }),
    ];
    for (param, config) in bad {
        assert_eq!(config.validate().unwrap_err().0, param);
    }
}

use super::rates::{Average, Decay, FairShare};
use super::*;
use crate::disciplines::QdiscConfig;
use crate::registry::Discipline as _;
use crate::testing::{Collector, Counter, TestPacket};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tailrace_core::{Duration, Ecn, FlowKey, Rate, Rng};

const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::from_millis(1));

fn core() -> CsfqConfig {
    CsfqConfig { role: CsfqRole::Core, ..CsfqConfig::default() }
}

#[test]
fn a_label_keeps_a_rate_within_a_millionth() {
    for bps in [1e-30, 0.3, 1.0, 312_500.0, 1e6 / 3.0, 9.999e9, 1e12] {
        let back = rate_of(label_of(bps)).unwrap();
        assert!((back / bps - 1.0).abs() < 1e-7, "{bps} {back}");
    }
    assert_eq!(rate_of(Label::NONE), None);
    assert!(rate_of(label_of(0.0)).is_some(), "a silent flow is still labelled");
    assert_eq!(rate_of(Label(f32::NAN.to_bits())), None);
}

#[test]
fn the_estimate_reaches_63_per_cent_of_a_new_rate_after_its_averaging_time() {
    // Spec section 4, oracle (c): 1 - 1/e after K, whatever the spacing.
    let k = Duration::from_millis(100);
    for packets in [1_u64, 10, 1000] {
        let (mut average, mut decay) = (Average::new(Instant::ZERO), Decay::new(k));
        let gap = 100_000_000 / packets;
        for n in 1..=packets {
            average.count(Bytes(gap / 1000), &mut decay, Instant::from_nanos(n * gap));
        }
        let rate = (gap / 1000) as f64 * 8.0 / (gap as f64 / 1e9);
        assert!((average.rate / rate - 0.632_120_558_8).abs() < 1e-9, "{}", average.rate / rate);
    }
}

#[test]
fn packets_of_one_instant_count_as_the_limit_of_a_short_time() {
    let (mut decay, near) = (Decay::new(Duration::from_millis(100)), Instant::from_nanos(1));
    let mut together = Average::new(Instant::ZERO);
    let mut apart = together;
    together.count(Bytes(1000), &mut decay, Instant::ZERO);
    apart.count(Bytes(1000), &mut decay, near);
    assert_eq!(together.rate, 80_000.0);
    assert!((apart.rate - 80_000.0).abs() < 0.1, "{}", apart.rate);
}

/// A share of `alpha` for a link of 10 Mbit/s that is congested since time zero.
fn share(alpha: f64) -> FairShare {
    let mut share = FairShare::new(&core(), &LINK);
    // 64 packets of one instant: 2.56 Mbit/s above capacity at K = 200 ms.
    for _ in 0..314 {
        share.observe((Bytes(1000), alpha), true, true, Instant::from_nanos(1));
    }
    share
}

#[test]
fn a_flow_of_twice_the_share_loses_half() {
    // Spec section 4, oracle (b).
    let share = share(1e6);
    assert_eq!(share.state()[0], 1e6);
    assert_eq!(share.drop_probability(2e6), 0.5);
    assert_eq!(share.drop_probability(4e6), 0.75);
    assert_eq!(share.drop_probability(1e6), 0.0);
    assert_eq!(share.drop_probability(0.0), 0.0);
    assert_eq!((share.relabelled(3e6), share.relabelled(5e5)), (1e6, 5e5));
}

#[test]
fn overflows_take_one_per_cent_each_and_a_quarter_at_most() {
    // The paper's first amendment.
    let mut share = share(1e6);
    share.overflow();
    assert!((share.state()[0] - 990_000.0).abs() < 1e-6);
    for _ in 0..100 {
        share.overflow();
    }
    assert_eq!(share.state()[0], 750_000.0);
}

#[test]
fn an_uncongested_link_with_a_short_queue_passes_everything() {
    // The paper's second amendment.
    for filled in [false, true] {
        let mut share = share(1e6);
        // 1 Mbit/s for a second: the average falls below 10 Mbit/s within a window, a second one ends later.
        for ms in 0..1000 {
            let now = Instant::from_millis(8 * ms + 8);
            share.observe((Bytes(1000), 2e6), true, filled, now);
        }
        let alpha = share.state()[0];
        assert_eq!(alpha, if filled { 2e6 } else { 0.0 });
        assert_eq!(share.drop_probability(8e6), if filled { 0.75 } else { 0.0 });
    }
}

/// Thirty-two flows at 1 to 32 times 312.5 kbit/s over 10 Mbit/s; the share of the link that each gets in the last
/// `20` of 30 seconds, times 32.
fn shares_of_32(config: &CsfqConfig, label: bool) -> Vec<f64> {
    let mut queue: Csfq<TestPacket> = config.build(&LINK);
    let (mut rng, mut sink, mut phase) = (Rng::new(1), Counter::default(), Rng::new(2));
    let mut due: BTreeMap<(Instant, u32), ()> = BTreeMap::new();
    for flow in 1..=32 {
        due.insert((Instant::from_nanos(phase.below(25_600_000)), flow), ());
    }
    let service = LINK.rate.time_to_send(Bytes(1000));
    let (mut free, mut got, mut id) = (Instant::ZERO, vec![0_u64; 33], 0);
    let end = Instant::from_secs(30);
    while let Some(((now, flow), ())) = due.pop_first() {
        if now >= end {
            break;
        }
        while free <= now {
            let mut cx = Cx { now: free, rng: &mut rng, sink: &mut sink };
            let Some((packet, _)) = queue.dequeue(&mut cx) else {
                free = now + Duration::from_nanos(1);
                break;
            };
            if free > Instant::from_secs(10) {
                got[packet.flow.src as usize] += packet.size.get();
            }
            free = free.saturating_add(service);
        }
        let mut packet = TestPacket::new(id, flow, 1000);
        if label {
            packet.set_label(label_of(f64::from(flow) * 312_500.0));
        }
        queue.enqueue(packet, &mut Cx { now, rng: &mut rng, sink: &mut sink });
        id += 1;
        let gap = Rate::from_bps(u64::from(flow) * 312_500).time_to_send(Bytes(1000));
        due.insert((now + gap, flow), ());
    }
    got[1..].iter().map(|bytes| *bytes as f64 * 8.0 / 20.0 / 312_500.0).collect()
}

#[test]
fn thirty_two_flows_of_one_to_thirty_two_shares_get_one_each() {
    // Spec section 4, oracle (a): 10/32 Mbit/s for each. A random drop for each packet leaves each flow's 781 packets
    // with a standard deviation of 3 %; the paper's figure shows some 10 % about the mean.
    for (config, label) in [(CsfqConfig::default(), false), (core(), true)] {
        let shares = shares_of_32(&config, label);
        let mean = shares.iter().sum::<f64>() / 32.0;
        assert!((0.97..1.001).contains(&mean), "{mean}");
        for (i, share) in shares.iter().enumerate() {
            assert!((share / mean - 1.0).abs() < 0.15, "flow {}: {share} of {mean}", i + 1);
        }
    }
}

#[test]
fn a_flow_with_twice_the_weight_has_half_the_label() {
    let mut light: Csfq<TestPacket> = CsfqConfig::default().build(&LINK);
    let mut heavy: Csfq<TestPacket> = CsfqConfig { weight: 2.0, ..CsfqConfig::default() }.build(&LINK);
    let (mut rng, mut sink) = (Rng::new(1), Counter::default());
    let [light, heavy] = [&mut light, &mut heavy].map(|queue| {
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        queue.enqueue(TestPacket::new(0, 1, 1000), &mut cx);
        rate_of(queue.dequeue(&mut cx).unwrap().0.label()).unwrap()
    });
    assert_eq!((light, heavy), (80_000.0, 40_000.0));
}

#[test]
fn a_core_leaves_labels_and_passes_packets_without() {
    let mut queue: Csfq<TestPacket> = core().build(&LINK);
    let (mut rng, mut sink) = (Rng::new(1), Counter::default());
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    queue.enqueue(TestPacket { label: label_of(5e6), ..TestPacket::new(0, 1, 1000) }, &mut cx);
    queue.enqueue(TestPacket::new(1, 1, 1000), &mut cx);
    assert_eq!(queue.dequeue(&mut cx).unwrap().0.label(), label_of(5e6));
    assert_eq!(queue.dequeue(&mut cx).unwrap().0.label(), Label::NONE);
}

#[test]
fn with_ecn_what_the_law_would_drop_is_marked() {
    let config = CsfqConfig { ecn: true, limit: Limit::Packets(400), ..core() };
    let mut queue: Csfq<TestPacket> = config.build(&LINK);
    let (mut rng, mut sink) = (Rng::new(1), Collector::default());
    for id in 0..350 {
        let label = label_of(if id < 300 { 1e6 } else { 1e12 });
        let packet = TestPacket { label, ..TestPacket::new(id, 1, 1000) }.with_ecn(Ecn::Ect0);
        queue.enqueue(packet, &mut Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink });
    }
    // Half of the buffer is used from the 200th packet on: the share is 1 Mbit/s then.
    assert_eq!((sink.marked.len(), sink.dropped.len()), (50, 0));
}

#[test]
fn a_million_spoofed_sources_fill_the_table_and_no_more() {
    let config = CsfqConfig { flows: 1024, ..CsfqConfig::default() };
    let mut queue: Csfq<TestPacket> = config.build(&LINK);
    let (mut rng, mut sink) = (Rng::new(1), Counter::default());
    for id in 0..1_000_000_u64 {
        let flow = FlowKey { src: id as u32, dst: 9, src_port: 1, dst_port: 2, protocol: 17 };
        let mut cx = Cx { now: Instant::from_nanos(id * 1000), rng: &mut rng, sink: &mut sink };
        queue.enqueue(TestPacket { flow, ..TestPacket::new(id, 0, 1000) }, &mut cx);
        if id % 100 == 0 {
            queue.dequeue(&mut cx);
        }
    }
    let mut state = [0.0; 4];
    queue.state(&mut state);
    assert_eq!(state[3], 1024.0);
}

/// Spec section 4 as it stands, for an edge: flows in a map, rates recomputed from their formulas.
struct Plain {
    config: CsfqConfig,
    c: f64,
    flows: BTreeMap<FlowKey, (f64, f64)>,
    alpha: f64,
    a: (f64, f64),
    f: (f64, f64),
    congested: bool,
    t_w: f64,
    tmp: f64,
    least: f64,
}

fn formula((r, t): (f64, f64), l: f64, k: f64, now: f64) -> (f64, f64) {
    let gap = now - t;
    let e = tailrace_core::math::exp(-gap / k);
    (if gap == 0.0 { r + l / k } else { (1.0 - e) * (l / gap) + e * r }, now)
}

impl Plain {
    /// Drop probability and label of a packet of `l` bits; the share follows.
    fn arrival(&mut self, flow: FlowKey, l: f64, now: f64, coin: f64, filled: bool) -> (bool, f64) {
        let rate =
            formula(*self.flows.get(&flow).unwrap_or(&(0.0, now)), l, self.config.k.as_secs_f64(), now);
        self.flows.insert(flow, rate);
        let label = f64::from(rate.0 as f32);
        let p = if self.alpha == 0.0 { 0.0 } else { f64::max(0.0, 1.0 - self.alpha / label) };
        let drop = p > coin;
        self.estimate(l, label, drop, filled, now);
        (drop, if p > 0.0 && self.alpha > 0.0 { label.min(self.alpha) } else { label })
    }

    fn estimate(&mut self, l: f64, label: f64, dropped: bool, filled: bool, now: f64) {
        let k = self.config.k_alpha.as_secs_f64();
        self.a = formula(self.a, l, k, now);
        if !dropped {
            self.f = formula(self.f, l, k, now);
        }
        if self.alpha == 0.0 {
            self.tmp = self.tmp.max(label);
            if !filled {
                return;
            }
            self.alpha = self.tmp.min(self.c);
            self.least = 0.75 * self.alpha;
            self.tmp = 0.0;
        }
        let over = now > self.t_w + self.config.k_c.as_secs_f64();
        match (self.a.0 >= self.c, self.congested) {
            (true, false) => (self.congested, self.t_w, self.least) = (true, now, 0.75 * self.alpha),
            (true, true) if over => {
                self.alpha = (self.alpha * self.c / self.f.0).min(self.c);
                (self.t_w, self.least) = (now, 0.75 * self.alpha);
            }
            (true, true) => {}
            (false, true) => (self.congested, self.t_w, self.tmp) = (false, now, 0.0),
            (false, false) if !over => self.tmp = self.tmp.max(label),
            (false, false) => {
                self.t_w = now;
                if filled && self.tmp > 0.0 {
                    (self.alpha, self.tmp) = (self.tmp.min(self.c), 0.0);
                    self.least = 0.75 * self.alpha;
                } else {
                    self.alpha = 0.0;
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn decisions_and_labels_are_those_of_the_pseudo_code(
        steps in prop::collection::vec((0u32..6, 40u64..1500, 0u64..600_000, 0u8..4), 1..2500),
    ) {
        let config = CsfqConfig { limit: Limit::Packets(60), ..CsfqConfig::default() };
        let mut queue: Csfq<TestPacket> = config.build(&LINK);
        let mut plain = Plain {
            config, c: 1e7, flows: BTreeMap::new(), alpha: 0.0, a: (0.0, 0.0), f: (0.0, 0.0), congested: false,
            t_w: 0.0, tmp: 0.0, least: 0.0,
        };
        let (mut rng, mut sink, mut now) = (Rng::new(7), Collector::default(), Instant::ZERO);
        let mut labels = std::collections::VecDeque::new();
        for (id, (flow, size, wait, takes)) in steps.iter().enumerate() {
            now += Duration::from_nanos(*wait);
            let packet = TestPacket::new(id as u64, *flow, *size);
            let before = (queue.backlog().packets, sink.dropped.len());
            // The queue draws one number where it needs one: the same one is foreseen here.
            let coin = rng.clone().uniform();
            let mut salted = rng.clone();
            salted.next_u64();
            let coin = if id == 0 { salted.uniform() } else { coin };
            let filled = before.0 >= 30;
            let (drop, label) = plain.arrival(packet.flow, *size as f64 * 8.0, now.as_secs_f64(), coin, filled);
            queue.enqueue(packet, &mut Cx { now, rng: &mut rng, sink: &mut sink });
            let dropped = sink.dropped.get(before.1).map(|(_, reason, _)| *reason);
            match (drop, before.0 < 60) {
                (true, _) => prop_assert_eq!(dropped, Some(DropReason::Aqm)),
                (false, true) => prop_assert_eq!(dropped, None),
                (false, false) => {
                    prop_assert_eq!(dropped, Some(DropReason::Overlimit));
                    plain.alpha = (0.99 * plain.alpha).max(plain.least);
                }
            }
            if dropped.is_none() {
                labels.push_back(label);
            }
            for _ in 0..*takes / 2 {
                let out = queue.dequeue(&mut Cx { now, rng: &mut rng, sink: &mut sink });
                let Some((packet, _)) = out else { break };
                let (label, expected) = (rate_of(packet.label()).unwrap(), labels.pop_front().unwrap());
                prop_assert!((label / expected - 1.0).abs() < 1e-5, "{} {}", label, expected);
            }
        }
    }
}

#[test]
fn tc_words_are_read_and_checked() {
    let line = QdiscConfig::parse_tc("csfq limit 64kb core ecn").unwrap();
    assert_eq!(line.get("role"), Some(tailrace_core::params::Value::Text("core".into())));
    assert!(QdiscConfig::parse_tc("csfq cor").is_err());
}

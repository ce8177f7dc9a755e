//! FRED against its deterministic checks and a plain transcription.

use super::*;
use crate::testing::{Collector, TestPacket};
use std::collections::BTreeMap;
use tailrace_core::{Ecn, Rate};

const LINK: LinkView = LinkView::new(Rate::from_mbit(8), Duration::ZERO);

fn packets(n: u64) -> Option<Limit> {
    Some(Limit::Packets(n))
}

fn small() -> FredConfig {
    FredConfig {
        limit: Limit::Packets(100),
        min_th: packets(5),
        max_th: packets(10),
        ..FredConfig::default()
    }
}

/// A queue and what it is handed.
struct Bench {
    queue: Fred<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    now: Instant,
    id: u64,
}

impl Bench {
    fn new(config: &FredConfig) -> Self {
        assert_eq!(config.validate(), Ok(()));
        let queue = config.build(&LINK);
        Self { queue, rng: Rng::new(1), sink: Collector::default(), now: Instant::ZERO, id: 0 }
    }

    fn send(&mut self, flow: u32) -> bool {
        self.send_with(flow, Ecn::NotEct)
    }

    fn send_with(&mut self, flow: u32, ecn: Ecn) -> bool {
        let before = self.queue.backlog.packets;
        let packet = TestPacket::new(self.id, flow, 1000).with_ecn(ecn);
        self.id += 1;
        self.queue.enqueue(packet, &mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink });
        self.queue.backlog.packets > before
    }

    fn take(&mut self) -> Option<TestPacket> {
        self.queue
            .dequeue(&mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink })
            .map(|(p, _)| p)
    }

    fn strikes(&mut self, flow: u32) -> u32 {
        let entry = self.queue.flows.find(TestPacket::new(0, flow, 0).flow, &mut self.rng);
        entry.map_or(0, |e| self.queue.flows.counts(e).1)
    }
}

/// Below `min_th` = 5 a flow that is not served has five packets admitted, then gets a strike for each; from the second
/// on it is held to the average share, here one packet.
#[test]
fn a_flow_may_hold_min_th_and_strikes_bring_it_to_the_average_share() {
    let mut bench = Bench::new(&small());
    let admitted: Vec<bool> = (0..10).map(|_| bench.send(0)).collect();
    assert_eq!(admitted, [true, true, true, true, true, false, false, false, false, false]);
    assert_eq!(bench.strikes(0), 5);
    assert_eq!(bench.queue.share, 1.0);
    bench.take();
    bench.take();
    // Another flow with three packets would have a fourth admitted.
    assert!(!bench.send(0));
    assert!((0..5).all(|_| bench.send(1)));
    let flags: Vec<_> = bench.sink.flagged.iter().map(|(flow, flagged, _)| (flow.src, *flagged)).collect();
    assert_eq!(flags, [(0, true)]);
    // Its last packet takes the strikes along.
    for _ in 0..3 {
        bench.take();
    }
    assert_eq!((bench.strikes(0), bench.sink.flagged.len()), (0, 2));
    assert!((0..5).all(|_| bench.send(0)));
}

#[test]
fn above_max_th_nothing_is_admitted_or_two_packets_a_flow() {
    // With weight 1 the average is what the last packet admitted found: the eleventh found ten.
    for (many_flows, most) in [(false, 11), (true, 60)] {
        let config = FredConfig { weight: Probability::ONE, many_flows, max_p: Probability::ZERO, ..small() };
        let mut bench = Bench::new(&config);
        for flow in (0..30).cycle().take(150) {
            bench.send(flow);
        }
        assert_eq!(bench.queue.backlog.packets, most);
        assert!(bench.sink.dropped.iter().all(|(_, reason, _)| *reason == DropReason::Aqm));
    }
}

#[test]
fn the_average_is_sampled_at_arrivals_and_departures_and_decays_when_idle() {
    let mut bench = Bench::new(&FredConfig { weight: Probability::clamped(0.5), ..small() });
    for flow in 0..3 {
        bench.send(flow);
    }
    // 0; then half-way to 1 and to 2.
    assert_eq!(bench.queue.average, 1.25);
    bench.take();
    // Two are left.
    assert_eq!(bench.queue.average, 1.625);
    bench.take();
    bench.take();
    assert_eq!(bench.queue.average, 0.656_25);
    assert_eq!(bench.queue.share, bench.queue.average);
    // 1 ms a packet. An arrival while the transmitter is busy is no idle time.
    bench.now += Duration::from_millis(2);
    bench.send(0);
    assert_eq!(bench.queue.average, 0.656_25);
    bench.take();
    assert_eq!(bench.queue.average, 0.328_125);
    bench.take();
    bench.now += Duration::from_micros(1500);
    bench.take();
    bench.now += Duration::from_micros(1500);
    bench.send(0);
    assert_eq!(bench.queue.average, 0.328_125 / 8.0);
}

#[test]
fn the_random_signal_spares_flows_below_the_share_and_marks() {
    let config = FredConfig {
        min_th: packets(4),
        max_th: packets(100),
        max_p: Probability::ONE,
        weight: Probability::ONE,
        ecn: true,
        ..small()
    };
    let mut bench = Bench::new(&config);
    // Flow 0 holds three packets, the others one each.
    for flow in [0, 0, 0].into_iter().chain(1..40) {
        bench.send_with(flow, Ecn::Ect0);
    }
    assert!(bench.sink.dropped.is_empty() && bench.sink.marked.is_empty());
    // Held 3 is at least minq, 2, and the average share, 1; p is 37/96.
    let mut admitted = 0;
    while bench.sink.marked.is_empty() && bench.send_with(0, Ecn::Ect0) {
        admitted += 1;
        bench.take();
        bench.send_with(0, Ecn::Ect0);
        assert!(admitted < 200);
    }
    assert_eq!(bench.sink.marked[0].0.flow.src, 0);
}

#[test]
fn automatic_thresholds_follow_the_buffer_and_the_round_trip() {
    let at =
        |config: FredConfig, mbit| config.thresholds(&LinkView::new(Rate::from_mbit(mbit), Duration::ZERO));
    assert_eq!(at(FredConfig::default(), 8), (50.0, 100.0));
    // 8 ms at a packet a millisecond; one packet at least.
    assert_eq!(at(FredConfig { rtt: Duration::from_millis(8), ..FredConfig::default() }, 8), (8.0, 16.0));
    assert_eq!(at(FredConfig { rtt: Duration::ZERO, ..FredConfig::default() }, 8), (1.0, 2.0));
    assert_eq!(at(FredConfig { max_th: packets(30), ..FredConfig::default() }, 8), (15.0, 30.0));
    let bytes = FredConfig { limit: Limit::Bytes(Bytes(80_000)), ..FredConfig::default() };
    assert_eq!(at(bytes, 8), (20.0, 40.0));
}

#[test]
fn a_million_forged_sources_cost_no_more_than_the_packets_that_wait() {
    let mut bench = Bench::new(&FredConfig { many_flows: true, ..FredConfig::default() });
    for flow in 0..1_000_000 {
        bench.send(flow);
        bench.sink.dropped.clear();
        if flow % 3 == 0 {
            bench.take();
        }
    }
    assert!(bench.queue.flows.capacity() <= 256, "{}", bench.queue.flows.capacity());
    while bench.take().is_some() {}
    assert_eq!(bench.queue.flows.active(), 0);
}

/// The pseudo-code of Lin and Morris, with the flows in a map.
#[derive(Default)]
struct Plain {
    many_flows: bool,
    flows: BTreeMap<u32, (u32, u32)>,
    fifo: VecDeque<u32>,
    avg: f64,
    avgcq: f64,
    count: i64,
}

const W: f64 = 0.125;
const MIN: f64 = 5.0;
const MAX: f64 = 15.0;
const MAX_P: f64 = 0.25;

impl Plain {
    fn average(&mut self, departure: bool) {
        // Time stands still: no idle time passes.
        if departure || !self.fifo.is_empty() {
            self.avg += W * (self.fifo.len() as f64 - self.avg);
        }
        self.avgcq = match self.flows.len() {
            0 => self.avg,
            n => (self.avg / n as f64).max(1.0),
        };
    }

    fn arrive(&mut self, flow: u32, rng: &mut Rng) -> bool {
        if self.fifo.is_empty() {
            self.average(false);
        }
        let (held, strikes) = self.flows.get(&flow).copied().unwrap_or_default();
        let qlen = f64::from(held);
        let maxq = if self.many_flows && self.avg >= MAX { 2.0 } else { MIN };
        if qlen >= maxq || (self.avg >= MAX && qlen > 2.0 * self.avgcq) || (qlen >= self.avgcq && strikes > 1)
        {
            if let Some(entry) = self.flows.get_mut(&flow) {
                entry.1 += 1;
            }
            return false;
        }
        if self.avg >= MIN && self.avg < MAX {
            self.count += 1;
            if qlen >= self.avgcq.max(2.0) {
                let pb = MAX_P * (self.avg - MIN) / (MAX - MIN);
                let passed = self.count as f64 * pb;
                let pa = if passed < 1.0 { pb / (1.0 - passed) } else { 1.0 };
                if rng.uniform() < pa {
                    self.count = 0;
                    return false;
                }
            }
        } else if self.avg < MIN {
            self.count = -1;
        } else {
            self.count = 0;
            if !self.many_flows {
                return false;
            }
        }
        if self.fifo.len() >= 40 {
            return false;
        }
        self.flows.entry(flow).or_default();
        self.average(false);
        self.flows.get_mut(&flow).unwrap().0 += 1;
        self.fifo.push_back(flow);
        true
    }

    fn depart(&mut self) -> bool {
        let Some(flow) = self.fifo.pop_front() else { return false };
        let entry = self.flows.get_mut(&flow).unwrap();
        entry.0 -= 1;
        if entry.0 == 0 {
            self.flows.remove(&flow);
        }
        self.average(true);
        true
    }
}

#[test]
fn each_arrival_fares_as_in_the_papers_pseudo_code() {
    for many_flows in [false, true] {
        let config = FredConfig {
            limit: Limit::Packets(40),
            min_th: packets(MIN as u64),
            max_th: packets(MAX as u64),
            max_p: Probability::clamped(MAX_P),
            weight: Probability::clamped(W),
            many_flows,
            ..FredConfig::default()
        };
        let mut bench = Bench::new(&config);
        let mut plain = Plain { many_flows, count: -1, ..Plain::default() };
        let (mut twin, mut load) = (bench.rng.clone(), Rng::new(6));
        // The salt of the table.
        twin.next_u64();
        let mut refused = 0;
        for round in 0..40_000_u64 {
            // Few flows and many in turn.
            let flows = if round / 1000 % 2 == 0 { 4 } else { 40 };
            let flow = if load.bernoulli(0.3) { 0 } else { load.below(flows) as u32 };
            let admitted = plain.arrive(flow, &mut twin);
            assert_eq!(bench.send(flow), admitted, "{round}");
            refused += u32::from(!admitted);
            while load.bernoulli(0.42) {
                assert_eq!(bench.take().is_some(), plain.depart());
            }
            assert_eq!(bench.queue.average, plain.avg);
        }
        assert!((2_000..35_000).contains(&refused), "{refused}");
    }
}

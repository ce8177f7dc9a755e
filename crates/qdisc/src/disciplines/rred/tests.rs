//! RRED against its deterministic checks and a plain transcription of the author's code.

use super::*;
use crate::testing::{Collector, TestPacket};
use tailrace_core::{Bytes, Ecn, Limit, Probability, Rate, Rng};

const LINK: LinkView = LinkView::new(Rate::from_mbit(5), Duration::from_millis(6));

/// RRED whose RED drops at the hard limit only.
fn overflow_only(limit: u64) -> RredConfig {
    RredConfig {
        limit: Limit::Packets(limit),
        min_th: Some(Limit::Packets(1_000_000)),
        max_th: Some(Limit::Packets(3_000_000)),
        ..RredConfig::default()
    }
}

fn key(n: u32) -> FlowKey {
    TestPacket::new(0, n, 0).flow
}

/// A queue and what it is handed.
struct Bench {
    queue: Rred<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    now: Instant,
    id: u64,
}

impl Bench {
    fn new(config: &RredConfig) -> Self {
        assert_eq!(config.validate(), Ok(()));
        let mut queue = config.build(&LINK);
        let mut rng = Rng::new(1);
        queue.filter.salt = Some(rng.next_u64());
        let now = Instant::ZERO + Duration::from_secs(1);
        Self { queue, rng, sink: Collector::default(), now, id: 0 }
    }

    /// Sends a packet; whether the filter let it pass.
    fn passes(&mut self, flow: u32) -> bool {
        self.passes_with(flow, Ecn::NotEct)
    }

    fn passes_with(&mut self, flow: u32, ecn: Ecn) -> bool {
        let before = self.queue.filtered;
        let packet = TestPacket::new(self.id, flow, 1000).with_ecn(ecn);
        self.id += 1;
        self.queue.enqueue(packet, &mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink });
        self.queue.filtered == before
    }

    fn take(&mut self) {
        self.queue.dequeue(&mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink });
    }

    fn wait_us(&mut self, us: u64) {
        self.now += Duration::from_micros(us);
    }
}

/// In a fresh bin the first arrival within 10 ms of a drop takes the score to -1, and each filtered packet is a drop
/// again: nothing passes until there is a gap of 10 ms, after which one packet is forgiven at once.
#[test]
fn a_flow_that_goes_on_after_a_drop_is_shut_out_until_it_pauses() {
    let mut bench = Bench::new(&overflow_only(100));
    bench.queue.filter.red_dropped(key(99), bench.now);
    for _ in 0..12 {
        bench.wait_us(1000);
        assert!(!bench.passes(0));
    }
    bench.wait_us(9_999);
    assert!(!bench.passes(0));
    bench.wait_us(10_000);
    assert!(bench.passes(0));
    let flags: Vec<_> = bench.sink.flagged.iter().map(|(flow, flagged, _)| (*flow, *flagged)).collect();
    assert_eq!(flags, [(key(0), true), (key(0), false)]);
    assert!(bench.sink.dropped.iter().all(|(_, reason, _)| *reason == DropReason::Aqm));
}

/// With a score of 10 and a drop at time zero: each 0.5 ms, ten pass, and the eleventh, at 5.5 ms, does not; each 1 ms,
/// only nine fall within 10 ms, and all pass.
#[test]
fn a_credit_of_ten_pays_for_ten_suspicious_arrivals() {
    for (spacing_us, passed) in [(500, 10), (1000, 20)] {
        let mut bench = Bench::new(&overflow_only(100));
        for _ in 0..15 {
            assert!(bench.passes(0));
            bench.wait_us(20_000);
        }
        assert!(bench.queue.filter.places(key(0)).all(|place| bench.queue.filter.bins[place].score == 10));
        bench.queue.filter.red_dropped(key(99), bench.now);
        let count = (0..20).take_while(|_| {
            bench.wait_us(spacing_us);
            bench.passes(0)
        });
        assert_eq!(count.count(), passed);
    }
}

#[test]
fn one_clean_bin_is_enough() {
    let mut bench = Bench::new(&overflow_only(100));
    let places = |bench: &Bench, flow| bench.queue.filter.places(key(flow)).collect::<Vec<_>>();
    bench.queue.filter.touch(key(0), bench.now);
    bench.wait_us(5000);
    assert!(!bench.passes(0));
    let home = places(&bench, 0);
    // Another flow shares one bin with it.
    let half = (1..1000).find(|f| {
        let place = places(&bench, *f);
        place[0] == home[0] && place[1] != home[1]
    });
    assert!(bench.passes(half.unwrap()));
}

#[test]
fn the_flow_that_lost_the_packet_is_the_one_remembered() {
    let mut bench = Bench::new(&RredConfig { drop: DropEnd::Head, ..overflow_only(1) });
    bench.passes(7);
    bench.passes(8);
    assert_eq!(bench.sink.dropped[0].0.flow, key(7));
    assert_eq!(bench.sink.dropped[0].1, DropReason::Overlimit);
    let filter = &bench.queue.filter;
    assert_eq!(filter.last_drop, Some(bench.now));
    assert!(filter.places(key(7)).all(|place| filter.bins[place].last_drop == Some(bench.now)));
    assert!(filter.places(key(8)).any(|place| filter.bins[place].last_drop.is_none()));
}

#[test]
fn marks_count_as_drops_only_where_asked() {
    for marks_count in [false, true] {
        let config = RredConfig {
            min_th: Some(Limit::Packets(2)),
            max_th: Some(Limit::Packets(50)),
            max_p: Probability::ONE,
            weight: Some(Probability::ONE),
            ecn: true,
            marks_count,
            ..overflow_only(100)
        };
        let mut bench = Bench::new(&config);
        for flow in 0..40 {
            bench.passes_with(flow, Ecn::Ect0);
        }
        assert!(!bench.sink.marked.is_empty());
        assert_eq!(bench.queue.filter.last_drop.is_some(), marks_count);
        assert_eq!(bench.queue.filtered > 0, marks_count);
    }
}

#[test]
fn a_million_forged_sources_cost_no_memory() {
    let mut bench = Bench::new(&overflow_only(50));
    for flow in 0..1_000_000 {
        bench.passes(flow);
        bench.wait_us(1);
        bench.sink.dropped.clear();
        bench.sink.flagged.clear();
    }
    assert_eq!(bench.queue.filter.bins.len(), 46);
    assert_eq!(bench.queue.backlog(), Backlog { packets: 50, bytes: Bytes(50_000) });
}

/// The author's `dropAnomaly` and `updateBinsDroptime`, with its hash; time in nanoseconds, far enough from zero.
struct Plain {
    bins: [[(i64, i64); 23]; 2],
    last_drop: i64,
}

impl Plain {
    fn bin(&mut self, flow: FlowKey, level: u32) -> &mut (i64, i64) {
        let hash = (flow.src << level).wrapping_add(flow.dst);
        &mut self.bins[level as usize][(hash % 23) as usize]
    }

    fn is_anomaly(&mut self, flow: FlowKey, now: i64) -> bool {
        let mut anomaly = true;
        for level in 0..2 {
            let last_drop = self.last_drop;
            let (score, dropped) = self.bin(flow, level);
            if now - last_drop.max(*dropped) < 10_000_000 {
                if *score > -1 {
                    *score -= 1;
                }
            } else if *score < 10 {
                *score += 1;
            }
            if *score >= 0 {
                anomaly = false;
            }
        }
        anomaly
    }

    fn update_drop_time(&mut self, flow: FlowKey, now: i64) {
        (0..2).for_each(|level| self.bin(flow, level).1 = now);
    }
}

#[test]
fn each_arrival_fares_as_in_the_authors_code() {
    let mut bench = Bench::new(&RredConfig { hash: BinHash::Leodos, ..overflow_only(5) });
    let mut plain = Plain { bins: [[(0, 0); 23]; 2], last_drop: 0 };
    let mut load = Rng::new(6);
    let (mut waiting, mut filtered) = (0, 0);
    for _ in 0..40_000 {
        bench.now += load.exponential_duration(Duration::from_millis(3));
        let flow = if load.bernoulli(0.3) { 0 } else { load.below(60) as u32 };
        let now = bench.now.saturating_since(Instant::ZERO).as_nanos() as i64;
        let anomaly = plain.is_anomaly(key(flow), now);
        if anomaly {
            plain.update_drop_time(key(flow), now);
        } else if waiting == 5 {
            plain.update_drop_time(key(flow), now);
            plain.last_drop = now;
        } else {
            waiting += 1;
        }
        filtered += u32::from(anomaly);
        assert_eq!(bench.passes(flow), !anomaly);
        assert_eq!(bench.queue.backlog().packets, waiting);
        if load.bernoulli(0.7) {
            bench.take();
            waiting = waiting.saturating_sub(1);
        }
    }
    assert!((1_000..35_000).contains(&filtered), "{filtered}");
}

//! CPR against its synthetic checks and a plain transcription of the authors' script.

use super::*;
use crate::testing::{Collector, TestPacket};
use std::collections::BTreeMap;
use tailrace_core::{Bytes, Ecn, Limit, Rate, Rng};

const LINK: LinkView = LinkView::new(Rate::from_mbit(5), Duration::from_millis(6));

fn key(n: u32) -> FlowKey {
    TestPacket::new(0, n, 0).flow
}

/// CPR whose RED drops at the hard limit only.
fn overflow_only(limit: u64) -> CprConfig {
    CprConfig {
        limit: Limit::Packets(limit),
        min_th: Some(Limit::Packets(1_000_000)),
        max_th: Some(Limit::Packets(3_000_000)),
        ..CprConfig::default()
    }
}

/// A queue and what it is handed.
struct Bench {
    queue: Cpr<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    now: Instant,
    id: u64,
}

impl Bench {
    fn new(config: &CprConfig) -> Self {
        assert_eq!(config.validate(), Ok(()));
        let queue = config.build(&LINK);
        Self { queue, rng: Rng::new(1), sink: Collector::default(), now: Instant::ZERO, id: 0 }
    }

    /// Sends a packet; whether the filter let it pass.
    fn passes(&mut self, flow: u32) -> bool {
        self.passes_with(flow, Ecn::NotEct)
    }

    fn passes_with(&mut self, flow: u32, ecn: Ecn) -> bool {
        let before = self.queue.filtered;
        let packet = TestPacket::new(self.id, flow, 1000).with_ecn(ecn);
        self.id += 1;
        self.with(|queue, cx| queue.enqueue(packet, cx));
        self.queue.filtered == before
    }

    fn take(&mut self) -> bool {
        self.with(|queue, cx| queue.dequeue(cx)).is_some()
    }

    /// Lets time pass, with all that falls due.
    fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(due) = self.queue.poll_timeout().filter(|due| *due <= end) {
            self.now = due;
            self.with(|queue, cx| queue.handle_timeout(cx));
        }
        self.now = end;
    }

    fn with<R>(&mut self, f: impl FnOnce(&mut Cpr<TestPacket>, &mut Cx<'_, TestPacket>) -> R) -> R {
        f(&mut self.queue, &mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink })
    }

    fn flags(&self) -> Vec<(u32, bool)> {
        self.sink.flagged.iter().map(|(flow, flagged, _)| (flow.src, *flagged)).collect()
    }
}

/// A packet in each of 100 intervals, the first of which are congested.
#[test]
fn thirty_of_a_hundred_packets_in_congested_intervals_make_an_attacker() {
    for (congested, attack) in [(29, false), (30, true)] {
        let mut bench = Bench::new(&CprConfig { min_packets: 100, ..overflow_only(1000) });
        for n in 0..100 {
            assert!(bench.passes(7));
            if n < congested {
                bench.queue.detector.congested();
            }
            bench.wait(Duration::from_millis(1));
        }
        assert_eq!(bench.passes(7), !attack);
        assert_eq!(bench.queue.detector.tally(key(7)), Some((100, congested)));
    }
}

/// With a share `c` of all intervals congested, a flow that does not care has a rate of `c`.
#[test]
fn a_flow_that_is_even_in_time_participates_in_congestion_as_often_as_there_is_any() {
    let mut bench = Bench::new(&CprConfig { min_packets: 1_000_000, ..overflow_only(1) });
    for _ in 0..9_900 {
        let packets = bench.rng.below(4);
        for _ in 0..packets {
            bench.passes(7);
            bench.take();
        }
        // RED drops no packet where none arrives.
        if bench.rng.bernoulli(0.2) && packets > 0 {
            bench.queue.detector.congested();
        }
        bench.wait(Duration::from_millis(1));
    }
    let (all, congested) = bench.queue.detector.tally(key(7)).unwrap();
    assert!(all > 14_000);
    // Standard deviation 0.004 over intervals.
    assert!((congested as f64 / all as f64 - 0.2).abs() < 0.02, "{congested} of {all}");
}

/// Flow 0: a burst of 60 packets within a millisecond each 200 ms, onto a queue of 50 that empties in between.
/// Flows 1 to 5: 100 packets a second each, at random.
fn bursts(bench: &mut Bench, seconds: u64) {
    for n in 0..seconds * 1000 {
        if n % 200 == 0 {
            (0..60).for_each(|_| {
                bench.passes(0);
                bench.wait(Duration::from_micros(10));
            });
            bench.wait(Duration::from_micros(400));
        } else {
            bench.wait(Duration::from_millis(1));
        }
        bench.take();
        for flow in 1..=5 {
            if bench.rng.bernoulli(0.1) {
                bench.passes(flow);
            }
        }
    }
}

#[test]
fn bursts_that_cause_all_drops_give_their_sender_away() {
    let mut bench = Bench::new(&CprConfig { tau: Probability::ONE, ..overflow_only(50) });
    bursts(&mut bench, 5);
    // Nobody is flagged yet but the sender of the bursts, whose rate is one.
    assert_eq!(bench.flags(), [(0, true)]);
    assert!(bench.queue.filtered > 1000);
    let mut bench = Bench::new(&overflow_only(50));
    bursts(&mut bench, 30);
    assert!(bench.flags().iter().all(|(flow, _)| *flow == 0), "{:?}", bench.flags());
}

#[test]
fn drops_by_the_filter_taint_nobody() {
    let mut bench = Bench::new(&overflow_only(50));
    bursts(&mut bench, 2);
    assert_eq!(bench.flags(), [(0, true)]);
    let (_, before) = bench.queue.detector.tally(key(1)).unwrap();
    let filtered = bench.queue.filtered;
    bursts(&mut bench, 1);
    assert_eq!(bench.queue.filtered - filtered, 300);
    assert_eq!(bench.queue.detector.tally(key(1)).unwrap().1, before);
}

#[test]
fn an_attacker_that_stops_is_cleared_and_forgotten_after_a_window() {
    let mut bench = Bench::new(&overflow_only(50));
    bursts(&mut bench, 1);
    assert_eq!(bench.flags(), [(0, true)]);
    bench.wait(Duration::from_millis(8_900));
    assert_eq!(bench.flags(), [(0, true)]);
    bench.wait(Duration::from_millis(1_200));
    assert_eq!(bench.flags(), [(0, true), (0, false)]);
    assert_eq!(bench.queue.detector.counts(), (0, 0));
    assert!(bench.passes(0));
}

#[test]
fn marks_congest_only_where_asked() {
    for marks_count in [false, true] {
        let config = CprConfig {
            min_th: Some(Limit::Packets(2)),
            max_th: Some(Limit::Packets(50)),
            max_p: Probability::ONE,
            weight: Some(Probability::ONE),
            ecn: true,
            marks_count,
            ..overflow_only(100)
        };
        let mut bench = Bench::new(&config);
        (0..40).for_each(|_| _ = bench.passes_with(3, Ecn::Ect0));
        assert!(!bench.sink.marked.is_empty() && bench.sink.dropped.is_empty());
        bench.wait(Duration::from_millis(1));
        assert_eq!(bench.passes(3), !marks_count);
    }
}

#[test]
fn sampling_counts_the_start_of_each_interval() {
    let mut bench = Bench::new(&CprConfig {
        dt: Duration::from_millis(10),
        sample: Some(Duration::from_millis(3)),
        ..overflow_only(1000)
    });
    for _ in 0..100 {
        bench.passes(7);
        bench.wait(Duration::from_millis(1));
    }
    // At 0, 1, 2 and 3 ms of each interval; the script's end is inclusive.
    bench.passes(7);
    assert_eq!(bench.queue.detector.tally(key(7)), Some((40, 0)));
}

/// leodos_cpr.awk over a recording: interval, flow and whether it was dropped, of each packet.
fn plain(recording: &[(u64, u32, bool)]) -> BTreeMap<u32, (u64, u64)> {
    let mut drops: BTreeMap<u64, u64> = BTreeMap::new();
    recording.iter().for_each(|(t, _, dropped)| *drops.entry(*t).or_default() += u64::from(*dropped));
    let mut flows: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (t, flow, _) in recording {
        let counts = flows.entry(*flow).or_default();
        counts.0 += 1;
        counts.1 += u64::from(drops[t] > 0);
    }
    flows
}

#[test]
fn the_counts_are_those_of_the_authors_script() {
    let config = CprConfig { min_packets: u64::MAX, window: Duration::from_secs(100), ..overflow_only(5) };
    let (mut bench, mut load) = (Bench::new(&config), Rng::new(6));
    let mut recording = Vec::new();
    while bench.now < Instant::from_secs(50) {
        bench.wait(load.exponential_duration(Duration::from_micros(1300)));
        let flow = load.below(60) as u32;
        let before = bench.sink.dropped.len();
        bench.passes(flow);
        let interval = bench.now.as_nanos() / 1_000_000;
        recording.push((interval, flow, bench.sink.dropped.len() > before));
        if load.bernoulli(0.8) {
            bench.take();
        }
    }
    // A last packet ends the last interval.
    bench.wait(Duration::from_millis(1));
    bench.passes(1000);
    let expected = plain(&recording);
    assert!(expected.values().all(|(all, congested)| *congested > 50 && congested < all));
    for (flow, counts) in expected {
        assert_eq!(bench.queue.detector.tally(key(flow)), Some(counts));
    }
}

#[test]
fn a_million_forged_sources_cost_no_memory_beyond_the_bound() {
    let mut bench = Bench::new(&CprConfig { flows: 1000, ..overflow_only(50) });
    for flow in 0..1_000_000 {
        bench.passes(flow);
        bench.wait(Duration::from_micros(2));
        assert!(bench.queue.detector.counts().0 <= 1000);
        bench.sink.dropped.clear();
    }
    assert!(bench.sink.flagged.is_empty());
    // After a silent window there is room again.
    bench.wait(Duration::from_secs(11));
    assert_eq!(bench.queue.detector.counts(), (0, 0));
    assert_eq!(bench.queue.backlog(), Backlog { packets: 50, bytes: Bytes(50_000) });
}

#[test]
fn impossible_combinations_are_named() {
    let base = CprConfig::default;
    let bad = [
        ("dt", CprConfig { dt: Duration::ZERO, ..base() }),
        ("window", CprConfig { window: Duration::from_millis(9), ..base() }),
        ("window", CprConfig { dt: Duration::from_secs(11), ..base() }),
        ("flows", CprConfig { flows: 0, ..base() }),
        ("limit", CprConfig { limit: Limit::Packets(0), ..base() }),
    ];
    for (param, config) in bad {
        assert_eq!(config.validate().unwrap_err().0, param);
    }
}

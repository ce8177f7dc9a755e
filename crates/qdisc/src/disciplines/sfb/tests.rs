//! SFB against the numbers of its sources and a plain transcription of Linux.

use super::*;
use crate::discipline::LinkView;
use crate::registry::Discipline;
use crate::tc::TcWords;
use crate::testing::{Collector, TestPacket};
use tailrace_core::{Ecn, Probability, Rate};

const LINK: LinkView = LinkView::new(Rate::from_mbit(45), Duration::ZERO);

fn lanl() -> SfbConfig {
    SfbConfig { form: Form::Lanl, ..SfbConfig::default() }
}

fn build(config: &SfbConfig) -> Sfb<TestPacket> {
    assert_eq!(config.validate(), Ok(()));
    config.build(&LINK)
}

fn key(n: u32) -> FlowKey {
    TestPacket::new(0, n, 0).flow
}

/// A queue and what it is handed.
struct Bench {
    queue: Sfb<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    now: Instant,
    id: u64,
}

impl Bench {
    fn new(config: &SfbConfig) -> Self {
        let mut queue = build(config);
        let mut rng = Rng::new(1);
        queue.keep_hash_moving(Instant::ZERO, &mut rng);
        Self { queue, rng, sink: Collector::default(), now: Instant::ZERO, id: 0 }
    }

    /// An ECN-capable packet of `flow`; whether it was admitted.
    fn send(&mut self, flow: u32) -> bool {
        let before = self.queue.backlog.packets;
        let packet = TestPacket::new(self.id, flow, 1000).with_ecn(Ecn::Ect0);
        self.id += 1;
        self.queue.enqueue(packet, &mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink });
        self.queue.backlog.packets > before
    }

    fn take(&mut self) -> Option<TestPacket> {
        self.queue
            .dequeue(&mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink })
            .map(|(p, _)| p)
    }

    fn wait(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    fn least_p(&mut self, flow: u32) -> u32 {
        self.queue.banks[self.queue.active].least_p(key(flow), &self.queue.rules)
    }

    /// Makes the bins of `flow` have this probability.
    fn set(&mut self, flow: u32, p: u32) {
        let bank = &mut self.queue.banks[self.queue.active];
        bank.set(key(flow), &self.queue.rules, p);
    }
}

/// Feng et al. 2001: with `M` unresponsive flows a good one is taken for one with probability
/// `(1 - (1 - 1/N)^M)^L`.
#[test]
fn good_flows_are_misclassified_as_often_as_the_papers_formula_says() {
    for (levels, bins, bad, expected) in [
        (2, 23, 1, 0.0019),
        (2, 23, 10, 0.1288),
        (2, 23, 23, 0.4099),
        (2, 23, 25, 0.4501),
        (8, 16, 25, 0.1691),
    ] {
        let config = SfbConfig { levels: Some(levels), bins: Some(bins), ..SfbConfig::default() };
        let rules = build(&config).rules;
        let mut rng = Rng::new(11);
        let (mut caught, trials) = (0, 4000);
        for _ in 0..trials {
            let mut bank = Bank::new(&rules, 0);
            bank.reseed(rng.next_u64());
            for flow in 0..bad {
                bank.set(key(flow), &rules, PARTS);
            }
            caught += (1000..1005).filter(|f| bank.least_p(key(*f), &rules) == PARTS).count();
        }
        let share = caught as f64 / f64::from(5 * trials);
        assert!(
            (share - expected).abs() < 0.012,
            "{levels} x {bins}, {bad} bad: {share}, formula {expected}"
        );
    }
}

/// LANL port: 1000 bytes each 50 ms are 160 kbit/s, whatever the flood sends; Feng et al. and Bedi et al. report that.
#[test]
fn a_flood_gets_exactly_the_rate_of_the_penalty_box() {
    let mut bench = Bench::new(&SfbConfig { freeze: Some(Duration::ZERO), ..lanl() });
    let mut delivered = 0;
    // 45 Mbit/s offered to 40 Mbit/s for 20 s; the last ten count.
    for n in 0..112_500_u64 {
        bench.send(0);
        bench.now = Instant::ZERO + Duration::from_nanos(n * 8_000_000 / 45);
        let out = if n % 9 == 0 { None } else { bench.take() };
        delivered += u32::from(out.is_some() && n >= 56_250);
    }
    assert!((199..=201).contains(&delivered), "{delivered}");
    let flags: Vec<_> = bench.sink.flagged.iter().map(|(flow, flagged, _)| (*flow, *flagged)).collect();
    assert_eq!(flags, [(key(0), true)]);
}

/// Linux: 20 packets at once; when these are used up, after 1 s, 10 for that second, then 5, 2 and 1 for the times that
/// those lasted, then none while the flood goes on faster than 10 packets a second. A pause gives one for each 100 ms,
/// at most 20 again.
#[test]
fn the_bucket_of_linux_fills_only_in_silence() {
    let config = SfbConfig { decrement: Some(Probability::ZERO), ..SfbConfig::default() };
    let mut bench = Bench::new(&config);
    bench.queue.banks[0].set_all(PARTS);
    let flood = |bench: &mut Bench, packets: u32, every_ms: u64| {
        let mut admitted = 0;
        for _ in 0..packets {
            admitted += u32::from(bench.send(0));
            bench.take();
            bench.wait(every_ms);
        }
        admitted
    };
    assert_eq!(flood(&mut bench, 1000, 50), 38);
    bench.wait(300);
    // 350 ms since the last look: 3, and 1 for the 150 ms that they lasted.
    assert_eq!(flood(&mut bench, 100, 50), 4);
    bench.wait(60_000);
    assert_eq!(flood(&mut bench, 100, 50), 38);
    assert_eq!(bench.queue.penalised, 1200 - 80);
    // At its rate it gets everything.
    bench.wait(100);
    assert_eq!(flood(&mut bench, 50, 100), 50);
}

#[test]
fn full_bins_drop_where_any_or_where_all_are_full() {
    let two = |overflow| SfbConfig {
        levels: Some(2),
        bins: Some(2),
        max: Some(5),
        target: Some(100),
        overflow: Some(overflow),
        ..SfbConfig::default()
    };
    let bins = |bench: &Bench, flow| bench.queue.banks[0].bins_of(key(flow), &bench.queue.rules);
    for (overflow, drops) in [(Overflow::Any, true), (Overflow::All, false)] {
        let mut bench = Bench::new(&two(overflow));
        // Five packets of flow 0 fill its bins; another flow shares one of the two.
        assert!((0..5).all(|_| bench.send(0)));
        assert!(!bench.send(0));
        let home = bins(&bench, 0);
        let half = (1..100).find(|f| (bins(&bench, *f)[0] == home[0]) != (bins(&bench, *f)[1] == home[1]));
        assert_eq!(!bench.send(half.unwrap()), drops);
        assert_eq!(bench.sink.dropped.last().unwrap().1, DropReason::Aqm);
    }
}

/// Linux: with least probability 3/4 half of the packets are dropped, ECN-capable or not, and a quarter marked.
#[test]
fn above_one_half_linux_drops_what_the_others_mark() {
    for (early, dropped, marked) in
        [(Early::Linux, 0.5, 0.25), (Early::Signal, 0.0, 0.75), (Early::MarkOnly, 0.0, 0.75)]
    {
        let config = SfbConfig {
            early: Some(early),
            increment: Some(Probability::ZERO),
            decrement: Some(Probability::ZERO),
            ..SfbConfig::default()
        };
        let mut bench = Bench::new(&config);
        bench.queue.banks[0].set_all(PARTS / 4 * 3);
        let n = 20_000;
        for flow in 0..n {
            bench.send(flow);
            bench.take();
        }
        let share = |count: usize| count as f64 / f64::from(n);
        assert!((share(bench.sink.dropped.len()) - dropped).abs() < 0.015, "{early:?}");
        assert!((share(bench.sink.marked.len()) - marked).abs() < 0.015, "{early:?}");
    }
}

#[test]
fn packets_that_cannot_be_marked_are_dropped_but_by_mark_only() {
    for (early, ecn, dies) in
        [(Early::Signal, true, true), (Early::MarkOnly, true, false), (Early::MarkOnly, false, false)]
    {
        let config = SfbConfig { early: Some(early), ecn, penalise: Some(Probability::ONE), ..lanl() };
        let mut bench = Bench::new(&config);
        bench.queue.banks[0].set_all(PARTS - 1);
        let mut cx = Cx { now: bench.now, rng: &mut bench.rng, sink: &mut bench.sink };
        bench.queue.enqueue(TestPacket::new(0, 1, 1000), &mut cx);
        assert_eq!(bench.queue.backlog.packets == 0, dies, "{early:?}");
        assert!(bench.sink.marked.is_empty());
    }
}

/// The defaults of LANL: 200 packets over 23 bins are 8, and one and a half times that 12; 0.005 up, at most one in
/// 100 ms, and 0.001 down when the bin runs empty.
#[test]
fn bins_rise_when_long_and_fall_when_they_run_empty() {
    let config = lanl();
    let mut bench = Bench::new(&config);
    assert_eq!((bench.queue.rules.target, bench.queue.rules.max), (8, 12));
    assert_eq!((0..20).filter(|_| bench.send(0)).count(), 12);
    assert_eq!(bench.least_p(0), 5_000_000);
    bench.wait(99);
    bench.send(0);
    assert_eq!(bench.least_p(0), 5_000_000);
    bench.wait(1);
    bench.send(0);
    assert_eq!(bench.least_p(0), 10_000_000);
    bench.wait(100);
    while bench.take().is_some() {}
    assert_eq!(bench.least_p(0), 9_000_000);
    // Linux: 1/1000 up with each packet from the 21st on, to the 25th; 1/6000 down at each arrival that finds none.
    let mut bench = Bench::new(&SfbConfig::default());
    assert_eq!((0..30).filter(|_| bench.send(0)).count(), 25);
    assert_eq!(bench.least_p(0), 10_000_000);
    while bench.take().is_some() {}
    bench.send(0);
    assert_eq!(bench.least_p(0), 10_000_000 - 166_667);
}

#[test]
fn a_moving_hash_takes_floods_along_and_leaves_no_packet_behind() {
    for warmup in [60, 0] {
        let warmup_for = Duration::from_secs(warmup);
        let decrement = Some(Probability::ZERO);
        let config = SfbConfig { warmup: warmup_for, decrement, ..SfbConfig::default() };
        let mut bench = Bench::new(&config);
        bench.set(0, PARTS);
        // Flow 0 holds a standing queue in its bins when the change comes near.
        bench.wait(545_000);
        bench.queue.penalty = Penalty::Spaced { interval: Duration::ZERO, next: Instant::ZERO };
        for _ in 0..24 {
            bench.send(0);
        }
        for _ in 0..1100 {
            bench.send(0);
            if bench.queue.backlog.packets > 24 {
                bench.take();
            }
            bench.wait(40);
        }
        let before = bench.queue.active;
        bench.wait(20_000);
        bench.send(0);
        assert_ne!(bench.queue.active, before);
        assert_eq!(bench.least_p(0) == PARTS, warmup > 0);
        // Flagged once; cleared where the new hash knows nothing of it.
        let flags: Vec<_> = bench.sink.flagged.iter().map(|(_, flagged, _)| *flagged).collect();
        assert_eq!(flags, if warmup > 0 { vec![true] } else { vec![true, false] });
        while bench.take().is_some() {}
        assert_eq!(bench.queue.banks.each_ref().map(Bank::packets), [0, 0]);
    }
    // LANL: what was counted before the change is not taken out of bins that started anew.
    let mut bench = Bench::new(&lanl());
    for _ in 0..40 {
        for flow in 0..5 {
            bench.send(flow);
        }
        bench.take();
        bench.wait(2_500);
    }
    while bench.take().is_some() {}
    assert_eq!(bench.queue.banks.each_ref().map(Bank::packets), [0, 0]);
}

#[test]
fn a_million_forged_sources_cost_no_memory() {
    for config in [SfbConfig::default(), lanl()] {
        let mut bench = Bench::new(&config);
        for flow in 0..1_000_000 {
            bench.send(flow);
            bench.sink.dropped.clear();
            bench.sink.marked.clear();
            bench.sink.flagged.clear();
        }
        assert!(bench.queue.fifo.len() <= 1000 && bench.queue.fifo.capacity() <= 1024);
    }
}

/// The bin of a flow at each level, in each bank.
type Places = [[u32; 8]; 2];

/// Linux's `sfb_enqueue` and `sfb_dequeue`, step by step, on bins of its own; only the placing of flows is shared.
struct Plain {
    /// Packets and probability.
    bins: [[[(u32, u32); 16]; 8]; 2],
    fifo: VecDeque<[Option<[u32; 8]>; 2]>,
    slot: usize,
    rehashed: Instant,
    tokens: u64,
    token_time: Instant,
    penalised: u32,
    early: u32,
}

const UP: u32 = 50_000_000;
const DOWN: u32 = 2_000_000;

impl Plain {
    fn new() -> Self {
        Self {
            bins: [[[(0, 0); 16]; 8]; 2],
            fifo: VecDeque::new(),
            slot: 0,
            rehashed: Instant::ZERO,
            tokens: 20,
            token_time: Instant::ZERO,
            penalised: 0,
            early: 0,
        }
    }

    /// Whether the packet is marked, where it is admitted.
    fn arrive(&mut self, now: Instant, rng: &mut Rng, places: impl FnOnce() -> Places) -> Option<bool> {
        if self.fifo.len() >= 60 {
            return None;
        }
        if now > self.rehashed + Duration::from_secs(6) {
            rng.next_u64();
            (self.slot, self.rehashed) = (1 - self.slot, now);
        }
        let doubled = now > self.rehashed + Duration::from_secs(4);
        let (slot, places) = (self.slot, places());
        let mut counted = [None; 2];
        counted[slot] = Some(places[slot]);
        let (p_min, q_min) = self.learn(slot, places[slot]);
        if q_min >= 25 {
            return None;
        }
        if p_min >= PARTS {
            if doubled {
                counted[1 - slot] = Some(places[1 - slot]);
                self.learn(1 - slot, places[1 - slot]);
            }
            if self.limits_rate(now) {
                self.penalised += 1;
                return None;
            }
            self.count(counted, 1);
            self.fifo.push_back(counted);
            return Some(false);
        }
        let r = rng.below(u64::from(PARTS)) as u32;
        let hit = r < p_min;
        self.early += u32::from(hit);
        if hit && p_min > PARTS / 2 && r < (p_min - PARTS / 2) * 2 {
            return None;
        }
        self.count(counted, 1);
        self.fifo.push_back(counted);
        Some(hit)
    }

    fn depart(&mut self) -> bool {
        let Some(counted) = self.fifo.pop_front() else { return false };
        self.count(counted, -1);
        true
    }

    fn learn(&mut self, slot: usize, places: [u32; 8]) -> (u32, u32) {
        let (mut p_min, mut q_min) = (u32::MAX, u32::MAX);
        for (level, place) in self.bins[slot].iter_mut().zip(places) {
            let (qlen, p) = &mut level[place as usize];
            if *qlen == 0 {
                *p = p.saturating_sub(DOWN);
            } else if *qlen >= 20 {
                *p = (*p + UP).min(PARTS);
            }
            (p_min, q_min) = (p_min.min(*p), q_min.min(*qlen));
        }
        (p_min, q_min)
    }

    fn limits_rate(&mut self, now: Instant) -> bool {
        if self.tokens < 1 {
            let age = now.saturating_since(self.token_time).as_nanos().min(10_000_000_000);
            (self.tokens, self.token_time) = ((age * 10 / 1_000_000_000).min(20), now);
        }
        let limited = self.tokens < 1;
        self.tokens -= u64::from(!limited);
        limited
    }

    fn count(&mut self, counted: [Option<[u32; 8]>; 2], step: i32) {
        for (bank, places) in self.bins.iter_mut().zip(counted) {
            for (level, place) in bank.iter_mut().zip(places.into_iter().flatten()) {
                level[place as usize].0 = level[place as usize].0.checked_add_signed(step).unwrap();
            }
        }
    }
}

#[test]
fn each_arrival_fares_as_in_linux() {
    let config = SfbConfig {
        rehash: Some(Duration::from_secs(6)),
        warmup: Duration::from_secs(2),
        increment: Some(Probability::clamped(0.05)),
        decrement: Some(Probability::clamped(0.002)),
        limit: Some(Limit::Packets(60)),
        ..SfbConfig::default()
    };
    let mut bench = Bench::new(&config);
    let (mut twin, mut load, mut plain) = (bench.rng.clone(), Rng::new(6), Plain::new());
    let mut admitted = 0;
    for _ in 0..40_000 {
        bench.now += load.exponential_duration(Duration::from_millis(1));
        let flow = if load.bernoulli(0.5) { 0 } else { load.below(30) as u32 };
        let fate = plain.arrive(bench.now, &mut twin, || {
            bench.queue.keep_hash_moving(bench.now, &mut bench.rng);
            bench
                .queue
                .banks
                .each_ref()
                .map(|bank| bank.bins_of(key(flow), &bench.queue.rules).try_into().expect("eight levels"))
        });
        let marks = bench.sink.marked.len();
        assert_eq!(bench.send(flow), fate.is_some());
        assert_eq!(bench.sink.marked.len() > marks, fate == Some(true));
        admitted += u32::from(fate.is_some());
        while load.bernoulli(0.45) {
            assert_eq!(bench.take().is_some(), plain.depart());
        }
    }
    assert_eq!(bench.queue.penalised, u64::from(plain.penalised));
    assert!(admitted > 5_000 && plain.penalised > 100 && plain.early > 100, "{admitted} {}", plain.penalised);
}

#[test]
fn a_tc_line_reads_as_tc_reads_it() {
    let parse = |text: &str| SfbConfig::from_tc("sfb", &mut TcWords::new(text));
    let line = "rehash 300000 db 30000 limit 500 max 30 target 22 increment 0.002 decrement 0.0004 penalty_rate 5 penalty_burst 9";
    let expected = SfbConfig {
        rehash: Some(Duration::from_secs(300)),
        warmup: Duration::from_secs(30),
        limit: Some(Limit::Packets(500)),
        max: Some(30),
        target: Some(22),
        increment: Some(Probability::clamped(0.002)),
        decrement: Some(Probability::clamped(0.0004)),
        penalty_rate: 5,
        penalty_burst: 9,
        ..SfbConfig::default()
    };
    assert_eq!(parse(line).unwrap(), expected);
    // `tc -s qdisc` after a line without steps: increment 0.000503548 decrement 4.57771e-05.
    let plain = parse("limit 0").unwrap();
    let near = |p: Option<Probability>, of: f64| (p.unwrap().get() - of).abs() < 1e-9;
    assert!(near(plain.increment, 0.000_503_548) && near(plain.decrement, 4.577_71e-5));
    assert_eq!(SfbConfig { increment: None, decrement: None, ..plain }, SfbConfig::default());
    // q_sfb.c: each size of a bin follows from the other, max 25 from target 20.
    assert_eq!(parse("target 20").unwrap().max, Some(25));
    assert_eq!(parse("max 25").unwrap().target, Some(20));
    assert!(parse("targte 3").unwrap_err().message.contains("\"target\""));
}

#[test]
fn with_the_hash_of_the_port_each_23rd_address_is_taken_for_the_flood() {
    let mut bench = Bench::new(&SfbConfig { hash: BinHash::Lanl, ..lanl() });
    bench.set(0, PARTS);
    let caught: Vec<_> = (1..60).filter(|flow| bench.least_p(*flow) == PARTS).collect();
    assert_eq!(caught, [23, 46]);
    let three = SfbConfig { hash: BinHash::Lanl, levels: Some(3), ..lanl() };
    assert!(matches!(three.validate(), Err(("levels", _))));
}

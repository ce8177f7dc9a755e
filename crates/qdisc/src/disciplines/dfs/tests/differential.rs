//! DFS against Algorithms 1 to 3 as the paper prints them, under the readings of the module's documentation; and its
//! repositories against one another.

use super::{Bench, LINK};
use crate::disciplines::dfs::{Departures, DfsConfig, NonEct, Store, unpack};
use crate::flow_hash::FlowBy;
use crate::testing::TestPacket;
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use tailrace_core::{Bytes, DropReason, Duration, Ecn, FlowKey, Instant, Limit, Probability, Rate};

/// Table 2, flow variables; times in seconds.
#[derive(Clone, Debug)]
struct Flow {
    sz: f64,
    p_m: f64,
    p_time: f64,
    mark: bool,
    store_br: bool,
    br: f64,
    last: f64,
    window: Option<(f64, f64)>,
    valid: bool,
}

/// Events of a packet, and the totals.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    Overflow(u64),
    Dropped(u64),
    Marked(u64),
    Flag(FlowKey, bool),
    Left(u64, Ecn),
}

/// The algorithms, one line after the other.
struct Paper {
    c: DfsConfig,
    capacity: f64,
    q: f64,
    ewma: Option<f64>,
    last_prune: f64,
    btree: BTreeMap<FlowKey, Flow>,
    cache: BTreeMap<FlowKey, Flow>,
    queue: VecDeque<TestPacket>,
    events: Vec<Event>,
}

impl Paper {
    fn new(c: &DfsConfig) -> Self {
        Self {
            c: c.clone(),
            capacity: LINK.rate.as_bps() as f64,
            q: 0.0,
            ewma: None,
            last_prune: 0.0,
            btree: BTreeMap::new(),
            cache: BTreeMap::new(),
            queue: VecDeque::new(),
            events: Vec::new(),
        }
    }

    fn b(&self) -> f64 {
        let Limit::Bytes(b) = self.c.limit else { unreachable!("limits are in bytes here") };
        b.as_f64()
    }

    fn n(&self) -> f64 {
        ((self.btree.len() + self.cache.len()) as f64).max(1.0)
    }

    /// Algorithm 2.
    fn purge(&mut self, time: f64) {
        if time - self.last_prune > self.c.prune_interval.as_secs_f64() {
            for structure in [&mut self.btree, &mut self.cache] {
                let gone: Vec<FlowKey> = structure
                    .iter()
                    .filter(|(_, i)| i.last < self.last_prune && i.sz == 0.0)
                    .map(|(fid, _)| *fid)
                    .collect();
                for fid in gone {
                    if structure.remove(&fid).unwrap().mark {
                        self.events.push(Event::Flag(fid, false));
                    }
                }
            }
            self.last_prune = time;
        }
    }

    /// EWMA(wfs), once an arrival.
    fn sample(&mut self) -> f64 {
        let wfs = if self.q == 0.0 {
            self.b()
        } else {
            (self.b() / self.n() * (self.b() / self.q - 1.0)).max(0.0).min(self.b())
        };
        let beta = self.c.beta.get();
        let ewma = self.ewma.map_or(wfs, |old| (1.0 - beta) * old + beta * wfs);
        self.ewma = Some(ewma);
        ewma
    }

    /// Algorithm 1.
    fn enqueue(&mut self, mut p: TestPacket, time: f64) {
        let size = p.size.as_f64();
        self.purge(time);
        let ewma = self.sample();
        let fid = self.c.flow.key(p.flow);
        let fair = self.capacity / self.n();
        let full = self.q + size > self.b();
        let in_cache = self.cache.contains_key(&fid);
        let structure = if in_cache { &mut self.cache } else { &mut self.btree };
        let Some(i) = structure.get_mut(&fid) else {
            if full {
                self.events.push(Event::Overflow(p.id)); // lines 2, 3
                return;
            }
            self.btree.insert(fid, new_flow(self.c.min_th, size, time)); // line 15
            self.admit(p);
            return;
        };
        i.last = time;
        measure(&self.c, i, (time, size));
        if full {
            self.events.push(Event::Overflow(p.id));
            return;
        }
        let was = i.mark;
        let (drop, ecn_mark) = process(&self.c, i, time, ewma, fair); // line 5
        if i.mark != was {
            self.events.push(Event::Flag(fid, i.mark));
        }
        let dies = drop || (ecn_mark && !p.ecn.is_capable() && self.c.non_ect == NonEct::Drop);
        if !dies {
            i.sz += size; // line 8
        }
        let p_m = i.p_m;
        if p_m <= self.c.min_th && in_cache {
            let i = self.cache.remove(&fid).unwrap(); // line 11
            self.btree.insert(fid, i);
        } else if p_m >= self.c.max_th && !in_cache {
            let i = self.btree.remove(&fid).unwrap(); // line 13
            self.cache.insert(fid, i);
        }
        if dies {
            self.events.push(Event::Dropped(p.id)); // line 6
            return;
        }
        if ecn_mark && p.ecn.is_capable() && p.ecn != Ecn::Ce {
            p.ecn = Ecn::Ce;
            self.events.push(Event::Marked(p.id));
        }
        self.admit(p); // line 9
    }

    fn admit(&mut self, p: TestPacket) {
        self.q += p.size.as_f64();
        self.queue.push_back(p);
    }

    fn dequeue(&mut self) {
        let Some(p) = self.queue.pop_front() else { return };
        self.q -= p.size.as_f64();
        let fid = self.c.flow.key(p.flow);
        let i =
            if self.btree.contains_key(&fid) { self.btree.get_mut(&fid) } else { self.cache.get_mut(&fid) };
        i.unwrap().sz -= p.size.as_f64();
        self.events.push(Event::Left(p.id, p.ecn));
    }
}

/// InsertNewFlow.
fn new_flow(p_m: f64, sz: f64, time: f64) -> Flow {
    let (mark, store_br, br, window, valid) = (false, false, 0.0, None, false);
    Flow { sz, p_m, p_time: time, mark, store_br, br, last: time, window, valid }
}

/// The rate of arrivals, while it is stored.
fn measure(c: &DfsConfig, i: &mut Flow, (time, size): (f64, f64)) {
    if !i.store_br {
        return;
    }
    let (start, bytes) = i.window.unwrap();
    let elapsed = time - start;
    // Times are whole nanoseconds, so half of one is slack for their differences.
    if elapsed >= c.bitrate_window.as_secs_f64() - 5e-10 {
        (i.br, i.valid, i.window) = (8.0 * (bytes + size) / elapsed, true, Some((time, 0.0)));
    } else {
        i.window = Some((start, bytes + size));
    }
}

/// Algorithm 3; returns `drop`, and whether it called ECN-Mark.
fn process(c: &DfsConfig, i: &mut Flow, time: f64, ewma: f64, fair: f64) -> (bool, bool) {
    let mut drop = false;
    let mut ecn_mark = false;
    let time_gap = time - i.p_time;
    // Slack as above.
    let thawed = time_gap > c.freeze_time.as_secs_f64() + 5e-10;
    if i.p_m <= c.min_th + c.tolerance_factor * c.delta_i + 1e-9 {
        if i.sz > ewma {
            ecn_mark = true;
            if thawed {
                if !i.store_br {
                    (i.store_br, i.window, i.valid) = (true, Some((time, 0.0)), false);
                }
                i.p_m += c.delta_i;
                i.p_time = time;
            }
        } else if i.sz == 0.0 {
            i.p_m -= c.delta_d;
            i.p_time = time;
            if i.p_m <= c.min_th + 1e-9 {
                (i.mark, i.br, i.store_br, i.p_m) = (false, 0.0, false, c.min_th);
            }
        }
    } else {
        ecn_mark = true;
        if i.mark {
            drop = true;
        }
        if thawed && i.store_br && i.valid {
            if i.br > fair {
                i.p_m += i.br / fair * c.delta_i;
            } else {
                i.p_m -= fair / i.br * c.delta_d;
            }
            i.p_time = time;
        }
        if i.p_m >= c.max_th {
            i.mark = true;
        }
    }
    i.p_m = i.p_m.max(c.min_th).min(c.max_th);
    (drop, ecn_mark)
}

#[derive(Clone, Debug)]
enum Step {
    /// A burst of a flow: packets of a size, with so many microseconds between them.
    Burst {
        flow: u32,
        packets: u32,
        size: u64,
        gap: u64,
        ecn: Ecn,
    },
    Drain(u32),
    Wait(Duration),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ecn = prop_oneof![3 => Just(Ecn::Ect0), 1 => Just(Ecn::NotEct), 1 => Just(Ecn::Ce)];
    let burst = (0u32..12, 1u32..12, prop_oneof![Just(1000u64), 40u64..1500], 0u64..4000, ecn)
        .prop_map(|(flow, packets, size, gap, ecn)| Step::Burst { flow, packets, size, gap, ecn });
    // A flow that presses on: what makes malicious ones.
    let flood = (0u32..3, 50u32..150, 200u64..1000).prop_map(|(flow, packets, gap)| Step::Burst {
        flow,
        packets,
        size: 1000,
        gap,
        ecn: Ecn::Ect0,
    });
    // And one slow enough to be forgiven.
    let slow = (0u32..3, 10u32..30, 50_000u64..150_000).prop_map(|(flow, packets, gap)| Step::Burst {
        flow,
        packets,
        size: 1000,
        gap,
        ecn: Ecn::Ect0,
    });
    let wait = prop_oneof![0u64..5_000, 0u64..2_000_000].prop_map(|us| Step::Wait(Duration::from_micros(us)));
    let step =
        prop_oneof![6 => burst, 4 => flood, 2 => slow, 4 => (1u32..60).prop_map(Step::Drain), 1 => wait];
    prop::collection::vec(step, 1..60)
}

fn configs() -> impl Strategy<Value = DfsConfig> {
    (
        prop::sample::select(vec![20_000u64, 50_000, 200_000]),
        prop::sample::select(vec![0.0, 0.05, 0.5, 1.0]),
        prop::sample::select(vec![5u64, 20, 250]),
        prop::sample::select(vec![1u64, 3600]),
        prop::sample::select(vec![NonEct::Pass, NonEct::Drop]),
        prop::sample::select(vec![FlowBy::SrcDst, FlowBy::FiveTuple, FlowBy::Src]),
        prop::sample::select(vec![0.1, 1.0, 4.0]),
    )
        .prop_map(|(limit, beta, window, prune, non_ect, flow, max_th)| DfsConfig {
            limit: Limit::Bytes(Bytes(limit)),
            beta: Probability::clamped(beta),
            bitrate_window: Duration::from_millis(window),
            prune_interval: Duration::from_secs(prune),
            min_th: -0.04,
            max_th,
            non_ect,
            flow,
            rate: Some(Rate::from_mbit(2)),
            ..DfsConfig::default()
        })
}

/// Walks through the steps; every 200 us of a burst a packet leaves.
fn walk(steps: &[Step], mut enqueue: impl FnMut(TestPacket, Instant), mut dequeue: impl FnMut(Instant)) {
    let (mut now, mut id) = (Instant::ZERO, 0);
    for step in steps {
        match *step {
            Step::Burst { flow, packets, size, gap, ecn } => {
                for k in 0..packets {
                    now += Duration::from_micros(gap);
                    enqueue(TestPacket::new(id, flow, size).with_ecn(ecn), now);
                    id += 1;
                    if u64::from(k) % 3 == 0 || gap > 4000 {
                        dequeue(now);
                    }
                }
            }
            Step::Drain(packets) => (0..packets).for_each(|_| dequeue(now)),
            Step::Wait(time) => now += time,
        }
    }
}

/// Runs the discipline, in the words of the transcription. Order is kept within each list only.
fn run(config: &DfsConfig, steps: &[Step]) -> (Vec<Event>, Vec<Event>, Vec<Event>, Vec<u64>) {
    let bench = std::cell::RefCell::new(Bench::new(config));
    let (mut left, mut states) = (Vec::new(), Vec::new());
    walk(
        steps,
        |packet, now| {
            let mut bench = bench.borrow_mut();
            bench.now = now;
            bench.offer(packet);
            states.push(bench.state("average_wfs_bytes").to_bits());
            states.push(bench.state("flows").to_bits());
        },
        |now| {
            let mut bench = bench.borrow_mut();
            bench.now = now;
            left.extend(bench.take().map(|p| Event::Left(p.id, p.ecn)));
        },
    );
    let bench = bench.into_inner();
    let fates = bench.sink.dropped.iter().map(|(p, reason, _)| match reason {
        DropReason::Overlimit => Event::Overflow(p.id),
        _ => Event::Dropped(p.id),
    });
    let mut fates: Vec<Event> =
        fates.chain(bench.sink.marked.iter().map(|(p, _)| Event::Marked(p.id))).collect();
    fates.sort_by_key(|e| match e {
        Event::Overflow(id) | Event::Dropped(id) | Event::Marked(id) => *id,
        _ => unreachable!(),
    });
    let flags = bench.sink.flagged.iter().map(|(key, flagged, _)| Event::Flag(*key, *flagged)).collect();
    (fates, flags, left, states)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_packet_fares_as_by_the_papers_algorithms(config in configs(), steps in steps()) {
        let paper = std::cell::RefCell::new(Paper::new(&DfsConfig { ..config.clone() }));
        paper.borrow_mut().capacity = 2e6;
        walk(
            &steps,
            |packet, now| paper.borrow_mut().enqueue(packet, now.as_secs_f64()),
            |_| paper.borrow_mut().dequeue(),
        );
        let paper = paper.into_inner();
        let (mut fates, mut flags, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for event in paper.events {
            match event {
                Event::Flag(..) => flags.push(event),
                Event::Left(..) => left.push(event),
                _ => fates.push(event),
            }
        }
        let (ours, our_flags, our_left, _) = run(&config, &steps);
        prop_assert_eq!(ours, fates);
        // A purge goes through the records in another order.
        let sorted = |mut flags: Vec<Event>| {
            flags.sort_by_key(|f| format!("{f:?}"));
            flags
        };
        prop_assert_eq!(sorted(our_flags), sorted(flags));
        prop_assert_eq!(our_left, left);
    }

    #[test]
    fn the_repository_decides_nothing(
        config in configs(),
        steps in steps(),
        order in prop::sample::select(vec![3u32, 4, 32]),
        cache in prop::sample::select(vec![0u32, 1, 2, 32]),
        max_flows in prop::sample::select(vec![1u32, 4, 7, 1000]),
    ) {
        let config = DfsConfig { max_flows, ..config };
        let hash = run(&config, &steps);
        let others = [
            DfsConfig { repository: Store::Btree, order, cache: Some(cache), ..config.clone() },
            DfsConfig { cache: Some(cache), departures: Departures::LookUp, ..config.clone() },
            DfsConfig { repository: Store::Btree, order, departures: Departures::LookUp, ..config.clone() },
        ];
        for other in others {
            prop_assert_eq!(&run(&other, &steps), &hash, "{:?}", other);
        }
    }
}

/// The differential test is worth something only if its loads mark, drop, flag and clear.
#[test]
fn the_loads_reach_every_verdict() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = [0; 5];
    for _ in 0..100 {
        let config = configs().new_tree(&mut runner).unwrap().current();
        let (fates, flags, ..) = run(&config, &steps().new_tree(&mut runner).unwrap().current());
        for event in fates.iter().chain(&flags) {
            seen[match event {
                Event::Overflow(_) => 0,
                Event::Dropped(_) => 1,
                Event::Marked(_) => 2,
                Event::Flag(_, true) => 3,
                Event::Flag(_, false) => 4,
                Event::Left(..) => unreachable!(),
            }] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n > 50), "{seen:?}");
    assert_eq!(unpack(super::pack(super::paired(3))), super::paired(3));
}

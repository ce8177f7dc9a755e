//! RED-PD against the numbers of its papers, a plain transcription of the authors' scripts, and their AllUDP test.

use super::*;
use crate::testing::{Collector, TestPacket};
use std::collections::BTreeMap;
use tailrace_core::{Bytes, Ecn, Limit, Rate, Rng};

const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::from_millis(20));
/// A queue on which the filter may act.
const BUSY: Congestion = Congestion { above_min_th: true, waiting: true };

fn key(n: u32) -> FlowKey {
    TestPacket::new(0, n, 0).flow
}

fn ignore(_: FlowKey, _: bool) {}

/// A flow at `gamma` times the reference rate loses 0.6 gamma packets a list on average, whatever drop rate and round
/// trip are; it is identified where that is one or more in three lists of five. Of a Poisson number of losses:
/// `1 - exp(-0.6 gamma)` a list.
#[test]
fn fast_flows_are_identified_with_the_probability_that_losses_at_random_give() {
    const FLOWS: u32 = 4000;
    let table = [
        (0.25, 0.022),
        (0.5, 0.113),
        (0.75, 0.255),
        (1.0, 0.409),
        (1.25, 0.552),
        (1.5, 0.671),
        (2.0, 0.835),
        (3.0, 0.965),
        (4.0, 0.994),
    ];
    let config = RedPdConfig { list_length: FLOWS, ..RedPdConfig::default() };
    let p = 0.01;
    let packets = rule::reference_rate(0.04, p) * rule::list_interval(config.rtt, (3, 5), p).as_secs_f64();
    for (gamma, expected) in table {
        let (mut monitor, mut rng) = (Monitor::new(&config), Rng::new(3));
        monitor.filters(key(FLOWS), Bytes(1000), BUSY, &mut rng);
        let mut due = 0.0;
        for list in 1..=5 {
            due += gamma * packets;
            let sent = (due as u64) - ((due - gamma * packets) as u64);
            for flow in 0..FLOWS {
                (0..sent)
                    .filter(|_| rng.bernoulli(p))
                    .for_each(|_| monitor.red_dropped(key(flow), Bytes(1000)));
            }
            monitor.end_list(Instant::from_millis(196 * list), &mut ignore);
        }
        let found =
            (0..FLOWS).filter(|flow| monitor.is_regular(key(*flow))).count() as f64 / f64::from(FLOWS);
        assert!((found - expected).abs() < 0.03, "gamma {gamma}: {found}, expected {expected}");
    }
}

/// The authors' do_detect and do_reward, in their words, with every flow known; times in nanoseconds.
#[derive(Default)]
struct Plain {
    flows: BTreeMap<u32, PlainFlow>,
    history: Vec<Vec<(u32, u64)>>,
    average: Option<f64>,
    intervals: Vec<u64>,
    last_detect: u64,
}

#[derive(Default)]
struct PlainFlow {
    arrivals: u64,
    drops: u64,
    monitored_drops: u64,
    target: Option<f64>,
    unresponsive: bool,
    last_change: Option<u64>,
    answers: Vec<(f64, f64)>,
}

impl Plain {
    fn min_last_change(&self, n: usize) -> u64 {
        let sum: u64 = self.intervals.iter().rev().take(n).sum();
        sum.max(400_000_000)
    }

    fn append_list(&mut self) {
        let ambient = |f: &PlainFlow| f.drops - f.monitored_drops;
        let mut list: Vec<(u32, u64)> =
            self.flows.iter().filter(|(_, f)| ambient(f) > 0).map(|(id, f)| (*id, ambient(f))).collect();
        list.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        list.truncate(8);
        self.history.push(list);
        if self.history.len() > 5 {
            self.history.remove(0);
        }
    }

    fn unresponsive(answers: &[(f64, f64)]) -> bool {
        let (mut good, mut bad) = (0, 0);
        for (bw1, p1) in answers {
            for (bw2, p2) in answers {
                if p1 < p2 && p1 / p2 > 0.1 {
                    if bw2 / bw1 > (p1 / p2).sqrt() {
                        bad += 1;
                    } else {
                        good += 1;
                    }
                }
            }
        }
        (good == 0 && bad >= 3) || (good == 1 && bad >= 4) || (good >= 2 && bad >= 4 * good)
    }

    fn detect(&mut self, now: u64) -> u64 {
        let elapsed = (now - self.last_detect) as f64 / 1e9;
        self.last_detect = now;
        let monitored: u64 = self.flows.values().map(|f| f.monitored_drops).sum();
        let drops = self.flows.values().map(|f| f.drops).sum::<u64>() - monitored;
        let arrivals = self.flows.values().map(|f| f.arrivals).sum::<u64>() - monitored;
        let current = if arrivals == 0 { 0.0 } else { drops as f64 / arrivals as f64 };
        let average = self.average.map_or(current, |a| 0.5 * current + (1.0 - 0.5) * a);
        self.average = Some(average);
        let usable = current.min(average);
        self.append_list();
        let mut regular = Vec::new();
        for id in self.flows.keys() {
            let found: Vec<u64> =
                self.history.iter().flatten().filter(|(flow, _)| flow == id).map(|(_, b)| *b).collect();
            if found.len() >= 3 {
                regular.push((*id, found.iter().sum::<u64>() as f64));
            }
        }
        let mean = regular.iter().map(|(_, drops)| drops).sum::<f64>() / regular.len() as f64;
        let wait = self.min_last_change(4);
        if current > 0.001 {
            for (id, drops) in regular {
                let flow = self.flows.get_mut(&id).unwrap();
                if flow.last_change.is_some_and(|t| now - t < wait) || flow.drops == 0 {
                    continue;
                }
                flow.tighten(usable * drops / mean, usable);
                flow.last_change = Some(now);
                flow.answers.push((flow.arrivals as f64 / elapsed, flow.drops as f64 / flow.arrivals as f64));
                if flow.answers.len() > 5 {
                    flow.answers.remove(0);
                }
            }
        }
        let interval = (0.6 * 0.04 / (1.5 * average).sqrt()).clamp(0.08, 0.4);
        self.intervals.push((interval * 1e9 + 0.5) as u64);
        for flow in self.flows.values_mut() {
            (flow.arrivals, flow.drops, flow.monitored_drops) = (0, 0, 0);
        }
        *self.intervals.last().unwrap()
    }

    fn reward(&mut self, now: u64) {
        let (three, five) = (self.min_last_change(3), self.min_last_change(5));
        for (id, flow) in &mut self.flows {
            let Some(target) = flow.target else { continue };
            let since = now - flow.last_change.unwrap();
            if self.history.iter().flatten().any(|(f, _)| f == id) {
                continue;
            }
            let p = 1.0 - target;
            if !flow.unresponsive && since >= three {
                flow.target = match p {
                    p if p <= 0.005 => None,
                    p if p > 0.1 => Some(1.0 - (p - 0.05)),
                    p => Some(1.0 - p / 2.0),
                };
            } else if flow.unresponsive && since >= five {
                flow.target = match p {
                    p if p <= 0.0025 => None,
                    p if p > 1.5 * 0.05 => Some(1.0 - (p - 0.05)),
                    p => Some(1.0 - p / 1.5),
                };
            } else {
                continue;
            }
            if flow.target.is_none() {
                flow.unresponsive = false;
                flow.answers.clear();
            }
            flow.last_change = Some(now);
        }
    }
}

impl PlainFlow {
    fn tighten(&mut self, pre_drop_rate: f64, usable: f64) {
        let Some(target) = self.target else {
            self.target = Some((1.0 - pre_drop_rate.min(2.0 * usable)).max(0.5));
            return;
        };
        self.unresponsive |= Plain::unresponsive(&self.answers);
        let old = 1.0 - target;
        let (times, divisor) = if self.unresponsive { (2.0, 3.0) } else { (1.0, 2.0) };
        let new = if pre_drop_rate > old { old + times * old } else { old + times * pre_drop_rate };
        self.target = Some(if 1.0 - new < 0.0 { target / divisor } else { 1.0 - new });
    }
}

#[test]
fn each_probability_moves_as_in_the_authors_scripts() {
    let config = RedPdConfig { list_length: 8, ..RedPdConfig::default() };
    let (mut monitor, mut plain) = (Monitor::new(&config), Plain::default());
    let (mut rng, mut load) = (Rng::new(1), Rng::new(2));
    plain.intervals.push(config.rtt.as_nanos() * 10);
    let (mut now, mut compared, mut unresponsive, mut released) = (0, 0, 0, 0);
    let mut interval = config.rtt.as_nanos() * 10;
    for list in 0..3000u32 {
        // Drop rates between none worth mentioning and a third, and flows that come and go.
        let p = [0.0005, 0.01, 0.03, 0.1, 0.3][(list / 40) as usize % 5] * (0.5 + load.uniform());
        for id in 0..20u32 {
            let asleep = (list / 100 + id) % 7 < 2;
            let packets = if asleep { 0 } else { load.below(20 + 200 / u64::from(id + 1)) };
            for _ in 0..packets {
                let size = Bytes(100 + load.below(60_000));
                let flow = plain.flows.entry(id).or_default();
                flow.arrivals += size.get();
                if monitor.filters(key(id), size, BUSY, &mut rng) {
                    flow.drops += size.get();
                    flow.monitored_drops += size.get();
                } else if load.bernoulli(p) {
                    flow.drops += size.get();
                    monitor.red_dropped(key(id), size);
                }
            }
        }
        now += interval;
        interval = plain.detect(now);
        plain.reward(now + 1_000_000);
        monitor.end_list(Instant::from_nanos(now), &mut |_, flagged| released += u32::from(!flagged));
        assert_eq!(monitor.next(), Instant::from_nanos(now + interval));
        for (id, flow) in &plain.flows {
            let grip = monitor.grip_on(key(*id));
            assert_eq!(grip.map(|(_, unresponsive)| unresponsive), flow.target.map(|_| flow.unresponsive));
            if let (Some((p, _)), Some(target)) = (grip, flow.target) {
                assert!((p - (1.0 - target)).abs() < 1e-9, "list {list}, flow {id}: {p}, {}", 1.0 - target);
                compared += 1;
                unresponsive += u32::from(flow.unresponsive);
            }
        }
    }
    assert!(
        compared > 10_000 && unresponsive > 1000 && released > 100,
        "{compared} {unresponsive} {released}"
    );
}

/// A queue before a 10 Mbit/s link, and sources that send packets of 1000 bytes at a constant rate.
struct Line {
    queue: RedPd<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    now: Instant,
    /// When the transmitter is free; `None` where it is.
    busy_until: Option<Instant>,
    /// Time between packets and the next packet of each source.
    sources: Vec<(Duration, Instant)>,
    sent: u64,
    /// Bytes of each source.
    delivered: Vec<u64>,
}

impl Line {
    /// Sources with so many microseconds between packets, started within ten seconds.
    fn new(config: &RedPdConfig, periods_us: &[u64]) -> Self {
        assert_eq!(config.validate(), Ok(()));
        let mut rng = Rng::new(1);
        let mut start =
            |us: &u64| (Duration::from_micros(*us), Instant::from_nanos(rng.below(10_000_000_000)));
        Self {
            sources: periods_us.iter().map(&mut start).collect(),
            queue: config.build(&LINK),
            rng: Rng::new(2),
            sink: Collector::default(),
            now: Instant::ZERO,
            busy_until: None,
            sent: 0,
            delivered: vec![0; periods_us.len()],
        }
    }

    fn run_until(&mut self, end: Instant) {
        loop {
            let sources = self.sources.iter().enumerate().map(|(i, (_, next))| (*next, i));
            let (arrival, source) = sources.min().unwrap();
            let departure = self.busy_until.unwrap_or(Instant::MAX);
            let timer = self.queue.poll_timeout().unwrap();
            let now = arrival.min(departure).min(timer);
            if now >= end {
                break;
            }
            self.now = now;
            if now == timer {
                self.with(|queue, cx| queue.handle_timeout(cx));
            } else if now == departure {
                self.serve();
            } else {
                self.sources[source].1 = now.saturating_add(self.sources[source].0);
                let packet = TestPacket::new(self.sent, source as u32, 1000);
                self.sent += 1;
                self.with(|queue, cx| queue.enqueue(packet, cx));
                if self.busy_until.is_none() {
                    self.serve();
                }
            }
            self.sink.dropped.clear();
        }
    }

    fn serve(&mut self) {
        let next = self.with(|queue, cx| queue.dequeue(cx));
        self.busy_until = next.map(|(packet, _)| {
            self.delivered[packet.flow.src as usize] += 1000;
            self.now.saturating_add(Duration::from_micros(800))
        });
    }

    fn with<R>(&mut self, f: impl FnOnce(&mut RedPd<TestPacket>, &mut Cx<'_, TestPacket>) -> R) -> R {
        f(&mut self.queue, &mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink })
    }

    /// Whether each source is flagged at present.
    fn flags(&self) -> Vec<bool> {
        let mut flags = vec![false; self.delivered.len()];
        for (flow, flagged, _) in &self.sink.flagged {
            assert_ne!(
                std::mem::replace(&mut flags[flow.src as usize], *flagged),
                *flagged,
                "reported twice"
            );
        }
        flags
    }
}

/// The sources of the authors' AllUDP test: 0.1 to 5 Mbit/s, 27.7 Mbit/s in all.
const ALL_UDP: [u64; 11] = [80_000, 16_000, 8_000, 5_300, 4_000, 3_200, 2_600, 2_300, 2_000, 1_800, 1_600];

/// The queue of their scripts.
fn all_udp() -> RedPdConfig {
    RedPdConfig {
        limit: Limit::Packets(50),
        min_th: Some(Limit::Packets(10)),
        max_th: Some(Limit::Packets(33)),
        start: Some(Duration::from_millis(10_100)),
        unresponsive_test: false,
        ..RedPdConfig::default()
    }
}

/// tcl/ex/red-pd/allUDP: of 10 Mbit/s, max-min fairness gives 0.1, 0.5 and 1 Mbit/s to those who want no more, and
/// 1.05 Mbit/s to each other. ns-2 2.35 itself gives these between 0.97 and 1.17, and the others 0.098, 0.48 and 0.89
/// to 0.93, over five seeds.
#[test]
fn eleven_constant_rates_are_held_to_their_max_min_shares() {
    let mut line = Line::new(&all_udp(), &ALL_UDP);
    line.run_until(Instant::from_secs(190));
    let before = line.delivered.clone();
    line.run_until(Instant::from_secs(390));
    let rates: Vec<f64> =
        line.delivered.iter().zip(&before).map(|(now, then)| (now - then) as f64 * 8.0 / 200e6).collect();
    for (rate, (share, tolerance)) in rates.iter().zip([(0.1, 0.05), (0.5, 0.1), (1.0, 0.15)]) {
        assert!((rate / share - 1.0).abs() < tolerance, "{rates:?}");
    }
    assert!(rates[3..].iter().all(|rate| (rate / 1.05 - 1.0).abs() < 0.2), "{rates:?}");
    assert!(rates.iter().sum::<f64>() > 9.7, "{rates:?}");
    // A sender within its share is caught by chance and let go again; those of 1.5 Mbit/s and more stay caught.
    let flags = line.flags();
    assert_eq!(flags[..2], [false; 2]);
    assert_eq!(flags[3..], [true; 8]);
}

#[test]
fn constant_rates_are_found_unresponsive_and_held_to_no_more_than_their_shares() {
    let mut line = Line::new(&RedPdConfig { unresponsive_test: true, ..all_udp() }, &ALL_UDP);
    line.run_until(Instant::from_secs(60));
    let before = line.delivered.clone();
    let mut most = 0;
    for second in 61..=160 {
        line.run_until(Instant::from_secs(second));
        most = most.max(line.queue.monitor.counts().1);
    }
    let rates = line.delivered.iter().zip(&before).map(|(now, then)| (now - then) as f64 * 8.0 / 100e6);
    // ns-2 2.35: 0.87 to 1.13 Mbit/s each.
    assert!(rates.skip(3).all(|rate| (rate / 1.05 - 1.0).abs() < 0.25));
    assert!(most >= 6, "{most}");
}

#[test]
fn who_falls_silent_is_released_and_forgotten() {
    let mut line = Line::new(&all_udp(), &[1_600, 1_000, 2_000]);
    line.run_until(Instant::from_secs(60));
    assert_eq!(line.flags(), [true; 3]);
    assert_eq!(line.queue.monitor.counts(), (3, 0));
    // Sources send a packet every ten seconds from now on. A probability of at most one falls by 0.05 each three
    // lists.
    line.sources.iter_mut().for_each(|(period, _)| *period = Duration::from_secs(10));
    line.run_until(Instant::from_secs(120));
    assert_eq!(line.flags(), [false; 3]);
    assert_eq!((line.queue.monitor.counts(), line.queue.monitor.known()), ((0, 0), 0));
}

/// red-pd.cc, enque: where RED is not congested, responsive flows pass; unresponsive ones only with `noidle` and
/// nothing waiting.
#[test]
fn the_filter_spares_flows_where_the_link_has_room() {
    let outcomes = |unresponsive, noidle| {
        let (mut monitor, mut rng) = (Monitor::new(&RedPdConfig { noidle, ..all_udp() }), Rng::new(1));
        monitor.grab(key(0), 1.0, unresponsive, &mut rng);
        let cases = [(true, true), (false, true), (true, false), (false, false)];
        cases.map(|(above_min_th, waiting)| {
            let congestion = Congestion { above_min_th, waiting };
            assert!(!monitor.filters(key(1), Bytes(1000), congestion, &mut rng), "nobody monitors it");
            monitor.filters(key(0), Bytes(1000), congestion, &mut rng)
        })
    };
    assert_eq!(outcomes(false, false), [true, false, false, false]);
    assert_eq!(outcomes(true, false), [true; 4]);
    assert_eq!(outcomes(true, true), [true, true, false, false]);
}

#[test]
fn marks_fill_the_lists_as_drops_do() {
    let config = RedPdConfig { ecn: true, max_p: Probability::ONE, ..all_udp() };
    let mut line = Line::new(&RedPdConfig { weight: Some(Probability::clamped(0.2)), ..config }, &[1_000]);
    for id in 0..49 {
        let packet = TestPacket::new(id, 0, 1000).with_ecn(Ecn::Ect0);
        line.with(|queue, cx| queue.enqueue(packet, cx));
    }
    let lost = line.sink.marked.len() + line.sink.dropped.len();
    assert!(!line.sink.marked.is_empty());
    line.now = Instant::from_secs(11);
    line.with(|queue, cx| queue.handle_timeout(cx));
    assert!((line.queue.monitor.drop_rate() - lost as f64 / 49.0).abs() < 1e-12);
    assert_eq!(line.queue.monitor.known(), 1);
}

#[test]
fn a_million_forged_sources_cost_no_memory_beyond_the_bound() {
    let mut line = Line::new(&RedPdConfig { flows: 1000, ..all_udp() }, &[1_000]);
    for id in 0..1_000_000u64 {
        line.now = Instant::from_nanos(id * 10_000);
        line.with(|queue, cx| {
            queue.enqueue(TestPacket::new(id, id as u32, 1000), cx);
            queue.handle_timeout(cx);
        });
        assert!(line.queue.monitor.known() <= 1000);
        line.sink.dropped.clear();
    }
    assert!(line.sink.flagged.is_empty());
    // Each of the last five lists has fifty.
    line.now = Instant::from_secs(11);
    line.with(|queue, cx| queue.handle_timeout(cx));
    assert!(line.queue.monitor.known() <= 250);
}

#[test]
fn impossible_combinations_are_named() {
    let base = RedPdConfig::default;
    let bad = [
        ("rtt", RedPdConfig { rtt: Duration::ZERO, ..base() }),
        ("lists", RedPdConfig { lists: 17, ..base() }),
        ("regular", RedPdConfig { regular: 6, ..base() }),
        ("list_length", RedPdConfig { list_length: 0, ..base() }),
        ("flows", RedPdConfig { flows: 0, ..base() }),
        ("unresponsive_penalty", RedPdConfig { unresponsive_penalty: -1.0, ..base() }),
        ("limit", RedPdConfig { limit: Limit::Packets(0), ..base() }),
    ];
    for (param, config) in bad {
        assert_eq!(config.validate().unwrap_err().0, param);
    }
}

//! PIE against the numbers that follow from RFC 8033's formulas.

use super::*;
use crate::discipline::{Cx, LinkView, QueueDiscipline};
use crate::registry::Discipline;
use crate::testing::{Collector, TestPacket};
use tailrace_core::{DropReason, Ecn, Probability, Rate};

const WAITING: Backlog = Backlog { packets: 100, bytes: Bytes(100_000) };
const EMPTY: Backlog = Backlog { packets: 0, bytes: Bytes(0) };

fn no_burst() -> PieConfig {
    PieConfig { max_burst: Duration::ZERO, ..PieConfig::default() }
}

/// A packet leaves after `ms` of waiting; `backlog` remains.
fn depart(law: &mut Pie, ms: u64, backlog: Backlog, at_ms: u64) {
    let sojourn = Duration::from_millis(ms);
    law.on_dequeue(Bytes(1000), sojourn, backlog, Instant::from_millis(at_ms), &mut Rng::new(1));
}

fn tick(law: &mut Pie, backlog: Backlog) {
    law.handle_timeout(backlog, law.ticker.next());
}

/// A law that has seen 30 ms for ever.
fn late(config: &PieConfig) -> Pie {
    let mut law = Pie::new(config);
    depart(&mut law, 30, WAITING, 0);
    law.controller.old = 0.030;
    law
}

/// Number of arrivals until one is signalled.
fn gap(law: &mut Pie, rng: &mut Rng) -> u64 {
    (1..).find(|_| law.on_enqueue(Bytes(1000), WAITING, Instant::ZERO, rng) != Verdict::Pass).unwrap()
}

#[test]
fn a_constant_delay_of_30_ms_climbs_the_table_of_scales() {
    // alpha (30 ms - 15 ms) = 0.001875 a step over 2048, 512, 128, 32, 8, 2, 1 (RFC 8033 §4.2).
    let mut law = late(&no_burst());
    let mut crossed = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.2, 0.5].map(|p| (p, 0));
    for update in 1..=400 {
        tick(&mut law, WAITING);
        for (p, at) in &mut crossed {
            if *at == 0 && law.probability >= *p {
                *at = update;
            }
        }
    }
    assert_eq!(crossed.map(|(_, at)| at), [2, 5, 11, 27, 66, 162, 216, 376]);
}

#[test]
fn signals_fall_between_the_9th_and_the_85th_packet_at_one_in_ten() {
    // RFC 8033 §5.4: 0.1 n reaches 0.85 at n = 9 and 8.5 at n = 85, give or take the rounding of the sum.
    let mut law = Pie { probability: 0.1, ..late(&no_burst()) };
    let mut rng = Rng::new(7);
    let gaps: Vec<u64> = (0..20_000)
        .map(|_| {
            let gap = gap(&mut law, &mut rng);
            law.on_signalled(false, Instant::ZERO);
            gap
        })
        .collect();
    assert_eq!(gaps.iter().min(), Some(&9));
    assert!(*gaps.iter().max().unwrap() <= 86);
    // Geometric with 0.1 from the 9th on: mean 18, standard deviation 9.5, of the mean of 20 000 0.07.
    let mean = gaps.iter().sum::<u64>() as f64 / 20_000.0;
    assert!((mean - 18.0).abs() < 0.3, "{mean}");
    // The certain one: with a probability that the generator never undercuts.
    let mut law = Pie { probability: 0.1, accumulated: 8.45, ..late(&no_burst()) };
    assert_eq!(gap(&mut law, &mut Rng::new(1)), 1);
}

#[test]
fn without_derandomisation_gaps_are_geometric() {
    let config = PieConfig { derandomize: false, ..no_burst() };
    let mut law = Pie { probability: 0.1, ..late(&config) };
    let mut rng = Rng::new(7);
    let gaps: Vec<u64> = (0..20_000).map(|_| gap(&mut law, &mut rng)).collect();
    assert_eq!(gaps.iter().min(), Some(&1));
    let mean = gaps.iter().sum::<u64>() as f64 / 20_000.0;
    assert!((mean - 10.0).abs() < 0.3, "{mean}");
}

#[test]
fn nothing_is_signalled_while_uncongested_or_short_or_bursting() {
    let passes = |law: &mut Pie, backlog| {
        (0..200)
            .all(|_| law.on_enqueue(Bytes(1000), backlog, Instant::ZERO, &mut Rng::new(3)) == Verdict::Pass)
    };
    let certain = || Pie { probability: 1.0, ..late(&no_burst()) };
    assert!(!passes(&mut certain(), WAITING));
    // RFC 8033 §4.1: at most two mean packets, or half the target at a small probability.
    assert!(passes(&mut certain(), Backlog { packets: 2, bytes: Bytes(2000) }));
    assert!(!passes(&mut certain(), Backlog { packets: 3, bytes: Bytes(2001) }));
    let mut uncongested = Pie { probability: 0.19, ..late(&no_burst()) };
    uncongested.controller.old = 0.0074;
    assert!(passes(&mut uncongested, WAITING));
    uncongested.controller.old = 0.0075;
    assert!(!passes(&mut uncongested, WAITING));
    // §4.4: 150 ms of allowance last for ten updates of 15 ms.
    let mut law = late(&PieConfig::default());
    for _ in 0..9 {
        tick(&mut law, WAITING);
        law.probability = 1.0;
        assert!(passes(&mut law, WAITING));
    }
    tick(&mut law, WAITING);
    assert!(!passes(&mut law, WAITING));
}

#[test]
fn the_allowance_is_full_again_after_calm() {
    let mut law = late(&PieConfig::default());
    (0..20).for_each(|_| tick(&mut law, WAITING));
    assert_eq!(law.burst_allowance, Duration::ZERO);
    assert!(law.probability > 0.0);
    depart(&mut law, 1, EMPTY, 400);
    // The first update has a steep negative trend: the probability is gone, but the old delay was not small.
    tick(&mut law, EMPTY);
    assert_eq!((law.probability, law.burst_allowance), (0.0, Duration::ZERO));
    tick(&mut law, EMPTY);
    assert_eq!(law.burst_allowance, Duration::from_millis(150));
}

#[test]
fn a_large_probability_decays_by_two_per_cent_an_idle_update() {
    let mut law = Pie { probability: 0.5, ..Pie::new(&no_burst()) };
    tick(&mut law, EMPTY);
    // alpha (0 - 15 ms) = -0.001875, then 0.98 (RFC 8033 §4.2).
    assert!((law.probability - (0.5 - 0.001_875) * 0.98).abs() < 1e-12);
    // Linux: 63/64, and only where nothing waits.
    let linux = PieConfig { form: Form::Linux, ..no_burst() };
    let mut law = Pie { probability: 0.5, ..Pie::new(&linux) };
    tick(&mut law, EMPTY);
    assert!((law.probability - (0.5 - 0.001_875) * 63.0 / 64.0).abs() < 1e-12);
    tick(&mut law, WAITING);
    assert!((law.probability - ((0.5 - 0.001_875) * 63.0 / 64.0 - 0.001_875)).abs() < 1e-12);
}

#[test]
fn steps_are_capped_at_two_per_cent_and_linux_adds_two_above_250_ms() {
    let step = |config: PieConfig| {
        let mut law = Pie { probability: 0.2, ..Pie::new(&config) };
        depart(&mut law, 300, WAITING, 0);
        tick(&mut law, WAITING);
        law.probability - 0.2
    };
    assert!((step(no_burst()) - 0.02).abs() < 1e-12);
    assert!((step(PieConfig { form: Form::Linux, ..no_burst() }) - 0.04).abs() < 1e-12);
    // Uncapped: 0.125 (0.3 - 0.015) + 1.25 (0.3 - 0) = 0.410625.
    let uncapped = PieConfig { max_step: Probability::clamped(1.0), ..no_burst() };
    assert!((step(uncapped) - 0.410_625).abs() < 1e-12);
}

#[test]
fn ns2_holds_the_probability_at_zero_during_the_burst() {
    let climbs = |hold_in_burst| {
        let mut law = late(&PieConfig { hold_in_burst, ..PieConfig::default() });
        (0..10).for_each(|_| tick(&mut law, WAITING));
        law.probability
    };
    assert_eq!(climbs(true), 0.0);
    assert!(climbs(false) > 1e-5);
}

#[test]
fn linux_spends_the_allowance_on_departures_and_starts_after_half_a_second() {
    let mut law = Pie::new(&PieConfig { form: Form::Linux, ..PieConfig::default() });
    assert_eq!(law.poll_timeout(), Some(Instant::from_millis(500)));
    depart(&mut law, 30, WAITING, 100);
    depart(&mut law, 30, WAITING, 140);
    assert_eq!(law.burst_allowance, Duration::from_millis(110));
}

#[test]
fn the_rate_is_measured_over_16_kib() {
    // RFC 8033 §5.2: 1024-byte packets each millisecond; the one that starts the measurement does not count, the 16
    // after it take 16 ms: 1/1024000 s a byte, so 102 400 bytes are 100 ms.
    let rate = PieConfig { delay_from: DelayFrom::Rate, ..no_burst() };
    let backlog = Backlog { packets: 100, bytes: Bytes(102_400) };
    let mut law = Pie::new(&rate);
    let mut rng = Rng::new(1);
    for ms in 0..=16 {
        assert_eq!(law.estimate.delay(backlog), 0.0);
        law.on_dequeue(Bytes(1024), Duration::ZERO, backlog, Instant::from_millis(ms), &mut rng);
    }
    assert!((law.estimate.delay(backlog) - 0.1).abs() < 1e-12);
    // The next 16 at half the rate: 3/4 old + 1/4 new time = 125 ms; Linux: 7/8 old + 1/8 new rate = 100/0.9375 ms.
    for packet in 1..=16 {
        let now = Instant::from_millis(16 + 2 * packet);
        law.on_dequeue(Bytes(1024), Duration::ZERO, backlog, now, &mut rng);
    }
    assert!((law.estimate.delay(backlog) - 0.125).abs() < 1e-12);
    let mut law = Pie::new(&PieConfig { form: Form::Linux, ..rate });
    // Linux counts the packet that starts, so 16 packets take 15 ms, and starts anew at the end of the last.
    for ms in 0..=15 {
        law.on_dequeue(Bytes(1024), Duration::ZERO, backlog, Instant::from_millis(ms), &mut rng);
    }
    let first = 0.1 * 15.0 / 16.0;
    assert!((law.estimate.delay(backlog) - first).abs() < 1e-12);
    for packet in 1..=16 {
        let now = Instant::from_millis(15 + 2 * packet);
        law.on_dequeue(Bytes(1024), Duration::ZERO, backlog, now, &mut rng);
    }
    let second = 1.0 / (0.875 / first + 0.125 / 0.2);
    assert!((law.estimate.delay(backlog) - second).abs() < 1e-12);
}

#[test]
fn ecn_marks_up_to_the_threshold_and_drops_above_it() {
    let link = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
    let config = PieConfig { ecn: true, ..no_burst() };
    let outcome = |probability, ecn| {
        let (mut rng, mut sink) = (Rng::new(5), Collector::default());
        let mut queue = config.build(&link);
        queue.law_mut().probability = probability;
        queue.law_mut().controller.old = 0.030;
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for id in 0..500 {
            queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(ecn), &mut cx);
        }
        assert!(sink.dropped.iter().all(|(_, reason, _)| *reason == DropReason::Aqm));
        (sink.marked.len(), sink.dropped.len())
    };
    // Not "below": Linux and RFC 8033 mark at 0.1 itself.
    let (marked, dropped) = outcome(0.1, Ecn::Ect0);
    assert!(marked > 10 && dropped == 0, "{marked} {dropped}");
    let (marked, dropped) = outcome(0.1001, Ecn::Ect0);
    assert!(marked == 0 && dropped > 10, "{marked} {dropped}");
    let (marked, dropped) = outcome(0.1, Ecn::NotEct);
    assert!(marked == 0 && dropped > 10, "{marked} {dropped}");
}

#[test]
fn the_full_queue_drops_before_the_law_is_asked() {
    let link = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
    let mut queue = PieConfig { limit: Limit::Packets(3), ..no_burst() }.build(&link);
    let (mut rng, mut sink) = (Rng::new(5), Collector::default());
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    (0..3).for_each(|id| queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx));
    *queue.law_mut() =
        Pie { limit: Limit::Packets(3), probability: 1.0, accumulated: 8.0, ..late(&no_burst()) };
    queue.enqueue(TestPacket::new(3, 0, 1000), &mut cx);
    assert_eq!(sink.dropped[0].1, DropReason::Overlimit);
    assert_eq!(queue.law().accumulated, 0.0);
}

#[test]
fn docsis_clamps_and_scales_as_rfc_8034_does() {
    // PROB_LOW MEAN_PKTSIZE / MIN_PKTSIZE = 0.85 * 1024 / 64.
    let mut law = late(&PieConfig::docsis());
    law.probability = 13.5;
    for _ in 0..10 {
        law.controller.old = 0.0;
        tick(&mut law, WAITING);
    }
    assert!((law.probability - 13.6).abs() < 1e-12);
    // Steps at a constant 12 ms: alpha 2 ms = 0.0005, times 1/2, 2, 8 and 32; none is above the cap of 0.02.
    for (p, step) in [(0.05, 0.000_25), (0.5, 0.001), (5.0, 0.004), (12.0, 0.016)] {
        let mut law = Pie { probability: p, ..Pie::new(&PieConfig::docsis()) };
        depart(&mut law, 12, WAITING, 0);
        law.controller.old = 0.012;
        tick(&mut law, WAITING);
        assert!((law.probability - p - step).abs() < 1e-12, "{p}: {}", law.probability);
    }
    // Above 200 ms two per cent more; below 5 ms two per cent of it less.
    let mut law = Pie { probability: 0.5, ..Pie::new(&PieConfig::docsis()) };
    depart(&mut law, 300, WAITING, 0);
    law.controller.old = 0.3;
    tick(&mut law, WAITING);
    assert!((law.probability - 0.54).abs() < 1e-12);
    // 0.5 + 2 * 0.25 (4 ms - 10 ms) = 0.497.
    let mut law = Pie { probability: 0.5, ..Pie::new(&PieConfig::docsis()) };
    depart(&mut law, 4, WAITING, 0);
    law.controller.old = 0.004;
    tick(&mut law, WAITING);
    assert!((law.probability - 0.98 * 0.497).abs() < 1e-12);
    // A packet of 64 bytes has 1/16 of the probability, one of 1500 no more than 0.85.
    let law = Pie { probability: 4.0, ..Pie::new(&PieConfig::docsis()) };
    assert_eq!([64, 1500].map(|size| law.scaled(Bytes(size), 1024.0)), [0.25, 0.85]);
}

#[test]
fn docsis_spares_bursts_once_the_queue_has_been_a_third_full() {
    let config = PieConfig { derandomize: false, limit: Limit::Packets(300), ..PieConfig::docsis() };
    let mut law = Pie { probability: 13.6, ..late(&config) };
    let mut rng = Rng::new(1);
    let mut signals = |law: &mut Pie, packets: u64| {
        let backlog = Backlog { packets, bytes: Bytes(1500 * packets) };
        (0..200).any(|_| law.on_enqueue(Bytes(1500), backlog, Instant::ZERO, &mut rng) != Verdict::Pass)
    };
    assert!(!signals(&mut law, 99));
    // The first drop starts 142 ms of protection: nine updates of 16 ms, in which the probability is zero.
    assert!(signals(&mut law, 100) && law.burst_allowance == Duration::from_millis(142));
    for update in 1..=9 {
        assert!(!signals(&mut law, 200));
        tick(&mut law, WAITING);
        assert_eq!((law.probability, law.burst_allowance == Duration::ZERO), (0.0, update == 9));
    }
    law.probability = 13.6;
    assert!(signals(&mut law, 10) && law.burst_allowance == Duration::ZERO);
    // Quiet: the next drop would start it again; after more than a second a third has to be full again.
    law.probability = 0.0;
    depart(&mut law, 1, WAITING, 0);
    law.controller.old = 0.001;
    // An update ends the activity, 62 are 992 ms.
    (0..63).for_each(|_| tick(&mut law, WAITING));
    let mut other = Pie { probability: 13.6, ..law.clone() };
    law.controller.old = 0.030;
    other.controller.old = 0.030;
    assert!(signals(&mut other, 10) && other.burst_allowance == Duration::from_millis(142));
    law.controller.old = 0.001;
    tick(&mut law, WAITING);
    law = Pie { probability: 13.6, ..law };
    law.controller.old = 0.030;
    assert!(!signals(&mut law, 99));
}

#[test]
fn linux_winds_up_beyond_one_and_falls_back_to_one_where_its_integer_overflows() {
    // From 1, 30 ms for ever: 0.001875 an update (RFC 8033 stays at 1), so 800 updates are 1.5 more.
    let config = PieConfig { form: Form::Linux, ..no_burst() };
    let mut law = Pie { probability: 1.0, ..late(&config) };
    (0..800).for_each(|_| tick(&mut law, WAITING));
    assert!((law.probability - 2.5).abs() < 1e-6, "{}", law.probability);
    law.probability = 255.999;
    tick(&mut law, WAITING);
    assert_eq!(law.probability, 1.0);
    let mut law = Pie { probability: 1.0, ..late(&no_burst()) };
    tick(&mut law, WAITING);
    assert_eq!(law.probability, 1.0);
}

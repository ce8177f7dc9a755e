//! RED against the numbers of its papers.

use super::*;
use crate::discipline::{Cx, QueueDiscipline};
use crate::managed::Managed;
use crate::registry::Discipline;
use crate::testing::{Collector, TestPacket};
use tailrace_core::{Ecn, Limit, Probability, Rate};

fn link(mbit: u64, delay_ms: u64) -> LinkView {
    LinkView::new(Rate::from_mbit(mbit), Duration::from_millis(delay_ms))
}

fn p(x: f64) -> Probability {
    Probability::new(x).unwrap()
}

fn packets(n: u64) -> Option<Limit> {
    Some(Limit::Packets(n))
}

fn backlog(n: u64) -> Backlog {
    Backlog { packets: n, bytes: Bytes(1000 * n) }
}

/// A law whose average stands at `average` for ever.
fn pinned(config: &RedConfig, average: f64) -> Red {
    let config = RedConfig { weight: Some(Probability::ZERO), ..config.clone() };
    Red { average, idle_since: None, ..Red::new(&config, &link(10, 20)) }
}

fn classic() -> RedConfig {
    RedConfig { min_th: packets(5), max_th: packets(15), weight: Some(p(0.002)), ..RedConfig::default() }
}

/// Frequency of each distance between signals among `n` signals at a signal probability of 0.02.
fn gaps(config: &RedConfig, n: usize) -> Vec<usize> {
    // Mid-band with max_p = 0.04 gives 0.02.
    let mut law = pinned(&RedConfig { max_p: p(0.04), ..config.clone() }, 10.0);
    let (mut rng, mut gap, mut histogram) = (Rng::new(3), 0, vec![0; 2000]);
    for _ in 0..n + 1 {
        loop {
            gap += 1;
            if law.on_enqueue(Bytes(1000), backlog(20), Instant::ZERO, &mut rng) != Verdict::Pass {
                break;
            }
        }
        histogram[gap] += 1;
        gap = 0;
    }
    histogram
}

/// The gaps lie on `range`, each as often as the others: largest distance of the distribution functions below the
/// Kolmogorov-Smirnov bound at one per cent, 1.63 / sqrt(n).
fn assert_uniform(config: &RedConfig, range: std::ops::RangeInclusive<usize>) {
    let n = 40_000;
    let histogram = gaps(config, n);
    let width = range.clone().count() as f64;
    let (mut seen, mut distance) = (0, 0.0_f64);
    for (gap, times) in histogram.iter().enumerate() {
        // The first gap of a run may start within a visit to the band.
        assert!(*times <= 1 || range.contains(&gap), "gap {gap} outside {range:?}");
        seen += times;
        let expected = (gap + 1).saturating_sub(*range.start()) as f64 / width;
        distance = distance.max((seen as f64 / (n + 1) as f64 - expected.min(1.0)).abs());
    }
    assert!(distance < 1.63 / (n as f64).sqrt(), "{distance}");
}

#[test]
fn gaps_between_signals_are_uniform() {
    assert_uniform(&classic(), 1..=50);
    assert_uniform(&RedConfig { count: CountForm::Linux, ..classic() }, 1..=50);
    assert_uniform(&RedConfig { count: CountForm::Figure2, ..classic() }, 1..=49);
    assert_uniform(&RedConfig { count: CountForm::Ns2, ..classic() }, 1..=49);
    assert_uniform(&RedConfig { wait: true, count: CountForm::Ns2, ..classic() }, 50..=99);
}

#[test]
fn a_larger_packet_is_signalled_more_often_only_where_asked() {
    let count = |config: &RedConfig, size| {
        let (mut law, mut rng) = (pinned(config, 10.0), Rng::new(3));
        let mut signal =
            || law.on_enqueue(Bytes(size), backlog(20), Instant::ZERO, &mut rng) != Verdict::Pass;
        (0..100_000).filter(|_| signal()).count() as f64
    };
    let scaled = RedConfig { probability_in_bytes: true, ..classic() };
    // A signal each (1/p + 1)/2 packets, p = 0.01 or 0.01 · 0.1.
    assert!((count(&classic(), 100) / (100_000.0 / 50.5) - 1.0).abs() < 0.05);
    assert!((count(&scaled, 1000) / (100_000.0 / 50.5) - 1.0).abs() < 0.05);
    assert!((count(&scaled, 100) / (100_000.0 / 500.5) - 1.0).abs() < 0.15);
    // ns-2: ten packets of 100 bytes count as one; about a tenth of the signals again.
    let ns2 = RedConfig { count: CountForm::Ns2, ..scaled };
    assert!((count(&ns2, 100) / (100_000.0 / 500.0) - 1.0).abs() < 0.15);
}

#[test]
fn automatic_weight_and_thresholds_are_those_of_ns2() {
    let auto =
        |link: LinkView, avpkt| Red::new(&RedConfig { avpkt: Bytes(avpkt), ..RedConfig::default() }, &link);
    let near = |x: f64, expected: f64| assert!((x / expected - 1.0).abs() < 5e-4, "{x} {expected}");
    near(auto(link(10, 20), 1000).weight, 7.997e-4);
    near(auto(link(15, 20), 500).weight, 2.666e-4);
    let law = auto(link(45, 10), 1000);
    near(law.weight, 1.7776e-4);
    near(law.min_th, 14.0625);
    near(law.max_th, 42.1875);
    // The slow link: 5 packets are the least.
    assert_eq!((auto(link(1, 20), 1000).min_th, auto(link(1, 20), 1000).max_th), (5.0, 15.0));
    // In bytes where the limit is.
    let bytes = RedConfig { limit: Limit::Bytes(Bytes(200_000)), ..RedConfig::default() };
    near(Red::new(&bytes, &link(45, 10)).min_th, 14_062.5);
}

#[test]
fn adaptive_red_averages_over_a_second() {
    let law = Red::new(&RedConfig { adaptive: true, ..RedConfig::default() }, &link(45, 10));
    assert!((law.weight - (1.0 - exp(-1.0 / 5625.0))).abs() < 1e-12);
}

#[test]
fn the_average_decays_over_idle_time() {
    // 500 packets of 1000 bytes at 10 Mbit/s take 400 ms; 10 · 0.998^500 = 3.675, and 3.668 with one more.
    for (idle, expected) in [(IdleForm::Paper, 3.675), (IdleForm::Ns2, 3.668)] {
        let mut law = Red::new(&RedConfig { idle, ..classic() }, &link(10, 20));
        (law.average, law.idle_since) = (10.0, None);
        law.on_idle(Instant::from_secs(1));
        law.on_idle(Instant::from_millis(1399)); // a later poll does not refresh
        law.on_enqueue(Bytes(1000), backlog(0), Instant::from_millis(1400), &mut Rng::new(1));
        assert!((law.average - expected).abs() < 5e-4, "{}", law.average);
    }
}

#[test]
fn a_burst_onto_an_empty_queue_stays_below_min_th_as_long_as_the_paper_says() {
    // Floyd and Jacobson 1993 §6: w = 0.002 allows bursts up to 71 packets, 0.001 up to 101, 0.003 up to 58.
    for (weight, longest) in [(0.002, 71), (0.001, 101), (0.003, 58)] {
        let mut law = Red::new(&RedConfig { weight: Some(p(weight)), ..classic() }, &link(10, 20));
        let mut rng = Rng::new(1);
        // The k-th arrival samples k - 1 waiting; the formula samples k with the k-th.
        let mut reached = 0;
        while law.average < 5.0 {
            law.on_enqueue(Bytes(1000), backlog(reached), Instant::ZERO, &mut rng);
            reached += 1;
        }
        // The sample that crossed saw `reached - 1` waiting.
        assert_eq!(reached - 2, longest);
    }
}

#[test]
fn adaptation_takes_as_many_ticks_as_computed_by_hand() {
    let config = RedConfig { adaptive: true, max_p: p(0.01), ..classic() };
    let ticks = |config: &RedConfig, average: f64, done: &dyn Fn(f64) -> bool| {
        let mut law = pinned(config, average);
        let mut n = 0;
        while !done(law.max_p) {
            let due = law.poll_timeout().unwrap();
            law.handle_timeout(backlog(0), due);
            n += 1;
            assert_eq!(due, Instant::from_millis(500 * n));
        }
        (n, law.max_p)
    };
    // Geometric (a quarter at a time) up to 0.04, then 0.01 a tick: 53 ticks to 0.5.
    assert_eq!(ticks(&config, 14.0, &|p| p >= 0.5).0, 53);
    let (n, last) = ticks(&RedConfig { max_p: p(0.5), ..config.clone() }, 6.0, &|p| p <= 0.01);
    assert_eq!(n, 38);
    assert!((last - 0.00912).abs() < 1e-5, "{last}");
    // Within the target nothing moves: [9, 11] for the band 5 to 15.
    let mut law = pinned(&config, 10.0);
    law.handle_timeout(backlog(0), Instant::from_millis(500));
    assert_eq!(law.max_p, 0.01);
    // Early calls are no-ops.
    let mut law = pinned(&config, 14.0);
    law.handle_timeout(backlog(0), Instant::from_millis(499));
    assert_eq!(law.max_p, 0.01);
}

#[test]
fn arrival_driven_adaptation_moves_at_once_after_a_quiet_spell() {
    let config = RedConfig { adaptive: true, adapt_on: AdaptOn::Arrival, max_p: p(0.1), ..classic() };
    let mut law = pinned(&config, 10.0);
    let arrive = |law: &mut Red, ms| {
        law.on_enqueue(Bytes(1000), backlog(20), Instant::from_millis(ms), &mut Rng::new(1));
        law.max_p
    };
    assert_eq!(law.poll_timeout(), None);
    assert_eq!(arrive(&mut law, 700), 0.1);
    law.average = 14.0;
    assert!((arrive(&mut law, 701) - 0.11).abs() < 1e-12);
    assert!((arrive(&mut law, 1200) - 0.11).abs() < 1e-12);
    assert!((arrive(&mut law, 1201) - 0.12).abs() < 1e-12);
}

#[test]
fn the_probability_is_piecewise_linear_and_gentle_follows_max_p() {
    let at = |config: &RedConfig, average| pinned(config, average).probability();
    let gentle = classic();
    assert!((at(&gentle, 10.0) - 0.01).abs() < 1e-12);
    assert!((at(&gentle, 15.0) - 0.02).abs() < 1e-12);
    assert!((at(&gentle, 22.5) - 0.51).abs() < 1e-12);
    assert!((at(&gentle, 30.0) - 1.0).abs() < 1e-12);
    let mut law = pinned(&gentle, 15.0);
    law.max_p = 0.3;
    assert!((law.probability() - 0.3).abs() < 1e-12);
    assert_eq!(at(&RedConfig { gentle: false, ..classic() }, 15.0), 1.0);
}

#[test]
fn thresholds_and_guard_bound_the_law() {
    let verdict = |config: &RedConfig, average, waiting| {
        let mut law = pinned(config, average);
        law.on_enqueue(Bytes(1000), backlog(waiting), Instant::ZERO, &mut Rng::new(1))
    };
    assert_eq!(verdict(&classic(), 4.999, 20), Verdict::Pass);
    assert_eq!(verdict(&classic(), 30.0, 20), Verdict::Drop);
    assert_eq!(verdict(&classic(), 30.0, 1), Verdict::Pass);
    assert_eq!(verdict(&RedConfig { guard: 0, ..classic() }, 30.0, 0), Verdict::Drop);
    let sharp = RedConfig { gentle: false, ..classic() };
    assert_eq!(verdict(&sharp, 15.0, 20), Verdict::Drop);
    assert_eq!(verdict(&RedConfig { harddrop: false, ..sharp }, 15.0, 20), Verdict::Signal);
}

#[test]
fn ecn_rules_are_switches() {
    // A queue whose average stands at `average`; returns (dropped, marked) of 2000 arrivals.
    let fates = |config: &RedConfig, average, ecn| {
        let config =
            RedConfig { weight: Some(Probability::ZERO), limit: Limit::Packets(9999), ..config.clone() };
        let law = pinned(&config, average);
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = Managed::new(config.limit, config.ecn, config.drop, law);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for id in 0..2000 {
            queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(ecn), &mut cx);
        }
        (sink.dropped.len(), sink.marked.len())
    };
    let on = RedConfig { ecn: true, ..classic() };
    let (dropped, marked) = fates(&on, 10.0, Ecn::Ect0);
    assert!(dropped == 0 && marked > 30, "{marked}");
    let (dropped, marked) = fates(&on, 10.0, Ecn::NotEct);
    assert!(dropped > 30 && marked == 0);
    assert_eq!(fates(&on, 10.0, Ecn::Ce), (0, 0));
    assert_eq!(fates(&classic(), 10.0, Ecn::Ect0).1, 0);
    // Beyond the band: all but the two that the guard lets in are dropped, or marked without harddrop.
    assert_eq!(fates(&on, 40.0, Ecn::Ect0), (1998, 0));
    assert_eq!(fates(&RedConfig { harddrop: false, ..on.clone() }, 40.0, Ecn::Ect0), (0, 1998));
    // nodrop spares those that cannot be marked.
    let spare = RedConfig { harddrop: false, nodrop: true, ..on.clone() };
    assert_eq!(fates(&spare, 40.0, Ecn::NotEct), (0, 0));
    assert_eq!(spare.validate(), Ok(()));
    // ns-2: beyond mark_p packets are dropped; 0.01 at mid-band.
    let strict = RedConfig { mark_p: Some(p(0.005)), ..on.clone() };
    let (dropped, marked) = fates(&strict, 10.0, Ecn::Ect0);
    assert!(dropped > 30 && marked == 0);
    let lenient = RedConfig { mark_p: Some(p(0.1)), ..on };
    assert_eq!(fates(&lenient, 10.0, Ecn::Ect0).0, 0);
}

#[test]
fn the_hard_limit_drops_also_what_could_be_marked() {
    let config = RedConfig { ecn: true, harddrop: false, limit: Limit::Packets(5), ..classic() };
    let law = pinned(&config, 40.0);
    let mut queue = Managed::new(config.limit, true, config.drop, law);
    let (mut rng, mut sink) = (Rng::new(1), Collector::default());
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    for id in 0..8 {
        queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(Ecn::Ect0), &mut cx);
    }
    // Two pass the guard, three are marked, three find no room: dropped, not marked.
    assert_eq!(
        (sink.marked.len(), sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>()),
        (3, vec![5, 6, 7])
    );
}

#[test]
fn the_word_adaptive_of_a_tc_line_does_what_it_does_in_linux() {
    // Linux 6.1 with iproute2 6.1: "probability 0.1" before and after five seconds without a packet.
    let line =
        "limit 90000 min 15000 max 45000 avpkt 1500 burst 15 probability 0.1 bandwidth 10mbit adaptive";
    let config = RedConfig::from_tc("red", &mut crate::tc::TcWords::new(line)).unwrap();
    assert!(!config.adaptive);
    assert_eq!(Red::new(&config, &link(10, 10)).poll_timeout(), None, "nothing adapts by a timer");
}

#[test]
fn in_linux_an_average_in_packets_comes_down_by_whole_ones_only() {
    // Scaled by 8 in integers, from 20 towards 10: 8 a + 10 - floor(a) stands still from a = 10.875 down to 10.
    let after = |count| {
        let config = RedConfig { count, weight: Some(p(0.125)), queue_in_bytes: Some(false), ..classic() };
        let mut law = Red::new(&config, &link(10, 10));
        for packets in [20, 10] {
            let backlog = Backlog { packets, bytes: Bytes(1000 * packets) };
            (0..400).for_each(|_| law.observe(backlog, Instant::ZERO));
        }
        law.average()
    };
    assert!((after(CountForm::Analysis) - 10.0).abs() < 1e-9);
    assert_eq!(after(CountForm::Linux), 10.875);
}

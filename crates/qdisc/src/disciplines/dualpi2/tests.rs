//! Numbers of RFC 9332 and of Linux's `sch_dualpi2`.

use super::super::config::SchedulerKind;
use super::*;
use crate::registry::Discipline;
use crate::testing::{Collector, TestPacket};
use tailrace_core::Rate;

const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

struct Bench {
    queue: Dualpi2<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    next: u64,
}

impl Bench {
    fn new(config: &Dualpi2Config) -> Self {
        config.validate().expect("valid");
        Self { queue: config.build(&LINK), rng: Rng::new(1), sink: Collector::default(), next: 0 }
    }

    fn enqueue(&mut self, ecn: Ecn, now: Instant) {
        let packet = TestPacket::new(self.next, 0, 1000).with_ecn(ecn);
        self.next += 1;
        self.queue.enqueue(packet, &mut Cx { now, rng: &mut self.rng, sink: &mut self.sink });
    }

    fn dequeue(&mut self, now: Instant) -> Option<TestPacket> {
        let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.dequeue(&mut cx).map(|(packet, _)| packet)
    }

    /// Holds the base probability at `base`.
    fn hold(&mut self, base: f64) {
        let law = &mut self.queue.law;
        law.controller = Controller { alpha: 0.0, beta: 0.0, reference: 0.0, old: 0.0 };
        law.base = base;
        law.update(0.0, 0.0);
    }

    /// Shares of marked and of dropped among 20 000 packets with codepoint `ecn` behind a backlog of 100.
    fn shares(&mut self, base: f64, ecn: Ecn) -> (f64, f64) {
        self.hold(base);
        let now = Instant::from_millis(1);
        for _ in 0..100 {
            self.enqueue(ecn, now);
        }
        let (marked, dropped) = (self.sink.marked.len(), self.sink.dropped.len());
        for _ in 0..20_000 {
            // A packet comes for each one that leaves, whether sent or dropped.
            let before = self.queue.backlog.packets;
            self.dequeue(now);
            for _ in self.queue.backlog.packets..before {
                self.enqueue(ecn, now);
            }
        }
        let drops = (self.sink.dropped.len() - dropped) as f64;
        let seen = 20_000.0 + drops;
        ((self.sink.marked.len() - marked) as f64 / seen, drops / seen)
    }
}

/// Neither queue signals anything.
fn quiet() -> Dualpi2Config {
    Dualpi2Config { alpha: 0.0, beta: 0.0, native: Native::Off, ..Dualpi2Config::default() }
}

#[test]
fn the_round_robin_starts_with_minus_80_mtus_and_gives_a_tenth_of_the_bytes_to_classic() {
    let mut bench = Bench::new(&quiet());
    assert_eq!(bench.queue.scheduler.credit, -80.0 * 1514.0);
    for _ in 0..100 {
        bench.enqueue(Ecn::Ect1, Instant::ZERO);
        bench.enqueue(Ecn::NotEct, Instant::ZERO);
    }
    let mut sent = [0u32; 2];
    for _ in 0..10_000 {
        // Departures are replaced, so that both stay backlogged.
        let packet = bench.dequeue(Instant::ZERO).expect("backlogged");
        bench.enqueue(packet.ecn, Instant::ZERO);
        sent[usize::from(packet.ecn == Ecn::NotEct)] += 1;
    }
    let share = f64::from(sent[1]) / 10_000.0;
    assert!((share - 0.1).abs() < 0.002, "{sent:?}");
    while bench.dequeue(Instant::ZERO).is_some() {}
    assert_eq!(bench.queue.scheduler.credit, -80.0 * 1514.0);
}

#[test]
fn the_low_latency_head_goes_first_unless_the_classic_one_is_50_ms_older() {
    let config = Dualpi2Config { scheduler: SchedulerKind::TsFifo, ..quiet() };
    for (low_at, first) in [(50, Ecn::Ect1), (51, Ecn::NotEct)] {
        let mut bench = Bench::new(&config);
        bench.enqueue(Ecn::NotEct, Instant::ZERO);
        bench.enqueue(Ecn::Ect1, Instant::from_millis(low_at));
        assert_eq!(bench.dequeue(Instant::from_millis(60)).map(|p| p.ecn), Some(first), "{low_at}");
    }
}

#[test]
fn ect1_and_ce_are_low_latency_and_the_rest_is_classic() {
    let queue = Bench::new(&quiet()).queue;
    let lanes = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(|e| queue.classify(e));
    assert_eq!(lanes, [Which::Classic, Which::Classic, Which::Low, Which::Low]);
    let queue = Bench::new(&Dualpi2Config { low_latency: LowLatency::AnyEct, ..quiet() }).queue;
    assert_eq!(queue.classify(Ecn::Ect0), Which::Low);
}

#[test]
fn a_base_of_a_tenth_is_a_fifth_of_marks_and_a_hundredth_of_drops() {
    for config in [Dualpi2Config::default(), Dualpi2Config::linux()] {
        let mut bench = Bench::new(&config);
        bench.hold(0.1);
        let law = &bench.queue.law;
        assert!((law.coupled - 0.2).abs() < 1e-12 && (law.classic - 0.01).abs() < 1e-12);
        let (marked, dropped) = Bench::new(&config).shares(0.1, Ecn::Ect1);
        assert!((marked - 0.2).abs() < 0.012 && dropped == 0.0, "{marked} {dropped}");
        let (marked, dropped) = Bench::new(&config).shares(0.1, Ecn::Ect0);
        assert!((marked - 0.01).abs() < 0.003 && dropped == 0.0, "{marked} {dropped}");
        let (marked, dropped) = Bench::new(&config).shares(0.1, Ecn::NotEct);
        assert!((dropped - 0.01).abs() < 0.003 && marked == 0.0, "{marked} {dropped}");
    }
}

#[test]
fn a_constant_delay_of_30_ms_reaches_a_quarter_after_112_updates() {
    // 0.15 (30 ms - 15 ms) = 0.00225 an update; 111 of them are 0.24975.
    let mut law = Law::new(&Dualpi2Config::default());
    law.controller.old = 0.030;
    for update in 1..=112 {
        // The greater of the two counts, whichever it is.
        if update % 2 == 0 {
            law.update(0.030, 0.001)
        } else {
            law.update(0.001, 0.030)
        }
        assert_eq!(law.base >= 0.25, update == 112, "{update}: {}", law.base);
    }
    // Linux: 41/256 (15 ms) = 0.0024, so 105 as for PI2.
    let mut law = Law::new(&Dualpi2Config::linux());
    law.controller.old = 0.030;
    let updates = (1..).find(|_| {
        law.update(0.030, 0.0);
        law.base >= 0.25
    });
    assert_eq!(updates, Some(105));
    let mut law = Law::new(&Dualpi2Config { delay_of: DelayOf::Classic, ..Dualpi2Config::default() });
    law.update(0.0, 1.0);
    assert_eq!(law.base, 0.0);
}

#[test]
fn the_ramp_rises_from_800_to_1200_us_and_spares_short_queues() {
    let law = Law::new(&Dualpi2Config::default());
    let native = |us, left| law.native(Duration::from_micros(us), left, true);
    assert_eq!([native(800, 5), native(1200, 5), native(5000, 5)], [0.0, 1.0, 1.0]);
    assert!((native(900, 5) - 0.25).abs() < 1e-12 && (native(1000, 5) - 0.5).abs() < 1e-12);
    assert_eq!([native(5000, 1), native(5000, 2)], [0.0, 1.0]);
}

#[test]
fn the_step_marks_beyond_a_millisecond_or_some_packets() {
    let law = Law::new(&Dualpi2Config::linux());
    let native = |ns, step| law.native(Duration::from_nanos(ns), 0, step);
    assert_eq!([native(1_000_000, true), native(1_000_001, true), native(9_000_000, false)], [0.0, 1.0, 0.0]);
    let law = Law::new(&Dualpi2Config { step_packets: Some(3), ..Dualpi2Config::linux() });
    assert_eq!([3, 4].map(|left| law.native(Duration::ZERO, left, true)), [0.0, 1.0]);
    // Packets that found fewer than `min_qlen_step` in their queue are spared; two MTUs of others do not matter.
    let config = Dualpi2Config { min_qlen_step: 2, ..Dualpi2Config::linux() };
    let mut bench = Bench::new(&config);
    for _ in 0..4 {
        bench.enqueue(Ecn::Ect1, Instant::ZERO);
    }
    while bench.dequeue(Instant::from_millis(5)).is_some() {}
    assert_eq!(bench.sink.marked.iter().map(|(p, _)| p.id).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn on_overload_both_queues_drop_by_the_square_and_the_rest_of_low_latency_is_marked() {
    for config in [Dualpi2Config::default(), Dualpi2Config::linux()] {
        for ecn in [Ecn::NotEct, Ecn::Ect0] {
            let (marked, dropped) = Bench::new(&config).shares(0.6, ecn);
            assert!(marked == 0.0 && (dropped - 0.36).abs() < 0.012, "{marked} {dropped}");
        }
        let (marked, dropped) = Bench::new(&config).shares(0.6, Ecn::Ect1);
        assert!((dropped - 0.36).abs() < 0.012, "{dropped}");
        assert!((marked + dropped - 1.0).abs() < 0.001, "{marked} {dropped}");
    }
}

#[test]
fn with_overflow_the_base_stops_at_half_and_ecn_capable_packets_live() {
    for base in [Dualpi2Config::default(), Dualpi2Config::linux()] {
        let config = Dualpi2Config { overload: Overload::Overflow, ..base };
        let mut bench = Bench::new(&config);
        bench.hold(0.9);
        assert_eq!((bench.queue.law.base, bench.queue.law.coupled), (0.5, 1.0));
        let (marked, dropped) = bench.shares(0.9, Ecn::Ect1);
        assert!(marked > 0.999 && dropped == 0.0, "{marked} {dropped}");
        let (marked, dropped) = Bench::new(&config).shares(0.9, Ecn::Ect0);
        assert!((marked - 0.25).abs() < 0.012 && dropped == 0.0, "{marked} {dropped}");
        let (_, dropped) = Bench::new(&config).shares(0.9, Ecn::NotEct);
        assert!((dropped - 0.25).abs() < 0.012, "{dropped}");
    }
}

#[test]
fn linux_signals_nothing_while_less_than_two_mtus_wait() {
    // Five packets of 1000 bytes: the first leaves 4000 behind, the second 3000.
    let mut bench = Bench::new(&Dualpi2Config::linux());
    bench.hold(1.0);
    for _ in 0..5 {
        bench.enqueue(Ecn::NotEct, Instant::ZERO);
    }
    assert_eq!(bench.dequeue(Instant::ZERO).map(|p| p.id), Some(1));
    assert_eq!(bench.sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [0]);
}

#[test]
fn early_drops_are_decided_on_arrival() {
    let mut bench = Bench::new(&Dualpi2Config { drop_early: true, ..Dualpi2Config::linux() });
    bench.hold(1.0);
    for _ in 0..10 {
        bench.enqueue(Ecn::NotEct, Instant::ZERO);
    }
    // 4000 bytes wait before there are two MTUs.
    assert_eq!((bench.queue.backlog.packets, bench.sink.dropped.len()), (4, 6));
    assert!(bench.sink.dropped.iter().all(|(_, why, _)| *why == DropReason::Aqm));
    assert_eq!(std::iter::from_fn(|| bench.dequeue(Instant::ZERO)).count(), 4);
}

#[test]
fn the_limit_is_a_quarter_second_of_the_link_for_both_queues() {
    // 10 Mbit/s for 250 ms is 312 500 bytes.
    let mut bench = Bench::new(&quiet());
    for id in 0..400 {
        bench.enqueue(if id % 2 == 0 { Ecn::Ect1 } else { Ecn::NotEct }, Instant::ZERO);
    }
    assert_eq!(bench.queue.backlog().packets, 312);
    assert!(bench.sink.dropped.iter().all(|(_, why, _)| *why == DropReason::Overlimit));
    let mut bench = Bench::new(&Dualpi2Config { memory_limit: Some(Bytes(5500)), ..quiet() });
    (0..10).for_each(|_| bench.enqueue(Ecn::Ect1, Instant::ZERO));
    assert_eq!(bench.queue.backlog().packets, 5);
}

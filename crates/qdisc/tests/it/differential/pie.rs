//! PIE, spread over a law and its estimator, against the pseudo-code of RFC 8033 (Appendix A, with the rate
//! estimation, derandomisation and cap of Appendix B) written plainly around a queue.

use proptest::prelude::*;
use std::collections::VecDeque;
use tailrace_core::params::Value;
use tailrace_core::{Duration, Ecn, Instant, Packet, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

const QDELAY_REF: f64 = 0.015;
const T_UPDATE: u64 = 15_000_000;
const MAX_BURST: f64 = 0.150;
const MEAN_PKTSIZE: u64 = 1000;
const DQ_THRESHOLD: u64 = 1 << 14;
const LIMIT: usize = 200;

#[derive(Clone, Copy, Debug)]
struct Options {
    ecn: bool,
    rate: bool,
    derandomize: bool,
}

/// Times in seconds, but for `now`.
struct Plain {
    options: Options,
    rng: Rng,
    queue: VecDeque<(TestPacket, u64)>,
    drop_prob: f64,
    qdelay_old: f64,
    last_sojourn: f64,
    burst_allowance: f64,
    accu_prob: f64,
    in_measurement: bool,
    dq_count: u64,
    start: u64,
    avg_dq_time: f64,
    last_timestamp: u64,
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

impl Plain {
    fn new(options: Options, seed: u64) -> Self {
        Self {
            options,
            rng: Rng::new(seed),
            queue: VecDeque::new(),
            drop_prob: 0.0,
            qdelay_old: 0.0,
            last_sojourn: 0.0,
            burst_allowance: MAX_BURST,
            accu_prob: 0.0,
            in_measurement: false,
            dq_count: 0,
            start: 0,
            avg_dq_time: 0.0,
            last_timestamp: 0,
            dropped: Vec::new(),
            marked: Vec::new(),
        }
    }

    fn byte_length(&self) -> u64 {
        self.queue.iter().map(|(p, _)| p.size.get()).sum()
    }

    fn current_qdelay(&self) -> f64 {
        if self.options.rate {
            self.byte_length() as f64 * self.avg_dq_time / DQ_THRESHOLD as f64
        } else {
            self.last_sojourn
        }
    }

    fn enqueue(&mut self, mut packet: TestPacket, now: u64) {
        if self.queue.len() >= LIMIT {
            self.dropped.push(packet.id);
            self.accu_prob = 0.0;
            return;
        }
        // Half a nanosecond for ten subtractions of 15 ms.
        if self.burst_allowance < 0.5e-9 && self.drop_early() {
            if self.options.ecn && packet.ecn() != Ecn::NotEct && self.drop_prob <= 0.1 {
                if packet.ecn() != Ecn::Ce {
                    packet.set_ce();
                    self.marked.push(packet.id);
                }
            } else {
                self.dropped.push(packet.id);
                self.accu_prob = 0.0;
                return;
            }
        }
        self.queue.push_back((packet, now));
    }

    fn drop_early(&mut self) -> bool {
        if (self.qdelay_old < QDELAY_REF / 2.0 && self.drop_prob < 0.2)
            || self.byte_length() <= 2 * MEAN_PKTSIZE
        {
            return false;
        }
        if self.options.derandomize {
            if self.drop_prob == 0.0 {
                self.accu_prob = 0.0;
            }
            self.accu_prob += self.drop_prob;
            if self.accu_prob < 0.85 {
                return false;
            }
            if self.accu_prob >= 8.5 {
                return true;
            }
        }
        self.rng.uniform() < self.drop_prob
    }

    fn dequeue(&mut self, now: u64) -> Option<TestPacket> {
        let (packet, arrival) = self.queue.pop_front()?;
        self.last_sojourn = if self.queue.is_empty() { 0.0 } else { (now - arrival) as f64 / 1e9 };
        if self.in_measurement {
            self.dq_count += packet.size.get();
            if self.dq_count >= DQ_THRESHOLD {
                let dq_time = (now - self.start) as f64 / 1e9;
                self.avg_dq_time =
                    if self.avg_dq_time == 0.0 { dq_time } else { dq_time * 0.25 + self.avg_dq_time * 0.75 };
                self.in_measurement = false;
            }
        }
        if self.byte_length() >= DQ_THRESHOLD && !self.in_measurement {
            self.in_measurement = true;
            self.start = now;
            self.dq_count = 0;
        }
        Some(packet)
    }

    fn calculate_drop_prob(&mut self, now: u64) {
        if now - self.last_timestamp < T_UPDATE {
            return;
        }
        let qdelay = self.current_qdelay();
        let mut p = 0.125 * (qdelay - QDELAY_REF) + 1.25 * (qdelay - self.qdelay_old);
        if self.drop_prob < 0.000_001 {
            p /= 2048.0;
        } else if self.drop_prob < 0.000_01 {
            p /= 512.0;
        } else if self.drop_prob < 0.000_1 {
            p /= 128.0;
        } else if self.drop_prob < 0.001 {
            p /= 32.0;
        } else if self.drop_prob < 0.01 {
            p /= 8.0;
        } else if self.drop_prob < 0.1 {
            p /= 2.0;
        }
        if self.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        self.drop_prob += p;
        if qdelay == 0.0 && self.qdelay_old == 0.0 {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        self.burst_allowance = (self.burst_allowance - T_UPDATE as f64 / 1e9).max(0.0);
        if self.drop_prob == 0.0 && qdelay < QDELAY_REF / 2.0 && self.qdelay_old < QDELAY_REF / 2.0 {
            self.burst_allowance = MAX_BURST;
        }
        self.qdelay_old = qdelay;
        self.last_timestamp = now;
    }
}

/// Microseconds to wait, packets to add (size, codepoint) and packets to take.
type Round = (u64, Vec<(u64, u8)>, usize);

/// Phases, each with its own share of arrivals, so that delays rise and fall over many updates.
fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let packets = |n| prop::collection::vec((400u64..1515, 0u8..4), 0..n);
    let phase = (0usize..4, 500u64..4000).prop_flat_map(move |(load, wait)| {
        prop::collection::vec((0..2 * wait, packets(load + 1), 0usize..3), 20..400)
    });
    prop::collection::vec(phase, 1..6).prop_map(|phases| phases.concat())
}

/// Runs both over the same trace; returns drops and marks.
fn compare(rounds: &[Round], options: Options, seed: u64) -> (usize, usize) {
    let mut config = QdiscConfig::default_of("pie").expect("registered");
    config.set("ecn", &Value::Bool(options.ecn)).expect("a switch");
    config.set("derandomize", &Value::Bool(options.derandomize)).expect("a switch");
    config.set("limit", &Value::Text(format!("{LIMIT} packets"))).expect("a limit");
    let from = if options.rate { "rate" } else { "timestamps" };
    config.set("delay_from", &Value::Text(from.into())).expect("a choice");
    let mut queue: Qdisc<TestPacket> = config.build(&LinkView::new(Rate::from_mbit(10), Duration::ZERO));
    let mut plain = Plain::new(options, seed);
    let (mut rng, mut sink, mut now, mut id) = (Rng::new(seed), Collector::default(), 0, 0);
    for (wait, packets, takes) in rounds {
        now += wait * 1000;
        while let Some(t) = queue.poll_timeout().filter(|t| t.as_nanos() <= now) {
            queue.handle_timeout(&mut Cx { now: t, rng: &mut rng, sink: &mut sink });
            plain.calculate_drop_prob(t.as_nanos());
        }
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut rng, sink: &mut sink };
        for (size, bits) in packets {
            let packet = TestPacket::new(id, 0, *size).with_ecn(Ecn::from_bits(*bits));
            queue.enqueue(packet, &mut cx);
            plain.enqueue(packet, now);
            id += 1;
        }
        for _ in 0..*takes {
            assert_eq!(queue.dequeue(&mut cx).map(|(p, _)| p), plain.dequeue(now), "at {now} ns");
        }
    }
    assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), plain.dropped);
    assert_eq!(sink.marked.iter().map(|(p, _)| p.id).collect::<Vec<_>>(), plain.marked);
    (plain.dropped.len(), plain.marked.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn decisions_equal_those_of_the_rfc(
        rounds in rounds(), seed in any::<u64>(), ecn in any::<bool>(), rate in any::<bool>(), derandomize in any::<bool>(),
    ) {
        compare(&rounds, Options { ecn, rate, derandomize }, seed);
    }
}

/// The random traces reach the interesting states: without drops and marks they prove nothing.
#[test]
fn a_saturated_trace_drops_and_marks() {
    // Ten seconds each: 65 arrivals in 64 departures, then 63 in 64. One packet in four is not ECN-capable, so drops
    // of these alone hold the overload at a probability below a tenth.
    let round = |i: u64| {
        let filling = i % 20_000 < 10_000;
        let arrivals = if i.is_multiple_of(64) { usize::from(filling) * 2 } else { 1 };
        (1000, vec![(1000, (i % 4) as u8); arrivals], 1)
    };
    let rounds: Vec<Round> = (0..40_000).map(round).collect();
    for rate in [false, true] {
        for derandomize in [false, true] {
            let (drops, marks) = compare(&rounds, Options { ecn: true, rate, derandomize }, 1);
            assert!(drops > 100 && marks > 100, "{drops} {marks}");
            let (drops, marks) = compare(&rounds, Options { ecn: false, rate, derandomize }, 1);
            assert!(drops > 100 && marks == 0, "{drops} {marks}");
        }
    }
}

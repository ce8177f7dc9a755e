//! CoDel, written as a law that sees one packet at a time, against the loop of RFC 8289 §5.5 written plainly, and
//! with the arithmetic of Linux (`include/net/codel.h`, `codel_impl.h`) in its place.

use proptest::prelude::*;
use std::collections::VecDeque;
use tailrace_core::params::Value;
use tailrace_core::{Duration, Ecn, Instant, Packet, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

/// RFC 8289 §5.5 in nanoseconds, or with `linux` in units of 1024 of them; zero stands for "none" in
/// `first_above_time`, as it does there.
#[derive(Default)]
struct Plain {
    queue: VecDeque<(TestPacket, u64)>,
    ecn: bool,
    linux: bool,
    rec_inv_sqrt: u16,
    target: u64,
    interval: u64,
    max_packet: u64,
    first_above_time: u64,
    drop_next: u64,
    count: u32,
    last_count: u32,
    dropping: bool,
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

impl Plain {
    fn bytes(&self) -> u64 {
        self.queue.iter().map(|(p, _)| p.size.get()).sum()
    }

    fn newton_step(&mut self) {
        let inv = u64::from(self.rec_inv_sqrt) << 16;
        let inv2 = (inv * inv) >> 32;
        let val = ((3u64 << 32) - u64::from(self.count) * inv2) >> 2;
        self.rec_inv_sqrt = (((val * inv) >> (32 - 2 + 1)) >> 16) as u16;
    }

    fn control_law(&self, t: u64) -> u64 {
        if self.linux {
            return t + ((self.interval * (u64::from(self.rec_inv_sqrt) << 16)) >> 32);
        }
        t + (self.interval as f64 / f64::from(self.count).sqrt() + 0.5) as u64
    }

    fn do_dequeue(&mut self, now: u64) -> (Option<TestPacket>, bool) {
        let Some((packet, arrival)) = self.queue.pop_front() else {
            self.first_above_time = 0;
            return (None, false);
        };
        self.max_packet = self.max_packet.max(packet.size.get());
        let mut ok_to_drop = false;
        if now - arrival < self.target || self.bytes() <= self.max_packet {
            self.first_above_time = 0;
        } else if self.first_above_time == 0 {
            self.first_above_time = now + self.interval;
        } else {
            ok_to_drop = now > self.first_above_time || (now == self.first_above_time && !self.linux);
        }
        (Some(packet), ok_to_drop)
    }

    /// Marks where that is possible (true), else drops.
    fn mark_or_drop(&mut self, packet: &mut TestPacket) -> bool {
        if !self.ecn || packet.ecn() == Ecn::NotEct {
            self.dropped.push(packet.id);
            return false;
        }
        if packet.ecn() != Ecn::Ce {
            packet.set_ce();
            self.marked.push(packet.id);
        }
        true
    }

    fn dequeue(&mut self, now: u64) -> Option<TestPacket> {
        let (mut packet, mut ok_to_drop) = self.do_dequeue(now);
        if packet.is_none() {
            self.dropping = false;
            return None;
        }
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                self.newton_step();
                if self.mark_or_drop(packet.as_mut().expect("a packet is ok to drop")) {
                    self.drop_next = self.control_law(self.drop_next);
                    return packet;
                }
                (packet, ok_to_drop) = self.do_dequeue(now);
                if ok_to_drop {
                    self.drop_next = self.control_law(self.drop_next);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            if !self.mark_or_drop(packet.as_mut().expect("a packet is ok to drop")) {
                (packet, _) = self.do_dequeue(now);
            }
            self.dropping = true;
            let delta = self.count - self.last_count;
            let recent = (now as i128 - i128::from(self.drop_next)) < 16 * i128::from(self.interval);
            if delta > 1 && recent {
                self.count = delta;
                self.newton_step();
            } else {
                self.count = 1;
                self.rec_inv_sqrt = u16::MAX;
            }
            self.drop_next = self.control_law(now);
            self.last_count = self.count;
        }
        packet
    }
}

/// Milliseconds to wait, packets to add (size, codepoint) and packets to take.
type Round = (u64, Vec<(u64, u8)>, usize);

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let wait = prop_oneof![4 => 0u64..3_000_000, 2 => 0u64..40_000_000, 1 => 0u64..2_000_000_000];
    let packets = prop::collection::vec((40u64..1515, 0u8..4), 0..5);
    prop::collection::vec((wait, packets, 0usize..3), 50..600)
}

/// Runs both over the same trace; returns how many drops and marks there were.
fn compare(rounds: &[Round], ecn: bool, linux: bool, [target, interval]: [Duration; 2]) -> (usize, usize) {
    let ticks = |ns: u64| if linux { ns >> 10 } else { ns };
    let mut config = QdiscConfig::default_of("codel").expect("registered");
    config.set("ecn", &Value::Bool(ecn)).expect("a switch");
    config.set("limit", &Value::Text("1000000 packets".into())).expect("a limit");
    config.set("target", &Value::Text(target.to_string())).expect("a duration");
    config.set("arithmetic", &Value::Text(if linux { "linux16" } else { "exact" }.into())).expect("a choice");
    config.set("interval", &Value::Text(interval.to_string())).expect("a duration");
    let link = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
    let mut queue: Qdisc<TestPacket> = config.build(&link);
    let mut plain = Plain {
        ecn,
        linux,
        rec_inv_sqrt: u16::MAX,
        target: ticks(target.as_nanos()),
        interval: ticks(interval.as_nanos()),
        max_packet: 512,
        ..Plain::default()
    };
    let (mut rng, mut sink, mut now, mut id) = (Rng::new(1), Collector::default(), 0, 0);
    for (wait, packets, takes) in rounds {
        now += wait;
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut rng, sink: &mut sink };
        for (size, bits) in packets {
            let packet = TestPacket::new(id, 0, *size).with_ecn(Ecn::from_bits(*bits));
            queue.enqueue(packet, &mut cx);
            plain.queue.push_back((packet, ticks(now)));
            id += 1;
        }
        for _ in 0..*takes {
            assert_eq!(queue.dequeue(&mut cx).map(|(p, _)| p), plain.dequeue(ticks(now)), "at {now} ns");
        }
    }
    assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), plain.dropped);
    assert_eq!(sink.marked.iter().map(|(p, _)| p.id).collect::<Vec<_>>(), plain.marked);
    (plain.dropped.len(), plain.marked.len())
}

/// RFC 8289 §4.4: target and interval.
const STANDARD: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(100)];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn decisions_equal_those_of_the_rfc(rounds in rounds(), ecn in any::<bool>()) {
        compare(&rounds, ecn, false, STANDARD);
    }

    #[test]
    fn decisions_equal_those_of_the_rfc_with_short_intervals(
        rounds in rounds(), ecn in any::<bool>(), target in 0u64..3, interval in 1u64..20,
    ) {
        compare(&rounds, ecn, false, [target, interval].map(Duration::from_millis));
    }

    #[test]
    fn decisions_equal_those_of_linux_with_its_arithmetic(
        rounds in rounds(), ecn in any::<bool>(), interval in 1u64..100,
    ) {
        compare(&rounds, ecn, true, [Duration::from_millis(1), Duration::from_millis(interval)]);
    }
}

/// The random traces above reach the interesting states: without drops, marks and re-entries they prove nothing.
#[test]
fn a_saturated_trace_drops_marks_and_reenters() {
    // Six hundred milliseconds of two arrivals a departure, six hundred of one arrival in two departures.
    let round = |i: u64| {
        let filling = i % 400 < 200;
        let packets = vec![(1000, (i % 4) as u8); if filling { 2 } else { 1 }];
        (3_000_000, packets, if filling { 1 } else { 2 })
    };
    let rounds: Vec<Round> = (0..4000).map(round).collect();
    for linux in [false, true] {
        let (drops, marks) = compare(&rounds, true, linux, STANDARD);
        assert!(drops > 20 && marks > 20, "{drops} {marks}");
        let (drops, marks) = compare(&rounds, false, linux, STANDARD);
        assert!(drops > 100 && marks == 0, "{drops} {marks}");
    }
}

//! CoDel, written as a law that sees one packet at a time, against the loop of RFC 8289 §5.5 written plainly.

use proptest::prelude::*;
use std::collections::VecDeque;
use tailrace_core::params::Value;
use tailrace_core::{Duration, Ecn, Instant, Packet, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

/// RFC 8289 §5.5 in nanoseconds; zero stands for "none" in `first_above_time`, as it does there.
#[derive(Default)]
struct Plain {
    queue: VecDeque<(TestPacket, u64)>,
    ecn: bool,
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

    fn control_law(&self, t: u64) -> u64 {
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
            ok_to_drop = now >= self.first_above_time;
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
            self.count = if delta > 1 && recent { delta } else { 1 };
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
fn compare(rounds: &[Round], ecn: bool, target: Duration, interval: Duration) -> (usize, usize) {
    let mut config = QdiscConfig::default_of("codel").expect("registered");
    config.set("ecn", &Value::Bool(ecn)).expect("a switch");
    config.set("limit", &Value::Text("1000000 packets".into())).expect("a limit");
    config.set("target", &Value::Text(target.to_string())).expect("a duration");
    config.set("interval", &Value::Text(interval.to_string())).expect("a duration");
    let link = LinkView { rate: Rate::from_mbit(10), delay: Duration::ZERO };
    let mut queue: Qdisc<TestPacket> = config.build(&link);
    let mut plain = Plain {
        ecn,
        target: target.as_nanos(),
        interval: interval.as_nanos(),
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
            plain.queue.push_back((packet, now));
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
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn decisions_equal_those_of_the_rfc(rounds in rounds(), ecn in any::<bool>()) {
        compare(&rounds, ecn, Duration::from_millis(5), Duration::from_millis(100));
    }

    #[test]
    fn decisions_equal_those_of_the_rfc_with_short_intervals(
        rounds in rounds(), ecn in any::<bool>(), target in 0u64..3, interval in 1u64..20,
    ) {
        compare(&rounds, ecn, Duration::from_millis(target), Duration::from_millis(interval));
    }
}

/// The random traces above reach the interesting states: without drops, marks and re-entries they prove nothing.
#[test]
fn a_saturated_trace_drops_marks_and_reenters() {
    let round = |i: u64| {
        (
            3_000_000,
            vec![(1000, (i % 4) as u8); 1 + usize::from(i % 400 < 200)],
            1 + (i % 400 >= 200) as usize,
        )
    };
    let rounds: Vec<Round> = (0..4000).map(round).collect();
    let (drops, marks) = compare(&rounds, true, Duration::from_millis(5), Duration::from_millis(100));
    assert!(drops > 20 && marks > 20, "{drops} {marks}");
    let (drops, marks) = compare(&rounds, false, Duration::from_millis(5), Duration::from_millis(100));
    assert!(drops > 100 && marks == 0, "{drops} {marks}");
}

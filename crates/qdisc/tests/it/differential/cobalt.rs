//! COBALT, written as a law with drops and marks decided outside, against the queue and the three events of ns-3
//! `cobalt-queue-disc.cc` written plainly, with exact roots.

use proptest::prelude::*;
use std::collections::VecDeque;
use tailrace_core::params::Value;
use tailrace_core::{Duration, Ecn, Instant, Packet, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

const TARGET: i64 = 5_000_000;
const INTERVAL: i64 = 100_000_000;
const BLUE_THRESHOLD: i64 = 400_000_000;

struct Plain {
    queue: VecDeque<(TestPacket, i64)>,
    limit: usize,
    ecn: bool,
    rng: Rng,
    count: u32,
    dropping: bool,
    drop_next: i64,
    p_drop: f64,
    last_blue: i64,
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

impl Plain {
    fn control_law(&self, t: i64) -> i64 {
        t + (INTERVAL as f64 / f64::from(self.count.max(1)).sqrt() + 0.5) as i64
    }

    fn enqueue(&mut self, packet: TestPacket, now: i64) {
        if self.queue.len() < self.limit {
            return self.queue.push_back((packet, now));
        }
        if now - self.last_blue > TARGET {
            self.p_drop = (self.p_drop + 1.0 / 256.0).min(1.0);
            self.last_blue = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
        self.dropped.push(packet.id);
    }

    fn empty(&mut self, now: i64) {
        if self.p_drop > 0.0 && now - self.last_blue > TARGET {
            self.p_drop = (self.p_drop - 1.0 / 4096.0).max(0.0);
            self.last_blue = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = self.control_law(self.drop_next);
        }
    }

    fn mark(&mut self, packet: &mut TestPacket, fresh: &mut bool) -> bool {
        if !self.ecn || packet.ecn() == Ecn::NotEct {
            return false;
        }
        *fresh = packet.ecn() != Ecn::Ce;
        packet.set_ce();
        true
    }

    fn should_drop(&mut self, packet: &mut TestPacket, arrival: i64, now: i64) -> bool {
        let (mut drop, mut fresh) = (false, false);
        let mut schedule = now - self.drop_next;
        let over_target = now - arrival > TARGET;
        let mut next_due = self.count > 0 && schedule >= 0;
        if over_target {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.control_law(now);
            }
            if self.count == 0 {
                self.count = 1;
            }
        } else {
            self.dropping = false;
        }
        if next_due && self.dropping {
            drop = !self.mark(packet, &mut fresh);
            self.count += 1;
            self.drop_next = self.control_law(self.drop_next);
            schedule = now - self.drop_next;
        } else {
            while next_due {
                self.count -= 1;
                self.drop_next = self.control_law(self.drop_next);
                schedule = now - self.drop_next;
                next_due = self.count > 0 && schedule >= 0;
            }
        }
        if now - arrival > BLUE_THRESHOLD && now - self.last_blue > TARGET {
            self.p_drop = (self.p_drop + 1.0 / 256.0).min(1.0);
            self.last_blue = now;
        }
        if self.p_drop > 0.0 {
            drop |= self.rng.uniform() < self.p_drop;
        }
        if self.count == 0 {
            self.drop_next = now + INTERVAL;
        } else if schedule > 0 && !drop {
            self.drop_next = now;
        }
        if fresh && !drop {
            self.marked.push(packet.id);
        }
        drop
    }

    fn dequeue(&mut self, now: i64) -> Option<TestPacket> {
        while let Some((mut packet, arrival)) = self.queue.pop_front() {
            if !self.should_drop(&mut packet, arrival, now) {
                return Some(packet);
            }
            self.dropped.push(packet.id);
        }
        self.empty(now);
        None
    }
}

/// Nanoseconds to wait, packets to add (size, codepoint) and packets to take.
type Round = (u64, Vec<(u64, u8)>, usize);

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let wait = prop_oneof![4 => 0u64..3_000_000, 2 => 0u64..40_000_000, 1 => 0u64..2_000_000_000];
    let packets = prop::collection::vec((40u64..1515, 0u8..4), 0..5);
    prop::collection::vec((wait, packets, 0usize..3), 50..500)
}

/// Runs both over the same trace; returns how many drops and marks there were, and the last probability.
fn compare(rounds: &[Round], ecn: bool, limit: usize) -> (usize, usize, f64) {
    let mut config = QdiscConfig::default_of("cobalt").expect("registered");
    config.set("ecn", &Value::Bool(ecn)).expect("a switch");
    config.set("limit", &Value::Text(format!("{limit} packets"))).expect("a limit");
    let link = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
    let mut queue: Qdisc<TestPacket> = config.build(&link);
    let mut plain = Plain {
        queue: VecDeque::new(),
        limit,
        ecn,
        rng: Rng::new(1),
        count: 0,
        dropping: false,
        drop_next: 0,
        p_drop: 0.0,
        last_blue: 0,
        dropped: Vec::new(),
        marked: Vec::new(),
    };
    let (mut rng, mut sink, mut now, mut id) = (Rng::new(1), Collector::default(), 0, 0);
    for (wait, packets, takes) in rounds {
        now += wait;
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut rng, sink: &mut sink };
        for (size, bits) in packets {
            let packet = TestPacket::new(id, 0, *size).with_ecn(Ecn::from_bits(*bits));
            queue.enqueue(packet, &mut cx);
            plain.enqueue(packet, now as i64);
            id += 1;
        }
        for _ in 0..*takes {
            assert_eq!(queue.dequeue(&mut cx).map(|(p, _)| p), plain.dequeue(now as i64), "at {now} ns");
        }
    }
    assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), plain.dropped);
    assert_eq!(sink.marked.iter().map(|(p, _)| p.id).collect::<Vec<_>>(), plain.marked);
    (plain.dropped.len(), plain.marked.len(), plain.p_drop)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn decisions_equal_those_of_ns3(rounds in rounds(), ecn in any::<bool>(), limit in 1usize..300) {
        compare(&rounds, ecn, limit);
    }
}

/// The random traces above reach the interesting states: without drops, marks and BLUE they prove nothing.
#[test]
fn a_saturated_trace_drops_marks_and_overflows() {
    let round = |i: u64| {
        let filling = i % 800 < 400;
        let packets = vec![(1000, (i % 4) as u8); if filling { 2 } else { 1 }];
        (3_000_000, packets, if filling { 1 } else { 2 })
    };
    let rounds: Vec<Round> = (0..4000).map(round).collect();
    let (drops, marks, _) = compare(&rounds, true, 1000);
    assert!(drops > 20 && marks > 20, "{drops} {marks}");
    let (drops, _, p_drop) = compare(&rounds, true, 50);
    assert!(drops > 100 && p_drop > 0.01, "{drops} {p_drop}");
}

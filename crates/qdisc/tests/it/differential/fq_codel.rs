//! FQ-CoDel, with its slab, chains and lists, against RFC 8290 §4 written plainly, each queue under the loop of RFC
//! 8289 §5.5.

use proptest::prelude::*;
use std::collections::VecDeque;
use tailrace_core::params::Value;
use tailrace_core::{Ecn, Instant, Packet, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

const TARGET: u64 = 5_000_000;
const INTERVAL: u64 = 100_000_000;
/// Flows of the traces; their hashes differ with the seed used.
const FLOWS: usize = 6;

/// Queue with its CoDel; zero stands for "none" in `first_above_time`, as in RFC 8289.
#[derive(Default)]
struct Flow {
    queue: VecDeque<(TestPacket, u64)>,
    credits: i64,
    first_above_time: u64,
    drop_next: u64,
    count: u32,
    last_count: u32,
    dropping: bool,
    max_packet: u64,
}

impl Flow {
    fn bytes(&self) -> u64 {
        self.queue.iter().map(|(p, _)| p.size.get()).sum()
    }

    fn control_law(&self, t: u64) -> u64 {
        t + (INTERVAL as f64 / f64::from(self.count).sqrt() + 0.5) as u64
    }

    fn do_dequeue(&mut self, now: u64) -> (Option<TestPacket>, bool) {
        let Some((packet, arrival)) = self.queue.pop_front() else {
            self.first_above_time = 0;
            return (None, false);
        };
        self.max_packet = self.max_packet.max(packet.size.get());
        if now - arrival < TARGET || self.bytes() <= self.max_packet.max(512) {
            self.first_above_time = 0;
        } else if self.first_above_time == 0 {
            self.first_above_time = now + INTERVAL;
        } else {
            return (Some(packet), now >= self.first_above_time);
        }
        (Some(packet), false)
    }

    fn dequeue(&mut self, now: u64, log: &mut Log) -> Option<TestPacket> {
        let (mut packet, mut ok_to_drop) = self.do_dequeue(now);
        if packet.is_none() {
            self.dropping = false;
            return None;
        }
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if log.mark_or_drop(packet.as_mut().expect("a packet is ok to drop")) {
                    self.drop_next = self.control_law(self.drop_next);
                    return packet;
                }
                (packet, ok_to_drop) = self.do_dequeue(now);
                self.dropping = ok_to_drop;
                if ok_to_drop {
                    self.drop_next = self.control_law(self.drop_next);
                }
            }
        } else if ok_to_drop {
            if !log.mark_or_drop(packet.as_mut().expect("a packet is ok to drop")) {
                packet = self.do_dequeue(now).0;
            }
            self.dropping = true;
            let delta = self.count - self.last_count;
            let recent = now.saturating_sub(self.drop_next) < 16 * INTERVAL;
            self.count = if delta > 1 && recent { delta } else { 1 };
            self.drop_next = self.control_law(now);
            self.last_count = self.count;
        }
        packet
    }
}

#[derive(Default)]
struct Log {
    ecn: bool,
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

impl Log {
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
}

/// The scheduler of RFC 8290 §4.
#[derive(Default)]
struct Plain {
    flows: [Flow; FLOWS],
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// Flows in the order in which they were first seen: of equally long ones the first pays.
    seen: Vec<usize>,
    limit: usize,
    batch: usize,
    quantum: i64,
    log: Log,
    /// Two flows were equally long when one had to pay: the RFC does not say which.
    tied: bool,
}

impl Plain {
    fn enqueue(&mut self, packet: TestPacket, now: u64) {
        let index = packet.flow.src as usize;
        if !self.seen.contains(&index) {
            self.seen.push(index);
        }
        self.flows[index].queue.push_back((packet, now));
        if !self.new.contains(&index) && !self.old.contains(&index) {
            self.new.push_back(index);
            self.flows[index].credits = self.quantum;
        }
        if self.flows.iter().map(|f| f.queue.len()).sum::<usize>() > self.limit {
            let most = self.seen.iter().map(|i| self.flows[*i].bytes()).max().expect("not empty");
            let fat =
                *self.seen.iter().find(|i| self.flows[**i].bytes() == most).expect("one is the longest");
            self.tied |= self.seen.iter().filter(|i| self.flows[**i].bytes() == most).count() > 1;
            let (mut packets, mut bytes) = (0, 0);
            while packets == 0 || (packets < self.batch && bytes < most / 2) {
                let (packet, _) = self.flows[fat].queue.pop_front().expect("half is left");
                (packets, bytes) = (packets + 1, bytes + packet.size.get());
                self.log.dropped.push(packet.id);
            }
        }
    }

    fn dequeue(&mut self, now: u64) -> Option<TestPacket> {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let flow = &mut self.flows[index];
            if flow.credits <= 0 {
                flow.credits += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            if let Some(packet) = flow.dequeue(now, &mut self.log) {
                flow.credits -= packet.size.get() as i64;
                return Some(packet);
            }
            list.pop_front();
            if from_new {
                self.old.push_back(index);
            }
        }
    }
}

/// Microseconds to wait, packets to add (flow, size, codepoint) and packets to take.
type Round = (u64, Vec<(u32, u64, u8)>, usize);

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let wait = prop_oneof![4 => 0u64..3_000, 2 => 0u64..40_000, 1 => 0u64..2_000_000];
    let packets = prop::collection::vec((0..FLOWS as u32, 40u64..1515, 0u8..4), 0..5);
    prop::collection::vec((wait, packets, 0usize..3), 50..500)
}

/// Runs both over the same trace; returns how many drops and marks there were.
/// It ends at the first tie between the longest, where the two may rightly differ.
fn compare(rounds: &[Round], ecn: bool, limit: usize, quantum: u64) -> (usize, usize) {
    let mut config = QdiscConfig::default_of("fq_codel").expect("registered");
    config.set("ecn", &Value::Bool(ecn)).expect("a switch");
    config.set("limit", &Value::Text(format!("{limit} packets"))).expect("a limit");
    config.set("quantum", &Value::Text(format!("{quantum} B"))).expect("a size");
    config.set("drop_batch", &Value::Integer(8)).expect("a count");
    let link = LinkView::new(Rate::from_mbit(10), tailrace_core::Duration::ZERO);
    let mut queue: Qdisc<TestPacket> = config.build(&link);
    let log = Log { ecn, ..Log::default() };
    let mut plain = Plain { limit, batch: 8, quantum: quantum as i64, log, ..Plain::default() };
    let (mut rng, mut sink, mut now, mut id) = (Rng::new(1), Collector::default(), 0, 0);
    for (wait, packets, takes) in rounds {
        now += wait * 1000;
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut rng, sink: &mut sink };
        for (flow, size, bits) in packets {
            let packet = TestPacket::new(id, *flow, *size).with_ecn(Ecn::from_bits(*bits));
            queue.enqueue(packet, &mut cx);
            plain.enqueue(packet, now);
            if plain.tied {
                return (plain.log.dropped.len(), plain.log.marked.len());
            }
            id += 1;
        }
        for _ in 0..*takes {
            assert_eq!(queue.dequeue(&mut cx).map(|(p, _)| p), plain.dequeue(now), "at {now} ns");
        }
    }
    assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), plain.log.dropped);
    assert_eq!(sink.marked.iter().map(|(p, _)| p.id).collect::<Vec<_>>(), plain.log.marked);
    (plain.log.dropped.len(), plain.log.marked.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn decisions_equal_those_of_the_rfc(
        rounds in rounds(), ecn in any::<bool>(), limit in 1usize..200, quantum in 64u64..3000,
    ) {
        compare(&rounds, ecn, limit, quantum);
    }
}

/// The random traces above reach the interesting states: without drops and marks they prove nothing.
#[test]
fn a_saturated_trace_drops_and_marks() {
    let round = |i: u64| {
        let filling = i % 400 < 200;
        let packet = |k: u64| (((i + k) % 3) as u32, 900 + i * 7919 % 601, ((i / 3) % 4) as u8);
        let packets = (0..if filling { 2 } else { 1 }).map(packet).collect();
        (3_000, packets, if filling { 1 } else { 2 })
    };
    let rounds: Vec<Round> = (0..4000).map(round).collect();
    let (drops, marks) = compare(&rounds, true, 10_000, 1514);
    assert!(drops > 20 && marks > 20, "{drops} {marks}");
    let (drops, _) = compare(&rounds, true, 50, 300);
    assert!(drops > 100, "{drops}");
}

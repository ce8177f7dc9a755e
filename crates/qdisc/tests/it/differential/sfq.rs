//! SFQ, with its slab, ring and lists by length, against the same rules over plain vectors.

use proptest::prelude::*;
use std::collections::VecDeque;
use tailrace_core::params::Value;
use tailrace_core::{Duration, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

#[derive(Clone, Copy, Debug)]
struct Rules {
    limit: usize,
    depth: usize,
    buckets: u32,
    flows: usize,
    /// Zero: a turn is one packet.
    quantum: i64,
    victim: &'static str,
}

struct Flow {
    bucket: u32,
    packets: VecDeque<TestPacket>,
    allot: i64,
    /// When it came to its present length; among equals the latest pays.
    since: u64,
}

struct Plain {
    rules: Rules,
    /// In the order of their turns.
    round: VecDeque<Flow>,
    clock: u64,
    dropped: Vec<u64>,
}

impl Plain {
    fn total(&self) -> usize {
        self.round.iter().map(|f| f.packets.len()).sum()
    }

    fn enqueue(&mut self, packet: TestPacket) {
        let Rules { limit, depth, buckets, flows, quantum, victim } = self.rules;
        self.clock += 1;
        let k = i64::from(packet.flow.src + packet.flow.dst);
        let bucket = ((k + (k >> 8) + !(k >> 4)) % ((1 << 20) - 1) % i64::from(buckets)) as u32;
        let found = self.round.iter().position(|f| f.bucket == bucket);
        let used = found.map_or(0, |i| self.round[i].packets.len());
        let left = limit - self.total();
        let ns2 =
            left == 0 || used >= left / 2 || (left < buckets as usize && used > limit / buckets as usize);
        let refused = match victim {
            "arrival_ns2" => used >= depth || ns2,
            "longest_tail" => used >= depth,
            _ => false,
        };
        if refused || (found.is_none() && self.round.len() >= flows.min(buckets as usize)) {
            return self.dropped.push(packet.id);
        }
        let index = found.unwrap_or_else(|| {
            self.round.push_back(Flow { bucket, packets: VecDeque::new(), allot: quantum, since: 0 });
            self.round.len() - 1
        });
        let flow = &mut self.round[index];
        flow.packets.push_back(packet);
        flow.since = self.clock;
        if used >= depth {
            self.dropped.push(flow.packets.pop_front().expect("just pushed").id);
            self.clock += 1;
            flow.since = self.clock;
        }
        if self.total() > limit {
            self.drop_longest();
        }
    }

    fn drop_longest(&mut self) {
        self.clock += 1;
        let longest = self.round.iter().map(|f| f.packets.len()).max().expect("over the limit");
        if longest == 1 {
            let first = self.round.pop_front().expect("over the limit");
            self.dropped.push(first.packets[0].id);
            return;
        }
        let flow = self.round.iter_mut().filter(|f| f.packets.len() == longest).max_by_key(|f| f.since);
        let flow = flow.expect("one is longest");
        let head = self.rules.victim == "longest_head";
        let packet = if head { flow.packets.pop_front() } else { flow.packets.pop_back() };
        self.dropped.push(packet.expect("two or more").id);
        flow.since = self.clock;
    }

    fn dequeue(&mut self) -> Option<TestPacket> {
        self.clock += 1;
        if self.rules.quantum > 0 {
            while self.round.front()?.allot <= 0 {
                self.round[0].allot += self.rules.quantum;
                self.round.rotate_left(1);
            }
        }
        let flow = self.round.front_mut()?;
        let packet = flow.packets.pop_front()?;
        flow.since = self.clock;
        flow.allot -= packet.size.get() as i64;
        if flow.packets.is_empty() {
            self.round.pop_front();
        } else if self.rules.quantum == 0 {
            self.round.rotate_left(1);
        }
        Some(packet)
    }
}

fn build(rules: &Rules) -> Qdisc<TestPacket> {
    let mut config = QdiscConfig::default_of("sfq").expect("registered");
    let mut set = |name: &str, value| config.set(name, &value).expect("a parameter of sfq");
    set("hash", Value::Text("ns2".into()));
    set("limit", Value::Text(format!("{} packets", rules.limit)));
    set("depth", Value::Integer(rules.depth as i64));
    set("buckets", Value::Integer(i64::from(rules.buckets)));
    set("flows", Value::Integer(rules.flows as i64));
    set("drop", Value::Text(rules.victim.into()));
    set("service", Value::Text(if rules.quantum > 0 { "byte" } else { "packet" }.into()));
    if rules.quantum > 0 {
        set("quantum", Value::Text(format!("{} B", rules.quantum)));
    }
    assert_eq!(config.validate(), Ok(()));
    config.build(&LinkView::new(Rate::from_mbit(10), Duration::ZERO))
}

fn rules() -> impl Strategy<Value = Rules> {
    let victim = prop::sample::select(vec!["arrival_ns2", "longest_tail", "longest_head"]);
    let quantum = prop_oneof![Just(0i64), 64i64..3000];
    (2usize..40, 1usize..12, 1u32..12, 1usize..12, quantum, victim).prop_map(
        |(limit, depth, buckets, flows, quantum, victim)| Rules {
            limit,
            depth,
            buckets,
            flows,
            quantum,
            victim,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn packets_come_and_go_as_by_the_plain_rules(
        rules in rules(),
        steps in prop::collection::vec(prop::option::weighted(0.6, (0u32..20, 40u64..1515)), 1..400),
    ) {
        let mut queue = build(&rules);
        let mut plain = Plain { rules, round: VecDeque::new(), clock: 0, dropped: Vec::new() };
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for (id, step) in steps.iter().enumerate() {
            if let Some((flow, size)) = step {
                let mut packet = TestPacket::new(id as u64, flow * 17, *size);
                packet.flow.dst = 100;
                queue.enqueue(packet, &mut cx);
                plain.enqueue(packet);
            } else {
                prop_assert_eq!(queue.dequeue(&mut cx).map(|(p, _)| p), plain.dequeue());
            }
            let mut active = [0.0];
            queue.state(&mut active);
            prop_assert_eq!(active[0], plain.round.len() as f64);
        }
        let dropped: Vec<_> = sink.dropped.iter().map(|(p, ..)| p.id).collect();
        prop_assert_eq!(dropped, plain.dropped);
    }
}

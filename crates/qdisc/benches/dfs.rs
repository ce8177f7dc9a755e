//! DFS's repositories: cache and B-tree, as its paper has them, beside a hash table; with marked flows flooding.
//!
//! `cargo bench -p tailrace-qdisc --bench dfs` times them. `... --bench dfs -- count REPOSITORY FLOWS MARKED PACKETS`
//! runs one load and does nothing else: under callgrind the difference of two lengths is what its packets cost.
//!
//! Innocent flows send in an order without pattern; each of their packets comes and goes. With marked flows, half of the
//! arrivals are theirs, and are dropped.

#![allow(unreachable_pub, reason = "the timing is shared")]
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it measures time and prints it")]

mod timing;

use std::hint::black_box;
use tailrace_core::params::Value;
use tailrace_core::{Duration, Ecn, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Counter, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

const PACKETS: u64 = 1000;

/// Name, and what it sets.
const REPOSITORIES: [(&str, &[(&str, &str)]); 6] = [
    ("hash", &[]),
    ("hash_cache32", &[("cache", "32")]),
    ("btree", &[("repository", "btree"), ("cache", "0")]),
    ("btree_cache32", &[("repository", "btree")]),
    ("btree_cache128", &[("repository", "btree"), ("cache", "128")]),
    ("paper", &[("repository", "btree"), ("departures", "look_up")]),
];

struct Load {
    queue: Qdisc<TestPacket>,
    rng: Rng,
    sink: Counter,
    now: Instant,
    sent: u64,
    flows: u64,
    marked: u64,
}

impl Load {
    fn new(settings: &[(&str, &str)], flows: u64, marked: u64) -> Self {
        let link = LinkView::new(Rate::from_mbit(45), Duration::from_millis(10));
        let mut config = QdiscConfig::default_of("dfs").expect("registered");
        for (name, value) in settings {
            let number = value.parse().map(Value::Integer);
            config.set(name, &number.unwrap_or_else(|_| Value::Text((*value).into()))).expect("it is there");
        }
        let (queue, rng) = (config.build(&link), Rng::new(1));
        let mut load =
            Self { queue, rng, sink: Counter::default(), now: Instant::ZERO, sent: 0, flows, marked };
        load.prepare();
        load
    }

    /// Every flow gets its record, and the marked ones earn their mark: 16 Mbit/s each, over a queue half full.
    fn prepare(&mut self) {
        for flow in 0..self.flows {
            self.arrive(flow as u32);
            self.leave();
        }
        let mut state = vec![0.0; self.queue.state_names().len()];
        let marked = self.queue.state_names().iter().position(|n| *n == "marked_flows").expect("named");
        for _ in 0..4000 {
            self.queue.state(&mut state);
            if state[marked] >= self.marked as f64 {
                break;
            }
            self.now += Duration::from_micros(500);
            for m in 0..self.marked {
                self.arrive(1 << 20 | m as u32);
                // Half full: there is room, and one packet is above the share.
                if self.queue.backlog().packets > 100 {
                    self.leave();
                }
            }
        }
        assert_eq!(state[marked], self.marked as f64, "all that flood are marked");
        while self.queue.backlog().packets > 0 {
            self.leave();
        }
    }

    fn arrive(&mut self, flow: u32) {
        self.sent += 1;
        let packet = TestPacket::new(self.sent, flow, 1000).with_ecn(Ecn::Ect0);
        let mut cx = Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.enqueue(packet, &mut cx);
    }

    fn leave(&mut self) {
        let mut cx = Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
        black_box(self.queue.dequeue(&mut cx));
    }

    fn run(&mut self, packets: u64) {
        for i in 0..packets {
            self.now += Duration::from_micros(100);
            // A multiplication by a large odd number visits flows without a pattern that a cache could foresee.
            let turn = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            if self.marked > 0 && i % 2 == 0 {
                self.arrive(1 << 20 | (turn % self.marked) as u32);
            } else {
                self.arrive((turn % self.flows) as u32);
                self.leave();
            }
        }
    }
}

/// Prints repository, innocent and marked flows, and nanoseconds a packet.
fn time() {
    for (name, settings) in REPOSITORIES {
        for flows in [1, 400, 100_000] {
            for marked in [0, 10, 100] {
                let mut load = Load::new(settings, flows, marked);
                let ns = timing::least_ns(PACKETS, |packets| load.run(packets));
                println!("{name} {flows}+{marked} {ns:.1}");
            }
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let Some(at) = words.iter().position(|w| w == "count") else { return time() };
    let number = |i: usize| words[at + i].parse::<u64>().expect("a number");
    let (_, settings) = REPOSITORIES.iter().find(|(name, _)| *name == words[at + 1]).expect("a repository");
    Load::new(settings, number(2), number(3)).run(number(4));
}

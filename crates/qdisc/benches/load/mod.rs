//! The load of the benchmarks: the queue holds 40 packets of 1000 bytes, 8 ms at the link's rate, and packets arrive in
//! turn from the flows: RED is within its band and CoDel above its target, so laws work at every packet.

use std::hint::black_box;
use tailrace_core::{Duration, Ecn, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Counter, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

/// Numbers of flows that are measured.
pub const FLOWS: [u64; 3] = [1, 400, 100_000];
const BACKLOG: u64 = 40;

/// A queue at work.
pub struct Load {
    queue: Qdisc<TestPacket>,
    rng: Rng,
    sink: Counter,
    now: Instant,
    next: u64,
    flows: u64,
}

impl Load {
    /// The discipline `name` with its defaults, and packets of `flows` flows.
    pub fn new(name: &str, flows: u64) -> Self {
        let link = LinkView::new(Rate::from_mbit(40), Duration::from_millis(10));
        let config = QdiscConfig::default_of(name).expect("registered");
        let (queue, rng) = (config.build(&link), Rng::new(1));
        let mut load = Self { queue, rng, sink: Counter::default(), now: Instant::ZERO, next: 0, flows };
        (0..BACKLOG).for_each(|_| load.enqueue());
        load
    }

    fn enqueue(&mut self) {
        let flow = (self.next % self.flows) as u32;
        let packet = TestPacket::new(self.next, flow, 1000).with_ecn(Ecn::Ect0);
        self.next += 1;
        let mut cx = Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.enqueue(packet, &mut cx);
    }

    /// Enqueues and dequeues; makes up for what the discipline dropped, so that the backlog stays.
    pub fn pairs(&mut self, pairs: u64) {
        for _ in 0..pairs {
            self.now += Duration::from_micros(200);
            self.enqueue();
            if self.queue.backlog().packets >= BACKLOG {
                let mut cx = Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
                black_box(self.queue.dequeue(&mut cx));
            }
        }
    }
}

//! Time of one enqueue and one dequeue, for every registered discipline, with 1, 400 and 100 000 flows.
//!
//! `cargo bench -p tailrace-qdisc`. The queue holds 40 packets of 1000 bytes, 8 ms at the link's rate, and packets
//! arrive in turn from the flows: RED is within its band and CoDel above its target, so laws work at every packet.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tailrace_core::{Duration, Ecn, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Counter, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

const PAIRS: u64 = 1000;
const BACKLOG: u64 = 40;

struct Load {
    queue: Qdisc<TestPacket>,
    rng: Rng,
    sink: Counter,
    now: Instant,
    next: u64,
    flows: u64,
}

impl Load {
    fn new(name: &str, flows: u64) -> Self {
        let link = LinkView { rate: Rate::from_mbit(40), delay: Duration::from_millis(10) };
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
    fn pairs(&mut self) {
        for _ in 0..PAIRS {
            self.now += Duration::from_micros(200);
            self.enqueue();
            if self.queue.backlog().packets >= BACKLOG {
                let mut cx = Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
                black_box(self.queue.dequeue(&mut cx));
            }
        }
    }
}

fn disciplines(c: &mut Criterion) {
    let mut group = c.benchmark_group("enqueue_dequeue");
    group.throughput(Throughput::Elements(PAIRS));
    for name in QdiscConfig::names() {
        for flows in [1, 400, 100_000] {
            let mut load = Load::new(name, flows);
            group.bench_function(BenchmarkId::new(*name, flows), |b| b.iter(|| load.pairs()));
        }
    }
    group.finish();
}

criterion_group!(benches, disciplines);
criterion_main!(benches);

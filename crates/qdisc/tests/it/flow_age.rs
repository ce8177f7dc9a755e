//! Flows that came first are treated like flows that came last, by every registered discipline: where several flows
//! are alike, their age must not decide among them.

use tailrace_core::params::Value;
use tailrace_core::{Duration, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, QdiscConfig, QueueDiscipline};

const FLOWS: u32 = 48;
const PACKETS: u64 = 20_000;
const SEEDS: u64 = 6;

/// Packets that each of `FLOWS` flows gets through a link that carries two thirds of what they send, the oldest first.
///
/// Each sends packets of one size at random, and all the same number; they start one after the other.
fn delivered(config: &QdiscConfig, seed: u64) -> Vec<u64> {
    let link = LinkView::new(Rate::from_mbit(8), Duration::ZERO);
    let mut queue = config.build::<TestPacket>(&link);
    let (mut rng, mut order, mut sink) = (Rng::new(seed), Rng::new(seed + 100), Collector::default());
    // Numbers of flows, and with them addresses, say nothing about ages.
    let mut flows: Vec<u32> = (0..FLOWS).collect();
    for last in (1..flows.len()).rev() {
        flows.swap(last, order.below(last as u64 + 1) as usize);
    }
    let mut counts = vec![0; FLOWS as usize];
    for id in 0..PACKETS {
        let now = Instant::from_nanos(id * 667_000);
        if queue.poll_timeout().is_some_and(|due| due <= now) {
            queue.handle_timeout(&mut Cx { now, rng: &mut rng, sink: &mut sink });
        }
        let age = if id < u64::from(FLOWS) { id } else { order.below(u64::from(FLOWS)) };
        let mut cx = Cx { now, rng: &mut rng, sink: &mut sink };
        queue.enqueue(TestPacket::new(id, flows[age as usize], 1000), &mut cx);
        if id % 3 < 2
            && let Some((packet, _)) = queue.dequeue(&mut cx)
        {
            let age = flows.iter().position(|flow| *flow == packet.flow.src).expect("one of them");
            counts[age] += 1;
        }
    }
    counts
}

/// Correlation of place in `values` and value.
fn correlation(values: &[u64]) -> f64 {
    let n = values.len() as f64;
    let (x_mean, y_mean) = ((n - 1.0) / 2.0, values.iter().sum::<u64>() as f64 / n);
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in values.iter().enumerate() {
        let (x, y) = (x as f64 - x_mean, *y as f64 - y_mean);
        (xy, xx, yy) = (xy + x * y, xx + x * x, yy + y * y);
    }
    if yy == 0.0 { 0.0 } else { xy / (xx * yy).sqrt() }
}

/// The defaults with a buffer of half a packet a flow, and every other answer to the question who pays when it is full.
fn configurations(name: &str) -> Vec<QdiscConfig> {
    let mut base = QdiscConfig::default_of(name).expect("registered");
    // A limit may be one of bytes only.
    for (name, value) in [("limit", "24 packets"), ("limit", "24 kB"), ("memory_limit", "24 kB")] {
        if base.set(name, &Value::Text(value.into())).is_ok() {
            break;
        }
    }
    let mut all = vec![base.clone()];
    for param in base.params().iter().filter(|p| ["form", "drop", "overflow", "service"].contains(&p.name)) {
        for choice in param.choices {
            let mut other = base.clone();
            other.set(param.name, &Value::Text(choice.word.into())).expect("one of its words");
            if other.validate().is_ok() {
                all.push(other);
            }
        }
    }
    all
}

#[test]
fn age_decides_nothing() {
    for config in QdiscConfig::names().iter().flat_map(|name| configurations(name)) {
        let mut sum = vec![0; FLOWS as usize];
        for seed in 0..SEEDS {
            sum.iter_mut().zip(delivered(&config, seed)).for_each(|(sum, n)| *sum += n);
        }
        let found = correlation(&sum);
        // Chance gives 0.15; paying in the order of age gave 0.7.
        assert!(
            found.abs() < 0.5,
            "age and packets that get through have a correlation of {found:.2} for {config:?}; packets of each flow, the oldest first: {sum:?}"
        );
    }
}

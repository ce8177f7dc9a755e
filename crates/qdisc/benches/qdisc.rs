//! Time of one enqueue and one dequeue, for every registered discipline, with 1, 400 and 100 000 flows.
//!
//! `cargo bench -p tailrace-qdisc --bench qdisc`. For a table with instructions: `make docs-cost`.
#![allow(unreachable_pub, reason = "the load is shared")]

mod load;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use load::{FLOWS, Load};
use tailrace_qdisc::QdiscConfig;

const PAIRS: u64 = 1000;

fn disciplines(c: &mut Criterion) {
    let mut group = c.benchmark_group("enqueue_dequeue");
    group.throughput(Throughput::Elements(PAIRS));
    for name in QdiscConfig::names() {
        for flows in FLOWS {
            let mut load = Load::new(name, flows);
            group.bench_function(BenchmarkId::new(*name, flows), |b| b.iter(|| load.pairs(PAIRS)));
        }
    }
    group.finish();
}

criterion_group!(benches, disciplines);
criterion_main!(benches);

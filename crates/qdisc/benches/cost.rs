//! The cost of one enqueue and one dequeue, for `make docs-cost`.
//!
//! `cost NAME FLOWS PAIRS` does so many and says nothing, for a counter of instructions to watch; `cost NAME FLOWS` prints
//! nanoseconds a pair: the least of many batches, since other work on the machine only adds. Without arguments (as
//! `cargo bench` calls it) it measures every discipline.
#![allow(unreachable_pub, reason = "the load is shared")]
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it measures time and prints it")]

mod load;

use load::{FLOWS, Load};
use std::time::Instant;
use tailrace_qdisc::QdiscConfig;

const BATCHES: u32 = 40;
const BATCH: u64 = 10_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let number = |text: &String| text.parse().expect("a number");
    match arguments.as_slice() {
        [] => QdiscConfig::names().iter().for_each(|name| FLOWS.iter().for_each(|flows| show(name, *flows))),
        [name, flows] => show(name, number(flows)),
        [name, flows, pairs] => Load::new(name, number(flows)).pairs(number(pairs)),
        _ => panic!("usage: cost [NAME FLOWS [PAIRS]]"),
    }
}

/// Prints name, flows and nanoseconds a pair.
fn show(name: &str, flows: u64) {
    let mut load = Load::new(name, flows);
    // Every flow has been seen before the clock runs.
    load.pairs(2 * flows.max(BATCH));
    let times = (0..BATCHES).map(|_| {
        let start = Instant::now();
        load.pairs(BATCH);
        start.elapsed().as_nanos() as f64 / BATCH as f64
    });
    println!("{name} {flows} {:.1}", times.fold(f64::INFINITY, f64::min));
}

//! The cost of one enqueue and one dequeue, for `make docs-cost`.
//!
//! `cost NAME FLOWS PAIRS` does so many and says nothing, for a counter of instructions to watch; `cost NAME FLOWS` prints
//! nanoseconds a pair. Without arguments (as `cargo bench` calls it) it measures every discipline.
#![allow(unreachable_pub, reason = "load and timing are shared")]
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it measures time and prints it")]

mod load;
mod timing;

use load::{FLOWS, Load};
use tailrace_qdisc::QdiscConfig;

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
    println!("{name} {flows} {:.1}", timing::least_ns(BATCH, |pairs| load.pairs(pairs)));
}

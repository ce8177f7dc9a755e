//! Fingerprints of some runs. They change with behaviour: a corrected law, other draws, another order of events. Performance work
//! must not change this table.
//!
//! After an intended change of behaviour, `cargo test -p tailrace-sim golden` prints the present rows in the form below. The
//! commit message should say why they changed.

use crate::determinism::eventful;
use crate::support::{Text, run_scenario};
use std::sync::Arc;
use tailrace_scenario::Scenario;

const KOCHHER: &str = include_str!("../../../../papers/kochher/kochher.toml");
/// Reference scenario A: 400 TCP flows with ECN and one flood over RED.
const SCENARIO_A: &str = include_str!("../../../../benches/peers/tailrace/a.toml");
/// Two paths, one of which fails and returns.
const MULTIPATH: &str = include_str!("../../../../scenarios/does-a-returning-path-carry-data-again.toml");

#[rustfmt::skip]
const GOLDEN: [(&str, u64); 5] = [
    ("kochher", 0xd55deb7b67216545),
    ("scenario a", 0x3f04290ecaf43dd2),
    ("faults, jitter and losses", 0xf83cf7176f782def),
    ("multipath", 0xfde79edba12f9a11),
    ("connections that come and go", 0xdd0b91b00cc0b321),
];

/// Transfers at random times over a lossy link, with servers left in LAST-ACK.
fn short_connections() -> Arc<Scenario> {
    Text::new("20 s")
        .dumbbell(2, "10 Mbit/s", "10 ms", "loss = \"2 %\"")
        .tcp("iw = 10", "{ kind = \"arrivals\", size = \"20 kB\", gap = \"exponential(50 ms)\" }")
        .scenario()
}

fn shortened(text: &str, duration: &str) -> Arc<Scenario> {
    let overrides = [("duration".to_owned(), duration.to_owned())];
    let parsed = tailrace_scenario::parse(text, "golden.toml", &overrides)
        .unwrap_or_else(|e| panic!("{}", tailrace_scenario::render_all(&e, false)));
    Arc::new(parsed.scenario)
}

#[test]
fn golden_fingerprints_are_unchanged() {
    let scenarios = [
        shortened(KOCHHER, "10 s"),
        shortened(SCENARIO_A, "4 s"),
        eventful("").scenario(),
        shortened(MULTIPATH, "55 s"),
        short_connections(),
    ];
    let mut changed = false;
    let mut rows = String::new();
    for ((name, golden), scenario) in GOLDEN.iter().zip(&scenarios) {
        let found = run_scenario(scenario, 1).output.fingerprint;
        changed |= found != *golden;
        rows += &format!("    ({name:?}, 0x{found:016x}),\n");
    }
    assert!(!changed, "the present fingerprints are\n{rows}");
}

//! Fingerprints of three runs. They change when behaviour does: a corrected law, another draw, another order of
//! events. Work on speed changes none of these, so it must leave this table alone.
//!
//! To renew it after a change of behaviour that is meant: `cargo test -p tailrace-sim golden` prints the present
//! rows in the form below. Say in the commit why they changed.

use crate::determinism::eventful;
use crate::support::run_scenario;
use std::sync::Arc;
use tailrace_scenario::Scenario;

const KOCHHER: &str = include_str!("../../../../papers/kochher/kochher.toml");
/// Reference scenario A: 400 TCP flows with ECN and one flood over RED.
const SCENARIO_A: &str = include_str!("../../../../benches/peers/tailrace/a.toml");

#[rustfmt::skip]
const GOLDEN: [(&str, u64); 3] = [
    ("kochher", 0x697d726ff7cb8810),
    ("scenario a", 0xba635b5fd4dd33bf),
    ("faults, jitter and losses", 0xa71c5ed0b5638793),
];

fn shortened(text: &str, duration: &str) -> Arc<Scenario> {
    let overrides = [("duration".to_owned(), duration.to_owned())];
    let parsed = tailrace_scenario::parse(text, "golden.toml", &overrides)
        .unwrap_or_else(|e| panic!("{}", tailrace_scenario::render_all(&e, false)));
    Arc::new(parsed.scenario)
}

#[test]
fn golden_fingerprints_are_what_they_were() {
    let scenarios = [shortened(KOCHHER, "10 s"), shortened(SCENARIO_A, "4 s"), eventful("").scenario()];
    let mut changed = false;
    let mut rows = String::new();
    for ((name, golden), scenario) in GOLDEN.iter().zip(&scenarios) {
        let found = run_scenario(scenario, 1).output.fingerprint;
        changed |= found != *golden;
        rows += &format!("    ({name:?}, 0x{found:016x}),\n");
    }
    assert!(!changed, "the present fingerprints are\n{rows}");
}

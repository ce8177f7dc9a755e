//! Scenarios of two hosts with a link, and their runs.

use serde_json::Value;
use std::sync::Arc;
use tailrace_core::Instant;
use tailrace_sim::{Control, Progress, RunCost, RunOutput, Simulation};

/// Words of all stacks.
pub(crate) const STACKS: [&str; 2] = ["noq", "quinn"];

/// Scenario of hosts `a` and `b` with a link of 10 ms that has these further keys.
pub(crate) fn two_hosts(duration: &str, link: &str) -> String {
    format!(
        "name = \"quic\"\nduration = \"{duration}\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n\
         [[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\ndelay = \"10 ms\"\n{link}\n"
    )
}

/// Flow from `a` to `b`.
pub(crate) fn flow(name: &str, transport: &str, app: &str) -> String {
    format!("[[flow]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"b\"\ntransport = {transport}\napp = {app}\n")
}

/// Transport of a stack.
pub(crate) fn quic(stack: &str, keys: &str) -> String {
    format!("{{ kind = \"quic\", stack = \"{stack}\"{keys} }}")
}

/// Output of a run.
pub(crate) fn run(text: &str) -> RunOutput {
    let parsed = tailrace_scenario::parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error:?}"));
    let scenario = Arc::new(parsed.scenario);
    let mut simulation = Simulation::build(&scenario, 1).expect("it can be built");
    tailrace_quic::attach_stacks(&scenario, 1, &mut simulation).expect("hosts have no other stacks");
    while simulation.step(Instant::MAX, &Control::default()).expect("stacks go on") != Progress::Ended {}
    simulation.finish(RunCost::default())
}

/// Summary of a run.
pub(crate) fn summary(output: &RunOutput) -> Value {
    serde_json::from_str(&output.summary).expect("it is JSON")
}

/// Goodput of a group in Mbit/s, all bytes of which are right.
pub(crate) fn goodput(summary: &Value, group: &str) -> f64 {
    let group = &summary["groups"][group];
    assert_eq!(group["whole_run"]["wrong_bytes"], 0, "{group}");
    group["goodput_bps"]["sum"].as_f64().expect("a number") / 1e6
}

//! Runs repeat, in this process and in others.

use crate::support::{STACKS, flow, quic, run, two_hosts};
use std::process::Command;

/// Scenario with losses, marks, several connections at once and both kinds of controls.
fn text(stack: &str) -> String {
    let link = "rate = \"10 Mbit/s\"\nloss = 0.01\njitter = \"uniform(0 ms, 3 ms)\"\nqueue = { kind = \"fq_codel\", ecn = true }";
    let app = "{ kind = \"arrivals\", size = \"30 kB\", gap = \"exponential(100 ms)\" }";
    two_hosts("10 s", link)
        + &flow("bulk", &quic(stack, ""), "\"bulk\"")
        + &flow("short", &quic(stack, ", cc = \"reno\", cc_from = \"simulator\""), app)
}

/// Fingerprint of the run, which has all packets and times in it.
fn fingerprint(stack: &str) -> String {
    let output = run(&text(stack));
    format!("{:016x} {}", output.fingerprint, output.summary.len())
}

#[test]
#[expect(clippy::print_stdout, reason = "the other process reads it")]
fn two_processes_have_equal_runs() {
    if let Ok(stack) = std::env::var("TAILRACE_QUIC_FINGERPRINT") {
        println!("fingerprint {}", fingerprint(&stack));
        return;
    }
    for stack in STACKS {
        let child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "repeats::two_processes_have_equal_runs", "--nocapture"])
            .env("TAILRACE_QUIC_FINGERPRINT", stack)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&child.stdout).into_owned();
        let own = format!("fingerprint {}", fingerprint(stack));
        assert!(said.contains(&own), "{stack}: {own} here, and {said} in another process");
    }
}

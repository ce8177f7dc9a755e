//! A scenario file with everything the result contract asks for: what a user's run costs. Series are off unless `--set` says otherwise.

use crate::Options;
use crate::measure::{Work, measure};
use serde_json::Value;
use std::sync::Arc;
use tailrace_core::{Duration, Instant};
use tailrace_scenario::render_all;
use tailrace_sim::{CaptureFile, Control, Progress, Simulation};

/// Runs `file` once; the result is called `label`, or as the file calls itself.
pub(crate) fn run(
    file: &str,
    label: Option<&str>,
    mut overrides: Vec<(String, String)>,
    options: &Options,
) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    overrides.insert(0, ("record.interval".into(), "\"off\"".into()));
    let parsed =
        tailrace_scenario::parse(&text, file, &overrides).map_err(|errors| render_all(&errors, false))?;
    let scenario = Arc::new(parsed.scenario);
    let mut outcome = Err(String::new());
    let measurement = measure(
        || Simulation::build(&scenario, 1),
        |simulation| {
            let captured = !scenario.captures.is_empty();
            outcome = simulation.map_err(|e| e.to_string()).and_then(|run| finish(run, captured));
            outcome.as_ref().map_or(Work { packet_hops: 0, events: 0 }, |(work, _)| *work)
        },
    )?;
    let (_, load) = outcome?;
    measurement.print(label.unwrap_or(&scenario.name), options.n, &load, options.json);
    Ok(())
}

/// Named figures of what a run carried.
type Load = Vec<(&'static str, f64)>;

/// Simulated time between two drains of recorded data, as in the extension.
const TAKEN_EVERY: Duration = Duration::from_millis(100);

/// Runs to the end: the work done, and what went through the bottleneck, for comparison with other tools. Captures leave the run
/// while it goes on.
fn finish(mut simulation: Simulation, captured: bool) -> Result<(Work, Load), String> {
    let control = Control::default();
    let (mut until, mut bytes) = (Instant::ZERO + TAKEN_EVERY, 0);
    let mut count = |files: &[CaptureFile]| bytes += files.iter().map(|file| file.bytes.len()).sum::<usize>();
    while captured
        && simulation.step(until, &control).map_err(|stall| stall.to_string())? == Progress::UnderWay
    {
        count(&simulation.drain_captures());
        until = simulation.now() + TAKEN_EVERY;
    }
    let output = simulation.run(&control).map_err(|stall| stall.to_string())?;
    count(&output.captures);
    let summary: Value = serde_json::from_str(&output.summary).map_err(|e| e.to_string())?;
    let at = |path: &str| summary.pointer(path).and_then(Value::as_f64);
    let count = |key: &str| at(&format!("/engine/{key}")).unwrap_or(0.0) as u64;
    let load = [
        ("tcp_goodput_bps", "/groups/tcp/goodput_bps/sum"),
        ("bottleneck_departures", "/queues/g1->g2/dequeued_packets"),
        ("bottleneck_overlimit_drops", "/queues/g1->g2/dropped_packets/overlimit"),
        ("bottleneck_aqm_drops", "/queues/g1->g2/dropped_packets/aqm"),
        ("tcp_jain", "/groups/tcp/jain"),
        ("tcp_timeouts", "/groups/tcp/timeouts"),
        ("tcp_retransmitted_packets", "/groups/tcp/retransmitted_packets"),
    ];
    let mut load: Vec<_> = load.iter().filter_map(|(key, path)| Some((*key, at(path)?))).collect();
    let drops = load.iter().filter(|(key, _)| key.ends_with("_drops")).map(|(_, n)| n).sum();
    load.push(("bottleneck_drops", drops));
    if captured {
        load.push(("captured_bytes", bytes as f64));
    }
    Ok((Work { packet_hops: count("packet_hops"), events: count("events") }, load))
}

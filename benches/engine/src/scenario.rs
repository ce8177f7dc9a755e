//! A scenario file with everything the result contract asks for, series off: what a user's run costs.

use crate::measure::{Work, measure};
use std::sync::Arc;
use tailrace_scenario::render_all;
use tailrace_sim::{Control, Simulation};

/// Runs `file` once; `n` labels the result.
pub(crate) fn run(file: &str, n: u32, overrides: &[(String, String)], json: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let mut overrides = overrides.to_vec();
    overrides.push(("record.interval".into(), "\"off\"".into()));
    let parsed =
        tailrace_scenario::parse(&text, file, &overrides).map_err(|errors| render_all(&errors, false))?;
    let scenario = Arc::new(parsed.scenario);
    let mut failed = None;
    let measurement = measure(
        || Simulation::build(&scenario, 1),
        |simulation| match simulation {
            Ok(simulation) => {
                let control = Control::default();
                let output = simulation.run(&control);
                let engine = |key: &str| number(&output.summary, key);
                Work { packet_hops: engine("packet_hops"), events: engine("events") }
            }
            Err(error) => {
                failed = Some(error.to_string());
                Work { packet_hops: 0, events: 0 }
            }
        },
    )?;
    if let Some(error) = failed {
        return Err(error);
    }
    measurement.print(&scenario.name, n, json);
    Ok(())
}

/// A whole number of the summary's `engine` section, which comes last.
fn number(summary: &str, key: &str) -> u64 {
    let at = summary.rfind(&format!("\"{key}\":")).map_or(summary.len(), |i| i + key.len() + 3);
    summary[at..].chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}

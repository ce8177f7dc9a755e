//! Tailrace with one more queue discipline.

pub mod gentle;

use gentle::GentleConfig;
use std::sync::Arc;
use tailrace_core::Instant;
use tailrace_qdisc::PluginConfig;
use tailrace_scenario::{DEFAULT_MEMORY_LIMIT, Plugins, Scenario, Source, render_all};
use tailrace_sim::{Control, Progress, RunCost, RunOutput, Simulation};

/// Algorithms that scenarios may name beside Tailrace's own.
///
/// # Errors
/// A name is taken.
pub fn outsiders() -> Result<Plugins, String> {
    Plugins::default().with_queue(PluginConfig::named::<GentleConfig>("gentle"))
}

/// Runs a scenario, with values set by their path in the file; what each of its runs left.
///
/// # Errors
/// What is wrong with the scenario, as text for people, or why a run ended early.
pub fn run(text: &str, file: &str, overrides: &[(String, String)]) -> Result<Vec<RunOutput>, String> {
    let source = Source::new(text, file).with(outsiders()?);
    let parsed =
        source.scenario(overrides, DEFAULT_MEMORY_LIMIT).map_err(|errors| render_all(&errors, false))?;
    let scenario = Arc::new(parsed.scenario);
    (1..=scenario.runs).map(|run| one(&scenario, run)).collect()
}

fn one(scenario: &Arc<Scenario>, run: u32) -> Result<RunOutput, String> {
    let mut simulation = Simulation::build(scenario, run).map_err(|error| error.to_string())?;
    let control = Control::default();
    while simulation.step(Instant::MAX, &control).map_err(|error| error.to_string())? == Progress::UnderWay {}
    Ok(simulation.finish(RunCost::default()))
}

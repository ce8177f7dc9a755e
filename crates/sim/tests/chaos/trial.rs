//! Trial of a scenario: parsed, run in three ways, and checked.

use crate::checks;
use crate::settling;
use std::sync::Arc;
use tailrace_core::Instant;
use tailrace_scenario::{Parsed, Place, parse, render_all};
use tailrace_sim::{Control, RunOutput, Simulation};

/// Bound on events above the need of all generated scenarios.
const MOST_EVENTS: u64 = 30_000_000;
/// Number of times in a run at which packets are counted.
const MOMENTS: u64 = 64;

/// Outcome of a scenario without failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The run reached its end.
    Ran,
    /// The scenario is invalid, and the errors say where.
    Refused,
}

/// Parses and runs a scenario.
///
/// # Errors
/// The property that is violated.
pub(crate) fn of(text: &str) -> Result<Outcome, String> {
    let parsed = match parse(text, "chaos.toml", &[]) {
        Ok(parsed) => parsed,
        Err(errors) => return refused(&errors).map(|()| Outcome::Refused),
    };
    let resolved = resolve(&parsed)?;
    let scenario = Arc::new(parsed.scenario);
    let run = |scenario: &Arc<_>| {
        let simulation = Simulation::build(scenario, 1).map_err(|e| format!("does not build: {e}"))?;
        simulation.run(&Control::default()).map_err(|stall| stall.to_string())
    };
    // The stepped run comes first because it detects a run that does not end.
    let watched = watched_run(&scenario)?;
    let again = Arc::new(resolved.scenario);
    let (plain, again) = std::thread::scope(|s| {
        let other = s.spawn(|| run(&again));
        (run(&scenario), other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let (plain, again) = (plain?, again?);
    checks::results(&scenario, &plain)?;
    settling::explained(&plain)?;
    settling::settles(&scenario)?;
    for (other, what) in [(&watched, "watched"), (&again, "read from its resolved form, beside another")] {
        same(&plain, other).map_err(|why| format!("{why} differs when the run is {what}"))?;
    }
    Ok(Outcome::Ran)
}

/// Only parses the scenario, because spoilt values may ask for unbounded work.
pub(crate) fn reading(text: &str) -> Result<Outcome, String> {
    match parse(text, "chaos.toml", &[]) {
        Ok(parsed) => resolve(&parsed).map(|_| Outcome::Ran),
        Err(errors) => refused(&errors).map(|()| Outcome::Refused),
    }
}

/// Checks that an error has a message and a place.
fn refused(errors: &[tailrace_scenario::Diagnostic]) -> Result<(), String> {
    if errors.is_empty() {
        return Err("refused without an error".into());
    }
    for error in errors {
        let shown = error.render(false);
        let placed =
            matches!(error.place, Place::File { .. }) || error.help.is_some() || error.message.contains('`');
        if error.message.is_empty() || !placed {
            return Err(format!("an error without a place: {shown}"));
        }
        if shown.contains('\u{1b}') {
            return Err(format!("an error with raw escape sequences: {shown:?}"));
        }
    }
    Ok(())
}

/// Checks that the resolved form parses to the same scenario.
fn resolve(parsed: &Parsed) -> Result<Parsed, String> {
    let resolved = parsed.to_toml();
    let again = parse(&resolved, "resolved.toml", &[])
        .map_err(|e| format!("the resolved form is refused:\n{}\n{resolved}", render_all(&e, false)))?;
    if again.scenario != parsed.scenario {
        return Err(format!("the resolved form is another scenario:\n{resolved}"));
    }
    let warned = |message: &str| parsed.warnings.iter().any(|w| w.message == message);
    if let Some(new) = again.warnings.iter().find(|w| !warned(&w.message)) {
        return Err(format!("the resolved form has a warning of its own: {}\n{resolved}", new.render(false)));
    }
    if again.to_toml() != resolved {
        return Err(format!("the resolved form resolves to another:\n{resolved}"));
    }
    Ok(again)
}

/// Runs in steps, with packets counted after each.
fn watched_run(scenario: &Arc<tailrace_scenario::Scenario>) -> Result<RunOutput, String> {
    let mut simulation = Simulation::build(scenario, 1).map_err(|e| format!("does not build: {e}"))?;
    for moment in 1..=MOMENTS {
        let until = scenario.duration * moment / MOMENTS;
        let step = simulation.step(Instant::ZERO + until, &Control::default());
        step.map_err(|stall| stall.to_string())?;
        let way = simulation.balance().map_err(|why| format!("at {until}: {why}"))?;
        if way.data_packets > way.packets {
            return Err(format!("at {until}: {way:?}"));
        }
        if simulation.events() > MOST_EVENTS {
            return Err(format!("{} events by {until}", simulation.events()));
        }
    }
    simulation.run(&Control::default()).map_err(|stall| stall.to_string())
}

/// Checks that two runs are equal: the seed determines a run, whatever runs beside it and however it is stepped.
fn same(a: &RunOutput, b: &RunOutput) -> Result<(), String> {
    if a.fingerprint != b.fingerprint {
        return Err("the fingerprint".into());
    }
    let figures = |output: &RunOutput| {
        let mut json: serde_json::Value = serde_json::from_str(&output.summary).expect("a summary is JSON");
        json.as_object_mut().expect("an object").remove("engine");
        json
    };
    difference(&figures(a), &figures(b)).map_or(Ok(()), |place| Err(format!("the summary ({place})")))
}

/// First difference of two values, with both sides.
fn difference(a: &serde_json::Value, b: &serde_json::Value) -> Option<String> {
    match (a.as_object(), b.as_object()) {
        (Some(one), Some(other)) if one.keys().eq(other.keys()) => one.iter().find_map(|(key, value)| {
            let place = difference(value, &other[key])?;
            Some(if place.starts_with(':') { format!("{key}{place}") } else { format!("{key}.{place}") })
        }),
        _ => (a != b).then(|| format!(": {a} and {b}")),
    }
}

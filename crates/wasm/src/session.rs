//! A run that is driven from outside: opened, stepped, inspected, changed, finished. Answers are JSON.

use crate::outline::outline;
use crate::request::{Request, data, plain};
use serde_json::{Value, json};
use std::sync::Arc;
use tailrace_core::params::{ParamType as _, SetError, Value as Param};
use tailrace_core::{Duration, Instant, Rate};
use tailrace_scenario::Declaration;
use tailrace_scenario::model::{FaultConfig, LinkIndex};
use tailrace_sim::{Control, LiveChange, Progress, RunCost, RunOutput, Simulation, Table, Values};

/// A run that is under way.
#[derive(Debug)]
pub struct Session {
    simulation: Simulation,
    declaration: Declaration,
}

impl Session {
    /// Opens what `request` asks for: `{"text": scenario, "overrides": [[path, value]...], "files": {name: text}, "run": 1}`,
    /// all but the text optional. Gives the run, and the scenario's outline with `"warnings"` and `"memory_bytes"`.
    ///
    /// # Errors
    /// `{"errors"}`, a list of diagnostics.
    pub fn open(request: &str) -> Result<(Self, Value), Value> {
        let request = Request::read(request)?;
        let parsed = request.scenario()?;
        let scenario = Arc::new(parsed.scenario.clone());
        let simulation = Simulation::build(&scenario, request.run).map_err(|e| plain(e.to_string()))?;
        let mut about = outline(&request.source, &request.overrides, &parsed, simulation.queues());
        about["warnings"] = data(&parsed.warnings);
        about["memory_bytes"] = parsed.memory.run.get().into();
        Ok((Self { simulation, declaration: parsed.declaration }, about))
    }

    /// Reads what `request` asks for and runs nothing: `{"warnings"}`.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn check(request: &str) -> Result<Value, Value> {
        let parsed = Request::read(request)?.scenario()?;
        Ok(json!({ "warnings": data(&parsed.warnings) }))
    }

    /// Goes on to `until_s` seconds of simulated time; whether the run has ended.
    ///
    /// # Errors
    /// Where simulated time does not advance: who is behind it.
    pub fn step(&mut self, until_s: f64) -> Result<bool, String> {
        let until = Instant::ZERO + Duration::from_secs_f64(until_s).min(DISTANT);
        let progress = self.simulation.step(until, &Control::default()).map_err(|stall| stall.to_string())?;
        Ok(progress == Progress::Ended)
    }

    /// State for a page to draw: see [`tailrace_sim::Snapshot`].
    pub fn snapshot(&mut self) -> Value {
        serde_json::to_value(self.simulation.snapshot()).expect("a snapshot is plain data")
    }

    /// The summary so far, as the result contract has it.
    pub fn so_far(&mut self) -> String {
        self.simulation.so_far(RunCost::default())
    }

    /// Rows of series and events since the last time: `{table: {column: [values]}}`. `wanted` names tables, or columns as
    /// `table.column`, with commas between; what it does not name is dropped. Empty, it is all.
    pub fn drain(&mut self, wanted: &str) -> Value {
        let wanted: Vec<&str> = wanted.split(',').filter(|word| !word.is_empty()).collect();
        tables(&self.simulation.drain().tables, &wanted)
    }

    /// Changes link number `link` from now on. `kind` is that of a fault; `value` its rate in bit/s, its delay in seconds or
    /// its probability of loss. Without a value, what was set of that sort holds no longer; a link goes `up` again.
    ///
    /// # Errors
    /// Where that means nothing: why.
    pub fn change(&mut self, link: u32, kind: &str, value: Option<f64>) -> Result<(), String> {
        let restores = match (kind, value) {
            ("down" | "blackhole", None) => false,
            ("up", None) | ("rate" | "delay" | "loss", _) => value.is_none(),
            _ => return Err(format!("there is no change of kind {kind:?} with such a value")),
        };
        let word = if kind == "up" { "down" } else { kind };
        let mut sort = FaultConfig::default_of(word).expect("these are registered");
        if let Some(value) = value {
            let value = match kind {
                "rate" => Rate::from_bps(value as u64).to_value(),
                "delay" => Duration::from_secs_f64(value).to_value(),
                _ => Param::Float(value),
            };
            sort.set("value", &value).map_err(|error| match error {
                SetError::Invalid(why) => format!("the value {why}"),
                SetError::Unknown => format!("a fault of kind {kind:?} takes no value"),
            })?;
        }
        let link = LinkIndex(link);
        let change = if restores { LiveChange::Restore(link, sort) } else { LiveChange::Set(link, sort) };
        self.simulation.change(change).map_err(|e| e.to_string())
    }

    /// The scenario as a file, with what was changed as faults: it does by itself what this run does.
    pub fn resolved(&self) -> String {
        let changed = self.declaration.with_faults(self.simulation.changes(), &self.simulation.resolved());
        changed.to_toml()
    }

    /// Ends the run: `{"fingerprint", "summary", "tables"}`.
    pub fn finish(self) -> Value {
        let RunOutput { fingerprint, summary, tables: rows, interrupted, .. } =
            self.simulation.finish(RunCost::default());
        json!({
            // Text, since JavaScript's numbers have 53 bits.
            "fingerprint": format!("{fingerprint:016x}"),
            "summary": summary,
            "tables": tables(&rows, &[]),
            "interrupted": interrupted,
        })
    }
}

/// Later than any run ends.
const DISTANT: Duration = Duration::from_secs(1_000_000_000);

fn tables(tables: &[Table], wanted: &[&str]) -> Value {
    let is_wanted = |table: &str, column: &str| {
        let named = |word: &&str| {
            word.strip_prefix(table)
                .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.') == Some(column))
        };
        wanted.is_empty() || wanted.iter().any(named)
    };
    let columns = |t: &Table| -> Value {
        t.columns
            .iter()
            .filter(|c| is_wanted(&t.name, &c.name))
            .map(|c| {
                let values = match &c.values {
                    Values::U64(v) => v.iter().map(|n| (*n != Values::NO_COUNT).then_some(*n)).collect(),
                    Values::U32(v) => json!(v),
                    Values::F64(v) => json!(v),
                    Values::Text(v) => v.iter().map(|i| c.words[*i as usize].as_str()).collect(),
                };
                (c.name.clone(), values)
            })
            .collect()
    };
    tables.iter().map(|t| (t.name.clone(), columns(t))).collect()
}

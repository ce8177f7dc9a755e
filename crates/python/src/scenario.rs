//! Scenarios for Python.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use tailrace_scenario::{Declaration, Diagnostic, Parsed};

create_exception!(
    _native,
    ScenarioError,
    PyValueError,
    "args: the diagnostics rendered for people, and the same as JSON text."
);

/// A validated scenario.
#[pyclass(frozen, module = "tailrace._native")]
pub(crate) struct Scenario {
    /// Shared with the tasks that run it.
    pub(crate) scenario: Arc<tailrace_scenario::Scenario>,
    declaration: Declaration,
    warnings: Vec<Diagnostic>,
    toml: String,
}

impl Scenario {
    pub(crate) fn parse(text: &str, file_name: &str, overrides: &[(String, String)]) -> PyResult<Self> {
        let parsed =
            tailrace_scenario::parse(text, file_name, overrides).map_err(|errors| scenario_error(&errors))?;
        let toml = parsed.to_toml();
        let Parsed { scenario, declaration, warnings } = parsed;
        Ok(Self { scenario: Arc::new(scenario), declaration, warnings, toml })
    }
}

/// The exception for errors of a scenario.
fn scenario_error(errors: &[Diagnostic]) -> PyErr {
    ScenarioError::new_err((rendered(errors).join("\n"), data(errors).to_string()))
}

fn rendered(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(|d| d.render(false)).collect()
}

fn data(diagnostics: &[Diagnostic]) -> Value {
    diagnostics.iter().map(Diagnostic::to_json).collect()
}

#[pymethods]
impl Scenario {
    #[getter]
    fn name(&self) -> &str {
        &self.scenario.name
    }

    #[getter]
    fn question(&self) -> &str {
        &self.scenario.question
    }

    #[getter]
    fn runs(&self) -> u32 {
        self.scenario.runs
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.scenario.seed
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.scenario.duration.as_secs_f64()
    }

    #[getter]
    fn warmup_s(&self) -> f64 {
        self.scenario.warmup.as_secs_f64()
    }

    /// Warnings rendered for people.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        rendered(&self.warnings)
    }

    /// Counts, names, warnings and the sweep's axes as JSON text.
    fn outline(&self) -> String {
        let groups: Vec<Value> = self
            .scenario
            .flows
            .iter()
            .map(|group| {
                let transport = group.transport.name();
                json!({ "name": group.name, "flows": group.pairs.len(), "transport": transport })
            })
            .collect();
        let axes = self.declaration.sweep().iter();
        let sweep: Vec<Value> =
            axes.map(|axis| json!({ "path": axis.path, "values": axis.values })).collect();
        json!({
            "nodes": self.scenario.nodes.len(),
            "links": self.scenario.links.len(),
            "groups": groups,
            "warnings": data(&self.warnings),
            "sweep": sweep,
        })
        .to_string()
    }

    /// Its queues in the words of tc as JSON text: all that results show, or those of one link or queue.
    #[pyo3(signature = (chosen=None))]
    fn tc(&self, chosen: Option<&str>) -> PyResult<String> {
        let entries = crate::export::tc(&self.scenario, chosen).map_err(PyValueError::new_err)?;
        Ok(entries.to_string())
    }

    /// The scenario as a file with every default written out.
    fn to_toml(&self) -> &str {
        &self.toml
    }
}

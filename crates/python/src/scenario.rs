//! Scenarios for Python.

use crate::errors::ScenarioError;
use crate::plugins::registration::Plugin;
use crate::scenario_files::ScenarioFolder;
use crate::streaming::{LOOKED_AFTER, ROWS_AT_ONCE};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tailrace_core::Bytes;
use tailrace_scenario::{
    Code, DEFAULT_MEMORY_LIMIT, Declaration, Diagnostic, Estimate, MemoryRoom, Objection, Parsed, Preset,
    Range, StreamedRows, Sweep, SweepAxis,
};
use tailrace_transport::quic::QuicStack;

/// A validated scenario.
#[pyclass(frozen, module = "tailrace._native")]
pub(crate) struct Scenario {
    /// Shared with the tasks that run it.
    pub(crate) scenario: Arc<tailrace_scenario::Scenario>,
    declaration: Declaration,
    warnings: Vec<Diagnostic>,
    memory: Estimate,
    /// Folder of its file.
    folder: Option<PathBuf>,
}

/// The text of a scenario file, read once for all scenarios that are made of it.
#[pyclass(frozen, module = "tailrace._native")]
pub(crate) struct Source {
    source: tailrace_scenario::Source,
    files: Arc<ScenarioFolder>,
}

#[pymethods]
impl Source {
    /// `allow` has codes of warnings that are left out, beside those that the file allows; `outsiders` are algorithms
    /// that it may name beside the registered ones; `files` what is in files that it names, where that is known.
    #[new]
    #[pyo3(signature = (text, file_name, allow=Vec::new(), outsiders=Vec::new(), files=BTreeMap::new()))]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it converted")]
    fn new(
        text: &str,
        file_name: &str,
        allow: Vec<String>,
        outsiders: Vec<PyRef<'_, Plugin>>,
        files: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let outsiders = Plugin::all(&outsiders)?;
        let files = Arc::new(ScenarioFolder::of(file_name, files));
        let source = tailrace_scenario::Source::new(text, file_name).allowing(allow).with(outsiders);
        Ok(Self { source: source.reading(Arc::<ScenarioFolder>::clone(&files)), files })
    }

    /// Contents of the files that have been read.
    fn files(&self) -> BTreeMap<String, String> {
        self.files.read_so_far()
    }

    /// Total size of the files that have been read, bytes.
    #[getter]
    fn files_bytes(&self) -> usize {
        self.files.bytes()
    }

    /// The scenario; `overrides` are (path, value) pairs, `memory` the bytes that this machine has.
    /// Rows of series are reckoned to leave the runs as `Task` lets them.
    #[pyo3(signature = (overrides, memory=None))]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it converted")]
    fn scenario(
        &self,
        py: Python<'_>,
        overrides: Vec<(String, String)>,
        memory: Option<u64>,
    ) -> PyResult<Scenario> {
        Scenario::of(py.detach(|| self.source.scenario(&overrides, room(memory))), &self.files)
    }

    /// The same without its `[sweep]`, of which it is a variant.
    #[pyo3(signature = (overrides, memory=None))]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it converted")]
    fn variant(
        &self,
        py: Python<'_>,
        overrides: Vec<(String, String)>,
        memory: Option<u64>,
    ) -> PyResult<Scenario> {
        Scenario::of(py.detach(|| self.source.variant(&overrides, room(memory))), &self.files)
    }

    /// The file's value at a path, after overrides, as TOML; `ValueError` explains a missing value.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it converted")]
    fn value(&self, overrides: Vec<(String, String)>, path: &str) -> PyResult<String> {
        self.source.value(&overrides, path).map_err(PyValueError::new_err)
    }

    /// The error for what is wrong with values of the file beside what the parser knows: of each its path, why, and what to do
    /// about it, where `why` does not say so.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it converted")]
    fn objected(
        &self,
        overrides: Vec<(String, String)>,
        objections: Vec<(String, String, Option<String>)>,
    ) -> PyErr {
        scenario_error(&self.source.objected(&overrides, &gathered(objections)))
    }

    /// Warnings of that code, and the same as JSON text, as of `objected`: none where the scenario that was made of this
    /// allows the code.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it converted")]
    fn warned(
        &self,
        overrides: Vec<(String, String)>,
        code: &str,
        scenario: &Scenario,
        objections: Vec<(String, String, Option<String>)>,
    ) -> PyResult<(Vec<String>, String)> {
        let code = Code::of(code).ok_or_else(|| PyValueError::new_err(format!("there is no code {code}")))?;
        let found = self.source.warned(&overrides, code, &scenario.declaration, &gathered(objections));
        Ok((rendered(&found), data(&found).to_string()))
    }

    /// The file as TOML of version 1.0, a line for each key of its top level.
    fn plain(&self) -> PyResult<String> {
        self.source.plain().ok_or_else(|| PyValueError::new_err("the file cannot be read"))
    }
}

impl Scenario {
    fn of(read: Result<Parsed, Vec<Diagnostic>>, files: &ScenarioFolder) -> PyResult<Self> {
        let Parsed { scenario, declaration, warnings, memory } = read.map_err(|e| scenario_error(&e))?;
        let folder = files.folder().map(Path::to_path_buf);
        Ok(Self { scenario: Arc::new(scenario), declaration, warnings, memory, folder })
    }
}

/// Path, why, and what to do about it.
fn gathered(objections: Vec<(String, String, Option<String>)>) -> Vec<Objection> {
    objections.into_iter().map(|(path, why, help)| Objection { path, why, help }).collect()
}

/// Memory available to runs.
fn room(memory: Option<u64>) -> MemoryRoom {
    let leaving = StreamedRows { at_once: ROWS_AT_ONCE, every: LOOKED_AFTER };
    MemoryRoom { memory: memory.map_or(DEFAULT_MEMORY_LIMIT, Bytes), leaving: Some(leaving) }
}

/// The exception for errors of a scenario.
pub(crate) fn scenario_error(errors: &[Diagnostic]) -> PyErr {
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
    /// Number of captures.
    #[getter]
    fn captures(&self) -> usize {
        self.scenario.captures.len()
    }

    /// The kernels that its hosts run, each with the first host that does.
    #[getter]
    fn kernels(&self) -> BTreeMap<&str, &str> {
        let nodes = self.scenario.nodes.iter().rev();
        nodes.filter_map(|node| Some((node.kernel.as_ref()?.kernel.as_str(), node.name.as_str()))).collect()
    }

    /// The QUIC stacks that its flows use, each with its version.
    #[getter]
    fn quic_stacks(&self) -> Vec<&'static str> {
        let used = |stack: &QuicStack| {
            let plans = self.scenario.flows.iter().filter_map(|group| group.transport.quic());
            plans.into_iter().any(|plan| plan.config.stack == *stack)
        };
        QuicStack::ALL.into_iter().filter(used).map(QuicStack::release).collect()
    }

    /// The hosts that run kernels, each with the name of its own.
    #[getter]
    fn kernel_hosts(&self) -> Vec<(&str, &str)> {
        let nodes = self.scenario.nodes.iter();
        nodes.filter_map(|node| Some((node.name.as_str(), node.kernel.as_ref()?.kernel.as_str()))).collect()
    }

    /// The files and folders of this machine that each host with a kernel names for its programs.
    #[getter]
    fn kernel_files(&self) -> Vec<(&str, &[String])> {
        let nodes = self.scenario.nodes.iter();
        nodes.filter_map(|node| Some((node.name.as_str(), node.kernel.as_ref()?.files.as_slice()))).collect()
    }

    /// The folder of the scenario's file; none where it is of no file.
    #[getter]
    fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

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

    /// Bytes that a run takes while it is under way, and that it leaves behind.
    #[getter]
    fn memory(&self) -> (u64, u64) {
        (self.memory.run.get(), self.memory.kept.get())
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
        json!({
            "nodes": self.scenario.nodes.len(),
            "links": self.scenario.links.len(),
            "groups": groups,
            "warnings": data(&self.warnings),
            "figures": self.declaration.figures().map(BTreeMap::from_iter).collect::<Vec<_>>(),
            "sweep": sweep(self.declaration.sweep()),
        })
        .to_string()
    }

    /// Its queues in the words of tc as JSON text: all that results show, or those of one link or queue.
    #[pyo3(signature = (chosen=None))]
    fn tc(&self, chosen: Option<&str>) -> PyResult<String> {
        let entries = crate::export::tc(&self.scenario, chosen).map_err(PyValueError::new_err)?;
        Ok(entries.to_string())
    }

    /// When a link could have delivered, as lines of a trace: one direction, called as its queue (`r1->r2`), or a link's forward
    /// one.
    fn opportunities(&self, chosen: &str) -> PyResult<String> {
        crate::export::opportunities(&self.scenario, chosen).map_err(PyValueError::new_err)
    }

    /// The scenario as a file with every default written out.
    fn to_toml(&self) -> String {
        self.declaration.to_toml()
    }
}

/// `[sweep]` as data: values are TOML text, fit for overrides.
fn sweep(sweep: &Sweep) -> Value {
    let axis = |axis: &SweepAxis| json!({ "path": axis.path, "values": axis.values });
    let axes = |axes: &[SweepAxis]| -> Value { axes.iter().map(axis).collect() };
    let range = |range: &Range| json!({ "path": range.path, "logarithmic": range.logarithmic, "low": range.low, "high": range.high });
    let ranges = |ranges: &[Range]| -> Value { ranges.iter().map(range).collect() };
    let preset = |preset: &Preset| json!({ "name": preset.name, "values": preset.values });
    json!({
        "grid": axes(&sweep.grid),
        "zip": sweep.zips.iter().map(|group| axes(group)).collect::<Vec<_>>(),
        "let": axes(&sweep.names),
        "derive": sweep.derived,
        "preset": sweep.presets.iter().map(preset).collect::<Vec<_>>(),
        "when": sweep.when,
        "ranges": ranges(&sweep.ranges),
        "let_ranges": ranges(&sweep.name_ranges),
        "samples": sweep.samples,
        "independent": sweep.independent,
    })
}

//! A run of a scenario, and its output.

use crate::errors::{HostFailed, ScenarioError, Stalled};
use crate::kernels::{Kernels, Stock};
use crate::plugins::failure::caught;
use crate::scenario::Scenario;
use crate::serialize::packed;
use crate::stopwatch::Stopwatch;
use crate::streaming::{LOOKED_AFTER, OutputStream};
use crate::table_columns::by_name;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tailrace_core::Instant;
use tailrace_sim::{CaptureFile, Control, Progress, RunCost, RunError, RunOutput, Simulation};

/// A run that can be executed on any thread, watched and stopped from others.
/// Paths of kernels by name, the agent, files and folders that programs of hosts may read, and whether programs are trusted.
type KernelsOfTask = (BTreeMap<String, PathBuf>, PathBuf, BTreeMap<String, Vec<PathBuf>>, bool);

#[pyclass(frozen, module = "tailrace._native")]
pub(crate) struct Task {
    scenario: Arc<tailrace_scenario::Scenario>,
    run: u32,
    control: Arc<Control>,
    /// Where captures go while the run goes on; without, they are kept in memory.
    captures: Option<PathBuf>,
    /// Callable that takes rows while the run goes on; without it, they are kept in memory.
    rows: Option<Py<PyAny>>,
    rows_at_once: usize,
    /// Kernel images and agent, for hosts that run kernels.
    stock: Option<Stock>,
}

#[pymethods]
impl Task {
    /// With `captures` they go into that folder while the run goes on, as `0.pcapng`, `1.pcapng`, ... in the order of
    /// `Output.captures`, which has no bytes of them then. `rows` is called with tables of series and events, as those of
    /// `Output.tables`, each time that there are `rows_at_once` bytes of them; the output has those that are left.
    /// `kernels` is for scenarios that name some: their paths by name, the program that launches them, the files and folders that
    /// programs of each host may read, and whether programs are trusted where nothing confines them.
    #[new]
    #[pyo3(signature = (scenario, run, captures=None, rows=None, rows_at_once=0, kernels=None))]
    fn new(
        scenario: &Scenario,
        run: u32,
        captures: Option<PathBuf>,
        rows: Option<Py<PyAny>>,
        rows_at_once: usize,
        kernels: Option<KernelsOfTask>,
    ) -> Self {
        let scenario = Arc::clone(&scenario.scenario);
        let control = Arc::<Control>::default();
        let stock = kernels.map(|(kernels, agent, readable, unconfined)| {
            let control = Arc::clone(&control);
            Stock { kernels, agent, readable, unconfined, control }
        });
        Self { scenario, run, control, captures, rows, rows_at_once, stock }
    }

    /// Runs to the end, or until `cancel`; holds no interpreter lock meanwhile.
    fn execute(&self, py: Python<'_>) -> PyResult<Output> {
        let built = |error: tailrace_sim::BuildError| {
            // A single diagnostic without a place: only the whole network shows the error.
            let data = serde_json::json!([{ "severity": "error", "message": error.to_string() }]);
            ScenarioError::new_err((format!("error: {error}\n"), data.to_string()))
        };
        // Hooks of Python classes end a run by unwinding.
        let run = || {
            let mut simulation = Simulation::build(&self.scenario, self.run).map_err(built)?;
            crate::quic::attach(&self.scenario, self.run, &mut simulation)?;
            let kernels = Kernels::start(&self.scenario, self.run, &mut simulation, self.stock.as_ref());
            if self.control.is_cancelled() {
                return Ok(simulation.finish(RunCost::default())); // Whatever kernels said to that.
            }
            let kernels = kernels?;
            let mut run = self.simulate(simulation, &kernels)?;
            kernels.report(&mut run.summary);
            Ok(run)
        };
        py.detach(|| caught(run)).map(Output)
    }

    /// The share of simulated time that is done.
    fn progress(&self) -> f64 {
        let whole = self.scenario.duration.as_nanos();
        if whole == 0 { 0.0 } else { self.control.simulated().as_nanos() as f64 / whole as f64 }
    }

    /// Asks the run to end soon.
    fn cancel(&self) {
        self.control.cancel();
    }
}

impl Task {
    /// To the end, or until `cancel`.
    fn simulate(&self, mut simulation: Simulation, kernels: &Kernels) -> PyResult<RunOutput> {
        let ended = |error: RunError| match error {
            RunError::Stalled(stall) => Stalled::new_err(stall.to_string()),
            RunError::HostFailed(failure) => HostFailed::new_err(kernels.failed(&failure)),
        };
        let stopwatch = Stopwatch::start();
        let Some(mut leaving) = self.leaving() else {
            while simulation.step(Instant::MAX, &self.control).map_err(ended)? == Progress::UnderWay {}
            return Ok(simulation.finish(stopwatch.cost()));
        };
        let mut until = Instant::ZERO + LOOKED_AFTER;
        while simulation.step(until, &self.control).map_err(ended)? == Progress::UnderWay {
            leaving.look(&mut simulation)?;
            until = simulation.now() + LOOKED_AFTER;
        }
        let mut output = simulation.finish(stopwatch.cost());
        leaving.finish(&mut output)?;
        Ok(output)
    }

    /// Output that is streamed; `None` if the run records nothing that can be.
    fn leaving(&self) -> Option<OutputStream<'_>> {
        let captured = !self.scenario.captures.is_empty();
        let recorded = self.scenario.record.interval.is_some() || self.scenario.record.events;
        OutputStream::of(
            self.captures.as_deref().filter(|_| captured),
            self.rows.as_ref().filter(|_| recorded),
            self.rows_at_once,
        )
    }
}

/// Output of a run.
#[pyclass(frozen, module = "tailrace._native")]
pub(crate) struct Output(RunOutput);

#[pymethods]
impl Output {
    #[getter]
    fn run(&self) -> u32 {
        self.0.run
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", self.0.fingerprint)
    }

    #[getter]
    fn interrupted(&self) -> bool {
        self.0.interrupted
    }

    /// The run's entry of the result contract, as JSON text.
    #[getter]
    fn summary(&self) -> &str {
        &self.0.summary
    }

    /// `{table: {column: (type, little-endian bytes, words)}}`.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, &self.0.tables)
    }

    /// The same as one piece, as `pack` makes it.
    fn packed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        packed(py, &self.0.tables)
    }

    /// `[(file name, contents)]`.
    fn captures<'py>(&self, py: Python<'py>) -> Vec<(&str, Bound<'py, PyBytes>)> {
        self.0
            .captures
            .iter()
            .map(|CaptureFile { name, bytes }| (name.as_str(), PyBytes::new(py, bytes)))
            .collect()
    }
}

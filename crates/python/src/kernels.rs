//! Kernels as hosts of a run, where the system can run them.

#[cfg(target_os = "linux")]
use pyo3::PyResult;
#[cfg(target_os = "linux")]
use serde_json::json;
#[cfg(target_os = "linux")]
use tailrace_sim::HostFailure;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Kernels, Stock};
#[cfg(target_os = "linux")]
pub(crate) use tailrace_guest::KernelImages as Stock;

/// The kernels of a run; most have none.
#[cfg(target_os = "linux")]
pub(crate) struct Kernels(Option<tailrace_guest::GuestKernels>);

#[cfg(target_os = "linux")]
impl Kernels {
    /// Starts those that the scenario names.
    pub(crate) fn start(
        scenario: &tailrace_scenario::Scenario,
        run: u32,
        simulation: &mut tailrace_sim::Simulation,
        stock: Option<&Stock>,
    ) -> PyResult<Self> {
        if scenario.nodes.iter().all(|node| node.kernel.is_none()) {
            return Ok(Self(None));
        }
        let failed = crate::errors::HostFailed::new_err::<String>;
        let stock = stock.ok_or_else(|| failed("hosts run kernels, and the task was given none".into()))?;
        let guests = tailrace_guest::GuestKernels::start(scenario, run, simulation, stock);
        guests.map(Some).map(Self).map_err(|error| match error.refused {
            Some(refused) => crate::errors::RefusedError::new_err((error.host, error.why, said_of(refused))),
            None => failed(error.to_string()),
        })
    }

    /// Why a host cannot go on, what it was about, and the end of its console.
    pub(crate) fn failed(&self, failure: &HostFailure) -> String {
        let words = self.0.as_ref().and_then(|guests| guests.last_words(&failure.host));
        words.map_or_else(|| failure.to_string(), |words| format!("{failure}; {words}"))
    }

    /// Adds to a run's summary, which is a JSON object, what their programs were.
    pub(crate) fn report(&self, summary: &mut String) {
        let reports = self.0.as_ref().map_or_else(Vec::new, tailrace_guest::GuestKernels::reports);
        if !reports.is_empty() && summary.ends_with('}') {
            summary.pop();
            summary.push_str(&format!(",\"programs\":{}}}", json!(reports)));
        }
    }
}

/// The flow that asks for it, if one does, and what the kernel would take.
#[cfg(target_os = "linux")]
fn said_of(refused: tailrace_guest::RefusedRequest) -> (Option<String>, Vec<String>) {
    match refused {
        tailrace_guest::RefusedRequest::Setting { nearest } => (None, nearest.into_iter().collect()),
        tailrace_guest::RefusedRequest::CongestionControl { flow, known } => (Some(flow), known),
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use pyo3::PyResult;
    use pyo3::exceptions::PyRuntimeError;
    use std::collections::BTreeMap;
    use std::path::PathBuf;
    use std::sync::Arc;
    use tailrace_sim::{Control, HostFailure};

    #[expect(dead_code, reason = "where no kernel runs, nobody asks which there are")]
    pub(crate) struct Stock {
        pub(crate) kernels: BTreeMap<String, PathBuf>,
        pub(crate) agent: PathBuf,
        pub(crate) control: Arc<Control>,
    }

    /// None: kernels run on Linux alone.
    pub(crate) struct Kernels;

    impl Kernels {
        pub(crate) fn start(
            scenario: &tailrace_scenario::Scenario,
            _run: u32,
            _simulation: &mut tailrace_sim::Simulation,
            _stock: Option<&Stock>,
        ) -> PyResult<Self> {
            match scenario.nodes.iter().find(|node| node.kernel.is_some()) {
                Some(node) => Err(PyRuntimeError::new_err(format!(
                    "host {:?} runs a kernel, which needs Linux; leave out `kernel` to simulate it",
                    node.name
                ))),
                None => Ok(Self),
            }
        }

        pub(crate) fn failed(&self, failure: &HostFailure) -> String {
            failure.to_string()
        }

        pub(crate) fn report(&self, _summary: &mut String) {}
    }
}

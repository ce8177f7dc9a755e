//! Hosts with kernels of their own, as machines beside the simulation.

use pyo3::PyResult;
use serde_json::json;
pub(crate) use tailrace_guest::KernelImages as Stock;
use tailrace_sim::HostFailure;

/// The kernels of a run; most have none.
pub(crate) struct Kernels(Option<tailrace_guest::GuestKernels>);

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

    /// Message about a host that cannot go on: cause, time, and the end of its console.
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
fn said_of(refused: tailrace_guest::RefusedRequest) -> (Option<String>, Vec<String>) {
    match refused {
        tailrace_guest::RefusedRequest::Setting { nearest } => (None, nearest.into_iter().collect()),
        tailrace_guest::RefusedRequest::CongestionControl { flow, known } => (Some(flow), known),
    }
}

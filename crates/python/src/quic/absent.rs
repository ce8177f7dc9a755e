//! An extension without QUIC, as that of `make demo`, which is built sooner.

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;
use tailrace_scenario::Scenario;
use tailrace_sim::Simulation;

/// Refuses a scenario with a flow over QUIC.
pub(crate) fn attach(scenario: &Scenario, _run: u32, _simulation: &mut Simulation) -> PyResult<()> {
    match scenario.flows.iter().find(|group| group.transport.quic().is_some()) {
        Some(group) => Err(PyRuntimeError::new_err(format!(
            "flow {:?} runs over QUIC, which needs an extension that was built with it (`make build`; `make demo` leaves it out); \
             write transport = \"tcp\" to run it over TCP",
            group.name
        ))),
        None => Ok(()),
    }
}

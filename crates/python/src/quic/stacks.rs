//! QUIC stacks beside the hosts' own.

use pyo3::PyResult;
use tailrace_scenario::Scenario;
use tailrace_sim::Simulation;

/// Attaches those that the scenario's flows use.
pub(crate) fn attach(scenario: &Scenario, run: u32, simulation: &mut Simulation) -> PyResult<()> {
    tailrace_quic::attach_stacks(scenario, run, simulation)
        .map_err(|error| crate::errors::HostFailed::new_err(error.to_string()))
}

//! An extension without kernels: on systems other than Linux, and that of `make demo`, which is built sooner.

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tailrace_sim::{Control, HostFailure};

/// Requirement of a run with kernels, for error messages.
const NEEDED: &str = if cfg!(target_os = "linux") {
    "an extension that was built with them (`make build`; `make demo` leaves them out)"
} else {
    "Linux"
};

#[expect(dead_code, reason = "without kernels, nobody asks which there are")]
pub(crate) struct Stock {
    pub(crate) kernels: BTreeMap<String, PathBuf>,
    pub(crate) agent: PathBuf,
    pub(crate) readable: BTreeMap<String, Vec<PathBuf>>,
    pub(crate) unconfined: bool,
    pub(crate) control: Arc<Control>,
}

/// Nothing: a scenario that names a kernel is refused.
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
                "host {:?} runs a kernel, which needs {NEEDED}; leave out `kernel` to simulate it",
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

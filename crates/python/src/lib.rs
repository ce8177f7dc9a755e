//! The Python extension `tailrace._native`. It converts, releases the interpreter lock and maps errors; all else is
//! in the crates below it or in `python/tailrace`.

mod capture_files;
mod catalog;
mod clock;
mod export;
mod figures;
mod files;
mod leaving;
mod outside;
mod quantity;
mod scenario;
mod task;

use pyo3::prelude::*;

/// The compiled simulator. Private: `tailrace` wraps it.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::outside::failure::HookError;
    #[pymodule_export]
    use crate::outside::kind::Outsider;
    #[pymodule_export]
    use crate::outside::packet::{Packet, Surroundings};
    #[pymodule_export]
    use crate::outside::transport_views::{Ack, Delivered, Event, Setting, Signal};
    #[pymodule_export]
    use crate::outside::views::{Backlog, Link, Rng, Verdict};
    #[pymodule_export]
    use crate::scenario::{Scenario, ScenarioError, Source};
    #[pymodule_export]
    use crate::task::{Output, Task};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("__engine__", concat!(env!("CARGO_PKG_VERSION"), "+", env!("TAILRACE_ENGINE")))
    }

    /// Everything that a scenario can name, as JSON text.
    #[pyfunction]
    fn catalog() -> String {
        crate::catalog::catalog().to_string()
    }

    /// A quantity as scenarios write it, as a number in SI units and its unit; None where it is none.
    #[pyfunction]
    fn quantity(text: &str) -> Option<(f64, &'static str)> {
        crate::quantity::quantity(text)
    }

    /// The JSON Schema of scenario files.
    #[pyfunction]
    fn schema() -> String {
        format!("{:#}", tailrace_scenario::schema())
    }
}

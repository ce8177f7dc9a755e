//! The Python extension `tailrace._native`. It converts, releases the interpreter lock and maps errors; all else is
//! in the crates below it or in `python/tailrace`.

mod capture_files;
mod catalog;
mod column_bytes;
mod concat;
mod errors;
mod examples;
mod export;
mod flow_bursts;
mod kernels;
mod plugins;
mod quantity;
mod quic;
mod scenario;
mod scenario_files;
mod serialize;
mod stopwatch;
mod streaming;
mod summary_table;
mod table_columns;
mod task;
mod word_column;

use pyo3::prelude::*;

/// The compiled simulator. Private: `tailrace` wraps it.
#[pymodule]
mod _native {
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyDict};

    #[pymodule_export]
    use crate::errors::{RefusedError, ScenarioError};
    #[pymodule_export]
    use crate::plugins::failure::HookError;
    #[pymodule_export]
    use crate::plugins::packet::{Packet, QueueContext};
    #[pymodule_export]
    use crate::plugins::registration::Plugin;
    #[pymodule_export]
    use crate::plugins::transport_views::{Ack, Delivered, Event, Setting, Signal};
    #[pymodule_export]
    use crate::plugins::views::{Backlog, Link, Rng, Verdict};
    #[pymodule_export]
    use crate::scenario::{Scenario, Source};
    #[pymodule_export]
    use crate::task::{Output, Task};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("ROWS_AT_ONCE_BYTES", crate::streaming::ROWS_AT_ONCE.get())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("__engine__", concat!(env!("CARGO_PKG_VERSION"), "+", env!("TAILRACE_ENGINE")))
    }

    /// Everything that a scenario can name, as JSON text; `outsiders` are algorithms beside the registered ones.
    #[pyfunction]
    #[pyo3(signature = (outsiders=Vec::new()))]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it converted")]
    fn catalog(outsiders: Vec<PyRef<'_, Plugin>>) -> PyResult<String> {
        Plugin::all(&outsiders)?;
        Ok(crate::catalog::catalog(outsiders.iter().map(|one| one.entry())).to_string())
    }

    /// A quantity as scenarios write it, as a number in SI units and its unit; None where it is none.
    #[pyfunction]
    fn quantity(text: &str) -> Option<(f64, &'static str)> {
        crate::quantity::quantity(text)
    }

    /// From and until, in seconds since its start, a flow sends that is stopped after `within_s`: `table` is the JSON text of its application,
    /// or of the attack that it belongs to. None where the table cannot be read.
    #[pyfunction]
    fn bursts(table: &str, attack: bool, within_s: f64) -> Option<Vec<(f64, f64)>> {
        crate::flow_bursts::bursts(&serde_json::from_str(table).ok()?, attack, within_s)
    }

    /// Every number and word of runs' summaries as a table: `{column: (type, little-endian bytes, words)}`, the
    /// columns `cell`, `run`, `window`, `of`, `name`, `figure`, `value`, `text`; the empty word stands for none.
    ///
    /// Of each run its cell, its number and its entry of the result contract as JSON text.
    #[pyfunction]
    fn figures<'py>(
        py: Python<'py>,
        runs: Vec<(u32, u32, pyo3::pybacked::PyBackedStr)>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut found = crate::summary_table::SummaryTable::new();
        for (cell, run, summary) in &runs {
            let damaged =
                |error| PyValueError::new_err(format!("summary of cell {cell}, run {run}: {error}"));
            found.add(*cell, *run, summary).map_err(damaged)?;
        }
        crate::summary_table::columns(py, &found)
    }

    /// Tables of one run, `{table: {column: (type, little-endian bytes, words)}}`, as one piece of bytes.
    #[pyfunction]
    fn pack<'py>(py: Python<'py>, tables: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyBytes>> {
        crate::serialize::pack(py, tables)
    }

    /// The way back from `pack`.
    #[pyfunction]
    fn unpack<'py>(py: Python<'py>, packed: &[u8]) -> PyResult<Bound<'py, PyDict>> {
        crate::serialize::unpack(py, packed)
    }

    /// Packed tables of many runs put together: of each table those rows that have the same columns, which begin with
    /// `cell` and `run`. Of each run its cell, its number and what `pack` made.
    #[pyfunction]
    fn join<'py>(
        py: Python<'py>,
        runs: Vec<(u32, u32, pyo3::pybacked::PyBackedBytes)>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut tables = crate::concat::RunTables::default();
        for (cell, run, packed) in &runs {
            tables.add(*cell, *run, packed)?;
        }
        tables.shown(py)
    }

    /// Scenarios to start from, by their names below the repository.
    #[pyfunction]
    fn examples(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let all = PyDict::new(py);
        for (name, content) in crate::examples::EXAMPLES {
            all.set_item(name, PyBytes::new(py, content))?;
        }
        Ok(all)
    }

    /// A scenario file with its keys where they belong now, and the keys that were moved; `ScenarioError` where it is no TOML.
    #[pyfunction]
    fn migrate(text: &str, file_name: &str) -> PyResult<(String, Vec<String>)> {
        let migrated =
            tailrace_scenario::migrate(text, file_name).map_err(|e| crate::scenario::scenario_error(&e))?;
        Ok((migrated.text, migrated.moved))
    }

    /// The JSON Schema of scenario files, which may name `outsiders`, too.
    #[pyfunction]
    #[pyo3(signature = (outsiders=Vec::new()))]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it converted")]
    fn schema(outsiders: Vec<PyRef<'_, Plugin>>) -> PyResult<String> {
        Ok(format!("{:#}", tailrace_scenario::schema_with(&Plugin::all(&outsiders)?)))
    }
}

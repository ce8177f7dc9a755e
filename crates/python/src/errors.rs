//! Exceptions of the extension.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};

create_exception!(
    _native,
    ScenarioError,
    PyValueError,
    "args: the diagnostics rendered for people, and the same as JSON text."
);

create_exception!(_native, Stalled, PyRuntimeError, "Simulated time does not advance; names the cause.");
create_exception!(_native, HostFailed, PyRuntimeError, "A host's kernel cannot go on: host, time and cause.");

create_exception!(
    _native,
    RefusedError,
    PyRuntimeError,
    "A kernel does not take what the scenario asks for: host, why, and the flow that asks, if one does, with what the kernel would take."
);

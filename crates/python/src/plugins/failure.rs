//! Errors of hooks. A hook that fails unwinds to the caller that started the run, so that nothing is simulated after
//! it.

use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

create_exception!(
    _native,
    HookError,
    PyRuntimeError,
    "A hook of a class raised, or answered what cannot be."
);

/// Payload of the unwinding. It is no panic: nothing is printed.
struct Failure(PyErr);

/// Ends the run because a hook raised.
pub(super) fn raised(py: Python<'_>, class: &str, hook: &str, error: PyErr) -> ! {
    let place = place_of(py, &error).map_or_else(String::new, |place| format!(" ({place})"));
    let failed = HookError::new_err(format!("{class}.{hook}: {error}{place}"));
    failed.set_cause(py, Some(error));
    resume_unwind(Box::new(Failure(failed)))
}

/// Ends the run because of what a hook answered, or asked for.
pub(super) fn wrong(class: &str, hook: &str, why: &str) -> ! {
    resume_unwind(Box::new(Failure(HookError::new_err(format!("{class}.{hook} {why}")))))
}

/// Result of `run`, or the error of the hook that ended it.
pub(crate) fn caught<T>(run: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result,
        Err(payload) => match payload.downcast::<Failure>() {
            Ok(failure) => Err(failure.0),
            Err(bug) => resume_unwind(bug),
        },
    }
}

/// File and line where it was raised.
fn place_of(py: Python<'_>, error: &PyErr) -> Option<String> {
    let mut frame = error.traceback(py)?.into_any();
    loop {
        let inner = frame.getattr("tb_next").ok()?;
        if inner.is_none() {
            break;
        }
        frame = inner;
    }
    let line: u32 = frame.getattr("tb_lineno").ok()?.extract().ok()?;
    let file: String = frame
        .getattr("tb_frame")
        .ok()?
        .getattr("f_code")
        .ok()?
        .getattr("co_filename")
        .ok()?
        .extract()
        .ok()?;
    Some(format!("{file}, line {line}"))
}

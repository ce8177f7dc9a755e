//! Numbers as bytes, which is how columns cross the boundary.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tailrace_sim::Values;

/// The values as bytes that `numpy.frombuffer` wraps: one copy, no Arrow needed on this side.
pub(crate) fn raw<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, values.len() * N, |out| {
        for (place, value) in out.chunks_exact_mut(N).zip(values) {
            place.copy_from_slice(&bytes(*value));
        }
        Ok(())
    })
}

/// Name of a column's kind in Python.
pub(crate) const fn kind(values: &Values) -> &'static str {
    match values {
        Values::U64(_) => "u64",
        Values::U32(_) => "u32",
        Values::F64(_) => "f64",
        Values::Text(_) => "text",
    }
}

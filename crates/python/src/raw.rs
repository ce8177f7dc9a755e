//! Numbers as bytes, which is how columns cross the boundary.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

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

//! Tables as Python dictionaries of columns.

use crate::column_bytes::{kind, raw};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tailrace_sim::{Table, Values};

/// `{table: {column: (type, little-endian bytes, words)}}`.
pub(crate) fn by_name<'py>(py: Python<'py>, tables: &[Table]) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    for table in tables {
        found.set_item(&table.name, columns(py, table)?)?;
    }
    Ok(found)
}

fn columns<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for column in &table.columns {
        let raw = match &column.values {
            Values::U64(v) => raw(py, v, |x| x.to_le_bytes())?,
            Values::U32(v) | Values::Text(v) => raw(py, v, |x| x.to_le_bytes())?,
            Values::F64(v) => raw(py, v, |x| x.to_le_bytes())?,
        };
        columns.set_item(&column.name, (kind(&column.values), raw, &column.words))?;
    }
    Ok(columns)
}

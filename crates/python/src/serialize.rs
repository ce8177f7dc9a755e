//! The tables of one run as one piece of bytes, for the time between its end and its place in a Parquet part.
//!
//! A JSON header of a known length says what follows: for each column of each table its kind, how many bytes it has and
//! the words that a text column's numbers stand for. No compression: it is written once and read once, soon after.

use crate::column_bytes::kind;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict};
use tailrace_sim::{Column as TableColumn, Table, Values};

/// Bytes of the number before the header that says how long it is.
const LENGTH: usize = 4;

/// Name of each table and its columns: name, kind, bytes and words.
type Header = Vec<(String, Vec<(String, String, usize, Vec<String>)>)>;
/// Kind, little-endian bytes and words.
type RawColumn = (PyBackedStr, PyBackedBytes, Vec<PyBackedStr>);

/// `{table: {column: (kind, little-endian bytes, words)}}` as one piece.
pub(crate) fn pack<'py>(py: Python<'py>, tables: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyBytes>> {
    let mut header = Header::new();
    let mut data = Vec::new();
    for (name, columns) in tables {
        let mut about = Vec::new();
        for (column, raw) in columns.cast::<PyDict>()? {
            let (kind, bytes, words): RawColumn = raw.extract()?;
            let words = words.iter().map(|word| String::from(&**word)).collect();
            about.push((column.extract()?, String::from(&*kind), bytes.len(), words));
            data.extend_from_slice(&bytes);
        }
        header.push((name.extract()?, about));
    }
    whole(py, &header, &data)
}

/// The same of tables that have not become Python's, written in one pass: a run may leave some hundred kilobytes.
pub(crate) fn packed<'py>(py: Python<'py>, tables: &[Table]) -> PyResult<Bound<'py, PyBytes>> {
    let about = |column: &TableColumn| {
        let kind: &str = kind(&column.values);
        (column.name.clone(), kind.into(), column.values.bytes(), column.words.clone())
    };
    let header: Header =
        tables.iter().map(|t| (t.name.clone(), t.columns.iter().map(about).collect())).collect();
    let (text, length) = text_of(&header)?;
    let columns = || tables.iter().flat_map(|table| &table.columns);
    let bytes: usize = columns().map(|column| column.values.bytes()).sum();
    PyBytes::new_with(py, LENGTH + text.len() + bytes, |whole| {
        let (head, mut data) = whole.split_at_mut(LENGTH + text.len());
        head[..LENGTH].copy_from_slice(&length);
        head[LENGTH..].copy_from_slice(&text);
        for column in columns() {
            let (own, rest) = data.split_at_mut(column.values.bytes());
            write(own, &column.values);
            data = rest;
        }
        Ok(())
    })
}

/// Little-endian numbers into as many bytes as they have.
fn write(bytes: &mut [u8], values: &Values) {
    match values {
        Values::U64(v) => fill(bytes, v, |x| x.to_le_bytes()),
        Values::U32(v) | Values::Text(v) => fill(bytes, v, |x| x.to_le_bytes()),
        Values::F64(v) => fill(bytes, v, |x| x.to_le_bytes()),
    }
}

fn fill<T: Copy, const N: usize>(bytes: &mut [u8], numbers: &[T], little_endian: impl Fn(T) -> [u8; N]) {
    for (place, number) in bytes.as_chunks_mut::<N>().0.iter_mut().zip(numbers) {
        *place = little_endian(*number);
    }
}

fn whole<'py>(py: Python<'py>, header: &Header, data: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let (text, length) = text_of(header)?;
    Ok(PyBytes::new(py, &[&length[..], &text, data].concat()))
}

/// The header as JSON, and the number before it.
fn text_of(header: &Header) -> PyResult<(Vec<u8>, [u8; LENGTH])> {
    let text = serde_json::to_vec(header).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let length = (text.len() as u32).to_le_bytes();
    Ok((text, length))
}

/// The way back.
pub(crate) fn unpack<'py>(py: Python<'py>, packed: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let tables = PyDict::new(py);
    for (name, columns) in opened(packed)? {
        let table = PyDict::new(py);
        for Column { name, kind, data, words } in columns {
            table.set_item(name, (kind, PyBytes::new(py, data), words))?;
        }
        tables.set_item(name, table)?;
    }
    Ok(tables)
}

/// A column of a packed table.
pub(crate) struct Column<'a> {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) data: &'a [u8],
    pub(crate) words: Vec<String>,
}

/// Contents of packed tables, in order.
pub(crate) fn opened(packed: &[u8]) -> PyResult<Vec<(String, Vec<Column<'_>>)>> {
    contents(packed).ok_or_else(|| PyValueError::new_err("the tables of a run are damaged"))
}

fn contents(packed: &[u8]) -> Option<Vec<(String, Vec<Column<'_>>)>> {
    let (length, rest) = packed.split_first_chunk::<LENGTH>()?;
    let (header, mut rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let mut tables = Vec::new();
    for (table, about) in serde_json::from_slice::<Header>(header).ok()? {
        let mut columns = Vec::with_capacity(about.len());
        for (name, kind, length, words) in about {
            let (data, after) = rest.split_at_checked(length)?;
            rest = after;
            columns.push(Column { name, kind, data, words });
        }
        tables.push((table, columns));
    }
    Some(tables)
}

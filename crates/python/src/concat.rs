//! Tables of many runs put together, column by column: a frame a run would cost a hundred times as much.

use crate::column_bytes::raw;
use crate::serialize::{Column, opened};
use crate::word_column::WordColumn;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

const TEXT: &str = "text";
/// Every row has it anyway: the number of its run.
const RUN: &str = "run";

/// Tables of runs, in the order in which they first came.
#[derive(Default)]
pub(crate) struct RunTables(Vec<(String, Vec<ConcatTable>)>);

/// Rows of runs whose table has the same columns.
#[derive(Default)]
struct ConcatTable {
    cells: Vec<u32>,
    runs: Vec<u32>,
    columns: Vec<ConcatColumn>,
}

/// A column of all these runs.
struct ConcatColumn {
    name: String,
    kind: String,
    values: Values,
}

enum Values {
    /// Little-endian.
    Numbers(Vec<u8>),
    Words(WordColumn),
}

impl RunTables {
    /// The packed tables of one more run.
    pub(crate) fn add(&mut self, cell: u32, run: u32, packed: &[u8]) -> PyResult<()> {
        for (name, mut columns) in opened(packed)? {
            columns.retain(|column| column.name != RUN);
            let added = self.alike(&name, &columns).add(cell, run, &columns);
            added.ok_or_else(|| {
                PyValueError::new_err(format!("table {name} of cell {cell}, run {run} is damaged"))
            })?;
        }
        Ok(())
    }

    /// The rows that have the same columns.
    fn alike(&mut self, name: &str, columns: &[Column<'_>]) -> &mut ConcatTable {
        let at = self.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.0.push((name.into(), Vec::new()));
            self.0.len() - 1
        });
        let shapes = &mut self.0[at].1;
        let shape = shapes.iter().position(|joined| joined.fits(columns)).unwrap_or_else(|| {
            shapes.push(ConcatTable::of(columns));
            shapes.len() - 1
        });
        &mut shapes[shape]
    }

    /// `{table: [{column: (kind, little-endian bytes, words)}]}`; each begins with `cell` and `run`.
    pub(crate) fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for (name, shapes) in &self.0 {
            let shown: Vec<_> = shapes.iter().map(|joined| joined.shown(py)).collect::<PyResult<_>>()?;
            tables.set_item(name, PyList::new(py, shown)?)?;
        }
        Ok(tables)
    }
}

impl ConcatTable {
    fn of(columns: &[Column<'_>]) -> Self {
        let columns = columns.iter().map(|Column { name, kind, .. }| ConcatColumn {
            name: name.clone(),
            kind: kind.clone(),
            values: if kind == TEXT { Values::Words(WordColumn::new()) } else { Values::Numbers(Vec::new()) },
        });
        Self { columns: columns.collect(), ..Self::default() }
    }

    fn fits(&self, columns: &[Column<'_>]) -> bool {
        let alike = |(ours, theirs): (&ConcatColumn, &Column<'_>)| {
            ours.name == theirs.name && ours.kind == theirs.kind
        };
        self.columns.len() == columns.len() && self.columns.iter().zip(columns).all(alike)
    }

    /// The rows of one more run; nothing where its columns are not as long as one another.
    fn add(&mut self, cell: u32, run: u32, columns: &[Column<'_>]) -> Option<()> {
        let heights = || columns.iter().map(|column| Some(column.data.len() / width(&column.kind)?));
        let height = heights().next().unwrap_or(Some(0))?;
        if heights().any(|other| other != Some(height)) {
            return None;
        }
        for (ours, column) in self.columns.iter_mut().zip(columns) {
            match &mut ours.values {
                Values::Numbers(numbers) => numbers.extend_from_slice(column.data),
                Values::Words(words) => gather(words, column)?,
            }
        }
        self.cells.resize(self.cells.len() + height, cell);
        self.runs.resize(self.runs.len() + height, run);
        Some(())
    }

    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let shown = PyDict::new(py);
        let none: [&str; 0] = [];
        for (name, numbers) in [("cell", &self.cells), (RUN, &self.runs)] {
            shown.set_item(name, ("u32", raw(py, numbers, |x| x.to_le_bytes())?, none))?;
        }
        for ConcatColumn { name, kind, values } in &self.columns {
            match values {
                Values::Numbers(numbers) => shown.set_item(name, (kind, PyBytes::new(py, numbers), none))?,
                Values::Words(words) => {
                    let rows = raw(py, &words.rows, |x| x.to_le_bytes())?;
                    shown.set_item(name, (kind, rows, &words.words))?;
                }
            }
        }
        Ok(shown)
    }
}

/// Bytes of one value.
fn width(kind: &str) -> Option<usize> {
    match kind {
        "u64" | "f64" => Some(8),
        "u32" | TEXT => Some(4),
        _ => None,
    }
}

/// The words of one more run, whose numbers are of its own words.
fn gather(words: &mut WordColumn, column: &Column<'_>) -> Option<()> {
    let ours: Vec<u32> = column.words.iter().map(|word| words.number(word)).collect();
    let (codes, _) = column.data.as_chunks::<4>();
    for code in codes {
        words.rows.push(*ours.get(u32::from_le_bytes(*code) as usize)?);
    }
    Some(())
}

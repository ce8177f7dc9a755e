//! The numbers of runs' summaries as one table, a row each: thousands of runs are put together here as columns.

use crate::column_bytes::raw;
use crate::word_column::WordColumn;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

/// Sections of a summary, and the table's word for an entry of each.
const SECTIONS: [(&str, &str); 4] =
    [("groups", "group"), ("queues", "queue"), ("connections", "connection"), ("paths", "path")];

/// The columns of the table.
pub(crate) struct SummaryTable {
    pub(crate) cell: Vec<u32>,
    pub(crate) run: Vec<u32>,
    pub(crate) window: WordColumn,
    pub(crate) of: WordColumn,
    pub(crate) name: WordColumn,
    pub(crate) figure: WordColumn,
    /// NaN where there is none.
    pub(crate) value: Vec<f64>,
    pub(crate) text: WordColumn,
}

impl SummaryTable {
    pub(crate) fn new() -> Self {
        Self {
            cell: Vec::new(),
            run: Vec::new(),
            window: WordColumn::new(),
            of: WordColumn::new(),
            name: WordColumn::new(),
            figure: WordColumn::new(),
            value: Vec::new(),
            text: WordColumn::new(),
        }
    }

    /// The rows of one more run; its summary is JSON text.
    pub(crate) fn add(&mut self, cell: u32, run: u32, summary: &str) -> Result<(), serde_json::Error> {
        let summary: Value = serde_json::from_str(summary)?;
        self.entry("", &summary);
        for (window, entry) in summary["windows"].as_object().into_iter().flatten() {
            self.entry(window, entry);
        }
        self.cell.resize(self.value.len(), cell);
        self.run.resize(self.value.len(), run);
        Ok(())
    }

    /// The whole run, or a window of it.
    fn entry(&mut self, window: &str, entry: &Value) {
        for (section, of) in SECTIONS {
            for (name, tree) in entry[section].as_object().into_iter().flatten() {
                self.leaves(tree, &mut String::new());
                let rows = self.value.len();
                self.window.fill(rows, window);
                self.of.fill(rows, of);
                self.name.fill(rows, name);
            }
        }
    }

    /// Numbers and words with their paths, such as `goodput_bps.sum`; lists count from 0.
    fn leaves(&mut self, tree: &Value, path: &mut String) {
        match tree {
            Value::Object(table) => table.iter().for_each(|(key, inner)| self.below(inner, path, key)),
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(i, inner)| self.below(inner, path, &i.to_string()));
            }
            Value::String(word) => self.leaf(path, f64::NAN, word),
            Value::Bool(truth) => self.leaf(path, f64::from(u8::from(*truth)), ""),
            Value::Number(number) => self.leaf(path, number.as_f64().unwrap_or(f64::NAN), ""),
            Value::Null => self.leaf(path, f64::NAN, ""),
        }
    }

    fn below(&mut self, tree: &Value, path: &mut String, key: &str) {
        let length = path.len();
        if length > 0 {
            path.push('.');
        }
        path.push_str(key);
        self.leaves(tree, path);
        path.truncate(length);
    }

    fn leaf(&mut self, path: &str, value: f64, text: &str) {
        self.figure.push(path);
        self.value.push(value);
        self.text.push(text);
    }
}

/// `{column: (type, little-endian bytes, words)}`.
pub(crate) fn columns<'py>(py: Python<'py>, figures: &SummaryTable) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let none: [&str; 0] = [];
    let numbers = |name: &str, column: &[u32]| -> PyResult<()> {
        columns.set_item(name, ("u32", raw(py, column, |x| x.to_le_bytes())?, none))
    };
    let words = |name: &str, column: &WordColumn| -> PyResult<()> {
        columns.set_item(name, ("text", raw(py, &column.rows, |x| x.to_le_bytes())?, &column.words))
    };
    numbers("cell", &figures.cell)?;
    numbers("run", &figures.run)?;
    words("window", &figures.window)?;
    words("of", &figures.of)?;
    words("name", &figures.name)?;
    words("figure", &figures.figure)?;
    columns.set_item("value", ("f64", raw(py, &figures.value, |x| x.to_le_bytes())?, none))?;
    words("text", &figures.text)?;
    Ok(columns)
}

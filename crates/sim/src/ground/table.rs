//! Builds the columns of [`crate::ground::output::Table`]s row by row.

use crate::ground::output::{Column, Table, Values};
use std::collections::BTreeMap;

/// A cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TableCell<'a> {
    /// Whole number.
    U64(u64),
    /// Whole number that may be missing.
    Count(Option<u64>),
    /// Small whole number.
    U32(u32),
    /// Number; NaN for a missing value.
    F64(f64),
    /// A word.
    Text(&'a str),
}

/// A table being filled.
#[derive(Debug)]
pub(crate) struct TableBuilder {
    table: Table,
    /// Positions of the words of each column.
    known: Vec<BTreeMap<String, u32>>,
}

impl TableBuilder {
    /// An empty table with these columns; the template row gives their types.
    pub(crate) fn new(name: &str, columns: &[(&str, TableCell<'_>)]) -> Self {
        let columns = columns.iter().map(|(name, cell)| {
            let values = match cell {
                TableCell::U64(_) | TableCell::Count(_) => Values::U64(Vec::new()),
                TableCell::U32(_) => Values::U32(Vec::new()),
                TableCell::F64(_) => Values::F64(Vec::new()),
                TableCell::Text(_) => Values::Text(Vec::new()),
            };
            Column { name: (*name).into(), values, words: Vec::new() }
        });
        let table = Table { name: name.into(), columns: columns.collect() };
        let known = vec![BTreeMap::new(); table.columns.len()];
        Self { table, known }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If the cells do not match the columns.
    pub(crate) fn row(&mut self, cells: &[TableCell<'_>]) {
        assert_eq!(
            cells.len(),
            self.table.columns.len(),
            "a row has a cell for each column of {}",
            self.table.name
        );
        for ((column, known), cell) in self.table.columns.iter_mut().zip(&mut self.known).zip(cells) {
            match (&mut column.values, cell) {
                (Values::U64(v), TableCell::U64(x)) => v.push(*x),
                (Values::U64(v), TableCell::Count(x)) => v.push(x.unwrap_or(Values::NO_COUNT)),
                (Values::U32(v), TableCell::U32(x)) => v.push(*x),
                (Values::F64(v), TableCell::F64(x)) => v.push(*x),
                (Values::Text(v), TableCell::Text(word)) => {
                    let id = known.get(*word).copied().unwrap_or_else(|| {
                        column.words.push((*word).into());
                        known.insert((*word).into(), column.words.len() as u32 - 1);
                        column.words.len() as u32 - 1
                    });
                    v.push(id);
                }
                _ => panic!("column {} of {} holds another type", column.name, self.table.name),
            }
        }
    }

    /// Takes the rows since the previous call. Words keep their positions, so that the parts can be concatenated.
    pub(crate) fn take(&mut self) -> Table {
        let rest = self.table.columns.iter().map(|c| Column {
            name: c.name.clone(),
            values: match c.values {
                Values::U64(_) => Values::U64(Vec::new()),
                Values::U32(_) => Values::U32(Vec::new()),
                Values::F64(_) => Values::F64(Vec::new()),
                Values::Text(_) => Values::Text(Vec::new()),
            },
            words: c.words.clone(),
        });
        let rest = Table { name: self.table.name.clone(), columns: rest.collect() };
        std::mem::replace(&mut self.table, rest)
    }

    /// Memory of the rows in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.table.columns.iter().map(|column| column.values.bytes()).sum()
    }

    /// The finished table.
    pub(crate) fn finish(self) -> Table {
        self.table
    }
}

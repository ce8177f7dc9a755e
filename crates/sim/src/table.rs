//! Builds the columns of [`crate::output::Table`]s row by row.

use crate::output::{Column, Table, Values};

/// A cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell<'a> {
    /// Whole number.
    U64(u64),
    /// Small whole number.
    U32(u32),
    /// Number; NaN where there is none.
    F64(f64),
    /// A word.
    Text(&'a str),
}

/// A table being filled. Columns are fixed by the first row's cells.
#[derive(Debug)]
pub(crate) struct TableBuilder {
    table: Table,
}

impl TableBuilder {
    /// An empty table with these columns; the template row gives their types.
    pub(crate) fn new(name: &str, columns: &[(&str, Cell<'_>)]) -> Self {
        let columns = columns.iter().map(|(name, cell)| {
            let values = match cell {
                Cell::U64(_) => Values::U64(Vec::new()),
                Cell::U32(_) => Values::U32(Vec::new()),
                Cell::F64(_) => Values::F64(Vec::new()),
                Cell::Text(_) => Values::Text(Vec::new()),
            };
            Column { name: (*name).into(), values, words: Vec::new() }
        });
        Self { table: Table { name: name.into(), columns: columns.collect() } }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When the cells do not match the columns.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) {
        assert_eq!(
            cells.len(),
            self.table.columns.len(),
            "a row has a cell for each column of {}",
            self.table.name
        );
        for (column, cell) in self.table.columns.iter_mut().zip(cells) {
            match (&mut column.values, cell) {
                (Values::U64(v), Cell::U64(x)) => v.push(*x),
                (Values::U32(v), Cell::U32(x)) => v.push(*x),
                (Values::F64(v), Cell::F64(x)) => v.push(*x),
                (Values::Text(v), Cell::Text(word)) => {
                    // Few distinct words, most often the last one again.
                    let known = column.words.iter().rposition(|w| w == word);
                    let id = known.unwrap_or_else(|| {
                        column.words.push((*word).into());
                        column.words.len() - 1
                    });
                    v.push(id as u32);
                }
                _ => panic!("column {} of {} holds another type", column.name, self.table.name),
            }
        }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        match self.table.columns.first().map(|c| &c.values) {
            Some(Values::U64(v)) => v.len(),
            Some(Values::U32(v) | Values::Text(v)) => v.len(),
            Some(Values::F64(v)) => v.len(),
            None => 0,
        }
    }

    /// The finished table.
    pub(crate) fn finish(self) -> Table {
        self.table
    }
}

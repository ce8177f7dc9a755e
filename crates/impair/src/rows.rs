//! What a link is like over time, as a table of text: times with a rate, a delay, a loss, or some of them.
//!
//! A line is a row, or what stands between semicolons; `#` begins a comment. The first row names the columns: `time` and any of
//! `rate`, `delay` and `loss`. A column can say its unit, as in `rate [Mbit/s]`, or each value its own.

use crate::bounds::{DELAYS, RATES};
use crate::course::Stage;
use core::fmt;
use std::sync::Arc;
use tailrace_core::params::{Kind, ParamType, Value};
use tailrace_core::text::Quantity as _;
use tailrace_core::{Duration, Probability, Rate};

/// From when on the link is how; times ascend from zero, the beginning of the fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    rows: Arc<[(Duration, Stage)]>,
    most: Stage,
}

/// No table has more rows.
const MOST: usize = 1_000_000;

impl Rows {
    /// The rows in order.
    pub fn rows(&self) -> &[(Duration, Stage)] {
        &self.rows
    }

    /// What any of them sets, with the largest values that there are.
    pub const fn most(&self) -> &Stage {
        &self.most
    }

    fn of(rows: Vec<(Duration, Stage)>) -> Self {
        let all = || rows.iter().map(|(_, stage)| stage);
        let most = Stage {
            passage: None,
            rate: all().filter_map(|s| s.rate).max(),
            delay: all().filter_map(|s| s.delay).max(),
            loss: all().filter_map(|s| s.loss).max_by(|a, b| a.get().total_cmp(&b.get())),
        };
        Self { rows: rows.into(), most }
    }

    /// Reads a table.
    ///
    /// # Errors
    /// What is wrong with it, and in which row.
    pub fn read(text: &str) -> Result<Self, String> {
        let lines = text.split(['\n', ';']).map(|line| line.split('#').next().unwrap_or("").trim());
        let mut lines = lines.filter(|line| !line.is_empty());
        let columns: Vec<Column<'_>> =
            lines.next().unwrap_or("").split(',').map(Column::read).collect::<Result<_, _>>()?;
        if columns.first().is_none_or(|column| column.name != "time") || columns.len() < 2 {
            return Err(
                "the first row names the columns: \"time, rate, delay, loss\" or some of these, time first"
                    .into(),
            );
        }
        let mut rows: Vec<(Duration, Stage)> = Vec::new();
        for (i, line) in lines.enumerate() {
            let row = row(line, &columns).map_err(|why| format!("row {}: {why}", i + 1))?;
            match rows.last() {
                None if !row.0.is_zero() => {
                    return Err("the first row is of another time than 0 s, when the fault starts".into());
                }
                Some((before, _)) if *before >= row.0 => {
                    return Err(format!("row {}: {} does not come after {before}", i + 1, row.0));
                }
                _ if rows.len() == MOST => return Err(format!("there are more than {MOST} rows")),
                _ => rows.push(row),
            }
        }
        if rows.is_empty() {
            Err("there are no rows below the names of the columns".into())
        } else {
            Ok(Self::of(rows))
        }
    }
}

struct Column<'t> {
    name: &'t str,
    unit: &'t str,
}

impl<'t> Column<'t> {
    fn read(text: &'t str) -> Result<Self, String> {
        let (name, unit) = text.split_once('[').unwrap_or((text, ""));
        let column = Self { name: name.trim(), unit: unit.trim().trim_end_matches(']').trim() };
        match column.name {
            "time" | "rate" | "delay" | "loss" => Ok(column),
            other => Err(format!("there is no column {other:?}: they are time, rate, delay and loss")),
        }
    }
}

fn row(line: &str, columns: &[Column<'_>]) -> Result<(Duration, Stage), String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        return Err(format!("{} values for {} columns", cells.len(), columns.len()));
    }
    let (mut time, mut stage) = (Duration::ZERO, Stage::default());
    for (cell, column) in cells.into_iter().zip(columns) {
        let text = if column.unit.is_empty() { cell.to_string() } else { format!("{cell} {}", column.unit) };
        let within = |bounds: tailrace_core::bounds::Bounds, kind, value: &Value| bounds.check(kind, value);
        match column.name {
            "time" => {
                time = Duration::parse(&text)?;
                within(DELAYS, Kind::Duration, &time.to_value())?;
            }
            "rate" => {
                let rate = Rate::parse(&text)?;
                within(RATES, Kind::Rate, &rate.to_value())?;
                stage.rate = Some(rate);
            }
            "delay" => {
                let delay = Duration::parse(&text)?;
                within(DELAYS, Kind::Duration, &delay.to_value())?;
                stage.delay = Some(delay);
            }
            _ => {
                let value = text.parse().map_or_else(|_| Value::Text(text.clone()), Value::Float);
                stage.loss = Some(Probability::from_value(&value)?);
            }
        }
    }
    Ok((time, stage))
}

/// On one line, as [`Rows::read`] reads it back.
impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = self.most();
        f.write_str("time")?;
        let names =
            [("rate", has.rate.is_some()), ("delay", has.delay.is_some()), ("loss", has.loss.is_some())];
        names.iter().filter(|(_, is)| *is).try_for_each(|(name, _)| write!(f, ", {name}"))?;
        for (time, stage) in self.rows() {
            write!(f, "; {time}")?;
            stage.rate.iter().try_for_each(|rate| write!(f, ", {rate}"))?;
            stage.delay.iter().try_for_each(|delay| write!(f, ", {delay}"))?;
            stage.loss.iter().try_for_each(|loss| write!(f, ", {:?}", loss.get()))?;
        }
        Ok(())
    }
}

impl ParamType for Rows {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Self::read(text),
            _ => Err(
                "expected the name of a file, or rows such as \"time, rate; 0 s, 1 Mbit/s; 5 s, 3 Mbit/s\""
                    .into(),
            ),
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_a_line_say_the_same() {
        let file = "# a drive\ntime [s], rate [Mbit/s], delay [ms], loss\n0, 10, 20, 0\n\n0.1, 2.5, 80, 0.02 # a tunnel\n";
        let line = "time, rate, delay, loss; 0 s, 10 Mbit/s, 20 ms, 0; 100 ms, 2.5 Mbit/s, 80 ms, 2 %";
        let rows = Rows::read(file).unwrap();
        assert_eq!(Rows::read(line), Ok(rows.clone()));
        assert_eq!(Rows::read(&rows.to_string()), Ok(rows.clone()));
        assert_eq!((rows.rows().len(), rows.rows()[1].0), (2, Duration::from_millis(100)));
        let most = rows.most();
        assert_eq!((most.rate, most.delay), (Some(Rate::from_mbit(10)), Some(Duration::from_millis(80))));
        // Columns in any order behind the time, and read back in that of their names.
        let other = Rows::read("time, loss, rate; 0 s, 1 %, 1 Mbit/s").unwrap();
        assert_eq!(Rows::read(&other.to_string()), Ok(other));
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_row() {
        for (text, why) in [
            ("", "there is no column"),
            ("time", "names the columns"),
            ("rate, time; 1 Mbit/s, 0 s", "names the columns"),
            ("time, rat; 0 s, 1 Mbit/s", "no column \"rat\""),
            ("time, rate", "no rows"),
            ("time, rate; 0 s", "row 1: 1 values for 2 columns"),
            ("time, rate; 1 s, 1 Mbit/s", "another time than 0 s"),
            ("time, rate; 0 s, 1 Mbit/s; 0 s, 2 Mbit/s", "row 2: 0 s does not come after 0 s"),
            ("time, rate; 0 s, 0 bit/s", "row 1"),
            ("time, rate; 0 s, 10", "row 1"),
            ("time, loss; 0 s, 1.5", "row 1"),
        ] {
            let found = Rows::read(text).unwrap_err();
            assert!(found.contains(why), "{text}: {found}");
        }
    }
}

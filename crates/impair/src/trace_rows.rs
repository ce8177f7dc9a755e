//! Link condition over time as a table of text: times with a rate, a delay, a loss, a queue discipline, or some of
//! them.
//!
//! A row is a line, or the text between semicolons; `#` begins a comment. The first row names the columns: `time` and
//! any of `rate`, `delay`, `loss` and `queue`. A column can state its unit, as in `rate [Mbit/s]`, or each value its
//! own. A rate of 0 is an outage: the link stays up and sends nothing. A queue is the name of a discipline or a tc line.

use crate::bounds::{DELAYS, RATES};
use crate::profile::FaultStage;
use crate::queue_line::QueueLine;
use core::fmt;
use std::sync::Arc;
use tailrace_core::params::{Kind, ParamType, Value};
use tailrace_core::text::Quantity as _;
use tailrace_core::{Duration, Probability, Rate};

/// From when on the link is how; times ascend from zero, the beginning of the fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceRows {
    rows: Arc<[(Duration, FaultStage)]>,
    largest: FaultStage,
}

/// No table has more rows.
const MOST: usize = 1_000_000;

impl TraceRows {
    /// The rows in order.
    pub fn rows(&self) -> &[(Duration, FaultStage)] {
        &self.rows
    }

    /// All fields that any row sets, each with its largest value.
    pub const fn largest(&self) -> &FaultStage {
        &self.largest
    }

    fn of(rows: Vec<(Duration, FaultStage)>) -> Self {
        let all = || rows.iter().map(|(_, stage)| stage);
        let largest = FaultStage {
            state: None,
            rate: all().filter_map(|s| s.rate).max(),
            delay: all().filter_map(|s| s.delay).max(),
            loss: all().filter_map(|s| s.loss).max_by(|a, b| a.get().total_cmp(&b.get())),
            queue: all().find_map(|s| s.queue.clone()),
        };
        Self { rows: rows.into(), largest }
    }

    /// Reads a table.
    ///
    /// # Errors
    /// What is wrong with it, and in which row; where there are several lines, in which of these.
    pub fn read(text: &str) -> Result<Self, String> {
        let lines =
            text.split('\n').zip(1..).flat_map(|(line, n)| line.split(';').map(move |part| (n, part)));
        let lines = lines.map(|(n, part)| (n, part.split('#').next().unwrap_or("").trim()));
        let mut lines = lines.filter(|(_, part)| !part.is_empty());
        let has_lines = text.trim().contains('\n');
        let place = |row: usize, line: usize| {
            if has_lines { format!("line {line}") } else { format!("row {}", row + 1) }
        };
        let names = lines.next().map_or("", |(_, names)| names);
        let columns: Vec<TraceColumn<'_>> =
            names.split(',').map(TraceColumn::read).collect::<Result<_, _>>()?;
        if columns.first().is_none_or(|column| column.name != "time") || columns.len() < 2 {
            return Err(
                "the first row names the columns: \"time, rate, delay, loss, queue\" or some of these, time first"
                    .into(),
            );
        }
        let mut rows: Vec<(Duration, FaultStage)> = Vec::new();
        for (i, (n, line)) in lines.enumerate() {
            let row = row(line, &columns).map_err(|why| format!("{}: {why}", place(i, n)))?;
            match rows.last() {
                None if !row.0.is_zero() => {
                    return Err("the first row is of another time than 0 s, when the fault starts".into());
                }
                Some((before, _)) if *before >= row.0 => {
                    return Err(format!("{}: {} does not come after {before}", place(i, n), row.0));
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

struct TraceColumn<'t> {
    name: &'t str,
    unit: &'t str,
}

impl<'t> TraceColumn<'t> {
    fn read(text: &'t str) -> Result<Self, String> {
        let (name, unit) = text.split_once('[').unwrap_or((text, ""));
        let column = Self { name: name.trim(), unit: unit.trim().trim_end_matches(']').trim() };
        match column.name {
            "queue" if !column.unit.is_empty() => Err("a queue has no unit".into()),
            "time" | "rate" | "delay" | "loss" | "queue" => Ok(column),
            other => Err(format!("there is no column {other:?}: they are time, rate, delay, loss and queue")),
        }
    }
}

fn row(line: &str, columns: &[TraceColumn<'_>]) -> Result<(Duration, FaultStage), String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        return Err(format!("{} values for {} columns", cells.len(), columns.len()));
    }
    let (mut time, mut stage) = (Duration::ZERO, FaultStage::default());
    for (cell, column) in cells.into_iter().zip(columns) {
        let text = if column.unit.is_empty() { cell.to_string() } else { format!("{cell} {}", column.unit) };
        let within = |bounds: tailrace_core::params::Bounds, kind, value: &Value| bounds.check(kind, value);
        match column.name {
            "time" => {
                time = Duration::parse(&text)?;
                within(DELAYS, Kind::Duration, &time.to_value())?;
            }
            "rate" => {
                let rate = Rate::parse(&text)?;
                // In measurements a rate of 0 is an outage.
                if rate.as_bps() > 0 {
                    within(RATES, Kind::Rate, &rate.to_value())?;
                }
                stage.rate = Some(rate);
            }
            "delay" => {
                let delay = Duration::parse(&text)?;
                within(DELAYS, Kind::Duration, &delay.to_value())?;
                stage.delay = Some(delay);
            }
            "queue" => stage.queue = Some(QueueLine::read(&text)?),
            _ => {
                let value = text.parse().map_or_else(|_| Value::Text(text.clone()), Value::Float);
                stage.loss = Some(Probability::from_value(&value)?);
            }
        }
    }
    Ok((time, stage))
}

/// On one line, as [`TraceRows::read`] reads it back.
impl fmt::Display for TraceRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = self.largest();
        f.write_str("time")?;
        let names = [
            ("rate", has.rate.is_some()),
            ("delay", has.delay.is_some()),
            ("loss", has.loss.is_some()),
            ("queue", has.queue.is_some()),
        ];
        names.iter().filter(|(_, is)| *is).try_for_each(|(name, _)| write!(f, ", {name}"))?;
        for (time, stage) in self.rows() {
            write!(f, "; {time}")?;
            stage.rate.iter().try_for_each(|rate| write!(f, ", {rate}"))?;
            stage.delay.iter().try_for_each(|delay| write!(f, ", {delay}"))?;
            stage.loss.iter().try_for_each(|loss| write!(f, ", {:?}", loss.get()))?;
            stage.queue.iter().try_for_each(|queue| write!(f, ", {queue}"))?;
        }
        Ok(())
    }
}

impl ParamType for TraceRows {
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
        let rows = TraceRows::read(file).unwrap();
        assert_eq!(TraceRows::read(line), Ok(rows.clone()));
        assert_eq!(TraceRows::read(&rows.to_string()), Ok(rows.clone()));
        assert_eq!((rows.rows().len(), rows.rows()[1].0), (2, Duration::from_millis(100)));
        let largest = rows.largest();
        assert_eq!(
            (largest.rate, largest.delay),
            (Some(Rate::from_mbit(10)), Some(Duration::from_millis(80)))
        );
        // Columns in any order behind the time, and read back in that of their names.
        let other = TraceRows::read("time, loss, rate; 0 s, 1 %, 1 Mbit/s").unwrap();
        assert_eq!(TraceRows::read(&other.to_string()), Ok(other));
        let queues =
            TraceRows::read("time, queue, rate; 0 s, pfifo limit 20, 1 Mbit/s; 5 s, fq_codel, 2 Mbit/s")
                .unwrap();
        assert_eq!(
            queues.to_string(),
            "time, rate, queue; 0 s, 1 Mbit/s, pfifo limit 20; 5 s, 2 Mbit/s, fq_codel"
        );
        assert_eq!(TraceRows::read(&queues.to_string()), Ok(queues));
    }

    #[test]
    fn a_rate_of_zero_is_an_outage() {
        let rows = TraceRows::read("time [s], rate [Mbit/s]; 0, 120.5; 1, 0; 2, 50").unwrap();
        assert_eq!(rows.rows()[1].1.rate, Some(Rate::from_bps(0)));
        assert_eq!(TraceRows::read(&rows.to_string()), Ok(rows));
    }

    #[test]
    fn malformed_tables_are_refused_with_their_row() {
        for (text, why) in [
            ("", "there is no column"),
            ("time", "names the columns"),
            ("rate, time; 1 Mbit/s, 0 s", "names the columns"),
            ("time, rat; 0 s, 1 Mbit/s", "no column \"rat\""),
            ("time, rate", "no rows"),
            ("time, rate; 0 s", "row 1: 1 values for 2 columns"),
            ("time, rate; 1 s, 1 Mbit/s", "another time than 0 s"),
            ("time, rate; 0 s, 1 Mbit/s; 0 s, 2 Mbit/s", "row 2: 0 s does not come after 0 s"),
            (
                "time, rate; 0 s, 100000 Gbit/s",
                "row 1: 100000 Gbit/s is outside 1 bit/s to 10000 Gbit/s: a packet would take no time",
            ),
            ("time, rate; 0 s, 10", "row 1"),
            ("time, loss; 0 s, 1.5", "row 1"),
            (
                "time, queue; 0 s, red; 1 s, reed",
                "row 2: unknown queue discipline \"reed\"; did you mean \"red\"?",
            ),
            ("time, queue [packets]; 0 s, red", "a queue has no unit"),
            ("# a drive\n\ntime, queue\n0 s, red\n\n1 s, reed\n", "line 6: unknown queue discipline"),
            ("time, rate\n1 s, 1 Mbit/s; 1 s, 2 Mbit/s", "another time than 0 s"),
            ("time, rate\n0 s, 1 Mbit/s; 0 s, 2 Mbit/s", "line 2: 0 s does not come after 0 s"),
        ] {
            let found = TraceRows::read(text).unwrap_err();
            assert!(found.contains(why), "{text}: {found}");
        }
    }
}

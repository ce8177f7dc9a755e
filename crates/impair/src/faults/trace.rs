//! A link that is as a table of measurements says.

use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use crate::profile::{FaultProfile, FaultStage};
use crate::trace_rows::TraceRows;
use tailrace_core::{Duration, Rng};

tailrace_core::parameters! {
    /// Keys of `trace`.
    pub struct TraceConfig {
        /// A file with a column `time` and any of the columns `rate`, `delay`, `loss` and `queue`, which lies beside
        /// the scenario. Or its rows themselves, separated by semicolons: "time, rate; 0 s, 1 Mbit/s; 5 s, 3 Mbit/s".
        /// Times count from the start of the fault. Units stand either in the name of a column, as in `rate
        /// [Mbit/s]`, or with each value. A rate of 0 is an outage: packets wait, and the link sends again with the next row. A queue is the name of a discipline, with its defaults, or a tc line.
        rows: TraceRows, required;
        /// After this time the rows start again from the first; the last row must be earlier. With 0 s they are used
        /// once, and the last row holds until the end of the fault.
        period: Duration = Duration::ZERO, "own choice";
    }
}

impl FaultKind for TraceConfig {
    const SUMMARY: &'static str = "Rate, delay, loss and queue of the link follow a table with times; otherwise as `rate`, `delay`, `loss` and `queue`. A queue that is the same in the next row keeps what it has observed.";

    fn validate(&self) -> Result<(), tailrace_core::params::Invalid> {
        let Some((last, _)) = self.rows.rows().last() else { return Err(("rows", "must be stated".into())) };
        if !self.period.is_zero() && self.period < Duration::from_micros(100) {
            return Err(("period", "must be 0 s, for never, or 100 us or more".into()));
        }
        if !self.period.is_zero() && self.period <= *last {
            return Err(("period", format!("{} is over before the last row comes, at {last}", self.period)));
        }
        Ok(())
    }
    fn apply(&self, link: &mut LinkCondition) {
        self.rows.largest().apply(link);
    }
    fn profile(&self) -> Option<Box<dyn FaultProfile>> {
        Some(Box::new(TraceProfile { config: self.clone(), row: 0 }))
    }
}

#[derive(Debug)]
struct TraceProfile {
    config: TraceConfig,
    row: usize,
}

impl FaultProfile for TraceProfile {
    fn next(&mut self, _rng: &mut Rng) -> (FaultStage, Option<Duration>) {
        let rows = self.config.rows.rows();
        let (from, stage) = rows[self.row].clone();
        self.row += 1;
        let until = rows.get(self.row).map(|(time, _)| *time);
        if until.is_none() {
            self.row = 0;
        }
        let until = until.or(Some(self.config.period).filter(|period| !period.is_zero()));
        (stage, until.map(|until| until - from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_one_another_and_begin_again() {
        let rows = TraceRows::read("time, delay; 0 s, 1 ms; 2 s, 5 ms; 3 s, 2 ms").unwrap();
        let ms = |(stage, lasts): (FaultStage, Option<Duration>)| {
            (stage.delay.unwrap().as_millis(), lasts.map(Duration::as_millis))
        };
        let stages = |period, n| {
            let mut profile = TraceConfig { rows: rows.clone(), period }.profile().unwrap();
            (0..n).map(|_| ms(profile.next(&mut Rng::new(1)))).collect::<Vec<_>>()
        };
        assert_eq!(stages(Duration::ZERO, 3), [(1, Some(2000)), (5, Some(1000)), (2, None)]);
        let again = stages(Duration::from_secs(10), 4);
        assert_eq!(again, [(1, Some(2000)), (5, Some(1000)), (2, Some(7000)), (1, Some(2000))]);
        assert!(TraceConfig { rows: rows.clone(), period: Duration::from_secs(3) }.validate().is_err());
        assert!(TraceConfig::default().validate().is_err());
    }
}

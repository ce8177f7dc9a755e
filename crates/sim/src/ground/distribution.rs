//! Summaries of many values: spread, distribution and time-weighted level.

use crate::ground::keys::keys;
use tailrace_core::LogHistogram;

keys! {
    /// Spread of a figure over the flows of a group.
    #[derive(Clone, Debug)]
    pub(crate) struct Spread {
        /// The mean over the flows.
        mean: f64, "";
        /// The sample standard deviation; 0 for one flow.
        sd: f64, "";
        /// The smallest value.
        min: f64, "";
        /// The largest value.
        max: f64, "";
        /// The sum over the flows.
        sum: f64, "";
    }
}

impl Spread {
    /// Spread of `values`, one per flow; `sd` is the sample standard deviation (0 for a single flow).
    pub(crate) fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let sum: f64 = values.iter().sum();
        let mean = sum / n;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let sd = if values.len() > 1 { tailrace_core::math::sqrt(squares / (n - 1.0)) } else { 0.0 };
        let min = values.iter().copied().fold(f64::INFINITY, f64::min);
        let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { mean, sd, min, max, sum }
    }
}

keys! {
    /// Distribution over packets, samples or transfers; nulls without any.
    #[derive(Clone, Debug)]
    pub(crate) struct Distribution {
        /// The mean.
        mean: f64, "";
        /// The standard deviation.
        sd: f64, "";
        /// The smallest value.
        min: f64, "";
        /// The median: half of all values are no larger.
        p50: f64, "";
        /// The 95th percentile: 95 of 100 values are no larger.
        p95: f64, "";
        /// The 99th percentile: 99 of 100 values are no larger.
        p99: f64, "";
        /// The largest value.
        max: f64, "";
    }
}

impl Distribution {
    pub(crate) fn of<const STEPS: u32>(h: &LogHistogram<STEPS>) -> Self {
        Self {
            mean: h.mean_s(),
            sd: h.sd_s(),
            min: h.min_s(),
            p50: h.quantile_s(0.5),
            p95: h.quantile_s(0.95),
            p99: h.quantile_s(0.99),
            max: h.max_s(),
        }
    }

    /// Distribution of numbers that are not durations.
    pub(crate) fn of_numbers<const STEPS: u32>(h: &LogHistogram<STEPS>) -> Self {
        let at = |q| h.quantile(q);
        Self {
            mean: h.mean(),
            sd: h.sd(),
            min: h.min(),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            max: h.max(),
        }
    }
}

keys! {
    /// Level over time, weighted by duration.
    #[derive(Clone, Debug)]
    pub(crate) struct TimeLevel {
        /// The mean over time.
        mean: f64, "";
        /// The standard deviation over time.
        sd: f64, "";
        /// The smallest value at any moment.
        min: u64, "";
        /// The largest value at any moment.
        max: u64, "";
    }
}

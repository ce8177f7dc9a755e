//! Spans of time that are drawn.

use tailrace_core::Duration;

/// A span of time that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DurationDist {
    /// Always this.
    Constant(Duration),
    /// Uniform between the two.
    Uniform(Duration, Duration),
    /// Exponential with this mean.
    Exponential(Duration),
    /// Pareto with this mean and shape (> 1).
    Pareto(Duration, f64),
    /// Normal with mean and standard deviation, cut at zero.
    Normal(Duration, Duration),
}

impl DurationDist {
    /// The mean, for estimates.
    pub const fn mean(&self) -> Duration {
        match *self {
            Self::Constant(m) | Self::Exponential(m) | Self::Pareto(m, _) | Self::Normal(m, _) => m,
            Self::Uniform(a, b) => Duration::from_nanos(a.as_nanos().midpoint(b.as_nanos())),
        }
    }

    /// Whether every draw is the same.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Constant(_) => true,
            Self::Uniform(a, b) => a == b,
            Self::Exponential(m) | Self::Pareto(m, _) => m.is_zero(),
            Self::Normal(_, s) => s.is_zero(),
        }
    }
}

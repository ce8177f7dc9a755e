//! Spans of time that are drawn, and how they are written: `5 ms`, `uniform(1 ms, 15 ms)`, `exponential(100 ms)`,
//! `pareto(100 ms, 1.5)`, `normal(10 ms, 1 ms)`.

use crate::dist::error::DistributionError;
use crate::rng::Rng;
use crate::text::{Quantity, nearest};
use crate::time::Duration;
use core::fmt;

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

/// No span in a scenario is longer: sums of a few of them stay within 64 bits of nanoseconds.
pub const LONGEST: Duration = Duration::from_secs(10 * 365 * 86_400);

/// The forms that there are, for messages and the schema: name, and an example with its arguments.
pub const FORMS: &[(&str, &str)] = &[
    ("uniform", "uniform(1 ms, 15 ms)"),
    ("exponential", "exponential(100 ms)"),
    ("pareto", "pareto(100 ms, 1.5)"),
    ("normal", "normal(10 ms, 1 ms)"),
];

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

    /// Draws a span.
    pub fn draw(&self, rng: &mut Rng) -> Duration {
        match *self {
            Self::Constant(d) => d,
            Self::Uniform(low, high) => low + (high - low).mul_f64(rng.uniform()),
            Self::Exponential(mean) => rng.exponential_duration(mean),
            Self::Pareto(mean, shape) => Duration::from_secs_f64(rng.pareto(mean.as_secs_f64(), shape)),
            Self::Normal(mean, sd) => {
                Duration::from_secs_f64(mean.as_secs_f64() + sd.as_secs_f64() * rng.normal())
            }
        }
    }

    /// Reads a duration or a distribution.
    ///
    /// # Errors
    /// What is wrong with it, and of what sort that is.
    pub fn read(text: &str) -> Result<Self, DistributionError> {
        let Some((name, rest)) = text.split_once('(') else {
            let named = FORMS.iter().find(|(n, _)| *n == text.trim());
            if let Some((_, form)) = named {
                return Err(format!("needs its arguments, as in \"{form}\"").into());
            }
            return span(text).map(Self::Constant);
        };
        let name = name.trim();
        let Some(inside) = rest.trim_end().strip_suffix(')') else {
            return Err(format!("{text:?} has no closing parenthesis").into());
        };
        let args: Vec<&str> = inside.split(',').map(str::trim).collect();
        let Some((_, form)) = FORMS.iter().find(|(n, _)| *n == name) else {
            let near = nearest(name, FORMS.iter().map(|(n, _)| *n));
            let hint = near.map_or_else(
                || format!("known: {}", FORMS.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ")),
                |n| format!("did you mean {n:?}?"),
            );
            return Err(format!("unknown distribution {name:?}; {hint}").into());
        };
        match (name, args.as_slice()) {
            ("uniform", [low, high]) => {
                let (low, high) = (span(low)?, span(high)?);
                if low > high {
                    return Err(format!("the lower end {low} is above the upper end {high}").into());
                }
                Ok(Self::Uniform(low, high))
            }
            ("exponential", [mean]) => span(mean).map(Self::Exponential),
            ("normal", [mean, deviation]) => Ok(Self::Normal(span(mean)?, span(deviation)?)),
            ("pareto", [mean, shape]) => {
                let value: f64 = shape.parse().map_err(|_| format!("the shape {shape:?} is not a number"))?;
                if !(value > 1.0 && value.is_finite()) {
                    let why = format!("the shape must be above 1 for the mean to exist, found {shape}");
                    return Err(DistributionError::Outside(why));
                }
                Ok(Self::Pareto(span(mean)?, value))
            }
            _ => Err(format!("{} arguments do not fit; expected \"{form}\"", args.len()).into()),
        }
    }
}

fn span(text: &str) -> Result<Duration, DistributionError> {
    let d = Duration::parse(text)?;
    if d > LONGEST { Err(DistributionError::Outside("longer than ten years".into())) } else { Ok(d) }
}

/// The text that [`DurationDist::read`] reads back.
impl fmt::Display for DurationDist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(d) => d.fmt(f),
            Self::Uniform(a, b) => write!(f, "uniform({a}, {b})"),
            Self::Exponential(m) => write!(f, "exponential({m})"),
            Self::Pareto(m, shape) => write!(f, "pareto({m}, {shape})"),
            Self::Normal(m, s) => write!(f, "normal({m}, {s})"),
        }
    }
}

/// No time at all.
impl Default for DurationDist {
    fn default() -> Self {
        Self::Constant(Duration::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_back() {
        let forms = FORMS.iter().map(|(_, f)| *f);
        for text in forms.chain(["5 ms", "0 s", "1500 ns"]) {
            let dist = DurationDist::read(text).unwrap();
            assert_eq!(dist.to_string(), text);
        }
    }

    #[test]
    fn wrong_forms_are_explained() {
        let error = |text| String::from(DurationDist::read(text).unwrap_err());
        assert!(error("unifrom(1 ms, 2 ms)").contains("did you mean \"uniform\""));
        assert!(error("uniform(3 ms, 2 ms)").contains("above the upper end"));
        assert!(error("uniform(3 ms)").contains("uniform(1 ms, 15 ms)"));
        assert!(error("uniform(3 ms").contains("parenthesis"));
        assert!(error("pareto(3 ms, 1)").contains("above 1"));
        assert!(error("exponential(5)").contains("no unit"));
        assert!(error("exponential").contains("arguments"));
        assert!(error("uniform(1 ms, 100000 h)").contains("ten years"));
    }

    #[test]
    fn draws_have_the_mean_that_is_stated() {
        let mut rng = Rng::new(3);
        for text in FORMS.iter().map(|(_, form)| *form).filter(|form| !form.contains("1.5")) {
            let dist = DurationDist::read(text).unwrap();
            let n = 100_000;
            let sum: f64 = (0..n).map(|_| dist.draw(&mut rng).as_secs_f64()).sum();
            let off = sum / f64::from(n) / dist.mean().as_secs_f64() - 1.0;
            assert!(off.abs() < 0.02, "{text} is off by {off}");
        }
    }
}

//! Sizes that are drawn, as of flows and objects, and how they are written: `20 kB`, `exponential(20 kB)`,
//! `pareto(20 kB, 1.2)`, `bounded_pareto(1 kB, 10 MB, 1.2)`, `lognormal(20 kB, 1.5)`, `cdf(1 kB 0.5; 1 MB 1)`, `web_search`, `imix`.

use crate::dist::cdf::{Cdf, MEASURED};
use crate::dist::error::DistributionError;
use crate::math;
use crate::rng::Rng;
use crate::text::{Quantity, nearest};
use crate::units::Bytes;
use core::fmt;

/// A size that is drawn, a byte at least.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeDist {
    /// Always this.
    Constant(Bytes),
    /// Uniform between the two.
    Uniform(Bytes, Bytes),
    /// Exponential with this mean.
    Exponential(Bytes),
    /// Pareto with this mean and shape (> 1).
    Pareto(Bytes, f64),
    /// Pareto between the two, with this shape (> 0).
    BoundedPareto(Bytes, Bytes, f64),
    /// Lognormal with this mean, and this standard deviation of the logarithm.
    Lognormal(Bytes, f64),
    /// Shares of sizes, as measured.
    Empirical(Cdf),
}

/// The forms that there are, for messages and the schema: name, and an example with its arguments.
pub const FORMS: &[(&str, &str)] = &[
    ("uniform", "uniform(1 kB, 100 kB)"),
    ("exponential", "exponential(20 kB)"),
    ("pareto", "pareto(20 kB, 1.2)"),
    ("bounded_pareto", "bounded_pareto(1 kB, 10 MB, 1.2)"),
    ("lognormal", "lognormal(20 kB, 1.5)"),
    ("cdf", "cdf(1 kB 0.5; 10 kB 0.9; 1 MB 1)"),
];

/// No draw is larger: what is beyond overflows.
const LARGEST: f64 = 1e15;
/// Beyond it hardly a draw is ever as large as the mean.
const WIDEST: f64 = 5.0;

impl SizeDist {
    /// The mean, bytes.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(m) | Self::Exponential(m) | Self::Pareto(m, _) | Self::Lognormal(m, _) => {
                m.as_f64()
            }
            Self::Uniform(a, b) => f64::midpoint(a.as_f64(), b.as_f64()),
            Self::BoundedPareto(least, most, shape) => bounded_mean(least.as_f64(), most.as_f64(), *shape),
            Self::Empirical(cdf) => cdf.mean(),
        }
    }

    /// Whether every draw is the same.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Constant(_) => true,
            Self::Uniform(a, b) | Self::BoundedPareto(a, b, _) => a == b,
            Self::Exponential(m) | Self::Pareto(m, _) => m.get() == 0,
            Self::Lognormal(m, sigma) => m.get() == 0 || *sigma == 0.0,
            Self::Empirical(cdf) => cdf.is_constant(),
        }
    }

    /// The size that one draw in a million exceeds, bytes, at most.
    pub fn rarely_exceeded(&self) -> f64 {
        const RARE: f64 = 1e-6;
        /// The standard normal distribution's quantile at 1 - 1e-6.
        const DEVIATIONS: f64 = 4.753_424;
        match self {
            Self::Constant(size) => size.as_f64(),
            Self::Uniform(_, most) | Self::BoundedPareto(_, most, _) => most.as_f64(),
            Self::Exponential(mean) => -mean.as_f64() * math::ln(RARE),
            Self::Pareto(mean, shape) => {
                let least = mean.as_f64() * (shape - 1.0) / shape;
                least * math::pow(RARE, -1.0 / shape)
            }
            Self::Lognormal(mean, sigma) => {
                mean.as_f64() * math::exp(sigma * DEVIATIONS - sigma * sigma / 2.0)
            }
            Self::Empirical(cdf) => cdf.largest(),
        }
    }

    /// The largest size that can be drawn, bytes; infinite where there is none.
    pub fn largest(&self) -> f64 {
        match self {
            _ if self.is_constant() => self.mean(),
            Self::Exponential(_) | Self::Pareto(..) | Self::Lognormal(..) => f64::INFINITY,
            _ => self.rarely_exceeded(),
        }
    }

    /// Draws a size; what is constant draws nothing.
    pub fn draw(&self, rng: &mut Rng) -> Bytes {
        if let Self::Constant(size) = self {
            return *size;
        }
        Bytes((self.draw_exactly(rng) + 0.5).clamp(1.0, LARGEST) as u64)
    }

    fn draw_exactly(&self, rng: &mut Rng) -> f64 {
        match self {
            Self::Constant(size) => size.as_f64(),
            Self::Uniform(a, b) => a.as_f64() + (b.as_f64() - a.as_f64()) * rng.uniform(),
            Self::Exponential(mean) => rng.exponential(mean.as_f64()),
            Self::Pareto(mean, shape) => rng.pareto(mean.as_f64(), *shape),
            Self::BoundedPareto(least, most, shape) => {
                // The inverse of the distribution function of Pareto's law, cut at `most`.
                let beyond = math::pow(least.as_f64() / most.as_f64(), *shape);
                let left = 1.0 - rng.uniform() * (1.0 - beyond);
                least.as_f64() / math::pow(left, 1.0 / shape)
            }
            Self::Lognormal(mean, sigma) => {
                mean.as_f64() * math::exp(sigma * rng.normal() - sigma * sigma / 2.0)
            }
            Self::Empirical(cdf) => cdf.at(rng.uniform()),
        }
    }

    /// Reads a size or a distribution.
    ///
    /// # Errors
    /// What is wrong with it, and of what sort that is.
    pub fn read(text: &str) -> Result<Self, DistributionError> {
        let text = text.trim();
        if let Some(measured) = Cdf::measured(text) {
            return Ok(Self::Empirical(measured));
        }
        let Some((name, rest)) = text.split_once('(') else {
            return match FORMS.iter().find(|(n, _)| *n == text) {
                Some((_, form)) => Err(format!("needs its arguments, as in \"{form}\"").into()),
                None if text.starts_with(|c: char| c.is_alphabetic()) => Err(unknown(text)),
                None => Ok(Self::Constant(Bytes::parse(text)?)),
            };
        };
        let name = name.trim();
        let Some(inside) = rest.trim_end().strip_suffix(')') else {
            return Err(format!("{text:?} has no closing parenthesis").into());
        };
        let Some((_, form)) = FORMS.iter().find(|(n, _)| *n == name) else { return Err(unknown(name)) };
        if name == "cdf" {
            return Cdf::read(inside).map(Self::Empirical);
        }
        let args: Vec<&str> = inside.split(',').map(str::trim).collect();
        of_arguments(name, &args, form)
    }
}

/// Reads what has its arguments between commas.
fn of_arguments(name: &str, args: &[&str], form: &str) -> Result<SizeDist, DistributionError> {
    match (name, args) {
        ("uniform", [low, high]) => ordered(low, high).map(|(low, high)| SizeDist::Uniform(low, high)),
        ("exponential", [mean]) => Ok(SizeDist::Exponential(Bytes::parse(mean)?)),
        ("pareto", [mean, shape]) => {
            let value = number(shape)?;
            if value <= 1.0 {
                let why = format!("the shape must be above 1 for the mean to exist, found {shape}");
                return Err(DistributionError::Outside(why));
            }
            Ok(SizeDist::Pareto(Bytes::parse(mean)?, value))
        }
        ("bounded_pareto", [least, most, shape]) => {
            let ((least, most), value) = (ordered(least, most)?, number(shape)?);
            if least.get() == 0 || !(0.01..=100.0).contains(&value) {
                let why = "the least must be more than nothing, and the shape 0.01 to 100";
                return Err(DistributionError::Outside(why.into()));
            }
            Ok(SizeDist::BoundedPareto(least, most, value))
        }
        ("lognormal", [mean, sigma]) => {
            let value = number(sigma)?;
            if !(0.0..=WIDEST).contains(&value) {
                let why = format!("the deviation of the logarithm is 0 to {WIDEST}, found {sigma}");
                return Err(DistributionError::Outside(why));
            }
            Ok(SizeDist::Lognormal(Bytes::parse(mean)?, value))
        }
        _ => Err(format!("{} arguments do not fit; expected \"{form}\"", args.len()).into()),
    }
}

fn unknown(name: &str) -> DistributionError {
    let names = || FORMS.iter().map(|(n, _)| *n).chain(MEASURED.iter().map(|(n, _)| *n));
    let hint = nearest(name, names()).map_or_else(
        || format!("known: {}", names().collect::<Vec<_>>().join(", ")),
        |n| format!("did you mean {n:?}?"),
    );
    format!("unknown distribution {name:?}; {hint}").into()
}

fn number(text: &str) -> Result<f64, DistributionError> {
    let value: Option<f64> = text.parse().ok().filter(|x: &f64| x.is_finite());
    value.ok_or_else(|| format!("{text:?} is not a number").into())
}

fn ordered(low: &str, high: &str) -> Result<(Bytes, Bytes), DistributionError> {
    let (low, high) = (Bytes::parse(low)?, Bytes::parse(high)?);
    if low > high {
        return Err(format!("the lower end {low} is above the upper end {high}").into());
    }
    Ok((low, high))
}

/// Mean of Pareto's law between `least` and `most` (Harchol-Balter, "Performance Modeling and Design of Computer Systems",
/// 2013, §20.4).
fn bounded_mean(least: f64, most: f64, shape: f64) -> f64 {
    let ratio = least / most;
    if ratio == 1.0 {
        return least;
    }
    // Both forms meet at a shape of 1, near which the first one loses its digits.
    if (shape - 1.0).abs() < 1e-6 {
        return least * -math::ln(ratio) / (1.0 - ratio);
    }
    let (head, tail) = (math::pow(ratio, shape), math::pow(ratio, shape - 1.0));
    least * shape / (shape - 1.0) * (1.0 - tail) / (1.0 - head)
}

/// The text that [`SizeDist::read`] reads back.
impl fmt::Display for SizeDist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(size) => size.fmt(f),
            Self::Uniform(a, b) => write!(f, "uniform({a}, {b})"),
            Self::Exponential(m) => write!(f, "exponential({m})"),
            Self::Pareto(m, shape) => write!(f, "pareto({m}, {shape})"),
            Self::BoundedPareto(a, b, shape) => write!(f, "bounded_pareto({a}, {b}, {shape})"),
            Self::Lognormal(m, sigma) => write!(f, "lognormal({m}, {sigma})"),
            Self::Empirical(cdf) => cdf.fmt(f),
        }
    }
}

/// Nothing.
impl Default for SizeDist {
    fn default() -> Self {
        Self::Constant(Bytes(0))
    }
}

impl From<Bytes> for SizeDist {
    fn from(size: Bytes) -> Self {
        Self::Constant(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_back() {
        let forms = FORMS.iter().map(|(_, f)| *f).chain(MEASURED.iter().map(|(name, _)| *name));
        for text in forms.chain(["20 kB", "1500 B"]) {
            let dist = SizeDist::read(text).unwrap();
            assert_eq!(SizeDist::read(&dist.to_string()).unwrap(), dist, "{text}");
        }
        assert_eq!(SizeDist::read("pareto(20 kB, 1.2)").unwrap().to_string(), "pareto(20 kB, 1.2)");
    }

    #[test]
    fn wrong_forms_are_explained() {
        let error = |text| String::from(SizeDist::read(text).unwrap_err());
        assert!(error("paretto(1 kB, 2)").contains("did you mean \"pareto\""));
        assert!(error("web_serach").contains("did you mean \"web_search\""));
        assert!(error("uniform(3 kB, 2 kB)").contains("above the upper end"));
        assert!(error("pareto(3 kB)").contains("pareto(20 kB, 1.2)"));
        assert!(error("pareto(3 kB, 1)").contains("above 1"));
        assert!(error("pareto(3 kB, nan)").contains("not a number"));
        assert!(error("bounded_pareto(0 B, 2 kB, 1)").contains("more than nothing"));
        assert!(error("lognormal(2 kB, 50)").contains("0 to 5"));
        assert!(error("exponential(5)").contains("no unit"));
        assert!(error("cdf").contains("arguments"));
        assert!(error("cdf(1 kB 0.5").contains("parenthesis"));
    }

    #[test]
    fn draws_have_the_mean_that_is_stated() {
        let mut rng = Rng::new(3);
        let heavy = |form: &&str| form.starts_with("pareto");
        let forms = FORMS.iter().map(|(_, form)| *form).filter(|form| !heavy(form));
        for text in forms.chain(["pareto(20 kB, 3)", "bounded_pareto(1 kB, 10 MB, 1)", "web_search"]) {
            let dist = SizeDist::read(text).unwrap();
            let n = 400_000;
            let sum: f64 = (0..n).map(|_| dist.draw(&mut rng).as_f64()).sum();
            let off = sum / f64::from(n) / dist.mean() - 1.0;
            assert!(off.abs() < 0.03, "{text} is off by {off}");
        }
    }

    #[test]
    fn the_mean_of_a_bounded_pareto_is_that_of_its_closed_form() {
        // Shape 2 from 1 kB to 10 kB: (1/(1 - 0.01)) * 2 * (1 - 0.1) kB.
        let mean = |text| SizeDist::read(text).unwrap().mean();
        assert!((mean("bounded_pareto(1 kB, 10 kB, 2)") - 1800.0 / 0.99).abs() < 1e-9);
        // Shape 1: ln(10) / (1 - 0.1) kB.
        assert!((mean("bounded_pareto(1 kB, 10 kB, 1)") - 1000.0 * crate::math::ln(10.0) / 0.9).abs() < 1e-9);
        assert_eq!(mean("bounded_pareto(5 kB, 5 kB, 1.5)"), 5000.0);
    }

    #[test]
    fn one_draw_in_a_million_exceeds_what_is_said_to_be_rarely_exceeded() {
        let size = |text| SizeDist::read(text).unwrap();
        // Closed forms: 1 kB ln(1e6), 500 B * 1e6^(1/2), and so on.
        for (text, rarely, largest) in [
            ("7 B", 7.0, 7.0),
            ("uniform(1 B, 9 B)", 9.0, 9.0),
            ("exponential(1 kB)", 13_815.5, f64::INFINITY),
            ("pareto(1 kB, 2)", 500_000.0, f64::INFINITY),
            ("bounded_pareto(1 B, 9 B, 2)", 9.0, 9.0),
            ("lognormal(1 kB, 1)", 1000.0 * math::exp(4.753_424 - 0.5), f64::INFINITY),
            ("imix", 1472.0, 1472.0),
        ] {
            let found = size(text).rarely_exceeded();
            assert!((found / rarely - 1.0).abs() < 1e-5, "{text}: {found}");
            assert_eq!(size(text).largest(), largest, "{text}");
        }
        let (dist, mut rng) = (size("exponential(1 kB)"), Rng::new(1));
        let above = (0..2_000_000).filter(|_| dist.draw(&mut rng).as_f64() > dist.rarely_exceeded()).count();
        assert!((1..=6).contains(&above), "{above}");
    }

    #[test]
    fn draws_are_a_byte_at_least_and_within_bounds() {
        let mut rng = Rng::new(5);
        for text in
            ["exponential(1 B)", "bounded_pareto(2 B, 9 B, 0.1)", "pareto(1 TB, 1.001)", "lognormal(1 B, 5)"]
        {
            let Ok(dist) = SizeDist::read(&text.replace("1 TB", "1000 GB")) else { panic!("{text}") };
            for _ in 0..20_000 {
                let size = dist.draw(&mut rng).get();
                assert!((1..=1_000_000_000_000_000).contains(&size), "{text}: {size}");
                assert!(!text.starts_with("bounded") || (2..=9).contains(&size), "{size}");
            }
        }
    }
}

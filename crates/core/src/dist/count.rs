//! Numbers of things that are drawn, as of the objects of a page, and how they are written: `20`, `uniform(5, 20)`,
//! `exponential(20)`, `pareto(20, 1.2)`, `bounded_pareto(2, 55, 1.1)`, `lognormal(20, 0.5)`.

use crate::dist::error::DistributionError;
use crate::dist::size::SizeDist;
use crate::rng::Rng;
use crate::units::Bytes;
use core::fmt;

/// A number that is drawn, one at least; a constant may be zero. The laws are those of [`SizeDist`], of things instead of bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CountDist(SizeDist);

/// The forms that there are: name, and an example with its arguments.
pub const FORMS: &[(&str, &str)] = &[
    ("uniform", "uniform(5, 20)"),
    ("exponential", "exponential(20)"),
    ("pareto", "pareto(20, 1.2)"),
    ("bounded_pareto", "bounded_pareto(2, 55, 1.1)"),
    ("lognormal", "lognormal(20, 0.5)"),
];

impl CountDist {
    /// Always so many.
    pub const fn constant(n: u64) -> Self {
        Self(SizeDist::Constant(Bytes(n)))
    }

    /// Pareto's law between the two, with this shape (> 0).
    pub const fn bounded_pareto(least: u64, most: u64, shape: f64) -> Self {
        Self(SizeDist::BoundedPareto(Bytes(least), Bytes(most), shape))
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.0.mean()
    }

    /// Whether every draw is the same.
    pub fn is_constant(&self) -> bool {
        self.0.is_constant()
    }

    /// The number, where it is written as one.
    pub(crate) const fn as_number(&self) -> Option<u64> {
        match self.0 {
            SizeDist::Constant(n) => Some(n.get()),
            _ => None,
        }
    }

    /// Draws a number; what is constant draws nothing.
    pub fn draw(&self, rng: &mut Rng) -> u32 {
        u32::try_from(self.0.draw(rng).get()).unwrap_or(u32::MAX)
    }

    /// Reads a number or a distribution.
    ///
    /// # Errors
    /// What is wrong with it, and of what sort that is.
    pub fn read(text: &str) -> Result<Self, DistributionError> {
        let text = text.trim();
        if let Ok(n) = text.parse::<u32>() {
            return Ok(Self::constant(u64::from(n)));
        }
        let expected = || {
            let forms: Vec<&str> = FORMS.iter().map(|(_, form)| *form).collect();
            DistributionError::from(format!("{text:?} is neither a number nor one of {}", forms.join(", ")))
        };
        let (name, inside) =
            text.strip_suffix(')').and_then(|rest| rest.split_once('(')).ok_or_else(expected)?;
        if !FORMS.iter().any(|(form, _)| *form == name.trim()) {
            return Err(expected());
        }
        // A shape and a deviation are plain numbers among sizes, too.
        let shaped = !matches!(name.trim(), "uniform" | "exponential");
        let args: Vec<&str> = inside.split(',').map(str::trim).collect();
        let plain = if shaped { args.len() - 1 } else { args.len() };
        if let Some(odd) = args[..plain].iter().find(|arg| arg.parse::<u32>().is_err()) {
            return Err(format!("{odd:?} is not a whole number").into());
        }
        let of_bytes: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(i, arg)| format!("{arg}{}", if i < plain { " B" } else { "" }))
            .collect();
        SizeDist::read(&format!("{}({})", name.trim(), of_bytes.join(", "))).map(Self)
    }
}

/// The text that [`CountDist::read`] reads back.
impl fmt::Display for CountDist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SizeDist::Constant(n) => write!(f, "{}", n.get()),
            SizeDist::Uniform(a, b) => write!(f, "uniform({}, {})", a.get(), b.get()),
            SizeDist::Exponential(m) => write!(f, "exponential({})", m.get()),
            SizeDist::Pareto(m, shape) => write!(f, "pareto({}, {shape})", m.get()),
            SizeDist::BoundedPareto(a, b, shape) => {
                write!(f, "bounded_pareto({}, {}, {shape})", a.get(), b.get())
            }
            SizeDist::Lognormal(m, sigma) => write!(f, "lognormal({}, {sigma})", m.get()),
            SizeDist::Empirical(cdf) => cdf.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_back() {
        for text in FORMS.iter().map(|(_, form)| *form).chain(["0", "20"]) {
            let dist = CountDist::read(text).unwrap();
            assert_eq!(dist.to_string(), text);
        }
    }

    #[test]
    fn wrong_forms_are_explained() {
        let error = |text| String::from(CountDist::read(text).unwrap_err());
        assert!(error("20 B").contains("neither a number"));
        assert!(error("cdf(1 0.5; 2 1)").contains("bounded_pareto(2, 55, 1.1)"));
        assert!(error("uniform(1 kB, 2 kB)").contains("whole number"));
        assert!(error("uniform(5)").contains("arguments"));
        assert!(error("uniform()").contains("whole number"));
        assert!(error("pareto(20, 1)").contains("above 1"));
    }

    #[test]
    fn draws_are_whole_numbers_of_the_mean_that_is_stated() {
        let mut rng = Rng::new(3);
        let dist = CountDist::read("uniform(5, 20)").unwrap();
        let draws: Vec<u32> = (0..20_000).map(|_| dist.draw(&mut rng)).collect();
        assert!(draws.iter().all(|n| (5..=20).contains(n)));
        let mean = draws.iter().map(|n| f64::from(*n)).sum::<f64>() / 20_000.0;
        assert!((mean - dist.mean()).abs() < 0.1, "{mean}");
        assert_eq!(CountDist::constant(0).draw(&mut rng), 0);
    }
}

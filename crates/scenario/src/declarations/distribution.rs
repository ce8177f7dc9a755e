//! Distributions of durations as text: `5 ms`, `uniform(1 ms, 15 ms)`, `exponential(100 ms)`,
//! `pareto(100 ms, 1.5)`, `normal(10 ms, 1 ms)`.

use crate::declarations::unfit::Unfit;
use crate::model::DurationDist;
use tailrace_core::Duration;
use tailrace_core::text::{Quantity, nearest};

/// No span in a scenario is longer: sums of a few of them stay within 64 bits of nanoseconds.
pub(crate) const MAX_DURATION: Duration = Duration::from_secs(10 * 365 * 86_400);

/// The forms that there are, for messages and the schema: name and arguments.
pub(crate) const FORMS: &[(&str, &str)] = &[
    ("uniform", "uniform(1 ms, 15 ms)"),
    ("exponential", "exponential(100 ms)"),
    ("pareto", "pareto(100 ms, 1.5)"),
    ("normal", "normal(10 ms, 1 ms)"),
];

/// Reads a duration or a distribution.
pub(crate) fn parse(text: &str) -> Result<DurationDist, Unfit> {
    let Some((name, rest)) = text.split_once('(') else {
        let named = FORMS.iter().find(|(n, _)| *n == text.trim());
        if let Some((_, form)) = named {
            return Err(format!("needs its arguments, as in \"{form}\"").into());
        }
        return span(text).map(DurationDist::Constant);
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
            Ok(DurationDist::Uniform(low, high))
        }
        ("exponential", [mean]) => span(mean).map(DurationDist::Exponential),
        ("normal", [mean, deviation]) => Ok(DurationDist::Normal(span(mean)?, span(deviation)?)),
        ("pareto", [mean, shape]) => {
            let value: f64 = shape.parse().map_err(|_| format!("the shape {shape:?} is not a number"))?;
            if !(value > 1.0 && value.is_finite()) {
                let why = format!("the shape must be above 1 for the mean to exist, found {shape}");
                return Err(Unfit::outside(why));
            }
            Ok(DurationDist::Pareto(span(mean)?, value))
        }
        _ => Err(format!("{} arguments do not fit; expected \"{form}\"", args.len()).into()),
    }
}

fn span(text: &str) -> Result<Duration, Unfit> {
    let d = Duration::parse(text)?;
    if d > MAX_DURATION { Err(Unfit::outside("longer than ten years")) } else { Ok(d) }
}

/// The text that [`parse`] reads back.
pub(crate) fn shown(dist: &DurationDist) -> String {
    match dist {
        DurationDist::Constant(d) => d.to_string(),
        DurationDist::Uniform(a, b) => format!("uniform({a}, {b})"),
        DurationDist::Exponential(m) => format!("exponential({m})"),
        DurationDist::Pareto(m, shape) => format!("pareto({m}, {shape})"),
        DurationDist::Normal(m, s) => format!("normal({m}, {s})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_back() {
        let forms = FORMS.iter().map(|(_, f)| *f);
        for text in forms.chain(["5 ms", "0 s", "1500 ns"]) {
            let dist = parse(text).unwrap();
            assert_eq!(shown(&dist), text);
        }
    }

    #[test]
    fn wrong_forms_are_explained() {
        let error = |text| parse(text).unwrap_err().why;
        assert!(error("unifrom(1 ms, 2 ms)").contains("did you mean \"uniform\""));
        assert!(error("uniform(3 ms, 2 ms)").contains("above the upper end"));
        assert!(error("uniform(3 ms)").contains("uniform(1 ms, 15 ms)"));
        assert!(error("uniform(3 ms").contains("parenthesis"));
        assert!(error("pareto(3 ms, 1)").contains("above 1"));
        assert!(error("exponential(5)").contains("no unit"));
        assert!(error("exponential").contains("arguments"));
        assert!(error("uniform(1 ms, 100000 h)").contains("ten years"));
    }
}

//! Between which values a parameter may lie, and why.
//!
//! Bounds stand in the table of parameters, and errors, the JSON Schema, `tailrace list` and the documentation take them
//! from there. Every kind of quantity has bounds of its own, so wide that only overflow lies beyond; a parameter whose
//! extremes break something sooner declares narrower ones.

use crate::counts::CountDist;
use crate::distribution::DurationDist;
use crate::params::{Kind, Value};
use crate::sizes::SizeDist;
use crate::text::Quantity as _;
use crate::time::Duration;
use crate::units::{Bytes, Limit, Rate};

/// The least and the most that a parameter can be, both as they are written in a scenario. Those of a limit are numbers,
/// of packets or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least.
    pub least: &'static str,
    /// The most.
    pub most: &'static str,
    /// What would break beyond them.
    pub why: &'static str,
    /// Whether they are just those of the kind.
    pub usual: bool,
}

impl Bounds {
    /// Those of a kind.
    pub const fn usual(least: &'static str, most: &'static str) -> Self {
        Self { least, most, why: "larger values cannot be counted", usual: true }
    }

    /// Those of one parameter.
    pub const fn declared(least: &'static str, most: &'static str, why: &'static str) -> Self {
        Self { least, most, why, usual: false }
    }

    /// The first of those declared, if any, else those of the kind.
    pub const fn first(declared: &[Self], usual: Option<Self>) -> Option<Self> {
        match declared {
            [first, ..] => Some(*first),
            [] => usual,
        }
    }

    /// As numbers in the unit of [`Kind::measure`].
    ///
    /// # Panics
    /// Where they are not of this kind, which a test over the registries would find.
    pub fn range(&self, kind: Kind) -> (f64, f64) {
        let number = |text: &'static str| {
            let read = text.parse().ok().or_else(|| kind.measure(&Value::Text(text.into())));
            read.unwrap_or_else(|| panic!("{text:?} does not bound a {kind:?}"))
        };
        (number(self.least), number(self.most))
    }

    /// In words: `1 ms to 10 s`.
    pub fn shown(&self, kind: Kind) -> String {
        let unit = if kind == Kind::Limit { " packets or bytes" } else { "" };
        format!("{} to {}{unit}", self.least, self.most)
    }

    /// Whether a value of this kind lies within; what is no quantity (`"auto"`) does.
    ///
    /// # Errors
    /// What the bounds are, and why.
    pub fn check(&self, kind: Kind, value: &Value) -> Result<(), String> {
        if let Value::List(items) = value {
            return items.iter().try_for_each(|item| self.check(kind, item));
        }
        let (least, most) = self.range(kind);
        match kind.measure(value) {
            Some(x) if !(least..=most).contains(&x) => {
                let found = match value {
                    Value::Text(text) => text.clone(),
                    other => other.shown(),
                };
                let is_drawn = |text: &str| text.contains('(') || text.starts_with(char::is_alphabetic);
                let drawn =
                    matches!(kind, Kind::Distribution | Kind::Sizes | Kind::Counts) && is_drawn(&found);
                let of = if drawn { "the mean of " } else { "" };
                Err(format!("{of}{found} is outside {}: {}", self.shown(kind), self.why))
            }
            _ => Ok(()),
        }
    }
}

impl Kind {
    /// A value as a number: nanoseconds (the mean of what is drawn), bits a second, bytes, or packets or bytes of a limit. `None` for what is no
    /// quantity of this kind.
    pub fn measure(self, value: &Value) -> Option<f64> {
        match (self, value) {
            (Self::Duration, Value::Text(t)) => Duration::parse(t).ok().map(|d| d.as_nanos() as f64),
            (Self::Distribution, Value::Text(t)) => {
                DurationDist::read(t).ok().map(|d| d.mean().as_nanos() as f64)
            }
            (Self::Sizes, Value::Text(t)) => SizeDist::read(t).ok().map(|d| d.mean()),
            (Self::Counts, Value::Text(t)) => CountDist::read(t).ok().map(|d| d.mean()),
            (Self::Rate | Self::Rates, Value::Text(t)) => Rate::parse(t).ok().map(|r| r.as_bps() as f64),
            (Self::Bytes, Value::Text(t)) => Bytes::parse(t).ok().map(Bytes::as_f64),
            (Self::Limit, Value::Text(t)) => Limit::parse(t).ok().map(|limit| match limit {
                Limit::Packets(n) => n as f64,
                Limit::Bytes(b) => b.as_f64(),
            }),
            (Self::Count | Self::Counts | Self::Number | Self::Probability, Value::Integer(n)) => {
                Some(*n as f64)
            }
            (Self::Number | Self::Probability, Value::Float(x)) => Some(*x),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_beyond_its_bounds_is_answered_with_them_and_the_reason() {
        let bounds = Bounds::declared("10 us", "10 s", "each update takes computing time");
        let check = |text: &str| bounds.check(Kind::Duration, &Value::Text(text.into()));
        assert_eq!([check("10 us"), check("15 ms"), check("10 s"), check("auto")], [const { Ok(()) }; 4]);
        let error = check("9999 ns").unwrap_err();
        assert_eq!(error, "9999 ns is outside 10 us to 10 s: each update takes computing time");
        assert!(check("10001 ms").is_err());
    }

    #[test]
    fn of_what_is_drawn_the_mean_is_bounded() {
        let bounds = Bounds::declared("1 ms", "1 s", "a test");
        let check = |text: &str| bounds.check(Kind::Distribution, &Value::Text(text.into()));
        assert!(check("uniform(0 s, 2 s)").is_ok() && check("5 s").is_err());
        let error = check("exponential(2 s)").unwrap_err();
        assert_eq!(error, "the mean of exponential(2 s) is outside 1 ms to 1 s: a test");
    }

    #[test]
    fn limits_are_bounded_in_packets_and_in_bytes() {
        let bounds = Bounds::declared("1", "1000", "a test");
        let check = |text: &str| bounds.check(Kind::Limit, &Value::Text(text.into()));
        assert!(check("1 packet").is_ok() && check("1 kB").is_ok());
        assert!(check("0 B").is_err() && check("1001 packets").unwrap_err().contains("packets or bytes"));
    }
}

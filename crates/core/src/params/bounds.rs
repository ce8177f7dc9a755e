//! Bounds of parameters, with the reason for them.
//!
//! Bounds stand in the table of parameters, and errors, the JSON Schema, `tailrace list` and the documentation take them
//! from there. Every kind of quantity has bounds of its own, so wide that only overflow lies beyond; a parameter whose
//! extremes break something sooner declares narrower ones. They are written as in a scenario and read at compile time.
//! Where smaller and larger values do another damage, the reason has both, the smaller first: `"low | high"`.

use crate::dist::count::CountDist;
use crate::dist::duration::DurationDist;
use crate::dist::size::SizeDist;
use crate::params::const_parse::Dimension;
use crate::params::kind::Kind;
use crate::params::value::Value;
use crate::text::Quantity as _;
use crate::time::Duration;
use crate::units::{Bytes, Limit, Rate};

/// The smallest and the largest value of a parameter, both inclusive. Bounds of a limit are numbers, of packets or bytes;
/// bounds of a distribution are those of its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest, as written.
    pub least: &'static str,
    /// The largest, as written.
    pub most: &'static str,
    /// Damage that values beyond them would do: of smaller and of larger ones with ` | ` between, or of both alike.
    why: &'static str,
    /// Whether these are the bounds of the kind, none of the parameter's own.
    pub usual: bool,
    dimension: Dimension,
    range: (f64, f64),
}

/// The numbers come from texts, none of which is NaN.
impl Eq for Bounds {}

impl Bounds {
    /// The bounds that every parameter of a kind has.
    pub(super) const fn usual(kind: Kind, least: &'static str, most: &'static str) -> Self {
        let why = match kind {
            Kind::Probability => "it is a share of a whole",
            Kind::Number => "smaller values cannot be counted | larger values cannot be counted",
            _ => "it is not negative | larger values cannot be counted",
        };
        Self { usual: true, ..Self::declared(kind, least, most, why) }
    }

    /// Bounds that several parameters of a kind share, for `within`.
    ///
    /// # Panics
    /// Where a text is no value of the kind, or `least` is above `most`: at compile time where this initialises a constant.
    pub const fn declared(kind: Kind, least: &'static str, most: &'static str, why: &'static str) -> Self {
        Self::of_parameter("a shared constant", kind, least, most, why)
    }

    /// Bounds of one parameter, which the message of a panic names.
    ///
    /// # Panics
    /// As [`Bounds::declared`] does.
    #[doc(hidden)]
    pub const fn of_parameter(
        parameter: &'static str,
        kind: Kind,
        least: &'static str,
        most: &'static str,
        why: &'static str,
    ) -> Self {
        let Some(dimension) = kind.dimension() else {
            message::panic(["bounds of ", parameter, ": its kind has none"])
        };
        let range = match (dimension.parse(least), dimension.parse(most)) {
            (Err(reason), _) => message::panic(["bounds of ", parameter, ": ", least, reason]),
            (_, Err(reason)) => message::panic(["bounds of ", parameter, ": ", most, reason]),
            (Ok(least), Ok(most)) => (least, most),
        };
        if range.0 > range.1 {
            message::panic(["bounds of ", parameter, ": ", least, " is above ", most])
        }
        Self { least, most, why, usual: false, dimension, range }
    }

    /// Bounds that are known at run time only, as those of a class in another language.
    ///
    /// # Errors
    /// Where a text is neither a number nor a value of the kind.
    pub fn read(
        kind: Kind,
        least: &'static str,
        most: &'static str,
        why: &'static str,
    ) -> Result<Self, String> {
        let number = |text: &'static str| {
            let read = text
                .parse()
                .ok()
                .filter(|x: &f64| !x.is_nan())
                .or_else(|| kind.measure(&Value::Text(text.into())));
            read.ok_or_else(|| format!("{text:?} does not bound it"))
        };
        let range = (number(least)?, number(most)?);
        let dimension = kind.dimension().unwrap_or(Dimension::Number);
        Ok(Self { least, most, why, usual: false, dimension, range })
    }

    /// The bounds of a parameter of `kind`: those declared, if any, else those of the kind.
    #[doc(hidden)]
    pub const fn first(
        parameter: &'static str,
        kind: Kind,
        declared: &[Self],
        usual: Option<Self>,
    ) -> Option<Self> {
        match declared {
            [first, ..] => {
                if !first.bounds(kind) {
                    message::panic(["bounds of ", parameter, ": those constants bound another kind"])
                }
                Some(*first)
            }
            [] => usual,
        }
    }

    const fn bounds(&self, kind: Kind) -> bool {
        matches!(kind.dimension(), Some(dimension) if dimension as u8 == self.dimension as u8)
    }

    /// The numbers, in the unit of [`Kind::measure`].
    pub const fn range(&self) -> (f64, f64) {
        self.range
    }

    /// Damage that smaller values would do, and that of larger ones.
    pub fn reasons(&self) -> (&'static str, &'static str) {
        self.why.split_once(" | ").unwrap_or((self.why, self.why))
    }

    /// The reasons as documentation has them.
    pub fn reason(&self) -> String {
        let (less, more) = self.reasons();
        if less == more { less.into() } else { format!("below: {less}; above: {more}") }
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
        let (least, most) = self.range;
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
                let (less, more) = self.reasons();
                let why = if x < least { less } else { more };
                Err(format!("{of}{found} is outside {}: {why}", self.shown(kind)))
            }
            _ => Ok(()),
        }
    }
}

/// Messages put together at compile time, where `format!` is not to be had.
mod message {
    /// Panics with the parts of a message in a row.
    #[track_caller]
    pub(super) const fn panic<const N: usize>(parts: [&str; N]) -> ! {
        let (mut text, mut length) = ([b' '; 200], 0);
        let mut i = 0;
        while i < N {
            let part = parts[i].as_bytes();
            let mut at = 0;
            while at < part.len() && length < text.len() {
                text[length] = part[at];
                (at, length) = (at + 1, length + 1);
            }
            i += 1;
        }
        match core::str::from_utf8(text.split_at(length).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("a bound is wrong"),
        }
    }
}

impl Kind {
    /// The dimension of values of this kind, where they have bounds.
    const fn dimension(self) -> Option<Dimension> {
        match self {
            Self::Duration | Self::Distribution => Some(Dimension::Time),
            Self::Rate | Self::Rates => Some(Dimension::Rate),
            Self::Bytes | Self::Sizes => Some(Dimension::Size),
            Self::Limit | Self::Count | Self::Counts | Self::Number | Self::Probability => {
                Some(Dimension::Number)
            }
            _ => None,
        }
    }

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
        let bounds = Bounds::declared(Kind::Duration, "10 us", "10 s", "each update takes computing time");
        let check = |text: &str| bounds.check(Kind::Duration, &Value::Text(text.into()));
        assert_eq!([check("10 us"), check("15 ms"), check("10 s"), check("auto")], [const { Ok(()) }; 4]);
        let error = check("9999 ns").unwrap_err();
        assert_eq!(error, "9999 ns is outside 10 us to 10 s: each update takes computing time");
        assert!(check("10001 ms").is_err());
    }

    #[test]
    fn a_value_below_and_one_above_are_each_answered_with_their_own_reason() {
        let bounds =
            Bounds::declared(Kind::Rate, "1 bit/s", "1 Gbit/s", "nothing is sent | no time is taken");
        let refusal = |text: &str| bounds.check(Kind::Rate, &Value::Text(text.into())).unwrap_err();
        assert_eq!(refusal("0 bit/s"), "0 bit/s is outside 1 bit/s to 1 Gbit/s: nothing is sent");
        assert_eq!(refusal("2 Gbit/s"), "2 Gbit/s is outside 1 bit/s to 1 Gbit/s: no time is taken");
        assert_eq!(bounds.reason(), "below: nothing is sent; above: no time is taken");
    }

    #[test]
    fn of_what_is_drawn_the_mean_is_bounded() {
        let bounds = Bounds::declared(Kind::Distribution, "1 ms", "1 s", "a test");
        let check = |text: &str| bounds.check(Kind::Distribution, &Value::Text(text.into()));
        assert!(check("uniform(0 s, 2 s)").is_ok() && check("5 s").is_err());
        let error = check("exponential(2 s)").unwrap_err();
        assert_eq!(error, "the mean of exponential(2 s) is outside 1 ms to 1 s: a test");
    }

    #[test]
    fn limits_are_bounded_in_packets_and_in_bytes() {
        let bounds = Bounds::declared(Kind::Limit, "1", "1000", "a test");
        let check = |text: &str| bounds.check(Kind::Limit, &Value::Text(text.into()));
        assert!(check("1 packet").is_ok() && check("1 kB").is_ok());
        assert!(check("0 B").is_err() && check("1001 packets").unwrap_err().contains("packets or bytes"));
    }
}

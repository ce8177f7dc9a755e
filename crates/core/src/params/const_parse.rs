//! Reading of quantities at compile time: a bound with an unknown unit does not compile.
//!
//! The notation is that of [`Quantity`](crate::text::Quantity) without exponents and underscores.

use crate::text::{RATE_UNITS, SIZE_UNITS, TIME_UNITS, Units};

/// Dimension of a bound, and so the number that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    /// Nanoseconds.
    Time,
    /// Bits per second.
    Rate,
    /// Bytes.
    Size,
    /// A number without a unit.
    Number,
}

impl Dimension {
    /// The number that `text` stands for.
    pub(super) const fn parse(self, text: &str) -> Result<f64, &'static str> {
        match self {
            Self::Time => whole(text, TIME_UNITS, " is no duration such as \"5 ms\""),
            Self::Rate => whole(text, RATE_UNITS, " is no rate such as \"10 Mbit/s\""),
            Self::Size => whole(text, SIZE_UNITS, " is no size such as \"200 kB\""),
            Self::Number => match decimal(text) {
                Some((n, unit)) if unit == text.len() => Ok(n.float()),
                _ => Err(" is no number"),
            },
        }
    }
}

/// `digits / 10^decimals`, negated where `negative`.
struct Decimal {
    negative: bool,
    digits: u64,
    decimals: u32,
}

impl Decimal {
    /// The nearest float: both numbers are exact, so only their quotient is rounded.
    const fn float(&self) -> f64 {
        assert!(self.digits < 1 << 53 && self.decimals <= 22, "too many digits");
        let magnitude = self.digits as f64 / 10_u64.pow(self.decimals) as f64;
        if self.negative { -magnitude } else { magnitude }
    }
}

/// The number that `text` begins with, and where its unit begins.
const fn decimal(text: &str) -> Option<(Decimal, usize)> {
    let bytes = text.as_bytes();
    let negative = !bytes.is_empty() && bytes[0] == b'-';
    let (start, mut at) = (negative as usize, negative as usize);
    let mut number = Decimal { negative, digits: 0, decimals: 0 };
    let mut after_point = false;
    while at < bytes.len() && (bytes[at].is_ascii_digit() || (bytes[at] == b'.' && !after_point)) {
        if bytes[at] == b'.' {
            after_point = true;
        } else {
            number.digits = number.digits * 10 + (bytes[at] - b'0') as u64;
            number.decimals += after_point as u32;
        }
        at += 1;
    }
    if at == start {
        return None;
    }
    Some((number, if at < bytes.len() && bytes[at] == b' ' { at + 1 } else { at }))
}

/// A quantity with one of `units`, rounded to whole base units as text is at run time.
const fn whole(text: &str, units: Units, otherwise: &'static str) -> Result<f64, &'static str> {
    let Some((number, start)) = decimal(text) else { return Err(otherwise) };
    let Some(factor) = factor_of(text.as_bytes(), start, units) else { return Err(otherwise) };
    if number.negative {
        return Err(otherwise);
    }
    let parts = 10_u128.pow(number.decimals);
    Ok(((number.digits as u128 * factor as u128 + parts / 2) / parts) as u64 as f64)
}

/// The factor of the unit that stands from `start` on, in capitals or not.
const fn factor_of(text: &[u8], start: usize, units: Units) -> Option<u64> {
    let mut i = 0;
    while i < units.len() {
        let name = units[i].0.as_bytes();
        let mut same = name.len() == text.len() - start;
        let mut at = 0;
        while same && at < name.len() {
            same = name[at].eq_ignore_ascii_case(&text[start + at]);
            at += 1;
        }
        if same {
            return Some(units[i].1);
        }
        i += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Quantity;
    use crate::time::Duration;
    use crate::units::{Bytes, Rate};

    #[test]
    fn quantities_are_what_they_are_at_run_time() {
        for text in ["0 s", "1 ns", "10 us", "1.5 ms", "0.0000005 ms", "60 s", "10000 h", "87600 h"] {
            let read = Duration::parse(text).unwrap().as_nanos() as f64;
            assert_eq!(Dimension::Time.parse(text), Ok(read), "{text}");
        }
        for text in ["1 bit/s", "16 kbit/s", "2.5 Gbit/s", "1000000 Gbit/s", "3 MB/s"] {
            assert_eq!(Dimension::Rate.parse(text), Ok(Rate::parse(text).unwrap().as_bps() as f64), "{text}");
        }
        for text in ["0 B", "64 KB", "1.5 KiB", "1000000 GB"] {
            assert_eq!(Dimension::Size.parse(text), Ok(Bytes::parse(text).unwrap().as_f64()), "{text}");
        }
        for text in ["0", "0.0", "0.000001", "0.999", "1.01", "-1000000000000", "1000000000.0"] {
            assert_eq!(Dimension::Number.parse(text), Ok(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "5", "5 parsecs", "-5 ms", "ms", "5  ms", "1.2.3 s"] {
            assert!(Dimension::Time.parse(text).is_err(), "{text}");
        }
        assert!(Dimension::Rate.parse("100 Tbit/s").is_err() && Dimension::Rate.parse("10 MB").is_err());
        assert!(Dimension::Number.parse("1e3").is_err() && Dimension::Number.parse("1 s").is_err());
    }
}

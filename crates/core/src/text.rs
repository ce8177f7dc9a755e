//! Quantities as people write them: `5 ms`, `1.5 Mbit/s`, `200 kB`, `50 packets`.
//!
//! A unit is always required. `mbps` and its kin are refused, since tc reads them as megabytes a second.

use crate::time::Duration;
use crate::units::{Bytes, Limit, Probability, Rate};

/// A value that has one textual form, shared by scenario files, `--set` and printed defaults.
pub trait Quantity: Sized {
    /// Example for error messages: `a duration such as "5 ms"`.
    const EXPECTED: &'static str;
    /// Reads the text.
    ///
    /// # Errors
    /// A hint that says what is wrong and what to write instead.
    fn parse(text: &str) -> Result<Self, String>;
}

/// Names of units with their factors.
pub(crate) type Units = &'static [(&'static str, u64)];

/// Units of time, in nanoseconds.
pub(crate) const TIME_UNITS: Units = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Units of rate, in bits per second, in capitals or not. Bytes a second need the "/s": "10 MB" is a size.
pub(crate) const RATE_UNITS: Units = &[
    ("bit/s", 1),
    ("bit", 1),
    ("kbit/s", 1_000),
    ("kbit", 1_000),
    ("mbit/s", 1_000_000),
    ("mbit", 1_000_000),
    ("gbit/s", 1_000_000_000),
    ("gbit", 1_000_000_000),
    ("kibit/s", 1 << 10),
    ("kibit", 1 << 10),
    ("mibit/s", 1 << 20),
    ("mibit", 1 << 20),
    ("gibit/s", 1 << 30),
    ("gibit", 1 << 30),
    ("b/s", 8),
    ("kb/s", 8_000),
    ("mb/s", 8_000_000),
    ("gb/s", 8_000_000_000),
];

/// Units of size, in bytes, in capitals or not.
pub(crate) const SIZE_UNITS: Units = &[
    ("b", 1),
    ("byte", 1),
    ("bytes", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
];

/// The factor of a unit.
fn factor_of(unit: &str, units: Units) -> Option<f64> {
    units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor as f64)
}

/// Splits `"1.5 Mbit/s"` into the number and the unit. Underscores may group digits.
fn split(text: &str, expected: &str) -> Result<(f64, String), String> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || "._+-eE".contains(c))).unwrap_or(text.len());
    // An exponent needs a digit after it, else the letter belongs to the unit ("5 EB").
    let (number, unit) = text.split_at(end);
    let value: f64 = number
        .replace('_', "")
        .parse()
        .map_err(|_| format!("{text:?} does not start with a number; expected {expected}"))?;
    if value.is_nan() || value < 0.0 {
        return Err(format!("{text:?} must be zero or more; expected {expected}"));
    }
    Ok((value, unit.trim().to_string()))
}

/// `value * factor`, a quantity of this unit, as a whole number, or an error where it does not fit 63 bits.
fn scaled(value: f64, (factor, unit): (f64, &str), text: &str) -> Result<u64, String> {
    /// About 2^63.
    const MOST: f64 = 9.2e18;
    let n = value * factor;
    // Decimal fractions are not exact in binary; half a unit in the last place is not the user's business.
    if n >= MOST {
        return Err(format!("{text:?} is too large; at most {:e} {unit} can be counted", MOST / factor));
    }
    Ok((n + 0.5) as u64)
}

impl Quantity for Duration {
    const EXPECTED: &'static str = "a duration such as \"5 ms\" or \"1.5 s\"";
    fn parse(text: &str) -> Result<Self, String> {
        let (value, unit) = split(text, Self::EXPECTED)?;
        if unit.is_empty() {
            return Err(format!("{text:?} has no unit; write \"{text} ms\" or \"{text} s\""));
        }
        let factor = factor_of(&unit, TIME_UNITS)
            .ok_or_else(|| format!("unknown unit {unit:?}; expected {}", Self::EXPECTED))?;
        scaled(value, (factor, &unit), text).map(Self::from_nanos)
    }
}

impl Quantity for Rate {
    const EXPECTED: &'static str = "a rate such as \"10 Mbit/s\"";
    fn parse(text: &str) -> Result<Self, String> {
        let (value, unit) = split(text, Self::EXPECTED)?;
        let lower = unit.to_ascii_lowercase();
        if let Some(prefix) = lower.strip_suffix("bps").filter(|p| ["", "k", "m", "g"].contains(p)) {
            let p = prefix.to_uppercase().replace('K', "k");
            return Err(format!(
                "{unit:?} is ambiguous (tc reads it as bytes a second); write \"{value} {p}bit/s\" or \"{value} {p}B/s\""
            ));
        }
        if lower.is_empty() || lower == "/s" {
            return Err(format!("{text:?} has no unit; write \"{text} Mbit/s\""));
        }
        let factor = factor_of(&lower, RATE_UNITS)
            .ok_or_else(|| format!("unknown unit {unit:?}; expected {}", Self::EXPECTED))?;
        scaled(value, (factor, &unit), text).map(Self::from_bps)
    }
}

impl Quantity for Bytes {
    const EXPECTED: &'static str = "a size such as \"1500 B\" or \"200 kB\"";
    fn parse(text: &str) -> Result<Self, String> {
        let (value, unit) = split(text, Self::EXPECTED)?;
        let lower = unit.to_ascii_lowercase();
        let factor = factor_of(&lower, SIZE_UNITS).ok_or_else(|| match lower.as_str() {
            "" => format!("{text:?} has no unit; write \"{text} B\""),
            "packet" | "packets" => format!("{text:?} counts packets; a size in bytes is needed here"),
            _ => format!("unknown unit {unit:?}; expected {}", Self::EXPECTED),
        })?;
        scaled(value, (factor, &unit), text).map(Self)
    }
}

impl Quantity for Limit {
    const EXPECTED: &'static str = "a limit such as \"50 packets\" or \"200 kB\"";
    fn parse(text: &str) -> Result<Self, String> {
        let (value, unit) = split(text, Self::EXPECTED)?;
        match unit.as_str() {
            "packet" | "packets" | "pkt" | "pkts" | "p" if value.fract() == 0.0 => {
                scaled(value, (1.0, &unit), text).map(Self::Packets)
            }
            "packet" | "packets" | "pkt" | "pkts" | "p" => {
                Err(format!("{text:?} is not a whole number of packets"))
            }
            "" => Err(format!("{text:?} has no unit; write \"{text} packets\" or \"{text} B\"")),
            _ => Bytes::parse(text)
                .map(Self::Bytes)
                .map_err(|_| format!("unknown unit {unit:?}; expected {}", Self::EXPECTED)),
        }
    }
}

impl Quantity for Probability {
    const EXPECTED: &'static str = "a probability such as 0.02 or \"2 %\"";
    fn parse(text: &str) -> Result<Self, String> {
        let (value, unit) = split(text, Self::EXPECTED)?;
        let p = match unit.as_str() {
            "" => value,
            "%" => value / 100.0,
            _ => return Err(format!("unknown unit {unit:?}; expected {}", Self::EXPECTED)),
        };
        Self::new(p).ok_or_else(|| format!("{text:?} is outside 0 to 1; expected {}", Self::EXPECTED))
    }
}

/// The candidate nearest to `word`, where it is near enough to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_ascii_lowercase();
    candidates
        .into_iter()
        .map(|c| (distance(&lower, &c.to_ascii_lowercase()), c))
        .min()
        .filter(|(d, c)| {
            // Nearer than another word of the same length: one letter alone suggests nothing.
            let near = *d <= c.chars().count().max(3) / 3 && *d < lower.chars().count();
            near || (lower.len() > 2 && c.starts_with(&lower))
        })
        .map(|(_, c)| c)
}

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = substituted.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_what_people_write() {
        assert_eq!(Duration::parse("5ms"), Ok(Duration::from_millis(5)));
        assert_eq!(Duration::parse("0.1 s"), Ok(Duration::from_millis(100)));
        assert_eq!(Rate::parse("1.5 Mbit/s"), Ok(Rate::from_bps(1_500_000)));
        assert_eq!(Rate::parse("10mbit"), Ok(Rate::from_mbit(10)));
        assert_eq!(Rate::parse("1 MB/s"), Ok(Rate::from_mbit(8)));
        assert_eq!(Bytes::parse("200 kB"), Ok(Bytes(200_000)));
        assert_eq!(Bytes::parse("64 KiB"), Ok(Bytes(65_536)));
        assert_eq!(Limit::parse("50 packets"), Ok(Limit::Packets(50)));
        assert_eq!(Limit::parse("200 kB"), Ok(Limit::Bytes(Bytes(200_000))));
        assert_eq!(Probability::parse("2 %"), Ok(Probability::new(0.02).unwrap()));
    }

    #[test]
    fn a_missing_or_wrong_unit_is_explained() {
        let hint = Rate::parse("10 mbps").unwrap_err();
        assert!(hint.contains("10 Mbit/s") && hint.contains("10 MB/s"), "{hint}");
        assert!(Duration::parse("5").unwrap_err().contains("5 ms"));
        assert!(Rate::parse("-1 Mbit/s").unwrap_err().contains("zero or more"));
        assert!(Rate::parse("10 MB").unwrap_err().contains("unknown unit"));
        assert!(Duration::parse("1e30 s").unwrap_err().contains("too large"));
        assert!(Duration::parse("1e400 s").unwrap_err().contains("too large"));
        assert!(Probability::parse("1.2").unwrap_err().contains("outside"));
    }

    #[test]
    fn printed_quantities_read_back() {
        for d in [0, 1, 999, 1_500, 5_000_000, 123_456_789, 3_600_000_000_000] {
            let d = Duration::from_nanos(d);
            assert_eq!(Duration::parse(&d.to_string()), Ok(d));
        }
        for l in
            [Limit::Packets(1), Limit::Packets(50), Limit::Bytes(Bytes(1514)), Limit::Bytes(Bytes(2_000_000))]
        {
            assert_eq!(Limit::parse(&l.to_string()), Ok(l));
        }
    }

    #[test]
    fn the_nearest_name_is_found_and_nonsense_is_not() {
        let names = ["droptail", "red", "codel", "sfq"];
        assert_eq!(nearest("cdoel", names), Some("codel"));
        assert_eq!(nearest("drop_tail", names), Some("droptail"));
        assert_eq!(nearest("banana", names), None);
        assert_eq!(nearest("c", ["a", "b"]), None);
    }
}

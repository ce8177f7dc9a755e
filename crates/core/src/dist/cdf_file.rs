//! Files of distributions, as traffic generators and the scenarios of published experiments have them.
//!
//! A line is a size and the share of sizes that are no larger (`10000 0.15`), or both with a number between them that counts the
//! lines or says nothing (`10000 1 0.15`, as in ns-2's files). What follows `#` is a comment.

use crate::dist::cdf::{Cdf, MOST_POINTS, Point};
use crate::line_error::LineError;
use crate::text::Quantity as _;
use crate::units::Bytes;
use std::borrow::Cow;

impl Cdf {
    /// Reads the lines of a file, whose plain numbers count so many bytes each: 1, or the size of a packet.
    ///
    /// # Errors
    /// The first line that cannot be.
    pub fn of_file(text: &str, unit: Bytes) -> Result<Self, LineError> {
        let mut points: Vec<Point> = Vec::new();
        let mut last_line = 1;
        for (i, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or(line);
            if line.trim().is_empty() {
                continue;
            }
            last_line = i + 1;
            let point = read(line, unit).and_then(|point| follows(&points, point));
            points.push(point.map_err(|why| LineError { line: last_line, why })?);
        }
        let whole = points.last().map(|(_, share)| *share);
        if whole != Some(1.0) && whole != Some(100.0) {
            let why = match whole {
                None => "it has no lines with a size and a share, such as \"10000 0.15\"".into(),
                Some(share) => format!("shares end at 1, or at 100, found {share} last"),
            };
            return Err(LineError { line: last_line, why });
        }
        if whole == Some(100.0) {
            points.iter_mut().for_each(|(_, share)| *share /= 100.0);
        }
        Ok(Self { points: Cow::Owned(points) })
    }
}

fn read(line: &str, unit: Bytes) -> Result<Point, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse::<f64>().ok().filter(|x| x.is_finite());
    let (size, share) = match words[..] {
        [size, share] => (size.to_string(), share),
        [size, between, share] if number(between).is_some() => (size.to_string(), share),
        [size, of, share] => (format!("{size} {of}"), share),
        _ => {
            let why = format!(
                "{:?} has {} words; write a size and the share of sizes that are no larger, or a number between them",
                line.trim().chars().take(40).collect::<String>(),
                words.len()
            );
            return Err(why);
        }
    };
    let share = number(share).filter(|share| *share >= 0.0).ok_or_else(|| {
        format!("the share {share:?} is not a number from 0 on; it is what part of all sizes is no larger")
    })?;
    let size = match number(&size) {
        Some(units) => {
            scaled(units, unit).ok_or_else(|| format!("the size {size} is none: 0 to 1e15 bytes"))?
        }
        None => Bytes::parse(&size)?.get(),
    };
    Ok((size, share))
}

/// Converts units into bytes.
fn scaled(units: f64, unit: Bytes) -> Option<u64> {
    let bytes = units * unit.as_f64();
    (0.0..=1e15).contains(&bytes).then_some((bytes + 0.5) as u64)
}

/// A point that may come after those.
fn follows(points: &[Point], point: Point) -> Result<Point, String> {
    match points.last() {
        Some(before) if point.0 < before.0 => {
            Err(format!("a size of {} B comes after {} B; sort the lines", point.0, before.0))
        }
        Some(before) if point.1 < before.1 => Err(format!(
            "the share {} comes after {}; shares add up: each is that of all sizes that are no larger",
            point.1, before.1
        )),
        _ if points.len() == MOST_POINTS => Err(format!("more than {MOST_POINTS} points; leave some out")),
        _ => Ok(point),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        Cdf::of_file(text, Bytes(1)).unwrap().to_string()
    }

    #[test]
    fn a_file_has_two_columns_or_three_and_comments() {
        let cdf = "cdf(0 B 0; 1 kB 0.5; 2 kB 1)";
        assert_eq!(of("0 0\n1000 0.5\n2000 1\n"), cdf);
        assert_eq!(of("# bytes, share\n\n0\t1  0\r\n1000 1 .5 # half\n2e3 1 1.0"), cdf);
        assert_eq!(of("0 0\n1 kB 50\n2 kB 100"), cdf);
        assert_eq!(of("7 1"), "cdf(7 B 1)");
    }

    #[test]
    fn sizes_may_be_counted_in_packets() {
        // pFabric's CDF_search.tcl begins so.
        let file = "1 1 0\n6 1 0.15\n13 1 0.2\n19 1 1\n";
        let cdf = Cdf::of_file(file, Bytes(1460)).unwrap();
        assert_eq!(cdf.to_string(), "cdf(1460 B 0; 8760 B 0.15; 18980 B 0.2; 27740 B 1)");
    }

    #[test]
    fn what_cannot_be_is_said_with_its_line() {
        let why = |text: &str| Cdf::of_file(text, Bytes(1)).map_err(|e| (e.line, e.why)).unwrap_err();
        for (text, line, said) in [
            ("", 1, "has no lines"),
            ("# nothing\n", 1, "has no lines"),
            ("0 0\n1000\n", 2, "\"1000\" has 1 words; write a size and the share"),
            ("0 0\n\n1 2 3 4\n", 3, "has 4 words"),
            ("0 0\n9 x\n", 2, "the share \"x\" is not a number"),
            ("0 0\n9 -1\n", 2, "the share \"-1\" is not"),
            ("0 0\n9 nan\n", 2, "the share \"nan\" is not"),
            ("0 0\n-9 1\n", 2, "the size -9 is none"),
            ("0 0\n1e99 1\n", 2, "the size 1e99 is none"),
            ("0 0\n9 parsecs 1\n", 2, "parsecs"),
            ("0 0\n9 0.5\n8 1\n", 3, "8 B comes after 9 B; sort the lines"),
            ("0 0\n9 0.5\n10 0.4\n", 3, "0.4 comes after 0.5; shares add up"),
            ("0 0\n9 0.5\n10 0.9\n", 3, "shares end at 1, or at 100, found 0.9 last"),
        ] {
            let (at, found) = why(text);
            assert!(at == line && found.contains(said), "{text:?}: line {at}: {found}");
        }
    }
}

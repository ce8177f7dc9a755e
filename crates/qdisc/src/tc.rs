//! The words and units of `tc` (iproute2): `red limit 200kb min 15kb max 45kb ecn`.
//!
//! tc counts sizes in powers of 1024 (`kb`), rates in powers of 1000 (`mbit`), and reads `mbps` as megabytes a
//! second; a bare number is bytes, bits a second, or microseconds. Which words a discipline knows stands in
//! its own file.

mod elsewhere;
mod posted;

use core::fmt::Write as _;
use tailrace_core::text::nearest;
use tailrace_core::{Bytes, Duration, Limit, Probability, Rate};

/// Error in a tc line, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcError {
    /// Byte offset of the offending word.
    pub offset: usize,
    /// Its length in bytes; zero at the end of the line where a word is missing.
    pub len: usize,
    /// Words that were expected.
    pub message: String,
}

pub(crate) use elsewhere::elsewhere;

/// Remark on a word of a tc line that is read.
pub type TcNote = TcError;

/// The words of a tc line, each with its place.
#[derive(Clone, Debug)]
pub struct TcWords<'a> {
    text: &'a str,
    next: usize,
    word: (usize, usize),
    notes: Vec<TcNote>,
}

impl<'a> TcWords<'a> {
    /// The words of `text`.
    pub fn new(text: &'a str) -> Self {
        Self { text, next: 0, word: (0, 0), notes: Vec::new() }
    }

    /// Kind of the discipline that the line states, which becomes the current word. Whole commands and what `tc qdisc show`
    /// prints are read, too.
    ///
    /// # Errors
    /// Where the line states none.
    pub fn discipline(&mut self) -> Result<&'a str, TcError> {
        posted::kind(self)
    }

    /// Makes the discipline behind `mq` the kind, where the line states one of `known`: the rings of a card are alike.
    pub fn leaf_of_mq(&mut self, kind: &'a str, known: &[&str]) -> &'a str {
        posted::leaf_of_mq(kind, self, known)
    }

    /// Adds a remark on the current word.
    pub fn note(&mut self, message: impl Into<String>) {
        let note = self.error(message);
        self.notes.push(note);
    }

    /// Takes the remarks so far.
    pub fn take_notes(&mut self) -> Vec<TcNote> {
        core::mem::take(&mut self.notes)
    }

    /// Makes an earlier word the one that errors point to; the next one stays.
    fn point_at(&mut self, word: (usize, usize)) {
        self.word = word;
    }

    /// The next word, which becomes the one that errors point to.
    pub fn next_word(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.next..];
        let start = self.next + (rest.len() - rest.trim_start().len());
        let len = self.text[start..].find(char::is_whitespace).unwrap_or(self.text.len() - start);
        self.word = (start, len);
        self.next = start + len;
        (len > 0).then(|| &self.text[start..start + len])
    }

    /// An error at the current word.
    pub fn error(&self, message: impl Into<String>) -> TcError {
        TcError { offset: self.word.0, len: self.word.1, message: message.into() }
    }

    /// The current word is none of `known`.
    pub fn unknown(&self, known: &[&'static str]) -> TcError {
        let word = &self.text[self.word.0..self.word.0 + self.word.1];
        let hint = nearest(word, known.iter().copied())
            .map_or_else(|| format!("known here: {}", known.join(", ")), |n| format!("did you mean {n:?}?"));
        self.error(format!("unknown word {word:?}; {hint}"))
    }

    /// The next word as a size: `64kb` is 65 536 bytes.
    ///
    /// # Errors
    /// Where the word is missing or is no size; likewise below.
    pub fn size(&mut self) -> Result<Bytes, TcError> {
        self.quantity("a size such as 64kb", |unit| match unit {
            "" | "b" => Some(1.0),
            "k" | "kb" => Some(1024.0),
            "m" | "mb" => Some(1024.0 * 1024.0),
            "g" | "gb" => Some(1024.0 * 1024.0 * 1024.0),
            "kbit" => Some(1024.0 / 8.0),
            "mbit" => Some(1024.0 * 1024.0 / 8.0),
            "gbit" => Some(1024.0 * 1024.0 * 1024.0 / 8.0),
            _ => None,
        })
        .and_then(|n| self.passed_on("the size", n))
        .map(Bytes)
    }

    /// The next word as a rate: `10mbit` is 10^7 bit/s, `10mbps` is 8 times that.
    ///
    /// # Errors
    /// See [`TcWords::size`].
    pub fn rate(&mut self) -> Result<Rate, TcError> {
        let rate = self.quantity("a rate such as 10mbit", |unit| {
            let (stem, scale) = unit
                .strip_suffix("bps")
                .map_or_else(|| (unit.strip_suffix("bit").unwrap_or(unit), 1.0), |stem| (stem, 8.0));
            let factor = match stem {
                "" => 1.0,
                "k" => 1e3,
                "m" => 1e6,
                "g" => 1e9,
                "t" => 1e12,
                "ki" => 1024.0,
                "mi" => 1024.0 * 1024.0,
                "gi" => 1024.0 * 1024.0 * 1024.0,
                _ => return None,
            };
            Some(factor * scale)
        })?;
        let word = &self.text[self.word.0..self.word.0 + self.word.1];
        if rate > 0 && rate < SUSPECT_BARE_RATE && !word.contains(|c: char| c.is_ascii_alphabetic()) {
            self.note(format!("{word} is {rate} bit/s to tc, which reads a number without unit so; for Mbit/s write {word}mbit"));
        }
        Ok(Rate::from_bps(rate))
    }

    /// The next word as a time: `5ms`; a bare number is microseconds.
    ///
    /// # Errors
    /// See [`TcWords::size`].
    pub fn time(&mut self) -> Result<Duration, TcError> {
        self.quantity("a time such as 5ms", |unit| match unit {
            "s" | "sec" | "secs" => Some(1e9),
            "ms" | "msec" | "msecs" => Some(1e6),
            "" | "us" | "usec" | "usecs" => Some(1e3),
            "ns" | "nsec" | "nsecs" => Some(1.0),
            _ => None,
        })
        .map(Duration::from_nanos)
    }

    /// The next word as a whole number; `5p`, as tc prints packets, is 5.
    ///
    /// # Errors
    /// See [`TcWords::size`].
    pub fn count(&mut self) -> Result<u64, TcError> {
        let word = self.needed("a whole number")?;
        let n = word
            .strip_suffix('p')
            .unwrap_or(word)
            .parse()
            .map_err(|_| self.error(format!("{word:?} is not a whole number")))?;
        self.passed_on(&format!("{word:?}"), n)
    }

    /// A number, where it fits the 32 bits in which tc passes it on.
    fn passed_on(&self, what: &str, n: u64) -> Result<u64, TcError> {
        if n > MOST {
            return Err(self.error(format!("{what} is too large; tc counts to {MOST}")));
        }
        Ok(n)
    }

    /// The next word as a whole number that fits 32 bits.
    ///
    /// # Errors
    /// See [`TcWords::size`].
    pub fn count32(&mut self) -> Result<u32, TcError> {
        let n = self.count()?;
        u32::try_from(n).map_err(|_| self.error(format!("{n} is too large; at most {} fits", u32::MAX)))
    }

    /// The next word as a whole number of seconds; `10sec`, as tc prints it, is 10.
    ///
    /// # Errors
    /// See [`TcWords::size`].
    pub fn seconds(&mut self) -> Result<Duration, TcError> {
        let word = self.needed("a whole number of seconds")?;
        let n: Option<u32> = word.strip_suffix("sec").unwrap_or(word).parse().ok();
        let n = n.ok_or_else(|| self.error(format!("{word:?} is not a whole number of seconds")))?;
        Ok(Duration::from_secs(u64::from(n)))
    }

    /// The next word as a probability.
    ///
    /// # Errors
    /// See [`TcWords::size`].
    pub fn probability(&mut self) -> Result<Probability, TcError> {
        let word = self.needed("a probability such as 0.02")?;
        let p = word.parse().ok().and_then(Probability::new);
        p.ok_or_else(|| self.error(format!("{word:?} is not a probability such as 0.02")))
    }

    /// The next word as a finite number, zero or more.
    ///
    /// # Errors
    /// See [`TcWords::size`].
    pub fn number(&mut self) -> Result<f64, TcError> {
        let word = self.needed("a number such as 0.16")?;
        let x = word.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
        x.ok_or_else(|| self.error(format!("{word:?} is not a number such as 0.16")))
    }

    /// The next word as a share in per cent, with or without the sign: `10%` is 0.1.
    ///
    /// # Errors
    /// See [`TcWords::size`].
    pub fn percent(&mut self) -> Result<Probability, TcError> {
        let word = self.needed("a percentage such as 10%")?;
        let number: Option<f64> = word.strip_suffix('%').unwrap_or(word).parse().ok();
        let p = number.and_then(|percent| Probability::new(percent / 100.0));
        p.ok_or_else(|| self.error(format!("{word:?} is not a percentage such as 10%")))
    }

    fn needed(&mut self, expected: &str) -> Result<&'a str, TcError> {
        let (offset, len) = self.word;
        let after = self.text[offset..offset + len].to_string();
        self.next_word().ok_or_else(|| self.error(format!("{after:?} needs {expected}")))
    }

    fn quantity(&mut self, expected: &str, factor: impl Fn(&str) -> Option<f64>) -> Result<u64, TcError> {
        let word = self.needed(expected)?;
        let split = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let (number, unit) = word.split_at(split);
        let value = number.parse::<f64>().ok().zip(factor(&unit.to_ascii_lowercase())).map(|(n, k)| n * k);
        let value = value.ok_or_else(|| self.error(format!("{word:?} is not {expected}")))?;
        if value >= 9.2e18 {
            let most = 9.2e18 / factor(&unit.to_ascii_lowercase()).unwrap_or(1.0);
            return Err(self.error(format!("{word:?} is too large; at most {most:e}{unit} can be counted")));
        }
        Ok((value + 0.5) as u64)
    }
}

/// A tc line while it is written: the kind, then words with their values.
///
/// Values that tc has no digits for (fractions of a microsecond, more than 32 bits) become the nearest that it has:
/// [`QdiscConfig::to_tc`](crate::disciplines::QdiscConfig::to_tc) reads the line back and names every parameter that comes out
/// otherwise. A value that is `None` leaves its word out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcLine {
    words: String,
    commands: Vec<String>,
}

/// Rates below are not what anybody means by a number without unit.
const SUSPECT_BARE_RATE: u64 = 1_000_000;
/// Largest number that tc passes on.
const MOST: u64 = u32::MAX as u64;
/// Packets of this size stand in for bytes where tc counts packets: a full Ethernet frame with its header.
const FRAME: u64 = 1514;

impl TcLine {
    /// A line that starts with `kind`.
    pub fn new(kind: &str) -> Self {
        Self { words: kind.into(), commands: Vec::new() }
    }

    fn word(mut self, word: &str, value: Option<String>) -> Self {
        if let Some(value) = value {
            let _ = write!(self.words, " {word} {value}");
        }
        self
    }

    /// `word`, where `on`.
    #[must_use]
    pub fn flag(mut self, word: &str, on: bool) -> Self {
        if on {
            let _ = write!(self.words, " {word}");
        }
        self
    }

    /// `word` and words after it as they are.
    #[must_use]
    pub fn text(self, word: &str, value: &str) -> Self {
        self.word(word, Some(value.into()))
    }

    /// `word` and a whole number.
    #[must_use]
    pub fn count(self, word: &str, n: impl Into<Option<u64>>) -> Self {
        self.word(word, n.into().map(|n| n.min(MOST).to_string()))
    }

    /// `word` and a number of packets; bytes become as many full frames.
    #[must_use]
    pub fn packets(self, word: &str, limit: impl Into<Option<Limit>>) -> Self {
        let packets = limit.into().map(|limit| match limit {
            Limit::Packets(n) => n,
            Limit::Bytes(b) => b.get().div_ceil(FRAME).max(1),
        });
        self.count(word, packets)
    }

    /// `word` and a size.
    #[must_use]
    pub fn size(self, word: &str, size: impl Into<Option<Bytes>>) -> Self {
        self.word(
            word,
            size.into().map(|size| match size.get().min(MOST) {
                n if n > 0 && n.is_multiple_of(1 << 20) => format!("{}mb", n >> 20),
                n if n > 0 && n.is_multiple_of(1 << 10) => format!("{}kb", n >> 10),
                n => n.to_string(),
            }),
        )
    }

    /// `word` and a rate.
    #[must_use]
    pub fn rate(self, word: &str, rate: impl Into<Option<Rate>>) -> Self {
        self.word(word, rate.into().map(rate_text))
    }

    /// `word` and a time, which tc counts in microseconds.
    #[must_use]
    pub fn time(self, word: &str, time: impl Into<Option<Duration>>) -> Self {
        self.word(word, time.into().map(time_text))
    }

    /// `word` and a probability.
    #[must_use]
    pub fn probability(self, word: &str, p: impl Into<Option<Probability>>) -> Self {
        self.word(word, p.into().map(|p| p.get().to_string()))
    }

    /// `word` and a number.
    #[must_use]
    pub fn number(self, word: &str, x: impl Into<Option<f64>>) -> Self {
        self.word(word, x.into().map(|x| x.to_string()))
    }

    /// `word` and a share in whole per cent.
    #[must_use]
    pub fn percent(self, word: &str, p: impl Into<Option<Probability>>) -> Self {
        self.word(word, p.into().map(|p| format!("{}%", (p.get() * 100.0).round())))
    }

    /// Commands for an operator where one `tc qdisc` line is not enough, as for a classful discipline: complete
    /// commands in which `DEV` is the device, `PARENT` its place (`root`) and 10: its handle.
    #[must_use]
    pub fn commands(self, commands: Vec<String>) -> Self {
        Self { commands, ..self }
    }

    /// The line, and the commands.
    pub fn into_parts(self) -> (String, Vec<String>) {
        (self.words, self.commands)
    }
}

/// A rate as tc writes it.
pub fn rate_text(rate: Rate) -> String {
    match rate.as_bps() {
        n if n > 0 && n.is_multiple_of(1_000_000) => format!("{}mbit", n / 1_000_000),
        n if n > 0 && n.is_multiple_of(1_000) => format!("{}kbit", n / 1_000),
        n => format!("{n}bit"),
    }
}

/// A time as tc writes it, to the microsecond.
pub fn time_text(time: Duration) -> String {
    match (time.as_nanos().saturating_add(500) / 1_000).min(MOST) {
        n if n > 0 && n.is_multiple_of(1_000_000) => format!("{}s", n / 1_000_000),
        n if n > 0 && n.is_multiple_of(1_000) => format!("{}ms", n / 1_000),
        n => format!("{n}us"),
    }
}

/// A configuration in the words of tc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcExport {
    /// The line: kind and words, as a scenario reads them.
    pub line: String,
    /// Commands to run where one `tc qdisc` line is not enough; see [`TcLine::commands`].
    pub commands: Vec<String>,
    /// Parameters that the line does not carry.
    pub differs: Vec<TcDifference>,
}

/// A parameter that tc has no word, or not enough digits, for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcDifference {
    /// Its name.
    pub param: &'static str,
    /// Its value in the configuration, as a scenario writes it.
    pub here: String,
    /// Its value in what the line means.
    pub there: String,
}

/// Reason for having no tc line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTc {
    /// Linux has no such discipline.
    NotInLinux,
    /// Linux has it, but not with such values; the text says what tc would find wrong.
    Unsayable(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_tc() {
        assert_eq!(TcWords::new("64kb").size(), Ok(Bytes(65_536)));
        assert_eq!(TcWords::new("1514").size(), Ok(Bytes(1514)));
        assert_eq!(TcWords::new("1mb").size(), Ok(Bytes(1_048_576)));
        assert_eq!(TcWords::new("10mbit").rate(), Ok(Rate::from_mbit(10)));
        assert_eq!(TcWords::new("10mbps").rate(), Ok(Rate::from_mbit(80)));
        assert_eq!(TcWords::new("1.5Mbit").rate(), Ok(Rate::from_bps(1_500_000)));
        assert_eq!(TcWords::new("5ms").time(), Ok(Duration::from_millis(5)));
        assert_eq!(TcWords::new("5").time(), Ok(Duration::from_micros(5)));
        assert_eq!(TcWords::new("0.02").probability(), Ok(Probability::new(0.02).unwrap()));
        assert_eq!(TcWords::new("2%").percent(), TcWords::new("0.02").probability());
        assert_eq!(TcWords::new("2").percent(), TcWords::new("2%").percent());
        assert_eq!(TcWords::new("0.16").number(), Ok(0.16));
    }

    #[test]
    fn what_is_written_reads_back() {
        let line = TcLine::new("red")
            .size("limit", Bytes(65_536))
            .size("min", Bytes(1500))
            .rate("bandwidth", Rate::from_bps(1_500_500))
            .time("target", Duration::from_micros(1500))
            .time("interval", None)
            .probability("probability", Probability::new(0.02).unwrap())
            .packets("flows", Limit::Bytes(Bytes(1515)))
            .flag("ecn", true)
            .flag("nodrop", false);
        let (line, commands) = line.into_parts();
        assert_eq!(
            line,
            "red limit 64kb min 1500 bandwidth 1500500bit target 1500us probability 0.02 flows 2 ecn"
        );
        assert!(commands.is_empty());
        for n in [0u64, 1, 999, 1024, 1_000_000, 1 << 20, MOST] {
            assert_eq!(TcWords::new(&TcLine::new("").size("", Bytes(n)).words).size(), Ok(Bytes(n)));
            let time = Duration::from_micros(n);
            assert_eq!(TcWords::new(&time_text(time)).time(), Ok(time));
            assert_eq!(TcWords::new(&rate_text(Rate::from_bps(n))).rate(), Ok(Rate::from_bps(n)));
        }
        assert_eq!(time_text(Duration::from_nanos(1_499)), "1us");
    }

    #[test]
    fn errors_point_at_the_word() {
        let mut words = TcWords::new("limit  5furlong");
        assert_eq!(words.next_word(), Some("limit"));
        let e = words.size().unwrap_err();
        assert_eq!((e.offset, e.len), (7, 8));
        let mut words = TcWords::new("limit ");
        words.next_word();
        let e = words.size().unwrap_err();
        assert_eq!((e.offset, e.len), (6, 0));
        assert!(e.message.contains("\"limit\" needs a size"), "{}", e.message);
        assert!(TcWords::new("1.5").count().is_err());
        assert!(TcWords::new("1.5").probability().is_err());
        assert!(TcWords::new("101%").percent().is_err() && TcWords::new("-1").number().is_err());
        assert!(TcWords::new("nan").number().is_err() && TcWords::new("inf").percent().is_err());
        assert!(TcWords::new("4294967295").count().is_ok() && TcWords::new("4294967296").count().is_err());
        assert!(TcWords::new("4gb").size().unwrap_err().message.contains("too large"));
        assert!(TcWords::new("99999999999gb").size().unwrap_err().message.contains("too large"));
    }

    #[test]
    fn other_scripts_and_blank_lines_do_not_panic() {
        for text in ["", "   ", "é", "5µs", "limit\u{a0}5", "\u{2003}"] {
            let mut words = TcWords::new(text);
            let _ = words.size();
            let _ = words.next_word();
        }
    }
}

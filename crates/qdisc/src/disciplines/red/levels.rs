//! Levels of GRED: the codepoints of each, and the differences of its RED from the queue's.

use tailrace_core::params::{Kind, ParamType, Value};
use tailrace_core::text::Quantity as _;
use tailrace_core::{Dscp, Limit, Probability};

/// Levels of GRED. Text: `"AF11 min 30p max 60p; AF12 AF13 min 20p max 40p prob 0.1 prio 2; other max 30p"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels(Vec<Level>);

/// A level; `None` stands for the queue's own value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Level {
    /// Codepoints that belong to it.
    pub(super) codepoints: Vec<Dscp>,
    /// Whether it takes all codepoints that no level has.
    pub(super) other: bool,
    pub(super) min_th: Option<Limit>,
    pub(super) max_th: Option<Limit>,
    pub(super) max_p: Option<Probability>,
    pub(super) limit: Option<Limit>,
    /// Smaller is the more precious.
    pub(super) prio: Option<u8>,
}

/// tc's default where a level of `grio` has no `prio`.
const DEFAULT_PRIO: u8 = 8;
/// Linux has as many (`MAX_DPs`).
const MOST_LEVELS: usize = 16;

const EXPECTED: &str =
    "levels such as \"AF11 min 30p max 60p; AF12 AF13 min 20p max 40p prob 0.1 prio 2; other max 30p\"";

impl Levels {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Level> {
        self.0.iter()
    }

    /// Reads the text.
    fn parse(text: &str) -> Result<Self, String> {
        let levels: Vec<Level> = text.split(';').map(Level::parse).collect::<Result<_, _>>()?;
        if levels.len() > MOST_LEVELS {
            return Err(format!("there are at most {MOST_LEVELS} levels"));
        }
        let mut seen = Vec::new();
        for codepoint in levels.iter().flat_map(|l| &l.codepoints) {
            if seen.contains(codepoint) {
                return Err(format!("codepoint {} is in two levels", codepoint.word()));
            }
            seen.push(*codepoint);
        }
        if levels.iter().filter(|l| l.other).count() > 1 {
            return Err("two levels are \"other\"".into());
        }
        Ok(Self(levels))
    }
}

impl Level {
    fn parse(text: &str) -> Result<Self, String> {
        let mut level = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("{word:?} needs a value; expected {EXPECTED}"));
            match word {
                "other" => level.other = true,
                "min" => level.min_th = Some(Limit::parse(value()?)?),
                "max" => level.max_th = Some(Limit::parse(value()?)?),
                "prob" => level.max_p = Some(Probability::parse(value()?)?),
                "limit" => level.limit = Some(Limit::parse(value()?)?),
                "prio" => {
                    let text = value()?;
                    let prio = text.parse().map_err(|_| format!("prio is 0 to 255, not {text:?}"))?;
                    level.prio = Some(prio);
                }
                _ => level.codepoints.push(codepoint(word)?),
            }
        }
        if level.codepoints.is_empty() && !level.other {
            return Err(format!("a level needs a codepoint or \"other\"; expected {EXPECTED}"));
        }
        Ok(level)
    }

    pub(super) fn prio(&self) -> u8 {
        self.prio.unwrap_or(DEFAULT_PRIO)
    }

    fn shown(&self) -> String {
        let mut words: Vec<String> = self.codepoints.iter().map(|c| c.word()).collect();
        words.extend(self.other.then(|| "other".to_string()));
        let compact = |limit: Limit| limit.to_string().replace(' ', "");
        let mut put = |name: &str, value: Option<String>| words.extend(value.map(|v| format!("{name} {v}")));
        put("min", self.min_th.map(compact));
        put("max", self.max_th.map(compact));
        put("prob", self.max_p.map(|p| p.get().to_string()));
        put("limit", self.limit.map(compact));
        put("prio", self.prio.map(|p| p.to_string()));
        words.join(" ")
    }
}

fn codepoint(word: &str) -> Result<Dscp, String> {
    Dscp::from_word(word).map_err(|why| format!("{why}; expected {EXPECTED}"))
}

impl ParamType for Levels {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Self::parse(text),
            other => Err(format!("{} is not {EXPECTED}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.0.iter().map(Level::shown).collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_read_back_as_they_are_written() {
        for text in [
            "AF11 min 30packets max 60packets; AF12 AF13 2 min 20packets prob 0.1 prio 2; other max 30packets limit 1packet",
            "other min 15kB max 45kB limit 90kB",
            "CS0",
        ] {
            let levels = Levels::parse(text).unwrap();
            assert_eq!(levels.to_value(), Value::Text(text.into()));
            assert_eq!(Levels::from_value(&levels.to_value()), Ok(levels));
        }
        let levels = Levels::parse("ef 10 min 5p").unwrap();
        assert_eq!(levels.0[0].codepoints, [Dscp(46), Dscp(10)]);
        assert_eq!(levels.0[0].min_th, Some(Limit::Packets(5)));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "needs a codepoint"),
            ("min 5p", "needs a codepoint"),
            ("AF11 min", "needs a value"),
            ("AF11 min 5", "no unit"),
            ("AF99", "codepoint"),
            ("64", "codepoint"),
            ("AF11; 10", "AF11 is in two levels"),
            ("other; other", "two levels"),
            ("AF11 prio 300", "prio is 0 to 255"),
        ] {
            let why = Levels::parse(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
        let many = (0..17).map(|n| n.to_string()).collect::<Vec<_>>().join(";");
        assert!(Levels::parse(&many).unwrap_err().contains("at most 16"));
    }
}

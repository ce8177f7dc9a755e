//! Names, and selectors of several things at once: `g1`, `src[*]`, `src[3]`, `path[0..4]` (end exclusive).

use crate::declarations::unfit::UnfitValue;
use crate::declarations::values;
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::At;
use core::fmt;

/// Members of a counted host, router or link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// No brackets: the only one.
    Only,
    /// `[*]`.
    All,
    /// `[3]`.
    One(u64),
    /// `[0..4]`.
    Range(u64, u64),
}

/// A name and the members of it that are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) name: String,
    pub(crate) members: Members,
}

impl Selector {
    /// Reads the text of a selector.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some((name, rest)) = text.split_once('[') else {
            return name(text).map(|name| Self { name, members: Members::Only });
        };
        let name = self::name(name)?;
        let Some(inside) = rest.strip_suffix(']') else {
            return Err(format!("{text:?} has no closing bracket"));
        };
        let number = |digits: &str| {
            let digits = digits.trim();
            digits.parse::<u64>().map_err(|_| {
                format!("{digits:?} is not a position; write {name}[*], {name}[3] or {name}[0..4]")
            })
        };
        let members = if inside.trim() == "*" {
            Members::All
        } else if let Some((from, to)) = inside.split_once("..") {
            let (from, to) = (number(from)?, number(to)?);
            if from >= to {
                return Err(format!("the range {from}..{to} is empty (its end is exclusive)"));
            }
            Members::Range(from, to)
        } else {
            Members::One(number(inside)?)
        };
        Ok(Self { name, members })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.members {
            Members::Only => Ok(()),
            Members::All => f.write_str("[*]"),
            Members::One(i) => write!(f, "[{i}]"),
            Members::Range(from, to) => write!(f, "[{from}..{to}]"),
        }
    }
}

/// Selectors of hosts and routers in a declaration that could not be read: their names can still be checked.
pub(crate) type LooseSelectors = Vec<At<Selector>>;

/// Signs that a name may have beside letters, digits and single spaces between words: none that selectors, paths, lists and
/// conditions are made of.
const SIGNS: &str = "_-:/&+'";

/// A name: words of letters, digits and [`SIGNS`], with a space between two.
pub(crate) fn name(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("a name cannot be empty".into());
    }
    let is_allowed = |c: &char| c.is_alphanumeric() || SIGNS.contains(*c) || *c == ' ';
    if let Some(c) = text.chars().find(|c| !is_allowed(c)) {
        let signs: Vec<String> = SIGNS.chars().map(String::from).collect();
        let why = "a name is made of letters, digits, spaces between words and";
        return Err(format!("{why} {}; found {c:?}", signs.join(" ")));
    }
    if text.starts_with(' ') || text.ends_with(' ') || text.contains("  ") {
        return Err("a name has a space only between two words, and only one".into());
    }
    Ok(text.to_string())
}

/// For [`Reader::read`](crate::declarations::reader::Reader::read).
pub(crate) fn read_name(node: &Node) -> Result<String, UnfitValue> {
    values::text(node).and_then(|text| name(&text).map_err(UnfitValue::of(Code::BadName)))
}

/// For [`Reader::read`](crate::declarations::reader::Reader::read).
pub(crate) fn read_selector(node: &Node) -> Result<Selector, UnfitValue> {
    values::text(node).and_then(|text| selector(&text))
}

fn selector(text: &str) -> Result<Selector, UnfitValue> {
    Selector::parse(text).map_err(UnfitValue::of(Code::BadSelector))
}

/// Reads a selector where a link can also be named by its ends: `src[3]-g1` is then a name as a whole.
pub(crate) fn read_link_selector(node: &Node) -> Result<Selector, UnfitValue> {
    values::text(node).and_then(|text| link_selector(&text))
}

/// The selector that a text is, which may be the name of a link after its ends.
pub(crate) fn link_selector(text: &str) -> Result<Selector, UnfitValue> {
    match selector(text) {
        Err(_) if text.contains("]-") => Ok(Selector { name: text.to_string(), members: Members::Only }),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_read_back() {
        for text in
            ["g1", "src[*]", "src[3]", "path[0..4]", "New York", "St John's/2 & Co", "Österreich 1[*]"]
        {
            assert_eq!(Selector::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            " a",
            "a ",
            "a  b",
            "a\tb",
            "a,b",
            "a=b",
            "src[",
            "src[x]",
            "src[4..4]",
            "src[*]x",
            "a.b",
            "src[-1]",
            "[0]",
        ] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }
}

//! Names, and selectors of several things at once: `g1`, `src[*]`, `src[3]`, `path[0..4]` (end exclusive).

use crate::declarations::reader;
use crate::text::document::Node;
use core::fmt;

/// Which members of a counted thing are meant.
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

/// Consecutive members, as positions among all expanded things of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Picked {
    /// Position of the first.
    pub(crate) first: u64,
    /// How many.
    pub(crate) len: u64,
    /// Whether it stands for several (even where that is one): what is made from it is indexed.
    pub(crate) several: bool,
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

    /// The members among `count` (nothing for a thing that is not counted), which start at position `first`.
    pub(crate) fn pick(&self, first: u64, count: Option<u64>) -> Result<Picked, String> {
        let total = count.unwrap_or(1);
        let (from, len, several) = match self.members {
            Members::Only if total == 1 => (0, 1, false),
            Members::Only => {
                return Err(format!("there are {total} of {0}; write {0}[*] or {0}[0]", self.name));
            }
            Members::All => (0, total, true),
            Members::One(i) => (i, 1, false),
            Members::Range(from, to) => (from, to - from, true),
        };
        if from.checked_add(len).is_none_or(|end| end > total) {
            let last = total.saturating_sub(1);
            return Err(format!(
                "{self} is out of range; the last of {} is {}[{last}]",
                self.name, self.name
            ));
        }
        Ok(Picked { first: first + from, len, several })
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

/// A name: letters, digits, `_`, `-`, `:` and `/`, and nothing that selectors and paths are made of.
pub(crate) fn name(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("a name cannot be empty".into());
    }
    if let Some(c) = text.chars().find(|c| !(c.is_alphanumeric() || "_-:/".contains(*c))) {
        return Err(format!("a name is made of letters, digits, _ and -; found {c:?}"));
    }
    Ok(text.to_string())
}

/// For [`reader::Reader::read`].
pub(crate) fn read_name(node: &Node) -> Result<String, String> {
    reader::text(node).and_then(|text| name(&text))
}

/// For [`reader::Reader::read`].
pub(crate) fn read_selector(node: &Node) -> Result<Selector, String> {
    reader::text(node).and_then(|text| Selector::parse(&text))
}

/// As [`read_selector`], for places that also take a link by its ends: `src[3]-g1` is then a name as a whole.
pub(crate) fn read_link_selector(node: &Node) -> Result<Selector, String> {
    let text = reader::text(node)?;
    match Selector::parse(&text) {
        Err(_) if text.contains("]-") => Ok(Selector { name: text, members: Members::Only }),
        other => other,
    }
}

/// Pairs of positions: as many as on the other side, or one on either side.
pub(crate) fn pairs(a: Picked, b: Picked) -> Option<u64> {
    match (a.len, b.len) {
        (1, n) | (n, 1) => Some(n),
        (n, m) if n == m => Some(n),
        _ => None,
    }
}

/// The `i`-th pair of [`pairs`].
pub(crate) fn pair(a: Picked, b: Picked, i: u64) -> (u64, u64) {
    let at = |p: Picked| p.first + if p.len == 1 { 0 } else { i };
    (at(a), at(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_read_back() {
        for text in ["g1", "src[*]", "src[3]", "path[0..4]"] {
            assert_eq!(Selector::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "a b", "src[", "src[x]", "src[4..4]", "src[*]x", "a.b", "src[-1]", "[0]"] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn members_are_counted_from_the_first() {
        let pick = |text: &str| Selector::parse(text).unwrap().pick(10, Some(4));
        assert_eq!(pick("s[*]"), Ok(Picked { first: 10, len: 4, several: true }));
        assert_eq!(pick("s[1..3]"), Ok(Picked { first: 11, len: 2, several: true }));
        assert_eq!(pick("s[3]"), Ok(Picked { first: 13, len: 1, several: false }));
        assert!(pick("s[4]").unwrap_err().contains("s[3]"));
        assert!(pick("s[18446744073709551615]").is_err());
        assert!(pick("s").unwrap_err().contains("s[*]"));
    }

    #[test]
    fn sides_pair_one_to_one_or_one_to_many() {
        let side = |first, len| Picked { first, len, several: true };
        assert_eq!(pairs(side(0, 3), side(5, 3)), Some(3));
        assert_eq!(pairs(side(0, 3), side(5, 1)), Some(3));
        assert_eq!(pairs(side(0, 3), side(5, 2)), None);
        assert_eq!(pair(side(0, 3), side(5, 1), 2), (2, 5));
        assert_eq!(pair(side(0, 3), side(5, 3), 2), (2, 7));
    }
}

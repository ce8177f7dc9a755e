//! Positions that selectors stand for.

use crate::declarations::names::{Members, Selector};

/// Consecutive members, as positions among all expanded things of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Picked {
    /// Position of the first.
    pub(crate) first: u64,
    /// Number of them.
    pub(crate) len: u64,
    /// Whether it stands for several (even where that is one): what is made from it is indexed.
    pub(crate) several: bool,
}

impl Picked {
    /// The members that a selector means among `count` (nothing for a thing that is not counted), which start at position
    /// `first`.
    pub(crate) fn of(selector: &Selector, first: u64, count: Option<u64>) -> Result<Self, String> {
        let total = count.unwrap_or(1);
        let (from, len, several) = match selector.members {
            Members::Only if total == 1 => (0, 1, false),
            Members::Only => {
                return Err(format!("there are {total} of {0}; write {0}[*] or {0}[0]", selector.name));
            }
            Members::All => (0, total, true),
            Members::One(i) => (i, 1, false),
            Members::Range(from, to) => (from, to - from, true),
        };
        if from.checked_add(len).is_none_or(|end| end > total) {
            let last = total.saturating_sub(1);
            return Err(format!(
                "{selector} is out of range; the last of {} is {}[{last}]",
                selector.name, selector.name
            ));
        }
        Ok(Self { first: first + from, len, several })
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

/// Whether some pair of [`pairs`] would be of one node with itself.
pub(crate) fn meet(a: Picked, b: Picked) -> bool {
    let within = |one: Picked, many: Picked| (many.first..many.first + many.len).contains(&one.first);
    match (a.len, b.len) {
        (1, _) => within(a, b),
        (_, 1) => within(b, a),
        _ => a.first == b.first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_counted_from_the_first() {
        let pick = |text: &str| Picked::of(&Selector::parse(text).unwrap(), 10, Some(4));
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

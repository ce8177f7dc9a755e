//! What a fair queue orders flows by.

/// A tag, and what decides between equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u128);

/// The sign of a float's bits.
const SIGN: u64 = 1 << 63;

impl Key {
    /// Both parts in one number of the same order, since heaps compare many times what is made once.
    #[inline]
    pub(super) fn new(tag: f64, tie: u64) -> Self {
        let bits = tag.to_bits();
        // As in `f64::total_cmp`: negative numbers come first, the larger ones before the smaller.
        let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
        Self(u128::from(ordered) << 64 | u128::from(tie))
    }

    /// The tag.
    #[inline]
    pub(super) fn tag(self) -> f64 {
        let ordered = (self.0 >> 64) as u64;
        f64::from_bits(if ordered & SIGN == 0 { !ordered } else { ordered & !SIGN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_tags_and_then_of_ties(
            a in any::<f64>(), b in any::<f64>(), ties in any::<(u64, u64)>(), same in any::<bool>(),
        ) {
            let b = if same { a } else { b };
            let expected = a.total_cmp(&b).then(ties.0.cmp(&ties.1));
            prop_assert_eq!(Key::new(a, ties.0).cmp(&Key::new(b, ties.1)), expected);
            prop_assert_eq!(Key::new(a, ties.0).tag().to_bits(), a.to_bits());
        }
    }
}

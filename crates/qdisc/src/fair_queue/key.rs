//! Keys by which a fair queue orders flows.

/// A tag, which is not negative, and what decides between equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u128);

impl Key {
    pub(super) const LEAST: Self = Self(0);

    /// Both parts in one number of the same order, since heaps compare many times what is made once: of floats that are
    /// not negative the bits are in the order of the values.
    #[inline]
    pub(super) fn new(tag: f64, tie: u64) -> Self {
        debug_assert!(tag.is_sign_positive(), "tags are sums of sizes over weights");
        Self(u128::from(tag.to_bits()) << 64 | u128::from(tie))
    }

    /// The tag.
    #[inline]
    pub(super) fn tag(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64)
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
            let (a, b) = (a.abs(), if same { a } else { b }.abs());
            let expected = a.total_cmp(&b).then(ties.0.cmp(&ties.1));
            prop_assert_eq!(Key::new(a, ties.0).cmp(&Key::new(b, ties.1)), expected);
            prop_assert_eq!(Key::new(a, ties.0).tag().to_bits(), a.to_bits());
        }
    }
}

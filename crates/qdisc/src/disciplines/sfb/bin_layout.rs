//! The bins of a flow, one at each level.

use super::hash::BinHash;

/// Layout of bins: level after level in one row.
#[derive(Clone, Copy, Debug)]
pub(super) enum BinLayout {
    /// Linux's eight levels of 16 bins. Apart, because of loops with these bounds nothing but their bodies is left.
    Linux,
    /// Any other; so many levels follow from one hash.
    Salted { levels: u32, bins: u32, digits: u32 },
    /// Layout of the LANL port.
    Lanl { levels: u32, bins: u32 },
}

impl BinLayout {
    pub(super) const fn new(hash: BinHash, levels: u32, bins: u32) -> Self {
        match (hash, levels, bins) {
            (BinHash::Lanl, levels, bins) => Self::Lanl { levels, bins },
            (BinHash::Salted, 8, 16) => Self::Linux,
            (BinHash::Salted, levels, bins) => Self::Salted { levels, bins, digits: BinHash::digits(bins) },
        }
    }

    /// Visits the bins of a flow with `hash`, with their places in the row.
    #[inline(always)]
    pub(super) fn each<T>(self, row: &mut [T], hash: u64, mut visit: impl FnMut(usize, &mut T)) {
        self.all(row, hash, |place, bin| {
            visit(place, bin);
            true
        });
    }

    /// Variant of [`BinLayout::each`], while `visit` agrees; whether it always did. In line, so that what visits sum
    /// up stays in registers.
    #[inline(always)]
    pub(super) fn all<T>(
        self,
        row: &mut [T],
        hash: u64,
        mut visit: impl FnMut(usize, &mut T) -> bool,
    ) -> bool {
        let mut visit = |row: &mut [T], place: usize| visit(place, &mut row[place]);
        match self {
            Self::Linux => {
                let row = &mut row[..8 * 16];
                all_digits(hash, 8, 16, |place| visit(row, place))
            }
            Self::Salted { levels, bins, digits } => (0..levels.div_ceil(digits)).all(|group| {
                let level = group * digits;
                let (hash, levels) = (BinHash::salted_at(hash, level), digits.min(levels - level));
                all_digits(hash, levels, bins, |place| visit(row, (level * bins) as usize + place))
            }),
            Self::Lanl { levels, bins } => (0..levels)
                .all(|level| visit(row, (level * bins + BinHash::lanl_bin(hash, level, bins)) as usize)),
        }
    }
}

/// The places of as many levels as there are: the first digits of `hash` to the base `bins`, one a level.
#[inline(always)]
fn all_digits(hash: u64, levels: u32, bins: u32, mut visit: impl FnMut(usize) -> bool) -> bool {
    let mut rest = hash;
    (0..levels).all(|level| {
        let (bin, next) = BinHash::next_digit(rest, bins);
        rest = next;
        visit((level * bins) as usize + bin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn linux_s_shape_is_that_of_eight_levels_of_16_bins(hash in any::<u64>(), stop in 0u32..10) {
            let walk = |shape: BinLayout| {
                let (mut row, mut left) = ([0; 128], stop);
                let all = shape.all(&mut row, hash, |place, bin| {
                    *bin = place + 1;
                    left = left.saturating_sub(1);
                    left > 0
                });
                (row, all)
            };
            let linux = walk(BinLayout::Linux);
            prop_assert_eq!(linux, walk(BinLayout::Salted { levels: 8, bins: 16, digits: 12 }));
            // The first one is visited in any case.
            let visited = linux.0.iter().filter(|bin| **bin > 0).count();
            prop_assert_eq!((visited as u32, linux.1), (stop.clamp(1, 8), stop > 8));
        }
    }
}

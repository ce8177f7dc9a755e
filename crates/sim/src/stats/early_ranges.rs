//! Received but undelivered ranges at the start of a window.
//!
//! Goodput of a window counts bytes that arrived in it. Ranges that were in the out-of-order queue when the window began
//! arrived earlier, so their delivery is subtracted.

use crate::ground::scope::{PerScope, Scope};

/// Disjoint ranges of a stream, in ascending order.
pub(crate) type ByteRanges = Vec<(u64, u64)>;

/// Ranges in the out-of-order queue of a socket when each scope began. Unallocated for sockets that never had any.
#[derive(Debug, Default)]
pub(crate) struct EarlyRanges(Option<Box<PerScope<ByteRanges>>>);

impl EarlyRanges {
    pub(crate) fn set(&mut self, scope: Scope, ranges: ByteRanges) {
        if self.0.is_some() || !ranges.is_empty() {
            self.0.get_or_insert_default()[scope] = ranges;
        }
    }

    pub(crate) fn of(&self, scope: Scope) -> &[(u64, u64)] {
        self.0.as_ref().map_or(&[], |early| &early[scope])
    }

    /// Bytes of these ranges below `received`, the length of the in-order stream: delivered since the scope began.
    pub(crate) fn delivered(&self, scope: Scope, received: u64) -> u64 {
        overlap(self.of(scope), &[(0, received)])
    }

    /// Bytes of `waiting` that arrived after the scope began.
    pub(crate) fn arrived_since(&self, scope: Scope, waiting: &[(u64, u64)]) -> u64 {
        length(waiting) - overlap(self.of(scope), waiting)
    }
}

fn length(ranges: &[(u64, u64)]) -> u64 {
    ranges.iter().map(|r| r.1 - r.0).sum()
}

/// Length of the intersection of two lists of disjoint, ascending ranges.
fn overlap(one: &[(u64, u64)], other: &[(u64, u64)]) -> u64 {
    let (mut i, mut j, mut sum) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        sum += a.1.min(b.1).saturating_sub(a.0.max(b.0));
        if a.1 <= b.1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlap_of_disjoint_ranges_counts_each_byte_once() {
        let one = [(0, 10), (20, 30), (40, 41)];
        assert_eq!((length(&one), overlap(&one, &one), overlap(&one, &[])), (21, 21, 0));
        assert_eq!(overlap(&one, &[(5, 25), (29, 100)]), 5 + 5 + 1 + 1);
        assert_eq!(overlap(&[(0, 100)], &one), 21);
    }
}

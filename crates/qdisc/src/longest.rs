//! The longest flow of many: found in O(log n) while the buffer overflows, at no cost while it does not.
//!
//! The first overflow looks at all flows and brings them in order; that is kept up to date while overflows follow one
//! another, and given up when none came for as many changes as there were flows: so it never costs more than a few times
//! what looking at all flows would, and under a flood next to nothing.

use crate::heap::Heap;

/// Flows that hold packets, by a key that puts the longest first.
#[derive(Debug)]
pub(crate) struct Longest<K> {
    heap: Heap<(K, u32)>,
    /// Changes until the order is given up; zero: there is none.
    kept: u32,
}

impl<K: Copy + Ord> Longest<K> {
    pub(crate) const fn new() -> Self {
        Self { heap: Heap::new(), kept: 0 }
    }

    /// The flow with the least key, of several the first; `keys` are those of all flows, `None` of those that hold nothing.
    pub(crate) fn first(&mut self, keys: impl ExactSizeIterator<Item = Option<K>>) -> Option<u32> {
        let flows = keys.len() as u32;
        if self.kept == 0 {
            self.heap.clear();
            keys.zip(0..).for_each(|(key, flow)| self.put(flow, key));
        }
        self.kept = flows;
        self.heap.first().map(|(_, flow)| flow)
    }

    /// Whether changes must be told.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        self.kept > 0
    }

    /// `flow` has changed: its key now, `None` if it holds nothing.
    pub(crate) fn changed(&mut self, flow: u32, key: Option<K>) {
        self.kept = self.kept.saturating_sub(1);
        self.put(flow, key);
    }

    fn put(&mut self, flow: u32, key: Option<K>) {
        match key {
            Some(key) => self.heap.set(flow, (key, flow)),
            None => self.heap.remove(flow),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cmp::Reverse;
    use proptest::prelude::*;

    proptest! {
        /// Against the plain search, with overflows close together and far apart.
        #[test]
        fn it_is_the_one_that_a_look_at_all_finds(
            steps in prop::collection::vec((0usize..12, 0u64..5, 0u32..40), 1..400),
        ) {
            let (mut longest, mut lengths) = (Longest::new(), [0u64; 12]);
            let key = |length: &u64| (*length > 0).then_some(Reverse(*length));
            for (flow, length, overflows) in steps {
                lengths[flow] = length;
                if longest.is_kept() {
                    longest.changed(flow as u32, key(&length));
                }
                if overflows == 0 {
                    let most = lengths.iter().copied().max().filter(|most| *most > 0);
                    let plain = most.and_then(|most| lengths.iter().position(|length| *length == most));
                    let found = longest.first(lengths.iter().map(key)).map(|flow| flow as usize);
                    prop_assert_eq!(found, plain);
                }
            }
        }
    }
}

//! Flows in line by keys that mostly come in order: a run of those that did, and a heap of the others.
//!
//! A virtual clock gives most newcomers a larger key than everybody before them, and the first leaves first. Such a flow is
//! appended to the run, a list, and taken from its front, which costs a tenth of a heap's way. Which flow is the first does
//! not depend on where each of them is.

use super::flows::Flow;
use super::key::Key;
use super::place::{OUT, Place};
use crate::heap::Heap;
use crate::packet_lists::NONE;

/// Flows that hold packets, by the key of their heads.
pub(super) type Heads = Line<0>;
/// Flows whose last tag is ahead of the clock, by that tag.
pub(super) type Ahead = Line<1>;

/// Line `N` of flows, the one with the least key first. No two have the same key. Their places lie in the flows, so that
/// who has found a flow has found these, too.
#[derive(Debug)]
pub(super) struct Line<const N: usize> {
    /// The ends of the run, in which keys rise.
    first: u32,
    last: u32,
    /// Flows that came out of order.
    heap: Heap<Key>,
}

impl<const N: usize> Line<N> {
    pub(super) const fn new() -> Self {
        Self { first: NONE, last: NONE, heap: Heap::new() }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first == NONE && self.heap.len() == 0
    }

    /// The flow with the least key, and that.
    #[inline]
    pub(super) fn first(&self, flows: &[Flow]) -> Option<(u32, Key)> {
        let first = if self.heap.len() == 0 { self.first } else { self.first_of_both(flows) };
        flows.get(first as usize).map(|flow| (first, flow.places[N].key))
    }

    #[inline(never)]
    fn first_of_both(&self, flows: &[Flow]) -> u32 {
        match (flows.get(self.first as usize), self.heap.first()) {
            (Some(flow), Some((key, _))) if flow.places[N].key < key => self.first,
            (_, Some((_, index))) => index,
            (_, None) => self.first,
        }
    }

    /// All flows, in no particular order.
    pub(super) fn indices<'a>(&'a self, flows: &'a [Flow]) -> impl Iterator<Item = u32> + 'a {
        let run = core::iter::successors(Some(self.first), |index| {
            flows.get(*index as usize).map(|flow| flow.places[N].after)
        });
        run.take_while(|index| *index != NONE).chain(self.heap.indices())
    }

    /// Inserts flow `index`, or changes its key.
    #[inline]
    pub(super) fn set(&mut self, flows: &mut [Flow], index: u32, key: Key) {
        let is_out = flows[index as usize].places[N].before == OUT;
        if is_out && self.heap.len() == 0 && self.follows_run(flows, key) {
            self.append(flows, index, key);
        } else {
            self.change(flows, index, key);
        }
    }

    /// Variant of [`Line::set`], wherever the flow is and belongs.
    #[inline(never)]
    fn change(&mut self, flows: &mut [Flow], index: u32, key: Key) {
        let place = &mut flows[index as usize].places[N];
        if place.before != OUT {
            if index == self.last && place.key <= key {
                place.key = key;
                return;
            }
            self.leave_run(flows, index);
        }
        if self.last == NONE || self.follows_run(flows, key) {
            self.heap.remove(index);
            self.append(flows, index, key);
        } else {
            flows[index as usize].places[N].key = key;
            self.heap.set(index, key);
        }
    }

    /// Whether one with `key` comes behind the last of the run.
    #[inline]
    fn follows_run(&self, flows: &[Flow], key: Key) -> bool {
        flows.get(self.last as usize).is_some_and(|last| last.places[N].key <= key)
    }

    #[inline]
    fn append(&mut self, flows: &mut [Flow], index: u32, key: Key) {
        flows[index as usize].places[N] = Place { key, before: self.last, after: NONE };
        match flows.get_mut(self.last as usize) {
            Some(last) => last.places[N].after = index,
            None => self.first = index,
        }
        self.last = index;
    }

    /// Takes flow `index` out, if it is in.
    #[inline]
    pub(super) fn remove(&mut self, flows: &mut [Flow], index: u32) {
        if flows[index as usize].places[N].before == OUT {
            self.heap.remove(index);
        } else {
            self.leave_run(flows, index);
        }
    }

    /// Takes flow `index` out of the run.
    #[inline]
    fn leave_run(&mut self, flows: &mut [Flow], index: u32) {
        let Place { before, after, .. } = flows[index as usize].places[N];
        flows[index as usize].places[N].before = OUT;
        match flows.get_mut(before as usize) {
            Some(flow) => flow.places[N].after = after,
            None => self.first = after,
        }
        match flows.get_mut(after as usize) {
            Some(flow) => flow.places[N].before = before,
            None => self.last = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Keys rise with the steps, but for some that fall back.
        #[test]
        fn the_first_is_the_one_with_the_least_key_wherever_it_is(
            steps in prop::collection::vec((0u32..20, prop::option::of(0u64..3), 0u32..3), 1..600),
        ) {
            let mut flows = vec![Flow::new((0, 0), 1.0); 20];
            let (mut line, mut plain) = (Heads::new(), BTreeMap::new());
            for (step, (flow, back, leaves)) in steps.into_iter().enumerate() {
                match back {
                    Some(back) => {
                        let key = Key::new((step as u64 + 30).saturating_sub(back * 10) as f64, u64::from(flow));
                        line.set(&mut flows, flow, key);
                        plain.insert(flow, key);
                    }
                    None => {
                        line.remove(&mut flows, flow);
                        plain.remove(&flow);
                    }
                }
                for _ in 0..leaves {
                    let least = plain.iter().map(|(flow, key)| (*flow, *key)).min_by_key(|(_, key)| *key);
                    prop_assert_eq!(line.first(&flows), least);
                    if let Some((flow, _)) = least {
                        line.remove(&mut flows, flow);
                        plain.remove(&flow);
                    }
                }
                prop_assert_eq!(line.is_empty(), plain.is_empty());
                let mut all: Vec<u32> = line.indices(&flows).collect();
                all.sort_unstable();
                prop_assert!(all.into_iter().eq(plain.keys().copied()));
            }
        }
    }
}

//! Flows in line by keys that mostly come in order: a run of those that did, and a heap of the others.
//!
//! A virtual clock gives most newcomers a larger key than everybody before them, and the first leaves first. Such a flow is
//! appended to the run, a list, and taken from its front, which costs a tenth of a heap's way. Which flow is the first does
//! not depend on where each of them is.

use crate::flow_queue::store::NONE;
use crate::heap::Heap;

/// Flows by key, the least first. No two have the same key.
#[derive(Debug)]
pub(crate) struct Line<K> {
    /// Of each flow that has ever been in.
    places: Vec<Place<K>>,
    /// The ends of the run, in which keys rise.
    first: u32,
    last: u32,
    in_run: u32,
    /// Those that came out of order.
    heap: Heap<K>,
}

/// A flow's key, wherever it is, and its neighbours in the run.
#[derive(Clone, Copy, Debug)]
struct Place<K> {
    key: K,
    /// [`OUT`] if it is not there.
    before: u32,
    after: u32,
}

/// No flow either, and no end.
const OUT: u32 = NONE - 1;

impl<K: Copy + Ord> Line<K> {
    pub(crate) const fn new() -> Self {
        Self { places: Vec::new(), first: NONE, last: NONE, in_run: 0, heap: Heap::new() }
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.in_run + self.heap.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The flow with the least key.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        let first = if self.heap.len() == 0 { self.first } else { self.first_of_both() };
        (first != NONE).then_some(first)
    }

    #[inline(never)]
    fn first_of_both(&self) -> u32 {
        match self.heap.first() {
            Some((key, flow)) if self.first == NONE || key < self.key(self.first) => flow,
            _ => self.first,
        }
    }

    /// The key of `flow`, which is in.
    #[inline]
    pub(crate) fn key(&self, flow: u32) -> K {
        self.places[flow as usize].key
    }

    /// All flows, in no particular order.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        let next = |flow: &u32| self.places.get(*flow as usize).map(|place| place.after);
        core::iter::successors(Some(self.first), next).filter(|flow| *flow != NONE).chain(self.heap.indices())
    }

    /// Inserts `flow`, or changes its key.
    #[inline]
    pub(crate) fn set(&mut self, flow: u32, key: K) {
        let is_out = self.places.get(flow as usize).is_some_and(|place| place.before == OUT);
        if is_out && self.heap.len() == 0 && self.follows_run(key) {
            self.append(flow, key);
        } else {
            self.change(flow, key);
        }
    }

    /// As [`Line::set`], wherever `flow` is and belongs.
    #[inline(never)]
    fn change(&mut self, flow: u32, key: K) {
        if self.places.len() <= flow as usize {
            self.places.resize(flow as usize + 1, Place { key, before: OUT, after: OUT });
        }
        let place = &mut self.places[flow as usize];
        if place.before != OUT {
            if flow == self.last && place.key <= key {
                place.key = key;
                return;
            }
            self.leave_run(flow);
        }
        if self.last == NONE || self.follows_run(key) {
            self.heap.remove(flow);
            self.append(flow, key);
        } else {
            self.places[flow as usize].key = key;
            self.heap.set(flow, key);
        }
    }

    /// Whether one with `key` comes behind the last of the run.
    #[inline]
    fn follows_run(&self, key: K) -> bool {
        self.places.get(self.last as usize).is_some_and(|last| last.key <= key)
    }

    #[inline]
    fn append(&mut self, flow: u32, key: K) {
        self.places[flow as usize] = Place { key, before: self.last, after: NONE };
        match self.places.get_mut(self.last as usize) {
            Some(last) => last.after = flow,
            None => self.first = flow,
        }
        self.last = flow;
        self.in_run += 1;
    }

    /// Takes `flow` out, if it is in.
    #[inline]
    pub(crate) fn remove(&mut self, flow: u32) {
        match self.places.get(flow as usize) {
            Some(place) if place.before != OUT => self.leave_run(flow),
            _ => self.heap.remove(flow),
        }
    }

    /// Takes `flow` out of the run.
    #[inline]
    fn leave_run(&mut self, flow: u32) {
        let Place { before, after, .. } = self.places[flow as usize];
        self.places[flow as usize].before = OUT;
        match self.places.get_mut(before as usize) {
            Some(place) => place.after = after,
            None => self.first = after,
        }
        match self.places.get_mut(after as usize) {
            Some(place) => place.before = before,
            None => self.last = before,
        }
        self.in_run -= 1;
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
            let (mut line, mut plain) = (Line::new(), BTreeMap::new());
            for (step, (flow, back, leaves)) in steps.into_iter().enumerate() {
                match back {
                    Some(back) => {
                        let key = (step as u64 + 30).saturating_sub(back * 10);
                        line.set(flow, (key, flow));
                        plain.insert(flow, key);
                    }
                    None => {
                        line.remove(flow);
                        plain.remove(&flow);
                    }
                }
                for _ in 0..leaves {
                    let least = plain.iter().map(|(flow, key)| (*key, *flow)).min();
                    prop_assert_eq!(line.first().map(|flow| line.key(flow)), least);
                    if let Some((_, flow)) = least {
                        line.remove(flow);
                        plain.remove(&flow);
                    }
                }
                prop_assert_eq!((line.len() as usize, line.is_empty()), (plain.len(), plain.is_empty()));
                let mut all: Vec<u32> = line.indices().collect();
                all.sort_unstable();
                prop_assert!(all.into_iter().eq(plain.keys().copied()));
            }
        }
    }
}

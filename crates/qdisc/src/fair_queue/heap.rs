//! A binary heap of flows whose keys change: each flow knows its place.

use crate::flow_queue::store::NONE;
use core::cmp::Ordering;

/// A tag, and what decides between equal ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key(pub(super) f64, pub(super) u64);

impl Key {
    #[inline]
    fn before(self, other: Self) -> bool {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1)) == Ordering::Less
    }
}

/// Flows by key, the least first.
#[derive(Debug)]
pub(super) struct Heap {
    entries: Vec<(Key, u32)>,
    /// Where each flow is in `entries`.
    places: Vec<u32>,
}

impl Heap {
    pub(super) const fn new() -> Self {
        Self { entries: Vec::new(), places: Vec::new() }
    }

    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[inline]
    pub(super) fn contains(&self, flow: u32) -> bool {
        self.places.get(flow as usize).is_some_and(|place| *place != NONE)
    }

    /// The flow with the least key.
    #[inline]
    pub(super) fn first(&self) -> Option<(Key, u32)> {
        self.entries.first().copied()
    }

    /// All flows, in no particular order.
    pub(super) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().map(|(_, flow)| *flow)
    }

    /// Inserts `flow`, or changes its key.
    #[inline]
    pub(super) fn set(&mut self, flow: u32, key: Key) {
        if self.places.len() <= flow as usize {
            self.places.resize(flow as usize + 1, NONE);
        }
        let place = match self.places[flow as usize] {
            NONE => {
                self.entries.push((key, flow));
                self.entries.len() - 1
            }
            place => {
                self.entries[place as usize].0 = key;
                place as usize
            }
        };
        self.settle(place);
    }

    /// Takes `flow` out, if it is in.
    #[inline]
    pub(super) fn remove(&mut self, flow: u32) {
        let Some(place) = self.places.get_mut(flow as usize) else { return };
        let place = core::mem::replace(place, NONE);
        if place == NONE {
            return;
        }
        self.entries.swap_remove(place as usize);
        if (place as usize) < self.entries.len() {
            self.settle(place as usize);
        }
    }

    /// Moves the entry at `place` up or down to where its key belongs.
    #[inline]
    fn settle(&mut self, mut place: usize) {
        let entry = self.entries[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if !entry.0.before(self.entries[parent].0) {
                break;
            }
            self.put(place, self.entries[parent]);
            place = parent;
        }
        loop {
            let mut child = 2 * place + 1;
            if child >= self.entries.len() {
                break;
            }
            if child + 1 < self.entries.len() && self.entries[child + 1].0.before(self.entries[child].0) {
                child += 1;
            }
            if !self.entries[child].0.before(entry.0) {
                break;
            }
            self.put(place, self.entries[child]);
            place = child;
        }
        self.put(place, entry);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: (Key, u32)) {
        self.entries[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn the_first_is_always_the_least(
            steps in prop::collection::vec((0u32..20, prop::option::of(0u32..9)), 1..300),
        ) {
            let (mut heap, mut plain) = (Heap::new(), BTreeMap::new());
            for (flow, key) in steps {
                match key {
                    Some(key) => {
                        heap.set(flow, Key(f64::from(key), u64::from(flow)));
                        plain.insert(flow, key);
                    }
                    None => {
                        heap.remove(flow);
                        plain.remove(&flow);
                    }
                }
                let least = plain.iter().map(|(flow, key)| (*key, *flow)).min();
                prop_assert_eq!(heap.first().map(|(_, flow)| flow), least.map(|(_, flow)| flow));
                prop_assert_eq!(heap.len() as usize, plain.len());
                prop_assert!((0..20).all(|flow| heap.contains(flow) == plain.contains_key(&flow)));
                let mut all: Vec<u32> = heap.indices().collect();
                all.sort_unstable();
                prop_assert!(all.into_iter().eq(plain.keys().copied()));
            }
        }
    }
}

//! A binary heap of flows whose keys change: each flow knows its place.

use crate::packet_lists::NONE;

/// Flows by key, the least first. No two have the same key.
#[derive(Debug)]
pub(crate) struct Heap<K> {
    entries: Vec<(K, u32)>,
    /// Where each flow is in `entries`.
    places: Vec<u32>,
}

impl<K: Copy + Ord> Heap<K> {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), places: Vec::new() }
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// The flow with the least key.
    #[inline]
    pub(crate) fn first(&self) -> Option<(K, u32)> {
        self.entries.first().copied()
    }

    /// All flows, in no particular order.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().map(|(_, flow)| *flow)
    }

    /// Takes all flows out.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.places.fill(NONE);
    }

    /// Inserts `flow`, or changes its key.
    #[inline(never)]
    pub(crate) fn set(&mut self, flow: u32, key: K) {
        if self.places.len() <= flow as usize {
            self.places.resize(flow as usize + 1, NONE);
        }
        let entry = (key, flow);
        match self.places[flow as usize] {
            NONE => {
                self.entries.push(entry);
                self.rise(self.entries.len() - 1, entry);
            }
            place => {
                let place = if self.entries[place as usize].0 < key {
                    self.sink(place as usize)
                } else {
                    place as usize
                };
                self.rise(place, entry);
            }
        }
    }

    /// Takes `flow` out, if it is in.
    #[inline(never)]
    pub(crate) fn remove(&mut self, flow: u32) {
        let Some(place) = self.places.get_mut(flow as usize) else { return };
        let place = core::mem::replace(place, NONE) as usize;
        if place == NONE as usize {
            return;
        }
        let last = self.entries.len() - 1;
        let entry = self.entries[last];
        self.entries.truncate(last);
        if place < last {
            let place = self.sink(place);
            self.rise(place, entry);
        }
    }

    /// Moves the gap at `place` down to a leaf, always past the lesser child: what fills it mostly belongs there, and half
    /// of the comparisons are saved.
    #[inline]
    fn sink(&mut self, mut place: usize) -> usize {
        loop {
            let mut child = 2 * place + 1;
            let Some(left) = self.entries.get(child) else { return place };
            if let Some(right) = self.entries.get(child + 1) {
                child += usize::from(right.0 < left.0);
            }
            self.put(place, self.entries[child]);
            place = child;
        }
    }

    /// Puts `entry` into the gap at `place`, or above it where its key belongs.
    #[inline]
    fn rise(&mut self, mut place: usize, entry: (K, u32)) {
        while place > 0 {
            let parent = self.entries[(place - 1) / 2];
            if parent.0 < entry.0 {
                break;
            }
            self.put(place, parent);
            place = (place - 1) / 2;
        }
        self.put(place, entry);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: (K, u32)) {
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
                        heap.set(flow, (key, flow));
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
                let mut all: Vec<u32> = heap.indices().collect();
                all.sort_unstable();
                prop_assert!(all.into_iter().eq(plain.keys().copied()));
            }
        }
    }
}

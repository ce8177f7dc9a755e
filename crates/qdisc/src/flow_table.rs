//! A bounded table of flows for disciplines that keep something about each flow they know.
//!
//! Entries lie densely in one vector, found through hash chains, so walking over all of them is cheap and their order
//! is the same in every run. What happens when the table is full is its user's to say.

use crate::classifier::salted;
use crate::flow_hash::scale;
use tailrace_core::{FlowKey, Rng};

/// The end of a chain.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Entry<T> {
    key: FlowKey,
    /// The next in its chain.
    next: u32,
    value: T,
}

/// At most `most` flows, each with a `T`.
#[derive(Clone, Debug)]
pub(crate) struct FlowTable<T> {
    entries: Vec<Entry<T>>,
    chains: Vec<u32>,
    most: u32,
    /// Drawn with the first packet, so that who knows the code does not know the chains.
    salt: Option<u64>,
}

impl<T> FlowTable<T> {
    pub(crate) fn new(most: u32) -> Self {
        Self { entries: Vec::new(), chains: vec![NONE; 64], most, salt: None }
    }

    /// Draws the salt, unless it has been drawn. Must precede the first look-up.
    #[inline]
    pub(crate) fn draw_salt(&mut self, rng: &mut Rng) {
        self.salt.get_or_insert_with(|| rng.next_u64());
    }

    #[inline]
    fn chain(&self, key: FlowKey) -> usize {
        debug_assert!(self.salt.is_some(), "the salt is drawn first");
        scale(salted(key, self.salt.unwrap_or_default()), self.chains.len() as u32) as usize
    }

    #[inline]
    fn position(&self, key: FlowKey) -> Option<usize> {
        let mut at = self.chains[self.chain(key)];
        while let Some(entry) = self.entries.get(at as usize) {
            if entry.key == key {
                return Some(at as usize);
            }
            at = entry.next;
        }
        None
    }

    /// Entry of `key`.
    #[cfg(test)]
    pub(crate) fn get(&self, key: FlowKey) -> Option<&T> {
        self.position(key).map(|at| &self.entries[at].value)
    }

    /// Entry of `key`, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: FlowKey) -> Option<&mut T> {
        self.position(key).map(|at| &mut self.entries[at].value)
    }

    /// The place of `key`, which is there with `value` if it was not before; `None` where the table is full.
    pub(crate) fn place_or_insert(&mut self, key: FlowKey, value: T) -> Option<usize> {
        if let Some(at) = self.position(key) {
            return Some(at);
        }
        if self.entries.len() >= self.most as usize {
            return None;
        }
        if self.entries.len() >= self.chains.len() {
            self.grow();
        }
        let chain = self.chain(key);
        self.entries.push(Entry { key, next: self.chains[chain], value });
        self.chains[chain] = self.entries.len() as u32 - 1;
        Some(self.entries.len() - 1)
    }

    /// The flow at place `at` of [`FlowTable::iter`]. Places hold until flows are forgotten.
    #[inline]
    pub(crate) fn at_mut(&mut self, at: usize) -> &mut T {
        &mut self.entries[at].value
    }

    /// Variant of [`FlowTable::at_mut`], with the flow's key.
    #[inline]
    pub(crate) fn entry_mut(&mut self, at: usize) -> (FlowKey, &mut T) {
        let entry = &mut self.entries[at];
        (entry.key, &mut entry.value)
    }

    /// Flows in the table.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// All flows, in an order that depends on nothing but what was done to the table.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (FlowKey, &T)> {
        self.entries.iter().map(|entry| (entry.key, &entry.value))
    }

    /// Variant of [`FlowTable::iter`], to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (FlowKey, &mut T)> {
        self.entries.iter_mut().map(|entry| (entry.key, &mut entry.value))
    }

    /// Forgets the flows that `keep` refuses.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(FlowKey, &T) -> bool) {
        // From the end: the entry that takes a free place has been asked already.
        for at in (0..self.entries.len()).rev() {
            let entry = &self.entries[at];
            if !keep(entry.key, &entry.value) {
                self.remove(at);
            }
        }
    }

    fn remove(&mut self, at: usize) {
        let next = self.entries[at].next;
        *self.link_to(at) = next;
        let last = self.entries.len() - 1;
        if at != last {
            *self.link_to(last) = at as u32;
        }
        self.entries.swap_remove(at);
    }

    /// The link of the chain that leads to the entry at `at`.
    fn link_to(&mut self, at: usize) -> &mut u32 {
        let chain = self.chain(self.entries[at].key);
        let mut before = self.chains[chain];
        if before as usize == at {
            return &mut self.chains[chain];
        }
        while self.entries[before as usize].next as usize != at {
            before = self.entries[before as usize].next;
        }
        &mut self.entries[before as usize].next
    }

    /// Twice as many chains.
    #[cold]
    fn grow(&mut self) {
        self.chains = vec![NONE; 2 * self.chains.len()];
        for at in 0..self.entries.len() {
            let chain = self.chain(self.entries[at].key);
            self.entries[at].next = self.chains[chain];
            self.chains[chain] = at as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn key(src: u32) -> FlowKey {
        FlowKey { src, dst: 7, src_port: 1, dst_port: 80, protocol: 6 }
    }

    #[test]
    fn it_holds_what_a_map_holds() {
        let mut rng = Rng::new(4);
        let mut table = FlowTable::new(300);
        table.draw_salt(&mut rng);
        let mut map = BTreeMap::new();
        for round in 0..20_000u64 {
            let flow = key(rng.below(500) as u32);
            if rng.bernoulli(0.7) {
                let expected =
                    (map.len() < 300 || map.contains_key(&flow)).then(|| *map.entry(flow).or_insert(round));
                assert_eq!(table.place_or_insert(flow, round).map(|at| *table.at_mut(at)), expected);
            } else {
                let bar = rng.below(round + 1);
                if rng.bernoulli(0.02) {
                    table.retain(|_, value| *value >= bar);
                    map.retain(|_, value| *value >= bar);
                }
            }
            assert_eq!(table.get(flow), map.get(&flow));
            assert_eq!(table.len(), map.len());
        }
        let mut all: Vec<_> = table.iter().map(|(key, value)| (key, *value)).collect();
        all.sort_unstable();
        assert_eq!(all, map.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_million_flows_stay_within_the_bound() {
        let mut table = FlowTable::new(4096);
        table.draw_salt(&mut Rng::new(1));
        let taken = (0..1_000_000).filter(|src| table.place_or_insert(key(*src), ()).is_some()).count();
        assert_eq!((taken, table.len(), table.chains.len()), (4096, 4096, 4096));
        assert!(table.place_or_insert(key(0), ()).is_some());
    }
}

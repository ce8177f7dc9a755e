//! The flows that have packets waiting: a chained hash table over a slab, both as large as their fullest moment.

use crate::classifier::salted;
use crate::flow_hash::scale;
use tailrace_core::{FlowKey, Rng};

/// No entry.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Entry {
    key: FlowKey,
    /// The next in its chain, or the next free one.
    next: u32,
    packets: u32,
    strikes: u32,
}

#[derive(Debug)]
pub(super) struct Flows {
    entries: Vec<Entry>,
    free: u32,
    active: u32,
    chains: Vec<u32>,
    /// Drawn with the first packet.
    salt: Option<u64>,
}

impl Flows {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), free: NONE, active: 0, chains: vec![NONE; 64], salt: None }
    }

    /// Flows with packets waiting.
    #[inline]
    pub(super) fn active(&self) -> u32 {
        self.active
    }

    #[inline]
    fn chain(&self, key: FlowKey) -> usize {
        scale(salted(key, self.salt.unwrap_or_default()), self.chains.len() as u32) as usize
    }

    #[inline]
    pub(super) fn find(&mut self, key: FlowKey, rng: &mut Rng) -> Option<u32> {
        self.salt.get_or_insert_with(|| rng.next_u64());
        let mut at = self.chains[self.chain(key)];
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.key == key {
                return Some(at);
            }
            at = entry.next;
        }
        None
    }

    /// Packets and strikes.
    #[inline]
    pub(super) fn counts(&self, at: u32) -> (u32, u32) {
        let entry = &self.entries[at as usize];
        (entry.packets, entry.strikes)
    }

    /// Adds a strike; returns how many there are now.
    pub(super) fn strike(&mut self, at: u32) -> u32 {
        let entry = &mut self.entries[at as usize];
        entry.strikes = entry.strikes.saturating_add(1);
        entry.strikes
    }

    /// Makes room for a flow that is not there; it counts as active from now on.
    pub(super) fn insert(&mut self, key: FlowKey, rng: &mut Rng) -> u32 {
        self.salt.get_or_insert_with(|| rng.next_u64());
        if self.active as usize >= self.chains.len() {
            self.grow();
        }
        let chain = self.chain(key);
        let entry = Entry { key, next: self.chains[chain], packets: 0, strikes: 0 };
        let at = if self.free == NONE {
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        } else {
            let at = self.free;
            self.free = self.entries[at as usize].next;
            self.entries[at as usize] = entry;
            at
        };
        self.chains[chain] = at;
        self.active += 1;
        at
    }

    #[inline]
    pub(super) fn add(&mut self, at: u32) {
        self.entries[at as usize].packets += 1;
    }

    /// Removes a packet; a flow without packets is forgotten. Returns how many are left.
    pub(super) fn remove_one(&mut self, at: u32) -> u32 {
        let entry = &mut self.entries[at as usize];
        entry.packets -= 1;
        let left = entry.packets;
        if left == 0 {
            self.forget(at);
        }
        left
    }

    fn forget(&mut self, at: u32) {
        let Entry { key, next, .. } = self.entries[at as usize];
        let chain = self.chain(key);
        if self.chains[chain] == at {
            self.chains[chain] = next;
        } else {
            let mut before = self.chains[chain];
            while self.entries[before as usize].next != at {
                before = self.entries[before as usize].next;
            }
            self.entries[before as usize].next = next;
        }
        self.entries[at as usize].next = self.free;
        self.free = at;
        self.active -= 1;
    }

    /// Twice as many chains.
    #[cold]
    fn grow(&mut self) {
        let used = (0..self.chains.len()).flat_map(|c| {
            let entries = &self.entries;
            std::iter::successors(Some(self.chains[c]), move |at| entries.get(*at as usize).map(|e| e.next))
                .take_while(|at| *at != NONE)
        });
        let used: Vec<u32> = used.collect();
        self.chains = vec![NONE; 2 * self.chains.len()];
        for at in used {
            let chain = self.chain(self.entries[at as usize].key);
            self.entries[at as usize].next = self.chains[chain];
            self.chains[chain] = at;
        }
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.entries.len().max(self.chains.len())
    }
}

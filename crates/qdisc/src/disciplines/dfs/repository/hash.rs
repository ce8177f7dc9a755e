//! A hash table from keys to records: open addressing, linear probing, no gaps left by removals.

use super::Handle;
use crate::disciplines::dfs::record::{Key, Record};
use crate::flow_hash::mix64;
use tailrace_core::Rng;

/// A place: where the record is, and the hash it is here by.
#[derive(Clone, Copy, Debug)]
struct Slot {
    at: Handle,
    hash: u32,
}

const EMPTY: Slot = Slot { at: Handle::MAX, hash: 0 };

impl Slot {
    #[inline]
    fn is_empty(self) -> bool {
        self.at == Handle::MAX
    }
}

/// The table. It grows to twice its size when three quarters are taken; it never shrinks.
#[derive(Debug)]
pub(super) struct HashIndex {
    /// A power of two of them.
    slots: Vec<Slot>,
    taken: usize,
    /// Drawn with the first flow, so that who knows the code does not know which keys collide.
    salt: Option<u64>,
}

impl HashIndex {
    pub(super) fn new() -> Self {
        Self { slots: vec![EMPTY; 64], taken: 0, salt: None }
    }

    #[inline]
    fn hash(&self, key: Key) -> u32 {
        let salt = self.salt.unwrap_or_default();
        (mix64(mix64((key >> 64) as u64 ^ salt) ^ key as u64) >> 32) as u32
    }

    /// Distance of slot `i` from the home of `hash`.
    #[inline]
    fn distance(&self, i: usize, hash: u32) -> usize {
        i.wrapping_sub(hash as usize) & (self.slots.len() - 1)
    }

    #[inline]
    fn position(&self, key: Key, records: &[Record]) -> Option<usize> {
        let (hash, mask) = (self.hash(key), self.slots.len() - 1);
        let mut i = hash as usize & mask;
        loop {
            let slot = self.slots[i];
            if slot.is_empty() {
                return None;
            }
            if slot.hash == hash && records[slot.at as usize].key == key {
                return Some(i);
            }
            i = (i + 1) & mask;
        }
    }

    #[inline]
    pub(super) fn find(&self, key: Key, records: &[Record]) -> Option<Handle> {
        self.position(key, records).map(|i| self.slots[i].at)
    }

    /// Takes in a key that is not there.
    pub(super) fn insert(&mut self, key: Key, at: Handle, rng: &mut Rng) {
        self.salt.get_or_insert_with(|| rng.next_u64());
        if (self.taken + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let hash = self.hash(key);
        self.place(Slot { at, hash });
        self.taken += 1;
    }

    fn place(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut i = slot.hash as usize & mask;
        while !self.slots[i].is_empty() {
            i = (i + 1) & mask;
        }
        self.slots[i] = slot;
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; 2 * self.slots.len()];
        let old = std::mem::replace(&mut self.slots, larger);
        old.into_iter().filter(|s| !s.is_empty()).for_each(|s| self.place(s));
    }

    /// Forgets a key; those behind it that are not at home move up.
    pub(super) fn remove(&mut self, key: Key, records: &[Record]) {
        let Some(mut gap) = self.position(key, records) else { return };
        let mask = self.slots.len() - 1;
        let mut i = gap;
        loop {
            i = (i + 1) & mask;
            let slot = self.slots[i];
            if slot.is_empty() {
                break;
            }
            // It may move to the gap where that is not before its home.
            if self.distance(i, slot.hash) >= (i.wrapping_sub(gap) & mask) {
                self.slots[gap] = slot;
                gap = i;
            }
        }
        self.slots[gap] = EMPTY;
        self.taken -= 1;
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use tailrace_core::{Instant, Rng};

    proptest! {
        /// Few keys and many removals, so that runs of taken places wrap around the end and close again.
        #[test]
        fn it_finds_what_a_map_finds(steps in prop::collection::vec((any::<bool>(), 0u32..200), 0..2000)) {
            let (mut hash, mut rng) = (HashIndex::new(), Rng::new(1));
            let records: Vec<Record> =
                (0..200).map(|k| Record::new(Key::from(k as u32) << 64, 0.0, Instant::ZERO)).collect();
            let mut map = BTreeMap::new();
            for (insert, k) in steps {
                let key = records[k as usize].key;
                if insert && !map.contains_key(&key) {
                    hash.insert(key, k, &mut rng);
                    map.insert(key, k);
                } else if !insert {
                    hash.remove(key, &records);
                    map.remove(&key);
                }
                prop_assert_eq!(hash.taken, map.len());
            }
            for record in &records {
                prop_assert_eq!(hash.find(record.key, &records), map.get(&record.key).copied());
            }
        }
    }
}

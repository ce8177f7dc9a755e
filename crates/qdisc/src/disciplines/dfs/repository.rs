//! Where the records of flows are kept, and how they are found.
//!
//! Records lie in a slab; a hash table or a B-tree leads to them by key, and the Cache, if there is one, to those of
//! flows at the top. Each record is led to by one of the two. Nothing here depends on which of them it is, so decisions
//! do not either.

mod btree;
mod hash;

use self::btree::BTree;
use self::hash::HashIndex;
use super::config::Store;
use super::record::{Key, Record};
use tailrace_core::{Instant, Rng};

/// A record's place in the slab.
pub(super) type Handle = u32;

/// Layout of a repository.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) store: Store,
    /// Order of the B-tree.
    pub(super) order: u32,
    /// Places in the Cache.
    pub(super) cache: u32,
    /// Most records.
    pub(super) most: u32,
}

/// Records that are looked at for one that can go.
const CANDIDATES: usize = 16;

#[derive(Debug)]
enum Index {
    Hash(HashIndex),
    Tree(BTree),
}

/// The records of all flows.
#[derive(Debug)]
pub(super) struct Repository {
    records: Vec<Record>,
    /// Places of the slab without a record.
    free: Vec<Handle>,
    index: Index,
    cache: Cache,
    most: u32,
    /// Where the search for a record that can go starts.
    hand: usize,
}

impl Repository {
    pub(super) fn new(layout: &Layout) -> Self {
        let index = match layout.store {
            Store::Hash => Index::Hash(HashIndex::new()),
            Store::Btree => Index::Tree(BTree::new(layout.order as usize)),
        };
        Self {
            records: Vec::new(),
            free: Vec::new(),
            index,
            cache: Cache { entries: Vec::with_capacity(layout.cache as usize), most: layout.cache as usize },
            most: layout.most,
            hand: 0,
        }
    }

    /// Records there are: `n`.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        (self.records.len() - self.free.len()) as u32
    }

    /// Whether there are as many as there may be.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len() >= self.most
    }

    /// Records that the Cache leads to.
    pub(super) fn cached(&self) -> u32 {
        self.cache.entries.len() as u32
    }

    /// The record of an arriving packet's flow: the Cache first, as in Algorithm 1.
    #[inline]
    pub(super) fn find(&self, key: Key) -> Option<Handle> {
        self.cache.find(key).or_else(|| self.find_in_index(key))
    }

    /// The record of a departing packet's flow: the Cache last, for marked flows have hardly any packets waiting
    /// (§4.1.2).
    pub(super) fn find_departing(&self, key: Key) -> Option<Handle> {
        self.find_in_index(key).or_else(|| self.cache.find(key))
    }

    #[inline]
    fn find_in_index(&self, key: Key) -> Option<Handle> {
        match &self.index {
            Index::Hash(hash) => hash.find(key, &self.records),
            Index::Tree(tree) => tree.find(key),
        }
    }

    #[inline]
    pub(super) fn record(&self, at: Handle) -> &Record {
        &self.records[at as usize]
    }

    #[inline]
    pub(super) fn record_mut(&mut self, at: Handle) -> &mut Record {
        &mut self.records[at as usize]
    }

    /// Takes in a record whose key is not there; none where there are as many as there may be.
    pub(super) fn insert(&mut self, record: Record, rng: &mut Rng) -> Option<Handle> {
        if self.is_full() {
            return None;
        }
        let key = record.key;
        let at = if let Some(at) = self.free.pop() {
            self.records[at as usize] = record;
            at
        } else {
            self.records.push(record);
            // Room for all to become free, so that pruning allocates nothing.
            self.free.reserve(self.records.capacity() - self.free.len());
            (self.records.len() - 1) as Handle
        };
        match &mut self.index {
            Index::Hash(hash) => hash.insert(key, at, rng),
            Index::Tree(tree) => tree.insert(key, at),
        }
        Some(at)
    }

    /// Forgets a record.
    pub(super) fn remove(&mut self, at: Handle) {
        let Record { key, cached, .. } = self.records[at as usize];
        if cached {
            self.cache.remove(key);
        } else {
            self.remove_from_index(key);
        }
        self.records[at as usize].live = false;
        self.free.push(at);
    }

    fn remove_from_index(&mut self, key: Key) {
        match &mut self.index {
            Index::Hash(hash) => hash.remove(key, &self.records),
            Index::Tree(tree) => tree.remove(key),
        }
    }

    /// From the index to the Cache; stays where the Cache is full.
    pub(super) fn promote(&mut self, at: Handle) {
        if self.cache.is_full() {
            return;
        }
        let key = self.records[at as usize].key;
        self.remove_from_index(key);
        self.cache.entries.push((key, at));
        self.records[at as usize].cached = true;
    }

    /// From the Cache to the index.
    pub(super) fn demote(&mut self, at: Handle, rng: &mut Rng) {
        let key = self.records[at as usize].key;
        self.cache.remove(key);
        match &mut self.index {
            Index::Hash(hash) => hash.insert(key, at, rng),
            Index::Tree(tree) => tree.insert(key, at),
        }
        self.records[at as usize].cached = false;
    }

    /// The first record from `at` on that no packet waits for and that was last seen before `time`.
    pub(super) fn next_unseen_since(&self, time: Instant, at: Handle) -> Option<Handle> {
        let rest = self.records.get(at as usize..).unwrap_or_default();
        let found = rest.iter().position(|r| r.live && r.waiting == 0 && r.seen < time)?;
        Some(at + found as Handle)
    }

    /// A record that can go where there is no room for another: of the next few without packets waiting, an unmarked one
    /// before a marked one, one without a stored rate before a suspect, and the one unheard for longest.
    ///
    /// So a flood of new flows does not wash away what is known about others.
    pub(super) fn find_dispensable(&mut self) -> Option<Handle> {
        let slots = self.records.len();
        let looked_at = CANDIDATES.min(slots);
        let candidates = (0..looked_at).map(|i| (self.hand + i) % slots);
        let least = candidates
            .filter(|at| self.records[*at].live && self.records[*at].waiting == 0)
            .min_by_key(|at| {
                let r = &self.records[*at];
                (r.marked, r.rate.is_some(), r.seen, *at)
            });
        self.hand = (self.hand + looked_at) % slots.max(1);
        least.map(|at| at as Handle)
    }

    /// Whether the index and whether the Cache lead to a record.
    #[cfg(test)]
    pub(super) fn led_to_by(&self, key: Key) -> (bool, bool) {
        (self.find_in_index(key).is_some(), self.cache.find(key).is_some())
    }

    /// Places in memory, used or not.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        let index = match &self.index {
            Index::Hash(hash) => hash.capacity(),
            Index::Tree(tree) => tree.capacity(),
        };
        self.records.len().max(index)
    }
}

/// The fixed-size array of the paper, for the records of flows at `max_th`.
#[derive(Debug)]
struct Cache {
    entries: Vec<(Key, Handle)>,
    most: usize,
}

impl Cache {
    #[inline]
    fn find(&self, key: Key) -> Option<Handle> {
        self.entries.iter().find(|(k, _)| *k == key).map(|(_, at)| *at)
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.entries.len() >= self.most
    }

    fn remove(&mut self, key: Key) {
        if let Some(i) = self.entries.iter().position(|(k, _)| *k == key) {
            self.entries.swap_remove(i);
        }
    }
}

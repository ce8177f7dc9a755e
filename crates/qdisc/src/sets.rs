//! A table of flows (or senders) with an upper bound: places in sets of four, as in a processor's cache.
//!
//! A key may lie in any place of its set. A set that is full doubles the table, up to its bound; from then on the
//! longest unused of the set makes room. So a flood of new keys costs no memory beyond the bound, and looks at four
//! places for each packet.

use crate::flow_hash::scale;
use tailrace_core::Instant;

/// Places in a set.
const WAYS: usize = 4;
/// Places to start with.
const START: usize = 64;

#[derive(Clone, Debug)]
struct Place<K, V> {
    key: K,
    hash: u64,
    used: Instant,
    value: V,
}

#[derive(Debug)]
pub(crate) struct Sets<K, V> {
    places: Vec<Option<Place<K, V>>>,
    most: usize,
    taken: usize,
}

/// Most keys that a table may be asked to hold.
pub(crate) const MOST_KEYS: u32 = 1 << 20;

impl<K: Copy + Eq, V> Sets<K, V> {
    /// A table of at most `most` keys, rounded up to a power of two, at least one set.
    pub(crate) fn new(most: u32) -> Self {
        let most = (most as usize).next_power_of_two().max(WAYS);
        let mut places = Vec::new();
        places.resize_with(START.min(most), || None);
        Self { places, most, taken: 0 }
    }

    /// Keys in the table.
    pub(crate) fn len(&self) -> usize {
        self.taken
    }

    /// First place of the set where `hash` belongs. Twice as many places split each set in two.
    #[inline]
    fn set(&self, hash: u64) -> usize {
        scale(hash, (self.places.len() / WAYS) as u32) as usize * WAYS
    }

    /// The value of `key`, whose salted hash is `hash`. A new key takes a free place, or that of a value that
    /// `may_go`, which is handed to `make`; `None` where no value of a full set may.
    #[inline]
    pub(crate) fn entry(
        &mut self,
        (key, hash): (K, u64),
        now: Instant,
        may_go: impl Fn(&V) -> bool,
        make: impl FnOnce(Option<V>) -> V,
    ) -> Option<&mut V> {
        let first = self.set(hash);
        let found = (first..first + WAYS)
            .find(|i| self.places[*i].as_ref().is_some_and(|p| p.hash == hash && p.key == key));
        let at = match found {
            Some(at) => at,
            None => {
                let (at, old) = self.make_room(hash, may_go)?;
                self.places[at] = Some(Place { key, hash, used: now, value: make(old) });
                at
            }
        };
        let place = self.places[at].as_mut().expect("found or just filled");
        place.used = now;
        Some(&mut place.value)
    }

    /// A place for a new key, and what had to go for it.
    fn make_room(&mut self, hash: u64, may_go: impl Fn(&V) -> bool) -> Option<(usize, Option<V>)> {
        loop {
            let first = self.set(hash);
            if let Some(free) = (first..first + WAYS).find(|i| self.places[*i].is_none()) {
                self.taken += 1;
                return Some((free, None));
            }
            if self.places.len() >= self.most {
                let old = (first..first + WAYS)
                    .filter_map(|i| self.places[i].as_ref().filter(|p| may_go(&p.value)).map(|p| (p.used, i)))
                    .min()?;
                return Some((old.1, self.places[old.1].take().map(|p| p.value)));
            }
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let mut places = Vec::new();
        places.resize_with(2 * self.places.len(), || None);
        let old = std::mem::replace(&mut self.places, places);
        for place in old.into_iter().flatten() {
            let first = self.set(place.hash);
            let free = (first..first + WAYS).find(|i| self.places[*i].is_none());
            self.places[free.expect("a set is split in two")] = Some(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_hash::mix64;

    #[test]
    fn keys_are_kept_until_the_bound_and_then_the_longest_unused_goes() {
        let mut sets = Sets::new(1024);
        for key in 0..1_000_000_u64 {
            let fresh = sets.entry((key, mix64(key)), Instant::from_nanos(key), |_| true, |_| key).copied();
            assert_eq!(fresh, Some(key));
            // The first key is used again each time: it never is the longest unused.
            let first = sets.entry((0, mix64(0)), Instant::from_nanos(key), |_| true, |_| 77).copied();
            assert_eq!(first, Some(0));
        }
        assert_eq!((sets.len(), sets.places.len()), (1024, 1024));
    }

    #[test]
    fn a_full_set_whose_values_must_stay_takes_no_more() {
        let mut sets = Sets::new(4);
        for key in 0..5_u64 {
            let place = sets.entry((key, 9), Instant::ZERO, |_| false, |_| key);
            assert_eq!(place.is_some(), key < 4);
        }
        // An entry that may go hands over what it held.
        assert_eq!(sets.entry((9, 9), Instant::ZERO, |v| *v == 2, |old| old.unwrap() + 50), Some(&mut 52));
    }
}

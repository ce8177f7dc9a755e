//! The packets on a link's wire, in order of arrival.
//!
//! A ring of a power of two of slots, in 32 bytes beside them, since every link has one and its first cache line
//! is scarce. It starts over at its first slot whenever it runs empty, and shrinks when it has long been much
//! emptier than it could be: so thousands of links that were full once do not keep touching cold memory for ever.

use tailrace_core::Instant;

/// How many packets pass between looks at the size.
const LOOK_EVERY: u32 = 1024;
/// Rings of this many slots and fewer are kept.
const SMALL: u32 = 16;

/// A packet whose arrival at the other end is known.
#[derive(Debug)]
pub(crate) struct Flying<P> {
    pub(crate) pkt: P,
    pub(crate) arrives: Instant,
}

#[derive(Debug)]
pub(crate) struct Flight<P> {
    /// None, or a power of two.
    slots: Box<[Option<Flying<P>>]>,
    first: u32,
    len: u32,
    /// Most packets since the last look.
    high: u32,
    passed: u32,
}

impl<P> Default for Flight<P> {
    fn default() -> Self {
        Self { slots: Box::default(), first: 0, len: 0, high: 0, passed: 0 }
    }
}

impl<P> Flight<P> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    fn slot(&self, position: u32) -> usize {
        self.first.wrapping_add(position) as usize & self.slots.len().wrapping_sub(1)
    }

    /// Time of the first arrival; `Instant::MAX` without one.
    #[inline]
    pub(crate) fn first_arrival(&self) -> Instant {
        self.arrival(0)
    }

    /// Time of the last arrival; `Instant::ZERO` without one.
    #[inline]
    pub(crate) fn last_arrival(&self) -> Instant {
        if self.len == 0 { Instant::ZERO } else { self.arrival(self.len - 1) }
    }

    #[inline]
    fn arrival(&self, position: u32) -> Instant {
        self.slots.get(self.slot(position)).and_then(Option::as_ref).map_or(Instant::MAX, |f| f.arrives)
    }

    #[inline]
    pub(crate) fn push_back(&mut self, flying: Flying<P>) {
        if self.len as usize == self.slots.len() {
            self.resize((self.len * 2).max(4));
        }
        let slot = self.slot(self.len);
        self.slots[slot] = Some(flying);
        self.len += 1;
        self.high = self.high.max(self.len);
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<Flying<P>> {
        let slot = self.slot(0);
        let flying = self.slots.get_mut(slot)?.take()?;
        self.len -= 1;
        self.first = if self.len == 0 { 0 } else { self.first.wrapping_add(1) };
        self.passed += 1;
        if self.passed == LOOK_EVERY {
            self.look();
        }
        Some(flying)
    }

    pub(crate) fn pop_back(&mut self) -> Option<Flying<P>> {
        self.len = self.len.checked_sub(1)?;
        let slot = self.slot(self.len);
        self.slots[slot].take()
    }

    /// Puts a packet behind all that arrive no later than it.
    pub(crate) fn insert(&mut self, flying: Flying<P>) {
        let mut position = self.len;
        while position > 0 && self.arrival(position - 1) > flying.arrives {
            position -= 1;
        }
        self.push_back(flying);
        for later in (position + 1..self.len).rev() {
            let (a, b) = (self.slot(later), self.slot(later - 1));
            self.slots.swap(a, b);
        }
    }

    #[cold]
    fn look(&mut self) {
        let high = std::mem::replace(&mut self.high, self.len);
        self.passed = 0;
        let slots = self.slots.len() as u32;
        if slots > SMALL && high * 4 <= slots {
            self.resize((high * 2).next_power_of_two().max(SMALL));
        }
    }

    #[cold]
    fn resize(&mut self, slots: u32) {
        let mut new = Vec::with_capacity(slots as usize);
        for position in 0..self.len {
            let slot = self.slot(position);
            new.push(self.slots[slot].take());
        }
        new.resize_with(slots as usize, || None);
        self.slots = new.into_boxed_slice();
        self.first = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn flying(pkt: u32, at: u64) -> Flying<u32> {
        Flying { pkt, arrives: Instant::from_nanos(at) }
    }

    proptest! {
        #[test]
        fn it_behaves_as_a_sorted_queue(acts in prop::collection::vec((0u32..8, 0u64..50), 0..400)) {
            let (mut flight, mut oracle) = (Flight::default(), VecDeque::<(u32, u64)>::new());
            for (id, (act, time)) in acts.into_iter().enumerate() {
                let id = id as u32;
                match act {
                    0..=2 => {
                        let at = oracle.back().map_or(0, |b| b.1) + time;
                        flight.push_back(flying(id, at));
                        oracle.push_back((id, at));
                    }
                    3 => {
                        flight.insert(flying(id, time));
                        oracle.insert(oracle.partition_point(|o| o.1 <= time), (id, time));
                    }
                    4..=6 => prop_assert_eq!(flight.pop_front().map(|f| f.pkt), oracle.pop_front().map(|o| o.0)),
                    _ => prop_assert_eq!(flight.pop_back().map(|f| f.pkt), oracle.pop_back().map(|o| o.0)),
                }
                prop_assert_eq!(flight.len(), oracle.len());
                prop_assert_eq!(flight.first_arrival().as_nanos(), oracle.front().map_or(u64::MAX, |o| o.1));
                prop_assert_eq!(flight.last_arrival().as_nanos(), oracle.back().map_or(0, |o| o.1));
            }
        }
    }

    #[test]
    fn a_flight_that_was_long_once_shrinks_and_loses_nothing() {
        let mut flight = Flight::default();
        (0..1000).for_each(|i| flight.push_back(flying(i, 0)));
        let mut expected = 0..;
        for i in 1000..8000 {
            while flight.len() > 8 {
                assert_eq!(flight.pop_front().map(|f| f.pkt), expected.next());
            }
            flight.push_back(flying(i, 0));
        }
        assert!(flight.slots.len() <= 32, "{}", flight.slots.len());
    }
}

//! A queue that gives memory back.
//!
//! A `VecDeque` keeps the capacity of its fullest moment and walks through all of it, so thousands of queues that
//! were full once (every TCP flow's first slow start) would keep touching cold memory for ever. This one starts
//! over at its first slot whenever it runs empty, and shrinks when it has long been much emptier than it could be.

use std::collections::VecDeque;

/// Number of pops between looks at the size.
const LOOK_EVERY: u32 = 1024;
/// Capacities up to this are kept.
const SMALL: usize = 16;

/// First in, first out.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    items: VecDeque<T>,
    /// Most items since the last look.
    high: u32,
    pops: u32,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self { items: VecDeque::new(), high: 0, pops: 0 }
    }
}

impl<T> Ring<T> {
    /// An empty queue; allocates with the first item.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an item.
    #[inline]
    pub fn push_back(&mut self, item: T) {
        self.items.push_back(item);
    }

    /// Takes the first item.
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        // It was fullest before some pop.
        self.high = self.high.max(self.items.len() as u32);
        let item = self.items.pop_front();
        if self.items.is_empty() {
            self.items.clear(); // Starts over at the first slot.
        }
        self.pops += 1;
        if self.pops == LOOK_EVERY {
            self.look();
        }
        item
    }

    #[cold]
    fn look(&mut self) {
        let high = std::mem::replace(&mut self.high, self.items.len() as u32) as usize;
        self.pops = 0;
        if self.items.capacity() > SMALL && high * 4 <= self.items.capacity() {
            self.items.shrink_to((high * 2).max(SMALL));
        }
    }
}

impl<T> core::ops::Deref for Ring<T> {
    type Target = VecDeque<T>;
    #[inline]
    fn deref(&self) -> &VecDeque<T> {
        &self.items
    }
}
/// Everything else is the standard library's queue.
impl<T> core::ops::DerefMut for Ring<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut VecDeque<T> {
        &mut self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_was_full_once_shrinks_to_what_it_uses() {
        let mut ring = Ring::new();
        (0..1000).for_each(|i| ring.push_back(i));
        let mut expected = 0;
        for i in 1000..8000 {
            while ring.len() > 8 {
                assert_eq!(ring.pop_front(), Some(expected));
                expected += 1;
            }
            ring.push_back(i);
        }
        assert!(ring.capacity() <= 32, "{}", ring.capacity());
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), (expected..8000).collect::<Vec<_>>());
    }

    #[test]
    fn a_busy_queue_keeps_its_memory() {
        let mut ring = Ring::new();
        (0..101).for_each(|i| ring.push_back(i));
        ring.pop_front();
        let capacity = ring.capacity();
        for i in 0..10_000 {
            ring.push_back(i);
            ring.pop_front();
        }
        assert_eq!(ring.capacity(), capacity);
    }
}

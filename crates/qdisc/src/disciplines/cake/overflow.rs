//! Finding the longest queue: a max-heap over all queues by their bytes.
//!
//! It is kept in order only while the buffer was full not long ago, so that in peace it costs nothing (as in Linux).

/// Departures after the last overflow during which the heap is kept.
const KEPT: u32 = 65_535;

/// The heap. Backlogs are the caller's; it says when one changed.
#[derive(Debug)]
pub(super) struct Overflow {
    /// Queues, each with no more bytes than the one at half its place.
    heap: Vec<u32>,
    /// Place of each queue in the heap.
    places: Vec<u32>,
    /// Departures until the order is given up; zero: there is none.
    kept: u32,
}

impl Overflow {
    pub(super) fn new(queues: u32) -> Self {
        Self { heap: (0..queues).collect(), places: (0..queues).collect(), kept: 0 }
    }

    /// The queue with most bytes.
    pub(super) fn longest(&mut self, backlogs: &[u64]) -> u32 {
        if self.kept == 0 {
            (0..self.heap.len() / 2).rev().for_each(|place| self.sink(place, backlogs));
        }
        self.kept = KEPT;
        self.heap[0]
    }

    /// The backlog of `queue` has changed.
    #[inline]
    pub(super) fn changed(&mut self, queue: u32, backlogs: &[u64]) {
        if self.kept > 0 {
            let place = self.rise(self.places[queue as usize] as usize, backlogs);
            self.sink(place, backlogs);
        }
    }

    /// A packet departed.
    #[inline]
    pub(super) fn departed(&mut self) {
        self.kept = self.kept.saturating_sub(1);
    }

    fn bytes(&self, place: usize, backlogs: &[u64]) -> u64 {
        backlogs[self.heap[place] as usize]
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.places[self.heap[a] as usize] = a as u32;
        self.places[self.heap[b] as usize] = b as u32;
    }

    fn rise(&mut self, mut place: usize, backlogs: &[u64]) -> usize {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.bytes(place, backlogs) <= self.bytes(parent, backlogs) {
                break;
            }
            self.swap(place, parent);
            place = parent;
        }
        place
    }

    fn sink(&mut self, mut place: usize, backlogs: &[u64]) {
        loop {
            let (left, mut most) = (2 * place + 1, place);
            for child in left..(left + 2).min(self.heap.len()) {
                if self.bytes(child, backlogs) > self.bytes(most, backlogs) {
                    most = child;
                }
            }
            if most == place {
                return;
            }
            self.swap(place, most);
            place = most;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Rng;

    #[test]
    fn the_longest_is_always_on_top() {
        let mut rng = Rng::new(1);
        let mut backlogs: Vec<u64> = (0..100).map(|_| rng.below(1000)).collect();
        let mut heap = Overflow::new(100);
        for round in 0..5_000 {
            let queue = rng.below(100) as u32;
            backlogs[queue as usize] = rng.below(1000);
            heap.changed(queue, &backlogs);
            if round % 2_000 == 1_999 {
                (0..KEPT).for_each(|_| heap.departed());
                assert_eq!(heap.kept, 0);
            } else if round % 3 == 0 {
                let longest = heap.longest(&backlogs);
                assert_eq!(Some(&backlogs[longest as usize]), backlogs.iter().max());
            }
        }
    }
}

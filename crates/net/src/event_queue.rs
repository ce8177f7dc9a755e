//! The event queue: a timing wheel that adapts its bucket width, with a heap behind it for the far future.
//!
//! Events come out in the order (time, target), whatever the wheel's geometry and whichever was put in first; so tuning it
//! changes speed and nothing else, and neither does the order in which a handler asks for things. Push and pop are O(1) amortised: a push links a node into its bucket's list, a pop
//! opens the next occupied bucket (found by a bitmap) and sorts its handful of events. A heap costs a cache miss
//! a level instead, and the queue is the hottest structure of a large simulation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tailrace_core::Instant;

/// Target of an event: a small number that the fabric gives meaning to.
pub(crate) type Target = u32;

/// Pending event. The order of the fields is that in which events come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: u64,
    target: Target,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    event: Event,
    next: u32,
}

const NIL: u32 = u32::MAX;
/// Opened buckets between reviews of the geometry.
const REVIEW_EVERY: u32 = 4096;
/// Mean number of events in an open bucket above which buckets are halved.
const CROWDED: u64 = 4;
/// Event sources from which on the network does not fit a processor's cache: a fuller bucket costs more sorting
/// there, but lets the fabric fetch what its events need all at once.
pub(crate) const LARGE: usize = 4096;
const CROWDED_LARGE: u64 = 16;

/// Pending events in order of (time, target).
#[derive(Debug)]
pub(crate) struct EventQueue {
    /// The bucket being emptied: latest first, so that the next event is popped from the end.
    current: Vec<Event>,
    /// Number of the bucket being emptied: time >> shift.
    cursor: u64,
    shift: u32,
    heads: Vec<u32>,
    occupied: Vec<u64>,
    nodes: Vec<Node>,
    free: u32,
    overflow: BinaryHeap<Reverse<Event>>,
    /// Bucket of the first event of `overflow`; the last number there is without one.
    overflow_bucket: u64,
    inserted: u64,
    popped: u64,
    /// See [`EventQueue::has_opened`].
    opened: bool,
    /// Above this many events a bucket on average, buckets are halved (unless the overflow heap would fill up).
    crowded: u64,
    review: Review,
}

/// Counts since the geometry was last reviewed.
#[derive(Debug, Default)]
struct Review {
    opened: u32,
    drained: u64,
    overflowed: u64,
    /// Events ever pushed by then.
    inserted: u64,
    /// Narrower buckets than this sent too much to the overflow heap.
    min_shift: u32,
}

impl EventQueue {
    /// An empty queue for about `sources` events pending at a time.
    pub(crate) fn new(sources: usize) -> Self {
        let buckets = (sources * 2).next_power_of_two().clamp(1 << 10, 1 << 16);
        Self {
            current: Vec::new(),
            cursor: 0,
            shift: 15, // 33 us: a guess that the review corrects.
            heads: vec![NIL; buckets],
            occupied: vec![0; buckets / 64],
            nodes: Vec::new(),
            free: NIL,
            overflow: BinaryHeap::new(),
            overflow_bucket: u64::MAX,
            inserted: 0,
            popped: 0,
            opened: false,
            crowded: if sources > LARGE { CROWDED_LARGE } else { CROWDED },
            review: Review::default(),
        }
    }

    /// Number of pending events.
    #[cfg(test)]
    fn len(&self) -> usize {
        (self.inserted - self.popped) as usize
    }

    /// Whether nothing is pending.
    pub(crate) fn is_empty(&self) -> bool {
        self.inserted == self.popped
    }

    /// Adds an event. `at` must not lie before the last event popped.
    #[inline]
    pub(crate) fn push(&mut self, at: Instant, target: Target) {
        self.inserted += 1;
        self.place(Event { at: at.as_nanos(), target });
    }

    /// The next event, unless it is later than `until`.
    #[inline]
    pub(crate) fn pop_until(&mut self, until: Instant) -> Option<(Instant, Target)> {
        if self.current.is_empty() && !self.open_next() {
            return None;
        }
        let event = *self.current.last().expect("an opened bucket holds an event");
        if event.at > until.as_nanos() {
            return None;
        }
        self.current.pop();
        self.popped += 1;
        Some((Instant::from_nanos(event.at), event.target))
    }

    /// When the next event is due.
    pub(crate) fn next_at(&mut self) -> Option<Instant> {
        if self.current.is_empty() && !self.open_next() {
            return None;
        }
        self.current.last().map(|event| Instant::from_nanos(event.at))
    }

    /// Whether a bucket has been opened since this was last asked; its events are [`EventQueue::upcoming`].
    #[inline]
    pub(crate) fn has_opened(&mut self) -> bool {
        std::mem::take(&mut self.opened)
    }

    /// Targets of the events that remain in the open bucket, earliest first.
    pub(crate) fn upcoming(&self) -> impl Iterator<Item = Target> + '_ {
        self.current.iter().rev().map(|event| event.target)
    }

    #[inline]
    fn place(&mut self, event: Event) {
        let bucket = event.at >> self.shift;
        // The cursor's own slot is not used: what belongs there goes into the open bucket.
        if bucket.wrapping_sub(self.cursor + 1) < self.heads.len() as u64 - 1 {
            self.link(bucket, event);
        } else {
            self.place_aside(bucket, event);
        }
    }

    /// Places an event into the open bucket or beyond the wheel.
    fn place_aside(&mut self, bucket: u64, event: Event) {
        if bucket <= self.cursor {
            // Keep it sorted, latest first.
            let position = self.current.partition_point(|e| *e > event);
            self.current.insert(position, event);
        } else {
            self.review.overflowed += 1;
            self.overflow_bucket = self.overflow_bucket.min(bucket);
            self.overflow.push(Reverse(event));
        }
    }

    #[inline]
    fn link(&mut self, bucket: u64, event: Event) {
        let slot = bucket as usize & (self.heads.len() - 1);
        let index = self.free;
        // NIL is beyond all nodes.
        let Some(cell) = self.nodes.get_mut(index as usize) else { return self.link_new(slot, event) };
        self.free = cell.next;
        *cell = Node { event, next: self.heads[slot] };
        self.set_head(slot, index);
    }

    /// Links an event where every node is in use. Apart from [`Self::link`], and the last thing that it does: a function
    /// that may call the allocator and go on saves six registers, and the usual way is no longer than that.
    #[cold]
    fn link_new(&mut self, slot: usize, event: Event) {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node { event, next: self.heads[slot] });
        self.set_head(slot, index);
    }

    #[inline]
    fn set_head(&mut self, slot: usize, index: u32) {
        self.heads[slot] = index;
        self.occupied[slot / 64] |= 1 << (slot % 64);
    }

    /// Opens the earliest bucket that holds an event; false when there is none.
    fn open_next(&mut self) -> bool {
        self.review.opened += 1;
        if self.review.opened == REVIEW_EVERY {
            self.adapt();
        }
        if !self.current.is_empty() {
            return true; // The review put the earliest events into the open bucket.
        }
        let first = self.next_occupied().unwrap_or(u64::MAX);
        let bucket = first.min(self.overflow_bucket);
        if bucket == u64::MAX {
            return false;
        }
        self.cursor = bucket;
        if first == bucket {
            self.drain(bucket);
        }
        if self.overflow_bucket == bucket {
            self.drain_overflow(bucket);
        }
        self.review.drained += self.current.len() as u64;
        sort_latest_first(&mut self.current);
        self.opened = true;
        true
    }

    /// Moves what the overflow heap holds of a bucket into `current`.
    fn drain_overflow(&mut self, bucket: u64) {
        while let Some(Reverse(event)) = self.overflow.peek() {
            self.overflow_bucket = event.at >> self.shift;
            if self.overflow_bucket != bucket {
                return;
            }
            self.current.extend(self.overflow.pop().map(|Reverse(event)| event));
        }
        self.overflow_bucket = u64::MAX;
    }

    /// Moves a bucket's list into `current`.
    fn drain(&mut self, bucket: u64) {
        let slot = bucket as usize & (self.heads.len() - 1);
        let mut index = std::mem::replace(&mut self.heads[slot], NIL);
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        // In variables, as the compiler cannot know that what is pushed changes neither.
        let (nodes, mut free) = (self.nodes.as_mut_slice(), self.free);
        while let Some(node) = nodes.get_mut(index as usize) {
            self.current.push(node.event);
            let next = std::mem::replace(&mut node.next, free);
            (free, index) = (index, next);
        }
        self.free = free;
    }

    /// The earliest occupied bucket after the cursor.
    fn next_occupied(&self) -> Option<u64> {
        let mask = self.heads.len() - 1;
        let start = (self.cursor as usize + 1) & mask;
        let words = self.occupied.len();
        // The first word from `start` up, whole words around the wheel, and at last the first word's lower part.
        let first = self.occupied[start / 64] & (!0 << (start % 64));
        let mut word = start / 64;
        let mut bits = first;
        for _ in 0..=words {
            if bits != 0 {
                let slot = word * 64 + bits.trailing_zeros() as usize;
                return Some(self.cursor + 1 + ((slot.wrapping_sub(start)) & mask) as u64);
            }
            word = (word + 1) & (words - 1);
            bits = self.occupied[word];
        }
        None
    }

    /// Widens buckets when too many events fall beyond the wheel, narrows them when they are crowded.
    fn adapt(&mut self) {
        let r = std::mem::take(&mut self.review);
        (self.review.min_shift, self.review.inserted) = (r.min_shift, self.inserted);
        if r.overflowed * 8 > self.inserted - r.inserted && self.shift < 40 {
            self.review.min_shift = self.shift + 1;
            self.rebuild(self.shift + 1);
        } else if r.drained > self.crowded * u64::from(r.opened) && self.shift > r.min_shift {
            self.rebuild(self.shift - 1);
        }
    }

    /// Puts every pending event into a wheel of another bucket width.
    fn rebuild(&mut self, shift: u32) {
        let now = self.cursor << self.shift;
        let mut all: Vec<Event> = std::mem::take(&mut self.current);
        for slot in 0..self.heads.len() {
            let mut index = std::mem::replace(&mut self.heads[slot], NIL);
            while index != NIL {
                let node = self.nodes[index as usize];
                all.push(node.event);
                index = node.next;
            }
        }
        all.extend(self.overflow.drain().map(|Reverse(e)| e));
        self.nodes.clear();
        self.free = NIL;
        self.occupied.fill(0);
        self.overflow_bucket = u64::MAX;
        self.shift = shift;
        self.cursor = now >> shift;
        for event in all {
            self.place(event);
        }
        self.review.overflowed = 0;
    }
}

/// Sorts the handful of events of a bucket; a large one not in quadratic time.
#[inline]
fn sort_latest_first(events: &mut [Event]) {
    if events.len() > 12 {
        return events.sort_unstable_by(|a, b| b.cmp(a));
    }
    for i in 1..events.len() {
        let mut j = i;
        while j > 0 && events[j - 1] < events[j] {
            events.swap(j - 1, j);
            j -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn events_at_one_time_come_out_by_target_in_whatever_order_they_went_in() {
        let mut q = EventQueue::new(4);
        let t = Instant::from_millis(5);
        for i in 0..100 {
            q.push(t, i * 37 % 100);
        }
        let order: Vec<_> = std::iter::from_fn(|| q.pop_until(t)).map(|(_, target)| target).collect();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
        // Nor does it matter that the bucket is open by now.
        [7, 3, 5].into_iter().for_each(|target| q.push(t, target));
        let order: Vec<_> = std::iter::from_fn(|| q.pop_until(t)).map(|(_, target)| target).collect();
        assert_eq!(order, [3, 5, 7]);
    }

    #[test]
    fn nothing_later_than_asked_for_comes_out() {
        let mut q = EventQueue::new(4);
        q.push(Instant::from_nanos(10), 1);
        assert_eq!(q.pop_until(Instant::from_nanos(9)), None);
        // A push before the bucket that the look-ahead opened still comes first.
        q.push(Instant::from_nanos(5), 2);
        assert_eq!(q.pop_until(Instant::from_nanos(9)), Some((Instant::from_nanos(5), 2)));
        assert_eq!(q.pop_until(Instant::from_nanos(10)), Some((Instant::from_nanos(10), 1)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// The standard library's heap is the oracle, over gaps from nanoseconds to minutes, so that the far
        /// heap, crowded buckets and rebuilds all take part.
        #[test]
        fn order_equals_a_sorted_heap(seed in any::<u64>(), spread in 0u32..36, hold in 1usize..400) {
            let mut rng = tailrace_core::Rng::new(seed);
            let mut q = EventQueue::new(1);
            let mut oracle = BinaryHeap::new();
            let mut now = 0;
            for _ in 0..20_000 {
                if q.len() < hold || rng.bernoulli(0.5) {
                    let gap = rng.next_u64() >> (64 - 1 - spread) >> rng.below(u64::from(spread) + 1);
                    let target = rng.below(1000) as u32;
                    q.push(Instant::from_nanos(now + gap), target);
                    oracle.push(Reverse((now + gap, target)));
                } else {
                    let until = Instant::from_nanos(now + (rng.next_u64() >> (63 - spread)));
                    let popped = q.pop_until(until);
                    let Reverse((at, target)) = *oracle.peek().unwrap();
                    if at <= until.as_nanos() {
                        oracle.pop();
                        prop_assert_eq!(popped, Some((Instant::from_nanos(at), target)));
                        now = at;
                    } else {
                        prop_assert_eq!(popped, None);
                    }
                }
            }
            prop_assert_eq!(q.len(), oracle.len());
        }
    }
}

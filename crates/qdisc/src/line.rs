//! Flows in line by keys that mostly come in order: a run of those that did, and a heap of the others.
//!
//! A virtual clock gives most newcomers a larger key than everybody before them, and the first leaves first. Such a flow is
//! appended to the run and taken from its front, which costs a tenth of a heap's way. Which flow is the first does not
//! depend on where each of them is.

use crate::flow_queue::store::NONE;
use crate::heap::Heap;
use std::collections::VecDeque;

/// Flows by key, the least first. No two have the same key.
#[derive(Debug)]
pub(crate) struct Line<K> {
    /// In the order of keys; [`NONE`] instead of a flow that has left, but not at the front.
    run: VecDeque<(K, u32)>,
    /// How many have ever left the run at its front: what the first of it is numbered.
    left: u64,
    /// The number in the run of each flow; [`OUT`]: it is not there.
    numbers: Vec<u64>,
    /// Flows of the run.
    in_run: u32,
    /// Apart, since it is mostly empty.
    heap: Box<Heap<K>>,
}

/// Gaps that the run may have beyond one for each of its flows.
const MOST_GAPS: usize = 64;
/// No number in the run.
const OUT: u64 = u64::MAX;

impl<K: Copy + Ord> Line<K> {
    pub(crate) fn new() -> Self {
        Self { run: VecDeque::new(), left: 0, numbers: Vec::new(), in_run: 0, heap: Box::new(Heap::new()) }
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.in_run + self.heap.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(crate) fn contains(&self, flow: u32) -> bool {
        self.number(flow) != OUT || (self.heap.len() > 0 && self.heap.contains(flow))
    }

    #[inline]
    fn number(&self, flow: u32) -> u64 {
        self.numbers.get(flow as usize).copied().unwrap_or(OUT)
    }

    /// The flow with the least key.
    #[inline]
    pub(crate) fn first(&self) -> Option<(K, u32)> {
        match (self.run.front(), self.heap.first()) {
            (Some(run), Some(heap)) => Some(if run.0 < heap.0 { *run } else { heap }),
            (run, heap) => run.copied().or(heap),
        }
    }

    /// All flows, in no particular order.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        self.run.iter().map(|(_, flow)| *flow).filter(|flow| *flow != NONE).chain(self.heap.indices())
    }

    /// Inserts `flow`, or changes its key.
    #[inline]
    pub(crate) fn set(&mut self, flow: u32, key: K) {
        if self.number(flow) == OUT && self.heap.len() == 0 && self.extends_run(key) {
            self.append(flow, key);
        } else {
            self.change(flow, key);
        }
    }

    /// As [`Line::set`], wherever `flow` is and belongs.
    #[inline(never)]
    fn change(&mut self, flow: u32, key: K) {
        let number = self.number(flow);
        if number != OUT {
            let place = (number - self.left) as usize;
            let length = self.run.len();
            let entry = &mut self.run[place];
            // The last one stays where it is.
            if entry.0 <= key && place + 1 == length {
                entry.0 = key;
                return;
            }
            self.leave_run(flow);
        }
        if self.extends_run(key) {
            self.heap.remove(flow);
            self.append(flow, key);
        } else {
            self.heap.set(flow, key);
        }
    }

    /// Whether one with `key` may become the last of the run. One that stays at the front must not make it ever longer.
    #[inline]
    fn extends_run(&self, key: K) -> bool {
        let mostly_gaps = self.run.len() > 2 * self.in_run as usize + MOST_GAPS;
        !mostly_gaps && self.run.back().is_none_or(|(last, _)| *last <= key)
    }

    #[inline]
    fn append(&mut self, flow: u32, key: K) {
        if self.numbers.len() <= flow as usize {
            self.numbers.resize(flow as usize + 1, OUT);
        }
        self.numbers[flow as usize] = self.left + self.run.len() as u64;
        self.run.push_back((key, flow));
        self.in_run += 1;
    }

    /// Takes `flow` out, if it is in.
    #[inline]
    pub(crate) fn remove(&mut self, flow: u32) {
        if !self.leave_run(flow) {
            self.heap.remove(flow);
        }
    }

    /// Takes `flow` out of the run; whether it was there.
    #[inline]
    fn leave_run(&mut self, flow: u32) -> bool {
        let number = self.number(flow);
        if number == OUT {
            return false;
        }
        self.numbers[flow as usize] = OUT;
        self.in_run -= 1;
        if number > self.left {
            self.run[(number - self.left) as usize].1 = NONE;
            return true;
        }
        self.run.pop_front();
        self.left += 1;
        while self.run.front().is_some_and(|(_, flow)| *flow == NONE) {
            self.run.pop_front();
            self.left += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Keys rise with the steps, but for some that fall back.
        #[test]
        fn the_first_is_the_one_with_the_least_key_wherever_it_is(
            steps in prop::collection::vec((0u32..20, prop::option::of(0u64..3), 0u32..3), 1..600),
        ) {
            let (mut line, mut plain) = (Line::new(), BTreeMap::new());
            for (step, (flow, back, leaves)) in steps.into_iter().enumerate() {
                match back {
                    Some(back) => {
                        let key = (step as u64 + 30).saturating_sub(back * 10);
                        line.set(flow, (key, flow));
                        plain.insert(flow, key);
                    }
                    None => {
                        line.remove(flow);
                        plain.remove(&flow);
                    }
                }
                for _ in 0..leaves {
                    let least = plain.iter().map(|(flow, key)| (*key, *flow)).min();
                    prop_assert_eq!(line.first().map(|(key, _)| key), least);
                    if let Some((_, flow)) = least {
                        line.remove(flow);
                        plain.remove(&flow);
                    }
                }
                prop_assert_eq!((line.len() as usize, line.is_empty()), (plain.len(), plain.is_empty()));
                prop_assert!((0..20).all(|flow| line.contains(flow) == plain.contains_key(&flow)));
                let mut all: Vec<u32> = line.indices().collect();
                all.sort_unstable();
                prop_assert!(all.into_iter().eq(plain.keys().copied()));
            }
        }
    }

    #[test]
    fn a_flow_that_stays_at_the_front_does_not_make_the_run_grow() {
        let mut line = Line::new();
        line.set(0, 0);
        (1..10_000).for_each(|key| line.set(1, key));
        assert_eq!((line.first(), line.len()), (Some((0, 0)), 2));
        assert!(line.run.len() <= 2 * 2 + MOST_GAPS + 1, "{}", line.run.len());
    }
}

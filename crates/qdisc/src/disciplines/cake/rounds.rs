//! The rounds in which the flows of a tin take turns, and a calendar of those that have long to wait.
//!
//! All are doubly linked lists through the flows; each flow is in one at most.

use super::ways::QUEUES;

/// The lists beside the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// Sparse flows: first.
    New,
    /// The others whose turn is still to come in this round.
    Old,
    /// Flows that have had their turn: they are the old ones of the next round.
    Later,
    /// Empty ones whose law comes to rest: looked at once a packet.
    Decaying,
}

/// Rounds ahead for which there is a page: who is booked for later is looked at before.
pub(super) const PAGES: u64 = 512;
/// Behind the flows come the heads of the lists, and behind these the heads of the pages.
const HEADS: usize = QUEUES;
const FIRST_PAGE: usize = HEADS + 4;
/// Flows and heads, rounded up so that no index needs to be checked.
const LINKS: usize = 2 * QUEUES;

/// Neighbours of a flow, or a head, in its list.
#[derive(Clone, Copy, Debug)]
struct Link {
    next: u16,
    previous: u16,
}

/// The lists.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    /// The head of each list makes a ring of it.
    links: Box<[Link; LINKS]>,
    /// Number of the round.
    number: u64,
    /// Pages with flows, a bit each.
    booked: [u64; (PAGES / 64) as usize],
}

impl Rounds {
    pub(super) fn new() -> Self {
        let alone = |link| Link { next: link as u16, previous: link as u16 };
        Self { links: Box::new(core::array::from_fn(alone)), number: 0, booked: [0; (PAGES / 64) as usize] }
    }

    #[inline]
    pub(super) fn first(&self, round: Round) -> Option<usize> {
        self.after(HEADS + round as usize)
    }

    /// The flow after `flow` in its list.
    #[inline]
    pub(super) fn after(&self, flow: usize) -> Option<usize> {
        let next = usize::from(self.links[flow % LINKS].next);
        (next < QUEUES).then_some(next)
    }

    #[inline]
    pub(super) fn push(&mut self, round: Round, flow: usize) {
        self.append(HEADS + round as usize, flow);
    }

    #[inline]
    pub(super) fn remove(&mut self, link: usize) {
        let Link { next, previous } = self.links[link % LINKS];
        self.join(usize::from(previous), usize::from(next));
    }

    /// The old flows up to `last` had their turn.
    #[inline]
    pub(super) fn pass(&mut self, last: usize) {
        let (old, later) = (HEADS + Round::Old as usize, HEADS + Round::Later as usize);
        let first = usize::from(self.links[old].next);
        self.join(old, usize::from(self.links[last % LINKS].next));
        self.join(usize::from(self.links[later].previous), first);
        self.join(last, later);
    }

    /// Puts `flow` on the page of the round `ahead` of this one.
    #[inline]
    pub(super) fn book(&mut self, flow: usize, ahead: u64) {
        let page = (self.number + ahead.clamp(1, PAGES - 1)) % PAGES;
        self.booked[page as usize / 64] |= 1 << (page % 64);
        self.append(FIRST_PAGE + page as usize, flow);
    }

    /// Begins the next round in which somebody has a turn or is booked, where there is one; by how many rounds it is later.
    /// All old flows of this one have had their turn.
    #[inline]
    pub(super) fn begin(&mut self) -> Option<u64> {
        let (old, later) = (HEADS + Round::Old as usize, HEADS + Round::Later as usize);
        let passed = if let Some(first) = self.first(Round::Later) {
            let last = usize::from(self.links[later].previous);
            self.join(old, first);
            self.join(last, old);
            self.join(later, later);
            1
        } else {
            self.to_next_page()?
        };
        self.number += passed;
        Some(passed)
    }

    /// Whether this round's page has flows.
    #[inline]
    pub(super) fn has_booked(&self) -> bool {
        let page = self.number % PAGES;
        self.booked[page as usize / 64] & 1 << (page % 64) != 0
    }

    /// Takes a flow off this round's page.
    #[inline]
    pub(super) fn take_booked(&mut self) -> Option<usize> {
        let page = self.number % PAGES;
        let flow = self.after(FIRST_PAGE + page as usize);
        match flow {
            Some(flow) => self.remove(flow),
            None => self.booked[page as usize / 64] &= !(1 << (page % 64)),
        }
        flow
    }

    /// Rounds to the next page with flows.
    fn to_next_page(&self) -> Option<u64> {
        let first = (self.number + 1) % PAGES;
        let (word, bit) = (first as usize / 64, first % 64);
        let words = self.booked.len();
        // The word in which the search begins comes once more at the end, for its bits before that.
        (0..=words).find_map(|step| {
            let place = (word + step) % words;
            let bits = self.booked[place] & if step == 0 { u64::MAX << bit } else { u64::MAX };
            let page = 64 * place as u64 + u64::from(bits.trailing_zeros());
            (bits != 0).then(|| 1 + (page + PAGES - first) % PAGES)
        })
    }

    /// Makes `later` the one after `link`.
    #[inline]
    fn join(&mut self, link: usize, later: usize) {
        self.links[link % LINKS].next = later as u16;
        self.links[later % LINKS].previous = link as u16;
    }

    #[inline]
    fn append(&mut self, head: usize, flow: usize) {
        self.join(usize::from(self.links[head % LINKS].previous), flow);
        self.join(flow, head);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn all(rounds: &Rounds, round: Round) -> Vec<usize> {
        core::iter::successors(rounds.first(round), |flow| rounds.after(*flow)).collect()
    }

    proptest! {
        /// Each flow passes or is booked for a round, and comes up in that one, in the order in which they were booked for
        /// it.
        #[test]
        fn flows_come_up_in_the_round_that_they_are_booked_for(
            steps in prop::collection::vec((0u64..1400, 0usize..6), 1..200),
        ) {
            let mut rounds = Rounds::new();
            let (mut old, mut later) = ((0..8).collect::<VecDeque<usize>>(), Vec::new());
            old.iter().for_each(|flow| rounds.push(Round::Old, *flow));
            let (mut number, mut booked) = (0, Vec::new());
            for (ahead, passing) in steps {
                // Some pass at once, one is booked.
                let passing = passing.min(old.len());
                if let Some(last) = passing.checked_sub(1).map(|last| old[last]) {
                    rounds.pass(last);
                    later.extend(old.drain(..passing));
                }
                if let Some(flow) = old.pop_front() {
                    rounds.remove(flow);
                    rounds.book(flow, ahead);
                    booked.push((number + ahead.clamp(1, PAGES - 1), flow));
                }
                prop_assert_eq!(all(&rounds, Round::Later), later.clone());
                if old.is_empty() {
                    let next = booked.iter().map(|(round, _)| *round).min().unwrap_or(u64::MAX);
                    let next = if later.is_empty() { next } else { number + 1 };
                    prop_assert_eq!(rounds.begin(), Some(next - number));
                    number = next;
                    let due = booked.iter().filter(|(round, _)| *round == number).map(|(_, flow)| *flow);
                    let due: Vec<usize> = due.collect();
                    booked.retain(|(round, _)| *round != number);
                    prop_assert_eq!(core::iter::from_fn(|| rounds.take_booked()).collect::<Vec<_>>(), due.clone());
                    due.iter().for_each(|flow| rounds.push(Round::Old, *flow));
                    old = later.drain(..).chain(due).collect();
                }
                prop_assert_eq!(all(&rounds, Round::Old), old.iter().copied().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn without_flows_there_is_no_next_round() {
        assert_eq!(Rounds::new().begin(), None);
    }
}

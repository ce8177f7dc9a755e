//! One tin: its flows, in three rounds (new, old, decaying), and the shares that their hosts leave them.

use super::hosts::{ALONE, FlowMode, Hosts};
use super::shaper::TinClock;
use super::ways::{Found, QUEUES, Ways};
use crate::disciplines::cobalt::{Rule, State};
use crate::flow_queue::store::Ends;
use tailrace_core::Rng;

/// What a flow is at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// It has no packets and its law is at rest.
    None,
    /// New to the rounds; it has not used up a quantum.
    Sparse,
    /// As that, but it has overdrawn with its last packet, and waits its turn among the old ones.
    SparseWait,
    /// It keeps sending.
    Bulk,
    /// It has no packets, but its law has yet to come to rest.
    Decaying,
}

/// A queue.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) ends: Ends,
    pub(super) set: Set,
    pub(super) law: State,
}

/// What the turns of a queue go by; apart from the rest, since many pass by before one may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    deficit: i64,
    source: u16,
    destination: u16,
}

/// The rounds in which flows take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// Sparse flows: first.
    New,
    /// The others.
    Old,
    /// Empty ones whose law comes to rest: looked at once a packet.
    Decaying,
}

/// A packet's queue is looked for by these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashes {
    pub(super) flow: u32,
    pub(super) source: u32,
    pub(super) destination: u32,
}

/// Flows, rounds and clock of one tin.
#[derive(Clone, Debug)]
pub(super) struct Tin {
    pub(super) flows: Box<[Flow; QUEUES]>,
    turns: Box<[Turn; QUEUES]>,
    ways: Ways,
    sources: Option<Hosts>,
    destinations: Option<Hosts>,
    rounds: Rounds,
    pub(super) sparse: u32,
    pub(super) bulk: u32,
    /// Flows that BLUE drops from.
    pub(super) unresponsive: u32,
    pub(super) clock: TinClock,
    /// Where the rate is unlimited: bytes a turn, and what is left of the turn.
    pub(super) quantum: i64,
    pub(super) deficit: i64,
    pub(super) backlog: u64,
    pub(super) share: Share,
}

/// What follows from the tin's rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Of COBALT.
    pub(super) rule: Rule,
    /// Time that the largest packet takes.
    pub(super) mtu_time: i64,
    /// Bytes a flow may send in its turn, where its hosts have no other.
    pub(super) flow_quantum: u32,
}

impl Tin {
    pub(super) fn new(mode: FlowMode, clock: TinClock, quantum: i64, share: Share) -> Self {
        Self {
            flows: boxed(Flow { ends: Ends::EMPTY, set: Set::None, law: State::hasty() }),
            turns: boxed(Turn { deficit: 0, source: 0, destination: 0 }),
            ways: Ways::new(),
            sources: mode.isolates_sources().then(Hosts::new),
            destinations: mode.isolates_destinations().then(Hosts::new),
            rounds: Rounds::new(),
            sparse: 0,
            bulk: 0,
            unresponsive: 0,
            clock,
            quantum,
            deficit: 0,
            backlog: 0,
            share,
        }
    }

    /// Whether a flow may have packets.
    #[inline]
    pub(super) fn is_active(&self) -> bool {
        self.sparse + self.bulk > 0
    }

    /// Packets that had to share a queue.
    pub(super) fn collisions(&self) -> u64 {
        self.ways.collisions
    }

    /// The queue of a packet.
    #[inline]
    pub(super) fn queue_of(&mut self, hashes: Hashes) -> usize {
        let flows = &self.flows;
        let found = self.ways.find(hashes.flow, |queue| flows[queue].set != Set::None);
        if !matches!(found, Found::Its(_)) {
            self.settle_hosts(found.queue(), hashes);
        }
        found.queue()
    }

    /// The queue has a flow that it had not before: it counts for that one's hosts from now on.
    fn settle_hosts(&mut self, queue: usize, hashes: Hashes) {
        let in_bulk = self.flows[queue].set == Set::Bulk;
        let turn = &mut self.turns[queue];
        let sides = [
            (&mut self.sources, &mut turn.source, hashes.source),
            (&mut self.destinations, &mut turn.destination, hashes.destination),
        ];
        for (hosts, host, hash) in sides {
            let Some(hosts) = hosts else { continue };
            if in_bulk {
                hosts.remove(*host);
            }
            *host = hosts.place(hash);
            if in_bulk {
                hosts.add(*host);
            }
        }
    }

    /// A packet came into queue `queue`.
    #[inline]
    pub(super) fn on_arrival(&mut self, queue: usize, rng: &mut Rng) {
        match self.flows[queue].set {
            Set::None | Set::Decaying => {
                if self.flows[queue].set == Set::Decaying {
                    self.rounds.remove(queue);
                }
                self.rounds.push(Round::New, queue);
                self.flows[queue].set = Set::Sparse;
                self.sparse += 1;
                self.turns[queue].deficit = self.bytes_of_turn(queue, rng);
            }
            Set::SparseWait => {
                self.sparse -= 1;
                self.enter_bulk(queue);
            }
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// The flow whose turn it is, decaying ones before the others where these are asked for. Flows that have
    /// overdrawn get a quantum and wait for the next turn.
    #[inline]
    pub(super) fn next_flow(&mut self, decaying_first: &mut bool, rng: &mut Rng) -> Option<usize> {
        loop {
            let first = |round| self.rounds.first(round);
            let decaying = if core::mem::take(decaying_first) { first(Round::Decaying) } else { None };
            let queue = match decaying.or_else(|| first(Round::New)) {
                Some(queue) => queue,
                None => match first(Round::Old) {
                    Some(queue) => return Some(self.rotate(queue, rng)),
                    None => first(Round::Decaying)?,
                },
            };
            if self.turns[queue].deficit > 0 {
                return Some(queue);
            }
            if self.flows[queue].set == Set::Sparse {
                if self.flows[queue].ends.is_empty() {
                    self.flows[queue].set = Set::SparseWait;
                } else {
                    self.sparse -= 1;
                    self.enter_bulk(queue);
                }
            }
            self.turns[queue].deficit += self.bytes_of_turn(queue, rng);
            self.rounds.remove(queue);
            self.rounds.push(Round::Old, queue);
        }
    }

    /// The next flow of the old round that may send, from `queue`, its first. Those before it get a quantum each; all of them
    /// go to the end at once.
    #[inline(never)]
    fn rotate(&mut self, mut queue: usize, rng: &mut Rng) -> usize {
        // In registers, and a function by itself to keep them there: with shares for hosts a turn is a small part of
        // a packet, and each draws.
        let mut draws = rng.clone();
        let shares = Shares::new(self.share.flow_quantum, &self.sources, &self.destinations);
        let turns = &mut self.turns;
        while turns[queue % QUEUES].deficit <= 0 {
            let turn = &mut turns[queue % QUEUES];
            turn.deficit += shares.of(*turn, &mut draws);
            queue = self.rounds.after(Round::Old, queue);
        }
        *rng = draws;
        self.rounds.begin_with(Round::Old, queue);
        queue
    }

    /// Takes `bytes` from what `queue` may send.
    #[inline]
    pub(super) fn pay(&mut self, queue: usize, bytes: i64) {
        let deficit = &mut self.turns[queue].deficit;
        *deficit = deficit.saturating_sub(bytes);
    }

    /// The turn of `queue` found no packet.
    pub(super) fn on_empty(&mut self, queue: usize, now: i64) {
        let flow = &mut self.flows[queue];
        let active = flow.law.blue_is_active();
        flow.law.on_idle(&self.share.rule, now);
        self.unresponsive -= u32::from(active && !flow.law.blue_is_active());
        let rests = flow.law.at_rest(now);
        let before = core::mem::replace(&mut flow.set, if rests { Set::None } else { Set::Decaying });
        match before {
            Set::Sparse | Set::SparseWait => self.sparse -= 1,
            Set::Bulk => self.leave_bulk(queue),
            Set::Decaying | Set::None => {}
        }
        self.rounds.remove(queue);
        if !rests {
            self.rounds.push(Round::Decaying, queue);
        }
    }

    /// The limit made queue `queue` drop a packet.
    pub(super) fn on_overlimit(&mut self, queue: usize, now: i64) {
        let law = &mut self.flows[queue].law;
        let active = law.blue_is_active();
        law.on_overlimit(&self.share.rule, now);
        self.unresponsive += u32::from(!active && law.blue_is_active());
    }

    fn enter_bulk(&mut self, queue: usize) {
        self.flows[queue].set = Set::Bulk;
        self.bulk += 1;
        let turn = self.turns[queue];
        self.sources.iter_mut().for_each(|hosts| hosts.add(turn.source));
        self.destinations.iter_mut().for_each(|hosts| hosts.add(turn.destination));
    }

    fn leave_bulk(&mut self, queue: usize) {
        self.bulk -= 1;
        let turn = self.turns[queue];
        self.sources.iter_mut().for_each(|hosts| hosts.remove(turn.source));
        self.destinations.iter_mut().for_each(|hosts| hosts.remove(turn.destination));
    }

    /// Bytes of the next turn of `queue`.
    #[inline]
    fn bytes_of_turn(&self, queue: usize, rng: &mut Rng) -> i64 {
        Shares::new(self.share.flow_quantum, &self.sources, &self.destinations).of(self.turns[queue], rng)
    }
}

/// What hosts leave each of their flows.
#[derive(Clone, Copy, Debug)]
struct Shares<'a> {
    quantum: u32,
    sources: &'a [u16; QUEUES],
    destinations: &'a [u16; QUEUES],
}

impl<'a> Shares<'a> {
    #[inline]
    fn new(quantum: u32, sources: &'a Option<Hosts>, destinations: &'a Option<Hosts>) -> Self {
        let parts =
            |hosts: &'a Option<Hosts>| -> &'a [u16; QUEUES] { hosts.as_ref().map_or(&ALONE, Hosts::parts) };
        Self { quantum, sources: parts(sources), destinations: parts(destinations) }
    }

    /// Bytes of a turn: a host with more flows in bulk gives each of them less. The random part makes the mean of
    /// the rounded number right.
    #[inline]
    fn of(self, turn: Turn, rng: &mut Rng) -> i64 {
        let source = self.sources[usize::from(turn.source) % QUEUES];
        let destination = self.destinations[usize::from(turn.destination) % QUEUES];
        let share = self.quantum * u32::from(source.min(destination));
        i64::from((share + (rng.next_u64() >> 48) as u32) >> 16)
    }
}

fn boxed<T: Clone + core::fmt::Debug>(each: T) -> Box<[T; QUEUES]> {
    vec![each; QUEUES].try_into().expect("as many as there are queues")
}

/// Doubly linked lists through all flows; each flow is in one at most.
#[derive(Clone, Debug)]
struct Rounds {
    /// Behind the flows come the heads of the lists, which makes rings of them.
    next: Box<[u16; LINKS]>,
    previous: Box<[u16; LINKS]>,
}

/// Flows and heads, rounded up so that no index needs to be checked.
const LINKS: usize = 2 * QUEUES;

impl Rounds {
    fn new() -> Self {
        let alone = Box::new(core::array::from_fn(|link| link as u16));
        Self { next: alone.clone(), previous: alone }
    }

    #[inline]
    fn first(&self, round: Round) -> Option<usize> {
        let first = self.next(QUEUES + round as usize);
        (first < QUEUES).then_some(first)
    }

    #[inline]
    fn next(&self, link: usize) -> usize {
        usize::from(self.next[link % LINKS])
    }

    /// Makes `later` the one after `link`.
    #[inline]
    fn join(&mut self, link: usize, later: usize) {
        self.next[link % LINKS] = later as u16;
        self.previous[later % LINKS] = link as u16;
    }

    #[inline]
    fn push(&mut self, round: Round, flow: usize) {
        let head = QUEUES + round as usize;
        self.join(usize::from(self.previous[head]), flow);
        self.join(flow, head);
    }

    /// The flow after `flow` in `round`; after its last the first.
    #[inline]
    fn after(&self, round: Round, flow: usize) -> usize {
        let (next, head) = (self.next(flow), QUEUES + round as usize);
        if next == head { self.next(head) } else { next }
    }

    /// Makes `flow` the first of `round`, and those before it the last: the head moves, not they.
    #[inline]
    fn begin_with(&mut self, round: Round, flow: usize) {
        let head = QUEUES + round as usize;
        self.remove(head);
        self.join(usize::from(self.previous[flow % LINKS]), head);
        self.join(head, flow);
    }

    #[inline]
    fn remove(&mut self, link: usize) {
        self.join(usize::from(self.previous[link % LINKS]), self.next(link));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::cake::CakeConfig;
    use proptest::prelude::*;
    use tailrace_core::Rng;

    impl Tin {
        /// As Linux has it: each flow that has overdrawn goes to the end by itself.
        fn next_flow_plainly(&mut self, decaying_first: &mut bool, rng: &mut Rng) -> Option<usize> {
            loop {
                let first = |round| self.rounds.first(round);
                let decaying = if core::mem::take(decaying_first) { first(Round::Decaying) } else { None };
                let queue = decaying
                    .or_else(|| first(Round::New))
                    .or_else(|| first(Round::Old))
                    .or_else(|| first(Round::Decaying))?;
                if self.turns[queue].deficit > 0 {
                    return Some(queue);
                }
                if self.flows[queue].set == Set::Sparse {
                    if self.flows[queue].ends.is_empty() {
                        self.flows[queue].set = Set::SparseWait;
                    } else {
                        self.sparse -= 1;
                        self.enter_bulk(queue);
                    }
                }
                self.turns[queue].deficit += self.bytes_of_turn(queue, rng);
                self.rounds.remove(queue);
                self.rounds.push(Round::Old, queue);
            }
        }

        fn order(&self, round: Round) -> Vec<usize> {
            let mut order: Vec<usize> = self.rounds.first(round).into_iter().collect();
            while let Some(last) = order.last() {
                let next = self.rounds.next(*last);
                if next >= QUEUES {
                    break;
                }
                order.push(next);
            }
            order
        }
    }

    proptest! {
        /// Packets of hosts with many and few flows arrive, and what is chosen pays or is found empty.
        #[test]
        fn flows_take_turns_as_where_each_goes_to_the_end_by_itself(
            steps in prop::collection::vec((0u32..40, 0u32..3, 0u8..4, 40i64..1500), 1..400),
        ) {
            let share = CakeConfig::default().share(0);
            let mut tin = Tin::new(FlowMode::TripleIsolate, TinClock::new(0), 1024, share);
            let (mut plain, mut rng) = (tin.clone(), Rng::new(1));
            for (flow, host, what, bytes) in steps {
                let mut twin = rng.clone();
                if what == 0 {
                    let hashes = Hashes { flow: flow * 77_777 + 1, source: flow + 1, destination: host + 1 };
                    let queue = tin.queue_of(hashes);
                    prop_assert_eq!(plain.queue_of(hashes), queue);
                    tin.on_arrival(queue, &mut rng);
                    plain.on_arrival(queue, &mut twin);
                } else {
                    let mut decaying = what == 1;
                    let chosen = plain.next_flow_plainly(&mut { decaying }, &mut twin);
                    prop_assert_eq!(tin.next_flow(&mut decaying, &mut rng), chosen);
                    for tin in [&mut tin, &mut plain] {
                        match chosen {
                            Some(queue) if bytes % 3 == 0 => tin.on_empty(queue, 0),
                            Some(queue) => tin.pay(queue, bytes),
                            None => {}
                        }
                    }
                }
                prop_assert_eq!(&rng, &twin);
                prop_assert_eq!(&tin.turns, &plain.turns);
                for round in [Round::New, Round::Old, Round::Decaying] {
                    prop_assert_eq!(tin.order(round), plain.order(round));
                }
            }
        }
    }
}

//! One tin: its flows, in three rounds (new, old, decaying), and the shares that their hosts leave them.
//!
//! With many flows a host, a turn is a small part of a packet, and a flow has to wait for as many rounds as it takes. Linux
//! passes by all of them in each round. Here a flow that needs more than [`FAR`] turns leaves the rounds, and comes back
//! when all but a few of them have gone by ([`Tin::go_away`]); what it got meanwhile follows from its hosts' sums.

use super::hosts::{FlowMode, Hosts};
use super::rounds::{Round, Rounds};
use super::shaper::TinClock;
use super::ways::{Found, QUEUES, Ways, boxed};
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
    /// Whether it has left the rounds for some time.
    is_away: bool,
}

/// What the hosts of a flow that is away had given each of theirs when it was last credited ([`Hosts::credit`]).
#[derive(Clone, Copy, Debug, Default)]
struct Away {
    source: u64,
    destination: u64,
}

/// A flow that needs more turns than these leaves the rounds.
const FAR: u64 = 8;
/// One that needs no more than these comes back.
const NEAR: u64 = 2;

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
    away: Box<[Away; QUEUES]>,
    ways: Ways,
    sources: Hosts,
    destinations: Hosts,
    rounds: Rounds,
    /// Bytes that the rounds so far have given a flow whose hosts have no other.
    given: u64,
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
            turns: boxed(Turn { deficit: 0, source: 0, destination: 0, is_away: false }),
            away: boxed(Away::default()),
            ways: Ways::new(),
            sources: Hosts::new(mode.isolates_sources()),
            destinations: Hosts::new(mode.isolates_destinations()),
            rounds: Rounds::new(),
            given: 0,
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
    pub(super) fn queue_of(&mut self, hashes: Hashes, rng: &mut Rng) -> usize {
        let found = self.ways.find(hashes.flow);
        if !matches!(found, Found::Its(_)) {
            self.settle_hosts(found.queue(), hashes, rng);
        }
        found.queue()
    }

    /// The queue has a flow that it had not before: it counts for that one's hosts from now on.
    fn settle_hosts(&mut self, queue: usize, hashes: Hashes, rng: &mut Rng) {
        let (in_bulk, given) = (self.flows[queue].set == Set::Bulk, self.given);
        if self.turns[queue].is_away {
            self.credit(queue, rng);
        }
        let (turn, away) = (&mut self.turns[queue], &mut self.away[queue]);
        let sides = [
            (&mut self.sources, &mut turn.source, hashes.source, &mut away.source),
            (&mut self.destinations, &mut turn.destination, hashes.destination, &mut away.destination),
        ];
        for (hosts, host, hash, credit) in sides {
            if in_bulk {
                hosts.remove(*host, given);
            }
            *host = hosts.place(hash);
            if in_bulk {
                hosts.add(*host, given);
            }
            *credit = hosts.credit(*host, given);
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
                self.ways.set_busy(queue, true);
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
                None => match self.rotate(rng) {
                    Some(queue) => return Some(queue),
                    None => self.rounds.first(Round::Decaying)?,
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
            if self.turns_to_go(queue) > FAR {
                self.go_away(queue);
            } else {
                self.rounds.push(Round::Later, queue);
            }
        }
    }

    /// The next old flow that may send. Those before it get a quantum each.
    #[inline(never)]
    fn rotate(&mut self, rng: &mut Rng) -> Option<usize> {
        loop {
            let mut passed = None;
            let mut next = self.rounds.first(Round::Old);
            while let Some(queue) = next {
                if self.turns[queue].deficit > 0 {
                    break;
                }
                next = self.rounds.after(queue);
                self.turns[queue].deficit += self.bytes_of_turn(queue, rng);
                if self.turns_to_go(queue) > FAR {
                    self.rounds.remove(queue);
                    self.go_away(queue);
                } else {
                    passed = Some(queue);
                }
            }
            passed.into_iter().for_each(|last| self.rounds.pass(last));
            if next.is_some() {
                return next;
            }
            self.begin_round(rng)?;
        }
    }

    /// Begins the next round, with those that come back in it.
    fn begin_round(&mut self, rng: &mut Rng) -> Option<()> {
        let passed = self.rounds.begin()?;
        let quantum = u64::from(self.share.flow_quantum);
        // Who comes back has the turn of this round still to come.
        self.given = self.given.wrapping_add((passed - 1).wrapping_mul(quantum));
        while let Some(queue) = self.rounds.take_booked() {
            self.credit(queue, rng);
            if self.turns_to_go(queue) > NEAR {
                self.go_away(queue);
            } else {
                self.turns[queue].is_away = false;
                self.rounds.push(Round::Old, queue);
            }
        }
        self.given = self.given.wrapping_add(quantum);
        Some(())
    }

    /// Turns after which `queue` may send, as its hosts are loaded now.
    #[inline]
    fn turns_to_go(&self, queue: usize) -> u64 {
        let turn = self.turns[queue % QUEUES];
        if turn.deficit > 0 { 0 } else { (turn.deficit.unsigned_abs() << 16) / u64::from(self.rate_of(turn)) + 1 }
    }

    /// Lets `queue` pass most of the rounds that it waits for: three quarters, and then of what is left, since the load of
    /// its hosts may fall meanwhile.
    #[inline]
    fn go_away(&mut self, queue: usize) {
        let turn = &mut self.turns[queue % QUEUES];
        turn.is_away = true;
        self.away[queue % QUEUES] = Away {
            source: self.sources.credit(turn.source, self.given),
            destination: self.destinations.credit(turn.destination, self.given),
        };
        self.rounds.book(queue, self.turns_to_go(queue) * 3 / 4);
    }

    /// Gives `queue`, which is away, what it was due since it was last credited: what the busier of its hosts has left
    /// each. The random part makes the mean of the rounded number right.
    #[inline]
    fn credit(&mut self, queue: usize, rng: &mut Rng) {
        let (turn, away) = (&mut self.turns[queue % QUEUES], self.away[queue % QUEUES]);
        let source = self.sources.credit(turn.source, self.given).wrapping_sub(away.source);
        let destination = self.destinations.credit(turn.destination, self.given).wrapping_sub(away.destination);
        turn.deficit += ((source.min(destination) + (rng.next_u64() >> 48)) >> 16) as i64;
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
        self.ways.set_busy(queue, !rests);
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
        self.sources.add(turn.source, self.given);
        self.destinations.add(turn.destination, self.given);
    }

    fn leave_bulk(&mut self, queue: usize) {
        self.bulk -= 1;
        let turn = self.turns[queue];
        self.sources.remove(turn.source, self.given);
        self.destinations.remove(turn.destination, self.given);
    }

    /// Bytes of a turn, in parts of 2^16: a host with more flows in bulk gives each of them less.
    #[inline]
    fn rate_of(&self, turn: Turn) -> u32 {
        let part = self.sources.part(turn.source).min(self.destinations.part(turn.destination));
        self.share.flow_quantum * u32::from(part)
    }

    /// Bytes of the next turn of `queue`. The random part makes the mean of the rounded number right.
    #[inline]
    fn bytes_of_turn(&self, queue: usize, rng: &mut Rng) -> i64 {
        let rate = self.rate_of(self.turns[queue % QUEUES]);
        i64::from((rate + (rng.next_u64() >> 48) as u32) >> 16)
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
                    let queue = tin.queue_of(hashes, &mut rng);
                    prop_assert_eq!(plain.queue_of(hashes, &mut rng), queue);
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

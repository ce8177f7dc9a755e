//! One tin: its flows, in three rounds (new, old, decaying), and the shares that their hosts leave them.

use super::hosts::{FlowMode, Hosts};
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
    pub(super) deficit: i64,
    pub(super) set: Set,
    source: u16,
    destination: u16,
    pub(super) law: State,
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
#[derive(Debug)]
pub(super) struct Tin {
    pub(super) flows: Vec<Flow>,
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
        let flow = Flow {
            ends: Ends::EMPTY,
            deficit: 0,
            set: Set::None,
            source: 0,
            destination: 0,
            law: State::hasty(),
        };
        Self {
            flows: vec![flow; QUEUES],
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
        let flow = &mut self.flows[queue];
        let in_bulk = flow.set == Set::Bulk;
        let sides = [
            (&mut self.sources, &mut flow.source, hashes.source),
            (&mut self.destinations, &mut flow.destination, hashes.destination),
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
                self.flows[queue].deficit = self.turn_of(queue, rng);
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
            let queue = decaying
                .or_else(|| first(Round::New))
                .or_else(|| first(Round::Old))
                .or_else(|| first(Round::Decaying))?;
            if self.flows[queue].deficit > 0 {
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
            self.flows[queue].deficit += self.turn_of(queue, rng);
            self.rounds.remove(queue);
            self.rounds.push(Round::Old, queue);
        }
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
        let flow = &mut self.flows[queue];
        flow.set = Set::Bulk;
        self.bulk += 1;
        self.sources.iter_mut().for_each(|hosts| hosts.add(flow.source));
        self.destinations.iter_mut().for_each(|hosts| hosts.add(flow.destination));
    }

    fn leave_bulk(&mut self, queue: usize) {
        let flow = &self.flows[queue];
        self.bulk -= 1;
        self.sources.iter_mut().for_each(|hosts| hosts.remove(flow.source));
        self.destinations.iter_mut().for_each(|hosts| hosts.remove(flow.destination));
    }

    /// Bytes of a turn: a host with more flows in bulk gives each of them less. The random part makes the mean of
    /// the rounded number right.
    #[inline]
    fn turn_of(&self, queue: usize, rng: &mut Rng) -> i64 {
        let flow = &self.flows[queue];
        let load = |hosts: &Option<Hosts>, host| hosts.as_ref().map_or(1, |hosts| hosts.bulk_flows(host));
        let load = load(&self.sources, flow.source).max(load(&self.destinations, flow.destination)).max(1);
        let share = self.share.flow_quantum * (65_535 / u32::from(load));
        i64::from((share + (rng.next_u64() >> 48) as u32) >> 16)
    }
}

/// Doubly linked lists through all flows; each flow is in one at most.
#[derive(Debug)]
struct Rounds {
    /// Behind the flows come the heads of the lists, which makes rings of them.
    next: Vec<u16>,
    previous: Vec<u16>,
}

impl Rounds {
    fn new() -> Self {
        let alone: Vec<u16> = (0..QUEUES as u16 + 3).collect();
        Self { next: alone.clone(), previous: alone }
    }

    #[inline]
    fn first(&self, round: Round) -> Option<usize> {
        let first = usize::from(self.next[QUEUES + round as usize]);
        (first < QUEUES).then_some(first)
    }

    #[inline]
    fn push(&mut self, round: Round, flow: usize) {
        let head = QUEUES + round as usize;
        let last = core::mem::replace(&mut self.previous[head], flow as u16);
        self.next[usize::from(last)] = flow as u16;
        self.previous[flow] = last;
        self.next[flow] = head as u16;
    }

    #[inline]
    fn remove(&mut self, flow: usize) {
        let (previous, next) = (self.previous[flow], self.next[flow]);
        self.next[usize::from(previous)] = next;
        self.previous[usize::from(next)] = previous;
    }
}

//! A tin: its flows, in three rounds (new, old, decaying), and the shares that their hosts leave them.
//!
//! With many flows a host, a turn is a small part of a packet, and a flow has to wait for as many rounds as it takes. Linux
//! passes by all of them in each round. Here a flow that needs more than [`FAR`] turns leaves the rounds, and comes back
//! in the one in which it may send ([`Tin::book`]); what it got meanwhile follows from its hosts' sums.

use super::hosts::{FlowMode, Hosts};
use super::rounds::{Round, Rounds};
use super::shaper::TinClock;
use super::ways::{Found, QUEUES, Ways, boxed};
use crate::disciplines::cobalt::{Rule, State};
use crate::packet_lists::Ends;
use tailrace_core::Rng;

/// State of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// It has no packets and its law is at rest.
    None,
    /// New to the rounds; it has not used up a quantum.
    Sparse,
    /// A sparse flow that has overdrawn with its last packet, and waits its turn among the old ones.
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

/// Inputs of a queue's turns; apart from the rest, since many pass by before one may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    deficit: i64,
    source: u16,
    destination: u16,
    /// Whether it has left the rounds for some time.
    is_away: bool,
}

/// Credit that its hosts must have given each of their flows ([`Hosts::credit`]) until a flow that is away may send.
#[derive(Clone, Copy, Debug, Default)]
struct Away {
    source: u64,
    destination: u64,
}

/// A flow that needs more turns than these leaves the rounds until it may send.
const FAR: u64 = 8;

/// A flow's hosts are looked for by these.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostHashes {
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

/// Values that follow from the tin's rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Rule of COBALT.
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

    /// The queue of a packet whose flow has this hash. Its hosts' are asked for only if that flow is new to the queue.
    #[inline]
    pub(super) fn queue_of(&mut self, hash: u32, hosts: impl FnOnce() -> HostHashes, rng: &mut Rng) -> usize {
        let found = self.ways.find(hash);
        if !matches!(found, Found::Its(_)) {
            self.settle_hosts(found.queue(), hosts(), rng);
        }
        found.queue()
    }

    /// The queue has a flow that it had not before: it counts for that one's hosts from now on.
    #[inline]
    fn settle_hosts(&mut self, queue: usize, hashes: HostHashes, rng: &mut Rng) {
        let (is_away, in_bulk) = (self.turns[queue].is_away, self.flows[queue].set == Set::Bulk);
        if is_away {
            self.credit(queue, rng);
        }
        if in_bulk {
            self.leave_hosts(queue);
        }
        let turn = &mut self.turns[queue];
        turn.source = self.sources.place(hashes.source);
        turn.destination = self.destinations.place(hashes.destination);
        if in_bulk {
            self.join_hosts(queue);
        }
        if is_away {
            self.away[queue] = self.due(self.turns[queue]);
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
                self.ways.busy.set(queue);
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

    /// Variant of [`Tin::next_flow`] past flows that turn out to be empty; none where these were the last with
    /// packets.
    #[inline]
    pub(super) fn next_with_packets(
        &mut self,
        decaying_first: &mut bool,
        now: i64,
        rng: &mut Rng,
    ) -> Option<usize> {
        loop {
            let queue = self.next_flow(decaying_first, rng)?;
            if !self.flows[queue].ends.is_empty() {
                return Some(queue);
            }
            self.on_empty(queue, now);
            // While the tin has packets it remains the one to serve.
            if !self.is_active() {
                return None;
            }
        }
    }

    /// The flow whose turn it is, decaying ones before the others where these are asked for. Flows that have
    /// overdrawn get a quantum and wait for the next turn.
    #[inline]
    fn next_flow(&mut self, decaying_first: &mut bool, rng: &mut Rng) -> Option<usize> {
        loop {
            let first = |round| self.rounds.first(round);
            let decaying = if core::mem::take(decaying_first) { first(Round::Decaying) } else { None };
            let queue = match decaying.or_else(|| first(Round::New)) {
                Some(queue) => queue,
                None => match self.next_old(rng) {
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
            if self.take_turn(queue, rng) {
                self.rounds.remove(queue);
                self.rounds.push(Round::Later, queue);
            }
        }
    }

    /// The next old flow that may send.
    #[inline]
    fn next_old(&mut self, rng: &mut Rng) -> Option<usize> {
        match self.rounds.first(Round::Old) {
            Some(queue) if self.turns[queue].deficit > 0 => Some(queue),
            _ => self.rotate(rng),
        }
    }

    /// Variant of [`Tin::next_old`], where those before it get a quantum each.
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
                if self.take_turn(queue, rng) {
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
    #[inline]
    fn begin_round(&mut self, rng: &mut Rng) -> Option<()> {
        let passed = self.rounds.begin()?;
        let quantum = u64::from(self.share.flow_quantum);
        // A flow that comes back has the turn of this round still to come.
        self.given = self.given.wrapping_add((passed - 1).wrapping_mul(quantum));
        if self.rounds.has_booked() {
            self.come_back(rng);
        }
        self.given = self.given.wrapping_add(quantum);
        Some(())
    }

    /// The flow booked for this round comes back, if it may send by now.
    #[inline(never)]
    fn come_back(&mut self, rng: &mut Rng) {
        while let Some(queue) = self.rounds.take_booked() {
            let missing = self.missing(queue);
            if missing > 0 {
                let rate = self.rate_of(self.turns[queue % QUEUES]);
                self.book(queue, missing as u64 / u64::from(rate) + 1);
            } else {
                self.credit(queue, rng);
                self.turns[queue % QUEUES].is_away = false;
                self.rounds.push(Round::Old, queue);
            }
        }
    }

    /// Gives `queue`, which has overdrawn, the bytes of a turn. Whether it stays in its round: one that still needs many
    /// turns leaves it.
    #[inline]
    fn take_turn(&mut self, queue: usize, rng: &mut Rng) -> bool {
        let rate = self.rate_of(self.turns[queue % QUEUES]);
        let turn = &mut self.turns[queue % QUEUES];
        turn.deficit += drawn(u64::from(rate), rng);
        let stays = !turn.is_far(rate);
        if !stays {
            self.go_away(queue, rate);
        }
        stays
    }

    /// Takes `queue`, which has had its turn of this round, out of the rounds until it may send, at `rate` a turn.
    #[inline(never)]
    fn go_away(&mut self, queue: usize, rate: u32) {
        let turn = &mut self.turns[queue % QUEUES];
        turn.is_away = true;
        let turn = *turn;
        self.away[queue % QUEUES] = self.due(turn);
        self.rounds.remove(queue);
        self.book(queue, turn.short() / u64::from(rate) + 2);
    }

    /// Lets `queue`, which may send in the round `ahead` of this one as its hosts are loaded now, pass those before. Of many
    /// it passes seven eighths at first, since the load of its hosts may fall meanwhile.
    #[inline]
    fn book(&mut self, queue: usize, ahead: u64) {
        self.rounds.book(queue, ahead - ahead / 8);
    }

    /// Credit that is missing until `queue`, which is away, may send, in parts of 2^16 of a byte: that of its busier
    /// host.
    #[inline]
    fn missing(&self, queue: usize) -> i64 {
        let (due, turn) = (self.away[queue % QUEUES], self.turns[queue % QUEUES]);
        let source = due.source.wrapping_sub(self.sources.credit(turn.source, self.given));
        let destination =
            due.destination.wrapping_sub(self.destinations.credit(turn.destination, self.given));
        (source as i64).max(destination as i64)
    }

    /// Gives `queue` what it earned while it was away.
    #[inline]
    fn credit(&mut self, queue: usize, rng: &mut Rng) {
        let earned = self.turns[queue % QUEUES].short().wrapping_sub(self.missing(queue) as u64);
        self.turns[queue % QUEUES].deficit += drawn(earned, rng);
    }

    /// Credit that its hosts must have given until a flow with `turn` may send, if it goes away now.
    #[inline]
    fn due(&self, turn: Turn) -> Away {
        let short = turn.short();
        Away {
            source: self.sources.credit(turn.source, self.given).wrapping_add(short),
            destination: self.destinations.credit(turn.destination, self.given).wrapping_add(short),
        }
    }

    /// Takes `bytes` from what `queue` may send.
    #[inline]
    pub(super) fn pay(&mut self, queue: usize, bytes: i64) {
        let deficit = &mut self.turns[queue].deficit;
        *deficit = deficit.saturating_sub(bytes);
    }

    /// The turn of `queue` found no packet.
    #[inline]
    fn on_empty(&mut self, queue: usize, now: i64) {
        let flow = &mut self.flows[queue];
        if flow.law.on_idle(&self.share.rule, now) {
            self.unresponsive -= 1;
        }
        let rests = flow.law.at_rest(now);
        let before = core::mem::replace(&mut flow.set, if rests { Set::None } else { Set::Decaying });
        if rests {
            self.ways.busy.clear(queue);
        }
        if matches!(before, Set::Sparse | Set::SparseWait) {
            self.sparse -= 1;
        } else if before == Set::Bulk {
            self.leave_bulk(queue);
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
        self.join_hosts(queue);
    }

    fn leave_bulk(&mut self, queue: usize) {
        self.bulk -= 1;
        self.leave_hosts(queue);
    }

    /// `queue` counts for its hosts.
    fn join_hosts(&mut self, queue: usize) {
        let turn = self.turns[queue];
        self.sources.add(turn.source, self.given);
        self.destinations.add(turn.destination, self.given);
    }

    fn leave_hosts(&mut self, queue: usize) {
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

    /// Bytes of the next turn of `queue`.
    #[inline]
    fn bytes_of_turn(&self, queue: usize, rng: &mut Rng) -> i64 {
        drawn(u64::from(self.rate_of(self.turns[queue])), rng)
    }
}

impl Turn {
    /// Bytes that it has overdrawn, in parts of 2^16.
    #[inline]
    fn short(self) -> u64 {
        if self.deficit > 0 { 0 } else { self.deficit.unsigned_abs() << 16 }
    }

    /// Whether it may send only after more turns than [`FAR`], at `rate` a turn.
    #[inline]
    fn is_far(self, rate: u32) -> bool {
        self.short() >= FAR * u64::from(rate)
    }
}

/// Whole bytes of so many parts of 2^16. What is random about it makes the mean right.
#[inline]
fn drawn(parts: u64, rng: &mut Rng) -> i64 {
    ((parts + (rng.next_u64() >> 48)) >> 16) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::cake::CakeConfig;
    use proptest::prelude::*;
    use tailrace_core::Rng;

    impl Tin {
        /// Linux's loop: each flow that has overdrawn goes to the end, whatever it still needs.
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
            core::iter::successors(self.rounds.first(round), |queue| self.rounds.after(*queue)).collect()
        }
    }

    fn tin() -> Tin {
        Tin::new(FlowMode::TripleIsolate, TinClock::new(0), 1024, CakeConfig::default().share(0))
    }

    fn queue_of(tin: &mut Tin, flow: u32, source: u32, destination: u32, rng: &mut Rng) -> usize {
        let hosts = HostHashes { source: source + 1, destination: destination + 1 };
        tin.queue_of(flow * 77_777 + 1, || hosts, rng)
    }

    proptest! {
        /// Packets of hosts with few flows arrive, and what is chosen pays or is found empty. No packet takes more than eight
        /// turns.
        #[test]
        fn where_nobody_needs_many_turns_flows_take_them_as_in_linux(
            steps in prop::collection::vec((0u32..40, 0u8..4, 40i64..1500), 1..400),
        ) {
            let (mut tin, mut plain, mut rng) = (tin(), tin(), Rng::new(1));
            for (flow, what, bytes) in steps {
                let mut twin = rng.clone();
                if what == 0 {
                    let queue = queue_of(&mut tin, flow, flow, flow / 7, &mut rng);
                    prop_assert_eq!(queue_of(&mut plain, flow, flow, flow / 7, &mut twin), queue);
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
                for round in [Round::New, Round::Decaying] {
                    prop_assert_eq!(tin.order(round), plain.order(round));
                }
                prop_assert_eq!([tin.order(Round::Old), tin.order(Round::Later)].concat(), plain.order(Round::Old));
            }
        }
    }

    /// Function that chooses the flow whose turn it is.
    type Choice = fn(&mut Tin, &mut bool, &mut Rng) -> Option<usize>;

    /// A flow that has packets until so many of all have been sent.
    #[derive(Clone, Copy, Debug)]
    struct Backlogged {
        source: u32,
        destination: u32,
        size: i64,
        until: u32,
    }

    /// Bytes that each of `flows` sends while all together send `packets`, and the longest that it waited, in packets.
    fn served(flows: &[Backlogged], packets: u32, choose: Choice) -> Vec<(i64, u32)> {
        let (mut tin, mut rng) = (tin(), Rng::new(7));
        let mut flow_in = vec![None; QUEUES];
        for (number, flow) in (0..).zip(flows) {
            let queue = queue_of(&mut tin, number, flow.source, flow.destination, &mut rng);
            tin.on_arrival(queue, &mut rng);
            flow_in[queue] = Some(number as usize);
            // It holds packets, so that it enters bulk when it has overdrawn.
            tin.flows[queue].set = Set::Bulk;
            tin.bulk += 1;
            tin.sparse -= 1;
            let turn = tin.turns[queue];
            tin.sources.add(turn.source, tin.given);
            tin.destinations.add(turn.destination, tin.given);
        }
        let (mut sent, mut last) = (vec![(0, 0); flows.len()], vec![0; flows.len()]);
        let mut packet = 0;
        while packet < packets {
            let queue = choose(&mut tin, &mut false, &mut rng).expect("some have packets");
            let flow = flow_in[queue].expect("it is one of them");
            let Backlogged { size, until, .. } = flows[flow];
            if packet >= until {
                tin.on_empty(queue, 0);
                continue;
            }
            tin.pay(queue, size);
            let (bytes, longest) = &mut sent[flow];
            *bytes += size;
            *longest = (packet - core::mem::replace(&mut last[flow], packet)).max(*longest);
            packet += 1;
        }
        sent
    }

    #[test]
    fn who_goes_away_gets_the_share_and_the_turns_of_linux() {
        // Hosts with 1 to 300 flows, packets of two sizes; some pairs whose two hosts are about as busy; and one with 40
        // flows, all but one of which end halfway.
        let one_way =
            [1, 3, 40, 300].into_iter().zip(0..).flat_map(|(flows, host)| (0..flows).map(move |f| (host, f)));
        let crossed = (0..60).map(|flow| (100 + flow / 8, 500 + flow % 8));
        let flow = |(source, destination)| {
            let until = if source == 2 && destination > 0 { 30_000 } else { u32::MAX };
            Backlogged { source, destination, size: if destination % 2 == 0 { 1500 } else { 400 }, until }
        };
        let flows: Vec<_> = one_way.chain(crossed).map(flow).collect();
        let packets = 60_000;
        let [found, plain] =
            [Tin::next_flow as Choice, Tin::next_flow_plainly].map(|choose| served(&flows, packets, choose));
        for (flow, (found, plain)) in flows.iter().zip(found.iter().zip(&plain)) {
            // A packet more or less is due to the ends.
            let bytes = (found.0 - plain.0).abs();
            assert!(bytes <= plain.0 / 100 + 2 * flow.size, "{flow:?}: {found:?}, plain {plain:?}");
            let longest = found.1.abs_diff(plain.1);
            assert!(longest <= plain.1 / 8 + 20, "{flow:?}: {found:?}, plain {plain:?}");
        }
    }
}

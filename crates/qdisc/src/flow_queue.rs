//! Queues for flows, served in turn, each with a law of its own: the body of DRR, FQ-CoDel and their kin.
//!
//! What differs among them is data ([`FlowSetup`]): what makes a flow, who is served when, from which end, and who
//! pays when the buffer is full. The law sees its flow as [`Managed`](crate::Managed) shows it a FIFO: on arrival,
//! then insertion; on departure one packet after another until it lets one go. An arrival that is refused for want
//! of room is not shown to it as an arrival. Laws with a timer run theirs at the same times, also where nothing
//! waits; a flow not seen before has the law of one that was idle so far.
//!
//! Memory: hashed flows are made when their bucket is first used and stay, at most `flows` of them, because a law
//! remembers what it did. Exact flows are forgotten, with their law, when they leave the round; then no more flows
//! exist than packets wait. A flood of new keys grows neither.

use crate::discipline::{Aqm, Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::flow_hash::{FlowBy, SaltedHash};
use crate::longest::Longest;
pub use crate::packet_lists::End;
use crate::packet_lists::{Ends, NONE, Store};
use crate::signal::{Fate, fate};
use crate::truesize::truesize;
use core::cmp::Reverse;
use tailrace_core::{Bytes, DropReason, Duration, FlowKey, Instant, Limit, Packet};

/// Separation of flows into queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separation {
    /// Buckets of a salted hash; flows that collide are one.
    Hashed(u32),
    /// A queue for every flow; this is the number of chains to find them in.
    Exact(u32),
}

/// Order of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Deficit round robin (Shreedhar, Varghese 1995): a packet goes if it fits into what is left of the turn.
    Deficit,
    /// RFC 8290 §4: a packet goes while anything is left, and overdraws; flows new to the round go first, once.
    Surplus,
    /// A packet a turn.
    Packet,
}

/// The flow that loses a packet when a limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The arriving packet.
    Arrival,
    /// The flow with most bytes, at this end: up to so many packets, and no more than half of its bytes, but one.
    Longest(End, u32),
}

/// Choice of the flow that loses a packet among several with equally many bytes. It is not the one made first: with
/// packets of one size such ties are the rule, and who was there first would pay for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The one in the lowest bucket, as in Linux: by chance, since hashes are salted.
    Bucket,
    /// The one whose turn comes first, as in ns-2's DRR.
    Turn,
}

tailrace_core::choices! {
    /// Backlog that a flow\'s law sees.
    pub enum Seen {
        /// The flow's own backlog.
        Flow = "flow",
        /// The backlog of all flows together.
        Total = "total",
    }
}

tailrace_core::choices! {
    /// Fate of a flow that was new to the round and is found empty.
    pub enum Emptied {
        /// It stays in the round for one more turn, behind the others.
        Stays = "stays",
        /// It stays only if flows wait that are not new; otherwise it leaves, and is new again with its next packet.
        StaysIfOld = "stays_if_old",
    }
}

/// Credit of a flow that is new to the round, where service is by surplus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credit {
    /// A quantum.
    Quantum,
    /// The remainder of its last turn, but a quantum at least after this time outside; a flow never seen before has
    /// this many bytes.
    Kept(Duration, Bytes),
}

/// Configuration of a flow queue.
#[derive(Clone, Copy, Debug)]
pub struct FlowSetup {
    /// Most that may wait in all flows together.
    pub limit: Limit,
    /// Most memory that what waits may take, beside `limit`; see [`truesize`].
    pub memory: Bytes,
    /// Most that may wait in one flow; what arrives beyond it is dropped.
    pub flow_limit: Option<Limit>,
    /// Separation of flows into queues.
    pub separation: Separation,
    /// Fields that make a flow.
    pub by: FlowBy,
    /// Order of service.
    pub service: Service,
    /// Bytes a turn.
    pub quantum: Bytes,
    /// Credit of flows new to the round.
    pub credit: Credit,
    /// Fate of new flows that are found empty.
    pub emptied: Emptied,
    /// End of a flow from which packets are served.
    pub serve: End,
    /// The flow that loses a packet when a limit is reached.
    pub overflow: Overflow,
    /// Choice among equally long flows.
    pub ties: Ties,
    /// Backlog that a flow\'s law sees.
    pub seen: Seen,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Packets that a law may mark but would not drop.
    pub marks: Selector,
}

/// Packets whose DiffServ and ECN bits, under `mask`, are `value`; a mask of zero selects all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// Required value of the bits under `mask`.
    pub value: u8,
    /// The bits that count: the upper six are DiffServ's, the lower two ECN's.
    pub mask: u8,
}

impl Selector {
    /// Every packet.
    pub const ALL: Self = Self { value: 0, mask: 0 };

    #[inline]
    fn takes<P: Packet>(self, packet: &P) -> bool {
        self.mask == 0 || (packet.dscp().0 << 2 | packet.ecn() as u8) & self.mask == self.value
    }
}

impl FlowSetup {
    /// The setup of RFC 8290, and of Linux's `fq_codel`.
    pub const RFC8290: Self = Self {
        limit: Limit::Packets(10_240),
        memory: Bytes(32 << 20),
        flow_limit: None,
        separation: Separation::Hashed(1024),
        by: FlowBy::FiveTuple,
        service: Service::Surplus,
        quantum: Bytes(1514),
        credit: Credit::Quantum,
        emptied: Emptied::Stays,
        serve: End::Oldest,
        overflow: Overflow::Longest(End::Oldest, 64),
        ties: Ties::Bucket,
        seen: Seen::Flow,
        ecn: true,
        marks: Selector::ALL,
    };
}

/// A limit to memory that is none.
pub(crate) const UNLIMITED: Bytes = Bytes(u64::MAX);
/// More flows than this are a mistake: their table alone would take megabytes a queue.
pub(crate) const MOST_FLOWS: u32 = 1 << 20;
/// Below this a large packet would wait for hundreds of empty turns.
pub(crate) const LEAST_QUANTUM: Bytes = Bytes(64);

/// Flows in turn, with a law each.
#[derive(Debug)]
pub struct FlowQueue<L, P> {
    setup: FlowSetup,
    quantum: i64,
    /// Initial law of a flow: it has seen no packet, only time.
    law: L,
    hash: SaltedHash,
    /// First flow of each bucket or chain.
    table: Vec<u32>,
    flows: Vec<Flow<L>>,
    longest: Longest<Length>,
    /// Flows to be used again, linked by `next`.
    free: u32,
    store: Store<P>,
    backlog: Backlog,
    /// Memory that what waits takes, bytes; zero where that has no limit.
    memory: u64,
    new: Round,
    old: Round,
    /// Turns given out so far.
    turns: u64,
    /// Whether the first of the round was given its quantum for this turn.
    in_turn: bool,
}

#[derive(Clone, Debug)]
struct Flow<L> {
    key: FlowKey,
    /// Next flow of the same chain.
    chain: u32,
    ends: Ends,
    backlog: Backlog,
    deficit: i64,
    place: Place,
    /// Next flow of the same round.
    next: u32,
    /// When it left the round.
    left: Instant,
    /// Order of flows of equal length, the least first.
    tie: u64,
    law: L,
}

/// Order that puts the longest flow first: most bytes; of flows of empty packets, most of these; see [`Ties`].
type Length = (Reverse<(Bytes, u64)>, u64);

impl<L> Flow<L> {
    /// `None` where no packet waits.
    fn length(&self) -> Option<Length> {
        let Backlog { packets, bytes } = self.backlog;
        (packets > 0).then_some((Reverse((bytes, packets)), self.tie))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    New,
    Old,
}

/// A singly linked queue of flows.
#[derive(Clone, Copy, Debug)]
struct Round {
    first: u32,
    last: u32,
    len: u32,
}

impl Round {
    const EMPTY: Self = Self { first: NONE, last: NONE, len: 0 };

    #[inline]
    fn push<L>(&mut self, flows: &mut [Flow<L>], index: u32) {
        flows[index as usize].next = NONE;
        match self.last {
            NONE => self.first = index,
            last => flows[last as usize].next = index,
        }
        self.last = index;
        self.len += 1;
    }

    #[inline]
    fn pop<L>(&mut self, flows: &[Flow<L>]) {
        self.first = flows[self.first as usize].next;
        if self.first == NONE {
            self.last = NONE;
        }
        self.len -= 1;
    }
}

impl<L: Aqm + Clone, P: Packet> FlowQueue<L, P> {
    /// An empty queue whose flows each begin with `law`.
    pub fn new(setup: FlowSetup, law: L) -> Self {
        let (Separation::Hashed(table) | Separation::Exact(table)) = setup.separation;
        Self {
            setup,
            quantum: clamped(setup.quantum),
            law,
            hash: SaltedHash::default(),
            table: vec![NONE; table.max(1) as usize],
            flows: Vec::new(),
            longest: Longest::new(),
            free: NONE,
            store: Store::new(),
            backlog: Backlog::default(),
            memory: 0,
            new: Round::EMPTY,
            old: Round::EMPTY,
            turns: 0,
            in_turn: false,
        }
    }

    /// The flow of `packet`, made if there is none yet.
    #[inline]
    fn classify(&mut self, packet: &P, cx: &mut Cx<'_, P>) -> u32 {
        if self.table.len() == 1 && self.table[0] != NONE {
            return self.table[0];
        }
        let key = self.setup.by.key(packet.flow());
        let bucket = self.hash.bucket(key, self.table.len() as u32, cx.rng);
        let mut index = self.table[bucket as usize];
        if let Separation::Exact(_) = self.setup.separation {
            while index != NONE && self.flows[index as usize].key != key {
                index = self.flows[index as usize].chain;
            }
        }
        if index == NONE { self.make_flow(key, bucket) } else { index }
    }

    fn make_flow(&mut self, key: FlowKey, bucket: u32) -> u32 {
        let head = &mut self.table[bucket as usize];
        let flow = Flow {
            key,
            chain: *head,
            ends: Ends::EMPTY,
            backlog: Backlog::default(),
            deficit: match self.setup.credit {
                Credit::Quantum => 0,
                Credit::Kept(_, initial) => clamped(initial),
            },
            left: Instant::ZERO,
            place: Place::Outside,
            next: NONE,
            tie: u64::from(bucket),
            law: self.law.clone(),
        };
        *head = if self.free == NONE {
            self.flows.push(flow);
            self.flows.len() as u32 - 1
        } else {
            let index = self.free;
            self.free = core::mem::replace(&mut self.flows[index as usize], flow).next;
            index
        };
        *head
    }

    /// Forgets an exact flow that is outside of the round.
    #[inline]
    fn forget_flow(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        if let Separation::Exact(_) = self.setup.separation
            && self.flows[index as usize].place == Place::Outside
        {
            self.unchain(index, cx);
        }
    }

    /// Takes flow `index` out of its chain, to be used again.
    fn unchain(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let Flow { key, chain, .. } = self.flows[index as usize];
        let bucket = self.hash.bucket(key, self.table.len() as u32, cx.rng) as usize;
        if self.table[bucket] == index {
            self.table[bucket] = chain;
        } else {
            let mut before = self.table[bucket] as usize;
            while self.flows[before].chain != index {
                before = self.flows[before].chain as usize;
            }
            self.flows[before].chain = chain;
        }
        self.flows[index as usize].next = core::mem::replace(&mut self.free, index);
    }

    #[inline]
    fn seen(&self, index: u32) -> Backlog {
        match self.setup.seen {
            Seen::Flow => self.flows[index as usize].backlog,
            Seen::Total => self.backlog,
        }
    }

    /// Whether an arrival of `size` in flow `index` finds no room.
    #[inline]
    fn refuses(&self, index: u32, size: Bytes) -> bool {
        let longer = || with(self.flows[index as usize].backlog, size);
        self.setup.flow_limit.is_some_and(|limit| over(limit, longer()))
            || (self.setup.overflow == Overflow::Arrival
                && self.too_full(with(self.backlog, size), self.memory + self.memory_of(size)))
    }

    /// Memory that a packet of `size` takes, where that counts.
    #[inline]
    fn memory_of(&self, size: Bytes) -> u64 {
        if self.setup.memory == UNLIMITED { 0 } else { truesize(size) }
    }

    /// Whether `backlog` in so much memory is more than may wait in all.
    #[inline]
    fn too_full(&self, backlog: Backlog, memory: u64) -> bool {
        over(self.setup.limit, backlog) || memory > self.setup.memory.get()
    }

    /// Inserts `packet`, and its flow into the round.
    #[inline]
    fn push(&mut self, index: u32, packet: P, now: Instant) {
        let size = packet.size();
        self.memory += self.memory_of(size);
        self.backlog = with(self.backlog, size);
        let flow = &mut self.flows[index as usize];
        flow.backlog = with(flow.backlog, size);
        self.store.push(&mut flow.ends, packet, now);
        if flow.place == Place::Outside {
            self.enter(index, now);
        }
        if self.longest.is_kept() {
            self.longest.changed(index, self.flows[index as usize].length());
        }
    }

    /// Inserts flow `index` into the round.
    #[inline]
    fn enter(&mut self, index: u32, now: Instant) {
        let flow = &mut self.flows[index as usize];
        if self.setup.service == Service::Surplus {
            flow.place = Place::New;
            flow.deficit = match self.setup.credit {
                Credit::Quantum => self.quantum,
                Credit::Kept(refill, _) if now.saturating_since(flow.left) > refill => {
                    flow.deficit.max(self.quantum)
                }
                Credit::Kept(..) => flow.deficit,
            };
            self.new.push(&mut self.flows, index);
        } else {
            flow.place = Place::Old;
            flow.deficit = 0;
            self.push_old(index);
        }
    }

    /// Takes the packet at `end` of flow `index`.
    #[inline(always)] // Else the packet is copied twice more.
    fn pop(&mut self, index: u32, end: End) -> Option<(P, Instant)> {
        let flow = &mut self.flows[index as usize];
        if flow.ends.is_empty() {
            return None;
        }
        let (packet, arrival) = self.store.pop(&mut flow.ends, end)?;
        let size = packet.size();
        for backlog in [&mut flow.backlog, &mut self.backlog] {
            backlog.packets -= 1;
            backlog.bytes -= size;
        }
        self.memory -= self.memory_of(size);
        if self.longest.is_kept() {
            self.longest.changed(index, self.flows[index as usize].length());
        }
        Some((packet, arrival))
    }

    /// Drops from the longest flow until no limit is broken.
    #[cold]
    fn shed(&mut self, end: End, batch: u32, cx: &mut Cx<'_, P>) {
        while self.too_full(self.backlog, self.memory) {
            let Some(index) = self.longest.first(self.flows.iter().map(Flow::length)) else { return };
            let half = Bytes(self.flows[index as usize].backlog.bytes.get() / 2);
            let (mut packets, mut bytes) = (0, Bytes::ZERO);
            while packets == 0 || (packets < batch && bytes < half) {
                let Some((packet, _)) = self.pop(index, end) else { break };
                packets += 1;
                bytes += packet.size();
                self.flows[index as usize].law.on_overlimit(cx.now);
                cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            }
        }
    }

    /// Puts flow `index` at the end of the old round.
    #[inline]
    fn push_old(&mut self, index: u32) {
        if self.setup.ties == Ties::Turn {
            self.turns += 1;
            let flow = &mut self.flows[index as usize];
            flow.tie = self.turns;
            if self.longest.is_kept() {
                self.longest.changed(index, flow.length());
            }
        }
        self.old.push(&mut self.flows, index);
    }

    /// The flow whose turn it is.
    #[inline]
    fn choose(&mut self) -> Option<u32> {
        match self.setup.service {
            Service::Surplus => self.choose_surplus(),
            Service::Deficit => self.choose_deficit(),
            Service::Packet => (self.old.first != NONE).then_some(self.old.first),
        }
    }

    #[inline]
    fn choose_surplus(&mut self) -> Option<u32> {
        loop {
            let (round, index) = match (self.new.first, self.old.first) {
                (NONE, NONE) => return None,
                (NONE, index) => (&mut self.old, index),
                (index, _) => (&mut self.new, index),
            };
            let flow = &mut self.flows[index as usize];
            if flow.deficit > 0 {
                return Some(index);
            }
            flow.deficit += self.quantum;
            flow.place = Place::Old;
            round.pop(&self.flows);
            self.push_old(index);
        }
    }

    #[inline]
    fn choose_deficit(&mut self) -> Option<u32> {
        loop {
            let index = self.old.first;
            if index == NONE {
                return None;
            }
            let flow = &mut self.flows[index as usize];
            // Emptied when the buffer was full: the turn will find that out.
            let Some(size) = self.store.size(&flow.ends, self.setup.serve) else { return Some(index) };
            if !self.in_turn {
                flow.deficit = flow.deficit.saturating_add(self.quantum);
                self.in_turn = true;
            }
            if i64::try_from(size.get()).is_ok_and(|size| size <= flow.deficit) {
                return Some(index);
            }
            self.rotate();
        }
    }

    #[inline]
    fn rotate(&mut self) {
        let index = self.old.first;
        self.old.pop(&self.flows);
        self.push_old(index);
        self.in_turn = false;
    }

    /// Whether the law of flow `index` lets its `packet`, which has just been taken, go; perhaps marked.
    #[inline]
    fn lets_go(&mut self, index: u32, packet: &mut P, arrival: Instant, cx: &mut Cx<'_, P>) -> bool {
        let (sojourn, seen) = (cx.now.saturating_since(arrival), self.seen(index));
        let law = &mut self.flows[index as usize].law;
        let mut verdict = law.on_dequeue(packet.size(), sojourn, seen, cx.now, cx.rng);
        if verdict == Verdict::MarkOnly && !self.setup.marks.takes(packet) {
            verdict = Verdict::Pass;
        }
        let fate = fate(verdict, self.setup.ecn, packet.ecn());
        if verdict.is_signal() {
            law.on_signalled(fate != Fate::Drop, cx.now);
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(packet, cx.now);
        }
        fate != Fate::Drop
    }

    /// Charges flow `index`, whose turn it is, for a packet of `size`.
    #[inline]
    fn charge(&mut self, index: u32, size: Bytes, cx: &mut Cx<'_, P>) {
        let flow = &mut self.flows[index as usize];
        let empty = flow.backlog.packets == 0;
        if self.setup.service != Service::Packet {
            flow.deficit = flow.deficit.saturating_sub(i64::try_from(size.get()).unwrap_or(i64::MAX));
        }
        match self.setup.service {
            // A flow is found empty in its next turn only: it would be new again too soon.
            Service::Surplus => {}
            _ if empty => self.retire(index, cx),
            Service::Deficit => {}
            Service::Packet => self.rotate(),
        }
    }

    /// The turn of flow `index` found nothing (more) to send.
    fn retire(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let flow = &mut self.flows[index as usize];
        if flow.place == Place::New {
            self.new.pop(&self.flows);
            if self.setup.emptied == Emptied::Stays || self.old.first != NONE {
                // Or else it could be new again at once, and starve those that wait.
                self.flows[index as usize].place = Place::Old;
                self.push_old(index);
                return;
            }
        } else {
            self.old.pop(&self.flows);
            self.in_turn = false;
        }
        let flow = &mut self.flows[index as usize];
        (flow.place, flow.left) = (Place::Outside, cx.now);
        self.forget_flow(index, cx);
    }
}

impl<L: Aqm + Clone, P: Packet> QueueDiscipline<P> for FlowQueue<L, P> {
    #[inline]
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        let size = packet.size();
        let index = self.classify(&packet, cx);
        if self.refuses(index, size) {
            self.flows[index as usize].law.on_overlimit(cx.now);
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return self.forget_flow(index, cx);
        }
        let seen = self.seen(index);
        let law = &mut self.flows[index as usize].law;
        let verdict = law.on_enqueue(size, seen, cx.now, cx.rng);
        let fate = fate(verdict, self.setup.ecn, packet.ecn());
        if verdict.is_signal() {
            law.on_signalled(fate != Fate::Drop, cx.now);
        }
        if fate == Fate::Drop {
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return self.forget_flow(index, cx);
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(&packet, cx.now);
        }
        self.push(index, packet, cx.now);
        if let Overflow::Longest(end, batch) = self.setup.overflow
            && self.too_full(self.backlog, self.memory)
        {
            self.shed(end, batch, cx);
        }
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        loop {
            let index = self.choose()?;
            while let Some((mut packet, arrival)) = self.pop(index, self.setup.serve) {
                if self.lets_go(index, &mut packet, arrival, cx) {
                    self.charge(index, packet.size(), cx);
                    return Some((packet, arrival));
                }
                cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            }
            self.flows[index as usize].law.on_idle(cx.now);
            self.retire(index, cx);
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.law.poll_timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.law.handle_timeout(Backlog::default(), cx.now);
        for index in 0..self.flows.len() {
            let seen = self.seen(index as u32);
            self.flows[index].law.handle_timeout(seen, cx.now);
        }
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.law.link_changed(link, cx.now);
        self.flows.iter_mut().for_each(|flow| flow.law.link_changed(link, cx.now));
    }

    /// State variables of a single flow's law; of several flows only their number is of use.
    fn state_names(&self) -> &'static [&'static str] {
        if self.table.len() == 1 { L::state_names() } else { &["active_flows", "new_flows"] }
    }

    fn state(&self, out: &mut [f64]) {
        if self.table.len() == 1 {
            self.flows.first().map_or(&self.law, |flow| &flow.law).state(out);
        } else {
            out.copy_from_slice(&[f64::from(self.new.len + self.old.len), f64::from(self.new.len)]);
        }
    }
}

/// Deficit in half the range: a deficit is at most a quantum, and overdrafts are subtracted from it.
fn clamped(bytes: Bytes) -> i64 {
    i64::try_from(bytes.get()).map_or(i64::MAX / 2, |b| b.min(i64::MAX / 2))
}

/// `backlog` and a packet of `size`.
#[inline]
pub(crate) fn with(backlog: Backlog, size: Bytes) -> Backlog {
    Backlog { packets: backlog.packets + 1, bytes: backlog.bytes + size }
}

/// Whether `backlog` is more than `limit` allows.
#[inline]
pub(crate) fn over(limit: Limit, backlog: Backlog) -> bool {
    match limit {
        Limit::Packets(n) => backlog.packets > n,
        Limit::Bytes(b) => backlog.bytes > b,
    }
}

#[cfg(test)]
mod tests;

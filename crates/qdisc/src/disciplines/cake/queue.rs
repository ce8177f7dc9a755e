//! The queue itself: arrival, choice of tin and flow, departure, overflow.

use super::CakeConfig;
use super::ack_filter::{AckFilter, redundant};
use super::hosts::FlowMode;
use super::overflow::Overflow;
use super::shaper::{Autorate, Framing, Pace, Shaper, TinClock};
use super::tin::{HostHashes, Tin};
use super::tins::{Layout, MOST};
use super::ways::QUEUES;
use crate::classifier::salted;
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::disciplines::cobalt::{Decision, at};
use crate::flow_hash::mix64;
use crate::packet_lists::{End, Store};
use crate::signal::{Fate, fate};
use crate::truesize::truesize;
use tailrace_core::{Bytes, DropReason, Dscp, Instant, Packet};

/// Tins with flows, behind a shaper.
#[derive(Debug)]
pub struct Cake<P> {
    config: CakeConfig,
    framing: Framing,
    layout: Layout,
    salt: Option<u64>,
    tins: Vec<Tin>,
    store: Store<P>,
    /// Bytes in each queue of each tin.
    backlogs: Vec<u64>,
    overflow: Overflow,
    shaper: Shaper,
    autorate: Autorate,
    backlog: Backlog,
    /// Memory that what waits takes, and the most it may take, bytes.
    memory: u64,
    limit: u64,
    acks_filtered: u64,
    /// Index of the tin whose turn it is where the rate is unlimited.
    current: usize,
    /// Tins, a bit each, to which a turn may mean something where the rate is unlimited: not those that have no packets and
    /// something left of their last turn.
    awake: u8,
    /// When a dequeue that found the shaper closed wants to be repeated.
    wake: Option<Instant>,
}

/// A queue in a tin.
#[derive(Clone, Copy)]
struct Place {
    tin: usize,
    queue: usize,
}

impl Place {
    fn id(self) -> u32 {
        (self.tin * QUEUES + self.queue) as u32
    }
    fn of(id: u32) -> Self {
        Self { tin: id as usize / QUEUES, queue: id as usize % QUEUES }
    }
}

impl<P: Packet> Cake<P> {
    /// The empty queue that `config` describes.
    pub(super) fn new(config: &CakeConfig) -> Self {
        let rate = config.byte_rate();
        let layout = config.diffserv.layout(rate);
        let tin = |t| {
            let (clock, share) = (TinClock::new(layout.rate(t)), config.share(layout.rate(t)));
            Tin::new(config.flow_mode, clock, layout.quantum(t), share)
        };
        let tins: Vec<Tin> = (0..layout.tins()).map(tin).collect();
        let queues = tins.len() * QUEUES;
        Self {
            config: config.clone(),
            framing: config.framing(),
            salt: None,
            tins,
            store: Store::new(),
            backlogs: vec![0; queues],
            overflow: Overflow::new(queues as u32),
            shaper: Shaper::new(rate),
            autorate: Autorate::new(rate),
            backlog: Backlog::default(),
            memory: 0,
            limit: config.byte_limit(rate),
            acks_filtered: 0,
            current: 0,
            awake: u8::MAX >> (MOST - layout.tins()),
            wake: None,
            layout,
        }
    }

    /// Sets the rate that the estimate gives.
    fn set_rate(&mut self, rate: u64) {
        self.layout = self.config.diffserv.layout(rate);
        for (t, tin) in self.tins.iter_mut().enumerate() {
            tin.clock.pace = Pace::new(self.layout.rate(t));
            tin.share = self.config.share(self.layout.rate(t));
        }
        self.shaper.pace = Pace::new(rate);
        self.limit = self.config.byte_limit(rate);
    }

    fn place_of(&mut self, packet: &P, cx: &mut Cx<'_, P>) -> Place {
        let (mode, flow) = (self.config.flow_mode, packet.flow());
        let tin = self.layout.tin_of(packet.dscp());
        if mode == FlowMode::Flowblind {
            return Place { tin, queue: 0 };
        }
        let salt = *self.salt.get_or_insert_with(|| cx.rng.next_u64());
        let hash = (salted(mode.key(flow), salt) >> 32) as u32;
        let host = |address: u32| (mix64(u64::from(address) ^ salt) >> 32) as u32;
        let hosts = || HostHashes { source: host(flow.src), destination: host(flow.dst) };
        Place { tin, queue: self.tins[tin].queue_of(hash, hosts, cx.rng) }
    }

    /// A packet comes into a tin or a queue that was empty: time that passed unused is lost.
    #[inline]
    fn restart_clocks(&mut self, tin: usize, now: i64) {
        if self.tins[tin].backlog == 0 {
            self.tins[tin].clock.restart(now);
            if self.backlog.packets == 0 {
                self.shaper.restart(now);
            }
        }
    }

    #[inline]
    fn push(&mut self, place: Place, packet: P, now: Instant) {
        let size = packet.size();
        let tin = &mut self.tins[place.tin];
        self.store.push(&mut tin.flows[place.queue].ends, packet, now);
        tin.backlog += size.get();
        self.backlogs[place.id() as usize] += size.get();
        self.memory += truesize(size);
        self.backlog.packets += 1;
        self.backlog.bytes += size;
        self.overflow.changed(place.id(), &self.backlogs);
    }

    /// Takes the oldest packet out of its queue; it remains in the store.
    #[inline(always)]
    fn detach(&mut self, place: Place) -> Option<u32> {
        let ends = &mut self.tins[place.tin].flows[place.queue].ends;
        let (index, size) = (ends.index(End::Oldest), self.store.size(ends, End::Oldest)?);
        self.store.detach(ends, index);
        self.forget(place, size);
        Some(index)
    }

    #[inline(always)]
    fn forget(&mut self, place: Place, size: Bytes) {
        self.tins[place.tin].backlog -= size.get();
        self.backlogs[place.id() as usize] -= size.get();
        self.memory -= truesize(size);
        self.backlog.packets -= 1;
        self.backlog.bytes -= size;
        self.overflow.changed(place.id(), &self.backlogs);
    }

    /// Drops the ACK that the newest packet makes redundant; its bytes.
    fn filter_acks(&mut self, place: Place, cx: &mut Cx<'_, P>) -> u64 {
        let ends = &mut self.tins[place.tin].flows[place.queue].ends;
        let index = redundant(self.config.ack_filter, &self.store, ends, cx.sink);
        let Some((packet, _)) = index.and_then(|index| self.store.remove(ends, index)) else { return 0 };
        let size = packet.size();
        self.acks_filtered += 1;
        self.forget(place, size);
        self.drop(place, packet, DropReason::AckFiltered, cx);
        size.get()
    }

    /// Drops from the head of the longest queue until the limit holds.
    #[cold]
    fn shed(&mut self, cx: &mut Cx<'_, P>) {
        while self.memory > self.limit {
            let place = Place::of(self.overflow.longest(&self.backlogs));
            let Some(index) = self.detach(place) else { return };
            let Some((packet, _)) = self.store.take(index) else { return };
            self.tins[place.tin].on_overlimit(place.queue, at(cx.now));
            self.drop(place, packet, DropReason::Overlimit, cx);
        }
    }

    /// Reports a drop, and charges it where the bottleneck is upstream: the packet has used that one already.
    fn drop(&mut self, place: Place, packet: P, reason: DropReason, cx: &mut Cx<'_, P>) {
        if self.config.ingress {
            self.charge(place.tin, packet.size(), false, at(cx.now));
        }
        cx.sink.dropped(packet, reason, cx.now);
    }

    /// Charges clocks for a packet; what it took on the wire.
    #[inline]
    fn charge(&mut self, tin: usize, size: Bytes, sent: bool, now: i64) -> i64 {
        let bytes = self.framing.on_wire(size);
        if !self.shaper.pace.is_unlimited() {
            self.tins[tin].clock.charge(bytes, now);
            self.shaper.charge(bytes, sent);
        }
        i64::try_from(bytes).unwrap_or(i64::MAX)
    }

    /// The tin to serve, where one has packets.
    #[inline]
    fn choose_tin(&mut self, now: i64) -> usize {
        if self.tins.len() == 1 {
            0
        } else if self.shaper.pace.is_unlimited() {
            self.choose_by_weight()
        } else {
            self.choose_by_schedule(now)
        }
    }

    /// The highest that meets its schedule, or else the one that will first.
    fn choose_by_schedule(&self, now: i64) -> usize {
        let (mut best, mut least) = (0, i64::MAX);
        for (t, tin) in self.tins.iter().enumerate().filter(|(_, tin)| tin.is_active()) {
            let ahead = tin.clock.ahead(now);
            if ahead <= 0 || ahead <= least {
                (best, least) = (t, ahead);
            }
        }
        best
    }

    /// Deficit round robin.
    #[inline]
    fn choose_by_weight(&mut self) -> usize {
        if !self.awake.is_power_of_two() {
            return self.choose_among_several();
        }
        // It has the packets, and all turns.
        self.current = self.awake.trailing_zeros() as usize;
        let tin = &mut self.tins[self.current];
        while tin.deficit < 0 {
            tin.deficit += tin.quantum;
        }
        self.current
    }

    #[inline(never)]
    fn choose_among_several(&mut self) -> usize {
        let (tins, mut current) = (self.tins.as_mut_slice(), self.current);
        loop {
            let tin = &mut tins[current];
            if tin.deficit >= 0 && tin.is_active() {
                self.current = current;
                return current;
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.quantum;
            }
            if tin.deficit > 0 && !tin.is_active() {
                self.awake &= !(1 << current);
            }
            current = if current + 1 == tins.len() { 0 } else { current + 1 };
        }
    }

    /// A packet of tin `tin`; none where flows whose turn it was turned out to be empty, and no other has any.
    fn serve(&mut self, tin: usize, decaying_first: &mut bool, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let now = at(cx.now);
        'turn: loop {
            let queue = self.tins[tin].next_with_packets(decaying_first, now, cx.rng)?;
            let place = Place { tin, queue };
            while let Some(index) = self.detach(place) {
                let goes = self.judge(place, index, cx);
                let size = self.store.packet_mut(index)?.0.size();
                if goes {
                    let bytes = self.charge(tin, size, true, now);
                    self.pay(place, bytes);
                    self.overflow.departed();
                    return self.store.take(index);
                }
                let bytes = i64::try_from(self.framing.on_wire(size)).unwrap_or(i64::MAX);
                let (packet, _) = self.store.take(index)?;
                self.drop(place, packet, DropReason::Aqm, cx);
                if self.config.ingress {
                    self.pay(place, bytes);
                    continue 'turn;
                }
            }
        }
    }

    fn pay(&mut self, place: Place, bytes: i64) {
        let unlimited = self.shaper.pace.is_unlimited();
        let tin = &mut self.tins[place.tin];
        tin.pay(place.queue, bytes);
        if unlimited {
            tin.deficit = tin.deficit.saturating_sub(bytes);
        }
    }

    /// Applies COBALT to the packet at `index`, which is about to leave: it goes, perhaps marked, or not. The last
    /// packet of a queue goes.
    #[inline]
    fn judge(&mut self, place: Place, index: u32, cx: &mut Cx<'_, P>) -> bool {
        let now = at(cx.now);
        let tin = &mut self.tins[place.tin];
        let flow = &mut tin.flows[place.queue];
        let Some((packet, arrival)) = self.store.packet_mut(index) else { return true };
        // A sojourn that a few packets before it explain is no standing queue.
        let bulk = if self.config.ingress { 2 * i64::from(tin.bulk) } else { 0 };
        let acceptable = tin.share.rule.target.max(tin.share.mtu_time.saturating_mul(bulk.max(4)));
        let Decision { signal, blue } =
            flow.law.decide(&tin.share.rule, now - at(arrival), acceptable, now, cx.rng);
        if !signal && !blue {
            return true;
        }
        let fate = fate(if signal { Verdict::Signal } else { Verdict::Pass }, true, packet.ecn());
        if let Fate::Mark { fresh } = fate {
            if !blue {
                flow.law.on_marked(now);
            }
            if fresh && (!blue || flow.ends.is_empty()) {
                packet.set_ce();
                cx.sink.marked(packet, cx.now);
            }
        }
        !(fate == Fate::Drop || blue) || flow.ends.is_empty()
    }
}

impl<P: Packet> QueueDiscipline<P> for Cake<P> {
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        let (now, size) = (at(cx.now), packet.size());
        let place = self.place_of(&packet, cx);
        if self.config.wash {
            packet.set_dscp(Dscp::default());
        }
        self.restart_clocks(place.tin, now);
        self.push(place, packet, cx.now);
        let filtered = if self.config.ack_filter == AckFilter::Off { 0 } else { self.filter_acks(place, cx) };
        if self.config.autorate_ingress
            && let Some(rate) = self.autorate.on_arrival(size.get().saturating_sub(filtered), now)
        {
            self.set_rate(rate);
        }
        self.awake |= 1 << place.tin;
        self.tins[place.tin].on_arrival(place.queue, cx.rng);
        if self.memory > self.limit {
            self.shed(cx);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let now = at(cx.now);
        self.wake = None;
        let mut decaying_first = true;
        while self.backlog.packets > 0 {
            if let Some(until) = self.shaper.closed_until(now) {
                self.wake = Some(Instant::from_nanos(until as u64));
                return None;
            }
            let tin = self.choose_tin(now);
            if let Some(out) = self.serve(tin, &mut decaying_first, cx) {
                return Some(out);
            }
        }
        None
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.wake
    }

    /// The time has come: whoever asked dequeues again.
    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.wake = self.wake.filter(|t| *t > cx.now);
    }

    fn link_changed(&mut self, _link: &LinkView, _cx: &mut Cx<'_, P>) {}

    fn state_names(&self) -> &'static [&'static str] {
        self.config.diffserv.state_names()
    }

    fn state(&self, out: &mut [f64]) {
        let sum = |f: fn(&Tin) -> u64| self.tins.iter().map(f).sum::<u64>() as f64;
        let common = [
            self.layout.rate(0) as f64 * 8.0,
            sum(|t| u64::from(t.sparse)),
            sum(|t| u64::from(t.bulk)),
            sum(|t| u64::from(t.unresponsive)),
            sum(Tin::collisions),
            self.acks_filtered as f64,
        ];
        let backlogs = self.tins.iter().map(|tin| tin.backlog as f64);
        out.iter_mut().zip(common.into_iter().chain(backlogs)).for_each(|(out, value)| *out = value);
    }
}

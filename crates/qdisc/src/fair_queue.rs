//! Packets in the order of tags that a virtual clock gives them: the body of weighted and of bit-by-bit fair queueing.
//!
//! A packet's finish tag is where its flow's last one ends, or the clock where that is later, plus its size on the wire
//! over the flow's weight; tags are in bytes per unit of weight. What differs is the clock ([`Clock`]) and who pays when the
//! buffer is full. Cost: O(log n) a packet, and for the exact clock the flows that leave the fluid system meanwhile,
//! each once; `ns2` looks at every flow that holds packets.
//!
//! A packet dropped from a flow's end is taken back from the fluid system: the flow's last tag is again that of the
//! packet before. When the link runs idle the clock starts anew.
//!
//! Memory: a flow is known while it holds packets or its last tag is still ahead of the clock; of the latter kind at
//! most [`MOST_REMEMBERED`], beyond which those next in line are forgotten early. A flood of new keys grows neither.

mod flows;
mod key;
mod line;

use self::flows::{Flow, Flows, Length};
use self::key::Key;
use self::line::{Ahead, Heads};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::flow_hash::FlowBy;
use crate::flow_queue::store::Store;
use crate::flow_queue::{End, over, with};
use crate::longest::Longest;
use tailrace_core::{Bytes, DropReason, Dscp, Ecn, FlowKey, Instant, Label, Limit, Packet};

/// Most flows that are known without a packet.
pub(crate) const MOST_REMEMBERED: u32 = 1 << 16;

/// What the virtual clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The round of the fluid system that serves all flows at once, by iterated deletion.
    Fluid,
    /// The finish tag of the packet in service.
    Finish,
    /// The start tag of the packet in service, in whose order packets go.
    Start,
    /// ns-2's `queue/fq.cc`: real time; a head's tag is its flow's last, or the time it became head, plus its time on
    /// the link times the flows that hold packets when it is asked for.
    Real,
}

/// Which packet dies when `limit` is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    /// The arriving one.
    Arrival,
    /// The last ones of the flow with most bytes.
    Longest,
}

/// Weights of the eight classes that the upper half of a DiffServ codepoint names.
pub(crate) type Weights = [f64; 8];

/// What a fair queue is made of.
#[derive(Clone, Debug)]
pub(crate) struct FairSetup {
    /// Most that may wait in all flows together.
    pub(crate) limit: Limit,
    /// Most that may wait in one flow.
    pub(crate) flow_limit: Option<Limit>,
    /// What makes a flow; a class where this is `None`.
    pub(crate) by: Option<FlowBy>,
    /// What the virtual clock shows.
    pub(crate) clock: Clock,
    /// How far the clock may lie behind for a flow that was idle (DKS89), bytes.
    pub(crate) delta: f64,
    /// A flow's weight is that of its first packet's class.
    pub(crate) weights: Weights,
    /// Which packet dies when `limit` is reached.
    pub(crate) payer: Payer,
    /// The link that is shared.
    pub(crate) link: LinkView,
}

/// Flows, served in the order of tags.
#[derive(Debug)]
pub(crate) struct FairQueue<P> {
    setup: FairSetup,
    /// The rate of the link.
    bytes_per_sec: f64,
    flows: Flows,
    store: Store<Tagged<P>>,
    backlog: Backlog,
    heads: Heads,
    ahead: Ahead,
    /// Flows that hold packets, most bytes first, of several the one that came to as many last.
    longest: Longest<Length>,
    /// Changes of backlogs so far.
    ranked: u64,
    clock: f64,
    /// When the fluid system was last looked at.
    seen: Instant,
    /// Sum of the weights of the flows in the fluid system.
    active_weight: f64,
    arrivals: u64,
}

/// A packet with its place in line.
#[derive(Clone, Copy, Debug)]
struct Tagged<P> {
    packet: P,
    /// What it is served by.
    bid: f64,
    /// Its flow's last tag before it came.
    before: f64,
    number: u64,
}

impl<P: Packet> Packet for Tagged<P> {
    fn size(&self) -> Bytes {
        self.packet.size()
    }
    fn flow(&self) -> FlowKey {
        self.packet.flow()
    }
    fn ecn(&self) -> Ecn {
        self.packet.ecn()
    }
    fn set_ce(&mut self) {
        self.packet.set_ce();
    }
    fn dscp(&self) -> Dscp {
        self.packet.dscp()
    }
    fn label(&self) -> Label {
        self.packet.label()
    }
}

impl<P: Packet> FairQueue<P> {
    /// An empty queue.
    pub(crate) fn new(setup: FairSetup) -> Self {
        // No more flows than packets.
        let most = match setup.limit {
            Limit::Packets(n) => n,
            Limit::Bytes(b) => b.get() / 1000,
        };
        Self {
            bytes_per_sec: setup.link.rate.bytes_per_sec(),
            setup,
            flows: Flows::new(most),
            store: Store::new(),
            backlog: Backlog::default(),
            heads: Heads::new(),
            ahead: Ahead::new(),
            longest: Longest::new(),
            ranked: 0,
            clock: 0.0,
            seen: Instant::ZERO,
            active_weight: 0.0,
            arrivals: 0,
        }
    }

    /// The flow of `packet`, made if there is none yet.
    #[inline(always)]
    fn classify(&mut self, packet: &P, cx: &mut Cx<'_, P>) -> u32 {
        let class = packet.dscp().0 >> 3 & 7;
        let key = match self.setup.by {
            Some(by) => by.key(packet.flow()),
            None => FlowKey { src: u32::from(class), ..FlowKey::default() },
        };
        self.flows.find_or_make(key, self.setup.weights[usize::from(class)], cx.rng)
    }

    /// Sets the last tag of flow `index`, and with it whether it is ahead of the clock.
    #[inline(always)]
    fn set_last(&mut self, index: u32, last: f64) {
        let flows = self.flows.all_mut();
        let flow = &mut flows[index as usize];
        flow.last = last;
        if last > self.clock {
            if !flow.is_ahead {
                flow.is_ahead = true;
                self.active_weight += flow.weight;
            }
            self.ahead.set(flows, index, Key::new(last, u64::from(index)));
        } else if flow.is_ahead {
            self.leave(index);
        }
    }

    /// Takes flow `index` out of the fluid system.
    #[inline]
    fn leave(&mut self, index: u32) {
        let flows = self.flows.all_mut();
        self.ahead.remove(flows, index);
        let flow = &mut flows[index as usize];
        flow.is_ahead = false;
        self.active_weight -= flow.weight;
        if self.ahead.is_empty() {
            // What rounding has left.
            self.active_weight = 0.0;
        }
    }

    /// Brings the clock to `now`.
    #[inline]
    fn advance(&mut self, now: Instant) {
        if self.setup.clock == Clock::Fluid {
            if now > self.seen {
                self.advance_fluid(now);
            }
        } else if self.setup.clock == Clock::Real {
            self.clock = now.as_secs_f64();
            self.expire();
        }
    }

    /// Fluid flows that finish on the way to `now` leave, in the order of their tags.
    #[inline(never)]
    fn advance_fluid(&mut self, now: Instant) {
        let mut left = now.saturating_since(self.seen).as_secs_f64() * self.bytes_per_sec;
        self.seen = now;
        while let Some((index, key)) = self.ahead.first(self.flows.all()) {
            let first = key.tag();
            let needed = (first - self.clock) * self.active_weight;
            if needed > left {
                self.clock += left / self.active_weight;
                break;
            }
            left -= needed.max(0.0);
            self.clock = later(self.clock, first);
            self.leave(index);
            self.flows.forget_if_over(index);
        }
    }

    /// Flows that the clock has caught up with are not ahead any more.
    #[inline]
    fn expire(&mut self) {
        while let Some((index, key)) = self.ahead.first(self.flows.all()) {
            if key.tag() > self.clock && !self.are_too_many() {
                break;
            }
            self.leave(index);
            self.flows.forget_if_over(index);
        }
    }

    /// Whether more flows are known than may be without a packet.
    #[inline]
    fn are_too_many(&self) -> bool {
        let known = self.flows.known();
        known > MOST_REMEMBERED && known - MOST_REMEMBERED > self.heads.len()
    }

    /// Appends `packet` to flow `index`.
    #[inline(always)]
    fn push(&mut self, index: u32, packet: P, now: Instant) {
        let size = packet.size();
        let flows = self.flows.all_mut();
        let flow = &mut flows[index as usize];
        let work = self.setup.link.wire_size(size).as_f64() / flow.weight;
        let (before, start) = (flow.last, later(flow.last, self.clock));
        let (bid, last) = match self.setup.clock {
            Clock::Fluid => (work + later(before, self.clock - self.setup.delta), start + work),
            Clock::Finish => (start + work, start + work),
            Clock::Start => (start, start + work),
            // Only heads have tags.
            Clock::Real => (0.0, if flow.backlog.packets == 0 { start } else { before }),
        };
        let number = self.arrivals;
        self.arrivals += 1;
        self.store.push(&mut flow.ends, Tagged { packet, bid, before, number }, now);
        if flow.backlog.packets == 0 {
            self.heads.set(flows, index, Key::new(bid, number));
        }
        let flow = &mut flows[index as usize];
        flow.backlog = with(flow.backlog, size);
        self.backlog = with(self.backlog, size);
        self.ranked += 1;
        flow.ranked = self.ranked;
        if self.longest.is_kept() {
            self.longest.changed(index, flow.length());
        }
        self.set_last(index, last);
    }

    /// Puts the packet at `end` of flow `index` out of all lists, to be taken from the store.
    #[inline(always)]
    fn detach(&mut self, index: u32, end: End) -> Option<u32> {
        let flows = self.flows.all_mut();
        let flow = &mut flows[index as usize];
        let (size, place) = (self.store.size(&flow.ends, end)?, flow.ends.index(end));
        self.store.detach(&mut flow.ends, place);
        for backlog in [&mut flow.backlog, &mut self.backlog] {
            backlog.packets -= 1;
            backlog.bytes -= size;
        }
        self.ranked += 1;
        flow.ranked = self.ranked;
        if self.longest.is_kept() {
            self.longest.changed(index, flow.length());
        }
        match self.store.get(&flow.ends, End::Oldest) {
            None => self.heads.remove(flows, index),
            Some(head) => self.heads.set(flows, index, Key::new(head.bid, head.number)),
        }
        Some(place)
    }

    /// Drops the last packets of the longest flow until what waits fits.
    #[cold]
    fn shed(&mut self, cx: &mut Cx<'_, P>) {
        while over(self.setup.limit, self.backlog) {
            let lengths = self.flows.all().iter().map(Flow::length);
            let Some(index) = self.longest.first(lengths) else { return };
            let Some(place) = self.detach(index, End::Newest) else { return };
            let Some((Tagged { packet, before, .. }, _)) = self.store.take(place) else { return };
            if self.setup.clock != Clock::Real {
                self.set_last(index, before);
            }
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            self.flows.forget_if_over(index);
        }
    }

    /// The flow whose head goes next, with its tag.
    #[inline]
    fn choose(&self) -> Option<(u32, f64)> {
        match self.setup.clock {
            Clock::Real => self.choose_by_real_time(),
            _ => self.heads.first(self.flows.all()).map(|(index, key)| (index, key.tag())),
        }
    }

    #[inline(never)]
    fn choose_by_real_time(&self) -> Option<(u32, f64)> {
        let flows = f64::from(self.heads.len());
        let mut best: Option<(u32, f64)> = None;
        // As in ns-2, the lowest flow wins ties.
        let key = |index: u32| self.flows[index].key;
        for index in self.heads.indices(self.flows.all()) {
            let flow = &self.flows[index];
            let size = self.store.size(&flow.ends, End::Oldest).unwrap_or(Bytes::ZERO);
            let work = self.setup.link.wire_size(size).as_f64();
            let tag = flow.last + work / (self.bytes_per_sec * flow.weight) * flows;
            if best.is_none_or(|(other, least)| (tag, key(index)) < (least, key(other))) {
                best = Some((index, tag));
            }
        }
        best
    }

    /// The link is idle: the clock starts anew.
    #[cold]
    fn reset(&mut self) {
        if self.setup.clock == Clock::Real {
            return;
        }
        while let Some((index, _)) = self.ahead.first(self.flows.all()) {
            self.leave(index);
            self.flows.forget_if_over(index);
        }
        self.clock = 0.0;
    }

    /// Whether an arrival of `size` in flow `index` finds no room.
    #[inline]
    fn refuses(&self, index: u32, size: Bytes) -> bool {
        let longer = with(self.flows[index].backlog, size);
        self.setup.flow_limit.is_some_and(|limit| over(limit, longer))
            || (self.setup.payer == Payer::Arrival && over(self.setup.limit, with(self.backlog, size)))
    }
}

impl<P: Packet> QueueDiscipline<P> for FairQueue<P> {
    #[inline(always)]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.advance(cx.now);
        let index = self.classify(&packet, cx);
        if self.refuses(index, packet.size()) {
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return self.flows.forget_if_over(index);
        }
        self.push(index, packet, cx.now);
        if over(self.setup.limit, self.backlog) {
            self.shed(cx);
        }
        if self.are_too_many() {
            self.expire();
        }
    }

    #[inline(always)]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.advance(cx.now);
        let Some((index, tag)) = self.choose() else {
            self.reset();
            return None;
        };
        let place = self.detach(index, End::Oldest)?;
        match self.setup.clock {
            Clock::Fluid => self.flows.forget_if_over(index),
            Clock::Finish | Clock::Start => {
                self.clock = later(self.clock, tag);
                self.flows.forget_if_over(index);
                self.expire();
            }
            Clock::Real => {
                let is_head_again = self.flows[index].backlog.packets > 0;
                self.set_last(index, if is_head_again { tag.max(self.clock) } else { tag });
                self.flows.forget_if_over(index);
                self.expire();
            }
        }
        self.store.take(place).map(|(tagged, arrival)| (tagged.packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// What the fluid system has done so far it did at the old rate; tags of packets that wait stay.
    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.advance(cx.now);
        self.setup.link = *link;
        self.bytes_per_sec = link.rate.bytes_per_sec();
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["active_flows", "remembered_flows"]
    }

    fn state(&self, out: &mut [f64]) {
        out.copy_from_slice(&[f64::from(self.heads.len()), f64::from(self.flows.known() - self.heads.len())]);
    }
}

/// The larger of two tags. Unlike `f64::max` it need not ask whether either is no number.
#[inline]
fn later(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests;

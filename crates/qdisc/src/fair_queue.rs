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
mod fluid;
mod key;
mod line;
mod place;

use self::flows::{Flow, Flows, Length};
use self::fluid::{Fluid, later};
use self::key::Key;
use self::line::Heads;
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::flow_hash::{FlowBy, Words, words};
use crate::flow_queue::{End, over, with};
use crate::longest::Longest;
use crate::packet_lists::Store;
use tailrace_core::{Bytes, DropReason, Dscp, Ecn, FlowKey, Instant, Label, Limit, Packet};

/// Most flows that are known without a packet.
pub(crate) const MOST_REMEMBERED: u32 = 1 << 16;

/// Reading of the virtual clock.
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

/// The packet that is dropped when `limit` is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    /// The arriving one.
    Arrival,
    /// The last ones of the flow with most bytes.
    Longest,
}

/// Weights of the eight classes that the upper half of a DiffServ codepoint names.
pub(crate) type Weights = [f64; 8];

/// Configuration of a fair queue.
#[derive(Clone, Debug)]
pub(crate) struct FairSetup {
    /// Most that may wait in all flows together.
    pub(crate) limit: Limit,
    /// Most that may wait in one flow.
    pub(crate) flow_limit: Option<Limit>,
    /// Fields that make a flow; a class where this is `None`.
    pub(crate) by: Option<FlowBy>,
    /// Reading of the virtual clock.
    pub(crate) clock: Clock,
    /// Largest lag of the clock for a flow that was idle (DKS89), bytes; zero with clocks that are not fluid.
    pub(crate) delta: f64,
    /// A flow's weight is that of its first packet's class.
    pub(crate) weights: Weights,
    /// The packet that is dropped when `limit` is reached.
    pub(crate) payer: Payer,
    /// The link that is shared.
    pub(crate) link: LinkView,
}

/// Flows, served in the order of tags.
#[derive(Debug)]
pub(crate) struct FairQueue<P> {
    setup: FairSetup,
    /// The bits that make a flow; a class where this is `None`.
    mask: Option<Words>,
    /// Whether arrivals can find no room.
    may_refuse: bool,
    /// The rate of the link.
    bytes_per_sec: f64,
    flows: Flows,
    store: Store<Tagged<P>>,
    backlog: Backlog,
    /// Flows that hold packets.
    holding: u32,
    heads: Heads,
    fluid: Fluid,
    /// Flows that hold packets, most bytes first, of several the one that came to as many last.
    longest: Longest<Length>,
    /// Changes of backlogs so far.
    changes: u64,
}

/// A packet with its place in line.
#[derive(Clone, Copy, Debug)]
struct Tagged<P> {
    packet: P,
    /// Virtual time by which it is served.
    bid: f64,
    /// Its flow's last tag before it came.
    before: f64,
    /// Number of its arrival among all changes.
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
            mask: setup.by.map(FlowBy::mask),
            may_refuse: setup.flow_limit.is_some() || setup.payer == Payer::Arrival,
            setup,
            flows: Flows::new(most),
            store: Store::new(),
            backlog: Backlog::default(),
            holding: 0,
            heads: Heads::new(),
            fluid: Fluid::new(),
            longest: Longest::new(),
            changes: 0,
        }
    }

    /// The flow of `packet`, made if there is none yet.
    #[inline(always)]
    fn classify(&mut self, packet: &P, cx: &mut Cx<'_, P>) -> u32 {
        let class = packet.dscp().0 >> 3 & 7;
        let key = match self.mask {
            Some((addresses, rest)) => {
                let key = words(packet.flow());
                (key.0 & addresses, key.1 & rest)
            }
            None => (u64::from(class), 0),
        };
        self.flows.find_or_make(key, self.setup.weights[usize::from(class)], cx.rng)
    }

    /// Brings the clock to `now`.
    #[inline]
    fn advance(&mut self, now: Instant) {
        if self.setup.clock == Clock::Fluid {
            self.fluid.advance(&mut self.flows, now, self.bytes_per_sec);
        } else if self.setup.clock == Clock::Real {
            self.fluid.clock = now.as_secs_f64();
            self.expire();
        }
    }

    /// Forgets flows without packets that the clock has caught up with, and more where too many are remembered.
    #[inline]
    fn expire(&mut self) {
        let holding = self.holding;
        self.fluid.expire(&mut self.flows, |flows| remembers_too_many(flows, holding));
    }

    /// Appends `packet` to flow `index`.
    #[inline(always)]
    fn push(&mut self, index: u32, packet: P, now: Instant) {
        let size = packet.size();
        let flows = self.flows.all_mut();
        let flow = &mut flows[index as usize];
        let work = self.setup.link.wire_size(size).as_f64() / flow.weight;
        let (before, start) = (flow.last, later(flow.last, self.fluid.clock));
        let (bid, last) = match self.setup.clock {
            Clock::Fluid | Clock::Finish => {
                (work + later(before, self.fluid.clock - self.setup.delta), start + work)
            }
            Clock::Start => (start, start + work),
            // Only heads have tags.
            Clock::Real => (0.0, if flow.backlog.packets == 0 { start } else { before }),
        };
        self.changes += 1;
        let number = self.changes;
        self.store.push(&mut flow.ends, Tagged { packet, bid, before, number }, now);
        if flow.backlog.packets == 0 {
            self.holding += 1;
            self.heads.set(flows, index, Key::new(bid, number));
        }
        let flow = &mut flows[index as usize];
        flow.backlog = with(flow.backlog, size);
        self.backlog = with(self.backlog, size);
        flow.changed = number;
        if self.longest.is_kept() {
            self.longest.changed(index, flow.length());
        }
        self.fluid.set_last(flows, index, last);
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
        self.changes += 1;
        flow.changed = self.changes;
        if self.longest.is_kept() {
            self.longest.changed(index, flow.length());
        }
        match self.store.get(&flow.ends, End::Oldest) {
            None => {
                self.holding -= 1;
                self.heads.remove(flows, index);
            }
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
                self.fluid.set_last(self.flows.all_mut(), index, before);
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
        let flows = f64::from(self.holding);
        let mut best: Option<(u32, f64)> = None;
        // ns-2: the lowest flow wins ties.
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

    /// A clock that is not the fluid system's follows the packets: the head of flow `index`, with `tag`, is sent.
    #[inline(never)]
    fn turn_clock(&mut self, index: u32, tag: f64) {
        if self.setup.clock == Clock::Real {
            let is_head_again = self.flows[index].backlog.packets > 0;
            let last = if is_head_again { later(tag, self.fluid.clock) } else { tag };
            self.fluid.set_last(self.flows.all_mut(), index, last);
        } else {
            self.fluid.clock = later(self.fluid.clock, tag);
        }
        self.flows.forget_if_over(index);
        self.expire();
    }

    /// The link is idle: the clock starts anew.
    #[cold]
    fn reset(&mut self) {
        if self.setup.clock == Clock::Real {
            return;
        }
        self.fluid.reset(&mut self.flows);
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
        if self.may_refuse && self.refuses(index, packet.size()) {
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return self.flows.forget_if_over(index);
        }
        self.push(index, packet, cx.now);
        if over(self.setup.limit, self.backlog) {
            self.shed(cx);
        }
        if remembers_too_many(&self.flows, self.holding) {
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
        if self.setup.clock == Clock::Fluid {
            self.flows.forget_if_over(index);
        } else {
            self.turn_clock(index, tag);
        }
        self.store.take(place).map(|(tagged, arrival)| (tagged.packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// Work of the fluid system up to now was at the old rate; tags of packets that wait stay.
    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.advance(cx.now);
        self.setup.link = *link;
        self.bytes_per_sec = link.rate.bytes_per_sec();
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["active_flows", "remembered_flows"]
    }

    fn state(&self, out: &mut [f64]) {
        out.copy_from_slice(&[f64::from(self.holding), f64::from(self.flows.known() - self.holding)]);
    }
}

/// Whether more flows are known beside those that are `holding` packets than may be.
#[inline]
fn remembers_too_many(flows: &Flows, holding: u32) -> bool {
    let known = flows.known();
    known > MOST_REMEMBERED && known - MOST_REMEMBERED > holding
}

#[cfg(test)]
mod tests;

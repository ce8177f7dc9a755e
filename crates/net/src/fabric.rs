//! Links, routers and the event loop.

mod channels;
pub(crate) mod hosts;

use crate::channel::{Channel, ChannelId};
use crate::event_queue::{EventQueue, LARGE, Target};
use crate::fabric::hosts::Hosts;
use crate::ids::{Address, LinkId, NodeId, TimerId};
use crate::impairment::Impairment;
use crate::link::{Link, LinkConfig, Outcome};
use crate::link_stats::QueueStats;
use crate::packet_slab::{PacketId, PacketSlab, Routed};
use crate::route::Graph;
use tailrace_core::{DropReason, Duration, FlowKey, Instant, Packet, Rate, Rng};
use tailrace_qdisc::Qdisc;

/// Targets with this bit are timers of the hosts or channels, the others links.
const TIMER: Target = 1 << 23;
/// Targets from this on are channels.
pub(crate) const CHANNEL: Target = (1 << 24) - (1 << 12);

/// Cause of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A link, or its queue.
    Link(LinkId),
    /// A timer of the hosts.
    Timer(TimerId),
    /// A channel that directions of links share.
    Channel(ChannelId),
}

/// Links, routers, routes and pending events.
#[derive(Debug)]
pub struct Fabric<P: Packet> {
    pub(crate) links: Vec<Link<P>>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) packets: PacketSlab<P>,
    /// Whether it pays to fetch ahead.
    is_large: bool,
    graph: Graph,
    pub(crate) events: EventQueue,
    pub(crate) now: Instant,
    /// Time up to which events are being handled.
    until: Instant,
    handled: u64,
    hops: u64,
    trace: u64,
}

impl<P: Routed> Fabric<P> {
    /// Most links (directions).
    pub const MAX_TARGETS: u32 = TIMER;
    /// Timers are below this.
    pub const MAX_TIMERS: u32 = CHANNEL - TIMER;

    /// A fabric over `graph`, whose links are `configs` in the order of their [`LinkId`]s.
    ///
    /// # Panics
    /// When the numbers of links and configs differ.
    pub fn new(mut graph: Graph, configs: impl IntoIterator<Item = LinkConfig<P>>, timers: usize) -> Self {
        graph.compute_routes();
        let links: Vec<_> = configs
            .into_iter()
            .enumerate()
            .map(|(i, c)| {
                let to = graph.head(LinkId(i as u32));
                Link::new(c, to, graph.router_number(to))
            })
            .collect();
        let is_large = links.len() + timers > LARGE;
        let events = EventQueue::new(links.len() + timers);
        Self {
            links,
            channels: Vec::new(),
            packets: PacketSlab::new(),
            is_large,
            graph,
            events,
            now: Instant::ZERO,
            until: Instant::ZERO,
            handled: 0,
            hops: 0,
            trace: 0,
        }
    }

    /// The present.
    #[inline]
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Topology and routes.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// A link direction.
    pub fn link(&self, link: LinkId) -> &Link<P> {
        &self.links[link.0 as usize]
    }

    /// The packets that are on links or wait in plain FIFOs, in no order that means anything; what waits in disciplines is
    /// not among them.
    pub fn packets(&self) -> impl Iterator<Item = &P> {
        self.packets.iter()
    }

    /// Number of link directions.
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Events handled.
    pub fn handled(&self) -> u64 {
        self.handled
    }

    /// Packets carried over a link, summed over links.
    pub fn hops(&self) -> u64 {
        self.hops
    }

    /// Sum over every packet's every arrival so far of a hash of its time and place: equal runs have equal traces. A sum, so
    /// that it does not matter in which order arrivals are counted.
    pub fn trace(&self) -> u64 {
        self.trace
    }

    #[inline]
    fn count_arrival(&mut self, link: LinkId) {
        let x = (self.now.as_nanos() ^ u64::from(link.0) << 44).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.trace = self.trace.wrapping_add((x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93));
    }

    /// Asks for [`Hosts::wake`] at `at`. Timers are not cancelled: who no longer needs a wake ignores it.
    #[inline]
    pub fn wake_at(&mut self, at: Instant, timer: TimerId) {
        debug_assert!(timer.0 < Self::MAX_TIMERS);
        self.events.push(at.max(self.now), TIMER | timer.0);
    }

    /// Sends a packet from the host that owns `source`, or the router. From an address that a host has no more nothing leaves.
    #[inline]
    pub fn send<R: Hosts<P>>(&mut self, source: Address, pkt: P, hosts: &mut R) {
        match self.graph.egress(source) {
            Some(link) => self.transmit(link, pkt, hosts),
            None => self.send_without_link(source, pkt, hosts),
        }
    }

    /// A router sends by its routes, and a host that has the address no more nothing.
    #[cold]
    fn send_without_link<R: Hosts<P>>(&mut self, source: Address, pkt: P, hosts: &mut R) {
        let owner = self.graph.owner(source).expect("nodes send from addresses that the graph gave out");
        match self.graph.router_number(owner) {
            Some(router) => {
                let pkt = self.packets.insert(pkt);
                self.deliver((owner, Some(router)), pkt, hosts);
            }
            None => hosts.unroutable(owner, pkt, self.now),
        }
    }

    /// Hands a packet to a link.
    #[inline]
    pub fn transmit<R: Hosts<P>>(&mut self, link: LinkId, pkt: P, hosts: &mut R) {
        let pkt = self.packets.insert(pkt);
        self.forward(link, pkt, hosts);
    }

    #[inline]
    fn forward<R: Hosts<P>>(&mut self, link: LinkId, pkt: PacketId, hosts: &mut R) {
        let l = &mut self.links[link.0 as usize];
        if !l.is_free(self.packets.size(pkt), self.now) {
            return self.forward_slowly(link, pkt, hosts);
        }
        if let Some(at) = l.pass(pkt, &mut self.packets, self.now) {
            self.events.push(at, link.0);
        }
    }

    /// The same where the link is busy, or has more to do with a packet. Apart from the usual way, which needs fewer registers.
    #[inline(never)]
    fn forward_slowly<R: Hosts<P>>(&mut self, link: LinkId, pkt: PacketId, hosts: &mut R) {
        let l = &mut self.links[link.0 as usize];
        l.transmit(pkt, &mut self.packets, self.now, link, hosts);
        if let Some(at) = l.poll_event() {
            self.events.push(at, link.0);
        }
    }

    /// Makes sure that an event is pending for the link when it needs one. For what happens seldom: a packet's way has this in line.
    #[inline(never)]
    pub(crate) fn schedule(&mut self, link: LinkId) {
        if let Some(at) = self.links[link.0 as usize].poll_event() {
            self.events.push(at, link.0);
        }
    }

    /// Handles all events up to and including `until`, which becomes the present.
    pub fn run_until<R: Hosts<P>>(&mut self, until: Instant, hosts: &mut R) {
        while self.run_some(until, u64::MAX, hosts).is_some() {}
    }

    /// Handles events as [`Fabric::run_until`] does, but no more than `most`. If there may be more it gives the cause
    /// of the last, whose time is the present.
    pub fn run_some<R: Hosts<P>>(&mut self, until: Instant, most: u64, hosts: &mut R) -> Option<Cause> {
        let mut last = TIMER;
        self.until = until;
        for _ in 0..most {
            let Some((at, target)) = self.events.pop_until(until) else {
                self.now = self.now.max(until);
                return None;
            };
            last = target;
            self.now = at;
            self.handled += 1;
            if self.is_large && self.events.has_opened() {
                self.fetch_upcoming(hosts);
            }
            if target & TIMER == 0 {
                self.handle_link(LinkId(target), hosts);
            } else if target < CHANNEL {
                hosts.wake(TimerId(target & !TIMER), self);
            } else {
                self.handle_channel(ChannelId(target - CHANNEL), hosts);
            }
        }
        Some(match last {
            link if link & TIMER == 0 => Cause::Link(LinkId(link)),
            timer if timer < CHANNEL => Cause::Timer(TimerId(timer & !TIMER)),
            channel => Cause::Channel(ChannelId(channel - CHANNEL)),
        })
    }

    /// Loads what the events of the bucket just opened will need: their links, those links' first packets, and
    /// what these meet next. In a large network each of these is a trip to main memory; asked for one event at a
    /// time the trips add up, asked for together they overlap.
    fn fetch_upcoming<R: Hosts<P>>(&self, hosts: &R) {
        const BATCH: usize = 32;
        let mut firsts = [(PacketId::NONE, 0, None); BATCH];
        let mut count = 0;
        let links = self.events.upcoming().filter_map(|target| self.links.get(target as usize));
        for (slot, link) in firsts.iter_mut().zip(links) {
            let (to, router) = link.to();
            *slot = (link.first_packet(), to.0, router);
            count += 1;
        }
        for (id, _, router) in &firsts[..count] {
            if *id == PacketId::NONE {
                continue;
            }
            match router {
                Some(router) => {
                    let next = self.graph.next_hop_of(*router, self.packets.destination(*id));
                    if let Some(link) = next.and_then(|l| self.links.get(l.0 as usize)) {
                        std::hint::black_box(link.to());
                        std::hint::black_box(link.last_sent());
                    }
                }
                None => hosts.expect(self.packets.get(*id)),
            }
        }
    }

    /// Nothing reaches a host before then, but for what comes of something that a host sends meanwhile: the next event, or the
    /// time up to which events are being handled, since whoever handles them may act then.
    pub fn horizon(&mut self) -> Instant {
        let next = self.events.next_at().unwrap_or(Instant::MAX);
        next.min(self.until).max(self.now)
    }

    /// Whether nothing will happen any more unless a host acts.
    pub fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }

    #[inline]
    fn handle_link<R: Hosts<P>>(&mut self, link: LinkId, hosts: &mut R) {
        let l = &mut self.links[link.0 as usize];
        if !l.is_plain() {
            return self.handle_link_slowly(link, hosts);
        }
        let to = l.to();
        let (pkt, next) = l.plain_arrival(&self.packets, self.now);
        if next != Instant::MAX {
            self.events.push(next, link.0);
        }
        if let Some(pkt) = pkt {
            self.arrived(link, to, pkt, hosts);
        }
    }

    #[inline(never)]
    fn handle_link_slowly<R: Hosts<P>>(&mut self, link: LinkId, hosts: &mut R) {
        let now = self.now;
        let l = &mut self.links[link.0 as usize];
        let outcome = l.handle_event(&mut self.packets, now, link, hosts);
        let to = l.to();
        if let Some(at) = l.poll_event() {
            self.events.push(at, link.0);
        }
        match outcome {
            Outcome::Arrived(pkt) => self.arrived(link, to, pkt, hosts),
            Outcome::ArrivedTwice(pkt, copy) => {
                self.arrived(link, to, pkt, hosts);
                self.arrived(link, to, copy, hosts);
            }
            Outcome::Lost(pkt) => hosts.dropped(link, self.packets.remove(pkt), DropReason::LinkLoss, now),
            Outcome::WantsChannel(id) => self.request_channel(id),
            Outcome::Nothing => {}
        }
    }

    /// A packet has crossed a link.
    #[inline(always)]
    fn arrived<R: Hosts<P>>(
        &mut self,
        link: LinkId,
        to: (NodeId, Option<u32>),
        pkt: PacketId,
        hosts: &mut R,
    ) {
        self.hops += 1;
        self.count_arrival(link);
        self.deliver(to, pkt, hosts);
    }

    #[inline(always)]
    fn deliver<R: Hosts<P>>(&mut self, (node, router): (NodeId, Option<u32>), pkt: PacketId, hosts: &mut R) {
        let Some(router) = router else { return self.hand_over(node, pkt, hosts) };
        match self.graph.next_hop_of(router, self.packets.destination(pkt)) {
            Some(link) => self.forward(link, pkt, hosts),
            None => self.stop_over((node, router), pkt, hosts),
        }
    }

    /// A packet has come to a host. Apart from a router's way, which needs fewer registers.
    #[inline(never)]
    fn hand_over<R: Hosts<P>>(&mut self, node: NodeId, pkt: PacketId, hosts: &mut R) {
        let pkt = self.packets.remove(pkt);
        hosts.receive(node, pkt, self);
    }

    /// No route is at hand: it may be one of several, or the first that somebody asks for. If there is none, either the
    /// packet was sent to this very router, which sends it on if it is a gateway of its source route, or it is lost. A gateway
    /// may stand in a source route twice in a row.
    #[cold]
    fn stop_over<R: Hosts<P>>(&mut self, (node, router): (NodeId, u32), pkt: PacketId, hosts: &mut R) {
        loop {
            let packet = self.packets.get(pkt);
            if let Some(link) = self.graph.route(router, packet.destination(), || packet.flow()) {
                return self.forward(link, pkt, hosts);
            }
            if self.graph.owner(self.packets.destination(pkt)) != Some(node) {
                return hosts.unroutable(node, self.packets.remove(pkt), self.now);
            }
            if !self.packets.change(pkt, |packet| hosts.next_stop(node, packet)) {
                let pkt = self.packets.remove(pkt);
                return hosts.receive_at_router(node, pkt, self);
            }
        }
    }

    /// Lets a link say of each packet when it leaves ([`Observer::left`](crate::Observer::left)). False where it cannot.
    pub fn report_departures(&mut self, link: LinkId) -> bool {
        self.links[link.0 as usize].report_departures(&mut self.packets, self.now)
    }

    /// Brings a link's queue up to the present, so that its backlog, counters and state can be read.
    pub fn settle<R: Hosts<P>>(&mut self, link: LinkId, hosts: &mut R) {
        let now = self.now;
        let l = &mut self.links[link.0 as usize];
        l.catch_up(&mut self.packets, now, link, hosts);
        let level = l.backlog();
        if let Some(stats) = l.stats_mut() {
            stats.finish(level, now);
        }
        self.schedule(link);
    }

    /// Gives the statistics of an observed link so far, and starts them anew. Call after [`Fabric::settle`].
    pub fn cut_stats(&mut self, link: LinkId) -> Option<QueueStats> {
        let now = self.now;
        let l = &mut self.links[link.0 as usize];
        let level = l.backlog();
        l.stats_mut().map(|stats| stats.cut(level, now))
    }

    /// Mean sojourn since this was last asked (see [`crate::QueueStats::take_recent_sojourn`]).
    pub fn take_recent_sojourn(&mut self, link: LinkId) -> Option<Duration> {
        self.links[link.0 as usize].stats_mut()?.take_recent_sojourn()
    }

    /// Takes link directions down or up; with `reroute`, routes follow. Gives those that routing did not know of.
    pub fn set_links_up<R: Hosts<P>>(
        &mut self,
        links: &[LinkId],
        up: bool,
        reroute: bool,
        hosts: &mut R,
    ) -> Vec<LinkId> {
        for &link in links {
            let l = &mut self.links[link.0 as usize];
            if up {
                l.bring_up(&mut self.packets, self.now, link, hosts);
            } else {
                l.take_down(&mut self.packets, self.now, link, hosts);
                if let Some(id) = l.station_id() {
                    self.channels[id.channel as usize].leave(id.station as usize);
                }
            }
            self.schedule(link);
        }
        if reroute { self.graph.set_links_up(links, up) } else { Vec::new() }
    }

    /// Says that the ends of link directions see that they are up, or down, whatever routes have heard.
    pub fn see_links(&mut self, links: &[LinkId], up: bool) {
        links.iter().for_each(|link| self.graph.set_seen_up(*link, Some(up)));
    }

    /// Lets routes hear of link directions whether they may lead over them; what their ends see stays.
    pub fn reroute(&mut self, news: &[(LinkId, bool)]) {
        let seen: Vec<bool> = news.iter().map(|(link, _)| self.graph.is_up(*link)).collect();
        for up in [false, true] {
            let links: Vec<LinkId> =
                news.iter().filter(|(_, is_up)| *is_up == up).map(|(link, _)| *link).collect();
            self.graph.set_links_up(&links, up);
        }
        for ((link, _), up) in news.iter().zip(seen) {
            self.graph.set_seen_up(*link, Some(up));
        }
    }

    /// Brings link directions up that were down, although no route leads over them yet, or says of such that routes will; these
    /// are then to be brought up as any. A host has no route for what it sends: that is refused. What leads from a router to a
    /// host is no matter of routes and is left alone.
    pub fn set_links_routeless<R: Hosts<P>>(&mut self, links: &[LinkId], is_routeless: bool, hosts: &mut R) {
        for &link in links {
            self.graph.set_seen_up(link, is_routeless.then_some(true));
            let host = self.graph.first_hop(link);
            let l = &mut self.links[link.0 as usize];
            l.set_routeless(host.filter(|_| is_routeless));
            if is_routeless && host.is_none() {
                l.bring_up(&mut self.packets, self.now, link, hosts);
                self.schedule(link);
            }
        }
    }

    /// Same as [`Graph::links_on_way`].
    pub fn links_on_way(
        &mut self,
        ends: (Address, Address),
        flow: FlowKey,
    ) -> impl Iterator<Item = LinkId> + '_ {
        self.graph.links_on_way(ends, flow)
    }

    /// Same as [`Graph::compute_routes_to`].
    pub fn learn_routes(&mut self, addresses: impl IntoIterator<Item = Address>) {
        self.graph.compute_routes_to(addresses);
    }

    /// Same as [`Graph::change_address`]: routes stay.
    pub fn change_address(&mut self, link: LinkId, address: Address) -> Option<Address> {
        self.graph.change_address(link, address)
    }

    /// Changes a link's rate. A packet in service finishes at the old one.
    pub fn set_rate<R: Hosts<P>>(&mut self, link: LinkId, rate: Rate, hosts: &mut R) {
        self.links[link.0 as usize].set_rate(rate, &mut self.packets, self.now, link, hosts);
        self.schedule(link);
    }

    /// Lets a link that has a schedule deliver by it again, after [`Fabric::set_rate`].
    pub fn resume_schedule<R: Hosts<P>>(&mut self, link: LinkId, hosts: &mut R) {
        self.links[link.0 as usize].resume_schedule(&mut self.packets, self.now, link, hosts);
        self.schedule(link);
    }

    /// Changes a link's propagation delay for packets whose transmission has not started. They do not overtake
    /// those in flight.
    pub fn set_delay<R: Hosts<P>>(&mut self, link: LinkId, delay: Duration, hosts: &mut R) {
        self.links[link.0 as usize].set_delay(delay, &mut self.packets, self.now, link, hosts);
        self.schedule(link);
    }

    /// Gives a link another queue discipline, which takes over what waits.
    pub fn set_queue<R: Hosts<P>>(&mut self, link: LinkId, queue: Box<(Qdisc<P>, Rng)>, hosts: &mut R) {
        self.links[link.0 as usize].set_queue(queue, &mut self.packets, self.now, link, hosts);
        self.schedule(link);
    }

    /// Replaces a link's random loss and jitter.
    pub fn set_impairment<R: Hosts<P>>(
        &mut self,
        link: LinkId,
        impairment: Option<Box<Impairment>>,
        hosts: &mut R,
    ) {
        self.links[link.0 as usize].set_impairment(impairment, &mut self.packets, self.now, link, hosts);
        self.schedule(link);
    }
}

//! Direction of a link: a queue, a transmitter and the packets on the wire.
//!
//! A link costs one event a packet. Its packets in flight are a list in order of arrival ([`Flight`]), and only the
//! first one's arrival is a pending event. What happens in between is caught up with when somebody looks:
//!
//! - Behind a plain FIFO every departure time is known on arrival, so the packet goes straight into flight.
//! - A queue discipline must be asked for a packet at the moment the transmitter is free; [`Link::catch_up`] asks
//!   it, late but with the right time, before anything else is done to the link. Nothing can tell the difference,
//!   since a discipline's state is seen only through the link. (Where a capture watches, it asks in time.)
//!
//! Both give the same departures, drops and statistics to the nanosecond. Where a departure cannot be known on
//! arrival (jitter, a change of rate or delay, a schedule, a capture of what is sent when, a channel that others share), a
//! FIFO is handed over to the `droptail` discipline.
//!
//! At equal times a departure comes before an arrival. Without an [`Impairment`] that reorders, a link never does:
//! after a decrease of its delay, packets arrive behind those that are in flight.
//!
//! A large network touches its links in no order that a cache could foresee. So what a packet needs that meets an
//! idle transmitter (the common case: most links are not bottlenecks) lies in the first two cache lines.

mod delivery_schedule;
mod faults;
mod queueing;
mod replace_qdisc;
mod shared_medium;

use crate::flight::Flight;
use crate::ids::{LinkId, NodeId};
use crate::impairment::Impairment;
use crate::link_stats::{LinkCounters, QueueStats};
use crate::observer::PacketOps;
use crate::packet_slab::{PacketId, PacketSlab, Routed};
use crate::transmitter::Transmitter;
use delivery_schedule::DeliverySchedule;
use queueing::Service;
use shared_medium::MediumStation;
pub(crate) use shared_medium::{FrameOutcome, StationId};
use tailrace_access::RunningSchedule;
use tailrace_core::{Bytes, DropReason, Duration, Instant, Limit, Packet, Rate, Rng};
use tailrace_qdisc::{Backlog, Qdisc, QueueDiscipline};

/// Queue of a link.
#[derive(Debug)]
pub enum LinkQueue<P: Packet> {
    /// First in, first out, drop-tail: departures are computed on arrival.
    Fifo(Limit),
    /// Any other discipline, with its own random stream.
    Disciplined(Box<(Qdisc<P>, Rng)>),
}

/// Configuration of a link.
#[derive(Debug)]
pub struct LinkConfig<P: Packet> {
    /// Rate, more than zero; with a schedule its mean.
    pub rate: Rate,
    /// When it can deliver, where it is not the rate that says so.
    pub schedule: Option<Box<RunningSchedule>>,
    /// Propagation delay.
    pub delay: Duration,
    /// Bytes each packet takes on the link beyond its size.
    pub overhead: Bytes,
    /// Largest packet; more than [`Link::MAX_MTU`] means that.
    pub mtu: Bytes,
    /// The queue.
    pub queue: LinkQueue<P>,
    /// Random loss and jitter.
    pub impairment: Option<Box<Impairment>>,
    /// Whether to keep [`QueueStats`].
    pub observed: bool,
    /// Whether to call [`Observer::transmitted`] for each packet.
    pub watched: bool,
    /// Whether to call [`PacketOps::through_middlebox`] for each packet: a middlebox sits at the far end.
    pub has_middlebox: bool,
}

/// Direction of a link.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Link<P: Packet> {
    // First cache line: all that an arrival at the other end needs, without impairment.
    /// Time of the one event that is pending for this link, or `Instant::MAX`.
    pending: Instant,
    flight: Flight,
    delay: Duration,
    to: NodeId,
    /// Number of that node among the routers, or [`NOT_A_ROUTER`].
    router: u32,
    /// Smaller packets that find the transmitter free are sent without further ado: the link is plain and up, and keeps no statistics.
    express_below: u32,
    /// See [`Link::is_plain`].
    plain: bool,
    up: bool,
    /// Its rate is zero: what comes waits.
    halted: bool,
    /// The host that has no route over it, where it is only for that reason that it is down.
    routeless: Option<NodeId>,
    watched: bool,
    /// Whether it calls [`Observer::left`](crate::Observer::left).
    reports: bool,
    has_middlebox: bool,
    // Second cache line.
    transmitter: Transmitter,
    arrived: u64,
    sent_bytes: u64,
    // The rest.
    /// As `express_below`, but of any link that is up, has no discipline and is watched by nobody.
    free_below: u32,
    mtu: Bytes,
    service: Service<P>,
    impairment: Option<Box<Impairment>>,
    stats: Option<Box<QueueStats>>,
    schedule: Option<Box<DeliverySchedule>>,
    /// Station of a shared channel, whose arbiter decides when the link sends; `None` for a link of its own.
    station: Option<Box<MediumStation>>,
    /// End of the transmission during which the rate last changed, and the rate before the change.
    former: Option<Box<(Instant, Rate)>>,
    /// Bits of packets that were cut off as the link went down.
    cut_bits: f64,
    event_counters: PacketEventCounters,
}

/// Counters of drops, marks and impairments; copied to [`LinkCounters`].
#[derive(Debug, Default)]
struct PacketEventCounters {
    refused: u64,
    expelled: u64,
    marked: u64,
    dropped: [u64; DropReason::COUNT],
    duplicated: u64,
    corrupted: u64,
    held_back: u64,
}

const NOT_A_ROUTER: u32 = u32::MAX;

/// Outcome of an event at a link.
pub(crate) enum Outcome {
    /// A packet for the node at the other end.
    Arrived(PacketId),
    /// A packet for the node at the other end, followed by its duplicate.
    ArrivedTwice(PacketId, PacketId),
    /// The link lost a packet.
    Lost(PacketId),
    /// The link is a station of a shared channel and has a frame to send.
    WantsChannel(StationId),
    /// No packet: the event concerned the queue only, or was superseded by an earlier one.
    Nothing,
}

impl<P: Routed> Link<P> {
    /// Largest packet, and most overhead.
    pub const MAX_MTU: Bytes = Bytes(1 << 30);

    /// A link that leads to `to`, which is router number `router` or none.
    pub(crate) fn new(config: LinkConfig<P>, to: NodeId, router: Option<u32>) -> Self {
        assert!(config.overhead <= Self::MAX_MTU, "a link's overhead is at most 1 GiB a packet");
        let mut link = Self {
            pending: Instant::MAX,
            flight: Flight::new(),
            delay: config.delay,
            to,
            router: router.unwrap_or(NOT_A_ROUTER),
            express_below: 0,
            free_below: 0,
            plain: false,
            up: true,
            halted: false,
            routeless: None,
            watched: config.watched,
            reports: false,
            has_middlebox: config.has_middlebox,
            transmitter: Transmitter::new(config.rate, config.overhead),
            arrived: 0,
            sent_bytes: 0,
            mtu: config.mtu.min(Self::MAX_MTU),
            service: Service::new(config.queue),
            impairment: config.impairment,
            stats: config.observed.then(Box::default),
            schedule: config.schedule.map(|openings| Box::new(DeliverySchedule::new(openings, config.rate))),
            station: None,
            former: None,
            cut_bits: 0.0,
            event_counters: PacketEventCounters::default(),
        };
        if link.schedule.is_some() || link.impairment.as_ref().is_some_and(|i| i.varies_delay()) {
            link.undo_arithmetic(&mut PacketSlab::new(), Instant::ZERO);
        }
        link.renew_shortcuts();
        link
    }

    /// From now on it says of each packet when it leaves. False where it cannot: a channel that others share, too, decides that.
    pub(crate) fn report_departures(&mut self, packets: &mut PacketSlab<P>, now: Instant) -> bool {
        if self.station.is_none() {
            self.undo_arithmetic(packets, now);
            self.reports = true;
        }
        self.reports
    }

    /// Decides anew which packets may take the short ways; to be called when anything they depend on has changed.
    fn renew_shortcuts(&mut self) {
        let fifo = matches!(self.service, Service::Fifo { .. });
        self.plain = fifo && self.impairment.is_none() && !self.has_middlebox && !self.watched;
        let largest = match self.service {
            _ if !self.up || self.watched => None,
            Service::Fifo { limit: Limit::Packets(n), .. } => (n > 0).then_some(self.mtu),
            Service::Fifo { limit: Limit::Bytes(n), .. } => Some(self.mtu.min(n)),
            Service::Disciplined { .. } => None,
        };
        self.free_below = largest.map_or(0, |size| size.get() as u32 + 1);
        self.express_below = if self.plain && self.stats.is_none() { self.free_below } else { 0 };
    }

    /// Where it leads: the node, and its number among the routers if it is one.
    #[inline]
    pub(crate) fn to(&self) -> (NodeId, Option<u32>) {
        (self.to, (self.router != NOT_A_ROUTER).then_some(self.router))
    }

    /// Whether it is a FIFO without impairment, middlebox or watcher, so that nothing happens on arrival but the arrival.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// The packet that arrives next.
    #[inline]
    pub(crate) fn first_packet(&self) -> PacketId {
        self.flight.first()
    }

    /// End of the last transmission; asked for to load what the next one needs.
    #[inline]
    pub(crate) fn last_sent(&self) -> Instant {
        self.transmitter.busy_until()
    }

    /// Whether it carries packets.
    pub const fn is_up(&self) -> bool {
        self.up
    }

    /// The largest packet that it carries.
    pub fn mtu(&self) -> Bytes {
        self.mtu
    }

    /// Backlog as of the last call that touched the link (see [`crate::Fabric::settle`]).
    pub fn backlog(&self) -> Backlog {
        match &self.service {
            Service::Fifo { backlog, .. } => *backlog,
            Service::Disciplined { queue, .. } => queue.0.backlog(),
        }
    }

    /// Counters since the start of the run, as of the last call that touched the link.
    pub fn counters(&self) -> LinkCounters {
        let PacketEventCounters { refused, expelled, marked, dropped, duplicated, corrupted, held_back } =
            self.event_counters;
        LinkCounters {
            arrived: self.arrived,
            refused,
            expelled,
            dequeued: self.arrived - refused - expelled - self.backlog().packets,
            sent_bytes: self.sent_bytes,
            delivered: self.arrived + duplicated - dropped.iter().sum::<u64>() - self.occupancy(),
            marked,
            dropped,
            duplicated,
            corrupted,
            held_back,
        }
    }

    /// Bits that are counted as sent and are not: those of the packet in transmission that leave after `now`, and those that were cut off as
    /// the link went down. It is settled up to `now`, and has a rate: media and schedules have none of these, as what they send counts when
    /// it has left, or by opportunities.
    pub fn unsent_bits(&self, now: Instant) -> f64 {
        let end = self.transmission_ends();
        // A packet in service finishes as it began.
        let former = self.former.as_deref().filter(|(until, _)| end <= *until);
        let rate = former.map_or(self.transmitter.rate(), |(_, rate)| *rate);
        self.cut_bits + end.saturating_since(now).as_nanos() as f64 * rate.as_bps() as f64 / 1e9
    }

    /// Distribution of backlog and sojourn, where observed.
    pub fn stats(&self) -> Option<&QueueStats> {
        self.stats.as_deref()
    }

    pub(crate) fn stats_mut(&mut self) -> Option<&mut QueueStats> {
        self.stats.as_deref_mut()
    }

    /// Packets waiting, in service and on the wire.
    pub fn occupancy(&self) -> u64 {
        let beyond = match &self.service {
            Service::Fifo { .. } => 0,
            Service::Disciplined { queue, .. } => queue.0.backlog().packets,
        };
        let held = self.station.as_ref().map_or(0, |station| station.held());
        self.flight.len() as u64 + beyond + held
    }

    /// Propagation delay.
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// Names and values of the discipline's own state variables.
    pub fn law_state(&self, out: &mut Vec<f64>) -> &'static [&'static str] {
        out.clear();
        match &self.service {
            Service::Fifo { .. } => &[],
            Service::Disciplined { queue, .. } => {
                let names = queue.0.state_names();
                out.resize(names.len(), f64::NAN);
                queue.0.state(out);
                names
            }
        }
    }

    /// The random impairments.
    pub fn impairment(&self) -> Option<&Impairment> {
        self.impairment.as_deref()
    }

    /// Whether a packet of this size is sent at `now` without further ado, and nothing happens to it but its arrival.
    #[inline(always)]
    pub(crate) fn is_free(&self, size: Bytes, now: Instant) -> bool {
        size.get() < u64::from(self.express_below) && self.transmitter.busy_until() <= now
    }

    /// Takes a packet for which it is free. Gives the time for which an event must be pushed now, if any, as [`Link::poll_event`] does.
    #[inline(always)]
    pub(crate) fn pass(
        &mut self,
        pkt: PacketId,
        packets: &mut PacketSlab<P>,
        now: Instant,
    ) -> Option<Instant> {
        self.arrived += 1;
        self.send_at_once(pkt, packets, now);
        if self.pending != Instant::MAX {
            return None; // The pending event is the arrival of the first in flight, or earlier.
        }
        self.pending = self.flight.first_arrives();
        Some(self.pending)
    }

    /// Sends a packet at once. Packets that a FIFO had waiting have left by now; the books are brought up to date by
    /// the next reader.
    #[inline(always)]
    fn send_at_once(&mut self, pkt: PacketId, packets: &mut PacketSlab<P>, now: Instant) {
        let size = packets.size(pkt);
        let (_, ends) = self.transmitter.send(size, now);
        self.sent_bytes += size.get();
        self.propagate_in_order(pkt, ends, packets);
    }

    /// Takes a packet at time `now`, for which it is not free as a plain link would be.
    pub(crate) fn transmit<R: PacketOps<P>>(
        &mut self,
        pkt: PacketId,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.arrived += 1;
        let size = packets.size(pkt).get();
        if size < u64::from(self.free_below) && self.transmitter.busy_until() <= now && self.notes_no_wait() {
            return self.send_at_once(pkt, packets, now);
        }
        self.transmit_slowly(pkt, packets, now, id, hosts);
    }

    /// Notes, where statistics are kept, that a packet need not wait. False where others have waited that must be noted before it.
    #[inline]
    fn notes_no_wait(&mut self) -> bool {
        let Some(stats) = &mut self.stats else { return true };
        let none_waits = matches!(&self.service, Service::Fifo { waiting, .. } if waiting.is_empty());
        if none_waits {
            stats.sojourn(Duration::ZERO);
        }
        none_waits
    }

    fn transmit_slowly<R: PacketOps<P>>(
        &mut self,
        pkt: PacketId,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        if !self.up || packets.size(pkt) > self.mtu {
            if let Some(host) = self.routeless {
                // It never comes to the link.
                self.arrived -= 1;
                return hosts.unroutable(host, packets.remove(pkt), now);
            }
            let reason = if self.up { DropReason::TooBig } else { DropReason::LinkDown };
            return self.refuse(packets.remove(pkt), reason, now, id, hosts);
        }
        match &mut self.service {
            Service::Fifo { .. } => self.transmit_fifo(pkt, packets, now, id, hosts),
            Service::Disciplined { .. } => {
                self.transmit_disciplined(packets.remove(pkt), packets, now, id, hosts);
            }
        }
    }

    fn refuse<R: PacketOps<P>>(
        &mut self,
        pkt: P,
        reason: DropReason,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.event_counters.refused += 1;
        self.event_counters.dropped[reason as usize] += 1;
        hosts.dropped(id, pkt, reason, now);
    }

    /// Puts a packet whose transmission ends at `ends` onto the wire.
    fn propagate(&mut self, pkt: PacketId, ends: Instant, packets: &mut PacketSlab<P>) {
        let Some(impairment) = &mut self.impairment else {
            return self.propagate_in_order(pkt, ends, packets);
        };
        let (arrives, held) = impairment.arrival(ends.saturating_add(self.delay), self.flight.last_arrives());
        self.event_counters.held_back += u64::from(held);
        self.flight.insert(pkt, arrives, packets);
    }

    #[inline]
    fn propagate_in_order(&mut self, pkt: PacketId, ends: Instant, packets: &mut PacketSlab<P>) {
        let arrives = ends.saturating_add(self.delay).max(self.flight.last_arrives());
        self.flight.push_back(pkt, arrives, packets);
    }

    /// The time for which an event must be pushed now, if any: the link needs attention before its pending event,
    /// which will be superfluous then. An event that is pending earlier will look again. In line even where its slow half has grown:
    /// a call costs 38 instructions a hop.
    #[inline(always)]
    pub(crate) fn poll_event(&mut self) -> Option<Instant> {
        if self.plain && self.pending != Instant::MAX {
            return None; // The pending event is the arrival of the first in flight, or earlier.
        }
        let head = self.flight.first_arrives();
        let next = if self.plain { head } else { head.min(self.next_service(head)) };
        if next >= self.pending {
            return None;
        }
        self.pending = next;
        Some(next)
    }

    /// An event for a plain link is due: the packet that arrives, and when there is to be another event.
    #[inline(always)]
    pub(crate) fn plain_arrival(
        &mut self,
        packets: &PacketSlab<P>,
        now: Instant,
    ) -> (Option<PacketId>, Instant) {
        if self.pending != now {
            return (None, Instant::MAX); // Superseded by an earlier one.
        }
        let pkt = self.arrival(packets, now);
        self.pending = self.flight.first_arrives();
        (pkt, self.pending)
    }

    /// An event for this link is due.
    pub(crate) fn handle_event<R: PacketOps<P>>(
        &mut self,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) -> Outcome {
        if self.pending != now {
            return Outcome::Nothing;
        }
        self.pending = Instant::MAX;
        self.catch_up(packets, now, id, hosts);
        if let Some(request) = self.station.as_mut().and_then(|station| station.take_request()) {
            return request; // An arrival at this time is another event.
        }
        let Some(pkt) = self.arrival(packets, now) else { return Outcome::Nothing };
        let lost = self.schedule.as_mut().is_some_and(|schedule| schedule.take_lost(pkt));
        if lost || self.impairment.as_mut().is_some_and(|i| i.loses(now)) {
            self.event_counters.dropped[DropReason::LinkLoss as usize] += 1;
            return Outcome::Lost(pkt);
        }
        let copy = self.disturb(pkt, packets, id, hosts);
        if self.has_middlebox {
            for pkt in std::iter::once(pkt).chain(copy) {
                packets.change(pkt, |pkt| hosts.through_middlebox(id, pkt));
            }
        }
        copy.map_or(Outcome::Arrived(pkt), |copy| Outcome::ArrivedTwice(pkt, copy))
    }

    /// Applies duplication and corruption to an arriving packet; returns its duplicate, if any. Original and duplicate are
    /// corrupted independently.
    fn disturb<R: PacketOps<P>>(
        &mut self,
        pkt: PacketId,
        packets: &mut PacketSlab<P>,
        id: LinkId,
        hosts: &mut R,
    ) -> Option<PacketId> {
        let netem = self.impairment.as_mut()?.disturbs_arrivals()?;
        let copy = if netem.duplicates() { hosts.duplicate(id, packets.get(pkt)) } else { None };
        let copy = copy.map(|copy| packets.insert(copy));
        self.event_counters.duplicated += u64::from(copy.is_some());
        for pkt in std::iter::once(pkt).chain(copy) {
            if netem.corrupts() {
                self.event_counters.corrupted += 1;
                packets.change(pkt, |pkt| hosts.damage(id, pkt));
            }
        }
        copy
    }

    /// Takes out the packet that has arrived by `now`.
    #[inline]
    fn arrival(&mut self, packets: &PacketSlab<P>, now: Instant) -> Option<PacketId> {
        if self.flight.first_arrives() > now {
            return None;
        }
        self.flight.pop_front(packets)
    }
}

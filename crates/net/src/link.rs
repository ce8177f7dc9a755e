//! One direction of a link: a queue, a transmitter and the packets on the wire.
//!
//! A link costs one event a packet. Its packets in flight sit in a ring in order of arrival, and only the first
//! one's arrival is a pending event. What happens in between is caught up with when somebody looks:
//!
//! - Behind a plain FIFO every departure time is known on arrival, so the packet goes straight into the ring.
//! - A queue discipline must be asked for a packet at the moment the transmitter is free; [`Link::catch_up`] asks
//!   it, late but with the right time, before anything else is done to the link. Nothing can tell the difference,
//!   since a discipline's state is seen only through the link.
//!
//! Both give the same departures, drops and statistics to the nanosecond. Where a departure cannot be known on
//! arrival (jitter, a change of rate or delay, a capture of what is sent when), a FIFO is handed over to the
//! `droptail` discipline.
//!
//! At equal times a departure comes before an arrival. Without [`Impairment`] that reorders, a link never does:
//! after a decrease of its delay, packets arrive behind those that are in flight.

use crate::impair::Impairment;
use crate::stats::{LinkCounters, QueueStats};
use crate::transmitter::Transmitter;
use crate::{LinkId, NodeId, Rim};
use std::collections::VecDeque;
use tailrace_core::{Bytes, DropReason, Duration, FlowKey, Instant, Limit, Packet, Rate, Rng};
use tailrace_qdisc::disciplines::droptail::DroptailConfig;
use tailrace_qdisc::testing::Counter;
use tailrace_qdisc::{Backlog, Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline, Sink};

/// How a link's queue works.
#[derive(Debug)]
pub enum LinkQueue<P: Packet> {
    /// First in, first out, drop-tail: departures are computed on arrival.
    Fifo(Limit),
    /// Any other discipline, with its own random stream.
    Disciplined(Box<(Qdisc<P>, Rng)>),
}

/// What a link is built from.
#[derive(Debug)]
pub struct LinkConfig<P: Packet> {
    /// Rate, more than zero.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Duration,
    /// Bytes each packet takes on the link beyond its size.
    pub overhead: Bytes,
    /// Largest packet.
    pub mtu: Bytes,
    /// The queue.
    pub queue: LinkQueue<P>,
    /// Random loss and jitter.
    pub impairment: Option<Box<Impairment>>,
    /// Whether to keep [`QueueStats`].
    pub observed: bool,
    /// Whether to call [`Rim::transmitted`] for each packet.
    pub watched: bool,
}

/// A packet whose arrival at the other end is known.
#[derive(Debug)]
struct Flying<P> {
    pkt: P,
    arrives: Instant,
}

/// One direction of a link.
#[derive(Debug)]
pub struct Link<P: Packet> {
    transmitter: Transmitter,
    /// Time of the one event that is pending for this link, or `Instant::MAX`.
    pub(crate) pending: Instant,
    flight: VecDeque<Flying<P>>,
    service: Service<P>,
    pub(crate) to: NodeId,
    pub(crate) up: bool,
    watched: bool,
    delay: Duration,
    mtu: Bytes,
    counters: LinkCounters,
    impairment: Option<Box<Impairment>>,
    stats: Option<Box<QueueStats>>,
}

/// A packet whose transmission has not started.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    arrived: Instant,
    starts: Instant,
    size: Bytes,
}

/// The queue in front of the transmitter.
#[derive(Debug)]
enum Service<P: Packet> {
    /// Its packets are in flight already; those whose transmission has not started count as backlog.
    Fifo {
        limit: Limit,
        backlog: Backlog,
        /// One for each packet of the backlog; those packets are the last of the flight.
        waiting: VecDeque<Waiting>,
    },
    Disciplined {
        queue: Box<(Qdisc<P>, Rng)>,
        /// When the transmitter will next ask for a packet; `None` while it idles.
        due: Option<Instant>,
    },
}

impl<P: Packet> Link<P> {
    pub(crate) fn new(config: LinkConfig<P>, to: NodeId) -> Self {
        let jitters = config.impairment.as_ref().is_some_and(|i| i.jitters());
        let mut link = Self {
            transmitter: Transmitter::new(config.rate, config.overhead),
            pending: Instant::MAX,
            flight: VecDeque::new(),
            service: match config.queue {
                LinkQueue::Fifo(limit) => {
                    Service::Fifo { limit, backlog: Backlog::default(), waiting: VecDeque::new() }
                }
                LinkQueue::Disciplined(queue) => Service::Disciplined { queue, due: None },
            },
            to,
            up: true,
            watched: config.watched,
            delay: config.delay,
            mtu: config.mtu,
            counters: LinkCounters::default(),
            impairment: config.impairment,
            stats: config.observed.then(Box::default),
        };
        if config.watched || jitters {
            link.undo_arithmetic(Instant::ZERO);
        }
        link
    }

    /// What waits, as of the last call that touched the link (see [`crate::Fabric::settle`]).
    pub fn backlog(&self) -> Backlog {
        match &self.service {
            Service::Fifo { backlog, .. } => *backlog,
            Service::Disciplined { queue, .. } => queue.0.backlog(),
        }
    }

    /// Counters since the start of the run.
    pub fn counters(&self) -> &LinkCounters {
        &self.counters
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
        self.flight.len() as u64 + beyond
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

    /// Takes a packet at time `now`.
    #[inline]
    pub(crate) fn transmit<R: Rim<P>>(&mut self, pkt: P, now: Instant, id: LinkId, rim: &mut R) {
        self.counters.arrived += 1;
        if !self.up || pkt.size() > self.mtu {
            let reason = if self.up { DropReason::TooBig } else { DropReason::LinkDown };
            return self.refuse(pkt, reason, now, id, rim);
        }
        match &mut self.service {
            Service::Fifo { .. } => self.transmit_fifo(pkt, now, id, rim),
            Service::Disciplined { .. } => self.transmit_disciplined(pkt, now, id, rim),
        }
    }

    #[inline]
    fn transmit_fifo<R: Rim<P>>(&mut self, pkt: P, now: Instant, id: LinkId, rim: &mut R) {
        self.start_waiting(now);
        let Service::Fifo { limit, backlog, waiting } = &mut self.service else {
            unreachable!("checked by the caller")
        };
        let size = pkt.size();
        let full = match *limit {
            Limit::Packets(n) => backlog.packets >= n,
            Limit::Bytes(n) => backlog.bytes + size > n,
        };
        if full {
            return self.refuse(pkt, DropReason::Overlimit, now, id, rim);
        }
        let (starts, ends) = self.transmitter.send(size, now);
        if starts > now {
            waiting.push_back(Waiting { arrived: now, starts, size });
            backlog.packets += 1;
            backlog.bytes += size;
            if let Some(stats) = &mut self.stats {
                stats.level(*backlog, now);
            }
        } else {
            self.counters.dequeued += 1;
            self.counters.sent_bytes += size.get();
            if let Some(stats) = &mut self.stats {
                stats.sojourn(Duration::ZERO);
            }
        }
        self.fly(pkt, ends);
    }

    /// FIFO: packets whose transmission has started by `now` no longer wait.
    #[inline]
    fn start_waiting(&mut self, now: Instant) {
        let Service::Fifo { backlog, waiting, .. } = &mut self.service else { return };
        while let Some(&Waiting { arrived, starts, size }) = waiting.front().filter(|w| w.starts <= now) {
            waiting.pop_front();
            backlog.packets -= 1;
            backlog.bytes -= size;
            self.counters.dequeued += 1;
            self.counters.sent_bytes += size.get();
            if let Some(stats) = &mut self.stats {
                stats.level(*backlog, starts);
                stats.sojourn(starts - arrived);
            }
        }
    }

    /// Hands a FIFO over to the discipline that does the same departure by departure: what waits has not left yet.
    fn undo_arithmetic(&mut self, now: Instant) {
        self.start_waiting(now);
        let Service::Fifo { limit, waiting, .. } = &mut self.service else { return };
        let view = LinkView { rate: self.transmitter.rate(), delay: self.delay };
        let config = DroptailConfig { limit: *limit, ..DroptailConfig::default() };
        let mut queue = Box::new((QdiscConfig::Droptail(config).build(&view), Rng::new(0)));
        let mut sink = Counter::default();
        let in_flight = self.flight.len() - waiting.len();
        for w in waiting.iter().rev() {
            self.transmitter.take_back(w.size, w.starts);
        }
        for (w, flying) in waiting.iter().zip(self.flight.drain(in_flight..)) {
            let (qdisc, rng) = &mut *queue;
            qdisc.enqueue(flying.pkt, &mut Cx { now: w.arrived, rng, sink: &mut sink });
        }
        debug_assert_eq!(sink, Counter::default(), "what waited within the limit still does");
        let due = Some(self.transmitter.busy_until()).filter(|end| *end > now);
        self.service = Service::Disciplined { queue, due };
    }

    fn transmit_disciplined<R: Rim<P>>(&mut self, pkt: P, now: Instant, id: LinkId, rim: &mut R) {
        self.catch_up(now, id, rim);
        let Service::Disciplined { queue, due } = &mut self.service else {
            unreachable!("checked by the caller")
        };
        let idle = due.is_none();
        let (qdisc, rng) = &mut **queue;
        let mut sink = LinkSink { rim, id, counters: &mut self.counters, at_enqueue: true };
        qdisc.enqueue(pkt, &mut Cx { now, rng, sink: &mut sink });
        if idle {
            self.serve(now, id, rim); // A packet that passes right through was never a backlog.
        } else if let Some(stats) = &mut self.stats {
            stats.level(qdisc.backlog(), now);
        }
    }

    /// Does what was due up to and including `now`: starts of transmission and the discipline's timeouts.
    pub(crate) fn catch_up<R: Rim<P>>(&mut self, now: Instant, id: LinkId, rim: &mut R) {
        self.start_waiting(now);
        while let Service::Disciplined { queue, due } = &mut self.service {
            let service = due.unwrap_or(Instant::MAX);
            let timeout = queue.0.poll_timeout().unwrap_or(Instant::MAX);
            if service.min(timeout) > now {
                break;
            }
            if timeout <= service {
                let blocked = service == Instant::MAX && queue.0.backlog().packets > 0;
                let (qdisc, rng) = &mut **queue;
                let mut sink = LinkSink { rim, id, counters: &mut self.counters, at_enqueue: false };
                qdisc.handle_timeout(&mut Cx { now: timeout, rng, sink: &mut sink });
                if let Some(stats) = &mut self.stats {
                    stats.level(qdisc.backlog(), timeout);
                }
                if blocked {
                    self.serve(timeout, id, rim);
                }
            } else {
                self.serve(service, id, rim);
            }
        }
    }

    /// The transmitter is free at `at`: asks the discipline for a packet.
    fn serve<R: Rim<P>>(&mut self, at: Instant, id: LinkId, rim: &mut R) {
        let Service::Disciplined { queue, due } = &mut self.service else { return };
        if !self.up {
            return;
        }
        let (qdisc, rng) = &mut **queue;
        let mut sink = LinkSink { rim, id, counters: &mut self.counters, at_enqueue: false };
        let next = qdisc.dequeue(&mut Cx { now: at, rng, sink: &mut sink });
        if let Some(stats) = &mut self.stats {
            stats.level(qdisc.backlog(), at);
        }
        let Some((pkt, arrived)) = next else {
            *due = None;
            return;
        };
        let size = pkt.size();
        self.counters.dequeued += 1;
        self.counters.sent_bytes += size.get();
        let (_, ends) = self.transmitter.send(size, at);
        *due = Some(ends);
        if let Some(stats) = &mut self.stats {
            stats.sojourn(at - arrived);
        }
        if self.watched {
            rim.transmitted(id, &pkt, at - arrived, at);
        }
        self.fly(pkt, ends);
    }

    /// Puts a packet whose transmission ends at `ends` onto the wire.
    #[inline]
    fn fly(&mut self, pkt: P, ends: Instant) {
        let last = self.flight.back().map_or(Instant::ZERO, |f| f.arrives);
        let mut arrives = ends + self.delay;
        if let Some(impairment) = &mut self.impairment {
            arrives = arrives.saturating_add(impairment.jitter());
            if impairment.may_reorder() && arrives < last {
                let position = self.flight.partition_point(|f| f.arrives <= arrives);
                return self.flight.insert(position, Flying { pkt, arrives });
            }
        }
        self.flight.push_back(Flying { pkt, arrives: arrives.max(last) });
    }

    /// When the link needs attention next.
    #[inline]
    pub(crate) fn next_event(&self) -> Instant {
        let head = self.flight.front().map_or(Instant::MAX, |f| f.arrives);
        match &self.service {
            Service::Fifo { .. } => head,
            Service::Disciplined { queue, due } => {
                // Without reordering nothing that is not yet sent can overtake the head.
                let reorders = self.impairment.as_ref().is_some_and(|i| i.may_reorder());
                if (head != Instant::MAX && !reorders) || queue.0.backlog().packets == 0 {
                    head
                } else {
                    let service = due.unwrap_or_else(|| queue.0.poll_timeout().unwrap_or(Instant::MAX));
                    head.min(service)
                }
            }
        }
    }

    /// Takes out the packet that has arrived by `now`; `Err` when the link lost it.
    #[inline]
    pub(crate) fn arrival(&mut self, now: Instant) -> Option<Result<P, P>> {
        if self.flight.front().is_none_or(|f| f.arrives > now) {
            return None;
        }
        let flying = self.flight.pop_front()?;
        if self.impairment.as_mut().is_some_and(|i| i.loses()) {
            self.counters.dropped[DropReason::LinkLoss as usize] += 1;
            return Some(Err(flying.pkt));
        }
        self.counters.delivered += 1;
        Some(Ok(flying.pkt))
    }

    fn refuse<R: Rim<P>>(&mut self, pkt: P, reason: DropReason, now: Instant, id: LinkId, rim: &mut R) {
        self.counters.refused += 1;
        self.counters.dropped[reason as usize] += 1;
        rim.dropped(id, pkt, reason, now);
    }

    /// Takes the link down: what waits, is being sent or is on the wire is lost.
    pub(crate) fn take_down<R: Rim<P>>(&mut self, now: Instant, id: LinkId, rim: &mut R) {
        self.catch_up(now, id, rim);
        self.up = false;
        while let Some(flying) = self.flight.pop_front() {
            self.counters.dropped[DropReason::LinkDown as usize] += 1;
            rim.dropped(id, flying.pkt, DropReason::LinkDown, now);
        }
        match &mut self.service {
            Service::Fifo { backlog, waiting, .. } => {
                self.counters.expelled += backlog.packets;
                *backlog = Backlog::default();
                waiting.clear();
            }
            Service::Disciplined { queue, due } => {
                *due = None;
                let (qdisc, rng) = &mut **queue;
                let mut sink = LinkSink { rim, id, counters: &mut self.counters, at_enqueue: false };
                while let Some((pkt, _)) = qdisc.dequeue(&mut Cx { now, rng, sink: &mut sink }) {
                    sink.dropped(pkt, DropReason::LinkDown, now);
                }
            }
        }
        self.transmitter.stop(now);
        let level = self.backlog();
        if let Some(stats) = &mut self.stats {
            stats.level(level, now);
        }
    }

    /// Brings the link up again, empty (but for what a discipline that shapes would not give up).
    pub(crate) fn bring_up<R: Rim<P>>(&mut self, now: Instant, id: LinkId, rim: &mut R) {
        self.catch_up(now, id, rim);
        if !std::mem::replace(&mut self.up, true) && self.backlog().packets > 0 {
            self.serve(now, id, rim);
        }
    }

    /// From `now` on the link sends at `rate`; a packet in service finishes at the old one.
    pub(crate) fn set_rate<R: Rim<P>>(&mut self, rate: Rate, now: Instant, id: LinkId, rim: &mut R) {
        self.catch_up(now, id, rim);
        if self.backlog().packets > 0 {
            self.undo_arithmetic(now);
        }
        self.transmitter.set_rate(rate);
    }

    /// Packets whose transmission starts after `now` take `delay`.
    pub(crate) fn set_delay<R: Rim<P>>(&mut self, delay: Duration, now: Instant, id: LinkId, rim: &mut R) {
        self.catch_up(now, id, rim);
        if self.backlog().packets > 0 {
            self.undo_arithmetic(now);
        }
        self.delay = delay;
    }

    /// Replaces the random impairments: loss for packets that arrive after `now`, jitter for those whose
    /// transmission starts after it.
    pub(crate) fn set_impairment<R: Rim<P>>(
        &mut self,
        impairment: Option<Box<Impairment>>,
        now: Instant,
        id: LinkId,
        rim: &mut R,
    ) {
        self.catch_up(now, id, rim);
        if impairment.as_ref().is_some_and(|i| i.jitters()) {
            self.undo_arithmetic(now);
        }
        self.impairment = impairment;
    }

    /// The random impairments.
    pub fn impairment(&self) -> Option<&Impairment> {
        self.impairment.as_deref()
    }
}

/// Passes a discipline's reports on, and counts them.
struct LinkSink<'a, R> {
    rim: &'a mut R,
    id: LinkId,
    counters: &'a mut LinkCounters,
    /// Whether the discipline is taking a packet in: a drop then leaves the queue no longer than before.
    at_enqueue: bool,
}

impl<P: Packet, R: Rim<P>> Sink<P> for LinkSink<'_, R> {
    fn dropped(&mut self, pkt: P, reason: DropReason, now: Instant) {
        self.counters.dropped[reason as usize] += 1;
        self.counters.refused += u64::from(self.at_enqueue);
        self.counters.expelled += u64::from(!self.at_enqueue);
        self.rim.dropped(self.id, pkt, reason, now);
    }
    fn marked(&mut self, pkt: &P, now: Instant) {
        self.counters.marked += 1;
        self.rim.marked(self.id, pkt, now);
    }
    fn flagged(&mut self, flow: FlowKey, flagged: bool, now: Instant) {
        self.rim.flagged(self.id, flow, flagged, now);
    }
}

//! The queue of a link: departures computed ahead for a FIFO, asked for one by one for a discipline.

use super::{Link, LinkQueue, PacketEventCounters};
use crate::ids::LinkId;
use crate::observer::PacketOps;
use crate::packet_slab::{PacketId, PacketSlab, Routed};
use std::collections::VecDeque;
use tailrace_core::{Bytes, DropReason, Duration, FlowKey, Instant, Limit, Packet, Rng, SackRanges};
use tailrace_qdisc::disciplines::droptail::DroptailConfig;
use tailrace_qdisc::{Backlog, Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline, Sink};

/// The queue in front of the transmitter.
#[derive(Debug)]
pub(super) enum Service<P: Packet> {
    /// Its packets are in flight already; those whose transmission has not started count as backlog.
    Fifo {
        limit: Limit,
        backlog: Backlog,
        /// Entry for each packet of the backlog; those packets are the last of the flight.
        waiting: VecDeque<Waiting>,
    },
    Disciplined {
        queue: Box<(Qdisc<P>, Rng)>,
        /// When the transmitter will next ask for a packet; `None` while it idles.
        due: Option<Instant>,
    },
}

/// A packet whose transmission has not started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    arrived: Instant,
    starts: Instant,
    /// In bytes: it is no larger than a link takes.
    size: u32,
    pkt: PacketId,
}

impl Waiting {
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.size))
    }
}

impl<P: Packet> Service<P> {
    pub(super) fn new(queue: LinkQueue<P>) -> Self {
        match queue {
            LinkQueue::Fifo(limit) => {
                Self::Fifo { limit, backlog: Backlog::default(), waiting: VecDeque::new() }
            }
            LinkQueue::Disciplined(queue) => Self::Disciplined { queue, due: None },
        }
    }
}

impl<P: Routed> Link<P> {
    #[inline]
    pub(super) fn transmit_fifo<R: PacketOps<P>>(
        &mut self,
        pkt: PacketId,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.start_waiting(packets, now, id, hosts);
        let Service::Fifo { limit, backlog, waiting } = &mut self.service else {
            unreachable!("checked by the caller")
        };
        let size = packets.size(pkt);
        let full = match *limit {
            Limit::Packets(n) => backlog.packets >= n,
            Limit::Bytes(n) => backlog.bytes + size > n,
        };
        if full {
            return self.refuse(packets.remove(pkt), DropReason::Overlimit, now, id, hosts);
        }
        let (starts, ends) = self.transmitter.send(size, now);
        if starts > now {
            waiting.push_back(Waiting { arrived: now, starts, size: size.get() as u32, pkt });
            backlog.packets += 1;
            backlog.bytes += size;
            if let Some(stats) = &mut self.stats {
                stats.level(*backlog, now);
            }
        } else {
            self.sent_bytes += size.get();
            if let Some(stats) = &mut self.stats {
                stats.sojourn(Duration::ZERO);
            }
            if self.watched {
                hosts.transmitted(id, packets.get(pkt), Duration::ZERO, now);
            }
        }
        self.propagate_in_order(pkt, ends, packets);
    }

    /// FIFO: packets whose transmission has started by `now` no longer wait. Those may be gone by now, but not where somebody
    /// watches: then each start is an event.
    #[inline(always)]
    pub(super) fn start_waiting<R: PacketOps<P>>(
        &mut self,
        packets: &PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        let Service::Fifo { backlog, waiting, .. } = &mut self.service else { return };
        while let Some(&next) = waiting.front().filter(|w| w.starts <= now) {
            waiting.pop_front();
            backlog.packets -= 1;
            let size = next.size();
            backlog.bytes -= size;
            self.sent_bytes += size.get();
            if let Some(stats) = &mut self.stats {
                stats.level(*backlog, next.starts);
                stats.sojourn(next.starts - next.arrived);
            }
            if self.watched {
                tell(next, packets, id, hosts);
            }
        }
    }

    /// Hands a FIFO over to the discipline that does the same departure by departure: what waits has not left yet. It has been
    /// served up to `now`.
    pub(super) fn undo_arithmetic(&mut self, packets: &mut PacketSlab<P>, now: Instant) {
        let view = self.view();
        let Service::Fifo { limit, waiting, .. } = &mut self.service else { return };
        let config = DroptailConfig { limit: *limit, ..DroptailConfig::default() };
        let mut queue = Box::new((QdiscConfig::Droptail(config).build(&view), Rng::new(0)));
        for w in waiting.iter().rev() {
            self.transmitter.take_back(w.size(), w.starts);
        }
        for (w, flying) in waiting.iter().zip(self.flight.split_off(waiting.len(), packets)) {
            let (qdisc, rng) = &mut *queue;
            qdisc.enqueue(packets.remove(flying), &mut Cx { now: w.arrived, rng, sink: &mut NullSink });
        }
        let due = Some(self.transmitter.busy_until()).filter(|end| *end > now);
        self.service = Service::Disciplined { queue, due };
        self.renew_shortcuts();
    }

    /// The discipline's view of the link at present.
    fn view(&self) -> LinkView {
        LinkView { rate: self.transmitter.rate(), delay: self.delay, overhead: self.transmitter.overhead() }
    }

    /// Tells the discipline, where there is one, what the link is like now; it has been served up to `now`.
    pub(super) fn tell_discipline<R: PacketOps<P>>(&mut self, now: Instant, id: LinkId, hosts: &mut R) {
        let view = self.view();
        let Service::Disciplined { queue, .. } = &mut self.service else { return };
        let (qdisc, rng) = &mut **queue;
        let mut sink = LinkSink { hosts, id, event_counters: &mut self.event_counters, at_enqueue: false };
        qdisc.link_changed(&view, &mut Cx { now, rng, sink: &mut sink });
    }

    pub(super) fn transmit_disciplined<R: PacketOps<P>>(
        &mut self,
        pkt: P,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.catch_up(packets, now, id, hosts);
        let Service::Disciplined { queue, due } = &mut self.service else {
            unreachable!("checked by the caller")
        };
        let idle = due.is_none();
        let (qdisc, rng) = &mut **queue;
        let mut sink = LinkSink { hosts, id, event_counters: &mut self.event_counters, at_enqueue: true };
        qdisc.enqueue(pkt, &mut Cx { now, rng, sink: &mut sink });
        if idle {
            self.serve(packets, now, id, hosts); // A packet that passes right through was never a backlog.
        } else if let Some(stats) = &mut self.stats {
            stats.level(qdisc.backlog(), now);
        }
    }

    /// Does what was due up to and including `now`: starts of transmission and the discipline's timeouts.
    pub(crate) fn catch_up<R: PacketOps<P>>(
        &mut self,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.start_waiting(packets, now, id, hosts);
        while let Service::Disciplined { queue, due } = &mut self.service {
            let service = due.unwrap_or(Instant::MAX);
            let timeout = queue.0.poll_timeout().unwrap_or(Instant::MAX);
            if service.min(timeout) > now {
                break;
            }
            if timeout <= service {
                let blocked = service == Instant::MAX && queue.0.backlog().packets > 0;
                let (qdisc, rng) = &mut **queue;
                let mut sink =
                    LinkSink { hosts, id, event_counters: &mut self.event_counters, at_enqueue: false };
                qdisc.handle_timeout(&mut Cx { now: timeout, rng, sink: &mut sink });
                if let Some(stats) = &mut self.stats {
                    stats.level(qdisc.backlog(), timeout);
                }
                if blocked {
                    self.serve(packets, timeout, id, hosts);
                }
            } else {
                self.serve(packets, service, id, hosts);
            }
        }
    }

    /// The transmitter is free at `at`: asks the discipline for a packet. A station asks for its channel instead.
    pub(super) fn serve<R: PacketOps<P>>(
        &mut self,
        packets: &mut PacketSlab<P>,
        at: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        if self.halted {
            return self.wait_for_rate(at);
        }
        if self.station.is_some() {
            return self.request_channel(at);
        }
        let Service::Disciplined { queue, due } = &mut self.service else { return };
        if !self.up {
            return;
        }
        if let Some(schedule) = &mut self.schedule
            && let Err(next) = schedule.opens(at)
        {
            *due = Some(next);
            if let Some(stats) = &mut self.stats {
                stats.level(queue.0.backlog(), at);
            }
            return;
        }
        let (qdisc, rng) = &mut **queue;
        let mut sink = LinkSink { hosts, id, event_counters: &mut self.event_counters, at_enqueue: false };
        let next = qdisc.dequeue(&mut Cx { now: at, rng, sink: &mut sink });
        if let Some(stats) = &mut self.stats {
            stats.level(qdisc.backlog(), at);
        }
        let Some((pkt, arrived)) = next else {
            *due = None;
            if let Some(schedule) = &mut self.schedule {
                schedule.idle(at);
            }
            return;
        };
        let size = pkt.size();
        self.sent_bytes += size.get();
        let by_schedule = match &mut self.schedule {
            Some(schedule) => schedule.send(size + self.transmitter.overhead(), at),
            None => None,
        };
        let (ends, free, lost) = by_schedule.map_or_else(
            || {
                let (_, ends) = self.transmitter.send(size, at);
                (ends, ends, false)
            },
            |sent| (sent.arrives, sent.free, sent.lost),
        );
        *due = Some(free);
        if let Some(stats) = &mut self.stats {
            stats.sojourn(at - arrived);
        }
        if self.watched {
            hosts.transmitted(id, &pkt, at - arrived, at);
        }
        if self.reports {
            hosts.left(id, &pkt, free);
        }
        let pkt = packets.insert(pkt);
        if lost && let Some(schedule) = &mut self.schedule {
            schedule.mark_lost(pkt);
        }
        self.propagate(pkt, ends, packets);
    }

    /// When the packet that is in transmission has left; earlier where there is none. The link has been served up to now.
    pub(super) fn transmission_ends(&self) -> Instant {
        match &self.service {
            Service::Fifo { waiting, .. } => waiting.front().map(|next| next.starts),
            Service::Disciplined { .. } => None,
        }
        .unwrap_or(self.transmitter.busy_until())
    }

    /// All that the discipline has done before then has been reported: what was due later is caught up with when somebody
    /// looks.
    pub fn reported_until(&self) -> Instant {
        let Service::Disciplined { queue, due } = &self.service else { return Instant::MAX };
        due.unwrap_or(Instant::MAX).min(queue.0.poll_timeout().unwrap_or(Instant::MAX))
    }

    /// When the link must be looked at on behalf of its queue, where the first packet in flight arrives at `head`.
    pub(super) fn next_service(&self, head: Instant) -> Instant {
        let (queue, due) = match &self.service {
            Service::Fifo { waiting, .. } if self.watched => {
                return waiting.front().map_or(Instant::MAX, |next| next.starts);
            }
            Service::Fifo { .. } => return Instant::MAX,
            Service::Disciplined { queue, due } => (queue, due),
        };
        if let Some(station) = &self.station {
            return station.next(&queue.0);
        }
        // Without reordering nothing that is not yet sent can overtake the head. Whoever watches wants to hear of
        // each transmission when it starts.
        let waits = !self.watched && !self.impairment.as_ref().is_some_and(|i| i.may_reorder());
        if (head != Instant::MAX && waits) || queue.0.backlog().packets == 0 {
            return Instant::MAX;
        }
        due.or_else(|| queue.0.poll_timeout()).unwrap_or(Instant::MAX)
    }
}

/// Whoever watches hears that a packet's transmission starts.
#[cold]
fn tell<P: Packet, R: PacketOps<P>>(waiting: Waiting, packets: &PacketSlab<P>, id: LinkId, hosts: &mut R) {
    let Waiting { arrived, starts, pkt, .. } = waiting;
    hosts.transmitted(id, packets.get(pkt), starts - arrived, starts);
}

/// For a hand-over from one drop-tail queue to another of the same limit: there is nothing to report.
struct NullSink;

impl<P> Sink<P> for NullSink {
    fn dropped(&mut self, _pkt: P, _reason: DropReason, _now: Instant) {
        unreachable!("what waited within the limit still does")
    }
    fn marked(&mut self, _pkt: &P, _now: Instant) {
        unreachable!("drop-tail marks nothing")
    }
}

/// Passes a discipline's reports on, and counts them.
pub(super) struct LinkSink<'a, R> {
    pub(super) hosts: &'a mut R,
    pub(super) id: LinkId,
    pub(super) event_counters: &'a mut PacketEventCounters,
    /// Whether the discipline is taking a packet in: a drop then leaves the queue no longer than before.
    pub(super) at_enqueue: bool,
}

impl<P: Packet, R: PacketOps<P>> Sink<P> for LinkSink<'_, R> {
    fn dropped(&mut self, pkt: P, reason: DropReason, now: Instant) {
        self.event_counters.dropped[reason as usize] += 1;
        self.event_counters.refused += u64::from(self.at_enqueue);
        self.event_counters.expelled += u64::from(!self.at_enqueue);
        self.hosts.dropped(self.id, pkt, reason, now);
    }
    fn marked(&mut self, pkt: &P, now: Instant) {
        self.event_counters.marked += 1;
        self.hosts.marked(self.id, pkt, now);
    }
    fn flagged(&mut self, flow: FlowKey, flagged: bool, now: Instant) {
        self.hosts.flagged(self.id, flow, flagged, now);
    }
    fn sack(&self, pkt: &P) -> Option<SackRanges> {
        self.hosts.sack(pkt)
    }
}

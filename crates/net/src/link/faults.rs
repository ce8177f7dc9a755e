//! Faults of a link: down and up, and changes of rate, delay and impairment.

use super::Link;
use super::queueing::{LinkSink, Service};
use crate::ids::{LinkId, NodeId};
use crate::impairment::Impairment;
use crate::observer::PacketOps;
use crate::packet_slab::{PacketSlab, Routed};
use tailrace_core::{DropReason, Duration, Instant, Packet, Rate};
use tailrace_qdisc::{Backlog, Cx, QueueDiscipline, Sink};

impl<P: Routed> Link<P> {
    /// Takes the link down: what waits, is being sent or is on the wire is lost.
    pub(crate) fn take_down<R: PacketOps<P>>(
        &mut self,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.catch_up(packets, now, id, hosts);
        self.cut_bits = self.unsent_bits(now);
        self.up = false;
        self.renew_shortcuts();
        while let Some(pkt) = self.flight.pop_front(packets) {
            self.event_counters.dropped[DropReason::LinkDown as usize] += 1;
            hosts.dropped(id, packets.remove(pkt), DropReason::LinkDown, now);
        }
        match &mut self.service {
            Service::Fifo { backlog, waiting, .. } => {
                self.event_counters.expelled += backlog.packets;
                *backlog = Backlog::default();
                waiting.clear();
            }
            Service::Disciplined { queue, due } => {
                *due = None;
                let (qdisc, rng) = &mut **queue;
                let mut sink =
                    Cut(LinkSink { hosts, id, event_counters: &mut self.event_counters, at_enqueue: false });
                while let Some((pkt, _)) = qdisc.dequeue(&mut Cx { now, rng, sink: &mut sink }) {
                    sink.0.dropped(pkt, DropReason::LinkDown, now);
                }
            }
        }
        self.drop_all_frames(packets, now, id, hosts);
        self.transmitter.stop(now);
        self.former = None;
        if let Some(schedule) = &mut self.schedule {
            schedule.cut(now);
        }
        self.pending = Instant::MAX;
        let level = self.backlog();
        if let Some(stats) = &mut self.stats {
            stats.level(level, now);
        }
    }

    /// Brings the link up again, empty (but for what a discipline that shapes would not give up).
    pub(crate) fn bring_up<R: PacketOps<P>>(
        &mut self,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.catch_up(packets, now, id, hosts);
        let was_up = std::mem::replace(&mut self.up, true);
        self.renew_shortcuts();
        if !was_up && self.backlog().packets > 0 {
            self.serve(packets, now, id, hosts);
        }
    }

    /// Says that a link which is down takes nothing only because this host has no route over it; or that it is not so.
    pub(crate) const fn set_routeless(&mut self, host: Option<NodeId>) {
        self.routeless = host;
    }

    /// From `now` on the link sends at `rate`, also where it had a schedule; a packet in service finishes as it began. At a rate of
    /// zero it stays up, what comes waits, and the discipline knows the rate before.
    pub(crate) fn set_rate<R: PacketOps<P>>(
        &mut self,
        rate: Rate,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.catch_up(packets, now, id, hosts);
        if self.backlog().packets > 0 {
            self.undo_arithmetic(packets, now);
        }
        if rate.as_bps() == 0 {
            self.undo_arithmetic(packets, now);
            self.suspend_schedule(now);
            self.halted = true;
            return;
        }
        self.note_former_rate(now);
        self.transmitter.set_rate(rate);
        self.suspend_schedule(now);
        self.tell_discipline(now, id, hosts);
        let resumes = std::mem::take(&mut self.halted) || self.schedule.is_some();
        if resumes && self.is_idle() && self.backlog().packets > 0 {
            self.serve(packets, now, id, hosts);
        }
    }

    /// Whether a discipline's transmitter is asking for nothing.
    pub(super) const fn is_idle(&self) -> bool {
        matches!(self.service, Service::Disciplined { due: None, .. })
    }

    /// The transmitter is free, but has no rate to send at.
    #[cold]
    pub(super) fn wait_for_rate(&mut self, at: Instant) {
        if let Service::Disciplined { due, .. } = &mut self.service {
            *due = None;
        }
        let level = self.backlog();
        if let Some(stats) = &mut self.stats {
            stats.level(level, at);
        }
    }

    /// The rate changes: that of the packet in transmission stays what it was, also where it changes again before that has left.
    fn note_former_rate(&mut self, now: Instant) {
        let end = self.transmitter.busy_until();
        if self.former.as_deref().is_none_or(|(until, _)| *until < end) {
            self.former = (end > now).then(|| Box::new((end, self.transmitter.rate())));
        }
    }

    /// Packets whose transmission starts after `now` take `delay`.
    pub(crate) fn set_delay<R: PacketOps<P>>(
        &mut self,
        delay: Duration,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.catch_up(packets, now, id, hosts);
        if self.backlog().packets > 0 {
            self.undo_arithmetic(packets, now);
        }
        self.delay = delay;
        self.tell_discipline(now, id, hosts);
    }

    /// Replaces the random impairments: loss for packets that arrive after `now`, jitter for those whose
    /// transmission starts after it.
    pub(crate) fn set_impairment<R: PacketOps<P>>(
        &mut self,
        impairment: Option<Box<Impairment>>,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.catch_up(packets, now, id, hosts);
        if impairment.as_ref().is_some_and(|i| i.varies_delay()) {
            self.undo_arithmetic(packets, now);
        }
        self.impairment = impairment;
        self.renew_shortcuts();
    }
}

/// Hears of what a discipline gives up when its link goes down: whatever its law says of a packet, it is lost to that.
struct Cut<'a, R>(LinkSink<'a, R>);

impl<P: Packet, R: PacketOps<P>> Sink<P> for Cut<'_, R> {
    fn dropped(&mut self, pkt: P, _reason: DropReason, now: Instant) {
        self.0.dropped(pkt, DropReason::LinkDown, now);
    }
    fn marked(&mut self, _pkt: &P, _now: Instant) {}
}

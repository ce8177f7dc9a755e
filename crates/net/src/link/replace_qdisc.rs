//! Another discipline takes the place of a link's queue, and takes over what waits.

use super::Link;
use super::queueing::{LinkSink, Service};
use crate::ids::LinkId;
use crate::observer::PacketOps;
use crate::packet_slab::{PacketSlab, Routed};
use std::collections::VecDeque;
use tailrace_core::{DropReason, FlowKey, Instant, Packet, Rng, SackRanges};
use tailrace_qdisc::{Cx, Qdisc, QueueDiscipline, Sink};

impl<P: Routed> Link<P> {
    /// From `now` on packets wait in `queue`. What waits moves there in the order in which it would have left, as if it had
    /// arrived now; what finds no room is lost.
    pub(crate) fn set_queue<R: PacketOps<P>>(
        &mut self,
        queue: Box<(Qdisc<P>, Rng)>,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.catch_up(packets, now, id, hosts);
        self.undo_arithmetic(packets, now);
        let Service::Disciplined { queue: held, due } = &mut self.service else { return };
        let sending = due.is_some();
        let old = std::mem::replace(held, queue);
        let mut sink = LinkSink { hosts, id, event_counters: &mut self.event_counters, at_enqueue: false };
        let waiting = empty(old, now, &mut sink);
        let (qdisc, rng) = &mut **held;
        for pkt in waiting {
            qdisc.enqueue(pkt, &mut Cx { now, rng, sink: &mut sink });
        }
        self.tell_discipline(now, id, hosts);
        let level = self.backlog();
        if let Some(stats) = &mut self.stats {
            stats.level(level, now);
        }
        if !sending && level.packets > 0 {
            self.serve(packets, now, id, hosts);
        }
    }
}

/// Takes everything out of a discipline that is given up. One that shapes is told of its own times to come, or it would
/// keep what it holds back.
fn empty<P: Packet, R: PacketOps<P>>(
    mut old: Box<(Qdisc<P>, Rng)>,
    now: Instant,
    sink: &mut LinkSink<'_, R>,
) -> VecDeque<P> {
    let (qdisc, rng) = &mut *old;
    let (mut taken, mut at) = (VecDeque::new(), now);
    loop {
        let mut leaving = Leaving { taken: &mut taken, sink: &mut *sink, now };
        while let Some((pkt, _)) = qdisc.dequeue(&mut Cx { now: at, rng, sink: &mut leaving }) {
            leaving.taken.push_back(pkt);
        }
        let next = qdisc.poll_timeout().filter(|next| *next > at && qdisc.backlog().packets > 0);
        let Some(next) = next else { return taken };
        at = next;
        qdisc.handle_timeout(&mut Cx { now: at, rng, sink: &mut leaving });
    }
}

/// Hears of what a discipline does while it is emptied: what its law would drop moves with the rest.
struct Leaving<'a, 'b, P, R> {
    taken: &'a mut VecDeque<P>,
    sink: &'a mut LinkSink<'b, R>,
    now: Instant,
}

impl<P: Packet, R: PacketOps<P>> Sink<P> for Leaving<'_, '_, P, R> {
    fn dropped(&mut self, pkt: P, _reason: DropReason, _now: Instant) {
        self.taken.push_back(pkt);
    }
    fn marked(&mut self, pkt: &P, _now: Instant) {
        self.sink.marked(pkt, self.now);
    }
    fn flagged(&mut self, flow: FlowKey, flagged: bool, _now: Instant) {
        self.sink.flagged(flow, flagged, self.now);
    }
    fn sack(&self, pkt: &P) -> Option<SackRanges> {
        self.sink.sack(pkt)
    }
}

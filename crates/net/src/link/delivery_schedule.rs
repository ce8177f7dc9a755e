//! Links with a schedule instead of a rate: delivery opportunities of a trace, or grants of a base station.
//!
//! A packet is dequeued at the opportunity that sends its first byte. A packet lost on the air stays in flight until its
//! arrival would have been, so that losses occur in time order.

use super::Link;
use super::queueing::Service;
use crate::ids::LinkId;
use crate::observer::PacketOps;
use crate::packet_slab::{PacketId, PacketSlab, Routed};
use std::collections::VecDeque;
use tailrace_access::{GrantProcess as _, RunningSchedule, Transmission};
use tailrace_core::{Bytes, Instant, Rate};

/// Schedule of a link's delivery opportunities.
#[derive(Debug)]
pub(super) struct DeliverySchedule {
    openings: Box<RunningSchedule>,
    /// Long-term mean rate.
    mean: Rate,
    /// End of the last packet's transmission.
    busy_until: Instant,
    /// Whether a fault has replaced the schedule by a rate.
    suspended: bool,
    /// Packets in flight that will be lost, in the order of sending.
    lost: VecDeque<PacketId>,
}

impl DeliverySchedule {
    pub(super) fn new(openings: Box<RunningSchedule>, mean: Rate) -> Self {
        Self { openings, mean, busy_until: Instant::ZERO, suspended: false, lost: VecDeque::new() }
    }

    /// `Ok` if a packet can be dequeued at `at`, else the time of the next opportunity.
    pub(super) fn opens(&mut self, at: Instant) -> Result<(), Instant> {
        if self.suspended { Ok(()) } else { self.openings.opens(at) }
    }

    /// Ends the present opportunity unused: the queue is empty.
    pub(super) fn idle(&mut self, at: Instant) {
        if !self.suspended {
            self.openings.idle(at);
        }
    }

    /// Sends `bytes` from the present opportunity on. `None` while the schedule is suspended.
    pub(super) fn send(&mut self, bytes: Bytes, at: Instant) -> Option<Transmission> {
        if self.suspended {
            return None;
        }
        let sent = self.openings.send(bytes, at);
        self.busy_until = sent.left;
        Some(sent)
    }

    /// Records that a packet which is sent now will be lost.
    pub(super) fn mark_lost(&mut self, pkt: PacketId) {
        self.lost.push_back(pkt);
    }

    /// Whether an arriving packet was marked lost; removes the mark.
    pub(super) fn take_lost(&mut self, pkt: PacketId) -> bool {
        // Usually the first; jitter may reorder.
        let place = self.lost.iter().position(|lost| *lost == pkt);
        place.is_some_and(|place| self.lost.remove(place).is_some())
    }

    /// Resets the schedule when the link goes down: nothing is in flight.
    pub(super) fn cut(&mut self, now: Instant) {
        self.openings.reset(now);
        self.busy_until = self.busy_until.min(now);
        self.lost.clear();
    }
}

impl<P: Routed> Link<P> {
    /// Replaces the schedule by the link's rate from `now` on. A packet in transmission is finished by the schedule.
    pub(super) fn suspend_schedule(&mut self, now: Instant) {
        let Some(schedule) = self.schedule.as_mut().filter(|schedule| !schedule.suspended) else { return };
        schedule.suspended = true;
        if let Service::Disciplined { due, .. } = &mut self.service {
            *due = Some(schedule.busy_until).filter(|end| *end > now);
        }
    }

    /// Returns to the schedule from `now` on. A packet in transmission is finished at the rate.
    pub(crate) fn resume_schedule<R: PacketOps<P>>(
        &mut self,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.catch_up(packets, now, id, hosts);
        let Some(schedule) = self.schedule.as_mut() else { return };
        if std::mem::replace(&mut schedule.suspended, false) {
            schedule.openings.reset(now);
        }
        self.transmitter.set_rate(schedule.mean);
        self.tell_discipline(now, id, hosts);
        if std::mem::take(&mut self.halted) && self.is_idle() && self.backlog().packets > 0 {
            self.serve(packets, now, id, hosts);
        }
    }
}

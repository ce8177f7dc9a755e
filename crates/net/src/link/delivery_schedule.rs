//! A link that delivers by a schedule: the opportunities of a trace, or grants.
//!
//! A packet is asked of the discipline at the opening that takes its first byte. What a schedule loses stays on the wire until that
//! is settled, so that it is lost in time and in order.

use super::Link;
use super::queueing::Service;
use crate::ids::LinkId;
use crate::observer::PacketOps;
use crate::packet_slab::{PacketId, PacketSlab, Routed};
use std::collections::VecDeque;
use tailrace_access::{GrantProcess as _, RunningSchedule, Transmission};
use tailrace_core::{Bytes, Instant, Rate};

/// Schedule that a link has instead of a plain rate.
#[derive(Debug)]
pub(super) struct Scheduled {
    openings: Box<RunningSchedule>,
    /// Rate over a long time.
    mean: Rate,
    /// When the last packet had left.
    busy_until: Instant,
    /// Whether the link has a rate instead, for the time being.
    suspended: bool,
    /// Packets on the wire that will not arrive, in the order in which they were sent.
    lost: VecDeque<PacketId>,
}

impl Scheduled {
    pub(super) fn new(openings: Box<RunningSchedule>, mean: Rate) -> Self {
        Self { openings, mean, busy_until: Instant::ZERO, suspended: false, lost: VecDeque::new() }
    }

    /// Whether a packet can be asked for at `at`; if not, when.
    pub(super) fn opens(&mut self, at: Instant) -> Result<(), Instant> {
        if self.suspended { Ok(()) } else { self.openings.opens(at) }
    }

    /// Nothing waits: the rest of the opening is lost.
    pub(super) fn idle(&mut self, at: Instant) {
        if !self.suspended {
            self.openings.idle(at);
        }
    }

    /// Sends so many bytes from the present opening on. `None` while there is a rate instead.
    pub(super) fn send(&mut self, bytes: Bytes, at: Instant) -> Option<Transmission> {
        if self.suspended {
            return None;
        }
        let sent = self.openings.send(bytes, at);
        self.busy_until = sent.left;
        Some(sent)
    }

    /// Notes that a packet which goes onto the wire will not arrive.
    pub(super) fn lose(&mut self, pkt: PacketId) {
        self.lost.push_back(pkt);
    }

    /// Whether a packet that would arrive is one of those, and forgets it.
    pub(super) fn has_lost(&mut self, pkt: PacketId) -> bool {
        // The first one, but for jitter that reorders.
        let place = self.lost.iter().position(|lost| *lost == pkt);
        place.is_some_and(|place| self.lost.remove(place).is_some())
    }

    /// Nothing is on the wire any longer.
    pub(super) fn cut(&mut self, now: Instant) {
        self.openings.reset(now);
        self.busy_until = self.busy_until.min(now);
        self.lost.clear();
    }
}

impl<P: Routed> Link<P> {
    /// From `now` on the link sends at the rate that it was given, and not by its schedule; a packet of which something has left
    /// goes on by the schedule.
    pub(super) fn suspend_schedule(&mut self, now: Instant) {
        let Some(schedule) = self.schedule.as_mut().filter(|schedule| !schedule.suspended) else { return };
        schedule.suspended = true;
        if let Service::Disciplined { due, .. } = &mut self.service {
            *due = Some(schedule.busy_until).filter(|end| *end > now);
        }
    }

    /// From `now` on the link delivers by its schedule again; a packet in service finishes at the rate there was.
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
    }
}

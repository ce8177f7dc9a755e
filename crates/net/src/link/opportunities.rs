//! A link that delivers when a trace says so, as Mahimahi's `mm-link` does.
//!
//! At each opportunity 1504 bytes can leave. A packet may take several, and several may share one; what nobody needs is lost,
//! and so is the rest of an opportunity where nothing more waits. A packet is asked of the discipline at the opportunity that
//! takes its first byte, and is on the wire at the one that takes its last. What comes at the time of an opportunity has
//! missed it: departures come before arrivals.

use super::Link;
use super::queueing::Service;
use crate::flight::Slab;
use crate::{Hosts, LinkId};
use std::sync::Arc;
use tailrace_core::{Bytes, DeliveryTrace, Instant, Opportunity, Packet};

/// Where a link is in its trace.
#[derive(Debug)]
pub(super) struct Opportunities {
    trace: Arc<DeliveryTrace>,
    present: Opportunity,
    /// Bytes that the present one has left.
    left: u64,
    /// When the last packet was on the wire.
    busy_until: Instant,
    /// Whether the link has a rate instead, for the time being.
    suspended: bool,
}

impl Opportunities {
    pub(super) fn new(trace: Arc<DeliveryTrace>) -> Self {
        let present = Opportunity::default();
        Self { trace, present, left: 0, busy_until: Instant::ZERO, suspended: false }
    }

    /// Whether a packet can be asked for at `at`; if not, when.
    pub(super) fn opens(&mut self, at: Instant) -> Result<(), Instant> {
        if self.suspended || (self.left > 0 && self.trace.time(self.present) == at) {
            return Ok(());
        }
        self.present = self.trace.after(at);
        self.left = DeliveryTrace::OPPORTUNITY.get();
        Err(self.trace.time(self.present))
    }

    /// Nothing waits: the rest of the opportunity is lost.
    pub(super) fn lose(&mut self) {
        self.left = 0;
    }

    /// Sends so many bytes from the present opportunity on: when the last of them leaves, and when the next packet can be
    /// asked for. `None` while there is a rate instead.
    pub(super) fn send(&mut self, bytes: Bytes) -> Option<(Instant, Instant)> {
        if self.suspended {
            return None;
        }
        let mut rest = bytes.get();
        while rest > self.left {
            rest -= self.left;
            self.advance();
        }
        self.left -= rest;
        self.busy_until = self.trace.time(self.present);
        if self.left == 0 {
            self.advance();
        }
        Some((self.busy_until, self.trace.time(self.present)))
    }

    fn advance(&mut self) {
        self.present = self.trace.next(self.present);
        self.left = DeliveryTrace::OPPORTUNITY.get();
    }
}

impl<P: Packet> Link<P> {
    /// From `now` on the link sends at the rate that it was given, and not by its trace; a packet of which something has left
    /// goes on by the trace.
    pub(super) fn suspend_trace(&mut self, now: Instant) {
        let Some(trace) = self.opportunities.as_mut().filter(|trace| !trace.suspended) else { return };
        trace.suspended = true;
        if let Service::Disciplined { due, .. } = &mut self.service {
            *due = Some(trace.busy_until).filter(|end| *end > now);
        }
    }

    /// From `now` on the link delivers by its trace again; a packet in service finishes at the rate there was.
    pub(crate) fn resume_trace<R: Hosts<P>>(
        &mut self,
        packets: &mut Slab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        self.catch_up(packets, now, id, hosts);
        let Some(trace) = self.opportunities.as_mut() else { return };
        trace.suspended = false;
        trace.lose();
        self.transmitter.set_rate(trace.trace.mean());
        self.tell_discipline(now, id, hosts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Duration;

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn packets_take_several_opportunities_and_share_one() {
        let trace = Arc::new(DeliveryTrace::parse("2\n2\n5\n9\n").unwrap());
        let mut at = Opportunities::new(trace);
        assert_eq!(at.opens(ms(0)), Err(ms(2)));
        assert_eq!(at.opens(ms(2)), Ok(()));
        // A half, then one that ends within the second opportunity, then one that fills it.
        assert_eq!(at.send(Bytes(752)), Some((ms(2), ms(2))));
        assert_eq!(at.send(Bytes(1504)), Some((ms(2), ms(2))));
        assert_eq!(at.send(Bytes(752)), Some((ms(2), ms(5))));
        // 3008 bytes take those at 5 and 9 ms; 1505 bytes, those at 11 ms.
        assert_eq!(at.send(Bytes(3008)), Some((ms(9), ms(11))));
        assert_eq!(at.send(Bytes(1505)), Some((ms(11), ms(11))));
        at.lose();
        assert_eq!(at.opens(ms(11)), Err(ms(14)));
    }
}

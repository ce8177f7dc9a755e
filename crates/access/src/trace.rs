//! A link that delivers when a trace says so, as Mahimahi's `mm-link` does.
//!
//! At each opportunity 1504 bytes can leave. A packet may take several, and several may share one; what nobody needs is lost,
//! and so is the rest of an opportunity where nothing more waits. A packet is asked of the discipline at the opportunity that
//! takes its first byte, and is on the wire at the one that takes its last. What comes at the time of an opportunity has
//! missed it: departures come before arrivals.

use crate::grant::{GrantProcess, Transmission};
use std::sync::Arc;
use tailrace_core::{Bytes, DeliveryTrace, Instant, Opportunity};

/// Where a link is in its trace.
#[derive(Debug)]
pub struct TraceOpportunities {
    trace: Arc<DeliveryTrace>,
    present: Opportunity,
    /// Bytes that the present one has left.
    left: u64,
}

impl TraceOpportunities {
    pub(crate) fn new(trace: Arc<DeliveryTrace>) -> Self {
        Self { trace, present: Opportunity::default(), left: 0 }
    }

    fn advance(&mut self) {
        self.present = self.trace.next(self.present);
        self.left = DeliveryTrace::OPPORTUNITY.get();
    }
}

impl GrantProcess for TraceOpportunities {
    fn opens(&mut self, at: Instant) -> Result<(), Instant> {
        if self.left > 0 && self.trace.time(self.present) == at {
            return Ok(());
        }
        self.present = self.trace.after(at);
        self.left = DeliveryTrace::OPPORTUNITY.get();
        Err(self.trace.time(self.present))
    }

    fn send(&mut self, bytes: Bytes, _at: Instant) -> Transmission {
        let mut rest = bytes.get();
        while rest > self.left {
            rest -= self.left;
            self.advance();
        }
        self.left -= rest;
        let arrives = self.trace.time(self.present);
        if self.left == 0 {
            self.advance();
        }
        Transmission { arrives, left: arrives, free: self.trace.time(self.present), lost: false }
    }

    fn idle(&mut self, _at: Instant) {
        self.left = 0;
    }

    fn reset(&mut self, _at: Instant) {
        self.left = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    #[test]
    fn packets_take_several_opportunities_and_share_one() {
        let trace = Arc::new(DeliveryTrace::parse("2\n2\n5\n9\n").unwrap());
        let mut at = TraceOpportunities::new(trace);
        assert_eq!(at.opens(ms(0)), Err(ms(2)));
        assert_eq!(at.opens(ms(2)), Ok(()));
        let mut send = |bytes| {
            let sent = at.send(Bytes(bytes), ms(2));
            assert_eq!((sent.left, sent.lost), (sent.arrives, false));
            (sent.arrives, sent.free)
        };
        // A half, then one that ends within the second opportunity, then one that fills it.
        assert_eq!(send(752), (ms(2), ms(2)));
        assert_eq!(send(1504), (ms(2), ms(2)));
        assert_eq!(send(752), (ms(2), ms(5)));
        // 3008 bytes take those at 5 and 9 ms; 1505 bytes, those at 11 ms.
        assert_eq!(send(3008), (ms(9), ms(11)));
        assert_eq!(send(1505), (ms(11), ms(11)));
        at.idle(ms(11));
        assert_eq!(at.opens(ms(11)), Err(ms(14)));
    }
}

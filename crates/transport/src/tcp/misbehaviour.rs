//! Receivers that lie in their ACKs, for studies of attacks (Savage, Cardwell, Wetherall and Anderson, "TCP congestion
//! control with a misbehaving receiver", CCR 29(5), 1999).
//!
//! ACK division: one segment is acknowledged in many pieces, each of them new data to a sender that counts ACKs.
//! Optimistic ACKs: after each honest ACK follows one that runs ahead of what came; a sender that has not sent so much
//! ignores it, and the honest one counts. Holes are passed over, so that losses do not show: the application is given
//! what came, and the rest is missing for good.

use super::Tcp;
use crate::config::Misbehaviour;
use crate::segment::{Segment, SeqNumber};
use tailrace_core::Instant;

impl Tcp {
    /// The next ACK of an endpoint that may not be honest.
    #[cold]
    pub(super) fn dishonest_ack(&mut self, now: Instant) -> Segment {
        let degree = u64::from(self.config.misbehaviour_degree.max(1));
        let (from, to) = (self.last_ack_sent, self.rcv.nxt);
        let mut segment = self.acknowledge(self.board.nxt, now);
        match self.config.misbehaviour {
            Misbehaviour::AckDivision if to > from + 1 => {
                let point = (from + (u64::from(self.mss) / degree).max(1)).min(to);
                segment.ack = SeqNumber(point as u32);
                self.last_ack_sent = point;
                self.ack.now = point < to;
            }
            Misbehaviour::OptimisticAcks if self.fin_at.is_none() && to > self.irs + 1 => {
                // The honest one first, then the other.
                let Some(repair) = &mut self.repair else { return segment };
                repair.ahead = !repair.ahead;
                self.ack.now = repair.ahead;
                if !repair.ahead {
                    segment.ack = SeqNumber((to + degree * u64::from(self.mss)) as u32);
                }
            }
            _ => {}
        }
        segment
    }
}

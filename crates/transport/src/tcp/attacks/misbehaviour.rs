//! Receivers that lie in their ACKs, for studies of attacks (Savage, Cardwell, Wetherall and Anderson, "TCP congestion
//! control with a misbehaving receiver", CCR 29(5), 1999).
//!
//! ACK division: one segment is acknowledged in many pieces, each of them new data to a sender that counts ACKs.
//! Repeated ACKs are in `dupack_spoofing.rs`.
//! Optimistic ACKs: after each honest ACK follows one that runs ahead of what came; a sender that has not sent so much
//! ignores it, and the honest one counts. Holes are passed over, so that losses do not show: the application is given
//! what came, and the rest is missing for good.

use crate::config::Misbehaviour;
use crate::segment::{Segment, SeqNumber};
use crate::tcp::Tcp;
use crate::tcp::attacks::dupack_spoofing::DupackSpoofing;
use crate::tcp::recovery::Repair;

/// What a receiver that lies has to remember.
#[derive(Clone, Debug, Default)]
pub(in crate::tcp) struct Lies {
    /// How far the last of several ACKs for one segment reached.
    acked_to: u64,
    /// The next ACK is one that runs ahead of what came.
    ahead: bool,
    /// Relative numbers of bytes passed over, which a connection above has not heard of.
    hole: Option<(u64, u64)>,
    dupack_spoofing: DupackSpoofing,
}

impl Tcp {
    /// Makes of an honest ACK what an endpoint sends that may not be.
    #[inline(never)]
    pub(in crate::tcp) fn distort(&mut self, segment: &mut Segment) {
        let degree = u64::from(self.config.misbehaviour_degree.max(1));
        let (to, mss, first) = (self.rcv.nxt(), u64::from(self.mss), self.irs + 1);
        let Some(Repair { lies, .. }) = self.repair.as_deref_mut() else { return };
        match self.config.misbehaviour {
            Misbehaviour::AckDivision => {
                let point = (lies.acked_to.max(first) + (mss / degree).max(1)).min(to);
                segment.ack = SeqNumber(point as u32);
                lies.acked_to = point;
                self.acks.on_sent_short(point);
                if point < to {
                    self.acks.demand();
                }
            }
            Misbehaviour::OptimisticAcks if self.rcv.fin().is_none() && to > first => {
                lies.ahead = !lies.ahead;
                if lies.ahead {
                    self.acks.demand();
                } else {
                    segment.ack = SeqNumber((to + degree * mss) as u32);
                }
            }
            Misbehaviour::RepeatedAcks if self.rcv.fin().is_none() && to > first => {
                let honest = (to, segment.window);
                let ((ack, window), more) =
                    lies.dupack_spoofing.on_ack(honest, self.rcv.has_gap(), self.config.misbehaviour_degree);
                (segment.ack, segment.window) = (SeqNumber(ack as u32), window);
                if more {
                    self.acks.demand();
                }
            }
            _ => {}
        }
    }

    /// A segment with data starts at `seq`: who repeats ACKs has one for it.
    pub(in crate::tcp) fn hear(&mut self, seq: u64) {
        if self.config.misbehaviour != Misbehaviour::RepeatedAcks {
            return;
        }
        let (nxt, gap) = (self.rcv.nxt(), self.rcv.has_gap());
        if let Some(repair) = &mut self.repair {
            repair.lies.dupack_spoofing.on_data(seq, nxt, gap);
            self.acks.demand();
        }
    }

    /// A segment starts at `seq`: who conceals losses takes what is missing below it for received.
    pub(in crate::tcp) fn pass_over_hole(&mut self, seq: u64) {
        let conceals = self.config.misbehaviour == Misbehaviour::OptimisticAcks && self.state.may_receive();
        if conceals && seq > self.rcv.nxt() && seq < self.rcv.edge() {
            let hole = (self.rcv.nxt() - self.irs, seq - self.irs);
            self.rcv.insert(self.rcv.nxt(), seq);
            if let Some(repair) = &mut self.repair {
                repair.lies.hole = Some(hole);
            }
        }
    }

    /// The relative numbers of bytes that the latest segment has made this end pass over.
    #[inline]
    pub(crate) fn take_hole(&mut self) -> Option<(u64, u64)> {
        if self.config.misbehaviour != Misbehaviour::OptimisticAcks {
            return None;
        }
        self.repair.as_mut()?.lies.hole.take()
    }
}

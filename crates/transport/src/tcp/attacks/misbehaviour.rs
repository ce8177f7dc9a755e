//! Receivers that forge ACKs, for studies of attacks (Savage, Cardwell, Wetherall and Anderson, "TCP congestion control with a
//! misbehaving receiver", CCR 29(5), 1999).
//!
//! - ACK division: a segment is acknowledged in many pieces, each of them new data to a sender that counts ACKs.
//! - Duplicate-ACK spoofing: `dupack_spoofing.rs`.
//! - Optimistic ACKs: each honest ACK is followed by one for data that has not arrived. A sender that has not sent so much
//!   ignores it, and the honest one counts. Holes are passed over, so losses do not show: the application gets the data that
//!   arrived, and the rest is missing for good.

use super::dupack_spoofing::DupackSpoofing;
use crate::config::{Misbehaviour, TcpConfig};
use crate::segment::{Segment, SeqNumber};
use crate::tcp::recv::acks::OwedAcks;
use crate::tcp::recv::reassembly::Reassembly;

/// State of a receiver that forges ACKs.
#[derive(Clone, Debug, Default)]
pub(in crate::tcp) struct MisbehavingReceiver {
    /// Acknowledgment of the last of several ACKs for one segment.
    acked_to: u64,
    /// The next ACK is optimistic.
    ahead: bool,
    /// Relative numbers of bytes passed over that the connection above has not been told of.
    hole: Option<(u64, u64)>,
    dupack_spoofing: DupackSpoofing,
}

impl MisbehavingReceiver {
    /// Forges an honest ACK as `config` says; segments are of `mss` bytes, and the peer's first byte is `first`.
    #[inline(never)]
    pub(in crate::tcp) fn forge(
        &mut self,
        segment: &mut Segment,
        acks: &mut OwedAcks,
        rcv: &Reassembly,
        config: &TcpConfig,
        (mss, first): (u64, u64),
    ) {
        let (degree, to) = (u64::from(config.misbehaviour_degree.max(1)), rcv.nxt());
        let streams = rcv.fin().is_none() && to > first;
        match config.misbehaviour {
            Misbehaviour::AckDivision => {
                let point = (self.acked_to.max(first) + (mss / degree).max(1)).min(to);
                segment.ack = SeqNumber(point as u32);
                self.acked_to = point;
                acks.on_sent_short(point);
                if point < to {
                    acks.demand();
                }
            }
            Misbehaviour::OptimisticAcks if streams => {
                self.ahead = !self.ahead;
                if self.ahead {
                    acks.demand();
                } else {
                    segment.ack = SeqNumber((to + degree * mss) as u32);
                }
            }
            Misbehaviour::RepeatedAcks if streams => {
                let honest = (to, segment.window);
                let ((ack, window), more) =
                    self.dupack_spoofing.on_ack(honest, rcv.has_gap(), config.misbehaviour_degree);
                (segment.ack, segment.window) = (SeqNumber(ack as u32), window);
                if more {
                    acks.demand();
                }
            }
            _ => {}
        }
    }

    /// A segment with data arrives at `seq`: duplicate-ACK spoofing sends one ACK for it.
    pub(in crate::tcp) fn on_data(&mut self, seq: u64, rcv: &Reassembly, acks: &mut OwedAcks) {
        self.dupack_spoofing.on_data(seq, rcv.nxt(), rcv.has_gap());
        acks.demand();
    }

    /// A segment arrives at `seq`: conceals a loss by taking the missing bytes below it as received. `irs` is the peer's initial
    /// sequence number.
    pub(in crate::tcp) fn conceal_hole(&mut self, seq: u64, rcv: &mut Reassembly, irs: u64) {
        if seq > rcv.nxt() && seq < rcv.edge() {
            self.hole = Some((rcv.nxt() - irs, seq - irs));
            rcv.insert(rcv.nxt(), seq);
        }
    }

    /// Relative numbers of the bytes that the latest segment made this end pass over.
    pub(in crate::tcp) const fn take_hole(&mut self) -> Option<(u64, u64)> {
        self.hole.take()
    }
}

//! The receiver's side of explicit congestion notification: how marks are echoed (RFC 3168 §6.1.3, RFC 8257 §3.2).

use super::Tcp;
use crate::config::EcnEcho;
use crate::segment::{Flags, Segment, SeqNumber};
use tailrace_core::{Ecn, Instant};

impl Tcp {
    /// Whether this end offers and accepts ECN.
    pub(super) fn wants_ecn(&self) -> bool {
        self.config.ecn || self.needs.ecn
    }

    /// Takes the codepoint of a segment with payload, before the payload.
    #[inline]
    pub(super) fn on_codepoint(&mut self, segment: &Segment) {
        let marked = segment.ecn == Ecn::Ce;
        self.stats.ce_received += u32::from(marked);
        if self.echo == EcnEcho::Dctcp {
            self.on_state(segment.ecn);
            return;
        }
        // RFC 3168 §6.1.3: CWR ends the echo, a new mark starts it again.
        if segment.flags.has(Flags::CWR) {
            self.ece = false;
        }
        self.ece |= marked;
    }

    /// RFC 8257 §3.2: a change is acknowledged at once. What waits for a delayed ACK is acknowledged by itself first,
    /// so that no ACK covers segments of both kinds. A retransmission, which cannot be marked, says nothing.
    fn on_state(&mut self, ecn: Ecn) {
        let marked = ecn == Ecn::Ce;
        if marked == self.ece || ecn == Ecn::NotEct {
            return;
        }
        if self.ack.segments > 0 {
            self.owed = Some(SeqNumber(self.rcv.nxt as u32));
        }
        self.ece = marked;
        self.ack.now = true;
    }

    /// The ACK up to `up_to` that tells how marks stood before they changed; another follows.
    pub(super) fn acknowledge_before(&mut self, up_to: SeqNumber, now: Instant) -> Segment {
        self.ece = !self.ece;
        let mut segment = self.acknowledge(self.board.nxt, now);
        self.ece = !self.ece;
        segment.ack = up_to;
        self.ack.now = true;
        segment
    }
}

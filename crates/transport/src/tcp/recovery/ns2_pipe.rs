//! ns-2's estimate of what is in the network (`Sack1TcpAgent`, tcp-sack1.cc of 2.35): a count of ACKs and segments.
//!
//! Fast recovery begins with what is outstanding less the duplicate ACKs that began it. Each ACK takes one off, whatever
//! it says, and a partial one another; each segment sent adds one, but for the first retransmission. What was lost is
//! never taken out, so that with several losses less is sent than by RFC 6675. Outside fast recovery all that is
//! outstanding counts, and the scoreboard is cleared with each ACK of new data; three ACKs with news begin the next one.
//!
//! Departure: ACKs that bring data with them are not counted unless they advance; ns-2's agents send one way.

use super::state::{RecoveryPhase, RecoveryState};
use crate::tcp::send::scoreboard::Scoreboard;

impl RecoveryState {
    /// From now on what is in the network is counted.
    pub(in crate::tcp) fn count_from_now(&mut self) {
        self.counts = true;
    }

    /// Whether it is.
    #[inline(always)]
    pub(in crate::tcp) fn counts(&self) -> bool {
        self.counts
    }

    /// Whether it is counted in segments at present, so that a small one counts as much as a full one.
    #[inline(always)]
    pub(in crate::tcp) fn counts_segments(&self) -> bool {
        self.counts && self.phase == RecoveryPhase::Fast
    }

    /// An ACK came; `plain` if without data, `advances` if of new data.
    #[inline(never)]
    pub(in crate::tcp) fn count_ack(&mut self, advances: bool, plain: bool) {
        if self.phase == RecoveryPhase::Fast && (plain || advances) {
            self.counted -= 1 + i32::from(advances);
        }
    }

    /// A segment goes out. Without `pipe = "ns2"` nobody looks at the count.
    #[inline(always)]
    pub(in crate::tcp) fn count_sent(&mut self) {
        self.counted = self.counted.wrapping_add(1);
    }

    /// Bytes in the network as ns-2 counts them; outside recovery up to `credit` duplicate ACKs count as segments that left.
    #[inline(never)]
    pub(super) fn ns2_pipe(&self, board: &Scoreboard, mss: u64, credit: u16) -> u64 {
        match self.phase {
            RecoveryPhase::Fast => u64::from(self.counted.max(0).unsigned_abs()) * mss,
            RecoveryPhase::Loss => board.pipe(),
            RecoveryPhase::Open | RecoveryPhase::Cwr => {
                let left = u64::from(self.dup_acks.min(u32::from(credit)));
                board.outstanding().saturating_sub(left * mss)
            }
        }
    }

    /// Fast recovery begins with so many segments outstanding; the retransmission that it begins with does not count.
    pub(super) fn begin_ns2_count(&mut self, segments: u64, dup_thresh: u16) {
        self.counted = segments as i32 - i32::from(dup_thresh) - 1;
    }

    /// Fast recovery, or the repair of a timeout, is over. After the former the next loss may begin another at once; after a
    /// timeout the segments sent before it may not.
    pub(super) fn end_ns2_count(&mut self, board: &mut Scoreboard) {
        board.forget_flags();
        if self.phase == RecoveryPhase::Fast {
            self.point = 0;
        }
    }
}

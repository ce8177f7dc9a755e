//! Phases of loss recovery, and where the last reductions stand.

use crate::cc::Repair;
use crate::config::TcpConfig;
use crate::tcp::send::scoreboard::Scoreboard;

/// Phase of loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecoveryPhase {
    /// No loss is being repaired.
    Open,
    /// No loss is being repaired, but a reduction for a mark is being spread over a round trip (Linux `TCP_CA_CWR`).
    Cwr,
    /// Fast recovery.
    Fast,
    /// A timeout is being repaired.
    Loss,
}

/// State of loss recovery and of the last reductions. The optional parts have theirs in
/// [`OptionalRecovery`](super::OptionalRecovery).
#[derive(Clone, Debug)]
pub(crate) struct RecoveryState {
    pub(super) phase: RecoveryPhase,
    /// SND.NXT when the last recovery began (RFC 6582 "recover", RFC 6675 RecoveryPoint).
    pub(super) point: u64,
    /// SND.NXT at the last reduction for a mark: until it is acknowledged there is no other.
    pub(super) cwr_point: u64,
    pub(super) dup_acks: u32,
    /// Without SACK: bytes that duplicate ACKs say have left the network.
    pub(super) dup_bytes: u64,
    /// Flight at the first duplicate ACK: what limited transmit adds is not to be halved (RFC 5681 §3.2).
    pub(super) flight: u64,
    pub(super) partial_seen: bool,
    /// The last segment was sent again in this recovery.
    pub(super) rescued: bool,
    /// The last reduction was for a mark.
    pub(super) by_mark: bool,
    /// A window reduction is to be told to the peer.
    pub(super) cwr_due: bool,
    /// A mark came at a window of one segment: nothing is sent before the retransmission timer expires.
    pub(super) waits_for_timer: bool,
    /// The last mark came at a window of one segment.
    pub(super) marked_at_one: bool,
    /// The pipe is counted as in ns-2 (`pipe = "ns2"`): in segments, while fast recovery lasts.
    pub(super) counts: bool,
    pub(super) counted: i32,
}

impl RecoveryState {
    pub(crate) const fn new(start: u64) -> Self {
        Self {
            phase: RecoveryPhase::Open,
            point: start,
            cwr_point: start,
            dup_acks: 0,
            dup_bytes: 0,
            flight: 0,
            partial_seen: false,
            rescued: false,
            by_mark: false,
            cwr_due: false,
            waits_for_timer: false,
            marked_at_one: false,
            counts: false,
            counted: 0,
        }
    }
    /// Whether a loss or a timeout is being repaired.
    pub(crate) fn is_active(&self) -> bool {
        matches!(self.phase, RecoveryPhase::Fast | RecoveryPhase::Loss)
    }
    pub(crate) fn repairs(&self) -> Repair {
        match self.phase {
            RecoveryPhase::Open | RecoveryPhase::Cwr => Repair::None,
            RecoveryPhase::Fast => Repair::Loss,
            RecoveryPhase::Loss => Repair::Timeout,
        }
    }
    pub(crate) fn is_after_timeout(&self) -> bool {
        self.phase == RecoveryPhase::Loss
    }
    /// Whether nothing is sent before the retransmission timer expires (RFC 3168 §6.1.2).
    #[inline(always)]
    pub(in crate::tcp) fn waits_for_timer(&self) -> bool {
        self.waits_for_timer
    }
    /// The retransmission timer has expired.
    pub(in crate::tcp) fn on_timer(&mut self) {
        self.waits_for_timer = false;
    }
    /// Whether CWR goes with the segment of new data that is about to leave.
    #[inline]
    pub(in crate::tcp) fn take_cwr(&mut self) -> bool {
        core::mem::take(&mut self.cwr_due)
    }

    /// The scoreboard's estimate of bytes in the network, less those that duplicate ACKs say have left it.
    #[inline(never)]
    pub(super) fn pipe_less_duplicates(&self, board: &Scoreboard, config: &TcpConfig, mss: u64) -> u64 {
        let (pipe, dup_thresh) = (board.pipe(), config.dup_thresh.saturating_sub(1));
        match self.phase {
            RecoveryPhase::Open | RecoveryPhase::Cwr if !config.limited_transmit => pipe + board.sacked(),
            RecoveryPhase::Open | RecoveryPhase::Cwr => {
                pipe.saturating_sub(self.dup_bytes.min(u64::from(dup_thresh) * mss))
            }
            RecoveryPhase::Fast => pipe.saturating_sub(self.dup_bytes),
            RecoveryPhase::Loss if config.limited_after_rto => {
                pipe.saturating_sub(u64::from(self.dup_acks.min(u32::from(dup_thresh))) * mss)
            }
            RecoveryPhase::Loss => pipe,
        }
    }
}

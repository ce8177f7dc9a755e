//! F-RTO: timeouts that were spurious, seen by the first ACKs after them (RFC 5682 §3.1, as Linux does it).

use super::RecoveryPhase;
use crate::tcp::send::scoreboard::AckedSegments;

/// Step of F-RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frto {
    /// Not in use, or the timeout was genuine.
    Off,
    /// The oldest segment was sent again; its ACK is awaited.
    Waiting,
    /// The ACK has come, and new data was sent.
    Probing,
}

/// Facts about the connection at an ACK.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrtoContext {
    pub(super) sack: bool,
    /// A timeout is being repaired.
    pub(super) loss: bool,
    /// The ACK covers all that was sent before the timeout.
    pub(super) complete: bool,
    /// New data could be sent.
    pub(super) more: bool,
    /// The ACK delivers a segment that was sent once, before the timeout.
    pub(super) original: bool,
}

impl Frto {
    /// The retransmission timer expired in phase `was`, `repeated` in a row: step 1.
    pub(super) const fn at_timeout(was: RecoveryPhase, repeated: bool) -> Self {
        match was {
            RecoveryPhase::Open | RecoveryPhase::Cwr => Self::Waiting,
            RecoveryPhase::Loss if repeated => Self::Waiting,
            RecoveryPhase::Fast | RecoveryPhase::Loss => Self::Off,
        }
    }

    /// Steps 2 and 3, for an ACK that covers `acked`. Returns whether the timeout was spurious.
    pub(super) fn on_ack(&mut self, acked: Option<&AckedSegments>, context: FrtoContext) -> bool {
        if !context.loss {
            *self = Self::Off;
            return false;
        }
        // Without SACK an ACK that also covers a retransmission proves nothing for the rest.
        if context.original && (context.sack || acked.is_some_and(|a| !a.ambiguous)) {
            return true;
        }
        *self = match (*self, acked) {
            (Self::Waiting, Some(_)) if !context.complete && context.more => Self::Probing,
            // Duplicates before the first ACK of new data: the SACK variant waits on.
            (Self::Waiting, None) if context.sack => Self::Waiting,
            _ => Self::Off,
        };
        false
    }
}

//! TCP-DOOR (Wang and Zhang, "Improving TCP performance over mobile ad-hoc networks with out-of-order detection and
//! response", MobiHoc 2002): packets out of order mean a changed route, not congestion.
//!
//! After such an event congestion control is held off for T1; a reduction younger than T2 is undone. Departure: the
//! paper's sequence options for ACKs and data are not sent; ACKs that fall back, and SACKs of a segment below what was
//! SACKed before, tell the same without. That T1 and T2 are a round trip each is a reading: the paper's order of
//! magnitude.

use super::Tcp;
use crate::config::Misbehaviour;
use tailrace_core::Instant;

#[derive(Clone, Debug, Default)]
pub(super) struct Door {
    /// Congestion control is held off until then.
    until: Instant,
    /// When it last lowered the window.
    reduced_at: Option<Instant>,
}

impl Door {
    /// The window falls.
    pub(super) fn note_reduction(&mut self, now: Instant) {
        self.reduced_at = Some(now);
    }
}

impl Tcp {
    /// Something came out of order.
    pub(super) fn on_out_of_order(&mut self, now: Instant) {
        let srtt = self.rtt.smoothed;
        let (disable, revert) = (self.config.door_disable.max(0.0), self.config.door_revert.max(0.0));
        let Some(repair) = &mut self.repair else { return };
        repair.door.until = now.saturating_add(srtt.mul_f64(disable));
        let recent = |at: Instant| now.saturating_since(at) <= srtt.mul_f64(revert);
        if repair.door.reduced_at.take().is_some_and(recent) && repair.undo.is_possible() {
            self.undo(0, now);
        }
    }

    /// Whether a congestion signal changes nothing.
    pub(super) fn ignores_congestion(&self, now: Instant) -> bool {
        let Some(repair) = &self.repair else { return false };
        self.config.misbehaviour == Misbehaviour::IgnoresCongestion || now < repair.door.until
    }
}

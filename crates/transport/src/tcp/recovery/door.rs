//! TCP-DOOR (Wang and Zhang, "Improving TCP performance over mobile ad-hoc networks with out-of-order detection and
//! response", MobiHoc 2002): packets out of order mean a changed route, not congestion.
//!
//! After such an event congestion control is held off for T1; a reduction younger than T2 is undone. Departure: the
//! paper's sequence options for ACKs and data are not sent; ACKs that fall back, and SACKs of a segment below what was
//! SACKed before, tell the same without. That T1 and T2 are a round trip each is a reading: the paper's order of
//! magnitude.

use crate::config::TcpConfig;
use tailrace_core::{Duration, Instant};

/// TCP-DOOR's timers.
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

    /// Something arrived out of order, with a smoothed round trip of `srtt`: holds congestion control off. Returns whether the
    /// last reduction is young enough to be undone.
    pub(super) fn on_out_of_order(&mut self, srtt: Duration, config: &TcpConfig, now: Instant) -> bool {
        let (disable, revert) = (config.door_disable.max(0.0), config.door_revert.max(0.0));
        self.until = now.saturating_add(srtt.mul_f64(disable));
        let recent = |at: Instant| now.saturating_since(at) <= srtt.mul_f64(revert);
        self.reduced_at.take().is_some_and(recent)
    }

    /// Whether congestion control is held off at `now`.
    pub(super) fn holds_off(&self, now: Instant) -> bool {
        now < self.until
    }
}

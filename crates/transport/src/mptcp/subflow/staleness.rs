//! Staleness of a subflow: data-level timeouts without a sign of life (Linux net/mptcp/pm.c, `mptcp_pm_subflow_chk_stale`).

use tailrace_core::Instant;

/// Since when a subflow has been silent, as upstream Linux counts it (net/mptcp/pm.c,
/// `mptcp_pm_subflow_chk_stale`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Staleness {
    /// When something arrived last.
    pub(super) heard: Instant,
    /// That time as it was at the first data-level timeout of the count.
    since: Instant,
    /// Data-level timeouts without anything new.
    pub(crate) count: u64,
    /// It is passed over until it is heard from.
    pub(crate) stale: bool,
}

impl Staleness {
    /// One more data-level timeout has found data on the subflow's way.
    pub(crate) fn note(&mut self) {
        if self.count == 0 {
            (self.since, self.count) = (self.heard, 1);
        } else if self.since == self.heard {
            self.count += 1;
        } else {
            (self.count, self.stale) = (0, false);
        }
    }
}

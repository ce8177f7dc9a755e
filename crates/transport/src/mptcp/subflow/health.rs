//! Health of a subflow: timeouts of its own and of the data level without a sign of life.
//!
//! Two mechanisms, by parameters. Out-of-tree Linux passes a subflow over after its own timeout until it is heard from
//! (`pf`, potentially failed). Upstream Linux counts data-level timeouts, and calls it stale after several in a row
//! (net/mptcp/pm.c, `mptcp_pm_subflow_chk_stale`).

use tailrace_core::Instant;

/// Verdict on a subflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Health {
    #[default]
    Alive,
    /// Its retransmission timer has expired, and nothing has arrived since.
    TimedOut,
    /// Several data-level timeouts have passed without a sign of life.
    Stale,
}

/// Signs of life of a subflow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SubflowHealth {
    /// Time of the latest arrival.
    heard: Instant,
    /// Copy of `heard` at the first timeout of the count.
    since: Instant,
    /// Data-level timeouts since then without an arrival (Linux `stale_count`).
    timeouts: u64,
    health: Health,
}

impl SubflowHealth {
    /// A segment has arrived. The count ends with the next data-level timeout (`mptcp_subflow_set_active`).
    #[inline]
    pub(crate) fn on_segment(&mut self, now: Instant) {
        self.heard = now;
        self.health = Health::Alive;
    }

    /// The subflow's own retransmission timer has expired, in a connection that avoids failed subflows.
    pub(crate) fn on_own_timeout(&mut self) {
        if self.health == Health::Alive {
            self.health = Health::TimedOut;
        }
    }

    /// A data-level timeout has found data in flight on the subflow.
    pub(crate) fn on_data_timeout(&mut self) {
        if self.timeouts == 0 {
            (self.since, self.timeouts) = (self.heard, 1);
        } else if self.since == self.heard {
            self.timeouts += 1;
        } else {
            self.timeouts = 0;
            if self.health == Health::Stale {
                self.health = Health::Alive;
            }
        }
    }

    /// The subflow counts as stale until it is heard from.
    pub(crate) fn set_stale(&mut self) {
        self.health = Health::Stale;
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.health == Health::Stale
    }

    /// Whether neither kind of timeout excludes it from carrying data.
    #[inline]
    pub(crate) fn is_alive(&self) -> bool {
        self.health == Health::Alive
    }

    /// Data-level timeouts in a row without an arrival.
    #[inline]
    pub(crate) const fn timeouts(&self) -> u64 {
        self.timeouts
    }
}

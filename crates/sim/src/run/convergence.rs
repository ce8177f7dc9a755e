//! Delayed convergence of routes after link changes: until then, routes lead into links that are down, and avoid links that are
//! up again.

use std::collections::VecDeque;
use tailrace_core::Duration;
use tailrace_net::LinkId;

/// Link changes that routes have not seen yet.
#[derive(Debug)]
pub(crate) struct RouteConvergence {
    /// Convergence delay.
    pub(crate) delay: Duration,
    /// Link directions and whether they are usable, in order of time; one entry per instant.
    pub(crate) pending: VecDeque<Vec<(LinkId, bool)>>,
}

impl RouteConvergence {
    pub(crate) const fn new(delay: Duration) -> Self {
        Self { delay, pending: VecDeque::new() }
    }

    /// Whether routes change without delay.
    pub(crate) const fn is_immediate(&self) -> bool {
        self.delay.is_zero()
    }
}

//! Routes that hear late of what becomes of links: until then they lead into links that are down, and not over those that
//! are up again.

use std::collections::VecDeque;
use tailrace_core::Duration;
use tailrace_net::LinkId;

/// What routes are still to hear of.
#[derive(Debug)]
pub(crate) struct RouteConvergence {
    /// So long after it has happened.
    pub(crate) delay: Duration,
    /// Directions of links, and whether routes may lead over them: what has happened in one instant each, in the order of these.
    pub(crate) pending: VecDeque<Vec<(LinkId, bool)>>,
}

impl RouteConvergence {
    pub(crate) const fn new(delay: Duration) -> Self {
        Self { delay, pending: VecDeque::new() }
    }

    /// Whether routes follow at once.
    pub(crate) const fn is_immediate(&self) -> bool {
        self.delay.is_zero()
    }
}

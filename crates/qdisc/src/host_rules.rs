//! Rules for hosts of disciplines whose labels must be returned.

use tailrace_core::Duration;

/// Constants of NetFence routers that hosts use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRules {
    /// The routers' control interval.
    pub interval: Duration,
    /// Lifetime of feedback.
    pub validity: Duration,
}

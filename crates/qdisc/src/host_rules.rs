//! Rules for hosts of disciplines whose labels must be returned.

use tailrace_core::Duration;

/// What hosts must know of the routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRules {
    /// The routers' control interval.
    pub interval: Duration,
    /// How long feedback is valid.
    pub validity: Duration,
}

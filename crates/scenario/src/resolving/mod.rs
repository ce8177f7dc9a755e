//! Resolving: from what a file says to a scenario that can run.

pub(crate) mod gateways;
pub(crate) mod memory;
pub(crate) mod scenario;
pub(crate) mod subflows;
pub(crate) mod sweep;
pub(crate) mod topology;

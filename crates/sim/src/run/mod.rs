//! Runs: building, stepping, faults, live changes, stalls and balances.
//!
//! May import: all above.

pub(crate) mod attach;
pub(crate) mod balance;
pub(crate) mod build;
#[cfg(test)]
mod conservation;
pub(crate) mod control;
pub(crate) mod convergence;
pub(crate) mod error;
pub(crate) mod fault_events;
pub(crate) mod faults;
pub(crate) mod live;
pub(crate) mod opportunities;
pub(crate) mod permutation;
pub(crate) mod route_updates;
pub(crate) mod schedule;
pub(crate) mod simulation;
pub(crate) mod stall;

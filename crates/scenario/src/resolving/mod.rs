//! Resolving: from what a file says to a scenario that can run.
//!
//! Owns what names, selectors and counts stand for, roles of routers, the graph of the network, the variants of a sweep, the
//! estimate of memory, and every check that needs more than one declaration. May import: `declarations`, `model`, `text`.

pub(crate) mod faults;
pub(crate) mod memory;
pub(crate) mod roles;
pub(crate) mod scenario;
pub(crate) mod sweep;
pub(crate) mod topology;
mod uplinks;
pub(crate) mod windows;

mod addresses;
mod captures;
mod clashes;
mod directory;
mod ends;
mod gateways;
mod kernel_flows;
mod kernels;
mod links;
mod loads;
mod media;
mod pattern;
mod picked;
mod renumbering;
mod routes;
mod sides;
mod subflows;
mod unique;

//! Foreign hosts: hosts whose stack is not the simulator's, such as Linux kernels; their interface, sockets and bookkeeping.
//!
//! May import: `ground`, `packet`.

pub(crate) mod counters;
pub(crate) mod data_mappings;
pub(crate) mod host;
pub(crate) mod hosts;
pub(crate) mod icmp_limit;
pub(crate) mod payload_check;
pub(crate) mod reach;
pub(crate) mod remote;
pub(crate) mod socket;
pub(crate) mod tx_completion;

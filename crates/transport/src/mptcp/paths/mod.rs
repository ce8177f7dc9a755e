//! Addresses of both ends and their signalling (RFC 8684 §3.4).

pub(crate) mod add_addr;
pub(crate) mod addresses;
pub(crate) mod signal_queue;

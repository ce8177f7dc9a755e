//! The data level (RFC 8684 §3.3): one stream of bytes with its own sequence numbers above all subflows.

pub(crate) mod dss_checksum;
pub(crate) mod receiver;
pub(crate) mod reordering;
pub(crate) mod rto;
pub(crate) mod sender;
pub(crate) mod wire_numbers;

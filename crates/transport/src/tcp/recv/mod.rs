//! Receiving: segments that arrive, reassembly, and the ACKs that are owed for them.

pub(in crate::tcp) mod ack_policy;
pub(in crate::tcp) mod acks;
pub(crate) mod corrupted_bytes;
pub(in crate::tcp) mod ecn;
pub(in crate::tcp) mod input;
pub(crate) mod reassembly;

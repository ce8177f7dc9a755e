//! Receiving: segments that arrive, reassembly, and the ACKs that are owed for them.

pub(in crate::tcp) mod acks;
pub(crate) mod corrupted_bytes;
pub(in crate::tcp) mod delayed_ack;
pub(in crate::tcp) mod ecn;
pub(in crate::tcp) mod input;
mod ofo_ranges;
pub(crate) mod reassembly;

//! Parts of the receiving side: reassembly, the ACKs that are owed, ECN feedback. `input.rs` connects them.

pub(in crate::tcp) mod ack_policy;
pub(in crate::tcp) mod acks;
pub(crate) mod corrupted_bytes;
pub(in crate::tcp) mod ecn;
pub(crate) mod reassembly;
pub(in crate::tcp) mod shared_window;

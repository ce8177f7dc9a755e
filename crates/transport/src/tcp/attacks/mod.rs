//! Receivers that attack the congestion control of their senders (Savage et al., 1999).

pub(in crate::tcp) mod dupack_spoofing;
pub(in crate::tcp) mod misbehaviour;

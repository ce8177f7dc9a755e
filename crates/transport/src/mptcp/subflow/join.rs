//! The MP_JOIN handshake of a subflow: nonces and HMACs (RFC 8684 §3.2).

use crate::mptcp::key::{Key, long_join_hmac, short_join_hmac};

/// A join under way: nonces, and which end asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Join {
    pub(crate) active: bool,
    pub(crate) nonce: u32,
    pub(crate) peer_nonce: u32,
}

impl Join {
    /// This end's proof for a SYN-ACK.
    pub(crate) fn short(&self, own: Key, peer: Key) -> u64 {
        short_join_hmac((own, peer), (self.nonce, self.peer_nonce))
    }
    /// The proof that the peer's SYN-ACK must carry.
    pub(crate) fn expected_short(&self, own: Key, peer: Key) -> u64 {
        short_join_hmac((peer, own), (self.peer_nonce, self.nonce))
    }
    /// This end's proof for the third segment.
    pub(crate) fn long(&self, own: Key, peer: Key) -> [u8; 20] {
        long_join_hmac((own, peer), (self.nonce, self.peer_nonce))
    }
    /// The proof that the peer's third segment must carry.
    pub(crate) fn expected_long(&self, own: Key, peer: Key) -> [u8; 20] {
        long_join_hmac((peer, own), (self.peer_nonce, self.nonce))
    }
}

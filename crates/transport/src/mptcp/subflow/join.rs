//! The MP_JOIN handshake of a subflow: nonces, HMACs and their repetition (RFC 8684 §3.2).

use crate::mptcp::key::{Key, long_join_hmac, short_join_hmac};
use tailrace_core::{Duration, Instant};

/// Nonces of a join, and which end asks for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JoinNonces {
    pub(crate) active: bool,
    pub(crate) nonce: u32,
    pub(crate) peer_nonce: u32,
}

impl JoinNonces {
    /// Truncated HMAC of this end's SYN-ACK.
    pub(crate) fn short(&self, own: Key, peer: Key) -> u64 {
        short_join_hmac((own, peer), (self.nonce, self.peer_nonce))
    }
    /// Truncated HMAC that the peer's SYN-ACK must carry.
    pub(crate) fn expected_short(&self, own: Key, peer: Key) -> u64 {
        short_join_hmac((peer, own), (self.peer_nonce, self.nonce))
    }
    /// HMAC of this end's third segment.
    pub(crate) fn long(&self, own: Key, peer: Key) -> [u8; 20] {
        long_join_hmac((own, peer), (self.nonce, self.peer_nonce))
    }
    /// HMAC that the peer's third segment must carry.
    pub(crate) fn expected_long(&self, own: Key, peer: Key) -> [u8; 20] {
        long_join_hmac((peer, own), (self.peer_nonce, self.nonce))
    }
}

/// MP_JOIN of a subflow; the one that began the connection has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JoinHandshake {
    nonces: Option<JoinNonces>,
    /// Time at which the third segment is repeated.
    deadline: Instant,
    repeats: u32,
}

impl JoinHandshake {
    /// The subflow that began the connection.
    pub(crate) const NONE: Self = Self { nonces: None, deadline: Instant::MAX, repeats: 0 };

    /// This end asks (`active`), or the peer has, with `peer_nonce`.
    pub(crate) const fn new(active: bool, nonce: u32, peer_nonce: u32) -> Self {
        Self { nonces: Some(JoinNonces { active, nonce, peer_nonce }), ..Self::NONE }
    }

    pub(crate) const fn nonces(&self) -> Option<JoinNonces> {
        self.nonces
    }

    /// Whether this end asked for the join.
    pub(crate) fn is_active(&self) -> bool {
        self.nonces.is_some_and(|nonces| nonces.active)
    }

    /// The peer's nonce is known.
    pub(crate) fn learn_nonce(&mut self, peer_nonce: u32) {
        if let Some(nonces) = &mut self.nonces {
            nonces.peer_nonce = peer_nonce;
        }
    }

    /// Time at which the third segment is repeated.
    #[inline]
    pub(super) const fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Stops the repetition.
    pub(super) const fn stop(&mut self) {
        self.deadline = Instant::MAX;
    }

    /// Starts or backs off the timer of the repetition. Returns whether the segment is to be repeated now.
    pub(super) fn back_off(&mut self, rto: Duration, now: Instant) -> bool {
        self.deadline = now.saturating_add(rto.saturating_mul(1 << self.repeats.min(6)));
        self.repeats += 1;
        self.repeats > 1
    }
}

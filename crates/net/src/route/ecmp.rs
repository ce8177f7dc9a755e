//! Choice among several ways of one length (equal-cost multipath).
//!
//! Each router divides the range of a hash of the packet's flow into equal parts, one a way in the order of links, and sends
//! by that in whose part the hash falls (RFC 2992, hash-threshold; Linux divides alike, `net.ipv4.fib_multipath_hash_policy`).
//! So packets of one flow stay in order. Each router has a salt of its own, or else all would agree, and of the ways beyond
//! the first router some would never be taken.

use tailrace_core::FlowKey;
use tailrace_qdisc::flow_hash::{FlowBy, mix64, scale};

/// Spread of packets over ways of one length (equal-cost multipath).
#[derive(Clone, Copy, Debug)]
pub struct EcmpHash {
    by: FlowBy,
    salt: u64,
}

impl EcmpHash {
    /// By the fields that `by` names.
    pub const fn new(by: FlowBy, salt: u64) -> Self {
        Self { by, salt }
    }

    /// Number of the way that a packet of this flow takes from router number `router`.
    pub(super) fn choose(&self, flow: FlowKey, router: u32, of: u32) -> u32 {
        let flow = self.by.key(flow);
        let addresses = u64::from(flow.src) << 32 | u64::from(flow.dst);
        let rest = u64::from(flow.src_port) << 32 | u64::from(flow.dst_port) << 16 | u64::from(flow.protocol);
        let salt = mix64(self.salt ^ u64::from(router));
        scale(mix64(mix64(addresses ^ salt) ^ rest), of)
    }
}

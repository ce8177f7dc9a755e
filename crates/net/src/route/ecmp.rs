//! Equal-cost multipath (ECMP): choice among next hops of equal path cost.
//!
//! Hash-threshold (RFC 2992; Linux divides alike, `net.ipv4.fib_multipath_hash_policy`): each router divides the range of the
//! flow hash into equal regions, one a next hop in the order of links. Packets of a flow stay in order. Each router has its own
//! salt: with a common hash, routers behind the first one would never use some of their next hops (polarisation).

use tailrace_core::FlowKey;
use tailrace_qdisc::flow_hash::{FlowBy, mix64, scale};

/// Hash-threshold function of ECMP.
#[derive(Clone, Copy, Debug)]
pub struct EcmpHash {
    by: FlowBy,
    salt: u64,
}

impl EcmpHash {
    /// Hash over the header fields `by`.
    pub const fn new(by: FlowBy, salt: u64) -> Self {
        Self { by, salt }
    }

    /// Index of the next hop, out of `of`, for packets of this flow at router number `router`.
    pub(super) fn choose(&self, flow: FlowKey, router: u32, of: u32) -> u32 {
        let flow = self.by.key(flow);
        let addresses = u64::from(flow.src) << 32 | u64::from(flow.dst);
        let rest = u64::from(flow.src_port) << 32 | u64::from(flow.dst_port) << 16 | u64::from(flow.protocol);
        let salt = mix64(self.salt ^ u64::from(router));
        scale(mix64(mix64(addresses ^ salt) ^ rest), of)
    }
}

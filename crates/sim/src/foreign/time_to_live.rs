//! The time to live of packets of and for foreign hosts (RFC 791 §3.2, RFC 1812 §5.3.1).
//!
//! Routers do not count: when a packet leaves, its way is looked at, and if it is longer than the packet lives, the packet is sent
//! to the router at which its time ends, where it waits in the queues before that like any other. What reaches its host has as many
//! hops less as its way has routers. Ways are those of the moment; captures show packets as they were sent. Where ways of one
//! length share the traffic, the router is the one on the packet's own way, but the packet may get there by another.

use crate::frame::Frame;
use crate::packet::SimPacket;
use crate::world::SimFabric;
use tailrace_core::Packet;
use tailrace_net::Address;
use tailrace_wire::Ipv4Packet;

/// A packet that leaves by the interface with address `out` goes no further than it may.
pub(super) fn limit((frame, out): (&Frame, Address), pkt: &mut SimPacket, fabric: &mut SimFabric) {
    let hops = usize::from(frame.ttl.max(1));
    if hops > fabric.graph().router_count() as usize {
        return;
    }
    let last = fabric.routers_on_way((out, pkt.destination), pkt.flow()).nth(hops - 1);
    if let Some(address) = last.and_then(|router| fabric.graph().router_address(router)) {
        pkt.destination = address;
    }
}

/// A packet has arrived, with its bytes: it has lived as many hops as there are routers on its way.
pub(super) fn lower(bytes: &mut [u8], pkt: &SimPacket, fabric: &mut SimFabric) {
    let passed = fabric.routers_on_way((pkt.source, pkt.destination), pkt.flow()).count();
    let Ok(mut ip) = Ipv4Packet::new_checked(bytes) else { return };
    let passed = u8::try_from(passed).unwrap_or(u8::MAX);
    ip.set_ttl(ip.ttl().saturating_sub(passed).max(1));
}

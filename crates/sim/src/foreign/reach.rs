//! Limits of the path of packets from and to foreign hosts: TTL (RFC 791 §3.2, RFC 1812 §5.3.1) and path MTU (RFC 1191).

use crate::packet::frame_decode::DecodedPacket;
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use tailrace_core::{Bytes, Packet};
use tailrace_net::{Address, LinkId};
use tailrace_wire::Ipv4Packet;

/// Reason why a packet ends at a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathEnd {
    /// The packet is addressed to the router.
    Here,
    /// The TTL is used up.
    TimeToLive,
    /// The packet is larger than the MTU of this next link and must not be fragmented.
    TooBig(LinkId),
}

/// Readdresses a packet that leaves by the interface with address `out` to the router where its TTL or a link's MTU ends its
/// path. `least_mtu` is the smallest MTU of all links.
pub(crate) fn limit_reach(
    (frame, out, least_mtu): (&DecodedPacket, Address, Bytes),
    pkt: &mut SimPacket,
    fabric: &mut SimFabric,
) {
    let is_large = frame.dont_fragment && pkt.size() > least_mtu;
    if u32::from(frame.ttl) > fabric.graph().router_count() && !is_large {
        return;
    }
    let links: Vec<LinkId> = fabric.links_on_way((out, pkt.destination), pkt.flow()).collect();
    let ends = |(hops, pair): &(usize, &[LinkId])| {
        usize::from(frame.ttl) <= *hops
            || is_large && pair.get(1).is_some_and(|next| pkt.size() > fabric.link(*next).mtu())
    };
    let stops = (1..).zip((0..links.len()).map(|first| &links[first..links.len().min(first + 2)]));
    let last = stops.into_iter().find(ends).map(|(_, pair)| fabric.graph().head(pair[0]));
    if let Some(address) = last.and_then(|router| fabric.graph().router_address(router)) {
        pkt.destination = address;
    }
}

/// Reason why a packet ends at the router that is its destination.
pub(crate) fn end_of(ip: &Ipv4Packet<&[u8]>, pkt: &SimPacket, fabric: &mut SimFabric) -> Option<PathEnd> {
    let (here, last) = (pkt.destination, Address(ip.dst().into()));
    if last == here {
        return Some(PathEnd::Here);
    }
    let flow = pkt.readdressed(last).flow();
    let passed = fabric.links_on_way((pkt.source, here), flow).count();
    if passed >= usize::from(ip.ttl()) {
        return Some(PathEnd::TimeToLive);
    }
    let next = fabric.links_on_way((here, last), flow).next()?;
    (pkt.size() > fabric.link(next).mtu()).then_some(PathEnd::TooBig(next))
}

/// Lowers the TTL of an arriving packet by the routers on its path.
pub(crate) fn lower_ttl(bytes: &mut [u8], pkt: &SimPacket, fabric: &mut SimFabric) {
    let links = fabric.links_on_way((pkt.source, pkt.destination), pkt.flow()).count();
    let Ok(mut ip) = Ipv4Packet::new_checked(bytes) else { return };
    let routers = u8::try_from(links.saturating_sub(1)).unwrap_or(u8::MAX);
    ip.set_ttl(ip.ttl().saturating_sub(routers).max(1));
}

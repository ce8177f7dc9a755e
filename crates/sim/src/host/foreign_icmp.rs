//! ICMP replies of simulated hosts and routers to foreign hosts' packets that belong to no flow: echo replies, port unreachable,
//! time exceeded, fragmentation needed.

use crate::foreign::reach::PathEnd;
use crate::foreign::reach::end_of;
use crate::host::hosts::World;
use crate::packet::flow_end::PacketOwner;
use crate::packet::frame_decode::DecodedPacket;
use crate::packet::frame_encode::bytes_of;
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use core::net::Ipv4Addr;
use tailrace_net::{Address, NodeId};
use tailrace_wire::{Ipv4Packet, icmp};

impl World {
    /// Handles a packet that ends at a router: addressed to it, or stopped by its TTL or the MTU.
    pub(crate) fn end_at_router(&mut self, node: NodeId, pkt: &SimPacket, fabric: &mut SimFabric) {
        let ip = pkt.frame(&self.options).and_then(|bytes| Ipv4Packet::new_checked(bytes).ok());
        let last = ip.as_ref().map_or(pkt.destination, |ip| Address(ip.dst().into()));
        let end = ip.map_or(Some(PathEnd::Here), |ip| end_of(&ip, pkt, fabric));
        if end == Some(PathEnd::Here) && pkt.is_damaged() {
            return self.discard(pkt, fabric.now());
        }
        if let Some(end) = end
            && let Some(sender) = self.foreign.sender_of(pkt, fabric.graph())
        {
            if end != PathEnd::Here || pkt.is_datagram() {
                self.answer_foreign((node, sender), (pkt, end), fabric);
            } else if let Some(reset) = pkt.segment(&self.options).refusal() {
                self.reply_foreign(pkt, &reset, fabric);
            }
        }
        match end {
            Some(PathEnd::Here) => pkt.release(&mut self.options),
            Some(PathEnd::TimeToLive) => {
                self.recorder.expired(self.flow_of(pkt), fabric.now());
                self.count_drop(pkt);
            }
            // The link drops and counts it; or routes have changed and the packet goes on.
            Some(PathEnd::TooBig(_)) | None => {
                fabric.send(pkt.destination, pkt.readdressed(last), self);
            }
        }
    }

    /// Answers a packet that ends at a simulated node, if nodes answer such packets.
    #[cold]
    pub(crate) fn answer_foreign(
        &mut self,
        (node, sender): (NodeId, usize),
        (pkt, end): (&SimPacket, PathEnd),
        fabric: &mut SimFabric,
    ) {
        let (mut bytes, mut answer) =
            (std::mem::take(&mut self.foreign.buffer), std::mem::take(&mut self.foreign.answer));
        bytes_of(pkt, &self.options, &mut bytes);
        let here = Ipv4Addr::from(pkt.destination.0);
        let errors = &mut self.foreign.nodes[sender].errors;
        let mut allowed = || errors.entry(node).or_default().allow(fabric.now());
        let answers = |ip: &Ipv4Packet<&[u8]>| match end {
            PathEnd::Here => {
                icmp::echo_reply(ip, &mut answer) || icmp::port_unreachable(ip, &mut answer) && allowed()
            }
            PathEnd::TimeToLive => icmp::time_exceeded(here, ip, &mut answer) && allowed(),
            // Not rate-limited (Linux `icmpv4_mask_allow`): without this error a sender would keep sending in vain.
            PathEnd::TooBig(link) => {
                let mtu = u16::try_from(fabric.link(link).mtu().0).unwrap_or(u16::MAX);
                icmp::fragmentation_needed((here, mtu), ip, &mut answer)
            }
        };
        if Ipv4Packet::new_checked(&bytes[..]).as_ref().is_ok_and(answers)
            && let Ok(frame) = DecodedPacket::decode(&answer)
        {
            let to = PacketOwner::foreign(sender);
            let pkt = SimPacket::foreign(&frame, (&answer, to), &mut self.options, fabric.now());
            self.captures.at_sender((pkt.source, fabric.graph()), &pkt, &self.options, fabric.now());
            fabric.send(pkt.source, pkt, self);
        }
        (self.foreign.buffer, self.foreign.answer) = (bytes, answer);
    }
}

//! What simulated hosts and routers answer to packets of foreign hosts that are for no flow: to echo requests, to datagrams for a
//! port that nobody has, and to what may go no further.

use crate::foreign::reach;
use crate::foreign::reach::End;
use crate::host::hosts::World;
use crate::packet::flow_end::Owner;
use crate::packet::frame_decode::Frame;
use crate::packet::frame_encode::bytes_of;
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use core::net::Ipv4Addr;
use tailrace_core::{Duration, Instant};
use tailrace_net::{Address, NodeId};
use tailrace_wire::{Ipv4Packet, icmp};

/// So often a host is told of an error by another; of six at once, if there was none before (Linux, `icmp_ratelimit` and `XRLIM_BURST_FACTOR`).
const ERROR_INTERVAL: Duration = Duration::from_secs(1);
const ERRORS_AT_ONCE: u64 = 6;

/// How many errors a host may be sent: Linux's token bucket (`inet_peer_xrlim_allow`).
#[derive(Debug)]
pub(super) struct Errors {
    credit: Duration,
    since: Instant,
}

impl Default for Errors {
    fn default() -> Self {
        Self { credit: MOST_CREDIT, since: Instant::ZERO }
    }
}

const MOST_CREDIT: Duration = Duration::from_nanos(ERRORS_AT_ONCE * ERROR_INTERVAL.as_nanos());

impl Errors {
    /// Whether another may be sent, which then counts as sent.
    fn allow(&mut self, now: Instant) -> bool {
        self.credit = MOST_CREDIT.min(self.credit + (now - self.since));
        self.since = now;
        let allowed = self.credit >= ERROR_INTERVAL;
        if allowed {
            self.credit = self.credit.saturating_sub(ERROR_INTERVAL);
        }
        allowed
    }
}

impl World {
    /// A packet has come to a router that it was addressed to, or sent to since it may go no further.
    pub(crate) fn end_at_router(&mut self, node: NodeId, pkt: &SimPacket, fabric: &mut SimFabric) {
        let ip = pkt.frame(&self.options).and_then(|bytes| Ipv4Packet::new_checked(bytes).ok());
        let last = ip.as_ref().map_or(pkt.destination, |ip| Address(ip.dst().into()));
        let end = ip.map_or(Some(End::Here), |ip| reach::end_of(&ip, pkt, fabric));
        if end == Some(End::Here) && pkt.is_damaged() {
            return self.discard(pkt, fabric.now());
        }
        if let Some(end) = end
            && let Some(sender) = self.foreign.sender_of(pkt, fabric.graph())
        {
            if end != End::Here || pkt.is_datagram() {
                self.answer_foreign((node, sender), (pkt, end), fabric);
            } else if let Some(reset) = pkt.segment(&self.options).refusal() {
                self.reply_foreign(pkt, &reset, fabric);
            }
        }
        match end {
            Some(End::Here) => pkt.release(&mut self.options),
            Some(End::TimeToLive) => {
                self.recorder.expired(self.flow_of(pkt), fabric.now());
                self.lose(pkt);
            }
            // The link refuses it, and counts that; or routes have changed, and the packet goes on.
            Some(End::TooBig(_)) | None => {
                fabric.send(pkt.destination, pkt.readdressed(last), self);
            }
        }
    }

    /// Answers a packet that comes to its end at a simulated node, if nodes answer such packets.
    #[cold]
    pub(crate) fn answer_foreign(
        &mut self,
        (node, sender): (NodeId, usize),
        (pkt, end): (&SimPacket, End),
        fabric: &mut SimFabric,
    ) {
        let (mut bytes, mut answer) =
            (std::mem::take(&mut self.foreign.buffer), std::mem::take(&mut self.foreign.answer));
        bytes_of(pkt, &self.options, &mut bytes);
        let here = Ipv4Addr::from(pkt.destination.0);
        let errors = &mut self.foreign.nodes[sender].errors;
        let mut allowed = || errors.entry(node).or_default().allow(fabric.now());
        let answers = |ip: &Ipv4Packet<&[u8]>| match end {
            End::Here => {
                icmp::echo_reply(ip, &mut answer) || icmp::port_unreachable(ip, &mut answer) && allowed()
            }
            End::TimeToLive => icmp::time_exceeded(here, ip, &mut answer) && allowed(),
            // As many as there are (Linux, `icmpv4_mask_allow`): without them a sender would go on for nothing.
            End::TooBig(link) => {
                let mtu = u16::try_from(fabric.link(link).mtu().0).unwrap_or(u16::MAX);
                icmp::fragmentation_needed((here, mtu), ip, &mut answer)
            }
        };
        if Ipv4Packet::new_checked(&bytes[..]).as_ref().is_ok_and(answers)
            && let Ok(frame) = Frame::decode(&answer)
        {
            let to = Owner::foreign(sender);
            let pkt = SimPacket::foreign(&frame, (&answer, to), &mut self.options, fabric.now());
            self.captures.at_sender((pkt.source, fabric.graph()), &pkt, &self.options, fabric.now());
            fabric.send(pkt.source, pkt, self);
        }
        (self.foreign.buffer, self.foreign.answer) = (bytes, answer);
    }
}

//! What simulated hosts answer to packets of foreign hosts that are for no flow: echo requests, and datagrams to a port that
//! nobody has.

use crate::frame::{Frame, bytes_of};
use crate::packet::{Owner, SimPacket};
use crate::world::{SimFabric, World};
use tailrace_core::{Duration, Instant};
use tailrace_wire::{Ipv4Packet, icmp};

/// So often a host is told of an error; of six at once, if there was none before (Linux, `icmp_ratelimit` and `XRLIM_BURST_FACTOR`).
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
    /// Answers a packet of no flow that a simulated host has received, if hosts answer such packets.
    #[cold]
    pub(crate) fn answer_foreign(&mut self, sender: usize, pkt: &SimPacket, fabric: &mut SimFabric) {
        let (mut bytes, mut answer) =
            (std::mem::take(&mut self.foreign.buffer), std::mem::take(&mut self.foreign.answer));
        bytes_of(pkt, &self.options, &mut bytes);
        let asks = |ip: &Ipv4Packet<&[u8]>| {
            icmp::echo_reply(ip, &mut answer)
                || icmp::port_unreachable(ip, &mut answer)
                    && self.foreign.nodes[sender].errors.allow(fabric.now())
        };
        if Ipv4Packet::new_checked(&bytes[..]).as_ref().is_ok_and(asks)
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

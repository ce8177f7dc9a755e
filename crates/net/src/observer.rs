//! Callbacks of links: what becomes of packets, and the operations on a packet that only its owner can do.

use crate::ids::{LinkId, NodeId};
use tailrace_core::{DropReason, Duration, FlowKey, Instant, Packet, SackRanges};

/// Observer of packets in the network. Packets that are dropped or cannot be routed are handed to it.
pub trait Observer<P: Packet> {
    /// A link dropped `pkt`.
    fn dropped(&mut self, link: LinkId, pkt: P, reason: DropReason, at: Instant);
    /// A link's queue marked `pkt`.
    fn marked(&mut self, link: LinkId, pkt: &P, at: Instant);
    /// A router had no route for `pkt`.
    fn unroutable(&mut self, node: NodeId, pkt: P, at: Instant);
    /// A classifier singled out or cleared a flow.
    fn flagged(&mut self, _link: LinkId, _flow: FlowKey, _flagged: bool, _at: Instant) {}
    /// A watched link starts to send `pkt`, which waited for `sojourn`.
    fn transmitted(&mut self, _link: LinkId, _pkt: &P, _sojourn: Duration, _at: Instant) {}
    /// A link that reports departures has begun to send `pkt`, whose last bit leaves at `ends`. It says so late, but before
    /// anything else is done to the link (see [`Fabric::settle`]).
    fn left(&mut self, _link: LinkId, _pkt: &P, _ends: Instant) {}
}

/// Operations on packets that links ask for and that need more than the packet's header.
pub trait PacketOps<P: Packet>: Observer<P> {
    /// The SACK option of `pkt`, which says that it is kept apart.
    fn sack(&self, _pkt: &P) -> Option<SackRanges> {
        None
    }
    /// A copy of `pkt`, as a link makes that delivers it twice; none where there can be no such.
    fn duplicate(&mut self, _link: LinkId, _pkt: &P) -> Option<P> {
        None
    }
    /// A link has damaged bits of `pkt`, which goes on where it goes: its receiver finds out.
    fn damage(&mut self, _link: LinkId, _pkt: &mut P) {}
    /// `pkt` has crossed a link whose middlebox may change its headers; not where it goes.
    fn through_middlebox(&mut self, _link: LinkId, _pkt: &mut P) {}
}

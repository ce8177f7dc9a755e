//! The hosts at the fabric's edge.

use crate::fabric::Fabric;
use crate::ids::{NodeId, TimerId};
use crate::observer::PacketOps;
use tailrace_core::Packet;

/// All hosts in one, with what they know of their packets and the fabric does not.
pub trait Hosts<P: Packet>: PacketOps<P> {
    /// `pkt` has reached `node`, which is not a router.
    fn receive(&mut self, node: NodeId, pkt: P, fabric: &mut Fabric<P>);
    /// `pkt` has come to the router that it was addressed to, where its way ends.
    fn receive_at_router(&mut self, node: NodeId, pkt: P, fabric: &mut Fabric<P>) {
        self.unroutable(node, pkt, fabric.now);
    }
    /// A timer set with [`Fabric::wake_at`] is due.
    fn wake(&mut self, timer: TimerId, fabric: &mut Fabric<P>);
    /// `pkt` will be received soon: a chance to load what that will need. Nothing may depend on it.
    fn expect(&self, _pkt: &P) {}
    /// `pkt` is at `node`, the gateway that it was addressed to: gives it its next destination, if it has one
    /// (RFC 791 §3.1, loose source and record route). Not for ever: a packet has a last stop.
    fn next_stop(&mut self, _node: NodeId, _pkt: &mut P) -> bool {
        false
    }
}

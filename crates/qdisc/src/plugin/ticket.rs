//! Tickets that stand for packets in a queue of a plug-in, and the store of the packets meanwhile.

use tailrace_core::{Bytes, Dscp, Ecn, FlowKey, Label, Packet, TcpAck};

/// Stands for one packet, says of it what a discipline may know, and takes what a discipline may change. There is one of
/// each packet, so it cannot be copied.
#[derive(Debug)]
pub struct Ticket {
    slot: usize,
    size: Bytes,
    flow: FlowKey,
    ecn: Ecn,
    dscp: Dscp,
    tcp_ack: Option<TcpAck>,
    label: Label,
}

impl Packet for Ticket {
    fn size(&self) -> Bytes {
        self.size
    }
    fn flow(&self) -> FlowKey {
        self.flow
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn dscp(&self) -> Dscp {
        self.dscp
    }
    fn set_dscp(&mut self, dscp: Dscp) {
        self.dscp = dscp;
    }
    fn tcp_ack(&self) -> Option<TcpAck> {
        self.tcp_ack
    }
    fn label(&self) -> Label {
        self.label
    }
    fn set_label(&mut self, label: Label) {
        self.label = label;
    }
}

/// The packets whose tickets wait.
#[derive(Debug)]
pub(super) struct Waiting<P> {
    packets: Vec<Option<P>>,
    free: Vec<usize>,
}

impl<P> Default for Waiting<P> {
    fn default() -> Self {
        Self { packets: Vec::new(), free: Vec::new() }
    }
}

impl<P: Packet> Waiting<P> {
    /// Keeps a packet.
    pub(super) fn issue(&mut self, packet: P) -> Ticket {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.packets.push(None);
            self.packets.len() - 1
        });
        let ticket = Ticket {
            slot,
            size: packet.size(),
            flow: packet.flow(),
            ecn: packet.ecn(),
            dscp: packet.dscp(),
            tcp_ack: packet.tcp_ack(),
            label: packet.label(),
        };
        self.packets[slot] = Some(packet);
        ticket
    }

    /// Gives a packet back, with what was done to its ticket.
    pub(super) fn redeem(&mut self, ticket: Ticket) -> P {
        self.renewed(&ticket);
        self.free.push(ticket.slot);
        self.packets[ticket.slot].take().expect("a ticket is redeemed where it was issued")
    }

    /// The packet of a ticket, with what was done to that so far.
    pub(super) fn renewed(&mut self, ticket: &Ticket) -> &P {
        let packet = self.packets[ticket.slot].as_mut().expect("a ticket stands for a packet");
        if ticket.ecn == Ecn::Ce && packet.ecn() != Ecn::Ce {
            packet.set_ce();
        }
        if ticket.dscp != packet.dscp() {
            packet.set_dscp(ticket.dscp);
        }
        if ticket.label != packet.label() {
            packet.set_label(ticket.label);
        }
        packet
    }

    /// The packet of a ticket as it came.
    pub(super) fn of(&self, ticket: &Ticket) -> &P {
        self.packets[ticket.slot].as_ref().expect("a ticket stands for a packet")
    }
}

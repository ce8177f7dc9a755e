//! Flows over UDP with ends at foreign hosts: their datagrams leave by sockets of the host, and are heard of there.

use crate::foreign::Order;
use crate::foreign::socket::{DatagramSocket, FlowSockets, SocketCommand, SocketOrder};
use crate::foreign::sockets::pair_of;
use crate::host::flow::Flow;
use crate::host::hosts::World;
use crate::packet::envelope::Envelope;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimFabric;
use core::net::SocketAddrV4;
use tailrace_app::Datagram;
use tailrace_core::Ecn;
use tailrace_transport::mptcp::Tuple;

impl FlowSockets {
    /// One socket for all datagrams of an address and port.
    pub(super) fn add(&mut self, socket: DatagramSocket) {
        match self.datagrams.iter_mut().find(|other| other.at == socket.at) {
            Some(same) => same.is_heard |= socket.is_heard,
            None => self.datagrams.push(socket),
        }
    }
}

/// The socket at an end of a flow over UDP.
pub(super) fn socket_of(end: &Envelope, ecn: Ecn, is_heard: bool) -> DatagramSocket {
    let at = SocketAddrV4::new(end.source.0.into(), end.source_port);
    DatagramSocket { at, traffic_class: end.dscp.0 << 2 | ecn as u8, is_heard }
}

impl World {
    /// Lets the foreign host at an end of a flow over UDP send a datagram; false where no host has sockets there.
    #[cold]
    pub(crate) fn send_by_socket(
        &mut self,
        end: FlowEnd,
        datagram: Datagram,
        fabric: &mut SimFabric,
    ) -> bool {
        let Flow { ends, .. } = &self.flows[end.flow()];
        let envelope = &ends[usize::from(end.is_server())];
        let Some(host) = self.foreign.with_sockets(envelope.source) else { return false };
        let Datagram { payload, stamp } = datagram;
        let (socket, order) = (pair_of(&envelope.tuple()), SocketOrder::Send { payload, stamp });
        self.foreign.hosts[host].orders.push_back(Order::Socket(SocketCommand { socket, order }));
        self.wake_for_orders(host, fabric);
        true
    }

    /// A datagram has come to a foreign host's socket whose application wants to hear of it.
    pub(super) fn hear_foreign_datagram(
        &mut self,
        tuple: &Tuple,
        datagram: Datagram,
        fabric: &mut SimFabric,
    ) {
        if let Some(end) = self.foreign_end(tuple, true) {
            self.tell_datagram(end, datagram, fabric);
        }
    }
}

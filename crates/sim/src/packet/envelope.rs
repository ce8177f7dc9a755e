//! Addressing of one end of a flow or connection.

use crate::packet::flow_end::FlowEnd;
use crate::packet::socket_id::SocketId;
use tailrace_core::Dscp;
use tailrace_net::Address;
use tailrace_transport::mptcp;

/// Addresses, ports and traffic class of one end of a flow, as its packets carry them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    pub(crate) source: Address,
    pub(crate) destination: Address,
    pub(crate) source_port: u16,
    pub(crate) destination_port: u16,
    pub(crate) dscp: Dscp,
    /// Peer end of the flow.
    pub(crate) to: FlowEnd,
    /// Peer socket, once known.
    pub(crate) peer: SocketId,
}

impl Envelope {
    /// Addresses and ports, this end's first.
    pub(crate) fn tuple(&self) -> mptcp::Tuple {
        mptcp::Tuple {
            local: self.source.0,
            remote: self.destination.0,
            local_port: self.source_port,
            remote_port: self.destination_port,
        }
    }
}

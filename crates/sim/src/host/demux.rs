//! Demultiplexing of segments: by addresses and ports; else to a listener; else a RST goes back (RFC 9293 §3.10.7).
//!
//! Most packets carry the id of their socket (`sockets`) and skip this.

use crate::host::accounting::keep_early_bytes;
use crate::host::endpoint::Endpoint;
use crate::host::flow::FlowTransport;
use crate::host::hosts::World;
use crate::host::sockets::Socket;
use crate::packet::envelope::Envelope;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use tailrace_app::EndpointRole;
use tailrace_core::Dscp;
use tailrace_net::NodeId;
use tailrace_transport::mptcp::Mptcp;
use tailrace_transport::mptcp::option::Signal;
use tailrace_transport::{Segment, TimeWaitAnswer};

impl World {
    /// Socket for a segment without a valid socket id. `None` if the segment has been answered or dropped; the caller releases
    /// its arena entries.
    #[cold]
    pub(crate) fn demultiplex(&mut self, pkt: &SimPacket, fabric: &mut SimFabric) -> Option<SocketId> {
        let (tuple, now) = (pkt.tuple(), fabric.now());
        if let Some(id) = self.sockets.find(&tuple).or_else(|| self.connection_of(pkt)) {
            return Some(id);
        }
        let segment = pkt.segment(&self.options);
        if self.time_wait.has(&tuple, now) && !self.answer_in_time_wait(pkt, &segment, fabric) {
            return None;
        }
        if pkt.is_syn() && self.listens(pkt) {
            return self.accept(pkt, fabric);
        }
        if let Some(reset) = segment.refusal() {
            self.reply(pkt, (reset, SocketId::NONE), fabric);
        }
        None
    }

    /// MPTCP connection that a foreign host's segment belongs to: on a further subflow, or a join.
    fn connection_of(&self, pkt: &SimPacket) -> Option<SocketId> {
        let end = pkt.to.end().filter(|_| pkt.has_bytes(&self.options))?;
        let token = match pkt.mptcp(&self.options).signal {
            Some(Signal::JoinSyn { token, .. }) => Some(token),
            _ => None,
        };
        let takes = |id: &&SocketId| {
            let socket = self.sockets.get(**id).filter(|socket| socket.end() == end);
            let connection = socket.and_then(|socket| socket.endpoint.as_mptcp());
            connection.is_some_and(|c| c.has_subflow(&pkt.tuple()) || token == Some(c.token()))
        };
        self.flows[end.flow()].sockets.iter().find(takes).copied()
    }

    /// Answers a segment for a connection in TIME-WAIT; true if it may open a new connection.
    fn answer_in_time_wait(&mut self, pkt: &SimPacket, segment: &Segment, fabric: &mut SimFabric) -> bool {
        let (tuple, now) = (pkt.tuple(), fabric.now());
        let Some(flow) = self.flows.get(pkt.to.flow()) else { return false };
        let FlowTransport::Streams(streams) = &flow.carrier else { return false };
        let keep = streams.plan.time_wait();
        let Some(stub) = self.time_wait.get_mut(&tuple, now) else { return false };
        let peer = stub.peer;
        match stub.wait.handle_segment(segment, keep, now) {
            TimeWaitAnswer::Silence => false,
            TimeWaitAnswer::Reply(reply) => {
                self.reply(pkt, (reply, peer), fabric);
                false
            }
            TimeWaitAnswer::Over => {
                self.time_wait.remove(&tuple);
                false
            }
            TimeWaitAnswer::Reopen => {
                self.time_wait.remove(&tuple);
                true
            }
        }
    }

    /// Whether a server listens at the destination of a SYN. A join of MPTCP needs an existing connection.
    fn listens(&self, pkt: &SimPacket) -> bool {
        let Some(end) = pkt.to.end() else { return false };
        let flow = &self.flows[end.flow()];
        let joins = matches!(pkt.mptcp(&self.options).signal, Some(Signal::JoinSyn { .. }));
        let listens = end.is_server() && matches!(flow.carrier, FlowTransport::Streams(_));
        listens && !joins && flow.ends[1].source_port == pkt.destination_port
    }

    /// Creates the server's socket of a new connection.
    fn accept(&mut self, pkt: &SimPacket, fabric: &SimFabric) -> Option<SocketId> {
        let client = self.sockets.find(&pkt.tuple().reversed());
        let flow = &mut self.flows[pkt.to.flow()];
        let envelope =
            Envelope { peer: client.unwrap_or(SocketId::NONE), ..pkt.reply_envelope(flow.ends[1]) };
        let FlowTransport::Streams(streams) = &mut flow.carrier else { return None };
        let seed = streams.next_seed();
        let mut endpoint = streams.plan.simulated()?.endpoint(false, envelope.tuple(), seed, fabric.now());
        if streams.reader == Some(EndpointRole::Server) {
            endpoint.await_reads();
        }
        let header = flow.header;
        Some(self.insert_server(Socket::new(endpoint, envelope, header), fabric))
    }

    /// Inserts the server's socket of a new connection, and links it with the client's socket, if there is one.
    pub(crate) fn insert_server(&mut self, mut socket: Socket, fabric: &SimFabric) -> SocketId {
        let client = socket.envelope.peer;
        socket.record = self.sockets.get(client).map_or(socket.record, |client| client.record);
        let id = self.insert(socket, fabric);
        if let Some(client) = self.sockets.get_mut(client) {
            client.envelope.peer = id;
        }
        id
    }

    /// Sends a segment back to the sender of `to`.
    fn reply(&mut self, to: &SimPacket, (segment, peer): (Segment, SocketId), fabric: &mut SimFabric) {
        let Some(end) = to.to.end() else { return self.reply_foreign(to, &segment, fabric) };
        let flow = &self.flows[end.flow()];
        let envelope = Envelope { peer, ..to.reply_envelope(flow.ends[usize::from(end.is_server())]) };
        let pkt = SimPacket::tcp(&envelope, &segment, flow.header, &mut self.options, fabric.now());
        self.send(end, pkt, fabric);
    }

    /// Sends a segment back to a foreign host whose segment belongs to no flow.
    #[cold]
    pub(crate) fn reply_foreign(&mut self, to: &SimPacket, segment: &Segment, fabric: &mut SimFabric) {
        let nobody = Envelope {
            source: to.destination,
            destination: to.source,
            source_port: 0,
            destination_port: 0,
            dscp: Dscp(0),
            to: FlowEnd(0),
            peer: SocketId::NONE,
        };
        let envelope = to.reply_envelope(nobody);
        let mut pkt = SimPacket::tcp(&envelope, segment, None, &mut self.options, fabric.now());
        pkt.to = to.to;
        self.captures.at_sender((pkt.source, fabric.graph()), &pkt, &self.options, fabric.now());
        fabric.send(pkt.source, pkt, self);
    }

    /// Inserts a new socket, and tells an MPTCP connection its hosts' addresses.
    pub(crate) fn insert(&mut self, socket: Socket, fabric: &SimFabric) -> SocketId {
        let (end, host) = (socket.end(), host_of(&socket, fabric));
        let (id, socket) = self.sockets.insert(socket, host);
        let flow = &mut self.flows[end.flow()];
        socket.position = flow.sockets.len() as u32;
        flow.sockets.push(id);
        if let Endpoint::Mptcp(connection) = &mut socket.endpoint {
            add_local_addresses(connection, &socket.envelope, fabric);
        }
        id
    }

    /// Releases a socket: its counters go to its flow, its place becomes free, and TIME-WAIT entries answer old segments.
    pub(crate) fn release(&mut self, id: SocketId, fabric: &SimFabric) {
        let Some(socket) = self.sockets.get(id) else { return };
        let (end, host, position) = (socket.end(), host_of(socket, fabric), socket.position as usize);
        self.time_wait.leave(socket, fabric.now());
        self.connection_log.on_end_closed(socket.record, end, socket.endpoint.end_counters());
        keep_early_bytes(&mut self.baselines, socket);
        let flow = &mut self.flows[end.flow()];
        flow.retired.add(&socket.endpoint, flow.is_sender(end));
        if let (FlowTransport::Streams(streams), false) = (&mut flow.carrier, end.is_server()) {
            streams.failed += u32::from(socket.has_failed());
            if let Endpoint::Mptcp(connection) = &socket.endpoint {
                streams.ports.skip_past(connection.last_port());
            }
        }
        flow.sockets.swap_remove(position);
        if let Some(moved) = flow.sockets.get(position).and_then(|id| self.sockets.get_mut(*id)) {
            moved.position = position as u32;
        }
        self.sockets.remove(id, host);
    }
}

/// Host of an MPTCP socket, for news of the host's interfaces.
fn host_of(socket: &Socket, fabric: &SimFabric) -> Option<NodeId> {
    matches!(socket.endpoint, Endpoint::Mptcp(_)).then(|| fabric.graph().owner(socket.envelope.source))?
}

/// Tells an MPTCP connection its host's other addresses.
fn add_local_addresses(connection: &mut Mptcp, envelope: &Envelope, fabric: &SimFabric) {
    let (own, peer) = (envelope.source, envelope.destination);
    let graph = fabric.graph();
    let Some(host) = graph.owner(own) else { return };
    connection.set_interfaces(graph.addresses(host).map(|a| a.0), fabric.now());
    if let Some(host) = graph.owner(peer) {
        connection.set_peer_interfaces(graph.addresses(host).map(|a| a.0), fabric.now());
    }
    for address in graph.addresses(host).filter(|a| *a != own && graph.is_usable(*a)) {
        connection.local_up(address.0, fabric.now());
    }
}

//! Flows with ends at foreign hosts: actions of their applications go to the host as socket commands, and its reports go to the
//! applications.

use crate::foreign::host::HostError;
use crate::foreign::hosts::HostCommand;
use crate::foreign::hosts::StackScope;
use crate::foreign::socket::DatagramSocket;
use crate::foreign::socket::FlowSockets;
use crate::foreign::socket::QuicListener;
use crate::foreign::socket::SocketCommand;
use crate::foreign::socket::SocketEvent;
use crate::foreign::socket::SocketOperation;
use crate::foreign::socket::SocketPair;
use crate::foreign::socket::SocketReport;
use crate::host::endpoint::Endpoint;
use crate::host::flow::Flow;
use crate::host::flow::FlowTransport;
use crate::host::hosts::World;
use crate::host::sockets::Socket;
use crate::host::timer::Timer;
use crate::packet::envelope::Envelope;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimFabric;
use crate::packet::socket_id::SocketId;
use core::net::SocketAddrV4;
use tailrace_app::{Datagram, EndpointRole};
use tailrace_core::Ecn;
use tailrace_net::Address;
use tailrace_transport::mptcp::Tuple;
use tailrace_transport::quic::QuicStack;

impl World {
    /// Whether a foreign host itself decides what it sends for a flow: it has no sockets for it.
    pub(crate) fn is_driven_by_foreign_host(&self, flow: usize) -> bool {
        let Some(flow) = self.flows.get(flow) else { return false };
        let (source, scope) = (flow.ends[0].source, flow.carrier.scope());
        self.foreign.has(source, scope) && self.foreign.with_sockets(source, scope).is_none()
    }

    /// Passes the commands that an application queued at its foreign socket to the host.
    #[cold]
    pub(crate) fn pass_socket_commands(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let Some(socket) = self.sockets.live(id) else { return };
        let (pair, scope) = (pair_of(&socket.tuple()), self.flows[socket.end().flow()].carrier.scope());
        let Some(host) = self.foreign.with_sockets(socket.envelope.source, scope) else { return };
        let Endpoint::Remote(remote) = &mut socket.endpoint else { return };
        let attached = &mut self.foreign.hosts[host];
        while let Some(order) = remote.poll_command() {
            attached.orders.push_back(HostCommand::Socket(SocketCommand { socket: pair, order }));
        }
        self.wake_for_commands(host, fabric);
    }

    /// Schedules a wake-up for queued commands, unless the host is being served. It is not called at once because the caller
    /// still works on the socket.
    pub(crate) fn wake_for_commands(&mut self, host: usize, fabric: &mut SimFabric) {
        let attached = &mut self.foreign.hosts[host];
        if !attached.is_served && attached.armed > fabric.now() {
            attached.armed = fabric.now();
            fabric.wake_at(fabric.now(), Timer::App(self.flows.len() + host).id());
        }
    }

    /// Passes the next command to a host; false if there is none.
    pub(crate) fn pass_next_command(&mut self, host: usize, fabric: &mut SimFabric) -> bool {
        let attached = &mut self.foreign.hosts[host];
        let Some(order) = attached.orders.pop_front() else { return false };
        let now = fabric.now();
        // A host with more commands for this time must not run ahead of them.
        let horizon = if attached.orders.is_empty() { attached.horizon(fabric) } else { now };
        let own = &mut attached.host;
        let told = own.run_until(now, now).and_then(|()| match &order {
            HostCommand::Socket(command) => own.command(command),
            HostCommand::Addresses(changed) => own.addresses_changed(changed),
        });
        // The host executes each command before the next, so that none waits for room in its queue.
        if let Err(error) = told.and_then(|()| own.run_until(now, horizon)) {
            self.foreign.fail(host, now, error);
            return false;
        }
        true
    }

    /// Handles the next report of a host's sockets; false if there is none.
    pub(crate) fn handle_socket_report(&mut self, host: usize, fabric: &mut SimFabric) -> bool {
        let Some(SocketEvent { socket, report }) = self.foreign.hosts[host].host.poll_socket() else {
            return false;
        };
        if let SocketReport::Failed(why) = report {
            self.foreign.fail(host, fabric.now(), HostError(why));
            return false;
        }
        let tuple = tuple_of(&socket);
        if let SocketReport::Datagram { payload, stamp } = report {
            self.on_foreign_datagram(&tuple, Datagram { payload, stamp }, fabric);
            return true;
        }
        let id = match report {
            SocketReport::Accepted => self.accept_remote(tuple, fabric),
            _ => self.sockets.find(&tuple),
        };
        let in_datagrams = self.foreign.hosts[host].scope != StackScope::Host;
        if let SocketReport::Wrong(bytes) = report {
            let end = id.and_then(|id| self.sockets.get(id)).map(Socket::end);
            if let Some(end) = end.or_else(|| self.foreign_end(&tuple, in_datagrams)) {
                self.foreign.contents.count(end.flow(), bytes);
            }
            return true;
        }
        // A finished flow has released its sockets, but the host may still report on them.
        let Some(id) = id else { return true };
        let Some(end) = self.sockets.get(id).map(Socket::end) else { return true };
        if let Some(Socket { endpoint: Endpoint::Remote(remote), .. }) = self.sockets.get_mut(id) {
            remote.on_report(&report);
            let lacks_timeouts = remote.lacks_timeouts();
            if let SocketReport::Counted(figures) = &report {
                let measured =
                    figures.subflows.iter().map(|one| one.view).filter(|view| view.rtt_samples > 0);
                measured.for_each(|view| self.count_rtt(end.flow(), view.smoothed_rtt));
            }
            self.flows[end.flow()].lacks_timeouts |= lacks_timeouts;
            self.serve_socket(id, fabric);
        }
        true
    }

    /// Sends a datagram from the foreign host at an end of a UDP flow; false if that host has no sockets.
    #[cold]
    pub(crate) fn send_by_socket(
        &mut self,
        end: FlowEnd,
        datagram: Datagram,
        fabric: &mut SimFabric,
    ) -> bool {
        let Flow { ends, carrier, .. } = &self.flows[end.flow()];
        let envelope = &ends[usize::from(end.is_server())];
        let Some(host) = self.foreign.with_sockets(envelope.source, carrier.scope()) else { return false };
        let Datagram { payload, stamp } = datagram;
        let (socket, order) = (pair_of(&envelope.tuple()), SocketOperation::Send { payload, stamp });
        self.foreign.hosts[host].orders.push_back(HostCommand::Socket(SocketCommand { socket, order }));
        self.wake_for_commands(host, fabric);
        true
    }

    /// Passes a datagram received by a foreign host's socket to an application that listens for datagrams.
    pub(crate) fn on_foreign_datagram(&mut self, tuple: &Tuple, datagram: Datagram, fabric: &mut SimFabric) {
        if let Some(end) = self.foreign_end(tuple, true) {
            self.dispatch_datagram(end, datagram, fabric);
        }
    }

    /// Creates the proxy of a server socket that a foreign host has accepted.
    fn accept_remote(&mut self, tuple: Tuple, fabric: &SimFabric) -> Option<SocketId> {
        let end = *self.foreign.ends.get(&Tuple { remote_port: 0, ..tuple })?;
        let client = self.sockets.find(&tuple.reversed());
        let flow = &self.flows[end.flow()];
        let envelope = Envelope {
            source: Address(tuple.local),
            destination: Address(tuple.remote),
            destination_port: tuple.remote_port,
            peer: client.unwrap_or(SocketId::NONE),
            ..flow.ends[1]
        };
        let (endpoint, header) = (Endpoint::Remote(Box::default()), flow.header);
        Some(self.insert_server(Socket::new(endpoint, envelope, header), fabric))
    }

    /// Sockets that flows need at the host with these addresses, including the addresses that replace them. MPTCP joins may come
    /// to any address: a host that accepts joins listens at all.
    pub(crate) fn flow_sockets(&self, addresses: &[Address]) -> FlowSockets {
        let mut all = FlowSockets::default();
        for flow in self.flows.iter().filter(|flow| flow.carrier.scope() == StackScope::Host) {
            let [client, server] = &flow.ends;
            let streams = match &flow.carrier {
                FlowTransport::Streams(streams) => streams,
                FlowTransport::Datagrams(udp) => {
                    let own = flow.ends.iter().filter(|end| addresses.contains(&end.source));
                    for socket in own.map(|end| socket_of(end, udp.ecn, flow.listens)) {
                        self.at_all_times(socket.at).for_each(|at| all.add(DatagramSocket { at, ..socket }));
                    }
                    continue;
                }
            };
            all.connects |= addresses.contains(&client.source);
            if addresses.contains(&server.source) {
                let at = SocketAddrV4::new(server.source.0.into(), server.source_port);
                let mut kind = streams.plan.socket_kind(flow.listens, server.dscp);
                kind.waits_for_reads = streams.reader == Some(EndpointRole::Server);
                if kind.multipath {
                    all.listen(at, kind);
                } else {
                    self.at_all_times(at).for_each(|at| all.listen(at, kind.clone()));
                }
            }
        }
        all
    }

    /// Listening addresses of flows over a QUIC stack at the host with these addresses, for all addresses that both ends have during
    /// the run.
    pub(crate) fn quic_listeners(&self, addresses: &[Address], stack: QuicStack) -> Vec<QuicListener> {
        let mut all = Vec::new();
        for flow in self.flows.iter().filter(|flow| flow.carrier.scope() == StackScope::Quic(stack)) {
            let ([client, server], FlowTransport::Streams(streams)) = (&flow.ends, &flow.carrier) else {
                continue;
            };
            if !addresses.contains(&server.source) {
                continue;
            }
            let mut kind = streams.plan.socket_kind(flow.listens, server.dscp);
            kind.waits_for_reads = streams.reader == Some(EndpointRole::Server);
            for at in self.at_all_times(SocketAddrV4::new(server.source.0.into(), server.source_port)) {
                let clients = self.options.address_changes.all(client.source);
                let of = |client: Address| QuicListener { at, client: client.0.into(), kind: kind.clone() };
                all.extend(clients.map(of));
            }
        }
        all
    }

    /// The port at all addresses that the interface has during the run.
    fn at_all_times(&self, at: SocketAddrV4) -> impl Iterator<Item = SocketAddrV4> + '_ {
        let all = self.options.address_changes.all(Address((*at.ip()).into()));
        all.map(move |address| SocketAddrV4::new(address.0.into(), at.port()))
    }
}

pub(crate) fn pair_of(tuple: &Tuple) -> SocketPair {
    let at = |address: u32, port| SocketAddrV4::new(address.into(), port);
    SocketPair { local: at(tuple.local, tuple.local_port), remote: at(tuple.remote, tuple.remote_port) }
}

fn tuple_of(pair: &SocketPair) -> Tuple {
    let (local, remote) = (u32::from(*pair.local.ip()), u32::from(*pair.remote.ip()));
    Tuple { local, remote, local_port: pair.local.port(), remote_port: pair.remote.port() }
}

/// Datagram socket at an end of a UDP flow.
pub(crate) fn socket_of(end: &Envelope, ecn: Ecn, is_heard: bool) -> DatagramSocket {
    let at = SocketAddrV4::new(end.source.0.into(), end.source_port);
    DatagramSocket { at, traffic_class: end.dscp.0 << 2 | ecn as u8, is_heard }
}

//! A host's QUIC stack: its sockets, timers and packets between simulator and implementation.

mod connection;
mod packets;

use self::connection::QuicConnection;
use self::packets::{Outbox, Place};
use crate::clock::Clock;
use crate::sample_times::SampleTimes;
use crate::stack::{ArrivedDatagram, Received, Stack};
use core::net::{Ipv4Addr, SocketAddrV4};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use tailrace_core::packet::protocol;
use tailrace_core::{Instant, Rng};
use tailrace_sim::{
    ForeignHost, HostError, QuicListener, SocketCommand, SocketEvent, SocketKind, SocketOperation, SocketPair,
};
use tailrace_transport::quic::QuicPlan;
use tailrace_wire::{Ipv4Packet, UdpPacket};

/// A host's sockets of one implementation of QUIC.
pub(crate) struct QuicHost<S: Stack> {
    now: Instant,
    clock: Clock,
    rng: Rng,
    samples: SampleTimes,
    /// Present addresses, in the order of the interfaces.
    addresses: Vec<Ipv4Addr>,
    /// Options of each group's connections.
    configs: Vec<(Arc<QuicPlan>, S::Config)>,
    listeners: BTreeMap<(u16, Ipv4Addr), SocketKind>,
    endpoints: Vec<UdpSocket<S>>,
    ports: BTreeMap<u16, usize>,
    connections: Vec<Option<QuicConnection<S>>>,
    by_pair: BTreeMap<(SocketAddrV4, SocketAddrV4), usize>,
    timers: BTreeSet<(Instant, usize)>,
    events: VecDeque<SocketEvent>,
    outbox: Outbox,
    /// Bytes of datagrams that are being made.
    buffer: Vec<u8>,
}

/// A UDP socket, whose connections share an endpoint.
struct UdpSocket<S: Stack> {
    endpoint: S::Endpoint,
    by_handle: BTreeMap<S::Handle, usize>,
}

impl<S: Stack> QuicHost<S> {
    /// A host that listens for the connections of all flows that lead to it.
    pub(crate) fn new(
        addresses: Vec<Ipv4Addr>,
        listeners: Vec<QuicListener>,
        samples: SampleTimes,
        rng: Rng,
    ) -> Self {
        let ports: BTreeSet<u16> = listeners.iter().map(|listener| listener.at.port()).collect();
        let mut host = Self {
            now: Instant::ZERO,
            clock: Clock::new(),
            rng,
            samples,
            addresses,
            configs: Vec::new(),
            listeners: BTreeMap::new(),
            endpoints: Vec::new(),
            ports: BTreeMap::new(),
            connections: Vec::new(),
            by_pair: BTreeMap::new(),
            timers: BTreeSet::new(),
            events: VecDeque::new(),
            outbox: Outbox::default(),
            buffer: Vec::new(),
        };
        for listener in listeners {
            host.listeners.insert((listener.at.port(), listener.client), listener.kind);
        }
        ports.into_iter().for_each(|port| _ = host.bind(port));
        host
    }

    /// Socket at a port; if flows lead there, it accepts connections.
    fn bind(&mut self, port: u16) -> usize {
        if let Some(socket) = self.ports.get(&port) {
            return *socket;
        }
        let first = self.listeners.range((port, Ipv4Addr::UNSPECIFIED)..=(port, Ipv4Addr::BROADCAST)).next();
        let plan = first.and_then(|(_, kind)| kind.quic.clone());
        let server = plan.map(|plan| self.config(&plan));
        let mut rng = Rng::new(self.rng.next_u64());
        let endpoint = S::endpoint(server.map(|at| &self.configs[at].1), &mut rng);
        let socket = self.endpoints.len();
        self.endpoints.push(UdpSocket { endpoint, by_handle: BTreeMap::new() });
        self.ports.insert(port, socket);
        socket
    }

    /// Place of a plan's options.
    fn config(&mut self, plan: &Arc<QuicPlan>) -> usize {
        if let Some(at) = self.configs.iter().position(|(known, _)| Arc::ptr_eq(known, plan)) {
            return at;
        }
        let config = S::config(plan, self.clock, &mut self.rng);
        self.configs.push((Arc::clone(plan), config));
        self.configs.len() - 1
    }

    fn connect(&mut self, pair: SocketPair, kind: &SocketKind) -> Result<(), HostError> {
        let Some(plan) = &kind.quic else {
            return Err(HostError("a flow over TCP has come to a QUIC stack".into()));
        };
        let (config, socket) = (self.config(plan), self.bind(pair.local.port()));
        let now = self.clock.to_stack(self.now);
        let mut first_id = [0; 16];
        first_id.chunks_mut(8).for_each(|part| part.copy_from_slice(&self.rng.next_u64().to_be_bytes()));
        let endpoint = &mut self.endpoints[socket].endpoint;
        let opened = S::connect(endpoint, &self.configs[config].1, (pair.remote, first_id), now);
        let (handle, inner) = opened.map_err(HostError)?;
        self.insert(QuicConnection::new((inner, handle), (socket, pair), kind, true));
        Ok(())
    }

    /// Adds a connection, and lets it do what it can.
    fn insert(&mut self, connection: QuicConnection<S>) {
        let number = self.connections.len();
        self.endpoints[connection.socket].by_handle.insert(connection.handle, number);
        self.by_pair.insert((connection.pair.local, connection.pair.remote), number);
        self.connections.push(Some(connection));
        self.serve(number);
    }

    /// Lets a connection do all that it can at this time, and arms its timer.
    fn serve(&mut self, number: usize) {
        let now = self.clock.to_stack(self.now);
        let Some(mut connection) = self.connections[number].take() else { return };
        loop {
            let endpoint = &mut self.endpoints[connection.socket].endpoint;
            let exchanged = S::exchange(endpoint, connection.handle, &mut connection.inner);
            let heard = connection.handle_events(&mut self.events);
            connection.write();
            connection.close_if_over(now, &mut self.events);
            if !(self.transmit(&mut connection) | exchanged | heard) {
                break;
            }
        }
        let next = S::poll_timeout(&mut connection.inner).map(|at| self.deadline(at, &connection));
        if connection.armed != next {
            connection.armed.map(|at| self.timers.remove(&(at, number)));
            next.map(|at| self.timers.insert((at, number)));
            connection.armed = next;
        }
        if S::is_drained(&connection.inner) {
            connection.armed.map(|at| self.timers.remove(&(at, number)));
            self.endpoints[connection.socket].by_handle.remove(&connection.handle);
            self.by_pair.remove(&(connection.pair.local, connection.pair.remote));
            return;
        }
        self.connections[number] = Some(connection);
    }

    /// Time at which a timer ends, by the granularity of the program's timers.
    fn deadline(&self, at: std::time::Instant, connection: &QuicConnection<S>) -> Instant {
        let exact = self.clock.to_simulation(at).as_nanos();
        let grain = connection.plan.config.timer_granularity.as_nanos().max(1);
        Instant::from_nanos(exact.div_ceil(grain).saturating_mul(grain)).max(self.now)
    }

    /// Takes the datagrams that a connection has to send; whether there were any.
    fn transmit(&mut self, connection: &mut QuicConnection<S>) -> bool {
        let now = self.clock.to_stack(self.now);
        let (most, mut any) = (connection.plan.config.gso_segments, false);
        loop {
            self.buffer.clear();
            let made = S::poll_transmit(&mut connection.inner, most, &mut self.buffer, now);
            let Some(datagrams) = made else { return any };
            any = true;
            let own = datagrams.own.unwrap_or(*connection.pair.local.ip());
            let from = SocketAddrV4::new(own, connection.pair.local.port());
            let mark = if connection.plan.config.ecn { datagrams.ecn } else { 0 };
            let place = Place { from, to: datagrams.remote, traffic_class: connection.traffic_class | mark };
            let interface = self.addresses.iter().position(|address| *address == own);
            self.outbox.send(interface, place, &self.buffer[..datagrams.size], datagrams.segment);
        }
    }

    /// Sends a datagram that belongs to no connection.
    fn answer(&mut self, from: SocketAddrV4, datagrams: crate::stack::Datagrams, bytes: &[u8]) {
        let place = Place { from, to: datagrams.remote, traffic_class: 0 };
        let interface = self.addresses.iter().position(|address| address == from.ip());
        self.outbox.send(interface, place, &bytes[..datagrams.size], datagrams.segment);
    }

    fn run_timers(&mut self, until: Instant) {
        self.now = until;
        let now = self.clock.to_stack(until);
        while let Some((at, number)) = self.timers.first().copied().filter(|(at, _)| *at <= until) {
            self.timers.remove(&(at, number));
            if let Some(connection) = &mut self.connections[number] {
                connection.armed = None;
                S::handle_timeout(&mut connection.inner, now);
            }
            self.serve(number);
        }
        if self.samples.pass(until) {
            let open = self.connections.iter_mut().flatten();
            open.for_each(|connection| connection.report_statistics(&mut self.events));
        }
    }

    fn receive(&mut self, interface: usize, packet: &[u8]) {
        let Ok(ip) = Ipv4Packet::new_checked(packet) else { return };
        if ip.protocol() != protocol::UDP {
            return;
        }
        let Ok(udp) = UdpPacket::new_checked(ip.payload()) else { return };
        let Some(socket) = self.ports.get(&udp.dst_port()).copied() else { return };
        if !udp.verify_checksum(ip.src(), ip.dst()) {
            return;
        }
        let Some(own) = self.addresses.get(interface).copied() else { return };
        let (local, remote) =
            (SocketAddrV4::new(own, udp.dst_port()), SocketAddrV4::new(ip.src(), udp.src_port()));
        let datagram = ArrivedDatagram { own, remote, ecn: ip.ecn() as u8, payload: udp.payload() };
        let (now, mut answer) = (self.clock.to_stack(self.now), Vec::new());
        let endpoint = &mut self.endpoints[socket].endpoint;
        match S::receive(endpoint, &datagram, &mut answer, now) {
            Received::Nothing => {}
            Received::Answer(datagrams) => self.answer(local, datagrams, &answer),
            Received::Packet(handle, event) => {
                let number = self.endpoints[socket].by_handle.get(&handle).copied();
                if let Some(number) = number
                    && let Some(connection) = &mut self.connections[number]
                {
                    S::handle_event(&mut connection.inner, event);
                    self.serve(number);
                }
            }
            Received::Incoming(incoming) => self.accept(socket, SocketPair { local, remote }, incoming),
        }
    }

    fn accept(&mut self, socket: usize, pair: SocketPair, incoming: S::Incoming) {
        let Some(kind) = self.listeners.get(&(pair.local.port(), *pair.remote.ip())).cloned() else { return };
        let Some(config) = kind.quic.as_ref().map(|plan| self.config(plan)) else { return };
        let (now, mut answer) = (self.clock.to_stack(self.now), Vec::new());
        let endpoint = &mut self.endpoints[socket].endpoint;
        match S::accept(endpoint, &self.configs[config].1, (incoming, &mut answer), now) {
            Ok((handle, inner)) => {
                self.insert(QuicConnection::new((inner, handle), (socket, pair), &kind, false));
            }
            Err(Some(datagrams)) => self.answer(pair.local, datagrams, &answer),
            Err(None) => {}
        }
    }

    fn execute(&mut self, command: &SocketCommand) -> Result<(), HostError> {
        if let SocketOperation::Connect(kind) = &command.order {
            return self.connect(command.socket, kind);
        }
        let key = (command.socket.local, command.socket.remote);
        let Some(number) = self.by_pair.get(&key).copied() else { return Ok(()) };
        let Some(connection) = &mut self.connections[number] else { return Ok(()) };
        match command.order {
            SocketOperation::Write(bytes) => connection.add_data(bytes),
            SocketOperation::Close => connection.end_data(),
            SocketOperation::Read(bytes) => connection.allow(bytes, &mut self.events),
            SocketOperation::Connect(_) | SocketOperation::Send { .. } => {}
        }
        self.serve(number);
        Ok(())
    }
}

/// Runs code of the stack: if it panics, the run ends with its words. Other unwinding goes on, as that of a hook in Python does.
fn guarded<S: Stack>(run: impl FnOnce() -> Result<(), HostError>) -> Result<(), HostError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let words = payload.downcast_ref::<String>().map(String::as_str);
        match words.or_else(|| payload.downcast_ref::<&str>().copied()) {
            Some(words) => Err(HostError(format!("{} panicked: {words}", S::STACK.release()))),
            None => resume_unwind(payload),
        }
    })
}

impl<S: Stack> ForeignHost for QuicHost<S> {
    fn next_event(&self) -> Option<Instant> {
        let timer = self.timers.first().map(|(at, _)| *at);
        let sample = (!self.by_pair.is_empty()).then(|| self.samples.next());
        timer.into_iter().chain(sample).min().filter(|at| *at < Instant::MAX)
    }

    fn run_until(&mut self, until: Instant, _horizon: Instant) -> Result<(), HostError> {
        guarded::<S>(|| {
            self.run_timers(until);
            Ok(())
        })
    }

    fn deliver(&mut self, interface: usize, packet: &[u8]) -> Result<(), HostError> {
        guarded::<S>(|| {
            self.receive(interface, packet);
            Ok(())
        })
    }

    fn command(&mut self, command: &SocketCommand) -> Result<(), HostError> {
        guarded::<S>(|| self.execute(command))
    }

    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        self.outbox.take(packet)
    }

    fn has_sockets(&self) -> bool {
        true
    }

    fn poll_socket(&mut self) -> Option<SocketEvent> {
        self.events.pop_front()
    }

    fn addresses_changed(&mut self, changed: &[(usize, Ipv4Addr)]) -> Result<(), HostError> {
        for (interface, address) in changed {
            self.addresses[*interface] = *address;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::Noq;

    #[test]
    fn a_panic_is_an_error_that_names_the_stack() {
        let panicked = guarded::<Noq>(|| panic!("assertion failed"));
        assert_eq!(panicked, Err(HostError("noq-proto 1.4.0 panicked: assertion failed".into())));
    }
}

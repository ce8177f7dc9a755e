//! Applications at work: dispatches events to them and carries out their actions.

use crate::foreign::remote::RemoteSocket;
use crate::ground::reset_causes::CAUSES;
use crate::host::endpoint::{Endpoint, EndpointPlan};
use crate::host::flow::{Flow, FlowTransport, RunningApp, StreamFlow};
use crate::host::hosts::World;
use crate::host::sockets::Socket;
use crate::host::timer::Timer;
use crate::host::transfer::TransferState;
use crate::packet::envelope::Envelope;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use tailrace_app::{
    AnyApp, AppAction, AppActions, AppContext, Application as _, ConnectionData, Datagram, EndpointRole,
};
use tailrace_core::Instant;
use tailrace_transport::mptcp::MAX_SUBFLOWS;
use tailrace_transport::{Event, ResetCause, UNLIMITED};

impl World {
    /// Arms the timer of an application's start.
    pub(crate) fn schedule_start(&mut self, flow: usize, fabric: &mut SimFabric) {
        let Flow { app, carrier, start, stop, .. } = &mut self.flows[flow];
        let mut actions = AppActions::default();
        app.app.on_start(&mut AppContext::new(*start, &mut app.rng, &mut actions));
        if matches!(carrier, FlowTransport::Streams(_)) && *stop < Instant::MAX {
            fabric.wake_at(*stop, Timer::App(flow).id());
        }
        let early = actions.datagram().is_some() || actions.others().next().is_some();
        assert!(!early, "the flow has not started, and wants {actions:?}");
        if let Some(at) = actions.wake() {
            app.wake = at;
            fabric.wake_at(at, Timer::App(flow).id());
        }
    }

    /// Runs the application timer of a flow: start, a wake-up that it asked for, or stop.
    pub(crate) fn wake_app(&mut self, flow: usize, fabric: &mut SimFabric) {
        if !self.foreign.is_empty() {
            if flow >= self.flows.len() {
                return self.wake_foreign(flow - self.flows.len(), fabric);
            }
            if self.is_driven_by_foreign_host(flow) {
                return;
            }
        }
        let now = fabric.now();
        let f = &mut self.flows[flow];
        if now >= f.stop {
            return self.stop_app(flow, fabric);
        }
        if f.app.wake != now {
            return;
        }
        f.app.wake = Instant::MAX;
        let latest = f.latest;
        if self.dispatch((flow, latest), fabric, |app, cx| app.on_wake(cx)) {
            self.serve_socket(latest, fabric);
        }
    }

    /// Passes an event to the application of a flow, with the socket concerned if any, and carries out its actions. Returns true
    /// if one was a socket action, after which the socket may have something to send.
    #[inline]
    fn dispatch(
        &mut self,
        (flow, socket): (usize, SocketId),
        fabric: &mut SimFabric,
        what: impl FnOnce(&mut AnyApp, &mut AppContext<'_>),
    ) -> bool {
        let mut actions = AppActions::default();
        let RunningApp { app, rng, wake } = &mut *self.flows[flow].app;
        what(app, &mut AppContext::new(fabric.now(), rng, &mut actions));
        if let Some(at) = actions.wake() {
            // A pending later wake-up becomes a no-op.
            *wake = at;
            fabric.wake_at(at, Timer::App(flow).id());
        }
        if let Some((from, datagram)) = actions.datagram() {
            self.send_datagram(flow, from, datagram, fabric);
        }
        let mut acted = false;
        for action in actions.others() {
            acted |= self.run_action((flow, socket), action, fabric);
        }
        acted
    }

    /// Carries out an action other than wake-ups and datagrams; true for a socket action, after which the socket may have
    /// something to send.
    #[inline(never)]
    fn run_action(
        &mut self,
        (flow, socket): (usize, SocketId),
        action: AppAction,
        fabric: &mut SimFabric,
    ) -> bool {
        match action {
            AppAction::RoundTrip(time) => self.count_rtt(flow, time),
            AppAction::Heard(delay) => self.flows[flow].stats.heard(delay),
            AppAction::Late => self.flows[flow].stats.late_packets += 1,
            AppAction::Page(took) => self.recorder.record_page_load(self.flows[flow].group as usize, took),
            AppAction::Open(data, from) => self.open(flow, (data, from), fabric),
            AppAction::Read(at, bytes) => self.read(socket, at, bytes, fabric),
            AppAction::Complete => self.complete(flow, socket, fabric.now()),
            AppAction::Request(bytes) => return self.request(flow, socket, bytes, fabric.now()),
            AppAction::Respond(bytes) => return self.respond(socket, bytes),
            AppAction::Close => return self.close(socket),
        }
        false
    }

    /// Sends a datagram from an end of a flow.
    #[inline]
    fn send_datagram(&mut self, flow: usize, from: EndpointRole, datagram: Datagram, fabric: &mut SimFabric) {
        let client = FlowEnd::client(flow);
        let end = if from == EndpointRole::Client { client } else { client.peer() };
        if !self.foreign.is_empty() && self.send_by_socket(end, datagram, fabric) {
            return;
        }
        let f = &mut self.flows[flow];
        let FlowTransport::Datagrams(udp) = &mut f.carrier else { return };
        let sent = &mut udp.sent[usize::from(end.is_server())];
        let number = *sent;
        *sent = number.wrapping_add(1);
        udp.last_sent = fabric.now();
        let envelope = &f.ends[usize::from(end.is_server())];
        let mut pkt = SimPacket::udp(envelope, datagram, (udp.header, udp.ecn), number, fabric.now());
        let source = pkt.source;
        if let (Some(spoofed), EndpointRole::Client) = (&mut udp.spoofed, from) {
            pkt.source = spoofed.next(|| f.app.app.pulse(fabric.now()));
        }
        self.send_from(source, end, pkt, fabric);
    }

    /// Passes an arriving datagram to an application that listens for datagrams.
    pub(crate) fn on_datagram(&mut self, end: FlowEnd, pkt: &SimPacket, fabric: &mut SimFabric) {
        self.dispatch_datagram(end, pkt.datagram(), fabric);
    }

    /// Passes a datagram to the application at a flow's end, whether a simulated or a foreign host received it.
    #[inline]
    pub(crate) fn dispatch_datagram(&mut self, end: FlowEnd, datagram: Datagram, fabric: &mut SimFabric) {
        let at = if end.is_server() { EndpointRole::Server } else { EndpointRole::Client };
        self.dispatch((end.flow(), SocketId::NONE), fabric, |app, cx| app.on_datagram(at, datagram, cx));
    }

    fn streams(&mut self, flow: usize) -> Option<&mut StreamFlow> {
        match &mut self.flows[flow].carrier {
            FlowTransport::Streams(streams) => Some(streams),
            FlowTransport::Datagrams(_) => None,
        }
    }

    fn endpoint(&mut self, id: SocketId) -> Option<&mut Endpoint> {
        self.sockets.get_mut(id).map(|s| &mut s.endpoint)
    }

    #[cold]
    fn stop_app(&mut self, flow: usize, fabric: &mut SimFabric) {
        let mut open = self.flows[flow].sockets.clone();
        open.retain(|id| self.sockets.get(*id).is_some_and(|s| !s.end().is_server()));
        open.sort_unstable();
        let Some(sender) = self.streams(flow).map(|streams| streams.sender) else { return };
        for client in open {
            // If the server has not received the SYN yet, its request is sent by the client.
            let server = Some(self.at_end(client, sender)).filter(|id| self.sockets.get(*id).is_some());
            let id = server.unwrap_or(client);
            if self.close(id) {
                self.serve_socket(id, fabric);
            }
        }
    }

    /// Opens the next connection and gives it its data, or has the server send it once it has heard from the client.
    fn open(&mut self, flow: usize, (data, from): (ConnectionData, EndpointRole), fabric: &mut SimFabric) {
        let now = fabric.now();
        self.release_multipath_ends(self.flows[flow].latest, fabric);
        let Some(envelope) = self.envelope_of_next(flow, now) else { return self.fail_start(flow) };
        let Flow { carrier: FlowTransport::Streams(streams), header, listens, .. } = &mut self.flows[flow]
        else {
            return;
        };
        let number = streams.connections;
        streams.connections += 1;
        streams.end = None;
        let scope = streams.plan.scope();
        let mut endpoint = if self.foreign.with_sockets(envelope.source, scope).is_some() {
            let kind = streams.plan.socket_kind(*listens, envelope.dscp);
            Endpoint::Remote(Box::new(RemoteSocket::connect(kind)))
        } else {
            let seed = streams.next_seed();
            let Some(plan) = streams.plan.simulated() else {
                return self.foreign.fail_without_stack(scope, (envelope.source, now));
            };
            plan.endpoint(true, envelope.tuple(), seed, now)
        };
        let mut work = TransferState {
            is_transfer: matches!(data, ConnectionData::Last(_)),
            ..TransferState::default()
        };
        if let ConnectionData::Message(bytes) | ConnectionData::Last(bytes) = data {
            work.begin(bytes, now);
            streams.begun += 1;
        }
        match from {
            EndpointRole::Client => write_data(&mut endpoint, data),
            EndpointRole::Server => (work.responding, work.owed) = (true, Some(data)),
        }
        if streams.reader == Some(EndpointRole::Client) {
            endpoint.await_reads();
        }
        let size = if work.is_transfer { work.size } else { 0 };
        let record = self.connection_log.open((flow, number), (envelope.source_port, size), now);
        let work =
            if data == ConnectionData::Endless && work.owed.is_none() { None } else { Some(Box::new(work)) };
        let socket = Socket { work, record, ..Socket::new(endpoint, envelope, *header) };
        let id = self.insert(socket, fabric);
        self.flows[flow].latest = id;
        self.flows[flow].delivery_gap.open(now);
        self.serve_socket(id, fabric);
    }

    /// Addresses and ports of a flow's next connection: a port that no other of its connections uses, not even in TIME-WAIT. If
    /// the next few ports are all in TIME-WAIT, the first of them, which has waited longest, is reused (like Linux
    /// `tcp_tw_reuse`). `None` if the next few are all in use.
    fn envelope_of_next(&mut self, flow: usize, now: Instant) -> Option<Envelope> {
        const LOOK: u16 = 64;
        let Flow { carrier: FlowTransport::Streams(streams), ends, .. } = &mut self.flows[flow] else {
            return None;
        };
        let ports = streams.ports;
        let tried = (0..LOOK).map(|n| Envelope { source_port: ports.ahead(n), ..ends[0] });
        let mut usable = tried.filter(|e| self.sockets.find(&e.tuple()).is_none()).peekable();
        let longest = usable.peek().copied();
        let envelope = usable.find(|e| !self.time_wait.has(&e.tuple(), now)).or(longest)?;
        // Joins of MPTCP take the ports that follow.
        let joins = if matches!(*streams.plan, EndpointPlan::Mptcp(_)) { MAX_SUBFLOWS as u16 } else { 0 };
        streams.ports.skip_past(envelope.source_port.saturating_add(joins));
        self.time_wait.remove(&envelope.tuple());
        Some(envelope)
    }

    /// Counts a transfer as failed that finds no free port.
    #[cold]
    fn fail_start(&mut self, flow: usize) {
        if let Some(streams) = self.streams(flow) {
            streams.begun += 1;
            streams.failed += 1;
        }
    }

    /// Retires a socket whose connection is over at its end.
    #[cold]
    pub(crate) fn retire(&mut self, id: SocketId, fabric: &SimFabric) {
        let Some(socket) = self.sockets.get(id) else { return };
        if !socket.end().is_server() {
            self.connection_log.on_closed(socket.record, fabric.now());
            self.close_delivery_gap(id, fabric.now());
        }
        let Some(socket) = self.sockets.get(id) else { return };
        let (end, peer) = (socket.end(), socket.envelope.peer);
        let client = if end.is_server() { peer } else { id };
        let known = |id| self.sockets.get(id).map(|s| s.endpoint.as_mptcp().is_some());
        // Both ends of an MPTCP connection go together, if both are known: a foreign host's need not be.
        let multipath = [id, peer].into_iter().any(|id| known(id) == Some(true));
        if !multipath || known(client).is_none() {
            self.release(id, fabric);
        } else if self.flows[end.flow()].latest != client {
            // The latest connection of a flow is kept for the results.
            self.release_multipath_ends(client, fabric);
        }
    }

    /// Releases both ends of an MPTCP connection that is over at both. Late segments are answered from TIME-WAIT; an end that is
    /// not over may still need its peer.
    fn release_multipath_ends(&mut self, client: SocketId, fabric: &SimFabric) {
        let over = |id| self.sockets.get(id).is_none_or(|s| s.endpoint.is_over());
        let Some(server) = self.sockets.get(client).map(|s| s.envelope.peer) else { return };
        if over(client) && over(server) {
            self.release(client, fabric);
            self.release(server, fabric);
        }
    }

    /// Handles the endpoint's events, beginning with `first`; true if the application acted on the endpoint.
    #[inline]
    pub(crate) fn handle_events(&mut self, id: SocketId, first: Event, fabric: &mut SimFabric) -> bool {
        let (mut acted, mut next) = (false, Some(first));
        while let Some(event) = next {
            acted |= match event {
                Event::Delivered { bytes } => {
                    let flow = self.count_delivery(id, bytes, fabric.now());
                    self.on_delivered((id, flow), bytes, fabric)
                }
                Event::Connected => self.on_connected(id, fabric.now()),
                Event::PeerClosed | Event::Closed | Event::Reset { .. } => {
                    self.on_direction_end(id, event, fabric)
                }
            };
            next = self.sockets.live(id).and_then(|s| s.endpoint.poll_event());
        }
        acted
    }

    /// Handles the first segment from the peer. A server begins to send the data that it owes unasked.
    fn on_connected(&mut self, id: SocketId, now: Instant) -> bool {
        let Some(socket) = self.sockets.get(id) else { return false };
        if !socket.end().is_server() {
            self.connection_log.established(socket.record, now);
            return false;
        }
        let client = self.sockets.get_mut(socket.envelope.peer);
        let Some(owed) = client.and_then(|client| client.work.as_mut()?.owed.take()) else { return false };
        self.endpoint(id).is_some_and(|endpoint| {
            write_data(endpoint, owed);
            true
        })
    }

    /// Handles the end of one direction of a connection, or of all of it.
    #[inline(never)]
    fn on_direction_end(&mut self, id: SocketId, event: Event, fabric: &mut SimFabric) -> bool {
        if let Event::Reset { cause } = event {
            self.on_break(id, cause, fabric.now());
        }
        let Some(socket) = self.sockets.live(id) else { return false };
        let closed = event == Event::PeerClosed;
        if closed {
            socket.endpoint.close();
        }
        if socket.end().is_server() {
            return closed;
        }
        let failed = matches!(event, Event::Reset { .. }) && socket.has_failed();
        self.on_client_closed(id, failed, fabric) || closed
    }

    /// Socket at an end of the connection of this client's socket; `SocketId::NONE` if there is no such connection.
    fn at_end(&self, client: SocketId, end: EndpointRole) -> SocketId {
        match end {
            EndpointRole::Client => client,
            EndpointRole::Server => self.sockets.get(client).map_or(SocketId::NONE, |s| s.envelope.peer),
        }
    }

    /// Client socket of the connection that `id` is an end of, if it exists.
    fn client_of(&self, id: SocketId) -> Option<SocketId> {
        let socket = self.sockets.get(id)?;
        let client = if socket.end().is_server() { socket.envelope.peer } else { id };
        self.sockets.get(client).map(|_| client)
    }

    /// Handles the delivery of `bytes` to the application at `id`, of `flow`.
    #[inline]
    fn on_delivered(&mut self, (id, flow): (SocketId, usize), bytes: u64, fabric: &mut SimFabric) -> bool {
        self.flows[flow].listens && self.on_message_bytes(id, bytes, fabric)
    }

    /// Counts `bytes` of a message delivered at `id`; the application is told when the message is complete.
    fn on_message_bytes(&mut self, id: SocketId, bytes: u64, fabric: &mut SimFabric) -> bool {
        let Some(client) = self.client_of(id) else { return false };
        let at_server = client != id;
        let Some(Socket { work: Some(work), envelope, .. }) = self.sockets.get_mut(client) else {
            return false;
        };
        if work.awaited == u64::MAX || work.responding == at_server {
            return false;
        }
        work.awaited = work.awaited.saturating_sub(bytes);
        if work.awaited > 0 {
            return false;
        }
        work.awaited = u64::MAX;
        let flow = envelope.to.flow();
        let at = if at_server { EndpointRole::Server } else { EndpointRole::Client };
        self.dispatch((flow, id), fabric, |app, cx| app.on_message(at, cx))
    }

    /// Sends a request on an open connection; does nothing once the flow has stopped.
    fn request(&mut self, flow: usize, id: SocketId, bytes: u64, now: Instant) -> bool {
        if now >= self.flows[flow].stop {
            return false;
        }
        if let Some(streams) = self.streams(flow) {
            streams.begun += 1;
        }
        let Some(socket) = self.sockets.get_mut(id) else { return false };
        socket.work.get_or_insert_default().begin(bytes, now);
        socket.endpoint.write(bytes);
        true
    }

    /// Sends the response from the end that has just received a request.
    fn respond(&mut self, id: SocketId, bytes: u64) -> bool {
        let Some(client) = self.client_of(id).and_then(|client| self.sockets.get_mut(client)) else {
            return false;
        };
        let work = client.work.get_or_insert_default();
        (work.awaited, work.responding) = (bytes, true);
        work.size = work.size.saturating_add(bytes);
        self.endpoint(id).expect("it has just delivered").write(bytes);
        true
    }

    /// Reads bytes from the socket for an application that reads at its own pace.
    fn read(&mut self, socket: SocketId, at: EndpointRole, bytes: u64, fabric: &mut SimFabric) {
        let Some(client) = self.client_of(socket) else { return };
        let id = self.at_end(client, at);
        let Some(endpoint) = self.endpoint(id) else { return };
        endpoint.read(bytes, fabric.now());
        self.serve_socket(id, fabric);
    }

    fn close(&mut self, id: SocketId) -> bool {
        let Some(endpoint) = self.endpoint(id) else { return false };
        endpoint.close();
        true
    }

    /// Handles the break of a connection at one end; the other may hear of it, too. A server whose client is gone no longer
    /// counts for the flow.
    #[cold]
    fn on_break(&mut self, id: SocketId, cause: ResetCause, now: Instant) {
        let Some(client) = self.client_of(id).and_then(|c| self.sockets.get_mut(c)) else { return };
        let end = &mut client.work.get_or_insert_default().end;
        if end.is_some() {
            return;
        }
        *end = Some(cause);
        self.connection_log.on_break(client.record, cause);
        let flow = client.envelope.to.flow();
        let Some(streams) = self.streams(flow) else { return };
        streams.end = Some(cause);
        if let Some(number) = CAUSES.iter().position(|(c, _)| *c == cause) {
            streams.broken[number] += 1;
            self.recorder.on_break(flow, CAUSES[number].1, now);
        }
    }

    /// Completes the transfer or exchange on a connection.
    fn complete(&mut self, flow: usize, id: SocketId, now: Instant) {
        let client = self.client_of(id).and_then(|client| self.sockets.get(client));
        let Some(Socket { work: Some(work), record, .. }) = client else { return };
        let (work, record) = (**work, *record);
        let f = &mut self.flows[flow];
        let (group, took) = (f.group as usize, now - work.began);
        f.stats.completed(work.size, took);
        self.recorder.completed(flow, group, took, now);
        if let (true, FlowTransport::Streams(streams)) = (work.is_transfer, &f.carrier) {
            let slowdown = streams.uncongested.map(|path| path.slowdown(work.size, took));
            self.recorder.record_transfer(group, (work.size, took), slowdown, streams.varied);
            self.connection_log.completed(record, now, slowdown);
        }
    }

    /// Handles the end of a direction of the client's connection, or its break; the application is told when all of it is over.
    fn on_client_closed(&mut self, id: SocketId, failed: bool, fabric: &mut SimFabric) -> bool {
        let Some(socket) = self.sockets.get(id) else { return false };
        let (over, flow) = (socket.endpoint.is_over(), socket.end().flow());
        let goes_on = over && fabric.now() < self.flows[flow].stop;
        goes_on && self.dispatch((flow, id), fabric, |app, cx| app.on_closed(failed, cx))
    }
}

/// Gives an endpoint its data to send.
fn write_data(endpoint: &mut Endpoint, data: ConnectionData) {
    match data {
        ConnectionData::Endless => endpoint.write(UNLIMITED),
        ConnectionData::Message(bytes) | ConnectionData::Last(bytes) => endpoint.write(bytes),
    }
    if matches!(data, ConnectionData::Last(_)) {
        endpoint.close();
    }
}

//! Applications over TCP: bulk data, transfers one after another, requests and responses.

use crate::flow::{CAUSES, Driver, Endpoint, Script, TcpApp, TimerKind, timer_id};
use crate::packet::SocketId;
use crate::source::draw;
use crate::world::{SimFabric, World};
use tailrace_core::{Duration, Instant};
use tailrace_transport::{Event, ResetCause, UNLIMITED};

/// Port of the first server of a host for another; clients count upwards from `FIRST_CLIENT_PORT`, one a connection.
pub(crate) const SERVER_PORT: u16 = 5001;
const FIRST_CLIENT_PORT: u16 = 49_152;

/// The client port of a flow's `n`-th connection (from 0).
pub(crate) fn client_port(n: u32) -> u16 {
    FIRST_CLIENT_PORT + (n % u32::from(u16::MAX - FIRST_CLIENT_PORT)) as u16
}

impl World {
    fn app(&mut self, id: SocketId) -> Option<&mut TcpApp> {
        match &mut self.flows[id.flow()].driver {
            Driver::Tcp(app) => Some(app),
            Driver::Udp { .. } => None,
        }
    }

    fn endpoint(&mut self, id: SocketId) -> Option<&mut Endpoint> {
        self.sockets[id.index()].endpoint.as_mut()
    }

    /// Asks for the application's wake-up; a pending later one becomes a no-op.
    fn wake_app_at(&mut self, id: SocketId, at: Instant, fabric: &mut SimFabric) {
        if let Some(app) = self.app(id) {
            app.wake = Some(at);
            fabric.wake_at(at, timer_id(id, TimerKind::App));
        }
    }

    /// The flow starts, a pause is over, or the flow stops.
    pub(crate) fn wake_tcp_app(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let (now, stop) = (fabric.now(), self.flows[id.flow()].stop);
        if now >= stop {
            return self.stop_app(id, fabric);
        }
        let Some(app) = self.app(id) else { return };
        if app.wake != Some(now) {
            return;
        }
        app.wake = None;
        match app.script {
            Script::Bulk | Script::Transfers { .. } => self.open(id, fabric),
            Script::Exchanges { .. } if app.connections == 0 => self.open(id, fabric),
            Script::Exchanges { .. } => self.begin_exchange(id, fabric),
        }
    }

    fn stop_app(&mut self, id: SocketId, fabric: &mut SimFabric) {
        if let Some(tcp) = self.endpoint(id) {
            tcp.close();
            self.serve_socket(id, fabric);
        }
    }

    /// Opens the next connection and hands it its data.
    fn open(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let now = fabric.now();
        self.retire(id);
        let Driver::Tcp(app) = &mut self.flows[id.flow()].driver else { return };
        let port = client_port(app.connections);
        app.connections += 1;
        app.failed = app.failures();
        app.end = None;
        let socket = &mut self.sockets[id.index()];
        socket.envelope.source_port = port;
        let mut tcp = app.plan.endpoint(true, socket.tuple(), &mut app.rng, now);
        match app.script {
            Script::Bulk => {
                tcp.write(UNLIMITED);
            }
            Script::Transfers { size, .. } => {
                (app.began, app.awaited, app.responding) = (now, size, false);
                app.begun += 1;
                tcp.write(size);
                tcp.close();
            }
            Script::Exchanges { request, .. } => {
                (app.began, app.awaited, app.responding) = (now, request, false);
                app.begun += 1;
                tcp.write(request);
            }
        }
        socket.connect(tcp);
        self.tell_addresses(id, fabric);
        self.serve_socket(id, fabric);
    }

    /// The server side of a new connection from `port`.
    pub(crate) fn accept(&mut self, id: SocketId, port: u16, fabric: &SimFabric) {
        self.retire(id);
        let socket = &mut self.sockets[id.index()];
        let Driver::Tcp(app) = &mut self.flows[id.flow()].driver else { return };
        socket.envelope.destination_port = port;
        socket.connect(app.plan.endpoint(false, socket.tuple(), &mut app.rng, fabric.now()));
        self.tell_addresses(id, fabric);
    }

    /// A Multipath TCP connection learns of its host's other addresses.
    fn tell_addresses(&mut self, id: SocketId, fabric: &SimFabric) {
        let socket = &mut self.sockets[id.index()];
        let (own, peer) = (socket.envelope.source, socket.envelope.destination);
        let Some(Endpoint::Mptcp(connection)) = &mut socket.endpoint else { return };
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

    /// Keeps the counters of a connection that is about to be replaced.
    fn retire(&mut self, id: SocketId) {
        let socket = &mut self.sockets[id.index()];
        self.flows[id.flow()].leftover.delivered_bytes += socket.delivered_early();
        socket.early.clear();
        if let Some(endpoint) = self.sockets[id.index()].endpoint.take() {
            let flow = &mut self.flows[id.flow()];
            let (retired, stats) = (&mut flow.retired, endpoint.stats());
            retired.retransmitted += stats.retransmitted_segments;
            retired.timeouts += u64::from(stats.timeouts);
            retired.altered += endpoint.altered_bytes();
        }
    }

    /// Takes the endpoint's events; true when the application did something to the endpoint.
    #[inline]
    pub(crate) fn handle_events(&mut self, id: SocketId, fabric: &mut SimFabric) -> bool {
        let mut acted = false;
        while let Some(event) = self.endpoint(id).and_then(Endpoint::poll_event) {
            if let Event::Reset { cause } = event {
                self.broke(id, cause, fabric.now());
            }
            acted |= match event {
                Event::Delivered { bytes } => {
                    self.count_delivery(id, bytes, fabric.now());
                    self.delivered(id, bytes, fabric)
                }
                Event::PeerClosed if id.is_far() => {
                    self.endpoint(id).expect("it has just spoken").close();
                    true
                }
                Event::PeerClosed => self.client_done(id, fabric),
                Event::Reset { .. } | Event::Closed if !id.is_far() => self.client_done(id, fabric),
                Event::Connected | Event::Reset { .. } | Event::Closed => false,
            };
        }
        acted
    }

    /// `bytes` have reached the application at `id`.
    #[inline]
    fn delivered(&mut self, id: SocketId, bytes: u64, fabric: &mut SimFabric) -> bool {
        let Some(app) = self.app(id) else { return false };
        if app.awaited == u64::MAX || !app.transfers() || app.responding == id.is_far() {
            return false;
        }
        app.awaited = app.awaited.saturating_sub(bytes);
        if app.awaited > 0 {
            return false;
        }
        match app.script {
            Script::Bulk => false,
            Script::Transfers { .. } => {
                app.awaited = u64::MAX;
                self.complete(id, fabric.now());
                false
            }
            Script::Exchanges { response, .. } if !app.responding => {
                (app.awaited, app.responding) = (response, true);
                self.endpoint(id).expect("it has just delivered").write(response);
                true
            }
            Script::Exchanges { think, count, .. } => {
                app.awaited = u64::MAX;
                let last = count.is_some_and(|n| app.begun >= n);
                let pause = draw(&think, &mut app.rng);
                self.complete(id, fabric.now());
                if last {
                    self.endpoint(id).expect("it has just delivered").close();
                } else {
                    self.wake_app_at(id, fabric.now().saturating_add(pause), fabric);
                }
                last
            }
        }
    }

    /// An end of the present connection has broken; the other may hear of it, too.
    #[cold]
    fn broke(&mut self, id: SocketId, cause: ResetCause, now: Instant) {
        let (near, far) = if id.is_far() { (id.peer(), id) } else { (id, id.peer()) };
        let ports = [
            self.sockets[near.index()].envelope.source_port,
            self.sockets[far.index()].envelope.destination_port,
        ];
        if id.is_far() && ports[0] != ports[1] {
            return; // The server's side of a connection that the client has replaced.
        }
        let Some(app) = self.app(id).filter(|app| app.end.is_none()) else { return };
        app.end = Some(cause);
        if let Some(number) = CAUSES.iter().position(|(c, _)| *c == cause) {
            app.broken[number] += 1;
            self.recorder.broken(id.flow(), CAUSES[number].1, now);
        }
    }

    /// A transfer or exchange is complete.
    fn complete(&mut self, id: SocketId, now: Instant) {
        let Some(app) = self.app(id) else { return };
        let took = now - app.began;
        let flow = &mut self.flows[id.flow()];
        flow.tally.completed += 1;
        self.recorder.completed(id.flow(), flow.group as usize, took, now);
    }

    fn begin_exchange(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let now = fabric.now();
        let Some(app) = self.app(id) else { return };
        let Script::Exchanges { request, .. } = app.script else { return };
        (app.began, app.awaited, app.responding) = (now, request, false);
        app.begun += 1;
        if let Some(tcp) = self.endpoint(id) {
            tcp.write(request);
            self.serve_socket(id, fabric);
        }
    }

    /// The client's connection is over in both directions, or broke: the next one, if there is to be one.
    fn client_done(&mut self, id: SocketId, fabric: &mut SimFabric) -> bool {
        let over = self.endpoint(id).is_none_or(|e| e.is_over());
        let stopped = fabric.now() >= self.flows[id.flow()].stop;
        let Some(app) = self.app(id) else { return false };
        let Script::Transfers { gap, count, .. } = app.script else { return false };
        if !over || stopped || app.wake.is_some() || count.is_some_and(|n| app.begun >= n) {
            return false;
        }
        let pause = draw(&gap, &mut app.rng).max(Duration::from_nanos(1));
        self.wake_app_at(id, fabric.now().saturating_add(pause), fabric);
        false
    }

    /// Asks for the start of a flow.
    pub(crate) fn schedule_start(&mut self, flow: usize, fabric: &mut SimFabric) {
        let (id, at, stop) = (SocketId::near(flow), self.flows[flow].start, self.flows[flow].stop);
        let first = match &mut self.flows[flow].driver {
            Driver::Udp { source, .. } => source.start(at),
            Driver::Tcp(app) => {
                app.wake = Some(at);
                if stop < Instant::MAX {
                    fabric.wake_at(stop, timer_id(id, TimerKind::App));
                }
                Some(at)
            }
        };
        if let Some(at) = first {
            fabric.wake_at(at, timer_id(id, TimerKind::App));
        }
    }
}

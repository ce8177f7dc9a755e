//! Applications over TCP: bulk data, transfers one after another, requests and responses.

use crate::flow::{CAUSES, Driver, Endpoint, EndpointPlan, Flow, Script, TcpApp, Timer, Work};
use crate::packet::Envelope;
use crate::sockets::{Socket, SocketId};
use crate::source::draw;
use crate::world::{SimFabric, World};
use tailrace_core::{Duration, Instant};
use tailrace_transport::mptcp::MAX_SUBFLOWS;
use tailrace_transport::{Event, ResetCause, UNLIMITED};

impl World {
    fn app(&mut self, flow: usize) -> Option<&mut TcpApp> {
        match &mut self.flows[flow].driver {
            Driver::Tcp(app) => Some(app),
            Driver::Udp { .. } => None,
        }
    }

    fn endpoint(&mut self, id: SocketId) -> Option<&mut Endpoint> {
        self.sockets.get_mut(id).map(|s| &mut s.endpoint)
    }

    /// Asks for the application's wake-up; a pending later one becomes a no-op.
    fn wake_app_at(&mut self, flow: usize, at: Instant, fabric: &mut SimFabric) {
        if let Some(app) = self.app(flow) {
            app.wake = Some(at);
            fabric.wake_at(at, Timer::App(flow).id());
        }
    }

    /// The flow starts, a pause is over, or the flow stops.
    pub(crate) fn wake_tcp_app(&mut self, flow: usize, fabric: &mut SimFabric) {
        let (now, stop) = (fabric.now(), self.flows[flow].stop);
        if now >= stop {
            return self.stop_app(flow, fabric);
        }
        let Some(app) = self.app(flow) else { return };
        if app.wake != Some(now) {
            return;
        }
        app.wake = None;
        match app.script {
            Script::Bulk | Script::Transfers { .. } => self.open(flow, fabric),
            Script::Arrivals { .. } => self.arrive(flow, fabric),
            Script::Exchanges { .. } if app.connections == 0 => self.open(flow, fabric),
            Script::Exchanges { .. } => self.begin_exchange(flow, fabric),
        }
    }

    /// A transfer begins, and the next one's time is drawn.
    fn arrive(&mut self, flow: usize, fabric: &mut SimFabric) {
        let Some(app) = self.app(flow) else { return };
        let Script::Arrivals { gap, count, .. } = app.script else { return };
        if count.is_none_or(|n| app.begun + 1 < n) {
            let gap = draw(&gap, &mut app.rng).max(Duration::from_nanos(1));
            self.wake_app_at(flow, fabric.now().saturating_add(gap), fabric);
        }
        self.open(flow, fabric);
    }

    fn stop_app(&mut self, flow: usize, fabric: &mut SimFabric) {
        let mut open = self.flows[flow].sockets.clone();
        open.retain(|id| self.sockets.get(*id).is_some_and(|s| !s.end().is_server()));
        open.sort_unstable();
        for id in open {
            if let Some(endpoint) = self.endpoint(id) {
                endpoint.close();
                self.serve_socket(id, fabric);
            }
        }
    }

    /// Opens the next connection and hands it its data.
    fn open(&mut self, flow: usize, fabric: &mut SimFabric) {
        let now = fabric.now();
        self.let_go(self.flows[flow].latest, fabric);
        let Some(envelope) = self.envelope_of_next(flow, now) else { return self.refuse_start(flow) };
        let Flow { driver, header, .. } = &mut self.flows[flow];
        let Driver::Tcp(app) = driver else { return };
        app.connections += 1;
        app.end = None;
        let mut endpoint = app.plan.endpoint(true, envelope.tuple(), &mut app.rng, now);
        let mut work = Work::default();
        match app.script {
            Script::Bulk => {
                endpoint.write(UNLIMITED);
            }
            Script::Transfers { size, .. } | Script::Arrivals { size, .. } => {
                work.begin(size, now);
                app.begun += 1;
                endpoint.write(size);
                endpoint.close();
            }
            Script::Exchanges { request, .. } => {
                work.begin(request, now);
                app.begun += 1;
                endpoint.write(request);
            }
        }
        let socket = Socket { work, ..Socket::new(endpoint, envelope, *header) };
        let id = self.insert(socket, fabric);
        self.flows[flow].latest = id;
        self.serve_socket(id, fabric);
    }

    /// Addresses and ports of a flow's next connection: a port that none of its others has, not even one in TIME-WAIT. Where
    /// ports come round faster than that ends, so that the next few are all waiting, the first of them, which has waited
    /// longest, is taken (as with Linux's `tcp_tw_reuse`). None where the next few are all in use.
    fn envelope_of_next(&mut self, flow: usize, now: Instant) -> Option<Envelope> {
        const LOOK: u16 = 64;
        let Flow { driver: Driver::Tcp(app), ends, .. } = &mut self.flows[flow] else { return None };
        let ports = app.ports;
        let tried = (0..LOOK).map(|n| Envelope { source_port: ports.ahead(n), ..ends[0] });
        let mut usable = tried.filter(|e| self.sockets.find(&e.tuple()).is_none()).peekable();
        let longest = usable.peek().copied();
        let envelope = usable.find(|e| !self.stubs.has(&e.tuple(), now)).or(longest)?;
        // Joins of Multipath TCP count on from here.
        let joins = if matches!(*app.plan, EndpointPlan::Mptcp(_)) { MAX_SUBFLOWS as u16 } else { 0 };
        app.ports.pass(envelope.source_port.saturating_add(joins));
        self.stubs.remove(&envelope.tuple());
        Some(envelope)
    }

    /// No port is to be had: what was to be transferred fails.
    #[cold]
    fn refuse_start(&mut self, flow: usize) {
        if let Some(app) = self.app(flow) {
            app.begun += 1;
            app.failed += 1;
        }
    }

    /// A connection is over at one end, which has nothing more to say.
    #[cold]
    pub(crate) fn retire(&mut self, id: SocketId, fabric: &SimFabric) {
        let Some(socket) = self.sockets.get(id) else { return };
        match &socket.endpoint {
            Endpoint::Tcp(_) => self.release(id, fabric),
            Endpoint::Mptcp(_) => {
                let client = if socket.end().is_server() { socket.envelope.peer } else { id };
                // Results show the latest one of a flow as it was.
                if self.flows[socket.end().flow()].latest != client {
                    self.let_go(client, fabric);
                }
            }
        }
    }

    /// Both ends of a connection of Multipath TCP that is over at both go. What one of them would still answer to what comes
    /// late, stubs do; but as long as one is not over it may want to hear more than that.
    fn let_go(&mut self, client: SocketId, fabric: &SimFabric) {
        let over = |id| self.sockets.get(id).is_none_or(|s| s.endpoint.is_over());
        let Some(server) = self.sockets.get(client).map(|s| s.envelope.peer) else { return };
        if over(client) && over(server) {
            self.release(client, fabric);
            self.release(server, fabric);
        }
    }

    /// Takes the endpoint's events; true when the application did something to the endpoint.
    #[inline]
    pub(crate) fn handle_events(&mut self, id: SocketId, fabric: &mut SimFabric) -> bool {
        let mut acted = false;
        while let Some(event) = self.sockets.live(id).and_then(|s| s.endpoint.poll_event()) {
            acted |= match event {
                Event::Delivered { bytes } => {
                    let flow = self.count_delivery(id, bytes, fabric.now());
                    self.delivered((id, flow), bytes, fabric)
                }
                Event::Connected => false,
                Event::PeerClosed | Event::Closed | Event::Reset { .. } => self.ended(id, event, fabric),
            };
        }
        acted
    }

    /// A direction of a connection, or all of it, has come to an end.
    #[inline(never)]
    fn ended(&mut self, id: SocketId, event: Event, fabric: &mut SimFabric) -> bool {
        if let Event::Reset { cause } = event {
            self.broke(id, cause, fabric.now());
        }
        let Some(socket) = self.sockets.live(id) else { return false };
        let is_server = socket.end().is_server();
        if is_server && event == Event::PeerClosed {
            socket.endpoint.close();
        }
        if is_server { event == Event::PeerClosed } else { self.client_done(id, fabric) }
    }

    /// The client's socket of the connection that `id` is an end of, as long as there is one.
    fn client_of(&self, id: SocketId) -> Option<SocketId> {
        let socket = self.sockets.get(id)?;
        let client = if socket.end().is_server() { socket.envelope.peer } else { id };
        self.sockets.get(client).map(|_| client)
    }

    /// `bytes` have reached the application at `id`, of `flow`.
    #[inline]
    fn delivered(&mut self, (id, flow): (SocketId, usize), bytes: u64, fabric: &mut SimFabric) -> bool {
        match &self.flows[flow].driver {
            Driver::Tcp(app) if app.transfers() => self.transferred(id, bytes, fabric),
            _ => false,
        }
    }

    /// `bytes` of a transfer or an exchange have reached the application at `id`.
    fn transferred(&mut self, id: SocketId, bytes: u64, fabric: &mut SimFabric) -> bool {
        let Some(client) = self.client_of(id) else { return false };
        let at_server = client != id;
        let Some(Socket { work, envelope, .. }) = self.sockets.get_mut(client) else { return false };
        if work.awaited == u64::MAX || work.responding == at_server {
            return false;
        }
        work.awaited = work.awaited.saturating_sub(bytes);
        if work.awaited > 0 {
            return false;
        }
        let (flow, began) = (envelope.to.flow(), work.began);
        let Driver::Tcp(app) = &mut self.flows[flow].driver else { return false };
        match app.script {
            Script::Bulk => false,
            Script::Transfers { .. } | Script::Arrivals { .. } => {
                work.awaited = u64::MAX;
                self.complete(flow, began, fabric.now());
                false
            }
            Script::Exchanges { response, .. } if !work.responding => {
                (work.awaited, work.responding) = (response, true);
                self.endpoint(id).expect("it has just delivered").write(response);
                true
            }
            Script::Exchanges { think, count, .. } => {
                work.awaited = u64::MAX;
                let last = count.is_some_and(|n| app.begun >= n);
                let pause = draw(&think, &mut app.rng);
                self.complete(flow, began, fabric.now());
                if last {
                    self.endpoint(id).expect("it has just delivered").close();
                } else {
                    self.wake_app_at(flow, fabric.now().saturating_add(pause), fabric);
                }
                last
            }
        }
    }

    /// An end of a connection has broken; the other may hear of it, too. What befalls a server whose client is gone is no
    /// matter of the flow any more.
    #[cold]
    fn broke(&mut self, id: SocketId, cause: ResetCause, now: Instant) {
        let Some(client) = self.client_of(id).and_then(|c| self.sockets.get_mut(c)) else { return };
        if client.work.end.is_some() {
            return;
        }
        client.work.end = Some(cause);
        let flow = client.envelope.to.flow();
        let Some(app) = self.app(flow) else { return };
        app.end = Some(cause);
        if let Some(number) = CAUSES.iter().position(|(c, _)| *c == cause) {
            app.broken[number] += 1;
            self.recorder.broken(flow, CAUSES[number].1, now);
        }
    }

    /// A transfer or exchange is complete.
    fn complete(&mut self, flow: usize, began: Instant, now: Instant) {
        let f = &mut self.flows[flow];
        f.tally.completed += 1;
        self.recorder.completed(flow, f.group as usize, now - began, now);
    }

    fn begin_exchange(&mut self, flow: usize, fabric: &mut SimFabric) {
        let now = fabric.now();
        let Flow { driver: Driver::Tcp(app), latest: id, .. } = &mut self.flows[flow] else { return };
        let (Script::Exchanges { request, .. }, id) = (&app.script, *id) else { return };
        app.begun += 1;
        let request = *request;
        if let Some(socket) = self.sockets.get_mut(id) {
            socket.work.begin(request, now);
            socket.endpoint.write(request);
            self.serve_socket(id, fabric);
        }
    }

    /// The client's connection is over in both directions, or broke: the next one, if there is to be one.
    fn client_done(&mut self, id: SocketId, fabric: &mut SimFabric) -> bool {
        let Some(socket) = self.sockets.get(id) else { return false };
        let (over, flow) = (socket.endpoint.is_over(), socket.end().flow());
        let stopped = fabric.now() >= self.flows[flow].stop;
        let Some(app) = self.app(flow) else { return false };
        let Script::Transfers { gap, count, .. } = app.script else { return false };
        if !over || stopped || app.wake.is_some() || count.is_some_and(|n| app.begun >= n) {
            return false;
        }
        let pause = draw(&gap, &mut app.rng).max(Duration::from_nanos(1));
        self.wake_app_at(flow, fabric.now().saturating_add(pause), fabric);
        false
    }

    /// Asks for the start of a flow.
    pub(crate) fn schedule_start(&mut self, flow: usize, fabric: &mut SimFabric) {
        let (timer, at, stop) = (Timer::App(flow).id(), self.flows[flow].start, self.flows[flow].stop);
        let first = match &mut self.flows[flow].driver {
            Driver::Udp { source, .. } => source.start(at),
            Driver::Tcp(app) => {
                app.wake = Some(at);
                if stop < Instant::MAX {
                    fabric.wake_at(stop, timer);
                }
                Some(at)
            }
        };
        if let Some(at) = first {
            fabric.wake_at(at, timer);
        }
    }
}

//! The rim of the simulated fabric: sockets that send and receive, and the recorder that hears of everything else.

use crate::capture::Captures;
use crate::feedback::Feedback;
use crate::flow::{Driver, Endpoint, Flow, Socket, TimerKind, timer_id, timer_of};
use crate::middlebox::Middlebox;
use crate::packet::{Envelope, OptionsArena, SimPacket, SocketId};
use crate::recorder::Recorder;
use crate::verdicts::Verdicts;
use tailrace_core::packet::protocol;
use tailrace_core::{DropReason, Duration, FlowKey, Instant, SackRanges};
use tailrace_net::{Address, Fabric, LinkId, NodeId, Rim, TimerId};
use tailrace_transport::mptcp::option::{Options, Signal};
use tailrace_transport::mptcp::{SourceRoute, Transmit, Tuple};

/// All sockets and flows of a run.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) sockets: Vec<Socket>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) options: OptionsArena,
    pub(crate) recorder: Recorder,
    pub(crate) captures: Captures,
    pub(crate) verdicts: Verdicts,
    /// Where hosts return and present labels.
    pub(crate) feedback: Option<Box<Feedback>>,
    /// The middlebox of each link direction; empty where there is none at all.
    pub(crate) middleboxes: Box<[Middlebox]>,
    /// When the warm-up ended, if it did: what was sent until then is not part of the statistics.
    pub(crate) warm_until: Option<Instant>,
}

pub(crate) type SimFabric = Fabric<SimPacket>;

/// Addresses and ports as the receiver of `pkt` sees them.
fn tuple_of(pkt: &SimPacket) -> Tuple {
    Tuple {
        local: pkt.destination.0,
        remote: pkt.source.0,
        local_port: pkt.destination_port,
        remote_port: pkt.source_port,
    }
}

impl Rim<SimPacket> for World {
    #[inline]
    fn receive(&mut self, node: NodeId, pkt: SimPacket, fabric: &mut SimFabric) {
        let now = fabric.now();
        if !self.options.source_routes.is_empty() && fabric.graph().owner(pkt.destination) != Some(node) {
            // On its way to a gateway; hosts do not forward.
            return self.unroutable(node, pkt, now);
        }
        self.captures.at_node(node, &pkt, &self.options, now);
        if pkt.payload > 0 {
            self.count_arrival(&pkt, now);
        }
        if self.feedback.is_some() {
            self.take_feedback(&pkt, fabric);
        }
        if pkt.protocol == protocol::UDP {
            self.take_datagram(&pkt, now);
        } else {
            self.receive_segment(&pkt, fabric);
        }
    }

    #[inline]
    fn expect(&self, pkt: &SimPacket) {
        let socket = &self.sockets[pkt.socket.index()];
        std::hint::black_box((socket.envelope.source, self.flows[pkt.socket.flow()].tally.received_packets));
        match &socket.endpoint {
            Some(Endpoint::Tcp(tcp)) => tcp.warm_up(),
            Some(Endpoint::Mptcp(connection)) => connection.warm_up(&tuple_of(pkt)),
            None => {}
        }
    }

    fn sack(&self, pkt: &SimPacket) -> Option<SackRanges> {
        Some(pkt.sack(&self.options))
    }

    fn wake(&mut self, timer: TimerId, fabric: &mut SimFabric) {
        let (socket, kind) = timer_of(timer);
        match kind {
            TimerKind::Transport => self.wake_transport(socket, fabric),
            TimerKind::App => self.wake_app(socket, fabric),
        }
    }

    fn dropped(&mut self, link: LinkId, pkt: SimPacket, reason: DropReason, at: Instant) {
        self.captures.dropped(link, &pkt, &self.options, reason, at);
        self.lose(&pkt);
        self.recorder.dropped(link, pkt.socket.flow(), reason, at);
    }

    fn marked(&mut self, link: LinkId, pkt: &SimPacket, at: Instant) {
        if pkt.payload > 0 {
            let early = self.is_early(pkt);
            let flow = &mut self.flows[pkt.socket.flow()];
            flow.tally.marked_packets += 1;
            flow.leftover.marked_packets += u64::from(early);
        }
        self.captures.marked(link, pkt);
        self.recorder.marked(link, pkt.socket.flow(), at);
    }

    fn next_stop(&mut self, _node: NodeId, pkt: &mut SimPacket) -> bool {
        pkt.next_stop(&mut self.options)
    }

    fn unroutable(&mut self, _node: NodeId, pkt: SimPacket, at: Instant) {
        self.lose(&pkt);
        self.recorder.unroutable(pkt.socket.flow(), at);
    }

    fn flagged(&mut self, link: LinkId, flow: FlowKey, flagged: bool, at: Instant) {
        let concerned = self.verdicts.record((link, flow, flagged), at, &self.flows, &self.sockets);
        // A key that names several flows makes one event, of the first.
        self.recorder.flagged(link, concerned.first().copied(), flagged, at);
    }

    fn transmitted(&mut self, link: LinkId, pkt: &SimPacket, _sojourn: Duration, at: Instant) {
        self.captures.on_link(link, pkt, &self.options, at);
    }

    fn meddle(&mut self, link: LinkId, pkt: &mut SimPacket) {
        self.middleboxes[link.0 as usize].meddle(pkt, &mut self.options);
    }
}

impl World {
    /// Counts a data packet that has reached its socket's host.
    #[inline]
    fn count_arrival(&mut self, pkt: &SimPacket, now: Instant) {
        let delay = now - pkt.sent_at;
        let flow = &mut self.flows[pkt.socket.flow()];
        flow.tally.received_packets += 1;
        flow.tally.received_bytes += u64::from(pkt.size);
        let group = &mut self.recorder.groups[flow.group as usize];
        if pkt.socket.is_far() {
            flow.tally.delay_sum += delay;
            group.one_way_delay.record(delay);
        } else {
            flow.tally.reverse_packets += 1;
            flow.tally.reverse_delay_sum += delay;
            group.reverse_one_way_delay.record(delay);
        }
        (flow.arrived_from, flow.arrived_again) = (pkt.sent_at, pkt.is_repeated());
    }

    /// A datagram reaches its application; packets without payload are the hosts' own business.
    #[inline]
    fn take_datagram(&mut self, pkt: &SimPacket, now: Instant) {
        if pkt.payload == 0 {
            return;
        }
        self.count_delivery(pkt.socket, u64::from(pkt.payload), now);
        if pkt.is_altered() {
            self.flows[pkt.socket.flow()].tally.altered_bytes += u64::from(pkt.payload);
        }
    }

    /// Whether it was sent before the warm-up, which is over, ended.
    #[inline]
    fn is_early(&self, pkt: &SimPacket) -> bool {
        self.warm_until.is_some_and(|end| pkt.sent_at <= end)
    }

    fn lose(&mut self, pkt: &SimPacket) {
        if pkt.payload > 0 {
            let early = self.is_early(pkt);
            let flow = &mut self.flows[pkt.socket.flow()];
            flow.tally.lost_packets += 1;
            flow.leftover.lost_packets += u64::from(early);
        }
        pkt.release(&mut self.options);
    }

    #[inline]
    fn receive_segment(&mut self, pkt: &SimPacket, fabric: &mut SimFabric) {
        if let Some(Endpoint::Mptcp(_)) = self.sockets[pkt.socket.index()].endpoint {
            return self.receive_multipath(pkt, fabric);
        }
        let segment = pkt.segment(&self.options);
        let id = pkt.socket;
        if pkt.is_syn()
            && id.is_far()
            && self.sockets[id.index()].envelope.destination_port != pkt.source_port
        {
            self.accept(id, pkt.source_port, fabric);
            if let Some(Endpoint::Mptcp(_)) = self.sockets[id.index()].endpoint {
                return self.receive_multipath(pkt, fabric);
            }
        }
        pkt.release(&mut self.options);
        let socket = &mut self.sockets[id.index()];
        if socket.envelope.destination_port != pkt.source_port
            || socket.envelope.source_port != pkt.destination_port
        {
            return; // Of a connection that is gone.
        }
        let Some(Endpoint::Tcp(tcp)) = &mut socket.endpoint else { return };
        tcp.handle_segment(&segment, fabric.now());
        self.serve_socket(id, fabric);
    }

    /// A segment of a Multipath TCP connection, or of one that is to be.
    fn receive_multipath(&mut self, pkt: &SimPacket, fabric: &mut SimFabric) {
        let (segment, options) = (pkt.segment(&self.options), pkt.mptcp(&self.options));
        let id = pkt.socket;
        if pkt.is_syn() && id.is_far() {
            self.knock(pkt, &options, fabric);
        }
        pkt.release(&mut self.options);
        let tuple = tuple_of(pkt);
        let Some(Endpoint::Mptcp(connection)) = &mut self.sockets[id.index()].endpoint else { return };
        connection.handle_segment(&tuple, &segment, &options, fabric.now());
        self.serve_socket(id, fabric);
    }

    /// A SYN of Multipath TCP: it may open a connection, and shows the way back.
    #[cold]
    fn knock(&mut self, pkt: &SimPacket, options: &Options, fabric: &SimFabric) {
        let (id, came) = (pkt.socket, pkt.itinerary(&self.options));
        let joins = matches!(options.signal, Some(Signal::JoinSyn { .. }));
        let new = self.sockets[id.index()].envelope.destination_port != pkt.source_port;
        // A SYN from another port that asks for nothing is a join that a middlebox has robbed of its option.
        let first = self.sockets[id.peer().index()].envelope.source_port == pkt.source_port;
        if !joins && new && first {
            self.options.source_routes.forget(id);
            self.accept(id, pkt.source_port, fabric);
        }
        self.options.source_routes.learn((id, pkt.source_port), came);
    }

    /// Sends what the endpoint has, tells the application what happened, and arms the endpoint's timer.
    pub(crate) fn serve_socket(&mut self, id: SocketId, fabric: &mut SimFabric) {
        self.transmit(id, fabric);
        self.record_rtt(id);
        if self.handle_events(id, fabric) {
            self.transmit(id, fabric);
        }
        let socket = &mut self.sockets[id.index()];
        let deadline = socket.endpoint.as_ref().and_then(Endpoint::poll_timeout).unwrap_or(Instant::MAX);
        if deadline < socket.armed {
            socket.armed = deadline;
            fabric.wake_at(deadline, timer_id(id, TimerKind::Transport));
        }
    }

    #[inline]
    fn transmit(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let now = fabric.now();
        loop {
            let socket = &mut self.sockets[id.index()];
            let header = socket.header;
            let segment = match &mut socket.endpoint {
                Some(Endpoint::Tcp(tcp)) => tcp.poll_transmit(now),
                Some(Endpoint::Mptcp(_)) => return self.transmit_multipath(id, fabric),
                None => return,
            };
            let Some(segment) = segment else { return };
            let pkt = SimPacket::tcp(&socket.envelope, &segment, header, &mut self.options, now);
            self.send(id, pkt, fabric);
        }
    }

    fn transmit_multipath(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let now = fabric.now();
        loop {
            let socket = &mut self.sockets[id.index()];
            let Some(Endpoint::Mptcp(connection)) = &mut socket.endpoint else { return };
            let Some(Transmit { tuple, segment, options, route, .. }) = connection.poll_transmit(now) else {
                return;
            };
            let (source, destination) = (Address(tuple.local), Address(tuple.remote));
            let joins = matches!(options.signal, Some(Signal::JoinSyn { .. }));
            if joins && !reaches(fabric, source, destination) {
                connection.unreachable(&tuple, now);
                continue;
            }
            let envelope = Envelope {
                source,
                destination,
                source_port: tuple.local_port,
                destination_port: tuple.remote_port,
                ..socket.envelope
            };
            let mut pkt = SimPacket::tcp(&envelope, &segment, socket.header, &mut self.options, now);
            if socket.header.is_none() {
                pkt.size += options.len();
            }
            pkt.set_mptcp(&options, &mut self.options);
            if !self.options.source_routes.is_empty() {
                self.set_route((id, tuple.remote_port), route, &mut pkt);
            }
            self.send(id, pkt, fabric);
        }
    }

    /// Lets a packet go by the source route that its connection asks for, or that its peer came by.
    #[cold]
    fn set_route(
        &mut self,
        (id, peer_port): (SocketId, u16),
        asked: Option<SourceRoute>,
        pkt: &mut SimPacket,
    ) {
        let end = (id, self.flows[id.flow()].group);
        if let Some(route) = self.options.source_routes.departing(end, asked, peer_port) {
            pkt.set_route(route, &mut self.options);
        }
    }

    /// Puts a packet onto its host's link.
    #[inline]
    pub(crate) fn send(&mut self, from: SocketId, mut pkt: SimPacket, fabric: &mut SimFabric) {
        if let Some(feedback) = &self.feedback {
            feedback.add(from, &mut pkt, &mut self.options, fabric.now());
        }
        if pkt.payload > 0 {
            let tally = &mut self.flows[from.flow()].tally;
            tally.sent_packets += 1;
            tally.sent_bytes += u64::from(pkt.size);
        }
        self.captures.at_sender(pkt.source, &pkt, &self.options, fabric.now());
        fabric.send(pkt.source, pkt, self);
    }

    #[inline]
    fn record_rtt(&mut self, id: SocketId) {
        let socket = &mut self.sockets[id.index()];
        let Some(endpoint) = &socket.endpoint else { return };
        let (samples, latest) = endpoint.latest_rtt();
        if samples != socket.rtt_seen {
            socket.rtt_seen = samples;
            let flow = &mut self.flows[id.flow()];
            flow.tally.rtt_sum += latest;
            flow.tally.rtt_samples += 1;
            self.recorder.groups[flow.group as usize].rtt.record(latest);
        }
    }

    fn wake_transport(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let socket = &mut self.sockets[id.index()];
        if socket.armed != fabric.now() {
            return; // Superseded by an earlier deadline.
        }
        socket.armed = Instant::MAX;
        let Some(endpoint) = &mut socket.endpoint else { return };
        let timeouts = endpoint.timeouts();
        endpoint.handle_timeout(fabric.now());
        if endpoint.timeouts() != timeouts {
            self.recorder.timeout(id.flow(), fabric.now());
        }
        self.serve_socket(id, fabric);
    }

    fn wake_app(&mut self, id: SocketId, fabric: &mut SimFabric) {
        match &self.flows[id.flow()].driver {
            Driver::Udp { .. } => self.tick_source(id, fabric),
            Driver::Tcp(_) => self.wake_tcp_app(id, fabric),
        }
    }

    /// UDP: sends the datagram that is due and asks for the next one.
    fn tick_source(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let now = fabric.now();
        let flow = &mut self.flows[id.flow()];
        let Driver::Udp { source, header, ecn, sent } = &mut flow.driver else { return };
        if now >= flow.stop {
            return;
        }
        let (size, header, ecn, number) = (source.size().get() as u32, *header, *ecn, *sent);
        *sent = sent.wrapping_add(1);
        let next = source.next(now);
        if let Some(at) = next {
            fabric.wake_at(at, timer_id(id, TimerKind::App));
        }
        let envelope = &self.sockets[id.index()].envelope;
        let pkt = SimPacket::udp(envelope, size, header, ecn, number, now);
        self.send(id, pkt, fabric);
    }

    /// Links that routing knows about may have gone up or down: hosts at their ends see their interfaces change. A
    /// connection hears of all of them before it says anything.
    pub(crate) fn links_changed(&mut self, ways: &[LinkId], fabric: &mut SimFabric) {
        let graph = fabric.graph();
        let addresses = ways.iter().filter_map(|way| graph.source_of(*way));
        let interfaces: Vec<_> = addresses.map(|a| (graph.owner(a), a, graph.is_usable(a))).collect();
        let concerned = if interfaces.is_empty() { 0 } else { self.sockets.len() };
        for index in 0..concerned {
            let socket = &mut self.sockets[index];
            let Some(Endpoint::Mptcp(connection)) = &mut socket.endpoint else { continue };
            let host = fabric.graph().owner(socket.envelope.source);
            let mut hears = false;
            for (_, address, up) in interfaces.iter().filter(|(owner, ..)| *owner == host) {
                hears = true;
                if *up {
                    connection.local_up(address.0, fabric.now());
                } else {
                    connection.local_down(address.0, fabric.now());
                }
            }
            if hears {
                self.serve_socket(SocketId(index as u32), fabric);
            }
        }
    }

    /// A flow's counters including what its endpoints have counted.
    pub(crate) fn tally(&self, flow: usize) -> crate::tally::FlowTally {
        let f = &self.flows[flow];
        let mut tally = f.tally;
        tally.retransmitted_packets = f.retired.retransmitted;
        tally.timeouts = f.retired.timeouts;
        tally.altered_bytes += f.retired.altered;
        let near = SocketId::near(flow);
        for socket in [near, near.peer()] {
            if let Some(endpoint) = &self.sockets[socket.index()].endpoint {
                let stats = endpoint.stats();
                tally.retransmitted_packets += stats.retransmitted_segments;
                tally.timeouts += u64::from(stats.timeouts);
                tally.altered_bytes += endpoint.altered_bytes();
            }
        }
        tally
    }
}

/// Whether packets from `source` reach `destination` itself, not another address of its host: what a host's route
/// for a subnet means.
fn reaches(fabric: &SimFabric, source: Address, destination: Address) -> bool {
    let graph = fabric.graph();
    graph.path(source, destination).is_some_and(|path| path.last().copied() == graph.ingress(destination))
}

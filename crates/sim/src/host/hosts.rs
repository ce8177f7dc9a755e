//! Simulated hosts as seen by the fabric: sockets that send and receive, and the recorder of everything else.

use crate::foreign::hosts::{ForeignHosts, StackScope};
use crate::foreign::reach::PathEnd;
use crate::ground::capacity::CapacityHistory;
use crate::ground::scope::PerScope;
use crate::host::endpoint::Endpoint;
use crate::host::feedback::FEEDBACK_BYTES;
use crate::host::feedback::LabelFeedback;
use crate::host::flow::Flow;
use crate::host::reachability::reaches;
use crate::host::sockets::{Socket, Sockets};
use crate::host::time_wait::TimeWaitTable;
use crate::host::timer::Timer;
use crate::packet::envelope::Envelope;
use crate::packet::flow_end::FlowEnd;
use crate::packet::middlebox::Middlebox;
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use crate::stats::baseline::FlowBaseline;
use crate::stats::capture::Captures;
use crate::stats::classifier_accuracy::ClassifierAccuracy;
use crate::stats::connection_log::ConnectionLog;
use crate::stats::intervals::Intervals;
use crate::stats::loss_attribution::LossAttribution;
use crate::stats::loss_counters::LossCounters;
use crate::stats::recorder::Recorder;
use tailrace_app::{Datagram, PlaybackStats};
use tailrace_core::{Bytes, Ecn};
use tailrace_core::{Instant, SackRanges};
use tailrace_net::{Address, Hosts, LinkId, NodeId, Observer, PacketOps, TimerId};
use tailrace_transport::mptcp::option::Signal;
use tailrace_transport::mptcp::{SourceRoute, Transmit};
use tailrace_transport::segment::Segment;

/// All sockets and flows of a run.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) sockets: Sockets,
    pub(crate) time_wait: TimeWaitTable,
    pub(crate) flows: Vec<Flow>,
    pub(crate) options: OptionsArena,
    pub(crate) recorder: Recorder,
    pub(crate) connection_log: ConnectionLog,
    pub(crate) captures: Captures,
    pub(crate) classifiers: ClassifierAccuracy,
    pub(crate) rates: CapacityHistory,
    /// Label feedback, if a queue uses it.
    pub(crate) feedback: Option<Box<LabelFeedback>>,
    /// Foreign hosts.
    pub(crate) foreign: ForeignHosts,
    /// Middlebox of each link direction; empty if there is none.
    pub(crate) middleboxes: Box<[Middlebox]>,
    /// Whether a packet can reach a host that it is not addressed to.
    pub(crate) looks_at_addresses: bool,
    /// Start of the open windows, exclusive: packets sent until then belong to earlier windows. `None`: the window starts with
    /// the run.
    pub(crate) scope_starts: PerScope<Option<Instant>>,
    /// Counters of all flows at the start of the open windows; empty for a window that starts with the run.
    pub(crate) baselines: PerScope<Vec<FlowBaseline>>,
    /// Playback counters at the start of the open windows; empty if no flow plays video, too.
    pub(crate) playback_baselines: PerScope<Vec<PlaybackStats>>,
    /// Losses and marks of packets that were sent in earlier windows.
    pub(crate) loss_attribution: LossAttribution,
    /// Statistics over intervals, if the scenario records them.
    pub(crate) intervals: Option<Box<Intervals>>,
}

impl PacketOps<SimPacket> for World {
    fn sack(&self, pkt: &SimPacket) -> Option<SackRanges> {
        Some(pkt.sack(&self.options))
    }

    fn duplicate(&mut self, _link: LinkId, pkt: &SimPacket) -> Option<SimPacket> {
        Some(pkt.copy(&mut self.options))
    }

    fn damage(&mut self, _link: LinkId, pkt: &mut SimPacket) {
        pkt.damage();
    }

    fn through_middlebox(&mut self, link: LinkId, pkt: &mut SimPacket) {
        self.middleboxes[link.0 as usize].rewrite(pkt, &mut self.options);
    }
}

impl Hosts<SimPacket> for World {
    #[inline]
    fn receive(&mut self, node: NodeId, pkt: SimPacket, fabric: &mut SimFabric) {
        let now = fabric.now();
        if self.looks_at_addresses && !self.is_for(node, &pkt, fabric) {
            return self.unroutable(node, pkt, now);
        }
        self.captures.at_node(node, &pkt, &self.options, now);
        if pkt.is_damaged() {
            return self.discard(&pkt, now);
        }
        if pkt.payload > 0 {
            self.count_arrival(&pkt, now);
        }
        if self.feedback.is_some() && self.take_feedback(&pkt, fabric) {
            return;
        }
        if !self.foreign.is_empty() && self.receive_beside_foreign(node, &pkt, fabric) {
            return;
        }
        if pkt.is_datagram() {
            self.take_datagram(&pkt, fabric);
        } else {
            self.receive_segment(&pkt, fabric);
        }
    }

    #[inline]
    fn expect(&self, pkt: &SimPacket) {
        let Some(flow) = self.flows.get(pkt.to.flow()) else { return };
        std::hint::black_box((flow.stats.received_packets, flow.arrived_from));
        let Some(socket) = self.sockets.get(pkt.socket) else { return };
        std::hint::black_box(socket.envelope.source);
        match &socket.endpoint {
            Endpoint::Tcp(tcp) => tcp.warm_up(),
            Endpoint::Mptcp(connection) => {
                let options = pkt.mptcp(&self.options);
                std::hint::black_box((options.dss.is_some(), options.signal.is_some()));
                connection.warm_up(&pkt.tuple());
            }
            Endpoint::Remote(_) => {}
        }
    }

    fn wake(&mut self, timer: TimerId, fabric: &mut SimFabric) {
        match Timer::of(timer) {
            Timer::Transport(place) => self.wake_transport(place, fabric),
            Timer::App(flow) => self.wake_app(flow, fabric),
        }
    }

    #[cold]
    fn receive_at_router(&mut self, node: NodeId, pkt: SimPacket, fabric: &mut SimFabric) {
        if self.foreign.is_empty() {
            self.unroutable(node, pkt, fabric.now())
        } else {
            self.end_at_router(node, &pkt, fabric)
        }
    }

    fn next_stop(&mut self, _node: NodeId, pkt: &mut SimPacket) -> bool {
        pkt.next_stop(&mut self.options)
    }
}

impl World {
    /// Whether a packet is for this host. If not, it would have to be forwarded, or has a former address of the host. A packet
    /// for it shows its sender's present address.
    #[cold]
    fn is_for(&mut self, node: NodeId, pkt: &SimPacket, fabric: &SimFabric) -> bool {
        let is_for = fabric.graph().holder(pkt.destination) == Some(node);
        if is_for && pkt.is_datagram() && !self.options.address_changes.is_empty() {
            self.follow_sender(pkt);
        }
        is_for
    }

    /// Takes the labels of a packet that reaches its socket; true for explicit feedback, which ends here and reaches neither
    /// sockets nor kernels.
    #[cold]
    pub(crate) fn take_feedback(&mut self, pkt: &SimPacket, fabric: &mut SimFabric) -> bool {
        let now = fabric.now();
        let (Some(feedback), Some(to)) = (&mut self.feedback, pkt.to.end()) else { return false };
        let answers = feedback.take(to, pkt, &self.options, now);
        let is_explicit = pkt.is_datagram() && pkt.payload == 0 && !pkt.has_bytes(&self.options);
        if is_explicit {
            pkt.release(&mut self.options);
        }
        // Packets to a spoofed address reach nobody.
        if answers && self.flows[to.flow()].spoofed().is_none() {
            let envelope = &self.flows[to.flow()].ends[usize::from(to.is_server())];
            let answer =
                SimPacket::udp(envelope, Datagram::of(Bytes::ZERO), (FEEDBACK_BYTES, Ecn::NotEct), 0, now);
            self.send(to, answer, fabric);
        }
        is_explicit
    }

    /// Receives a packet in a run with foreign hosts; true if it was for one of them.
    #[cold]
    fn receive_beside_foreign(&mut self, node: NodeId, pkt: &SimPacket, fabric: &mut SimFabric) -> bool {
        // A stack beside the host's own gets the packets of its flows alone.
        let scope = pkt.to.end().map_or(StackScope::Host, |end| self.flows[end.flow()].carrier.scope());
        let beside = (scope != StackScope::Host).then(|| self.foreign.at(node, scope)).flatten();
        if let Some(host) = beside.or_else(|| self.foreign.at(node, StackScope::Host)) {
            self.deliver_foreign(host, pkt, fabric);
            return true;
        }
        self.check_payload(pkt);
        if let Some(sender) = pkt.to.host().filter(|_| pkt.is_datagram()) {
            self.answer_foreign((node, sender), (pkt, PathEnd::Here), fabric);
        }
        false
    }

    /// Delivers a datagram to its application; packets without payload are feedback between hosts.
    #[inline]
    fn take_datagram(&mut self, pkt: &SimPacket, fabric: &mut SimFabric) {
        pkt.release(&mut self.options);
        let Some(end) = pkt.to.end().filter(|_| pkt.payload > 0) else { return };
        let flow = self.count_datagram(end, u64::from(pkt.payload), fabric.now());
        if pkt.is_altered() {
            flow.stats.altered_bytes += u64::from(pkt.payload);
        }
        if flow.listens {
            self.on_datagram(end, pkt, fabric);
        }
    }

    /// Flow of a packet; `None` for a foreign host's own traffic.
    #[inline]
    pub(crate) fn flow_of(&self, pkt: &SimPacket) -> Option<usize> {
        pkt.to.end().map(FlowEnd::flow)
    }

    /// Discards a packet with a wrong checksum.
    #[cold]
    pub(crate) fn discard(&mut self, pkt: &SimPacket, now: Instant) {
        self.count_drop(pkt);
        self.recorder.corrupted(self.flow_of(pkt), now);
    }

    pub(crate) fn count_drop(&mut self, pkt: &SimPacket) {
        self.count_loss(pkt, LossCounters::LOST);
        pkt.release(&mut self.options);
    }

    #[inline]
    fn receive_segment(&mut self, pkt: &SimPacket, fabric: &mut SimFabric) {
        let mut id = pkt.socket;
        if !self.sockets.names(pkt) {
            match self.demultiplex(pkt, fabric) {
                Some(found) => id = found,
                None => return pkt.release(&mut self.options),
            }
        }
        let (segment, now) = (pkt.segment(&self.options), fabric.now());
        let Some(socket) = self.sockets.live(id) else { return };
        match &mut socket.endpoint {
            Endpoint::Tcp(tcp) => {
                pkt.release(&mut self.options);
                tcp.handle_segment(&segment, now);
            }
            Endpoint::Mptcp(connection) => {
                if let Some(end) = pkt.to.end().filter(|end| pkt.is_syn() && end.is_server()) {
                    // The source route of a SYN is the way back.
                    let came = pkt.itinerary(&self.options);
                    self.options.source_routes.learn((end, pkt.source_port), came);
                }
                let had = connection.stats().new_bytes;
                connection.handle_segment(&pkt.tuple(), &segment, pkt.mptcp(&self.options), now);
                pkt.release(&mut self.options);
                let new = connection.stats().new_bytes - had;
                let (sequence, end) = (connection.reordering().latest(), socket.end());
                self.count_new_bytes(end, new, sequence);
            }
            // The host has received the segment itself.
            Endpoint::Remote(_) => pkt.release(&mut self.options),
        }
        self.serve_socket(id, fabric);
    }

    /// Sends all segments due, dispatches events to the application, and arms the endpoint's timer.
    pub(crate) fn serve_socket(&mut self, id: SocketId, fabric: &mut SimFabric) {
        self.transmit(id, fabric);
        let Some(socket) = self.sockets.live(id) else { return };
        let (flow, rtt, event) = (socket.end().flow(), socket.take_rtt(), socket.endpoint.poll_event());
        if let Some(rtt) = rtt {
            self.count_rtt(flow, rtt);
        }
        if let Some(event) = event
            && self.handle_events(id, event, fabric)
        {
            self.transmit(id, fabric);
        }
        let Some(socket) = self.sockets.live(id) else { return };
        if socket.endpoint.is_over() {
            return self.retire(id, fabric);
        }
        let deadline = socket.endpoint.poll_timeout().unwrap_or(Instant::MAX);
        if deadline < socket.armed {
            socket.armed = deadline;
            fabric.wake_at(deadline, Timer::Transport(id.place()).id());
        }
    }

    #[inline]
    fn transmit(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let now = fabric.now();
        loop {
            let Some(socket) = self.sockets.live(id) else { return };
            let (end, header) = (socket.end(), socket.header);
            let tcp = match &mut socket.endpoint {
                Endpoint::Tcp(tcp) => tcp,
                Endpoint::Mptcp(_) => return self.transmit_multipath(id, fabric),
                Endpoint::Remote(_) => return self.pass_socket_commands(id, fabric),
            };
            let mut segment = Segment::default();
            if !tcp.poll_transmit_into(&mut segment, now) {
                return;
            }
            if socket.cut_off {
                tcp.on_local_drop(now);
            }
            let exhausted = tcp.is_exhausted();
            let pkt = SimPacket::tcp(&socket.envelope, &segment, header, &mut self.options, now);
            self.send(end, pkt, fabric);
            if exhausted {
                return;
            }
        }
    }

    fn transmit_multipath(&mut self, id: SocketId, fabric: &mut SimFabric) {
        let (mut next, now) = (Transmit::default(), fabric.now());
        loop {
            let Some(socket) = self.sockets.live(id) else { return };
            let Endpoint::Mptcp(connection) = &mut socket.endpoint else { return };
            if !connection.poll_transmit_into(&mut next, now) {
                return;
            }
            let Transmit { tuple, segment, options, route, resent, .. } = &next;
            let (source, destination) = (Address(tuple.local), Address(tuple.remote));
            let joins = matches!(options.signal, Some(Signal::JoinSyn { .. }));
            if joins && !reaches(fabric, source, destination) && connection.unreachable(tuple, now) {
                continue;
            }
            let envelope = Envelope {
                source,
                destination,
                source_port: tuple.local_port,
                destination_port: tuple.remote_port,
                ..socket.envelope
            };
            let exhausted = connection.is_exhausted();
            let (end, header) = (socket.end(), socket.header);
            let mut pkt = SimPacket::tcp(&envelope, segment, header, &mut self.options, now);
            if header.is_none() {
                pkt.size += options.len();
            }
            pkt.set_mptcp(options, &mut self.options);
            if !self.options.source_routes.is_empty() {
                self.set_route((end, tuple.remote_port), *route, &mut pkt);
            }
            self.count_path_sent(end, &pkt, *resent);
            self.send(end, pkt, fabric);
            if exhausted {
                return;
            }
        }
    }

    /// Sends a packet by the source route that its connection asks for, or by the reverse of its peer's.
    #[cold]
    fn set_route(
        &mut self,
        (end, peer_port): (FlowEnd, u16),
        asked: Option<SourceRoute>,
        pkt: &mut SimPacket,
    ) {
        let end = (end, self.flows[end.flow()].group);
        if let Some(route) = self.options.source_routes.departing(end, asked, peer_port) {
            pkt.set_route(route, &mut self.options);
        }
    }

    /// Sends a packet on its host's link.
    #[inline]
    pub(crate) fn send(&mut self, from: FlowEnd, pkt: SimPacket, fabric: &mut SimFabric) {
        self.send_from(pkt.source, from, pkt, fabric);
    }

    /// Sends a packet on the link of the interface with this address, whatever source address the packet has.
    #[inline]
    pub(crate) fn send_from(
        &mut self,
        source: Address,
        from: FlowEnd,
        mut pkt: SimPacket,
        fabric: &mut SimFabric,
    ) {
        self.label(from, &mut pkt, fabric.now());
        self.count_sent(from, &pkt);
        self.captures.at_sender((source, fabric.graph()), &pkt, &self.options, fabric.now());
        fabric.send(source, pkt, self);
    }

    /// Gives a packet that leaves a flow's end the labels that queues ask for.
    #[inline]
    pub(crate) fn label(&mut self, from: FlowEnd, pkt: &mut SimPacket, now: Instant) {
        if let Some(feedback) = &self.feedback {
            feedback.add(from, pkt, &mut self.options, now);
        }
    }

    fn wake_transport(&mut self, place: usize, fabric: &mut SimFabric) {
        let Some(id) = self.sockets.at_place(place) else { return };
        let Some(socket) = self.sockets.get_mut(id) else { return };
        if socket.armed != fabric.now() {
            return; // Superseded by an earlier deadline, or for who had the place before.
        }
        socket.armed = Instant::MAX;
        let timeouts = socket.endpoint.timeouts();
        socket.endpoint.handle_timeout(fabric.now());
        if socket.endpoint.timeouts() != timeouts {
            self.recorder.timeout(socket.end().flow(), fabric.now());
        }
        self.serve_socket(id, fabric);
    }

    /// Socket at an end of the latest connection of a flow, if it exists.
    pub(crate) fn latest(&self, end: FlowEnd) -> Option<&Socket> {
        let client = self.sockets.get(self.flows[end.flow()].latest)?;
        if end.is_server() { self.sockets.get(client.envelope.peer) } else { Some(client) }
    }

    /// Sockets of a flow, at both ends.
    pub(crate) fn sockets_of(&self, flow: usize) -> impl Iterator<Item = &Socket> {
        self.flows[flow].sockets.iter().filter_map(|id| self.sockets.get(*id))
    }
}

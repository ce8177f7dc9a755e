//! Packets of foreign hosts between bytes and fabric.

use crate::foreign::counters::ForeignCounters;
use crate::foreign::host::ForeignHost;
use crate::foreign::host::HostError;
use crate::foreign::hosts::AttachedHost;
use crate::foreign::hosts::ForeignNode;
use crate::foreign::hosts::HostCommand;
use crate::foreign::hosts::HostInterface;
use crate::foreign::hosts::StackScope;
use crate::foreign::payload_check::delivered_bytes;
use crate::foreign::payload_check::wrong_parts;
use crate::foreign::reach::limit_reach;
use crate::foreign::reach::lower_ttl;
use crate::foreign::tx_completion::TxCompletions;
use crate::host::flow::Flow;
use crate::host::flow::FlowTransport;
use crate::host::hosts::World;
use crate::host::timer::Timer;
use crate::packet::flow_end::FlowEnd;
use crate::packet::flow_end::PacketOwner;
use crate::packet::frame_decode::DecodedPacket;
use crate::packet::frame_decode::DecodedPayload;
use crate::packet::frame_encode::StreamPosition;
use crate::packet::frame_encode::bytes_of;
use crate::packet::frame_encode::bytes_with;
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use core::net::Ipv4Addr;
use std::collections::{BTreeMap, VecDeque};
use tailrace_core::Instant;
use tailrace_net::{Address, LinkId, NodeId};
use tailrace_transport::mptcp::Tuple;

impl World {
    /// Attaches a foreign stack to nodes, which share it if there are several.
    pub(crate) fn attach(
        &mut self,
        nodes: &[(NodeId, &str)],
        (host, scope): (Box<dyn ForeignHost + Send>, StackScope),
        fabric: &mut SimFabric,
    ) {
        let number = self.foreign.hosts.len();
        if number == 0 {
            let links = (0..fabric.link_count()).map(|link| fabric.link(LinkId(link as u32)).mtu());
            self.foreign.least_mtu = links.min().unwrap_or_default();
        }
        let mut interfaces = Vec::new();
        for (node, name) in nodes {
            let (graph, owner) = (fabric.graph(), self.foreign.nodes.len());
            let own = graph.addresses(*node).filter_map(|address| Some((address, graph.egress(address)?)));
            interfaces.extend(own.map(|(address, way)| HostInterface { address, way, up: true, owner }));
            let (name, tally) = (name.to_string(), ForeignCounters::default());
            self.foreign.nodes.push(ForeignNode { name, node: *node, scope, tally, errors: BTreeMap::new() });
        }
        let ways = interfaces.iter().map(|interface| interface.way);
        let departures = host.waits_for_departures().then(|| TxCompletions::new(ways, fabric));
        let addresses: Vec<Address> =
            interfaces.iter().flat_map(|i| self.options.address_changes.all(i.address)).collect();
        self.foreign.index(number, scope, (nodes.iter().map(|(node, _)| *node), &addresses));
        self.foreign.hosts.push(AttachedHost {
            name: nodes.first().map_or_else(String::new, |(_, name)| name.to_string()),
            has_sockets: host.has_sockets(),
            scope,
            host,
            interfaces,
            addresses,
            armed: Instant::MAX,
            departures,
            orders: VecDeque::new(),
            is_served: false,
        });
        (0..self.flows.len()).for_each(|flow| self.name_foreign_ends(flow, fabric));
        self.serve_foreign(number, fabric);
    }

    /// Registers the ends of a flow with a foreign host under all addresses that their hosts have for it during the run.
    fn name_foreign_ends(&mut self, flow: usize, fabric: &SimFabric) {
        let (scope, [client, server]) = (self.flows[flow].carrier.scope(), self.flows[flow].ends);
        if !self.foreign.has(client.source, scope) && !self.foreign.has(client.destination, scope) {
            return;
        }
        let several = self.flows[flow].carrier.is_multipath();
        let all = |address: Address| -> Vec<Address> {
            let graph = fabric.graph();
            let host = graph.owner(address).filter(|_| several);
            let first = host.map_or_else(|| vec![address], |host| graph.addresses(host).collect());
            first.into_iter().flat_map(|first| self.options.address_changes.all(first)).collect()
        };
        let end = FlowEnd::client(flow).peer();
        for local in all(server.source) {
            for remote in all(client.source) {
                let to_server = Tuple { local: local.0, remote: remote.0, remote_port: 0, ..server.tuple() };
                self.foreign.ends.entry(to_server).or_insert(end);
                self.foreign.ends.entry(to_server.reversed()).or_insert(end.peer());
            }
        }
    }

    /// Delivers a packet to a foreign host.
    #[cold]
    pub(crate) fn deliver_foreign(&mut self, host: usize, pkt: &SimPacket, fabric: &mut SimFabric) {
        if self.foreign.failure.is_some() {
            return pkt.release(&mut self.options); // One that hangs is not waited for again.
        }
        let now = fabric.now();
        if pkt.is_datagram()
            && pkt.payload > 0
            && let Some(end) = pkt.to.end()
            && matches!(self.flows[end.flow()].carrier, FlowTransport::Datagrams(_))
        {
            // The flow's datagram counts as arrived here; the simulator does not see what the host does with it.
            self.count_datagram(end, u64::from(pkt.payload), now);
        }
        if !pkt.is_datagram()
            && let Some(end) = pkt.to.end()
        {
            self.count_foreign_path_received(end, pkt);
        }
        let place = self.stream_position(host, pkt);
        let foreign = &mut self.foreign;
        match place {
            Some(place) => bytes_with(place, pkt, &self.options, &mut foreign.buffer),
            None => bytes_of(pkt, &self.options, &mut foreign.buffer),
        }
        pkt.release(&mut self.options);
        lower_ttl(&mut foreign.buffer, pkt, fabric);
        let attached = &mut foreign.hosts[host];
        let Some(interface) = attached.interfaces.iter().position(|i| i.address == pkt.destination) else {
            return;
        };
        let tally = &mut foreign.nodes[attached.interfaces[interface].owner].tally;
        tally.received_packets += 1;
        tally.received_bytes += foreign.buffer.len() as u64;
        // The horizon is the time of arrival: the host must not run ahead of it.
        let run = attached.host.run_until(now, now);
        if let Err(error) = run.and_then(|()| attached.host.deliver(interface, &foreign.buffer)) {
            return foreign.fail(host, now, error);
        }
        self.serve_foreign(host, fabric);
    }

    /// Runs a foreign host's due event.
    pub(crate) fn wake_foreign(&mut self, host: usize, fabric: &mut SimFabric) {
        let now = fabric.now();
        let Some(attached) = self.foreign.hosts.get_mut(host) else { return };
        if attached.armed != now || self.foreign.failure.is_some() {
            return; // Superseded by an earlier event.
        }
        attached.armed = Instant::MAX;
        let told = self.report_completions(host, fabric);
        let attached = &mut self.foreign.hosts[host];
        let horizon = attached.horizon(fabric);
        match told.and_then(|()| attached.host.run_until(now, horizon)) {
            Ok(()) => self.serve_foreign(host, fabric),
            Err(error) => self.foreign.fail(host, now, error),
        }
    }

    /// Sends a foreign host's packets, handles its socket reports and passes it commands until nothing is left; then arms the
    /// timer of its next event.
    fn serve_foreign(&mut self, host: usize, fabric: &mut SimFabric) {
        self.foreign.hosts[host].is_served = true;
        loop {
            self.take_foreign(host, fabric);
            let spoke = self.handle_socket_report(host, fabric) || self.pass_next_command(host, fabric);
            if !spoke || self.foreign.failure.is_some() {
                break;
            }
        }
        let attached = &mut self.foreign.hosts[host];
        attached.is_served = false;
        let departure = attached.departures.as_ref().map_or(Instant::MAX, |d| d.next(fabric));
        let next = attached.host.next_event().unwrap_or(Instant::MAX).min(departure).max(fabric.now());
        if next < attached.armed {
            attached.armed = next;
            fabric.wake_at(next, Timer::App(self.flows.len() + host).id());
        }
    }

    fn take_foreign(&mut self, host: usize, fabric: &mut SimFabric) {
        let mut bytes = std::mem::take(&mut self.foreign.buffer);
        while let Some(interface) = self.foreign.hosts[host].host.take(&mut bytes) {
            let number = self.foreign.hosts[host].departures.as_mut().map(TxCompletions::number);
            self.send_foreign((host, interface, number), &bytes, fabric);
        }
        self.foreign.buffer = bytes;
    }

    fn send_foreign(
        &mut self,
        (host, interface, number): (usize, usize, Option<u64>),
        bytes: &[u8],
        fabric: &mut SimFabric,
    ) {
        let attached = &mut self.foreign.hosts[host];
        let there = &attached.interfaces[interface.min(attached.interfaces.len() - 1)];
        let (node, way) = (there.owner, there.way);
        let there = attached.interfaces.get(interface);
        let (Ok(frame), Some(out)) = (DecodedPacket::decode(bytes), there.map(|there| there.address)) else {
            self.foreign.nodes[node].tally.malformed_packets += 1;
            if let (Some(departures), Some(number)) = (&mut attached.departures, number) {
                departures.leaves(number, fabric.now());
            }
            return;
        };
        let (end, socket) = self.receiver_of(&frame);
        let to = end.map_or(PacketOwner::foreign(node), PacketOwner::from);
        let mut pkt = SimPacket::foreign(&frame, (bytes, to), &mut self.options, fabric.now());
        pkt.socket = socket;
        match end {
            Some(end) => {
                self.label(end.peer(), &mut pkt, fabric.now());
                self.count_sent(end.peer(), &pkt);
                self.count_foreign_path_sent(end.peer(), &pkt);
            }
            None => {
                let tally = &mut self.foreign.nodes[node].tally;
                tally.sent_packets += 1;
                tally.sent_bytes += u64::from(pkt.size);
            }
        }
        self.captures.at_sender((out, fabric.graph()), &pkt, &self.options, fabric.now());
        if let Some(number) = number {
            let place = pkt.frame_place(&self.options);
            self.foreign.await_departure((host, number), (way, place), fabric.now());
        }
        limit_reach((&frame, out, self.foreign.least_mtu), &mut pkt, fabric);
        fabric.send(out, pkt, self);
    }

    /// End of a flow that a packet is for, and its socket if known.
    fn receiver_of(&self, frame: &DecodedPacket) -> (Option<FlowEnd>, SocketId) {
        let tuple = frame.tuple.reversed();
        let datagram = match frame.content {
            DecodedPayload::Tcp { .. } => false,
            DecodedPayload::Udp { .. } => true,
            DecodedPayload::Other { .. } => return (None, SocketId::NONE),
        };
        let socket = if datagram { None } else { self.sockets.find(&tuple) };
        if let Some(id) = socket
            && let Some(socket) = self.sockets.get(id)
        {
            return (Some(socket.end()), id);
        }
        (self.foreign_end(&tuple, datagram), SocketId::NONE)
    }

    /// End of a flow that such a packet is for, by addresses and ports as the receiver sees them. Any client port matches.
    pub(crate) fn foreign_end(&self, tuple: &Tuple, datagram: bool) -> Option<FlowEnd> {
        let keys = [Tuple { remote_port: 0, ..*tuple }, Tuple { local_port: 0, ..*tuple }];
        let end = keys.iter().find_map(|key| self.foreign.ends.get(key)).copied();
        end.filter(|end| self.flows[end.flow()].carrier.is_in_datagrams() == datagram)
    }

    /// Tells foreign hosts at the ends of these links whether they are up, and their new addresses there.
    pub(crate) fn notify_foreign_hosts(&mut self, ways: &[LinkId], fabric: &mut SimFabric) {
        for host in 0..self.foreign.hosts.len() {
            let (mut turned, mut moved) = (Vec::new(), Vec::new());
            let interfaces = self.foreign.hosts[host].interfaces.iter_mut().enumerate();
            for (number, interface) in interfaces.filter(|(_, interface)| ways.contains(&interface.way)) {
                let up = fabric.graph().is_up(interface.way);
                if std::mem::replace(&mut interface.up, up) != up {
                    turned.push((number, up));
                }
                let Some(address) = fabric.graph().source_of(interface.way) else { continue };
                if std::mem::replace(&mut interface.address, address) != address {
                    moved.push((number, Ipv4Addr::from(address.0)));
                }
            }
            if (turned.is_empty() && moved.is_empty()) || self.foreign.failure.is_some() {
                continue;
            }
            let (now, attached) = (fabric.now(), &mut self.foreign.hosts[host]);
            let mut told = attached.host.run_until(now, now);
            for (interface, up) in turned {
                told = told.and_then(|()| attached.host.link_changed(interface, up));
            }
            if !moved.is_empty() {
                attached.orders.push_back(HostCommand::Addresses(moved));
            }
            match told {
                Ok(()) => self.serve_foreign(host, fabric),
                Err(error) => self.foreign.fail(host, now, error),
            }
        }
    }

    /// Counts a foreign host's packet as sent on its path.
    fn count_foreign_path_sent(&mut self, from: FlowEnd, pkt: &SimPacket) {
        if self.flows[from.flow()].paths.is_some() && pkt.payload > 0 {
            let again = self.foreign.mappings.on_sent(pkt);
            self.count_path_sent(from, pkt, again);
        }
    }

    /// Counts a packet to a foreign host as received on its path.
    fn count_foreign_path_received(&mut self, to: FlowEnd, pkt: &SimPacket) {
        if self.flows[to.flow()].paths.is_some()
            && let Some((new, dsn)) = self.foreign.mappings.on_received(to.index(), pkt, &self.options)
        {
            self.count_new_bytes(to, new, dsn);
        }
    }

    /// Records that a packet leaves its host's link at `at`, or is dropped there.
    #[cold]
    pub(crate) fn record_departure(&mut self, pkt: &SimPacket, at: Instant) {
        self.foreign.on_departure(pkt.frame_place(&self.options), at);
    }

    /// Advances the outgoing links of a host to the present, and reports its transmit completions.
    fn report_completions(&mut self, host: usize, fabric: &mut SimFabric) -> Result<(), HostError> {
        let Some(departures) = &self.foreign.hosts[host].departures else { return Ok(()) };
        if departures.waiting > 0 {
            let ways = departures.ways.clone();
            ways.iter().for_each(|way| fabric.settle(*way, self));
        }
        let attached = &mut self.foreign.hosts[host];
        let now = fabric.now();
        let due = attached.departures.as_mut().map_or_else(Vec::new, |departures| departures.due(now));
        if due.is_empty() { Ok(()) } else { attached.host.sent(now, &due) }
    }

    /// Stream position of the payload of a packet to or from the simulated socket `id` at this end of a flow, and the data
    /// sequence number of byte 0. `None` if the connection's SYN was not seen.
    fn place_of(&mut self, pkt: &SimPacket, end: FlowEnd, id: Option<SocketId>) -> Option<StreamPosition> {
        let subflow = self.foreign.contents.subflows.get_mut(&pkt.tuple())?;
        if subflow.initial.is_none() && self.flows[end.flow()].carrier.is_multipath() {
            let connection = self.sockets.get(id?).and_then(|socket| socket.endpoint.as_mptcp());
            let numbers = connection.and_then(|connection| connection.initial_numbers());
            subflow.initial = numbers.map(|(own, peer)| if pkt.to.end() == Some(end) { peer } else { own });
        }
        let byte = subflow.place(pkt.seq, pkt.mptcp(&self.options));
        Some(StreamPosition { byte, origin: subflow.initial.unwrap_or_default().wrapping_add(1) })
    }

    /// Simulated socket at an end of a flow whose connection, or a subflow of it, has these addresses and ports.
    fn socket_of_subflow(&self, end: FlowEnd, tuple: &Tuple) -> Option<SocketId> {
        let has = |id: &&SocketId| {
            let socket = self.sockets.get(**id).filter(|socket| socket.end() == end);
            let connection = socket.and_then(|socket| socket.endpoint.as_mptcp());
            connection.is_some_and(|connection| connection.has_subflow(tuple))
        };
        self.sockets.find(tuple).or_else(|| self.flows[end.flow()].sockets.iter().find(has).copied())
    }

    /// Stream position of a packet that reaches a foreign host, if its payload is stream data without bytes.
    fn stream_position(&mut self, host: usize, pkt: &SimPacket) -> Option<StreamPosition> {
        let end = pkt.to.end().filter(|_| !pkt.is_datagram() && !pkt.has_bytes(&self.options))?;
        if !self.foreign.hosts[host].has_sockets {
            return None;
        }
        if pkt.opens() {
            self.foreign.contents.begin(pkt);
        }
        let sender = end.peer();
        let id = self.socket_of_subflow(sender, &pkt.tuple().reversed());
        self.place_of(pkt, sender, id).filter(|_| pkt.payload > 0)
    }

    /// Compares the payload that a foreign host's socket sent to a simulated host with the expected pattern.
    #[cold]
    pub(crate) fn check_payload(&mut self, pkt: &SimPacket) {
        let Some(end) = pkt.to.end().filter(|_| !pkt.is_datagram() && pkt.has_bytes(&self.options)) else {
            return;
        };
        if self.foreign.with_sockets(pkt.source, StackScope::Host).is_none() {
            return;
        }
        if pkt.opens() {
            self.foreign.contents.begin(pkt);
        }
        let id = self.socket_of_subflow(end, &pkt.tuple()).filter(|_| pkt.payload > 0);
        let Some((id, place)) = id.zip(self.place_of(pkt, end, id)) else { return };
        let (Some(socket), Some(bytes)) = (self.sockets.get(id), pkt.frame(&self.options)) else { return };
        let payload = &bytes[bytes.len() - usize::from(pkt.payload)..];
        // The delivered bytes give the upper half of the position.
        let delivered = socket.endpoint.received();
        let ahead = i64::from(place.byte.wrapping_sub(delivered as u32).cast_signed());
        let start = delivered.saturating_add_signed(ahead);
        let parts = wrong_parts(place.byte, payload).into_iter();
        let wrong = parts.map(|part| start + part.start..start + part.end).collect();
        let came = start..start + u64::from(pkt.payload);
        let receiver = (delivered, &socket.endpoint.waiting()[..]);
        self.foreign.contents.add_suspect((end.flow(), id), receiver, &came, wrong);
    }

    /// Wrong bytes delivered to applications of a flow; `None` for a flow without a foreign host's socket.
    pub(crate) fn wrong_bytes(&self, flow: usize) -> Option<u64> {
        let Flow { carrier, ends, .. } = &self.flows[flow];
        let known = matches!(carrier, FlowTransport::Streams(_))
            && ends.iter().any(|end| self.foreign.with_sockets(end.source, carrier.scope()).is_some());
        let contents = &self.foreign.contents;
        let all = contents.suspects.range((flow, SocketId::FIRST)..=(flow, SocketId::NONE));
        let since = all.map(|((_, id), parts)| {
            let delivered = self.sockets.get(*id).map_or(u64::MAX, |socket| socket.endpoint.received());
            delivered_bytes(parts, delivered)
        });
        known.then(|| contents.wrong.get(&flow).copied().unwrap_or_default() + since.sum::<u64>())
    }
}

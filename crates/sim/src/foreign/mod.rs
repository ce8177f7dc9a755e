//! Hosts whose stacks are not the simulator's: their packets on their way in and out of the fabric.
//!
//! A foreign host's packet becomes a packet like any other, whose bytes lie in the arena beside it; so simulated flows and
//! foreign hosts share links, and one code drops and marks both. What reaches a foreign host is made into bytes again: as
//! they were sent, but for what queues and middleboxes have done.
//!
//! A packet that belongs to a flow of the scenario is counted to it: its other end may be simulated, with a socket or a server
//! that waits for one. Others are counted to the host that sent them. A host that [has sockets](ForeignHost::has_sockets) can be
//! the end of a flow itself: its applications are the simulator's, their sockets the host's.

mod content;
mod datagrams;
mod departures;
mod host;
mod icmp;
mod mappings;
mod reach;
mod remote;
mod socket;
mod sockets;
mod tally;

pub use crate::foreign::host::{AttachError, ForeignHost, HostError, HostFailure};
pub(crate) use crate::foreign::reach::End;
pub(crate) use crate::foreign::remote::Remote;
pub use crate::foreign::socket::{
    DatagramSocket, FlowSockets, SocketCommand, SocketEvent, SocketFigures, SocketKind, SocketOrder,
    SocketPair, SocketReport, StreamFigures, SubflowFigures,
};
pub(crate) use crate::foreign::tally::ForeignTally;

use crate::foreign::content::Contents;
use crate::foreign::departures::{COALESCED, Departures, Waiting};
use crate::foreign::icmp::Errors;
use crate::foreign::mappings::Mappings;
use crate::ground::tuple_map::ByTuple;
use crate::host::flow::Carrier;
use crate::host::hosts::World;
use crate::host::timer::Timer;
use crate::packet::flow_end::{FlowEnd, Owner};
use crate::packet::frame_decode::{Content, Frame};
use crate::packet::frame_encode::{bytes_of, bytes_with};
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use core::fmt;
use core::net::Ipv4Addr;
use std::collections::{BTreeMap, VecDeque};
use tailrace_core::{Bytes, Duration, Instant};
use tailrace_net::{Address, Graph, LinkId, NodeId};
use tailrace_transport::mptcp::Tuple;

/// All foreign hosts of a run; none in most runs.
#[derive(Default)]
pub(crate) struct Foreign {
    hosts: Vec<Attached>,
    /// The nodes that they are, of all of them.
    nodes: Vec<ForeignNode>,
    /// The ends of flows at foreign hosts or that these speak to, by addresses and the server's port, the receiver's first.
    ends: ByTuple<FlowEnd>,
    /// What connections of Multipath TCP do by each path.
    mappings: Mappings,
    /// What their payload is.
    contents: Contents,
    /// Packets of hosts that want to hear when these have left.
    waiting: Waiting,
    /// No link carries less.
    least_mtu: Bytes,
    failure: Option<HostFailure>,
    /// The packet that is under way between bytes and fabric.
    buffer: Vec<u8>,
    /// What a simulated host answers.
    answer: Vec<u8>,
}

/// A host of the scenario whose stack is foreign.
struct ForeignNode {
    name: String,
    node: NodeId,
    /// Who it is part of.
    host: usize,
    tally: ForeignTally,
    /// How many errors each simulated node may still send it.
    errors: BTreeMap<NodeId, Errors>,
}

/// One of them: a host of the scenario, or several of one kernel.
struct Attached {
    host: Box<dyn ForeignHost + Send>,
    /// Its own, or of several the first's.
    name: String,
    /// In the order of its hosts and of their links.
    interfaces: Vec<Interface>,
    /// All addresses that these have at some time of the run.
    addresses: Vec<Address>,
    /// When its pending wake-up comes; a later event waits for it, an earlier one supersedes it.
    armed: Instant,
    /// What it is to hear of, where it wants to.
    departures: Option<Departures>,
    /// Whether flows can have ends there.
    has_sockets: bool,
    /// What is to be said to it, in this order: a socket is opened from an address that there is then.
    orders: VecDeque<Order>,
    /// Somebody is about to hear all that it says.
    is_served: bool,
}

/// What is said to one.
enum Order {
    Socket(SocketCommand),
    Addresses(Vec<(usize, Ipv4Addr)>),
}

/// Where one sends and receives packets.
struct Interface {
    /// The present one.
    address: Address,
    /// The way out.
    way: LinkId,
    /// Whether its link is up, as far as the host was told.
    up: bool,
    /// The node that it is of, by its number among all.
    owner: usize,
}

impl Attached {
    /// Nothing reaches it before then: the fabric's next event, or what comes back of a packet that it sends now.
    fn horizon(&self, fabric: &mut SimFabric) -> Instant {
        let ways = || self.interfaces.iter().map(|interface| interface.way);
        let out = ways().map(|way| fabric.link(way).delay()).min();
        let back = ways().map(|way| fabric.link(way.reversed()).delay()).min();
        let Some((out, back)) = out.zip(back) else { return fabric.now() };
        // Where a link joins two hosts of it, one link is the way out and back.
        let graph = fabric.graph();
        let is_own =
            |way: LinkId| graph.source_of(way.reversed()).is_some_and(|a| self.addresses.contains(&a));
        let back = if self.interfaces.len() > 1 && ways().any(is_own) { Duration::ZERO } else { back };
        let returns = fabric.now().saturating_add(out).saturating_add(back);
        let horizon = fabric.horizon().min(returns);
        let Some(departures) = &self.departures else { return horizon };
        let told = departures.next(fabric).min(fabric.now().saturating_add(COALESCED));
        horizon.min(told.max(fabric.now()))
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.nodes.iter().map(|n| &n.name)).finish()
    }
}

impl Foreign {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// The number of the host of the scenario that sent a packet, if that is a foreign one.
    fn sender_of(&self, pkt: &SimPacket, graph: &Graph) -> Option<usize> {
        let at = |node| self.nodes.iter().position(|n| n.node == node);
        pkt.to.host().or_else(|| at(graph.owner(pkt.source)?))
    }

    /// The foreign host at a node.
    pub(crate) fn at(&self, node: NodeId) -> Option<usize> {
        self.nodes.iter().find(|n| n.node == node).map(|n| n.host)
    }

    /// Whether one has this address, now or at another time.
    pub(crate) fn has(&self, address: Address) -> bool {
        self.hosts.iter().any(|h| h.addresses.contains(&address))
    }

    /// Why the run cannot go on, if it cannot.
    pub(crate) fn failure(&self) -> Option<&HostFailure> {
        self.failure.as_ref()
    }

    /// What each has sent and received, by name.
    pub(crate) fn tallies(&self) -> impl Iterator<Item = (&str, &ForeignTally)> {
        self.nodes.iter().map(|n| (n.name.as_str(), &n.tally))
    }

    /// What the sender of a packet that is none of a flow's has counted.
    pub(crate) fn tally_mut(&mut self, owner: Owner) -> Option<&mut ForeignTally> {
        self.nodes.get_mut(owner.host()?).map(|n| &mut n.tally)
    }

    /// The name of a host, by its number.
    pub(crate) fn name(&self, host: usize) -> Option<&str> {
        self.hosts.get(host).map(|h| h.name.as_str())
    }

    fn fail(&mut self, host: usize, at: Instant, error: HostError) {
        let name = self.hosts[host].name.clone();
        self.failure.get_or_insert(HostFailure { host: name, at, why: error.0 });
    }
}

impl World {
    /// Gives nodes their foreign stack, which they share if they are several.
    pub(crate) fn attach(
        &mut self,
        nodes: &[(NodeId, &str)],
        host: Box<dyn ForeignHost + Send>,
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
            interfaces.extend(own.map(|(address, way)| Interface { address, way, up: true, owner }));
            let (name, tally) = (name.to_string(), ForeignTally::default());
            self.foreign.nodes.push(ForeignNode {
                name,
                node: *node,
                host: number,
                tally,
                errors: BTreeMap::new(),
            });
        }
        let ways = interfaces.iter().map(|interface| interface.way);
        let departures = host.waits_for_departures().then(|| Departures::new(ways, fabric));
        let addresses = interfaces.iter().flat_map(|i| self.options.aliases.all(i.address)).collect();
        self.foreign.hosts.push(Attached {
            name: nodes.first().map_or_else(String::new, |(_, name)| name.to_string()),
            has_sockets: host.has_sockets(),
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

    /// The ends of a flow are known by all addresses that their hosts ever have for it, if a foreign host has one of them.
    fn name_foreign_ends(&mut self, flow: usize, fabric: &SimFabric) {
        let [client, server] = self.flows[flow].ends;
        if !self.foreign.has(client.source) && !self.foreign.has(client.destination) {
            return;
        }
        let several = self.flows[flow].carrier.is_multipath();
        let all = |address: Address| -> Vec<Address> {
            let graph = fabric.graph();
            let host = graph.owner(address).filter(|_| several);
            let first = host.map_or_else(|| vec![address], |host| graph.addresses(host).collect());
            first.into_iter().flat_map(|first| self.options.aliases.all(first)).collect()
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

    /// A packet has reached a foreign host.
    #[cold]
    pub(crate) fn deliver_foreign(&mut self, host: usize, pkt: &SimPacket, fabric: &mut SimFabric) {
        if self.foreign.failure.is_some() {
            return pkt.release(&mut self.options); // One that hangs is not waited for again.
        }
        let now = fabric.now();
        if pkt.is_datagram()
            && pkt.payload > 0
            && let Some(end) = pkt.to.end()
        {
            // A flow's bytes have arrived; what the host does with them is its own.
            self.count_datagram(end, u64::from(pkt.payload), now);
        }
        if !pkt.is_datagram()
            && let Some(end) = pkt.to.end()
        {
            self.map_arrived(end, pkt);
        }
        let place = self.content_of(host, pkt);
        let foreign = &mut self.foreign;
        match place {
            Some(place) => bytes_with(place, pkt, &self.options, &mut foreign.buffer),
            None => bytes_of(pkt, &self.options, &mut foreign.buffer),
        }
        pkt.release(&mut self.options);
        reach::lower(&mut foreign.buffer, pkt, fabric);
        let attached = &mut foreign.hosts[host];
        let Some(interface) = attached.interfaces.iter().position(|i| i.address == pkt.destination) else {
            return;
        };
        let tally = &mut foreign.nodes[attached.interfaces[interface].owner].tally;
        tally.received_packets += 1;
        tally.received_bytes += foreign.buffer.len() as u64;
        // Not ahead of the time at which the packet comes.
        let run = attached.host.run_until(now, now);
        if let Err(error) = run.and_then(|()| attached.host.deliver(interface, &foreign.buffer)) {
            return foreign.fail(host, now, error);
        }
        self.serve_foreign(host, fabric);
    }

    /// A foreign host's next event is due.
    pub(crate) fn wake_foreign(&mut self, host: usize, fabric: &mut SimFabric) {
        let now = fabric.now();
        let Some(attached) = self.foreign.hosts.get_mut(host) else { return };
        if attached.armed != now || self.foreign.failure.is_some() {
            return; // Superseded by an earlier event.
        }
        attached.armed = Instant::MAX;
        let told = self.tell_departures(host, fabric);
        let attached = &mut self.foreign.hosts[host];
        let horizon = attached.horizon(fabric);
        match told.and_then(|()| attached.host.run_until(now, horizon)) {
            Ok(()) => self.serve_foreign(host, fabric),
            Err(error) => self.foreign.fail(host, now, error),
        }
    }

    /// Sends what a foreign host has sent, hears what it says of its sockets and says what they are to do, until there is nothing
    /// more; and asks to be woken for its next event.
    fn serve_foreign(&mut self, host: usize, fabric: &mut SimFabric) {
        self.foreign.hosts[host].is_served = true;
        loop {
            self.take_foreign(host, fabric);
            let spoke = self.hear_foreign(host, fabric) || self.order_foreign(host, fabric);
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
            let number = self.foreign.hosts[host].departures.as_mut().map(Departures::number);
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
        let (Ok(frame), Some(out)) = (Frame::decode(bytes), there.map(|there| there.address)) else {
            self.foreign.nodes[node].tally.malformed_packets += 1;
            if let (Some(departures), Some(number)) = (&mut attached.departures, number) {
                departures.leaves(number, fabric.now());
            }
            return;
        };
        let (end, socket) = self.receiver_of(&frame);
        let to = end.map_or(Owner::foreign(node), Owner::from);
        let mut pkt = SimPacket::foreign(&frame, (bytes, to), &mut self.options, fabric.now());
        pkt.socket = socket;
        match end {
            Some(end) => {
                self.label(end.peer(), &mut pkt, fabric.now());
                self.count_sent(end.peer(), &pkt);
                self.map_sent(end.peer(), &pkt);
            }
            None => {
                let tally = &mut self.foreign.nodes[node].tally;
                tally.sent_packets += 1;
                tally.sent_bytes += u64::from(pkt.size);
            }
        }
        self.captures.at_sender((out, fabric.graph()), &pkt, &self.options, fabric.now());
        if let Some(number) = number {
            self.expect_departure((host, number), (way, &pkt), fabric.now());
        }
        reach::limit((&frame, out, self.foreign.least_mtu), &mut pkt, fabric);
        fabric.send(out, pkt, self);
    }

    /// Which end of a flow a packet is for, and its socket, if it has one.
    fn receiver_of(&self, frame: &Frame) -> (Option<FlowEnd>, SocketId) {
        let tuple = frame.tuple.reversed();
        let datagram = match frame.content {
            Content::Tcp { .. } => false,
            Content::Udp { .. } => true,
            Content::Other { .. } => return (None, SocketId::NONE),
        };
        let socket = if datagram { None } else { self.sockets.find(&tuple) };
        if let Some(id) = socket
            && let Some(socket) = self.sockets.get(id)
        {
            return (Some(socket.end()), id);
        }
        (self.foreign_end(&tuple, datagram), SocketId::NONE)
    }

    /// The end of a flow that such a packet is for, addresses and ports as it sees them. A client's port is whatever it chose.
    fn foreign_end(&self, tuple: &Tuple, datagram: bool) -> Option<FlowEnd> {
        let keys = [Tuple { remote_port: 0, ..*tuple }, Tuple { local_port: 0, ..*tuple }];
        let end = keys.iter().find_map(|key| self.foreign.ends.get(key)).copied();
        end.filter(|end| matches!(self.flows[end.flow()].carrier, Carrier::Udp(_)) == datagram)
    }

    /// Foreign hosts at the ends of these link directions hear that they went down or came up, and which addresses they have there
    /// from now on.
    pub(crate) fn tell_foreign(&mut self, ways: &[LinkId], fabric: &mut SimFabric) {
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
                attached.orders.push_back(Order::Addresses(moved));
            }
            match told {
                Ok(()) => self.serve_foreign(host, fabric),
                Err(error) => self.foreign.fail(host, now, error),
            }
        }
    }
}

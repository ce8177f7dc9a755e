//! Foreign hosts of a run: interfaces, queued commands, counters and flow ends.

use crate::foreign::counters::ForeignCounters;
use crate::foreign::data_mappings::DataMappings;
use crate::foreign::host::{ForeignHost, HostError, HostFailure};
use crate::foreign::icmp_limit::IcmpRateLimit;
use crate::foreign::payload_check::PayloadCheck;
use crate::foreign::socket::SocketCommand;
use crate::foreign::tx_completion::{COALESCED, PendingCompletions, TxCompletions};
use crate::ground::tuple_map::TupleMap;
use crate::packet::flow_end::{FlowEnd, PacketOwner};
use crate::packet::sim_packet::{SimFabric, SimPacket};
use core::fmt;
use core::net::Ipv4Addr;
use std::collections::{BTreeMap, VecDeque};
use tailrace_core::{Bytes, Duration, Instant};
use tailrace_net::{Address, Graph, LinkId, NodeId};
use tailrace_transport::quic::QuicStack;

/// Flows whose ends at a host a foreign stack carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackScope {
    /// All of them: it is the host's only stack.
    Host,
    /// Flows over this implementation of QUIC: it stands beside the host's own stack.
    Quic(QuicStack),
}

impl StackScope {
    const COUNT: usize = 1 + QuicStack::ALL.len();

    /// Place in tables by scope.
    const fn index(self) -> usize {
        match self {
            Self::Host => 0,
            Self::Quic(QuicStack::Noq) => 1,
            Self::Quic(QuicStack::Quinn) => 2,
        }
    }
}

/// All foreign hosts of a run; empty in most runs.
#[derive(Default)]
pub(crate) struct ForeignHosts {
    pub(crate) hosts: Vec<AttachedHost>,
    /// Nodes of all foreign hosts.
    pub(crate) nodes: Vec<ForeignNode>,
    /// Ends of flows at foreign hosts, or that foreign hosts talk to, by addresses and the server's port, the receiver's first.
    pub(crate) ends: TupleMap<FlowEnd>,
    /// Per-path data of MPTCP connections.
    pub(crate) mappings: DataMappings,
    /// Payload comparison of streams.
    pub(crate) contents: PayloadCheck,
    /// Packets whose transmit completion a host waits for.
    pub(crate) waiting: PendingCompletions,
    /// Smallest MTU of all links.
    pub(crate) least_mtu: Bytes,
    /// Foreign host at each node, and at each address of it, by scope.
    by_node: [BTreeMap<NodeId, usize>; StackScope::COUNT],
    by_address: [BTreeMap<Address, usize>; StackScope::COUNT],
    pub(crate) failure: Option<HostFailure>,
    /// Buffer for a packet on its way between bytes and fabric.
    pub(crate) buffer: Vec<u8>,
    /// Buffer for a simulated host's reply.
    pub(crate) answer: Vec<u8>,
}

/// A host of the scenario whose stack is foreign.
pub(crate) struct ForeignNode {
    pub(crate) name: String,
    pub(crate) node: NodeId,
    pub(crate) scope: StackScope,
    pub(crate) tally: ForeignCounters,
    /// Rate limits of ICMP errors to it, by the simulated node that sends them.
    pub(crate) errors: BTreeMap<NodeId, IcmpRateLimit>,
}

/// A foreign stack: one host of the scenario, or several in one kernel.
pub(crate) struct AttachedHost {
    pub(crate) host: Box<dyn ForeignHost + Send>,
    /// Name; with several hosts the first one's.
    pub(crate) name: String,
    /// Interfaces in the order of its hosts and of their links.
    pub(crate) interfaces: Vec<HostInterface>,
    /// All addresses that its interfaces have at some time of the run.
    pub(crate) addresses: Vec<Address>,
    /// Time of its pending wake-up. A later event waits for it, an earlier one supersedes it.
    pub(crate) armed: Instant,
    /// Transmit completions, if the host wants them.
    pub(crate) departures: Option<TxCompletions>,
    /// Whether flows can end at its sockets.
    pub(crate) has_sockets: bool,
    pub(crate) scope: StackScope,
    /// Commands not yet passed to it, in order: a socket is opened from an address that exists at that time.
    pub(crate) orders: VecDeque<HostCommand>,
    /// Whether it is being served, so that all queued commands are passed to it without a wake-up.
    pub(crate) is_served: bool,
}

/// A command to a foreign host.
pub(crate) enum HostCommand {
    Socket(SocketCommand),
    Addresses(Vec<(usize, Ipv4Addr)>),
}

/// An interface of a foreign host.
pub(crate) struct HostInterface {
    /// Present address.
    pub(crate) address: Address,
    /// Outgoing link.
    pub(crate) way: LinkId,
    /// Link state that the host was told last.
    pub(crate) up: bool,
    /// Index of the node that it belongs to, among all foreign nodes.
    pub(crate) owner: usize,
}

impl AttachedHost {
    /// Time before which nothing reaches it: the fabric's next event, or the earliest response to a packet that it sends now.
    pub(crate) fn horizon(&self, fabric: &mut SimFabric) -> Instant {
        let ways = || self.interfaces.iter().map(|interface| interface.way);
        let out = ways().map(|way| fabric.link(way).delay()).min();
        let back = ways().map(|way| fabric.link(way.reversed()).delay()).min();
        let Some((out, back)) = out.zip(back) else { return fabric.now() };
        // A link between two of its own hosts is the way out and back.
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

impl fmt::Debug for ForeignHosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.nodes.iter().map(|n| &n.name)).finish()
    }
}

impl ForeignHosts {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Index of the foreign host that sent a packet, if one did.
    pub(crate) fn sender_of(&self, pkt: &SimPacket, graph: &Graph) -> Option<usize> {
        let at = |node| self.nodes.iter().position(|n| n.node == node && n.scope == StackScope::Host);
        pkt.to.host().or_else(|| at(graph.owner(pkt.source)?))
    }

    /// Notes at which nodes and addresses the foreign host `host` is.
    pub(crate) fn index(
        &mut self,
        host: usize,
        scope: StackScope,
        (nodes, addresses): (impl Iterator<Item = NodeId>, &[Address]),
    ) {
        self.by_node[scope.index()].extend(nodes.map(|node| (node, host)));
        self.by_address[scope.index()].extend(addresses.iter().map(|address| (*address, host)));
    }

    /// Foreign stack of this scope at a node.
    pub(crate) fn at(&self, node: NodeId, scope: StackScope) -> Option<usize> {
        self.by_node[scope.index()].get(&node).copied()
    }

    /// Whether a foreign stack of this scope has the address, now or at another time.
    pub(crate) fn has(&self, address: Address, scope: StackScope) -> bool {
        self.by_address[scope.index()].contains_key(&address)
    }

    /// Failure that ends the run, if any.
    pub(crate) fn failure(&self) -> Option<&HostFailure> {
        self.failure.as_ref()
    }

    /// Counters of each host, by name.
    pub(crate) fn counters(&self) -> impl Iterator<Item = (&str, &ForeignCounters)> {
        let hosts = self.nodes.iter().filter(|n| n.scope == StackScope::Host);
        hosts.map(|n| (n.name.as_str(), &n.tally))
    }

    /// Counters of the sender of a packet that belongs to no flow.
    pub(crate) fn counters_mut(&mut self, owner: PacketOwner) -> Option<&mut ForeignCounters> {
        self.nodes.get_mut(owner.host()?).map(|n| &mut n.tally)
    }

    /// Name of a host by its index.
    pub(crate) fn name(&self, host: usize) -> Option<&str> {
        self.hosts.get(host).map(|h| h.name.as_str())
    }

    /// Foreign stack of this scope with sockets for flows that has the address, now or at another time.
    pub(crate) fn with_sockets(&self, address: Address, scope: StackScope) -> Option<usize> {
        let host = self.by_address[scope.index()].get(&address).copied()?;
        self.hosts[host].has_sockets.then_some(host)
    }

    /// Ends the run, in which no stack was attached for flows of this scope.
    #[cold]
    pub(crate) fn fail_without_stack(&mut self, scope: StackScope, (client, at): (Address, Instant)) {
        let StackScope::Quic(stack) = scope else { return };
        let why = format!("flows over QUIC need {}, which was not attached to this run", stack.release());
        self.failure.get_or_insert(HostFailure { host: Ipv4Addr::from(client.0).to_string(), at, why });
    }

    pub(crate) fn fail(&mut self, host: usize, at: Instant, error: HostError) {
        let name = self.hosts[host].name.clone();
        self.failure.get_or_insert(HostFailure { host: name, at, why: error.0 });
    }

    /// Waits for the transmit completion of a packet by the interface of `out`; `place` is the frame's place in the arena.
    pub(crate) fn await_departure(
        &mut self,
        (host, number): (usize, u64),
        (out, place): (LinkId, Option<usize>),
        now: Instant,
    ) {
        let Some(departures) = &mut self.hosts[host].departures else { return };
        let Some(place) = place.filter(|_| departures.ways.contains(&out)) else {
            return departures.leaves(number, now);
        };
        departures.waiting += 1;
        if self.waiting.len() <= place {
            self.waiting.resize(place + 1, None);
        }
        self.waiting[place] = Some((host, number));
    }

    /// Records that the packet with its frame at `place` leaves its host's link at `at`, or is dropped there.
    pub(crate) fn on_departure(&mut self, place: Option<usize>, at: Instant) {
        let waiting = place.and_then(|place| self.waiting.get_mut(place));
        let Some((host, number)) = waiting.and_then(Option::take) else { return };
        if let Some(departures) = &mut self.hosts[host].departures {
            departures.waiting -= 1;
            departures.leaves(number, at);
        }
    }
}

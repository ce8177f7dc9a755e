//! Foreign hosts of a run: interfaces, orders, counters and flow ends.

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

/// All foreign hosts of a run; none in most runs.
#[derive(Default)]
pub(crate) struct ForeignHosts {
    pub(crate) hosts: Vec<AttachedHost>,
    /// The nodes that they are, of all of them.
    pub(crate) nodes: Vec<ForeignNode>,
    /// The ends of flows at foreign hosts or that these speak to, by addresses and the server's port, the receiver's first.
    pub(crate) ends: TupleMap<FlowEnd>,
    /// What connections of Multipath TCP do by each path.
    pub(crate) mappings: DataMappings,
    /// What their payload is.
    pub(crate) contents: PayloadCheck,
    /// Packets of hosts that want to hear when these have left.
    pub(crate) waiting: PendingCompletions,
    /// No link carries less.
    pub(crate) least_mtu: Bytes,
    pub(crate) failure: Option<HostFailure>,
    /// The packet that is under way between bytes and fabric.
    pub(crate) buffer: Vec<u8>,
    /// What a simulated host answers.
    pub(crate) answer: Vec<u8>,
}

/// A host of the scenario whose stack is foreign.
pub(crate) struct ForeignNode {
    pub(crate) name: String,
    pub(crate) node: NodeId,
    /// Who it is part of.
    pub(crate) host: usize,
    pub(crate) tally: ForeignCounters,
    /// How many errors each simulated node may still send it.
    pub(crate) errors: BTreeMap<NodeId, IcmpRateLimit>,
}

/// One of them: a host of the scenario, or several of one kernel.
pub(crate) struct AttachedHost {
    pub(crate) host: Box<dyn ForeignHost + Send>,
    /// Its own, or of several the first's.
    pub(crate) name: String,
    /// In the order of its hosts and of their links.
    pub(crate) interfaces: Vec<HostInterface>,
    /// All addresses that these have at some time of the run.
    pub(crate) addresses: Vec<Address>,
    /// When its pending wake-up comes; a later event waits for it, an earlier one supersedes it.
    pub(crate) armed: Instant,
    /// What it is to hear of, where it wants to.
    pub(crate) departures: Option<TxCompletions>,
    /// Whether flows can have ends there.
    pub(crate) has_sockets: bool,
    /// What is to be said to it, in this order: a socket is opened from an address that there is then.
    pub(crate) orders: VecDeque<HostOrder>,
    /// Somebody is about to hear all that it says.
    pub(crate) is_served: bool,
}

/// What is said to one.
pub(crate) enum HostOrder {
    Socket(SocketCommand),
    Addresses(Vec<(usize, Ipv4Addr)>),
}

/// Where one sends and receives packets.
pub(crate) struct HostInterface {
    /// The present one.
    pub(crate) address: Address,
    /// The way out.
    pub(crate) way: LinkId,
    /// Whether its link is up, as far as the host was told.
    pub(crate) up: bool,
    /// The node that it is of, by its number among all.
    pub(crate) owner: usize,
}

impl AttachedHost {
    /// Nothing reaches it before then: the fabric's next event, or what comes back of a packet that it sends now.
    pub(crate) fn horizon(&self, fabric: &mut SimFabric) -> Instant {
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

    /// The number of the host of the scenario that sent a packet, if that is a foreign one.
    pub(crate) fn sender_of(&self, pkt: &SimPacket, graph: &Graph) -> Option<usize> {
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
    pub(crate) fn counters(&self) -> impl Iterator<Item = (&str, &ForeignCounters)> {
        self.nodes.iter().map(|n| (n.name.as_str(), &n.tally))
    }

    /// What the sender of a packet that is none of a flow's has counted.
    pub(crate) fn counters_mut(&mut self, owner: PacketOwner) -> Option<&mut ForeignCounters> {
        self.nodes.get_mut(owner.host()?).map(|n| &mut n.tally)
    }

    /// The name of a host, by its number.
    pub(crate) fn name(&self, host: usize) -> Option<&str> {
        self.hosts.get(host).map(|h| h.name.as_str())
    }

    /// The foreign host that has this address, now or at another time, and sockets for flows.
    pub(crate) fn with_sockets(&self, address: Address) -> Option<usize> {
        self.hosts.iter().position(|h| h.has_sockets && h.addresses.contains(&address))
    }

    pub(crate) fn fail(&mut self, host: usize, at: Instant, error: HostError) {
        let name = self.hosts[host].name.clone();
        self.failure.get_or_insert(HostFailure { host: name, at, why: error.0 });
    }

    /// Waits for the departure of a packet by the interface of `out`; `place` is that of its bytes.
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

    /// Records that the packet with bytes at `place` leaves its host's link at `at`, or is lost there.
    pub(crate) fn on_departure(&mut self, place: Option<usize>, at: Instant) {
        let waiting = place.and_then(|place| self.waiting.get_mut(place));
        let Some((host, number)) = waiting.and_then(Option::take) else { return };
        if let Some(departures) = &mut self.hosts[host].departures {
            departures.waiting -= 1;
            departures.leaves(number, at);
        }
    }
}

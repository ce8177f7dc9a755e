//! Sockets of all hosts: one per open end of a connection, found by addresses and ports.

use crate::ground::scope::Scope;
use crate::ground::tuple_map::TupleMap;
use crate::host::endpoint::Endpoint;
use crate::host::transfer::TransferState;
use crate::packet::envelope::Envelope;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use crate::stats::connection_log::RecordId;
use crate::stats::early_ranges::{ByteRanges, EarlyRanges};
use std::collections::BTreeSet;
use tailrace_core::{Duration, Instant};
use tailrace_net::NodeId;
use tailrace_transport::mptcp::Tuple;

/// Largest number of sockets at a time.
pub(crate) const MAX_SOCKETS: usize = SimFabric::MAX_TIMERS as usize / 2;

/// An end of a connection.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) endpoint: Endpoint,
    pub(crate) envelope: Envelope,
    /// Header bytes of each TCP packet, if the scenario fixes them.
    pub(crate) header: Option<u32>,
    /// Time of the pending transport wake-up. A later deadline waits for it, an earlier one supersedes it.
    pub(crate) armed: Instant,
    /// RTT samples already recorded.
    pub(crate) rtt_seen: u64,
    /// Transit time of the latest delivery; `MAX` before the first.
    pub(crate) transit: Duration,
    /// Ranges of the stream that were in the out-of-order queue at the start of the open windows.
    pub(crate) early: EarlyRanges,
    /// Transfer or exchange of a client's connection; `None` for a connection that sends without end, and at servers.
    pub(crate) work: Option<Box<TransferState>>,
    /// Whether the interface of its address is down and drops its packets. MPTCP tracks this per subflow itself.
    pub(crate) cut_off: bool,
    /// Position among the sockets of its flow.
    pub(crate) position: u32,
    /// Row of its connection in the connection log.
    pub(crate) record: RecordId,
}

impl Socket {
    /// A socket for one end of a new connection.
    pub(crate) fn new(endpoint: Endpoint, envelope: Envelope, header: Option<u32>) -> Self {
        Self {
            endpoint,
            envelope,
            header,
            armed: Instant::MAX,
            rtt_seen: 0,
            transit: Duration::MAX,
            early: EarlyRanges::default(),
            work: None,
            cut_off: false,
            position: 0,
            record: RecordId::NONE,
        }
    }

    /// Whether its transfer or exchange is under way and can never complete.
    pub(crate) fn has_failed(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.has_failed())
    }

    /// Whether bytes of a transfer or exchange are awaited on it.
    pub(crate) fn is_transferring(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.awaited != u64::MAX)
    }

    /// Takes an RTT sample that was not recorded yet.
    #[inline]
    pub(crate) fn take_rtt(&mut self) -> Option<Duration> {
        let (samples, latest) = self.endpoint.latest_rtt();
        (core::mem::replace(&mut self.rtt_seen, samples) != samples).then_some(latest)
    }

    /// Flow end that it belongs to.
    #[inline]
    pub(crate) fn end(&self) -> FlowEnd {
        self.envelope.to.peer()
    }

    /// Addresses and ports, this end's first.
    pub(crate) fn tuple(&self) -> Tuple {
        self.envelope.tuple()
    }

    /// Ranges of the stream in the out-of-order queue; empty once the endpoint is closed, since it delivers nothing more.
    pub(crate) fn waiting(&self) -> ByteRanges {
        if self.endpoint.is_over() { Vec::new() } else { self.endpoint.waiting() }
    }

    /// Bytes delivered in a scope that had arrived before it.
    pub(crate) fn delivered_early(&self, scope: Scope) -> u64 {
        self.early.delivered(scope, self.endpoint.received())
    }

    /// Whether packets between these ports are for it. An MPTCP connection checks its several pairs itself.
    #[inline]
    fn takes(&self, pkt: &SimPacket) -> bool {
        let e = &self.envelope;
        (e.destination_port == pkt.source_port && e.source_port == pkt.destination_port)
            || matches!(self.endpoint, Endpoint::Mptcp(_))
    }
}

#[derive(Debug, Default)]
struct SocketSlot {
    uses: u32,
    socket: Option<Socket>,
}

/// All sockets.
#[derive(Debug, Default)]
pub(crate) struct Sockets {
    places: Vec<SocketSlot>,
    vacant: Vec<u32>,
    /// Sockets by addresses and ports; with MPTCP those of the first subflow.
    by_tuple: TupleMap<SocketId>,
    /// MPTCP sockets by host, which hear of its interfaces.
    by_host: BTreeSet<(NodeId, FlowEnd, SocketId)>,
    /// Places whose sockets may have changed since the latest [`Sockets::take_changed`]; empty before the first.
    changed: Vec<bool>,
    watches_changes: bool,
}

impl Sockets {
    /// Socket at a place, if the use count matches.
    #[inline]
    pub(crate) fn get(&self, id: SocketId) -> Option<&Socket> {
        self.places.get(id.place()).filter(|p| p.uses == id.uses())?.socket.as_ref()
    }

    /// Mutable variant of [`Sockets::get`].
    #[inline]
    pub(crate) fn get_mut(&mut self, id: SocketId) -> Option<&mut Socket> {
        note_change(&mut self.changed, id.place());
        self.places.get_mut(id.place()).filter(|p| p.uses == id.uses())?.socket.as_mut()
    }

    /// Variant of [`Sockets::get_mut`] for an id that was just looked up: the use count is not checked again.
    #[inline]
    pub(crate) fn live(&mut self, id: SocketId) -> Option<&mut Socket> {
        debug_assert!(self.places.get(id.place()).is_some_and(|p| p.uses == id.uses()));
        note_change(&mut self.changed, id.place());
        self.places.get_mut(id.place())?.socket.as_mut()
    }

    /// Id of the socket at a place now.
    pub(crate) fn at_place(&self, place: usize) -> Option<SocketId> {
        let p = self.places.get(place)?;
        p.socket.as_ref().map(|_| SocketId::new(place, p.uses))
    }

    /// Whether the socket id of a packet is that of the socket it is for.
    #[inline]
    pub(crate) fn names(&self, pkt: &SimPacket) -> bool {
        self.get(pkt.socket).is_some_and(|s| s.takes(pkt))
    }

    /// Socket with these addresses and ports, its own first.
    pub(crate) fn find(&self, tuple: &Tuple) -> Option<SocketId> {
        self.by_tuple.get(tuple).copied()
    }

    /// Inserts a socket whose addresses and ports no other has; `host` is given for MPTCP.
    pub(crate) fn insert(&mut self, socket: Socket, host: Option<NodeId>) -> (SocketId, &mut Socket) {
        let place = self.vacant.pop().map_or(self.places.len(), |p| p as usize);
        if place == self.places.len() {
            assert!(place < MAX_SOCKETS, "more than {} connections at a time", MAX_SOCKETS / 2);
            self.places.push(SocketSlot::default());
            self.changed.extend(self.watches_changes.then_some(true));
        }
        note_change(&mut self.changed, place);
        let id = SocketId::new(place, self.places[place].uses);
        self.by_tuple.insert(socket.tuple(), id);
        self.by_host.extend(host.map(|host| (host, socket.end(), id)));
        (id, self.places[place].socket.insert(socket))
    }

    /// Removes a socket and frees its place.
    pub(crate) fn remove(&mut self, id: SocketId, host: Option<NodeId>) {
        let Some(socket) = self.get(id) else { return };
        let (tuple, end, peer) = (socket.tuple(), socket.end(), socket.envelope.peer);
        note_change(&mut self.changed, id.place());
        if self.get(peer).is_some() {
            note_change(&mut self.changed, peer.place());
        }
        let place = &mut self.places[id.place()];
        place.socket = None;
        place.uses = SocketId::next_use(place.uses);
        self.vacant.push(id.place() as u32);
        if self.by_tuple.get(&tuple) == Some(&id) {
            self.by_tuple.remove(&tuple);
        }
        if let Some(host) = host {
            self.by_host.remove(&(host, end, id));
        }
    }

    /// MPTCP sockets of a host, in the order of flows.
    pub(crate) fn of_host(&self, host: NodeId) -> Vec<SocketId> {
        let from = (host, FlowEnd(0), SocketId::FIRST);
        let to = (host, FlowEnd(u32::MAX), SocketId::NONE);
        self.by_host.range(from..=to).map(|(_, _, id)| *id).collect()
    }

    /// Collects the places whose sockets may have changed since the previous call, in order. A socket's removal is a change of its peer.
    /// The first call collects all, and changes are noted from then on.
    pub(crate) fn take_changed(&mut self, places: &mut Vec<usize>) {
        if !self.watches_changes {
            self.watches_changes = true;
            self.changed = vec![true; self.places.len()];
        }
        places.clear();
        places
            .extend(self.changed.iter().enumerate().filter_map(|(place, changed)| changed.then_some(place)));
        self.changed.fill(false);
    }

    /// All sockets.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Socket> {
        self.places.iter().filter_map(|p| p.socket.as_ref())
    }

    /// All sockets, mutable.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Socket> {
        self.places.iter_mut().filter_map(|p| p.socket.as_mut())
    }

    /// Largest number of sockets so far at a time.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.places.len()
    }
}

/// Notes that the socket at a place may change, if changes are watched.
#[inline]
fn note_change(changed: &mut [bool], place: usize) {
    if let Some(changed) = changed.get_mut(place) {
        *changed = true;
    }
}

//! What the payload of streams is that have a foreign host's socket at an end: bytes that both ends know, each in its place.
//!
//! Byte n of a stream is that of [`tailrace_wire::content`]. A foreign host writes these and compares what it reads. Simulated ends
//! have no bytes: a packet of theirs gets those of its place when it reaches the foreign host, and what comes from there is compared
//! as it arrives. Its headers alone say which place that is: the number of its first byte, of Multipath TCP by its mapping (RFC 8684
//! §3.3). So where either end counts, maps or assembles wrongly, or something on the way changes bytes, these are wrong.
//!
//! Bytes count as wrong when an application gets them. A simulated end may have them already, or give them up for their checksum: they
//! are suspects until it has delivered what stands in their place.

use crate::host::flow::{Carrier, Flow};
use crate::host::hosts::World;
use crate::host::sockets::Socket;
use crate::packet::flow_end::FlowEnd;
use crate::packet::frame_encode::Place;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use std::collections::BTreeMap;
use std::ops::Range;
use tailrace_transport::mptcp::Tuple;
use tailrace_transport::mptcp::option::{Options, Signal};
use tailrace_transport::segment::SeqNumber;
use tailrace_wire::content;

/// Most mappings of a subflow that are remembered, for packets that have none of their own.
const MOST: usize = 1 << 12;

/// Of all streams between a simulated end and a socket of a foreign host.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// What is known of each direction of a subflow, by addresses and ports as its receiver sees them.
    subflows: BTreeMap<Tuple, Subflow>,
    /// Parts of the stream that came wrong to a simulated socket of a flow, and were not delivered when that was last looked at.
    suspects: BTreeMap<(usize, SocketId), Vec<Range<u64>>>,
    /// Wrong bytes that applications have got, by flow.
    wrong: BTreeMap<usize, u64>,
}

/// How bytes of a direction of a subflow, or of TCP, are numbered.
#[derive(Clone, Debug)]
struct Subflow {
    /// The number of the SYN.
    begun: SeqNumber,
    /// The initial data sequence number of the sender, once it is known.
    initial: Option<u64>,
    /// The first relative subflow number of each mapping and its data sequence number, of which the wire may show half.
    mappings: BTreeMap<u32, u32>,
}

impl Subflow {
    const fn new(begun: SeqNumber) -> Self {
        Self { begun, initial: None, mappings: BTreeMap::new() }
    }

    /// The place in the stream of a payload that begins with `seq`, modulo 2³².
    fn place(&mut self, seq: SeqNumber, options: &Options) -> u32 {
        // The byte after the SYN is number 1.
        let number = seq.0.wrapping_sub(self.begun.0);
        let own = options.dss.and_then(|dss| dss.mapping).map(|m| (m.ssn, m.dsn as u32));
        if let Some((ssn, dsn)) = own {
            self.mappings.insert(ssn, dsn);
            if self.mappings.len() > MOST {
                self.mappings.pop_first();
            }
        }
        // Data with a connection's keys is its first. Other data without a mapping is of one before, as after a fallback.
        let is_first = matches!(options.signal, Some(Signal::CapableAck { len: Some(_), .. }));
        let before = || self.mappings.range(..=number).next_back().map(|(ssn, dsn)| (*ssn, *dsn));
        let mapping = own.or_else(|| before().filter(|_| !is_first));
        let first = match mapping.zip(self.initial) {
            Some(((ssn, dsn), initial)) => {
                dsn.wrapping_sub(initial as u32).wrapping_add(number.wrapping_sub(ssn))
            }
            None => number,
        };
        first.wrapping_sub(1)
    }
}

impl Contents {
    /// A SYN has come.
    fn begin(&mut self, pkt: &SimPacket) {
        let subflow = self.subflows.entry(pkt.tuple()).or_insert(Subflow::new(pkt.seq));
        if subflow.begun != pkt.seq {
            *subflow = Subflow::new(pkt.seq);
        }
    }

    /// An application of a flow has got wrong bytes.
    pub(super) fn count(&mut self, flow: usize, bytes: u64) {
        *self.wrong.entry(flow).or_default() += bytes;
    }

    /// A packet comes to a socket with this part of its stream, of which `wrong` is.
    fn suspect(
        &mut self,
        (flow, id): (usize, SocketId),
        socket: &Socket,
        came: &Range<u64>,
        wrong: Vec<Range<u64>>,
    ) {
        if wrong.is_empty() && !self.suspects.contains_key(&(flow, id)) {
            return;
        }
        let suspects = self.suspects.entry((flow, id)).or_default();
        let (delivered, waiting) = (socket.endpoint.received(), socket.endpoint.waiting());
        let has = |part: &Range<u64>| {
            let holds = |&(from, to): &(u64, u64)| from <= part.start && part.end <= to;
            part.end <= delivered || waiting.iter().any(holds)
        };
        let bytes = delivered_bytes(suspects, delivered);
        // What comes again and is not there was given up before.
        let remains = |s: &Range<u64>| has(s) || s.start < came.start || came.end < s.end;
        suspects.retain(|s| s.end > delivered && remains(s));
        suspects.extend(wrong.into_iter().filter(|part| !has(part)));
        self.count(flow, bytes);
    }
}

/// How many bytes of these parts were delivered.
fn delivered_bytes(parts: &[Range<u64>], delivered: u64) -> u64 {
    parts.iter().filter(|part| part.end <= delivered).map(|part| part.end - part.start).sum()
}

/// The parts of a payload whose bytes are not those of the place at which it begins, in bytes from there.
fn wrong_parts(place: u32, payload: &[u8]) -> Vec<Range<u64>> {
    let mut parts: Vec<Range<u64>> = Vec::new();
    if content::wrong_bytes(place, payload) == 0 {
        return parts;
    }
    for (at, (byte, right)) in (0..).zip(payload.iter().zip(content::from(place))) {
        match parts.last_mut() {
            _ if byte == right => {}
            Some(part) if part.end == at => part.end += 1,
            _ => parts.push(at..at + 1),
        }
    }
    parts
}

impl World {
    /// The place of the payload of a packet to or from the simulated socket `id`, at this end of a flow, and the data sequence number
    /// of byte 0. None where its connection was not seen to begin.
    fn place_of(&mut self, pkt: &SimPacket, end: FlowEnd, id: Option<SocketId>) -> Option<Place> {
        let subflow = self.foreign.contents.subflows.get_mut(&pkt.tuple())?;
        if subflow.initial.is_none() && self.flows[end.flow()].carrier.is_multipath() {
            let connection = self.sockets.get(id?).and_then(|socket| socket.endpoint.as_mptcp());
            let numbers = connection.and_then(|connection| connection.initial_numbers());
            subflow.initial = numbers.map(|(own, peer)| if pkt.to.end() == Some(end) { peer } else { own });
        }
        let byte = subflow.place(pkt.seq, pkt.mptcp(&self.options));
        Some(Place { byte, origin: subflow.initial.unwrap_or_default().wrapping_add(1) })
    }

    /// The simulated socket at an end of a flow that has a connection, or a subflow, between these addresses and ports.
    fn socket_of_subflow(&self, end: FlowEnd, tuple: &Tuple) -> Option<SocketId> {
        let has = |id: &&SocketId| {
            let socket = self.sockets.get(**id).filter(|socket| socket.end() == end);
            let connection = socket.and_then(|socket| socket.endpoint.as_mptcp());
            connection.is_some_and(|connection| connection.has_subflow(tuple))
        };
        self.sockets.find(tuple).or_else(|| self.flows[end.flow()].sockets.iter().find(has).copied())
    }

    /// What a packet that reaches a foreign host has for its payload, where that is the content of a stream and it has no bytes yet.
    pub(super) fn content_of(&mut self, host: usize, pkt: &SimPacket) -> Option<Place> {
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

    /// A packet has reached a simulated host: what a foreign host's socket has sent is compared with what it had to write.
    #[cold]
    pub(crate) fn examine(&mut self, pkt: &SimPacket) {
        let Some(end) = pkt.to.end().filter(|_| !pkt.is_datagram() && pkt.has_bytes(&self.options)) else {
            return;
        };
        if self.foreign.with_sockets(pkt.source).is_none() {
            return;
        }
        if pkt.opens() {
            self.foreign.contents.begin(pkt);
        }
        let id = self.socket_of_subflow(end, &pkt.tuple()).filter(|_| pkt.payload > 0);
        let Some((id, place)) = id.zip(self.place_of(pkt, end, id)) else { return };
        let (Some(socket), Some(bytes)) = (self.sockets.get(id), pkt.frame(&self.options)) else { return };
        let payload = &bytes[bytes.len() - usize::from(pkt.payload)..];
        // What is delivered tells the upper half of the place.
        let delivered = socket.endpoint.received();
        let ahead = i64::from(place.byte.wrapping_sub(delivered as u32).cast_signed());
        let start = delivered.saturating_add_signed(ahead);
        let parts = wrong_parts(place.byte, payload).into_iter();
        let wrong = parts.map(|part| start + part.start..start + part.end).collect();
        let came = start..start + u64::from(pkt.payload);
        self.foreign.contents.suspect((end.flow(), id), socket, &came, wrong);
    }

    /// Bytes that applications of a flow have got and that are not those that the other end wrote; none of a flow without a foreign
    /// host's socket at an end.
    pub(crate) fn wrong_bytes(&self, flow: usize) -> Option<u64> {
        let Flow { carrier, ends, .. } = &self.flows[flow];
        let known = matches!(carrier, Carrier::Tcp(_))
            && ends.iter().any(|end| self.foreign.with_sockets(end.source).is_some());
        let contents = &self.foreign.contents;
        let all = contents.suspects.range((flow, SocketId::FIRST)..=(flow, SocketId::NONE));
        let since = all.map(|((_, id), parts)| {
            let delivered = self.sockets.get(*id).map_or(u64::MAX, |socket| socket.endpoint.received());
            delivered_bytes(parts, delivered)
        });
        known.then(|| contents.wrong.get(&flow).copied().unwrap_or_default() + since.sum::<u64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_transport::mptcp::option::{Dss, Mapping};

    /// Initial data sequence number 2³² - 300, so that the low half comes to its end after 300 bytes.
    fn subflow() -> Subflow {
        let initial = Some((7 << 32) - 300);
        Subflow { initial, ..Subflow::new(SeqNumber(u32::MAX - 1)) }
    }

    fn mapped(dsn: u64, ssn: u32, len: u16) -> Options {
        let dss = Dss { mapping: Some(Mapping { dsn, ssn, len }), ..Dss::default() };
        Options::new(Some(dss), None)
    }

    #[test]
    fn places_of_tcp_are_counted_from_the_syn() {
        let mut plain = Subflow::new(SeqNumber(u32::MAX));
        let places = [0, 1448, u32::MAX].map(|seq| plain.place(SeqNumber(seq), &Options::NONE));
        assert_eq!(places, [0, 1448, u32::MAX]);
    }

    #[test]
    fn places_of_multipath_tcp_are_those_of_the_mapping() {
        let mut one = subflow();
        // Number 1 of the subflow is sequence number u32::MAX. Byte 0 has the number after the initial one.
        assert_eq!(one.place(SeqNumber(u32::MAX), &mapped((7 << 32) - 299, 1, 200)), 0);
        // The second half of a mapping of 200 bytes, which is byte 500 and those after it; the wire shows half of the number.
        assert_eq!(one.place(SeqNumber(299), &mapped(201, 201, 200)), 600);
        // One mapping wrong by one is one place wrong.
        assert_eq!(one.place(SeqNumber(299), &mapped(202, 201, 200)), 601);
    }

    #[test]
    fn data_without_a_mapping_is_of_the_one_before() {
        let mut one = subflow();
        let keys = Options::new(
            None,
            Some(Signal::CapableAck { checksum: false, client: 1, server: 2, len: Some(100), dsn: 0 }),
        );
        assert_eq!(one.place(SeqNumber(u32::MAX), &keys), 0);
        one.place(SeqNumber(99), &mapped(701, 101, 100));
        one.place(SeqNumber(199), &mapped(901, 201, 100));
        let places = [149, 199, 5199].map(|seq| one.place(SeqNumber(seq), &Options::NONE));
        assert_eq!(places, [1050, 1200, 6200]);
        assert_eq!(one.place(SeqNumber(u32::MAX), &keys), 0, "sent again");
    }

    #[test]
    fn parts_are_wrong_byte_by_byte() {
        let mut payload = content::from(70_000)[..100].to_vec();
        assert_eq!(wrong_parts(70_000, &payload), []);
        [0, 40, 41, 99].into_iter().for_each(|at| payload[at] ^= 0xaa);
        assert_eq!(wrong_parts(70_000, &payload), [0..1, 40..42, 99..100]);
        assert_eq!(delivered_bytes(&[0..1, 40..42, 99..100], 99), 3);
    }
}

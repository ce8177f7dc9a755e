//! Payload check of streams with a foreign host's socket at one end: the bytes follow a pattern that both ends know.
//!
//! Byte n of a stream is that of [`tailrace_wire::content`]. A foreign host writes this pattern and compares what it reads.
//! Simulated ends have no bytes: their packets get the bytes of their stream position on reaching the foreign host, and packets
//! from there are compared on arrival. The position comes from the headers alone: the sequence number, or the mapping of MPTCP
//! (RFC 8684 §3.3). An error in counting, mapping or reassembly at either end, or corruption on the way, therefore shows as wrong
//! bytes.
//!
//! Bytes count as wrong when they are delivered to an application. A simulated end may have them already, or discard them for
//! their checksum: they are suspects until that range of the stream has been delivered.

use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use std::collections::BTreeMap;
use std::ops::Range;
use tailrace_transport::mptcp::Tuple;
use tailrace_transport::mptcp::option::{Options, Signal};
use tailrace_transport::segment::SeqNumber;
use tailrace_wire::content;

/// Largest number of mappings remembered per subflow, for packets without one of their own.
const MOST: usize = 1 << 12;

/// Payload checks of all streams between a simulated end and a socket of a foreign host.
#[derive(Debug, Default)]
pub(crate) struct PayloadCheck {
    /// Numbering of each direction of a subflow, by addresses and ports as its receiver sees them.
    pub(crate) subflows: BTreeMap<Tuple, SubflowNumbers>,
    /// Ranges that arrived wrong at a simulated socket of a flow and were undelivered at the last look.
    pub(crate) suspects: BTreeMap<(usize, SocketId), Vec<Range<u64>>>,
    /// Wrong bytes delivered to applications, by flow.
    pub(crate) wrong: BTreeMap<usize, u64>,
}

/// Sequence numbering of one direction of a subflow, or of TCP.
#[derive(Clone, Debug)]
pub(crate) struct SubflowNumbers {
    /// Sequence number of the SYN.
    pub(crate) begun: SeqNumber,
    /// Initial data sequence number of the sender, once known.
    pub(crate) initial: Option<u64>,
    /// First relative subflow sequence number of each mapping, and its data sequence number (the wire may show only its low
    /// half).
    pub(crate) mappings: BTreeMap<u32, u32>,
}

impl SubflowNumbers {
    const fn new(begun: SeqNumber) -> Self {
        Self { begun, initial: None, mappings: BTreeMap::new() }
    }

    /// Stream position of a payload that begins with `seq`, modulo 2³².
    pub(crate) fn place(&mut self, seq: SeqNumber, options: &Options) -> u32 {
        // The byte after the SYN is number 1.
        let number = seq.0.wrapping_sub(self.begun.0);
        let own = options.dss.and_then(|dss| dss.mapping).map(|m| (m.ssn, m.dsn as u32));
        if let Some((ssn, dsn)) = own {
            self.mappings.insert(ssn, dsn);
            if self.mappings.len() > MOST {
                self.mappings.pop_first();
            }
        }
        // Data with a connection's keys is its first. Other data without a mapping continues an earlier mapping, as after a
        // fallback.
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

impl PayloadCheck {
    /// Records the initial sequence number of a SYN.
    pub(crate) fn begin(&mut self, pkt: &SimPacket) {
        let subflow = self.subflows.entry(pkt.tuple()).or_insert(SubflowNumbers::new(pkt.seq));
        if subflow.begun != pkt.seq {
            *subflow = SubflowNumbers::new(pkt.seq);
        }
    }

    /// Counts wrong bytes delivered to an application of a flow.
    pub(crate) fn count(&mut self, flow: usize, bytes: u64) {
        *self.wrong.entry(flow).or_default() += bytes;
    }

    /// Records that a packet brings a socket this range of its stream, with the ranges `wrong` in it.
    pub(crate) fn add_suspect(
        &mut self,
        (flow, id): (usize, SocketId),
        (delivered, waiting): (u64, &[(u64, u64)]),
        came: &Range<u64>,
        wrong: Vec<Range<u64>>,
    ) {
        if wrong.is_empty() && !self.suspects.contains_key(&(flow, id)) {
            return;
        }
        let suspects = self.suspects.entry((flow, id)).or_default();
        let has = |part: &Range<u64>| {
            let holds = |&(from, to): &(u64, u64)| from <= part.start && part.end <= to;
            part.end <= delivered || waiting.iter().any(holds)
        };
        let bytes = delivered_bytes(suspects, delivered);
        // A range that arrives again but is not held was discarded before.
        let remains = |s: &Range<u64>| has(s) || s.start < came.start || came.end < s.end;
        suspects.retain(|s| s.end > delivered && remains(s));
        suspects.extend(wrong.into_iter().filter(|part| !has(part)));
        self.count(flow, bytes);
    }
}

/// Bytes of these ranges that were delivered.
pub(crate) fn delivered_bytes(parts: &[Range<u64>], delivered: u64) -> u64 {
    parts.iter().filter(|part| part.end <= delivered).map(|part| part.end - part.start).sum()
}

/// Ranges of a payload whose bytes differ from the pattern at stream position `place`, relative to its start.
pub(crate) fn wrong_parts(place: u32, payload: &[u8]) -> Vec<Range<u64>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_transport::mptcp::option::{Dss, Mapping};

    /// Initial data sequence number 2³² - 300, so that the low half comes to its end after 300 bytes.
    fn subflow() -> SubflowNumbers {
        let initial = Some((7 << 32) - 300);
        SubflowNumbers { initial, ..SubflowNumbers::new(SeqNumber(u32::MAX - 1)) }
    }

    fn mapped(dsn: u64, ssn: u32, len: u16) -> Options {
        let dss = Dss { mapping: Some(Mapping { dsn, ssn, len }), ..Dss::default() };
        Options::new(Some(dss), None)
    }

    #[test]
    fn tcp_stream_position_counts_from_the_syn() {
        let mut plain = SubflowNumbers::new(SeqNumber(u32::MAX));
        let places = [0, 1448, u32::MAX].map(|seq| plain.place(SeqNumber(seq), &Options::NONE));
        assert_eq!(places, [0, 1448, u32::MAX]);
    }

    #[test]
    fn mptcp_stream_position_follows_the_mapping() {
        let mut one = subflow();
        // Number 1 of the subflow is sequence number u32::MAX. Byte 0 has the number after the initial data sequence number.
        assert_eq!(one.place(SeqNumber(u32::MAX), &mapped((7 << 32) - 299, 1, 200)), 0);
        // The second half of a mapping of 200 bytes is byte 500 on; the wire shows the low half of the number.
        assert_eq!(one.place(SeqNumber(299), &mapped(201, 201, 200)), 600);
        // A mapping that is off by one shifts the position by one.
        assert_eq!(one.place(SeqNumber(299), &mapped(202, 201, 200)), 601);
    }

    #[test]
    fn unmapped_data_continues_the_previous_mapping() {
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
    fn wrong_ranges_are_exact_to_the_byte() {
        let mut payload = content::from(70_000)[..100].to_vec();
        assert_eq!(wrong_parts(70_000, &payload), []);
        [0, 40, 41, 99].into_iter().for_each(|at| payload[at] ^= 0xaa);
        assert_eq!(wrong_parts(70_000, &payload), [0..1, 40..42, 99..100]);
        assert_eq!(delivered_bytes(&[0..1, 40..42, 99..100], 99), 3);
    }
}

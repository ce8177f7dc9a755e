//! Sent and received data of MPTCP connections with a foreign host, per path, read from the mappings in their packets (RFC 8684
//! §3.3): the simulator has no socket at that end to ask.

use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use std::collections::BTreeMap;
use tailrace_transport::mptcp::Tuple;
use tailrace_transport::mptcp::key::Key;
use tailrace_transport::mptcp::option::Signal;
use tailrace_transport::segment::SeqNumber;

/// Data mappings of all MPTCP flows with a foreign host at an end.
#[derive(Debug, Default)]
pub(crate) struct DataMappings {
    /// End of the data sent by each subflow, by the addresses and ports of its packets.
    sent: BTreeMap<Tuple, SeqNumber>,
    /// Initial sequence number of each subflow, as received.
    begun: BTreeMap<Tuple, SeqNumber>,
    /// Data sequence ranges received by each end: start and end.
    came: BTreeMap<usize, BTreeMap<u64, u64>>,
}

impl DataMappings {
    /// Whether a data packet that a foreign host sends repeats bytes of its subflow.
    pub(crate) fn on_sent(&mut self, pkt: &SimPacket) -> bool {
        self.repeats(pkt.tuple(), pkt.seq, pkt.payload.into())
    }

    /// Bytes that a packet brings an end (by its number) for the first time, and their data sequence number; `None` without a mapping.
    pub(crate) fn on_received(
        &mut self,
        end: usize,
        pkt: &SimPacket,
        options: &OptionsArena,
    ) -> Option<(u64, u64)> {
        let tuple = pkt.tuple();
        if pkt.opens() {
            self.begun.insert(tuple, pkt.seq);
        }
        // Subflow sequence numbers start at 1 with the byte after the SYN.
        let place = pkt.seq.0.wrapping_sub(self.begun.get(&tuple)?.0);
        let options = pkt.mptcp(options);
        let dsn = match (options.dss.and_then(|dss| dss.mapping), options.signal) {
            (Some(mapping), _) => mapping.dsn.wrapping_add(u64::from(place.wrapping_sub(mapping.ssn))),
            // The first data of a connection may carry its keys instead of a mapping (RFC 8684 §3.1).
            (None, Some(Signal::CapableAck { client, len: Some(_), .. })) => {
                Key(client).initial_dsn().wrapping_add(u64::from(place))
            }
            (None, _) => return None,
        };
        Some((self.take(end, dsn, pkt.payload.into()), dsn))
    }

    /// Whether a subflow that sends these bytes has sent them before.
    fn repeats(&mut self, subflow: Tuple, seq: SeqNumber, payload: u32) -> bool {
        let end = seq + payload;
        let known = self.sent.entry(subflow).or_insert(seq);
        let again = !known.before(end);
        if !again {
            *known = end;
        }
        again
    }

    /// Returns how many of the bytes from `dsn` on are new to an end, and records them as received.
    fn take(&mut self, end: usize, dsn: u64, len: u64) -> u64 {
        insert(self.came.entry(end).or_default(), dsn, dsn + len)
    }
}

/// Adds a range to disjoint ones; returns how much of it is new.
fn insert(ranges: &mut BTreeMap<u64, u64>, start: u64, end: u64) -> u64 {
    let (mut first, mut last, mut had) = (start, end, 0);
    // Ranges that touch the new one, from the last that begins no later than it ends.
    while let Some((&from, &to)) = ranges.range(..=last).next_back() {
        if to < first {
            break;
        }
        had += to.min(end).saturating_sub(from.max(start));
        (first, last) = (first.min(from), last.max(to));
        ranges.remove(&from);
    }
    ranges.insert(first, last);
    end - start - had
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn received_ranges_count_new_bytes_only() {
        let mut ranges = BTreeMap::new();
        assert_eq!(
            [(10, 20), (30, 40), (15, 35), (12, 18), (40, 41)].map(|(a, b)| insert(&mut ranges, a, b)),
            [10, 10, 10, 0, 1]
        );
        assert_eq!(ranges, BTreeMap::from([(10, 41)]));
    }

    #[test]
    fn retransmission_on_a_subflow_is_detected() {
        let mut mappings = DataMappings::default();
        let tuple = Tuple { local: 1, remote: 2, local_port: 3, remote_port: 4 };
        // Wraps around the end of the sequence numbers.
        let sent = [(u32::MAX - 99, 100), (0, 100), (u32::MAX - 99, 100), (0, 50), (100, 1)];
        let found = sent.map(|(seq, len)| mappings.repeats(tuple, SeqNumber(seq), len));
        assert_eq!(found, [false, false, true, true, false]);
    }

    proptest! {
        #[test]
        fn ranges_count_each_byte_once(all in prop::collection::vec((0..200_u64, 1..40_u64), 1..40)) {
            let (mut ranges, mut bytes) = (BTreeMap::new(), BTreeSet::new());
            for (start, len) in all {
                let new = (start..start + len).filter(|byte| bytes.insert(*byte)).count() as u64;
                prop_assert_eq!(insert(&mut ranges, start, start + len), new);
            }
            prop_assert_eq!(ranges.iter().map(|(from, to)| to - from).sum::<u64>(), bytes.len() as u64);
        }
    }
}

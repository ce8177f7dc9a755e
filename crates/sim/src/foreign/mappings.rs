//! What connections of Multipath TCP with a foreign host at an end send and bring by each path, as their packets show it (RFC 8684
//! §3.3): the simulator has no sockets there that would tell.

use crate::host::hosts::World;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimPacket;
use std::collections::BTreeMap;
use tailrace_transport::mptcp::Tuple;
use tailrace_transport::mptcp::key::Key;
use tailrace_transport::mptcp::option::Signal;
use tailrace_transport::segment::SeqNumber;

/// Of all flows over Multipath TCP that foreign hosts speak.
#[derive(Debug, Default)]
pub(crate) struct Mappings {
    /// The end of what each subflow has sent, by the addresses and ports of its packets.
    sent: BTreeMap<Tuple, SeqNumber>,
    /// The sequence numbers with which subflows began, as they came.
    begun: BTreeMap<Tuple, SeqNumber>,
    /// What has come to each end at the data level: beginnings and ends.
    came: BTreeMap<usize, BTreeMap<u64, u64>>,
}

impl Mappings {
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

    /// How many of the bytes from `dsn` on an end did not have; it has them then.
    fn take(&mut self, end: usize, dsn: u64, len: u64) -> u64 {
        insert(self.came.entry(end).or_default(), dsn, dsn + len)
    }
}

/// Adds a range to disjoint ones; returns how much of it is new.
fn insert(ranges: &mut BTreeMap<u64, u64>, start: u64, end: u64) -> u64 {
    let (mut first, mut last, mut had) = (start, end, 0);
    // Those that touch it, from the last that begins no later than it ends.
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

impl World {
    /// A foreign host's packet leaves for the other end of a flow.
    pub(super) fn map_sent(&mut self, from: FlowEnd, pkt: &SimPacket) {
        if self.flows[from.flow()].paths.is_none() || pkt.payload == 0 {
            return;
        }
        let again = self.foreign.mappings.repeats(pkt.tuple(), pkt.seq, pkt.payload.into());
        self.count_path_sent(from, pkt, again);
    }

    /// A packet of a flow reaches the foreign host that it is for.
    pub(super) fn map_arrived(&mut self, to: FlowEnd, pkt: &SimPacket) {
        if self.flows[to.flow()].paths.is_none() {
            return;
        }
        let (tuple, mappings) = (pkt.tuple(), &mut self.foreign.mappings);
        if pkt.opens() {
            mappings.begun.insert(tuple, pkt.seq);
        }
        let Some(begun) = mappings.begun.get(&tuple) else { return };
        // Places in a subflow count from the byte after its SYN, which is number 1.
        let place = pkt.seq.0.wrapping_sub(begun.0);
        let options = pkt.mptcp(&self.options);
        let dsn = match (options.dss.and_then(|dss| dss.mapping), options.signal) {
            (Some(mapping), _) => mapping.dsn.wrapping_add(u64::from(place.wrapping_sub(mapping.ssn))),
            // The first data of a connection may come with its keys (RFC 8684 §3.1).
            (None, Some(Signal::CapableAck { client, len: Some(_), .. })) => {
                Key(client).initial_dsn().wrapping_add(u64::from(place))
            }
            (None, _) => return,
        };
        let new = mappings.take(to.index(), dsn, pkt.payload.into());
        self.count_new_bytes(to, new, dsn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_there_already_is_not_new() {
        let mut ranges = BTreeMap::new();
        assert_eq!(
            [(10, 20), (30, 40), (15, 35), (12, 18), (40, 41)].map(|(a, b)| insert(&mut ranges, a, b)),
            [10, 10, 10, 0, 1]
        );
        assert_eq!(ranges, BTreeMap::from([(10, 41)]));
    }

    #[test]
    fn a_subflow_repeats_what_it_has_sent() {
        let mut mappings = Mappings::default();
        let tuple = Tuple { local: 1, remote: 2, local_port: 3, remote_port: 4 };
        // Across the end of the sequence numbers.
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

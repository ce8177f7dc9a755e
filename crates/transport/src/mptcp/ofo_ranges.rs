//! Out-of-order ranges of a receiver: data that has arrived and is not delivered yet (see [`crate::Tcp::waiting`]), at the data level and
//! on subflows, which hold back data for losses of their own.

use super::data::receiver::DataReceiver;
use super::subflow::Subflow;
use super::subflow::table::SubflowTable;

/// Data sequence number of the first byte of a stream.
pub(super) const FIRST: u64 = 1;

/// Disjoint ranges of the stream, from byte 0 on, that wait for earlier bytes. In a fallback the peer's data sequence numbers are
/// subflow sequence numbers plus `offset`.
pub(super) fn ofo_ranges(
    rcv: &DataReceiver,
    subflows: &SubflowTable,
    offset: Option<i64>,
) -> Vec<(u64, u64)> {
    let mut ranges: Vec<_> = rcv.ranges().copied().collect();
    for s in subflows.live() {
        let held = held_on(s);
        match offset {
            Some(offset) => ranges.extend(
                held.map(|(from, to)| (from.saturating_add_signed(offset), to.saturating_add_signed(offset))),
            ),
            None => ranges.extend(held.flat_map(|range| s.receive.data_ranges(range))),
        }
    }
    let (from, end) = (rcv.data_nxt(), rcv.fin().unwrap_or(u64::MAX));
    let data = ranges.into_iter().map(|r| (r.0.max(from), r.1.min(end))).filter(|r| r.0 < r.1);
    disjoint(data.map(|r| (r.0 - FIRST, r.1 - FIRST)).collect())
}

/// Relative subflow sequence numbers of data that has arrived on a subflow and is not taken to the data level.
fn held_on(s: &Subflow) -> impl Iterator<Item = (u64, u64)> {
    let in_order = (s.receive.next(), s.tcp.received_ssn());
    let above = s.tcp.waiting().into_iter().map(|r| (r.0 + 1, r.1 + 1));
    std::iter::once(in_order).chain(above).filter(|r| r.0 < r.1)
}

/// Union of ranges, as ranges that do not overlap.
fn disjoint(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::with_capacity(ranges.len());
    for (from, to) in ranges {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_count_once() {
        assert_eq!(disjoint(vec![(5, 9), (1, 3), (3, 4), (8, 12), (9, 10)]), [(1, 4), (5, 12)]);
        assert_eq!(disjoint(Vec::new()), []);
    }
}

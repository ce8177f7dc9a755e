//! What has come at a receiver at some moment and is not delivered yet (see [`crate::Tcp::waiting`]): at the data level, and
//! on subflows, which hold back what waits there for a loss of their own.

use super::Mptcp;
use super::subflow::Subflow;

/// Data sequence number of the first byte of a stream.
const FIRST: u64 = 1;

impl Mptcp {
    /// How much of the stream has come in order, what was passed over included (`misbehaviour`).
    pub fn received(&self) -> u64 {
        self.rcv.data_nxt().saturating_sub(FIRST)
    }

    /// What has come and waits for bytes before it: disjoint ranges of the stream, whose first byte is 0, in order.
    pub fn waiting(&self) -> Vec<(u64, u64)> {
        let mut ranges: Vec<_> = self.rcv.ranges().copied().collect();
        for s in self.subflows.live() {
            let held = held_back(s);
            match self.fallback.offset() {
                Some(offset) => ranges.extend(held.map(|(from, to)| {
                    (from.saturating_add_signed(offset), to.saturating_add_signed(offset))
                })),
                None => ranges.extend(held.flat_map(|range| mapped(s, range))),
            }
        }
        let (from, end) = (self.rcv.data_nxt(), self.rcv.fin().unwrap_or(u64::MAX));
        let data = ranges.into_iter().map(|r| (r.0.max(from), r.1.min(end))).filter(|r| r.0 < r.1);
        disjoint(data.map(|r| (r.0 - FIRST, r.1 - FIRST)).collect())
    }
}

/// Relative subflow numbers of what has come on a subflow and is not taken to the data level.
fn held_back(s: &Subflow) -> impl Iterator<Item = (u64, u64)> {
    let in_order = (s.taken, s.tcp.received_ssn());
    let above = s.tcp.waiting().into_iter().map(|r| (r.0 + 1, r.1 + 1));
    std::iter::once(in_order).chain(above).filter(|r| r.0 < r.1)
}

/// The data sequence numbers of subflow numbers, as far as their mappings are known.
fn mapped(s: &Subflow, (from, to): (u64, u64)) -> impl Iterator<Item = (u64, u64)> {
    s.received.iter().filter_map(move |m| {
        let (start, end) = (m.ssn, m.ssn.saturating_add(m.len));
        let (low, high) = (start.max(from), end.min(to));
        (low < high).then(|| (m.dsn.saturating_add(low - start), m.dsn.saturating_add(high - start)))
    })
}

/// The same numbers in ranges that do not overlap.
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
    fn what_came_on_several_subflows_counts_once() {
        assert_eq!(disjoint(vec![(5, 9), (1, 3), (3, 4), (8, 12), (9, 10)]), [(1, 4), (5, 12)]);
        assert_eq!(disjoint(Vec::new()), []);
    }
}

//! What counts in a window of the run, where counters alone do not tell.
//!
//! Differences of counters say what happened within a window. Two of them would lie: of packets that are lost in it some
//! were sent before it, and of bytes that are delivered in it some had come before it and waited for others. So losses and
//! marks are those of packets sent in the window, and goodput is what was delivered, but no more than has come for the first
//! time. Then no more is lost than was sent, and no more is goodput than throughput.

use crate::ground::scope::{Each, Open};
use crate::host::sockets::Socket;
use crate::stats::flow_stats::FlowTally;
use crate::stats::loss_counters::Fates;

/// A flow's counters where a window began, and what befell in it what was sent, or had come, before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowCut {
    pub(crate) at: FlowTally,
    pub(crate) before: Fates,
    /// Delivered to connections that are gone.
    pub(crate) delivered_before: u64,
}

impl FlowTally {
    /// What befell packets sent in a window after it was over.
    pub(crate) fn befell(&mut self, late: Fates) {
        self.lost_packets += late.lost;
        self.marked_packets += late.marked;
    }
}

/// Disjoint ranges of a stream, in order.
pub(crate) type Ranges = Vec<(u64, u64)>;

/// What of the stream waited at a socket when a window began; at most sockets nothing ever did.
#[derive(Debug, Default)]
pub(crate) struct Early(Option<Box<Each<Ranges>>>);

impl Early {
    pub(crate) fn set(&mut self, open: Open, ranges: Ranges) {
        if self.0.is_some() || !ranges.is_empty() {
            self.0.get_or_insert_default()[open] = ranges;
        }
    }

    pub(crate) fn of(&self, open: Open) -> &[(u64, u64)] {
        self.0.as_ref().map_or(&[], |early| &early[open])
    }
}

/// A connection is gone at one end: what of it had come before the open windows is remembered.
pub(crate) fn keep_early(cuts: &mut Each<Vec<FlowCut>>, socket: &Socket) {
    for open in Open::BOTH {
        if let Some(cut) = cuts[open].get_mut(socket.end().flow()) {
            cut.delivered_before += socket.delivered_early(open);
        }
    }
}

impl Socket {
    /// Ranges of the stream that have come and wait for others before them; what is over delivers nothing more.
    pub(crate) fn waiting(&self) -> Ranges {
        if self.endpoint.is_over() { Vec::new() } else { self.endpoint.waiting() }
    }

    /// How much has been delivered in a window of what had come and waited when it began.
    pub(crate) fn delivered_early(&self, open: Open) -> u64 {
        common(self.early.of(open), &[(0, self.endpoint.received())])
    }
}

pub(crate) fn length(ranges: &[(u64, u64)]) -> u64 {
    ranges.iter().map(|r| r.1 - r.0).sum()
}

/// How much lies in both of two lists of disjoint ranges, each in order.
pub(crate) fn common(one: &[(u64, u64)], other: &[(u64, u64)]) -> u64 {
    let (mut i, mut j, mut sum) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        sum += a.1.min(b.1).saturating_sub(a.0.max(b.0));
        if a.1 <= b.1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_a_length_in_common() {
        let one = [(0, 10), (20, 30), (40, 41)];
        assert_eq!((length(&one), common(&one, &one), common(&one, &[])), (21, 21, 0));
        assert_eq!(common(&one, &[(5, 25), (29, 100)]), 5 + 5 + 1 + 1);
        assert_eq!(common(&[(0, 100)], &one), 21);
    }
}

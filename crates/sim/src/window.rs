//! What counts in a window of the run, where counters alone do not tell.
//!
//! Differences of counters say what happened within a window. Two of them would lie: of packets that are lost in it some
//! were sent before it, and of bytes that are delivered in it some had come before it and waited for others. So losses and
//! marks are those of packets sent in the window, and goodput is what was delivered, but no more than has come for the first
//! time. Then no more is lost than was sent, and no more is goodput than throughput.

use crate::packet::SimPacket;
use crate::sockets::Socket;
use crate::tally::FlowTally;
use crate::world::World;
use std::ops::{Index, IndexMut};
use tailrace_core::Instant;

/// The windows that are open at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// From the end of the warm-up to the end of the run: all that statistics cover.
    Whole,
    /// The part of it that began last. A run whose scenario names no windows has no parts.
    Part,
}

impl Open {
    pub(crate) const BOTH: [Self; 2] = [Self::Whole, Self::Part];
}

/// Something for each open window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Each<T>([T; 2]);

impl<T> Each<T> {
    /// Something else for each.
    pub(crate) fn map<U>(self, of: impl FnMut(T) -> U) -> Each<U> {
        Each(self.0.map(of))
    }
}

impl<T> Index<Open> for Each<T> {
    type Output = T;
    fn index(&self, open: Open) -> &T {
        &self.0[open as usize]
    }
}

impl<T> IndexMut<Open> for Each<T> {
    fn index_mut(&mut self, open: Open) -> &mut T {
        &mut self.0[open as usize]
    }
}

/// A flow's counters where a window began, and what befell in it what was sent, or had come, before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowCut {
    at: FlowTally,
    before: Fates,
    /// Delivered to connections that are gone.
    delivered_before: u64,
}

/// What befell data packets on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fates {
    pub(crate) lost: u64,
    pub(crate) marked: u64,
}

impl FlowTally {
    /// What befell packets sent in a window after it was over.
    pub(crate) fn befell(&mut self, late: Fates) {
        self.lost_packets += late.lost;
        self.marked_packets += late.marked;
    }
}

impl Fates {
    /// A packet was lost.
    pub(crate) const LOST: Self = Self { lost: 1, marked: 0 };
    /// A packet was marked.
    pub(crate) const MARKED: Self = Self { lost: 0, marked: 1 };

    pub(crate) fn add(&mut self, more: Self) {
        self.lost += more.lost;
        self.marked += more.marked;
    }

    /// What came about since an earlier copy.
    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self { lost: self.lost - earlier.lost, marked: self.marked - earlier.marked }
    }
}

/// Disjoint ranges of a stream, in order.
type Ranges = Vec<(u64, u64)>;

/// What of the stream waited at a socket when a window began; at most sockets nothing ever did.
#[derive(Debug, Default)]
pub(crate) struct Early(Option<Box<Each<Ranges>>>);

impl Early {
    fn set(&mut self, open: Open, ranges: Ranges) {
        if self.0.is_some() || !ranges.is_empty() {
            self.0.get_or_insert_default()[open] = ranges;
        }
    }

    fn of(&self, open: Open) -> &[(u64, u64)] {
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

impl World {
    /// A window begins: what counts so far is remembered.
    pub(crate) fn begin(&mut self, open: Open, now: Instant) {
        self.begun[open] = Some(now);
        let cut = |flow| FlowCut { at: self.tally(flow), ..FlowCut::default() };
        self.cuts[open] = (0..self.flows.len()).map(cut).collect();
        self.flows.iter_mut().filter_map(|flow| flow.paths.as_mut()).for_each(|paths| paths.begin(open));
        for socket in self.sockets.iter_mut() {
            let waiting = socket.waiting();
            socket.early.set(open, waiting);
        }
        self.flows.iter_mut().for_each(|flow| flow.silence.begin(open, now));
        if let Some(bins) = &mut self.bins {
            bins.begin(open);
        }
        self.cut_playback(open, now);
        self.verdicts.begin(open);
    }

    /// A packet is lost or marked. Of a flow those count that carry data, in the window in which they were sent; of copies that
    /// links have made, none.
    pub(crate) fn befall(&mut self, pkt: &SimPacket, fate: Fates) {
        if pkt.is_copy() {
            return;
        }
        let Some(flow) = self.flows.get_mut(pkt.to.flow()) else {
            if let Some(tally) = self.foreign.tally_mut(pkt.to) {
                tally.lost_packets += fate.lost;
                tally.marked_packets += fate.marked;
            }
            return;
        };
        if pkt.payload == 0 {
            return;
        }
        flow.tally.lost_packets += fate.lost;
        flow.tally.marked_packets += fate.marked;
        let before = self.begun.map(|begun| begun.is_some_and(|begun| pkt.sent_at <= begun));
        for open in Open::BOTH.into_iter().filter(|open| before[*open]) {
            self.cuts[open][pkt.to.flow()].before.add(fate);
        }
        let over = if before[Open::Part] { self.late.note(pkt.to.flow(), pkt.sent_at, fate) } else { None };
        if let Some(paths) = &mut flow.paths {
            paths.befall(pkt, &self.options, fate, (before, over));
        }
    }

    fn cut(&self, flow: usize, open: Open) -> FlowCut {
        self.cuts[open].get(flow).copied().unwrap_or_default()
    }

    /// A flow's counters in a window.
    pub(crate) fn window_tally(&self, flow: usize, open: Open) -> FlowTally {
        let cut = self.cut(flow, open);
        let mut tally = self.tally(flow).since(&cut.at);
        tally.lost_packets -= cut.before.lost;
        tally.marked_packets -= cut.before.marked;
        tally
    }

    /// What a flow's applications got in a window, of which `tally` is what was counted, but no more than came for them in
    /// it, each byte once.
    pub(crate) fn goodput_bytes(&self, flow: usize, tally: &FlowTally, open: Open) -> u64 {
        let mut came = tally.delivered_bytes - self.cut(flow, open).delivered_before;
        for socket in self.sockets_of(flow) {
            let waiting = socket.waiting();
            came += length(&waiting) - common(socket.early.of(open), &waiting);
            came -= socket.delivered_early(open);
        }
        came.min(tally.delivered_bytes)
    }
}

impl Socket {
    /// Ranges of the stream that have come and wait for others before them; what is over delivers nothing more.
    fn waiting(&self) -> Ranges {
        if self.endpoint.is_over() { Vec::new() } else { self.endpoint.waiting() }
    }

    /// How much has been delivered in a window of what had come and waited when it began.
    fn delivered_early(&self, open: Open) -> u64 {
        common(self.early.of(open), &[(0, self.endpoint.received())])
    }
}

fn length(ranges: &[(u64, u64)]) -> u64 {
    ranges.iter().map(|r| r.1 - r.0).sum()
}

/// How much lies in both of two lists of disjoint ranges, each in order.
fn common(one: &[(u64, u64)], other: &[(u64, u64)]) -> u64 {
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

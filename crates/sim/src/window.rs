//! What counts in the time that statistics cover, where counters alone do not tell.
//!
//! Differences of counters say what happened within a window. Two of them would lie: of packets that are lost in it some
//! were sent before it, and of bytes that are delivered in it some had come before it and waited for others. So losses and
//! marks are those of packets sent in the window, and goodput is what was delivered, but no more than has come for the first
//! time. Then no more is lost than was sent, and no more is goodput than throughput.

use crate::sockets::Socket;
use crate::tally::FlowTally;
use crate::world::World;
use tailrace_core::Instant;

/// What befell after the warm-up what was sent, or had come, before its end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Leftover {
    pub(crate) lost_packets: u64,
    pub(crate) marked_packets: u64,
    /// Of connections that are gone.
    pub(crate) delivered_bytes: u64,
}

impl World {
    /// Statistics begin: what counts so far is remembered.
    pub(crate) fn end_warmup(&mut self, now: Instant) {
        self.warm_until = Some(now);
        for flow in 0..self.flows.len() {
            self.flows[flow].at_warmup = self.tally(flow);
        }
        for socket in self.sockets.iter_mut() {
            socket.early = socket.waiting();
        }
        self.recorder.end_warmup();
        self.verdicts.end_warmup();
    }

    /// A flow's counters in the time that statistics cover.
    pub(crate) fn window_tally(&self, flow: usize) -> FlowTally {
        let f = &self.flows[flow];
        let mut tally = self.tally(flow).since(&f.at_warmup);
        tally.lost_packets -= f.leftover.lost_packets;
        tally.marked_packets -= f.leftover.marked_packets;
        tally
    }

    /// What a flow's applications got in that time, but no more than came for them in it, each byte once.
    pub(crate) fn goodput_bytes(&self, flow: usize, window: &FlowTally) -> u64 {
        let mut came = window.delivered_bytes - self.flows[flow].leftover.delivered_bytes;
        for socket in self.sockets_of(flow) {
            let waiting = socket.waiting();
            came += length(&waiting) - common(&socket.early, &waiting);
            came -= socket.delivered_early();
        }
        came.min(window.delivered_bytes)
    }
}

impl Socket {
    /// Ranges of the stream that have come and wait for others before them; what is over delivers nothing more.
    fn waiting(&self) -> Vec<(u64, u64)> {
        if self.endpoint.is_over() { Vec::new() } else { self.endpoint.waiting() }
    }

    /// How much has been delivered since the warm-up of what had come and waited when it ended.
    pub(crate) fn delivered_early(&self) -> u64 {
        common(&self.early, &[(0, self.endpoint.received())])
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

//! Which hosts have flows in bulk: the counts that host isolation divides a flow's quantum by.

use super::ways::{QUEUES, WAYS};
use tailrace_core::FlowKey;

tailrace_core::choices! {
    /// What is told apart, and among whom the rate is shared first.
    pub enum FlowMode {
        /// Nothing is told apart: all packets share one queue.
        Flowblind = "flowblind",
        /// Each source address is a flow.
        Srchost = "srchost",
        /// Each destination address is a flow.
        Dsthost = "dsthost",
        /// Each pair of source and destination address is a flow.
        Hosts = "hosts",
        /// Each connection (addresses, ports and protocol) is a flow.
        Flows = "flows",
        /// Each connection is a flow; the rate is first shared equally among source addresses.
        DualSrchost = "dual-srchost",
        /// Each connection is a flow; the rate is first shared equally among destination addresses.
        DualDsthost = "dual-dsthost",
        /// Each connection is a flow; the rate is first shared equally among source addresses and among destination
        /// addresses.
        TripleIsolate = "triple-isolate",
    }
}

impl FlowMode {
    /// The part of `flow` that makes its queue.
    #[inline]
    pub(super) fn key(self, flow: FlowKey) -> FlowKey {
        let none = FlowKey::default();
        match self {
            Self::Flowblind => none,
            Self::Srchost => FlowKey { src: flow.src, ..none },
            Self::Dsthost => FlowKey { dst: flow.dst, ..none },
            Self::Hosts => FlowKey { src: flow.src, dst: flow.dst, ..none },
            Self::Flows | Self::DualSrchost | Self::DualDsthost | Self::TripleIsolate => flow,
        }
    }

    /// Whether sources get equal shares.
    #[inline]
    pub(super) const fn isolates_sources(self) -> bool {
        matches!(self, Self::DualSrchost | Self::TripleIsolate)
    }

    /// Whether destinations do.
    #[inline]
    pub(super) const fn isolates_destinations(self) -> bool {
        matches!(self, Self::DualDsthost | Self::TripleIsolate)
    }
}

/// The hosts at one side, found like queues: eight ways to each place.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    tags: Vec<u32>,
    /// Flows of the host that are in bulk.
    bulk: Vec<u16>,
    /// What each of these gets of a quantum, in parts of 2^16.
    parts: Box<[u16; QUEUES]>,
}

/// What flows get that share with no other.
pub(super) static ALONE: [u16; QUEUES] = [u16::MAX; QUEUES];

impl Hosts {
    pub(super) fn new() -> Self {
        Self { tags: vec![0; QUEUES], bulk: vec![0; QUEUES], parts: Box::new(ALONE) }
    }

    /// The place of the host with `hash`: its own, or one of a host without bulk flows, or the first of the set.
    pub(super) fn place(&mut self, hash: u32) -> u16 {
        let first = hash as usize % QUEUES;
        let set = first - first % WAYS;
        let ways = || (0..WAYS).map(|i| set + (first + i) % WAYS);
        let known = ways().find(|w| self.tags[*w] == hash);
        let place = known.or_else(|| ways().find(|w| self.bulk[*w] == 0)).unwrap_or(first);
        self.tags[place] = hash;
        place as u16
    }

    /// What each flow of a host gets of a quantum, in parts of 2^16.
    #[inline]
    pub(super) fn parts(&self) -> &[u16; QUEUES] {
        &self.parts
    }

    /// A flow of `host` becomes one in bulk.
    pub(super) fn add(&mut self, host: u16) {
        self.set(host, (self.bulk[usize::from(host)] + 1).min(QUEUES as u16));
    }

    /// A flow of `host` is no longer in bulk.
    pub(super) fn remove(&mut self, host: u16) {
        self.set(host, self.bulk[usize::from(host)].saturating_sub(1));
    }

    fn set(&mut self, host: u16, flows: u16) {
        self.bulk[usize::from(host)] = flows;
        self.parts[usize::from(host)] = u16::MAX / flows.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_keeps_its_place_and_takes_none_of_a_busy_one() {
        let mut hosts = Hosts::new();
        // Nine hosts whose hashes lead to place 5.
        let hash = |n: u32| n * QUEUES as u32 + 5;
        let places: Vec<u16> = (1..=8)
            .map(|n| {
                let place = hosts.place(hash(n));
                hosts.add(place);
                place
            })
            .collect();
        assert_eq!(places, [5, 6, 7, 0, 1, 2, 3, 4]);
        assert_eq!(hosts.place(hash(3)), 7);
        // All ways have bulk flows: the ninth shares the first.
        assert_eq!(hosts.place(hash(9)), 5);
        hosts.remove(2);
        assert_eq!(hosts.place(hash(10)), 2);
    }
}

//! Hosts with flows in bulk: the counts that host isolation divides a flow's quantum by.

use super::ways::{Bits, QUEUES, boxed, way, with_tag};
use tailrace_core::FlowKey;

tailrace_core::choices! {
    /// Keys of flows and hosts, and the level at which the rate is shared first.
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
    tags: Box<[u32; QUEUES]>,
    loads: Box<[Load; QUEUES]>,
    /// Places whose host has flows in bulk.
    busy: Bits,
    /// Whether hosts at this side get equal shares; otherwise each flow gets what it would have alone.
    isolated: bool,
}

/// Demand and service of a host.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// Flows that are in bulk.
    bulk: u16,
    /// Part of a quantum that each flow gets, in parts of 2^16.
    part: u16,
    /// Surplus that each flow would have got, in parts of 2^16 of a byte, than with the same part since the beginning.
    /// It wraps.
    more: u64,
}

impl Load {
    const NONE: Self = Self { bulk: 0, part: u16::MAX, more: 0 };
}

impl Hosts {
    pub(super) fn new(isolated: bool) -> Self {
        Self { tags: boxed(0), loads: boxed(Load::NONE), busy: Bits::NONE, isolated }
    }

    /// The place of the host with `hash`: its own, or one of a host without bulk flows, or the first of the set.
    #[inline]
    pub(super) fn place(&mut self, hash: u32) -> u16 {
        let first = hash as usize % QUEUES;
        if !self.isolated || self.tags[first] == hash {
            return first as u16;
        }
        let known = way(first, with_tag(&self.tags, first, hash));
        let place = known.or_else(|| way(first, !self.busy.of_set(first))).unwrap_or(first) % QUEUES;
        self.tags[place] = hash;
        place as u16
    }

    /// Part of a quantum that each flow of `host` gets, in parts of 2^16.
    #[inline]
    pub(super) fn part(&self, host: u16) -> u16 {
        self.loads[usize::from(host) % QUEUES].part
    }

    /// Amount that a flow of `host` would have got since the beginning, in parts of 2^16 of a byte, if a flow alone
    /// had been given so many bytes. Differences matter: it wraps.
    #[inline]
    pub(super) fn credit(&self, host: u16, given: u64) -> u64 {
        let load = &self.loads[usize::from(host) % QUEUES];
        given.wrapping_mul(u64::from(load.part)).wrapping_add(load.more)
    }

    /// A flow of `host` becomes one in bulk, when a flow alone has been given so many bytes.
    pub(super) fn add(&mut self, host: u16, given: u64) {
        self.set(host, given, |flows| (flows + 1).min(QUEUES as u16));
    }

    /// A flow of `host` is no longer in bulk.
    pub(super) fn remove(&mut self, host: u16, given: u64) {
        self.set(host, given, |flows| flows.saturating_sub(1));
    }

    #[inline]
    fn set(&mut self, host: u16, given: u64, change: impl FnOnce(u16) -> u16) {
        if !self.isolated {
            return;
        }
        let credit = self.credit(host, given);
        let place = usize::from(host) % QUEUES;
        let bulk = change(self.loads[place].bulk);
        let part = u16::MAX / bulk.max(1);
        self.loads[place] =
            Load { bulk, part, more: credit.wrapping_sub(given.wrapping_mul(u64::from(part))) };
        if bulk > 0 {
            self.busy.set(place);
        } else {
            self.busy.clear(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_keeps_its_place_and_takes_none_of_a_busy_one() {
        let mut hosts = Hosts::new(true);
        // Nine hosts whose hashes lead to place 5.
        let hash = |n: u32| n * QUEUES as u32 + 5;
        let places: Vec<u16> = (1..=8)
            .map(|n| {
                let place = hosts.place(hash(n));
                hosts.add(place, 0);
                place
            })
            .collect();
        assert_eq!(places, [5, 6, 7, 0, 1, 2, 3, 4]);
        assert_eq!(hosts.place(hash(3)), 7);
        // All ways have bulk flows: the ninth shares the first.
        assert_eq!(hosts.place(hash(9)), 5);
        hosts.remove(2, 0);
        assert_eq!(hosts.place(hash(10)), 2);
    }

    #[test]
    fn a_flows_credit_is_the_sum_of_its_hosts_parts() {
        let mut hosts = Hosts::new(true);
        // Alone for 1000 bytes, one of two for 2000, one of three for 6000, and alone again for 500.
        hosts.add(7, 100);
        hosts.add(7, 1100);
        hosts.add(7, 3100);
        hosts.remove(7, 9100);
        hosts.remove(7, 9100);
        let bytes = hosts.credit(7, 9600).wrapping_sub(hosts.credit(7, 9600 - 500)) >> 16;
        assert_eq!(bytes, 499);
        assert_eq!(hosts.credit(7, 9600) >> 16, 100 + 1000 + 1000 + 2000 + 500 - 1);
        // Nobody is told apart: flows get what they would have alone.
        let mut hosts = Hosts::new(false);
        (0..9).for_each(|_| hosts.add(3, 0));
        assert_eq!((hosts.part(3), hosts.credit(3, 1 << 16)), (u16::MAX, u64::from(u16::MAX) << 16));
    }
}

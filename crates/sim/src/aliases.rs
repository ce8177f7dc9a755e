//! Addresses that interfaces have at some time of a run only, for faults change them.

use crate::flow::{Carrier, Flow};
use crate::packet::SimPacket;
use crate::world::{SimFabric, World};
use tailrace_core::{HostAddress, Instant};
use tailrace_impair::Condition;
use tailrace_net::{Address, Graph, LinkId};
use tailrace_scenario::model::Scenario;

/// Each such address with the one that its interface begins with, in the order of the former. Nobody else ever has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aliases(Box<[(Address, Address)]>);

impl Aliases {
    /// Those that the scenario gives to interfaces of `graph`, where they are reserved.
    pub(crate) fn of(scenario: &Scenario, graph: &mut Graph) -> Self {
        let mut pairs = Vec::new();
        for fault in &scenario.faults {
            let Some(later) = fault.kind.on(Condition::default()).address().map(address_of) else { continue };
            let ways = fault.ways.iter().map(|way| LinkId(way.link.0 * 2 + u32::from(way.backward)));
            pairs.extend(ways.filter_map(|way| Some((later, graph.source_of(way)?))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        graph.reserve_addresses(&pairs.iter().map(|(later, first)| (*first, *later)).collect::<Vec<_>>());
        Self(pairs.into())
    }

    /// Whether no address ever changes.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The address that the interface with this one began with.
    #[inline]
    pub(crate) fn first(&self, address: Address) -> Address {
        if self.0.is_empty() { address } else { self.search(address) }
    }

    #[cold]
    fn search(&self, address: Address) -> Address {
        self.0.binary_search_by_key(&address, |(a, _)| *a).map_or(address, |at| self.0[at].1)
    }
}

/// As the network has it.
pub(crate) fn address_of(address: HostAddress) -> Address {
    Address(u32::from(address.get()))
}

impl Flow {
    /// One of its hosts has another address. What it opens from now on is between the new ones; a flow over UDP that has begun
    /// sends to the old one until it hears from the new.
    fn readdress(&mut self, (old, new): (Address, Address), now: Instant) -> bool {
        let keeps = matches!(self.carrier, Carrier::Udp(_)) && self.start <= now;
        let mut is_concerned = false;
        for end in &mut self.ends {
            if end.source == old {
                (end.source, is_concerned) = (new, true);
            }
            if end.destination == old && !keeps {
                (end.destination, is_concerned) = (new, true);
            }
        }
        is_concerned
    }
}

impl World {
    /// An interface has another address: what flows open from now on has it.
    pub(crate) fn readdress(&mut self, (old, new): (Address, Address), fabric: &SimFabric) {
        self.verdicts.learn_names(&self.flows);
        for number in 0..self.flows.len() {
            if self.flows[number].readdress((old, new), fabric.now()) && !self.foreign.is_empty() {
                self.name_foreign_ends(number, fabric);
            }
        }
        self.verdicts.learn_names(&self.flows);
    }

    /// A datagram shows its receiver where its sender is now, unless it hides that.
    pub(crate) fn follow_sender(&mut self, pkt: &SimPacket) {
        let Some(end) = pkt.to.end() else { return };
        let flow = &mut self.flows[end.flow()];
        if flow.spoofed().is_none() {
            flow.ends[usize::from(end.is_server())].destination = pkt.source;
        }
    }
}

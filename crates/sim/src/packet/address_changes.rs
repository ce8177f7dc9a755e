//! Addresses that interfaces have at some time of a run only, for faults change them.

use tailrace_core::HostAddress;
use tailrace_impair::LinkCondition;
use tailrace_net::{Address, Graph, LinkId};
use tailrace_scenario::model::Scenario;

/// Each such address with the one that its interface begins with, in the order of the former. Nobody else ever has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressChanges(Box<[(Address, Address)]>);

impl AddressChanges {
    /// Those that the scenario gives to interfaces of `graph`, where they are reserved.
    pub(crate) fn of(scenario: &Scenario, graph: &mut Graph) -> Self {
        let mut pairs = Vec::new();
        for fault in &scenario.faults {
            let Some(later) = fault.kind.applied_to(LinkCondition::default()).address().map(address_of)
            else {
                continue;
            };
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

    /// The other addresses of the interface that begins with this one.
    pub(crate) fn later(&self, first: Address) -> impl Iterator<Item = Address> + '_ {
        self.0.iter().filter(move |(later, of)| *of == first && *later != first).map(|(later, _)| *later)
    }

    /// All addresses of the interface that begins with this one.
    pub(crate) fn all(&self, first: Address) -> impl Iterator<Item = Address> + '_ {
        core::iter::once(first).chain(self.later(first))
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

//! Addresses that interfaces have only for a part of the run, because faults change them.

use tailrace_core::HostAddress;
use tailrace_impair::LinkCondition;
use tailrace_net::{Address, Graph, LinkId};
use tailrace_scenario::model::Scenario;

/// Each temporary address with the first address of its interface, sorted by the former. An address belongs to one interface
/// only.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressChanges(Box<[(Address, Address)]>);

impl AddressChanges {
    /// Temporary addresses that the scenario gives to interfaces of `graph`, where they are reserved.
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

    /// First address of the interface with this one.
    #[inline]
    pub(crate) fn first(&self, address: Address) -> Address {
        if self.0.is_empty() { address } else { self.search(address) }
    }

    /// Other addresses of the interface that begins with this one.
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

/// Address in the network's form.
pub(crate) fn address_of(address: HostAddress) -> Address {
    Address(u32::from(address.get()))
}

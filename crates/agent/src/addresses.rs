//! Addresses that change while the guest runs.

use crate::namespace::Namespace;
use crate::network::{self, SetupResult};
use core::net::Ipv4Addr;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use tailrace_agent::plan::HostPlan;

/// The hosts of a guest, and where each has which address.
#[derive(Debug)]
pub(crate) struct Addresses {
    hosts: Vec<HostNetwork>,
    /// The networks of addresses that are not in the guest's own, whoever has them at the moment.
    networks: BTreeMap<Ipv4Addr, Arc<Namespace>>,
}

/// A host as its addresses are at present, and its network, where that is not the guest's.
#[derive(Debug)]
struct HostNetwork {
    host: HostPlan,
    network: Option<Arc<Namespace>>,
}

impl Addresses {
    pub(crate) fn new<'a>(hosts: impl Iterator<Item = (&'a HostPlan, &'a Option<Arc<Namespace>>)>) -> Self {
        let hosts: Vec<_> = hosts
            .map(|(host, network)| HostNetwork { host: host.clone(), network: network.clone() })
            .collect();
        let mut networks = BTreeMap::new();
        for HostNetwork { host, network } in &hosts {
            let Some(network) = network else { continue };
            for interface in &host.interfaces {
                let all = interface.later.iter().chain([&interface.address]);
                networks.extend(all.map(|address| (*address, Arc::clone(network))));
            }
        }
        Self { hosts, networks }
    }

    /// Enters the network of the host that has this address, now or at another time, for what this thread makes next.
    pub(crate) fn go_to(&self, address: Ipv4Addr) -> io::Result<()> {
        self.networks.get(&address).map_or(Ok(()), |network| network.enter())
    }

    /// Cards have other addresses from now on.
    pub(crate) fn change(&mut self, all: &[(u16, Ipv4Addr)]) -> SetupResult {
        for HostNetwork { host, network } in &mut self.hosts {
            let changed = of_host(host, all);
            if changed.is_empty() {
                continue;
            }
            network.as_ref().map_or(Ok(()), |network| network.enter())?;
            let name = host.name.clone();
            network::replace_addresses(host, &changed)
                .map_err(|error| format!("the addresses of host {name:?} cannot be changed: {error}"))?;
        }
        Ok(())
    }
}

/// Changes that concern a host, by the numbers of its interfaces.
fn of_host(host: &HostPlan, all: &[(u16, Ipv4Addr)]) -> Vec<(u8, Ipv4Addr)> {
    let find = |(card, address): &(u16, Ipv4Addr)| {
        let number = host.interfaces.iter().position(|interface| interface.card == *card)?;
        Some((u8::try_from(number).ok()?, *address))
    };
    all.iter().filter_map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_agent::plan::Interface;

    #[test]
    fn cards_of_a_guest_are_interfaces_of_its_hosts() {
        let at = |last| Ipv4Addr::new(10, 0, 0, last);
        let interface = |card| Interface { card, address: at(card as u8), later: vec![], unreached: vec![] };
        let host = |cards: &[u16]| HostPlan {
            interfaces: cards.iter().map(|card| interface(*card)).collect(),
            ..HostPlan::default()
        };
        let changed = [(3, at(13)), (1, at(11))];
        assert_eq!(of_host(&host(&[0, 1]), &changed), [(1, at(11))]);
        assert_eq!(of_host(&host(&[2, 3]), &changed), [(1, at(13))]);
        assert_eq!(of_host(&host(&[4]), &changed), []);
    }
}

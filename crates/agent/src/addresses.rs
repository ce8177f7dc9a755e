//! Address changes during the run.

use crate::namespace::Namespace;
use crate::network::{self, SetupResult};
use core::net::Ipv4Addr;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use tailrace_agent::plan::HostPlan;

/// Hosts of a guest with their present addresses.
#[derive(Debug)]
pub(crate) struct Addresses {
    hosts: Vec<HostNetwork>,
    /// Network namespace of each address, present or later, outside the guest's own namespace.
    networks: BTreeMap<Ipv4Addr, Arc<Namespace>>,
}

/// Host with its present addresses, and its network namespace unless that is the guest's.
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

    /// Moves the calling thread into the namespace of the host that has this address at some time, to open a socket there.
    pub(crate) fn enter_namespace_of(&self, address: Ipv4Addr) -> io::Result<()> {
        self.networks.get(&address).map_or(Ok(()), |network| network.enter())
    }

    /// Carries out address changes: device numbers with their new addresses.
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

/// Address changes of one host, by interface number instead of device number.
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
    fn address_changes_map_devices_to_interfaces() {
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

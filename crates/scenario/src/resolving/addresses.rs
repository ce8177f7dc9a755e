//! Addresses of hosts: those that the file gives, beside those that are counted.

use crate::declarations::draft::Draft;
use crate::declarations::node::NodeDecl;
use crate::model::{LinkDirection, LinkIndex, NodeIndex, NodeKind, Scenario};
use crate::resolving::topology::Topology;
use crate::text::codes::Code;
use crate::text::sink::Sink;
use core::net::Ipv4Addr;
use std::collections::BTreeMap;

/// The first address that is counted.
const FIRST: u32 = 0x0a00_0001;
/// The last address that a host can have: what follows is multicast.
const LAST: u32 = 0xdfff_ffff;

/// The addresses of member `i` of a declaration: each of the first one's and `i` more. Those that there cannot be are
/// reported by [`check`].
pub(super) fn of_member(decl: &NodeDecl, i: u32) -> Vec<Ipv4Addr> {
    let given = decl.address.iter().flat_map(|at| &at.value);
    given.map(|first| Ipv4Addr::from(u32::from(*first).saturating_add(i))).collect()
}

/// Given addresses are one for each link, and nobody else's.
pub(super) fn check(scenario: &Scenario, draft: &Draft, topology: &Topology<'_>, sink: &Sink<'_>) {
    if draft.nodes.iter().all(|decl| decl.address.is_none()) {
        return;
    }
    let mut owners = counted(scenario);
    let mut first = 0;
    for decl in &draft.nodes {
        let members = first..first + decl.len() as usize;
        first = members.end;
        let Some(given) = &decl.address else { continue };
        let mut wrong = members.clone().filter_map(|i| {
            let node = &scenario.nodes[i];
            let links = topology.degree(NodeIndex(i as u32));
            if links != given.value.len() {
                let (name, addresses) = (&node.name, given.value.len());
                return Some((
                    Code::UnequalCounts,
                    format!("host {name} has {links} {} and {addresses} {}", plural(links, "link"), plural(addresses, "address")),
                    "give one for each of its links, in the order of the file",
                ));
            }
            let taken = node.addresses.iter().find_map(|address| {
                let key = u32::from(*address);
                let owner = owners.insert(key, i as u32).map(|owner| owner as usize);
                (key > LAST).then_some((*address, None)).or(owner.map(|owner| (*address, Some(owner))))
            });
            taken.map(|(address, owner)| match owner {
                None => (
                    Code::OutOfBounds,
                    format!("host {} would have address {address}", node.name),
                    "hosts with `count` get addresses that follow one another: let the first one be lower",
                ),
                Some(owner) if scenario.nodes[owner].addresses.is_empty() => (
                    Code::DuplicateAddress,
                    format!("{address} of host {} is that of {}", node.name, owner_name(scenario, owner)),
                    "addresses that are not given are counted from 10.0.0.1; give that one an address, too, or choose another network",
                ),
                Some(owner) => (
                    Code::DuplicateAddress,
                    format!("{address} of host {} is that of {}", node.name, owner_name(scenario, owner)),
                    "each link of a host has an address of its own",
                ),
            })
        });
        if let Some((code, message, help)) = wrong.next() {
            sink.push(sink.at(code, given.origin, message).help(help));
        }
    }
}

pub(super) fn owner_name(scenario: &Scenario, owner: usize) -> String {
    let node = &scenario.nodes[owner];
    format!("{} {}", if node.kind == NodeKind::Host { "host" } else { "router" }, node.name)
}

fn plural(n: usize, word: &str) -> String {
    match (n, word.ends_with('s')) {
        (1, _) => word.to_string(),
        (_, true) => format!("{word}es"),
        (_, false) => format!("{word}s"),
    }
}

/// The address of each interface as the file has it, its host, and the direction that begins there, in the order of links.
pub(super) fn interfaces(scenario: &Scenario) -> Vec<(Ipv4Addr, NodeIndex, LinkDirection)> {
    let mut found: Vec<(Ipv4Addr, NodeIndex, LinkDirection)> = Vec::new();
    let mut links = vec![0; scenario.nodes.len()];
    for (i, link) in scenario.links.iter().enumerate() {
        for (node, backward) in [(link.a, false), (link.b, true)] {
            let host = &scenario.nodes[node.0 as usize];
            if host.kind == NodeKind::Router {
                continue;
            }
            let counted = Ipv4Addr::from(FIRST + found.len() as u32);
            let nth = &mut links[node.0 as usize];
            let address = host.addresses.get(*nth).copied().unwrap_or(counted);
            *nth += 1;
            found.push((address, node, LinkDirection { link: LinkIndex(i as u32), backward }));
        }
    }
    found
}

/// Owners of the addresses that are counted: hosts at the ends of links, in their order, and after them gateways.
pub(super) fn counted(scenario: &Scenario) -> BTreeMap<u32, u32> {
    let ends = scenario.links.iter().flat_map(|link| [link.a, link.b]);
    let hosts = ends.filter(|n| scenario.nodes[n.0 as usize].kind == NodeKind::Host);
    let mut owners = BTreeMap::new();
    let mut next = FIRST;
    for host in hosts {
        if scenario.nodes[host.0 as usize].addresses.is_empty() {
            owners.insert(next, host.0);
        }
        next += 1;
    }
    for gateway in scenario.flows.iter().flat_map(|f| f.gateways.iter().flatten()) {
        owners.insert(next, gateway.0);
        next += 1;
    }
    owners
}

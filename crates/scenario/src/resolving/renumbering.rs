//! Addresses that hosts have at some time only: each is one interface's in all of the run, so that what is sent to it leads to
//! one host.

use crate::declarations::draft::Draft;
use crate::model::{Fault, LinkDirection, NodeIndex, Scenario};
use crate::resolving::addresses::{counted, interfaces, owner_name};
use crate::text::codes::Code;
use crate::text::sink::Sink;
use core::net::Ipv4Addr;
use std::collections::BTreeMap;
use tailrace_core::HostAddress;
use tailrace_impair::LinkCondition;

/// The address that a fault gives, if it is of that sort, and the direction that begins at the interface.
fn given(fault: &Fault) -> Option<(Ipv4Addr, LinkDirection)> {
    let address = fault.kind.applied_to(LinkCondition::default()).address().map(HostAddress::get)?;
    fault.ways.first().map(|way| (address, *way))
}

/// Nobody else has an address that a fault gives. Of how many faults each declaration is, `parts` says.
pub(super) fn check(scenario: &Scenario, parts: &[usize], draft: &Draft, sink: &Sink<'_>) {
    let decls = parts.iter().enumerate().flat_map(|(decl, n)| std::iter::repeat_n(decl, *n));
    let given: Vec<_> =
        scenario.faults.iter().zip(decls).filter_map(|(f, decl)| Some((given(f)?, decl))).collect();
    if given.is_empty() {
        return;
    }
    let interfaces = interfaces(scenario);
    let host_at =
        |way: LinkDirection| interfaces.iter().find(|(.., at)| *at == way).map(|(_, host, _)| *host);
    let mut owners: BTreeMap<Ipv4Addr, (NodeIndex, Option<LinkDirection>)> = counted(scenario)
        .into_iter()
        .map(|(key, node)| (Ipv4Addr::from(key), (NodeIndex(node), None)))
        .collect();
    owners.extend(interfaces.iter().map(|(address, host, way)| (*address, (*host, Some(*way)))));
    for ((address, way), decl) in given {
        let Some(host) = host_at(way) else { continue };
        let keys = &draft.faults[decl].keys;
        let origin = keys.host.as_ref().map_or(keys.at.origin, |host| host.origin);
        let (owner, at) = *owners.entry(address).or_insert((host, Some(way)));
        if at == Some(way) {
            continue;
        }
        let whose = if owner == host {
            format!("another interface of {}", owner_name(scenario, owner.0 as usize))
        } else {
            owner_name(scenario, owner.0 as usize)
        };
        let message = format!("{address} is that of {whose}");
        let help = "no two interfaces may have the same address, at whatever time of the run; those that the file does not give are \
                    counted from 10.0.0.1, so choose one of another network";
        sink.push(sink.at(Code::DuplicateAddress, origin, message).help(help));
    }
}

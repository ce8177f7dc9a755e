//! Advice on links that go down under connections of Multipath TCP.

use crate::advice::adviser::Adviser;
use crate::model::{Fault, LinkIndex, NodeIndex, Transport};
use crate::resolving::topology::Topology;
use crate::text::codes::Code;
use std::collections::BTreeMap;
use tailrace_core::Duration;
use tailrace_impair::{LinkCondition, LinkState};
use tailrace_transport::mptcp::MptcpPlan;
use tailrace_transport::mptcp::path_manager::{End, Outage};

/// Interfaces that are down at an instant: the end of their outage, by host and link.
type DownInterfaces = BTreeMap<(NodeIndex, LinkIndex), Duration>;

/// Links that go down and return: their addresses are gone meanwhile, and a connection with its last subflow.
pub(crate) fn check(a: &Adviser<'_>) {
    let s = a.scenario;
    let downs: Vec<_> = s.faults.iter().enumerate().filter(|(_, fault)| goes_down(fault)).collect();
    let groups = || s.flows.iter().filter(|f| matches!(f.transport, Transport::Mptcp { .. }));
    if downs.is_empty() || groups().next().is_none() {
        return;
    }
    let mut topology = Topology::new(s);
    for (i, fault) in &downs {
        let down = down_at(a, &downs, fault);
        let ended = groups().find_map(|f| {
            let Transport::Mptcp { plan, .. } = &f.transport else { return None };
            let pairs = f.pairs.iter();
            let found = pairs.map(|pair| ended_at(a, plan, &mut topology, (*pair, fault.at, &down)));
            found.flatten().next().map(|host| (f, plan, host))
        });
        let Some((group, plan, host)) = ended else { continue };
        let gone = topology.links(host).filter(|link| down.contains_key(&(host, *link)));
        let names: Vec<_> = gone.map(|link| s.links[link.0 as usize].name.as_str()).collect();
        let (name, by) = (&s.nodes[host.0 as usize].name, plan.path_manager.name());
        let message = format!(
            "outage of {} at {name} takes the last subflow of flow {} for good",
            names.join(", "),
            group.name
        );
        let help = format!(
            "no address of {name} that the flow uses is left meanwhile, and path manager {by} opens no subflow afterwards: use kind = \
             \"blackhole\", which only loses packets, or leave {name} another link that the flow uses"
        );
        a.warn(Code::OnlyLinkDown, a.fault_origin(*i), message, &help);
    }
}

fn goes_down(fault: &Fault) -> bool {
    fault.kind.applied_to(LinkCondition::default()).state() == LinkState::Down
}

/// Interfaces that are down as `fault` begins, those that other faults of the scenario have taken down among them.
fn down_at(a: &Adviser<'_>, downs: &[(usize, &Fault)], fault: &Fault) -> DownInterfaces {
    let mut interfaces = DownInterfaces::new();
    let lasting =
        downs.iter().map(|(_, f)| f).filter(|f| f.at <= fault.at && f.until.is_none_or(|t| t > fault.at));
    for (way, until) in lasting.flat_map(|f| f.ways.iter().map(|way| (way, f.until.unwrap_or(Duration::MAX))))
    {
        let link = &a.scenario.links[way.link.0 as usize];
        let host = if way.backward { link.b } else { link.a };
        let latest = interfaces.entry((host, way.link)).or_insert(until);
        *latest = until.max(*latest);
    }
    interfaces
}

/// The host of a pair, client first, at which an outage from `at` on ends the connections of the pair, if it returns within the run.
fn ended_at(
    a: &Adviser<'_>,
    plan: &MptcpPlan,
    topology: &mut Topology<'_>,
    (pair, at, down): ((NodeIndex, NodeIndex), Duration, &DownInterfaces),
) -> Option<NodeIndex> {
    let (client, server) = pair;
    let concerned =
        |host: NodeIndex| down.range((host, LinkIndex(0))..=(host, LinkIndex(u32::MAX))).next().is_some();
    if !concerned(client) && !concerned(server) {
        return None;
    }
    let hops = topology.path(client, server)?;
    let firsts = (hops.first()?.0, hops.last()?.0);
    let ends = |(host, first, peer): (NodeIndex, LinkIndex, NodeIndex)| {
        let links: Vec<_> = topology.links(host).collect();
        let number = |link: LinkIndex| links.iter().position(|l| *l == link).map_or(1, |i| i + 1);
        let gone: Vec<_> = links.iter().filter(|link| down.contains_key(&(host, **link))).collect();
        let back = gone.iter().filter_map(|link| down.get(&(host, **link))).min()?;
        let outage = Outage {
            client: host == client,
            end: End { interfaces: links.len(), first: number(first) },
            down: gone.iter().map(|link| number(**link)).collect(),
            lasts: back.saturating_sub(at),
            at_peer: concerned(peer),
            closes_in_order: plan.mptcp.closes_in_order,
        };
        let simulated = a.scenario.nodes[host.0 as usize].kernel.is_none();
        (simulated && *back < a.scenario.duration && plan.path_manager.ends_with(&outage)).then_some(host)
    };
    [(client, firsts.0, server), (server, firsts.1, client)].into_iter().find_map(ends)
}

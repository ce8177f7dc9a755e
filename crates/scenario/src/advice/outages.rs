//! Advice on links that go down under connections of Multipath TCP.

use crate::advice::adviser::Adviser;
use crate::model::{Fault, NodeIndex, NodeKind, Transport};
use crate::resolving::topology::Topology;
use crate::text::codes::Code;
use tailrace_impair::{LinkCondition, LinkState};

/// A host whose only link goes down and returns: its address is gone meanwhile, and a connection with its last subflow.
pub(crate) fn check(a: &Adviser<'_>) {
    let brief = |fault: &Fault| goes_down(fault) && fault.until.is_some_and(|t| t < a.scenario.duration);
    if !a.scenario.faults.iter().any(brief) {
        return;
    }
    let topology = Topology::new(a.scenario);
    for (i, fault) in a.scenario.faults.iter().enumerate().filter(|(_, fault)| brief(fault)) {
        let Some((host, flow)) = cut_off(a, &topology, fault) else { continue };
        let (link, name) = (topology.links(host).next(), &a.scenario.nodes[host.0 as usize].name);
        let link = link.map_or("", |l| &a.scenario.links[l.0 as usize].name);
        let message = format!("link {link} is the only one of {name}, and goes down under flow {flow}");
        let help = "without an address its connections lose their last subflow, and most profiles never open another one: \
                    use kind = \"blackhole\", which only loses packets, or give the host a second [[link]]";
        a.warn(Code::OnlyLinkDown, a.fault_origin(i), message, help);
    }
}

fn goes_down(fault: &Fault) -> bool {
    fault.kind.applied_to(LinkCondition::default()).state() == LinkState::Down
}

/// A host of a Multipath TCP flow that a fault leaves without a link, and that flow.
fn cut_off<'s>(a: &Adviser<'s>, topology: &Topology<'_>, fault: &Fault) -> Option<(NodeIndex, &'s str)> {
    let s = a.scenario;
    let single = |n: &NodeIndex| s.nodes[n.0 as usize].kind == NodeKind::Host && topology.degree(*n) == 1;
    let ends = fault.links().into_iter().map(|l| &s.links[l.0 as usize]).flat_map(|l| [l.a, l.b]);
    let hosts: Vec<NodeIndex> = ends.filter(single).collect();
    let multipath = s.flows.iter().filter(|f| matches!(f.transport, Transport::Mptcp { .. }));
    multipath.into_iter().find_map(|f| {
        let mut concerned = f.pairs.iter().flat_map(|(x, y)| [*x, *y]);
        concerned.find(|n| hosts.contains(n)).map(|n| (n, f.name.as_str()))
    })
}

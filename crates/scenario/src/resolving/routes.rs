//! Whether the network carries what is asked of it.

use crate::declarations::draft::Draft;
use crate::model::{FlowGroup, NodeIndex, NodeKind, Pattern, Scenario};
use crate::resolving::topology::Topology;
use crate::resolving::{addresses, gateways, kernel_flows, kernels, subflows};
use crate::text::codes::Code;
use crate::text::sink::Sink;
use std::borrow::Cow;

/// Every host has a link, and every flow a route.
pub(crate) fn check(scenario: &Scenario, draft: &Draft, sink: &Sink<'_>) {
    let mut topology = Topology::new(scenario);
    let mut first = 0;
    for decl in &draft.nodes {
        let len = decl.len() as usize;
        let lonely = (first..first + len).find(|i| topology.degree(NodeIndex(*i as u32)) == 0);
        if let (Some(i), NodeKind::Host) = (lonely, decl.kind) {
            let message = format!("host {} has no link", scenario.nodes[i].name);
            sink.push(
                sink.at(Code::NotConnected, decl.name.origin, message)
                    .label("connect it with a [[link]], or remove it"),
            );
        }
        first += len;
    }
    if sink.errors() == 0 {
        addresses::check(scenario, draft, &topology, sink);
        kernels::check(scenario, draft, |node| topology.degree(node), sink);
        kernel_flows::check(scenario, draft, sink);
    }
    if sink.errors() > 0 {
        return;
    }
    // Disabled flows are checked as well, since an override may enable them.
    let idle = scenario.idle.iter().zip(&draft.idle).map(|(idle, (_, decl))| (&idle.group, decl));
    for (group, decl) in scenario.flows.iter().zip(&draft.flows).chain(idle) {
        gateways::check(&decl.gateways, group, (scenario, &mut topology), sink);
        subflows::check(scenario, &mut topology, (group, decl), sink);
        let pairs = asked(group);
        let cut: Vec<_> = pairs.iter().filter(|(a, b)| !topology.reachable(*a, *b)).collect();
        if let Some((a, b)) = cut.first() {
            let name = |n: &NodeIndex| &scenario.nodes[n.0 as usize].name;
            let message = format!("there is no route from {} to {}", name(a), name(b));
            let error = sink.at(Code::NoRoute, decl.from.origin, message);
            let others =
                if cut.len() > 1 { format!(" (and {} more pairs)", cut.len() - 1) } else { String::new() };
            sink.push(error.help(format!(
                "add a [[link]] that joins them by way of routers; hosts do not forward packets{others}"
            )));
        }
    }
}

/// Pairs of hosts that a group needs routes between. Of a permutation, which each run draws anew: its first host to all
/// receivers, and all to the first host's receiver; hosts with one link that can reach these can reach each other.
fn asked(group: &FlowGroup) -> Cow<'_, [(NodeIndex, NodeIndex)]> {
    let Some((first, receiver)) = group.pairs.first().filter(|_| group.pattern == Pattern::Permutation)
    else {
        return Cow::Borrowed(&group.pairs);
    };
    let across = group.pairs.iter().flat_map(|(from, to)| [(*first, *to), (*from, *receiver)]);
    Cow::Owned(across.filter(|(from, to)| from != to).collect())
}

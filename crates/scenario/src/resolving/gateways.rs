//! Routers that a path manager sends subflows through: which they are.

use crate::declarations::flow::gateways::Lists;
use crate::declarations::names::{Members, Selector};
use crate::model::{FlowGroup, NodeIndex, NodeKind, Scenario};
use crate::resolving::directory::Directory;
use crate::resolving::picked::Picked;
use crate::resolving::topology::Topology;
use crate::text::codes::Code;
use crate::text::place::At;
use crate::text::sink::Sink;

/// The routers behind the names.
pub(crate) fn resolve(
    lists: &Lists,
    directory: &Directory<'_>,
    sink: &Sink<'_>,
) -> Option<Vec<Vec<NodeIndex>>> {
    let routers: Vec<_> = lists.iter().flatten().map(|at| router(at, directory, sink)).collect();
    let mut routers = routers.into_iter().collect::<Option<Vec<_>>>()?.into_iter();
    Some(lists.iter().map(|list| routers.by_ref().take(list.len()).collect()).collect())
}

fn router(at: &At<Selector>, directory: &Directory<'_>, sink: &Sink<'_>) -> Option<NodeIndex> {
    let selector = &at.value;
    let routers = || directory.iter().filter(|(_, n)| n.kind == NodeKind::Router).map(|(name, _)| *name);
    let named = match directory.get(selector.name.as_str()) {
        Some(named) if named.kind == NodeKind::Router => named,
        Some(_) => {
            let error = sink.at(Code::WrongNode, at.origin, format!("gateway {selector} is a host"));
            let error = error.label("hosts do not forward");
            sink.push(match routers().next() {
                Some(_) => error.help(format!(
                    "name one of the routers: {}",
                    routers().take(30).collect::<Vec<_>>().join(", ")
                )),
                None => error.help("a gateway is a [[router]]; there is none"),
            });
            return None;
        }
        None => {
            let error = sink.at(
                Code::UnknownName,
                at.origin,
                format!("there is no router named {:?}", selector.name),
            );
            sink.push(error.among(&selector.name, routers()));
            return None;
        }
    };
    match Picked::of(selector, named.first, named.count.map(u64::from)) {
        Ok(picked) if !picked.several => Some(NodeIndex(picked.first as u32)),
        Ok(picked) => {
            let error = sink.at(
                Code::WrongMember,
                at.origin,
                format!("gateway {selector} is {} routers", picked.len),
            );
            let name = &selector.name;
            sink.push(error.label("a gateway is one").help(format!(
                "write {name}[0], {name}[1] for one after the other, {name}[0]; {name}[1] for a subflow each"
            )));
            None
        }
        Err(_) if selector.members == Members::Only => {
            let (count, name) = (named.count.unwrap_or(1), &selector.name);
            sink.error(
                Code::WrongMember,
                at.origin,
                format!("there are {count} of {name}; write {name}[0] for the first"),
            );
            None
        }
        Err(why) => {
            sink.error(Code::WrongMember, at.origin, why);
            None
        }
    }
}

/// A gateway that no link could ever lead a flow's packets to, from the interface that the connection begins with: where
/// subflows through gateways leave, too.
pub(crate) fn check(
    lists: &Lists,
    group: &FlowGroup,
    (scenario, topology): (&Scenario, &mut Topology<'_>),
    sink: &Sink<'_>,
) {
    if group.gateways.is_empty() {
        return;
    }
    let first = |(from, to): &(NodeIndex, NodeIndex)| {
        let path = topology.path(*from, *to)?;
        path.first().map(|hop| (*from, hop.0))
    };
    let leaves: Vec<_> = group.pairs.iter().filter_map(first).collect();
    for (at, gateway) in lists.iter().flatten().zip(group.gateways.iter().flatten()) {
        let cut = leaves.iter().find(|(from, link)| !topology.reaches_router(*from, *link, *gateway));
        if let Some((from, link)) = cut {
            let host = &scenario.nodes[from.0 as usize].name;
            let message = format!("there is no route from {host} to gateway {}", at.value);
            let error = sink.at(Code::NoRoute, at.origin, message);
            let link = &scenario.links[link.0 as usize].name;
            let error = match topology.degree(*from) {
                1 => error,
                _ => error.label(format!("the connection begins on link {link}, which does not lead there")),
            };
            sink.push(
                error.help("add a [[link]] that joins them by way of routers; hosts do not forward packets"),
            );
        }
    }
}

//! Directory of hosts and routers by name.

use crate::declarations::draft::Draft;
use crate::declarations::names::Selector;
use crate::model::{Node, NodeKind};
use crate::resolving::picked::Picked;
use crate::resolving::{addresses, kernels};
use crate::text::codes::Code;
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use std::collections::BTreeMap;

/// A name among hosts and routers.
pub(crate) struct Named {
    pub(crate) first: u64,
    pub(crate) count: Option<u32>,
    pub(crate) kind: NodeKind,
}

/// Hosts and routers by name.
pub(crate) type Directory<'d> = BTreeMap<&'d str, Named>;

/// All that are declared.
pub(crate) fn directory<'d>(draft: &'d Draft, sink: &Sink<'_>) -> Directory<'d> {
    let mut names: Directory<'_> = BTreeMap::new();
    let mut first = 0_u64;
    for decl in &draft.nodes {
        let named = Named { first, count: decl.members(), kind: decl.kind };
        first += u64::from(decl.len());
        if names.insert(&decl.name.value, named).is_some() {
            let message = format!("there are two nodes named {:?}", decl.name.value);
            sink.push(
                sink.at(Code::DuplicateName, decl.name.origin, message)
                    .label("this name is taken: choose another"),
            );
        }
    }
    if u32::try_from(first).is_err() {
        let message =
            format!("{first} hosts and routers are more than the {} that can be told apart", u32::MAX);
        sink.error(Code::TooLarge, Origin::Scenario, message);
    }
    if draft.links.is_empty() && draft.flows.is_empty() && draft.nodes.is_empty() && sink.errors() == 0 {
        let error =
            sink.at(Code::EmptyScenario, Origin::Scenario, "the scenario has no hosts, links and flows");
        sink.push(error.help("it needs at least two [[host]], a [[link]] and a [[flow]]"));
    } else if draft.flows.is_empty() && !draft.idle.is_empty() && sink.errors() == 0 {
        let message = "every flow is switched off: nothing would happen";
        let error = sink.at(Code::EmptyScenario, draft.idle[0].1.name.origin, message);
        sink.push(error.help("leave `enabled` out of one, or set it to true"));
    } else if draft.flows.is_empty() && !kernels::run_something(draft) && sink.errors() == 0 {
        // Whoever wrote programs has forgotten the kernel, or sweeps it.
        let (origin, help) = match draft.nodes.iter().find_map(|decl| Some((decl, decl.run.as_ref()?))) {
            Some((decl, run)) => (
                run.origin,
                format!(
                    "programs run on hosts with a kernel: give {} one, such as kernel = \"6.12\", or write a [[flow]]",
                    decl.name.value
                ),
            ),
            None => {
                (Origin::Scenario, "write a [[flow]], or let hosts with a `kernel` `run` programs".into())
            }
        };
        let message = "the scenario has no [[flow]]: nothing would happen";
        sink.push(sink.at(Code::EmptyScenario, origin, message).help(help));
    }
    names
}

/// Finds the hosts or routers that a selector means.
pub(crate) fn look_up(
    at: &At<Selector>,
    directory: &Directory<'_>,
    sink: &Sink<'_>,
) -> Option<(Picked, NodeKind)> {
    let selector = &at.value;
    let Some(named) = directory.get(selector.name.as_str()) else {
        let error = sink.at(
            Code::UnknownName,
            at.origin,
            format!("there is no host or router named {:?}", selector.name),
        );
        sink.push(error.among(&selector.name, directory.keys().copied()));
        return None;
    };
    match Picked::of(selector, named.first, named.count.map(u64::from)) {
        Ok(picked) => Some((picked, named.kind)),
        Err(why) => {
            sink.error(Code::WrongMember, at.origin, why);
            None
        }
    }
}

/// All of them, with counts expanded.
pub(crate) fn expand_nodes(draft: &Draft) -> Vec<Node> {
    let mut nodes = Vec::new();
    for decl in &draft.nodes {
        let name = &decl.name.value;
        nodes.extend((0..decl.len()).map(|i| Node {
            name: decl.members().map_or_else(|| name.clone(), |_| format!("{name}[{i}]")),
            kind: decl.kind,
            addresses: addresses::of_member(decl, i),
            kernel: kernels::of(decl),
        }));
    }
    nodes
}

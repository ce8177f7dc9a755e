//! The two ends of links and of flows.

use crate::declarations::flow::FlowDecl;
use crate::declarations::link::LinkDecl;
use crate::declarations::names::Selector;
use crate::model::NodeKind;
use crate::resolving::directory::{Directory, look_up};
use crate::resolving::picked::{Picked, pairs};
use crate::text::codes::Code;
use crate::text::place::At;
use crate::text::sink::Sink;

/// Those of a declaration of links.
pub(crate) fn link_ends(
    decl: &LinkDecl,
    nothing_known: bool,
    directory: &Directory<'_>,
    sink: &Sink<'_>,
) -> Option<(Picked, Picked)> {
    if nothing_known {
        sink.error(
            Code::EmptyScenario,
            decl.ends[0].origin,
            "a link needs hosts or routers, but none is declared",
        );
        return None;
    }
    let [a, b] = &decl.ends;
    let (left, right) = (look_up(a, directory, sink), look_up(b, directory, sink));
    let (left, right) = (left?.0, right?.0);
    match pairs(left, right) {
        None => {
            let message = format!("{} is {} and {} is {}", a.value, left.len, b.value, right.len);
            let error = sink.at(Code::UnequalCounts, b.origin, message).label("cannot be paired");
            sink.push(error.help("both ends need as many members, or one end a single one"));
            None
        }
        Some(_) if meet(left, right) => {
            sink.error(
                Code::SameEnds,
                b.origin,
                format!("{} and {} link a node to itself", a.value, b.value),
            );
            None
        }
        Some(_) => Some((left, right)),
    }
}

/// Whether some pair would be of one node with itself.
fn meet(a: Picked, b: Picked) -> bool {
    let within = |one: Picked, many: Picked| (many.first..many.first + many.len).contains(&one.first);
    match (a.len, b.len) {
        (1, _) => within(a, b),
        (_, 1) => within(b, a),
        _ => a.first == b.first,
    }
}

/// Those of a group of flows.
pub(crate) fn flow_ends(
    decl: &FlowDecl,
    directory: &Directory<'_>,
    sink: &Sink<'_>,
) -> Option<(Picked, Picked)> {
    let host = |at: &At<Selector>| {
        let (picked, kind) = look_up(at, directory, sink)?;
        if kind == NodeKind::Router {
            sink.error(
                Code::WrongNode,
                at.origin,
                format!("{} is a router; flows run between hosts", at.value),
            );
            return None;
        }
        Some(picked)
    };
    let (from, to) = (host(&decl.from), host(&decl.to));
    let (from, to) = (from?, to?);
    let (a, b) = (&decl.from.value, &decl.to.value);
    if pairs(from, to).is_none() {
        let message = format!("{a} is {} and {b} is {}", from.len, to.len);
        let error = sink.at(Code::UnequalCounts, decl.to.origin, message).label("cannot be paired");
        sink.push(error.help("`from` and `to` need as many hosts, or one of them a single one"));
        return None;
    }
    let (flows, starts) = (pairs(from, to).unwrap_or(0), &decl.starts);
    if !starts.value.is_empty() && starts.value.len() as u64 != flows {
        let message = format!("`start` lists {} times for {flows} flows", starts.value.len());
        let error = sink.at(Code::UnequalCounts, starts.origin, message);
        sink.push(error.help("list as many as there are flows, in their order, or give one time for all"));
        return None;
    }
    if meet(from, to) {
        sink.error(
            Code::SameEnds,
            decl.to.origin,
            format!("a flow from {a} to {b} runs from a host to itself"),
        );
        return None;
    }
    Some((from, to))
}

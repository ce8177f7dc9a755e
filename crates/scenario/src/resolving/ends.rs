//! The two ends of links and of flows.

use crate::declarations::flow::FlowDecl;
use crate::declarations::link::LinkDecl;
use crate::declarations::names::Selector;
use crate::model::{NodeKind, Pattern};
use crate::resolving::directory::{Directory, look_up};
use crate::resolving::pattern::{Flows, UnfitValue};
use crate::resolving::picked::{Picked, meet, pairs};
use crate::text::codes::Code;
use crate::text::place::At;
use crate::text::sink::Sink;
use tailrace_app::AttackConfig;

/// Ends of a declaration of links.
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
            let message = format!("{} has {} members, but {} has {}", a.value, left.len, b.value, right.len);
            let error = sink.at(Code::UnequalCounts, b.origin, message).label("cannot be paired");
            sink.push(error.help("both ends need equally many members, or one of them a single one"));
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

/// Ends of a group of flows.
pub(crate) fn flow_ends(decl: &FlowDecl, directory: &Directory<'_>, sink: &Sink<'_>) -> Option<Flows> {
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
    let each = decl.attack.as_ref().map_or(1, AttackConfig::flows);
    let flows = Flows { from: from?, to: to?, pattern: decl.pattern, each };
    if each > 1 && decl.pattern == Pattern::Permutation {
        let message = "a permutation has one connection between two hosts";
        let error = sink.at(Code::BadValue, decl.from.origin, message);
        sink.push(error.help("leave `pattern` out, or set `connections` to 1"));
        return None;
    }
    let count = match flows.count() {
        Ok(count) => count,
        Err(unfit) => {
            report(unfit, decl, &flows, sink);
            return None;
        }
    };
    let starts = &decl.starts;
    if !starts.value.is_empty() && starts.value.len() as u64 != count {
        let message = format!("`start` lists {} times for {count} flows", starts.value.len());
        let error = sink.at(Code::UnequalCounts, starts.origin, message);
        sink.push(error.help("give one time for each flow, in their order, or a single one for all"));
        return None;
    }
    Some(flows)
}

/// Says why a pattern does not fit the hosts, and what would do.
fn report(unfit: UnfitValue, decl: &FlowDecl, flows: &Flows, sink: &Sink<'_>) {
    let (a, b) = (&decl.from.value, &decl.to.value);
    let Flows { from, to, pattern, .. } = flows;
    let (code, message) = match unfit {
        UnfitValue::Counts if *pattern == Pattern::Incast => {
            (Code::UnequalCounts, format!("an incast has one receiver, but {b} has {} members", to.len))
        }
        UnfitValue::Counts => {
            (Code::UnequalCounts, format!("{a} has {} members, but {b} has {}", from.len, to.len))
        }
        UnfitValue::Itself => (Code::SameEnds, format!("a flow from {a} to {b} runs from a host to itself")),
    };
    let label = if unfit == UnfitValue::Counts { "cannot be paired" } else { "" };
    let error = sink.at(code, decl.to.origin, message).label(label);
    let help = match (unfit, pattern) {
        (UnfitValue::Counts, Pattern::Incast) => format!("name one host in `to`, such as {}[0]", b.name),
        (UnfitValue::Counts, Pattern::Permutation) => {
            "in a permutation each host sends to one and receives from one: name equally many in `from` and `to`".into()
        }
        (UnfitValue::Counts, _) => {
            "`from` and `to` need equally many hosts, or one of them a single one; with pattern = \"all_pairs\" each host sends to each"
                .into()
        }
        (UnfitValue::Itself, Pattern::Pairs) if from.len > 1 && from == to => {
            "with pattern = \"all_pairs\" each host sends to each other one, with \"permutation\" to one other".into()
        }
        (UnfitValue::Itself, Pattern::Pairs) if from.len > 1 && to.len == 1 => {
            "with pattern = \"incast\" all other hosts send to it".into()
        }
        (UnfitValue::Itself, Pattern::Pairs) if to.len > 1 => {
            "with pattern = \"all_pairs\" each host sends to each other one".into()
        }
        (UnfitValue::Itself, _) => "name two different hosts in `from` and `to`".to_string(),
    };
    sink.push(error.help(help));
}

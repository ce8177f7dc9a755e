//! From declarations to the [`Scenario`]: names looked up, counts expanded, topology checked.

use crate::advice::adviser::advise;
use crate::declarations::draft::{Draft, Head};
use crate::declarations::fault::{CaptureDecl, FaultDecl};
use crate::declarations::flow::FlowDecl;
use crate::declarations::link::LinkDecl;
use crate::declarations::names::{self, Picked, Selector};
use crate::model::{
    Capture, CapturePoint, Fault, FlowGroup, Link, LinkIndex, Node, NodeIndex, NodeKind, Scenario,
};
use crate::resolving::gateways;
use crate::resolving::memory::{self, Estimate};
use crate::resolving::subflows;
use crate::resolving::topology::Topology;
use crate::text::diagnostic::Sink;
use crate::text::document::{At, Origin};
use std::collections::BTreeMap;
use std::sync::Arc;
use tailrace_core::Bytes;

/// A name among hosts and routers.
pub(crate) struct Named {
    pub(crate) first: u64,
    pub(crate) count: Option<u32>,
    pub(crate) kind: NodeKind,
}

/// Checks everything that goes beyond one declaration, and expands where no error was found.
/// `incomplete` says that some links could not be read, so that their names are not known.
pub(crate) fn resolve(
    draft: &Draft,
    incomplete: bool,
    limit: Bytes,
    sink: &Sink<'_>,
) -> Option<(Scenario, Estimate)> {
    let directory = directory(draft, sink);
    let link_ends: Vec<_> =
        draft.links.iter().map(|decl| link_ends(decl, draft.nodes.is_empty(), &directory, sink)).collect();
    let flow_ends: Vec<_> = draft.flows.iter().map(|decl| flow_ends(decl, &directory, sink)).collect();
    let gateways: Vec<_> =
        draft.flows.iter().map(|decl| gateways::resolve(&decl.gateways, &directory, sink)).collect();
    for at in &draft.loose {
        look_up(at, &directory, sink);
    }
    duplicate_flows(&draft.flows, sink);
    if incomplete || link_ends.contains(&None) || flow_ends.contains(&None) || gateways.contains(&None) {
        return None;
    }
    let ends: Vec<(Picked, Picked)> = link_ends.into_iter().flatten().collect();
    let pairs: Vec<(Picked, Picked)> = flow_ends.into_iter().flatten().collect();
    let head = draft.head.as_ref()?;
    let memory = memory::fits(&memory::Counts::new(draft, head, &ends, &pairs), limit, sink)?;
    let nodes = expand_nodes(draft);
    let (links, groups) = expand_links(draft, &ends, &nodes, sink);
    let finder = LinkFinder::new(&links, &groups);
    let faults: Vec<_> = draft.faults.iter().map(|decl| fault(decl, &finder, sink)).collect();
    let captures: Vec<_> =
        draft.captures.iter().map(|decl| capture(decl, &finder, &directory, sink)).collect();
    let of_flows = pairs.iter().zip(gateways.into_iter().flatten());
    let flows = draft.flows.iter().zip(of_flows).map(|(decl, (ends, via))| flow(decl, *ends, via)).collect();
    let scenario = Scenario {
        nodes,
        links,
        flows,
        faults: faults.into_iter().flatten().collect(),
        captures: captures.into_iter().flatten().flatten().collect(),
        ..empty(head)
    };
    if sink.errors() == 0 {
        check_topology(&scenario, draft, sink);
    }
    if sink.errors() == 0 {
        let firsts: Vec<usize> = groups.iter().map(|g| g.first as usize).collect();
        advise(&scenario, draft, &firsts, sink);
    }
    (sink.errors() == 0).then_some((scenario, memory))
}

fn empty(head: &Head) -> Scenario {
    Scenario {
        name: head.name.clone(),
        question: head.question.clone(),
        duration: head.duration.value,
        warmup: head.warmup.value,
        runs: head.runs,
        seed: head.seed,
        record: head.record.clone(),
        nodes: Vec::new(),
        links: Vec::new(),
        flows: Vec::new(),
        faults: Vec::new(),
        captures: Vec::new(),
    }
}

fn directory<'d>(draft: &'d Draft, sink: &Sink<'_>) -> BTreeMap<&'d str, Named> {
    let mut names: BTreeMap<&str, Named> = BTreeMap::new();
    let mut first = 0_u64;
    for decl in &draft.nodes {
        let named = Named { first, count: decl.count, kind: decl.kind };
        first += u64::from(decl.count.unwrap_or(1));
        if names.insert(&decl.name.value, named).is_some() {
            let message = format!("there are two nodes named {:?}", decl.name.value);
            sink.push(sink.an_error(decl.name.origin, message).label("this name is taken"));
        }
    }
    if u32::try_from(first).is_err() {
        let message =
            format!("{first} hosts and routers are more than the {} that can be told apart", u32::MAX);
        sink.error(Origin::Scenario, message);
    }
    if draft.links.is_empty() && draft.flows.is_empty() && draft.nodes.is_empty() && sink.errors() == 0 {
        let error = sink.an_error(Origin::Scenario, "the scenario has no hosts, links and flows");
        sink.push(error.help("it needs at least two [[host]], a [[link]] and a [[flow]]"));
    } else if draft.flows.is_empty() && sink.errors() == 0 {
        sink.push(sink.an_error(Origin::Scenario, "the scenario has no [[flow]]: nothing would happen"));
    }
    names
}

fn look_up(
    at: &At<Selector>,
    directory: &BTreeMap<&str, Named>,
    sink: &Sink<'_>,
) -> Option<(Picked, NodeKind)> {
    let selector = &at.value;
    let Some(named) = directory.get(selector.name.as_str()) else {
        let error = sink.an_error(at.origin, format!("there is no host or router named {:?}", selector.name));
        sink.push(error.among(&selector.name, directory.keys().copied()));
        return None;
    };
    match selector.pick(named.first, named.count.map(u64::from)) {
        Ok(picked) => Some((picked, named.kind)),
        Err(why) => {
            sink.error(at.origin, why);
            None
        }
    }
}

fn link_ends(
    decl: &LinkDecl,
    nothing_known: bool,
    directory: &BTreeMap<&str, Named>,
    sink: &Sink<'_>,
) -> Option<(Picked, Picked)> {
    if nothing_known {
        sink.error(decl.ends[0].origin, "a link needs hosts or routers, but none is declared");
        return None;
    }
    let [a, b] = &decl.ends;
    let (left, right) = (look_up(a, directory, sink), look_up(b, directory, sink));
    let (left, right) = (left?.0, right?.0);
    match names::pairs(left, right) {
        None => {
            let message = format!("{} is {} and {} is {}", a.value, left.len, b.value, right.len);
            let error = sink.an_error(b.origin, message).label("cannot be paired");
            sink.push(error.help("both ends need as many members, or one end a single one"));
            None
        }
        Some(_) if meet(left, right) => {
            sink.error(b.origin, format!("{} and {} link a node to itself", a.value, b.value));
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

fn flow_ends(
    decl: &FlowDecl,
    directory: &BTreeMap<&str, Named>,
    sink: &Sink<'_>,
) -> Option<(Picked, Picked)> {
    let host = |at: &At<Selector>| {
        let (picked, kind) = look_up(at, directory, sink)?;
        if kind == NodeKind::Router {
            sink.error(at.origin, format!("{} is a router; flows run between hosts", at.value));
            return None;
        }
        Some(picked)
    };
    let (from, to) = (host(&decl.from), host(&decl.to));
    let (from, to) = (from?, to?);
    let (a, b) = (&decl.from.value, &decl.to.value);
    if names::pairs(from, to).is_none() {
        let message = format!("{a} is {} and {b} is {}", from.len, to.len);
        let error = sink.an_error(decl.to.origin, message).label("cannot be paired");
        sink.push(error.help("`from` and `to` need as many hosts, or one of them a single one"));
        return None;
    }
    let (flows, starts) = (names::pairs(from, to).unwrap_or(0), &decl.starts);
    if !starts.value.is_empty() && starts.value.len() as u64 != flows {
        let message = format!("`start` lists {} times for {flows} flows", starts.value.len());
        let error = sink.an_error(starts.origin, message);
        sink.push(error.help("list as many as there are flows, in their order, or give one time for all"));
        return None;
    }
    if meet(from, to) {
        sink.error(decl.to.origin, format!("a flow from {a} to {b} runs from a host to itself"));
        return None;
    }
    Some((from, to))
}

fn duplicate_flows(flows: &[FlowDecl], sink: &Sink<'_>) {
    let mut seen = BTreeMap::new();
    for decl in flows {
        if seen.insert(&decl.name.value, ()).is_some() {
            let message = format!("there are two flows named {:?}", decl.name.value);
            sink.push(sink.an_error(decl.name.origin, message).label("this name is taken"));
        }
    }
}

fn expand_nodes(draft: &Draft) -> Vec<Node> {
    let mut nodes = Vec::new();
    for decl in &draft.nodes {
        match decl.count {
            None => nodes.push(Node { name: decl.name.value.clone(), kind: decl.kind }),
            Some(n) => nodes
                .extend((0..n).map(|i| Node { name: format!("{}[{i}]", decl.name.value), kind: decl.kind })),
        }
    }
    nodes
}

/// The links of one declaration: what they are called together, and their positions.
struct Group {
    shown: String,
    named: bool,
    several: bool,
    first: u64,
    len: u64,
}

fn expand_links(
    draft: &Draft,
    ends: &[(Picked, Picked)],
    nodes: &[Node],
    sink: &Sink<'_>,
) -> (Vec<Link>, Vec<Group>) {
    let (mut links, mut groups, mut taken) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (decl, (a, b)) in draft.links.iter().zip(ends) {
        let forward = Arc::new(decl.forward.clone());
        let backward = decl.backward.clone().map_or_else(|| Arc::clone(&forward), Arc::new);
        let (len, several) = (names::pairs(*a, *b).unwrap_or(0), a.several || b.several);
        let first = links.len() as u64;
        groups.push(Group { shown: decl.shown(), named: decl.name.is_some(), several, first, len });
        for i in 0..len {
            let (x, y) = names::pair(*a, *b, i);
            let name = match &decl.name {
                Some(name) if several => format!("{}[{i}]", name.value),
                Some(name) => name.value.clone(),
                None => format!("{}-{}", nodes[x as usize].name, nodes[y as usize].name),
            };
            if taken.insert(name.clone(), ()).is_some() {
                let origin = decl.name.as_ref().map_or(decl.ends[0].origin, |n| n.origin);
                let error = sink.an_error(origin, format!("there are two links named {name:?}"));
                sink.push(error.help("give one of them another `name`"));
                break;
            }
            links.push(Link {
                name,
                a: NodeIndex(x as u32),
                b: NodeIndex(y as u32),
                forward: Arc::clone(&forward),
                backward: Arc::clone(&backward),
                observed: decl.observed,
            });
        }
    }
    (links, groups)
}

/// Finds links by name.
struct LinkFinder<'l> {
    exact: BTreeMap<&'l str, u64>,
    groups: &'l [Group],
}

impl<'l> LinkFinder<'l> {
    fn new(links: &'l [Link], groups: &'l [Group]) -> Self {
        let exact = links.iter().enumerate().map(|(i, link)| (link.name.as_str(), i as u64)).collect();
        Self { exact, groups }
    }

    /// The links a selector means; `Ok(None)` where there is none of that name.
    fn find(&self, selector: &Selector) -> Result<Option<Picked>, String> {
        let shown = selector.to_string();
        if let Some(first) = self.exact.get(shown.as_str()) {
            return Ok(Some(Picked { first: *first, len: 1, several: false }));
        }
        let whole = self.groups.iter().find(|g| !g.named && g.shown == shown);
        if let Some(g) = whole {
            return Ok(Some(Picked { first: g.first, len: g.len, several: true }));
        }
        match self.groups.iter().find(|g| g.named && g.shown == selector.name) {
            Some(g) => selector.pick(g.first, g.several.then_some(g.len)).map(Some),
            None => Ok(None),
        }
    }

    fn unknown(&self, at: &At<Selector>, also: &[&str], sink: &Sink<'_>) {
        let shown = at.value.to_string();
        let error = sink.an_error(at.origin, format!("there is no link named {shown:?}"));
        let names = self.groups.iter().map(|g| g.shown.as_str()).chain(also.iter().copied());
        sink.push(error.among(&shown, names));
    }
}

fn links_of(at: &At<Selector>, picked: Picked) -> Vec<LinkIndex> {
    debug_assert!(picked.len <= u64::from(u32::MAX), "{} was counted before", at.value);
    (picked.first..picked.first + picked.len).map(|i| LinkIndex(i as u32)).collect()
}

fn fault(decl: &FaultDecl, finder: &LinkFinder<'_>, sink: &Sink<'_>) -> Option<Fault> {
    match finder.find(&decl.link.value) {
        Ok(Some(picked)) => Some(Fault {
            links: links_of(&decl.link, picked),
            at: decl.at.value,
            until: decl.until,
            kind: decl.kind.clone(),
        }),
        Ok(None) => {
            finder.unknown(&decl.link, &[], sink);
            None
        }
        Err(why) => {
            sink.error(decl.link.origin, why);
            None
        }
    }
}

fn capture(
    decl: &CaptureDecl,
    finder: &LinkFinder<'_>,
    directory: &BTreeMap<&str, Named>,
    sink: &Sink<'_>,
) -> Option<Vec<Capture>> {
    let snaplen = decl.snaplen;
    match (finder.find(&decl.at.value), directory.get(decl.at.value.name.as_str())) {
        (Ok(Some(picked)), None) => {
            let links = links_of(&decl.at, picked).into_iter();
            Some(links.map(|l| Capture { at: CapturePoint::Link(l), snaplen }).collect())
        }
        (Ok(None), Some(_)) => {
            let (picked, kind) = look_up(&decl.at, directory, sink)?;
            if kind == NodeKind::Router {
                let error = sink.an_error(decl.at.origin, format!("{} is a router", decl.at.value));
                sink.push(error.help("packets are captured at links and hosts; name one of its links"));
                return None;
            }
            let nodes = (picked.first..picked.first + picked.len).map(|i| NodeIndex(i as u32));
            Some(nodes.map(|n| Capture { at: CapturePoint::Node(n), snaplen }).collect())
        }
        (Ok(Some(_)), Some(_)) => {
            sink.error(decl.at.origin, format!("{} is a link and also a host or router", decl.at.value));
            None
        }
        (Ok(None), None) => {
            let hosts: Vec<&str> =
                directory.iter().filter(|(_, n)| n.kind == NodeKind::Host).map(|(name, _)| *name).collect();
            finder.unknown(&decl.at, &hosts, sink);
            None
        }
        (Err(why), _) => {
            sink.error(decl.at.origin, why);
            None
        }
    }
}

fn flow(decl: &FlowDecl, (from, to): (Picked, Picked), gateways: Vec<Vec<NodeIndex>>) -> FlowGroup {
    let n = names::pairs(from, to).unwrap_or(0);
    let pairs =
        (0..n).map(|i| names::pair(from, to, i)).map(|(a, b)| (NodeIndex(a as u32), NodeIndex(b as u32)));
    FlowGroup {
        name: decl.name.value.clone(),
        role: decl.role,
        dscp: decl.dscp,
        pairs: pairs.collect(),
        transport: decl.transport.clone(),
        gateways,
        app: decl.app.clone(),
        start: decl.start,
        starts: decl.starts.value.clone(),
        stop: decl.stop,
        withholds_feedback: decl.withholds_feedback,
    }
}

/// Every host has a link, and every flow a route.
fn check_topology(scenario: &Scenario, draft: &Draft, sink: &Sink<'_>) {
    let mut topology = Topology::new(scenario);
    let mut first = 0;
    for decl in &draft.nodes {
        let len = decl.count.unwrap_or(1) as usize;
        let lonely = (first..first + len).find(|i| topology.degree(NodeIndex(*i as u32)) == 0);
        if let (Some(i), NodeKind::Host) = (lonely, decl.kind) {
            let message = format!("host {} has no link", scenario.nodes[i].name);
            sink.push(sink.an_error(decl.name.origin, message).label("not connected"));
        }
        first += len;
    }
    if sink.errors() > 0 {
        return;
    }
    for (group, decl) in scenario.flows.iter().zip(&draft.flows) {
        gateways::check(&decl.gateways, group, (scenario, &mut topology), sink);
        subflows::check(scenario, &mut topology, (group, decl), sink);
        let cut: Vec<_> = group.pairs.iter().filter(|(a, b)| !topology.reachable(*a, *b)).collect();
        if let Some((a, b)) = cut.first() {
            let name = |n: &NodeIndex| &scenario.nodes[n.0 as usize].name;
            let message = format!("there is no route from {} to {}", name(a), name(b));
            let error = sink.an_error(decl.from.origin, message);
            let others =
                if cut.len() > 1 { format!(" (and {} more pairs)", cut.len() - 1) } else { String::new() };
            sink.push(
                error.help(format!("links between routers must join them; hosts do not forward{others}")),
            );
        }
    }
}

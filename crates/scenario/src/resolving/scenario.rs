//! From declarations to the [`Scenario`]: names looked up, counts expanded, topology checked.

use crate::declarations::draft::Draft;
use crate::declarations::flow::FlowDecl;
use crate::declarations::head::Head;
use crate::model::{DisabledGroup, Fault, FlowGroup, NodeIndex, Scenario};
use crate::resolving::captures::capture;
use crate::resolving::clashes;
use crate::resolving::directory::{directory, expand_nodes, look_up};
use crate::resolving::ends::{flow_ends, link_ends};
use crate::resolving::faults::faults;
use crate::resolving::links::{Group, LinkFinder, expand_links};
use crate::resolving::memory::{self, Estimate, MemoryRoom};
use crate::resolving::pattern::Flows;
use crate::resolving::picked::Picked;
use crate::resolving::sides::Places;
use crate::resolving::unique::check_unique;
use crate::resolving::{gateways, loads, media, renumbering, routes, windows};
use crate::text::codes::Code;
use crate::text::sink::Sink;

/// A scenario that can run, and what its making found out.
pub(crate) struct Resolved {
    pub(crate) scenario: Scenario,
    /// Memory estimate.
    pub(crate) memory: Estimate,
    /// The first link of each declaration of links.
    pub(crate) firsts: Vec<usize>,
    /// Number of steps of each `[[fault]]`.
    pub(crate) steps: Vec<usize>,
    /// Number of faults that each `[[fault]]` has become.
    pub(crate) parts: Vec<usize>,
}

/// Checks everything that goes beyond one declaration, and expands where no error was found.
/// `incomplete` says that some links could not be read, so that their names are not known.
pub(crate) fn resolve(
    draft: &Draft,
    incomplete: bool,
    room: MemoryRoom,
    sink: &Sink<'_>,
) -> Option<Resolved> {
    let directory = directory(draft, sink);
    let link_ends: Vec<_> =
        draft.links.iter().map(|decl| link_ends(decl, draft.nodes.is_empty(), &directory, sink)).collect();
    let ends_of = |decl: &FlowDecl| {
        let ends = flow_ends(decl, &directory, sink);
        let gateways = gateways::resolve(&decl.gateways, &directory, sink);
        Some((ends?, gateways?))
    };
    let flow_ends: Vec<_> = draft.flows.iter().map(ends_of).collect();
    let idle_ends: Vec<_> = draft.idle.iter().map(|(_, decl)| ends_of(decl)).collect();
    for at in &draft.loose {
        look_up(at, &directory, sink);
    }
    check_names(draft, sink);
    if incomplete || link_ends.contains(&None) || flow_ends.contains(&None) || idle_ends.contains(&None) {
        return None;
    }
    let ends: Vec<(Picked, Picked)> = link_ends.into_iter().flatten().collect();
    let (pairs, gateways): (Vec<Flows>, Vec<_>) = flow_ends.into_iter().flatten().unzip();
    let head = draft.head.as_ref()?;
    let memory =
        memory::fits(&memory::Counts::new(draft, head, &ends, &pairs, room.leaving), room.memory, sink)?;
    let windows = windows::resolve(&draft.windows, head, sink);
    let nodes = expand_nodes(draft);
    let (links, groups) = expand_links(draft, &ends, &nodes, sink);
    let finder = LinkFinder::new(&links, &groups);
    let places = Places { finder: &finder, directory: &directory, links: &links };
    let duration = head.keys.duration.value;
    let faults = draft.faults.iter().map(|decl| faults(decl, &places, duration, sink).unwrap_or_default());
    let (steps, faults): (Vec<usize>, Vec<Vec<Fault>>) = faults.unzip();
    clashes::check(&faults, draft, &links, sink);
    let parts: Vec<usize> = faults.iter().map(Vec::len).collect();
    let captures: Vec<_> =
        draft.captures.iter().map(|decl| capture(decl, &finder, &directory, sink)).collect();
    let of_flows = pairs.iter().zip(gateways);
    let flows = draft.flows.iter().zip(of_flows).map(|(decl, (ends, via))| flow(decl, ends, via)).collect();
    let of_idle = draft.idle.iter().zip(idle_ends.into_iter().flatten()).enumerate();
    let idle = of_idle.map(|(before, ((at, decl), (ends, via)))| DisabledGroup {
        after: at - before,
        group: flow(decl, &ends, via),
    });
    let mut scenario = Scenario {
        windows,
        nodes,
        media: media::media(draft),
        links,
        flows,
        idle: idle.collect(),
        faults: faults.into_iter().flatten().collect(),
        captures: captures.into_iter().flatten().flatten().collect(),
        ..empty(head)
    };
    check_network(&scenario, &parts, draft, sink);
    if sink.errors() == 0 {
        settle_loads(&mut scenario, draft, &groups, sink);
    }
    let firsts = groups.iter().map(|g| g.first as usize).collect();
    (sink.errors() == 0).then_some(Resolved { scenario, memory, firsts, steps, parts })
}

/// The network carries what is asked of it, and its addresses are one interface's each.
fn check_network(scenario: &Scenario, parts: &[usize], draft: &Draft, sink: &Sink<'_>) {
    if sink.errors() == 0 {
        routes::check(scenario, draft, sink);
    }
    if sink.errors() == 0 {
        renumbering::check(scenario, parts, draft, sink);
    }
}

/// No two of a kind have one name.
fn check_names(draft: &Draft, sink: &Sink<'_>) {
    let idle = draft.idle.iter().map(|(_, decl)| decl);
    check_unique("flows", draft.flows.iter().chain(idle).map(|decl| &decl.name), sink);
    check_unique("media", draft.media.iter().map(|decl| &decl.keys.name), sink);
    check_unique("faults", draft.faults.iter().filter_map(|decl| decl.keys.name.as_ref()), sink);
    check_unique("captures", draft.captures.iter().filter_map(|decl| decl.name.as_ref()), sink);
}

/// Transfers that are to load a link arrive as often as that takes.
fn settle_loads(scenario: &mut Scenario, draft: &Draft, groups: &[Group], sink: &Sink<'_>) {
    let gaps = loads::gaps(scenario, draft, &LinkFinder::new(&scenario.links, groups), sink);
    for (flow, gap) in gaps {
        if let Err((key, why)) = scenario.flows[flow].app.set_mean_gap(gap) {
            let message = format!("this `load` would need an impossible `{key}`");
            sink.push(sink.at(Code::UnfitLoad, draft.flows[flow].app_origin.0, message).label(why));
        }
    }
}

fn empty(head: &Head) -> Scenario {
    Scenario {
        name: head.keys.name.value.clone(),
        question: head.keys.question.value.clone(),
        duration: head.keys.duration.value,
        warmup: head.keys.warmup.value,
        runs: head.keys.runs.value,
        seed: head.keys.seed.value,
        record: head.record.plain(),
        routing: head.routing.plain(),
        windows: Vec::new(),
        nodes: Vec::new(),
        media: Vec::new(),
        links: Vec::new(),
        flows: Vec::new(),
        idle: Vec::new(),
        faults: Vec::new(),
        captures: Vec::new(),
    }
}

fn flow(decl: &FlowDecl, flows: &Flows, gateways: Vec<Vec<NodeIndex>>) -> FlowGroup {
    FlowGroup {
        name: decl.name.value.clone(),
        role: decl.role,
        dscp: decl.dscp,
        ports: decl.ports,
        pattern: flows.pattern,
        pairs: flows.pairs(),
        transport: decl.transport.clone(),
        gateways,
        app: decl.app.clone(),
        start: decl.start,
        starts: decl.starts.value.clone(),
        stop: decl.stop,
        spoof: decl.spoof,
        withholds_feedback: decl.withholds_feedback,
    }
}

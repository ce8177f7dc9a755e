//! Checks of path managers against the hosts of a flow: interfaces, endpoints, numbers of subflows.

use crate::declarations::flow::FlowDecl;
use crate::model::{FlowGroup, NodeIndex, Scenario, Transport};
use crate::resolving::topology::Topology;
use crate::text::codes::Code;
use crate::text::sink::Sink;
use tailrace_transport::mptcp::path_manager::{End, NamedInterface, PathManagerConfig};

/// More links than this are not listed one by one.
const MOST_LISTED: usize = 8;

/// A group of flows over Multipath TCP.
struct Group<'a> {
    scenario: &'a Scenario,
    sink: &'a Sink<'a>,
    manager: &'a PathManagerConfig,
    decl: &'a FlowDecl,
    group: &'a FlowGroup,
}

/// Checks a group against the links of its hosts. Of each kind of mistake the first is told.
pub(crate) fn check(
    scenario: &Scenario,
    topology: &mut Topology<'_>,
    (group, decl): (&FlowGroup, &FlowDecl),
    sink: &Sink<'_>,
) {
    let Transport::Mptcp { plan, .. } = &group.transport else { return };
    let g = Group { scenario, sink, manager: &plan.path_manager, decl, group };
    let before = sink.errors();
    g.check_number(topology);
    let named = g.manager.interfaces();
    for interface in &named {
        if g.check_interface(interface, topology) {
            return;
        }
    }
    if !named.is_empty() && sink.errors() == before {
        g.check_ends(topology);
    }
}

impl Group<'_> {
    fn name_of(&self, node: NodeIndex) -> &str {
        &self.scenario.nodes[node.0 as usize].name
    }

    /// A path manager that uses all addresses keeps track of so many; further ones would be taken for the first.
    fn check_number(&self, topology: &Topology<'_>) {
        let (manager, decl) = (self.manager, self.decl);
        let Some(most) = manager.most_addresses() else { return };
        let ends = self.group.pairs.iter().flat_map(|(a, b)| [(*a, &decl.from), (*b, &decl.to)]);
        let crowded = ends.map(|(node, at)| (node, at, topology.degree(node))).find(|e| e.2 > most);
        if let Some((node, at, links)) = crowded {
            let message = format!("host {} has {links} links and as many addresses", self.name_of(node));
            let error = self.sink.at(Code::TooManyAddresses, at.origin, message);
            let error = error.label(format!("path manager {} tells {most} apart", manager.name()));
            self.sink.push(error.help("give it fewer links, or use path_manager = \"ndiffports\""));
        }
    }

    /// An interface that a host does not have; returns whether there was one.
    fn check_interface(&self, named: &NamedInterface, topology: &Topology<'_>) -> bool {
        let hosts = self.group.pairs.iter().map(|(a, b)| if named.client { *a } else { *b });
        let number = usize::from(named.number);
        let Some(host) = hosts.into_iter().find(|host| topology.degree(*host) < number) else {
            return false;
        };
        let (name, links) = (self.name_of(host), topology.degree(host));
        let plural = if links == 1 { "" } else { "s" };
        let message =
            format!("{:?} names interface {number}, but host {name} has {links} link{plural}", named.words);
        let error =
            self.sink.at(Code::NoSuchInterface, self.decl.path_manager.0.origin_of(named.parameter), message);
        let error = error.label(format!("its interfaces are {}", self.list(host, topology)));
        self.sink.push(error.help(format!("name one of them, or give {name} another [[link]]")));
        true
    }

    /// The links of a host by their numbers.
    fn list(&self, host: NodeIndex, topology: &Topology<'_>) -> String {
        let links = topology.links(host).enumerate();
        let shown = links.take(MOST_LISTED).map(|(i, link)| {
            let name = &self.scenario.links[link.0 as usize].name;
            format!("{} ({name})", i + 1)
        });
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if topology.degree(host) > MOST_LISTED {
            text += ", ...";
        }
        text
    }

    /// Parameters that leave nothing to do for some flow of the group.
    fn check_ends(&self, topology: &mut Topology<'_>) {
        for (a, b) in &self.group.pairs {
            let Some(hops) = topology.path(*a, *b) else { continue };
            let (Some(leaves), Some(enters)) = (hops.first(), hops.last()) else { continue };
            let end = |host, link| {
                let first = topology.links(host).position(|l| l == link).map_or(1, |i| i + 1);
                End { interfaces: topology.degree(host), first }
            };
            let ends = [end(*a, leaves.0), end(*b, enters.0)];
            if let Err(misfit) = self.manager.validate_ends(ends) {
                let message = format!(
                    "path manager {} of flow {} does not fit the links of {} and {}",
                    self.manager.name(),
                    self.group.name,
                    self.name_of(*a),
                    self.name_of(*b)
                );
                let origin = self.decl.path_manager.0.origin_of(misfit.parameter);
                self.sink.push(
                    self.sink
                        .at(Code::UnfitPathManager, origin, message)
                        .label(misfit.why)
                        .help(&misfit.remedy),
                );
                return;
            }
        }
    }
}

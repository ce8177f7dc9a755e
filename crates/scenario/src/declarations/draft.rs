//! The scenario as far as it could be read: declarations with their defaults filled in, counts not yet expanded.

use crate::declarations::allow::read_allow;
use crate::declarations::capture::CaptureDecl;
use crate::declarations::declaration::Declaration;
use crate::declarations::fault::FaultDecl;
use crate::declarations::figure::FigureDecl;
use crate::declarations::flow::FlowDecl;
use crate::declarations::head::{Head, read_head};
use crate::declarations::link::LinkDecl;
use crate::declarations::medium::MediumDecl;
use crate::declarations::names::LooseSelectors;
use crate::declarations::node::{NodeDecl, read_nodes};
use crate::declarations::queue::{self, QueueContext};
use crate::declarations::reader::Reader;
use crate::declarations::sections::SCENARIO;
use crate::declarations::sweep::Sweep;
use crate::declarations::window::WindowDecl;
use crate::model::{NodeKind, Plugins};
use crate::text::codes::Code;
use crate::text::document::Table;
use crate::text::place::Origin;
use crate::text::sink::Sink;

/// The part of a file that could be read. The head is missing if one of its values is wrong; lists lack tables that are wrong.
pub(crate) struct Draft {
    pub(crate) head: Option<Head>,
    /// Warnings that are not wanted.
    pub(crate) allow: Vec<Code>,
    pub(crate) windows: Vec<WindowDecl>,
    pub(crate) nodes: Vec<NodeDecl>,
    pub(crate) media: Vec<MediumDecl>,
    pub(crate) links: Vec<LinkDecl>,
    /// Flows, then attacks.
    pub(crate) flows: Vec<FlowDecl>,
    /// Flows and attacks that are switched off, each with its place among all of them.
    pub(crate) idle: Vec<(usize, FlowDecl)>,
    pub(crate) faults: Vec<FaultDecl>,
    pub(crate) captures: Vec<CaptureDecl>,
    pub(crate) figures: Vec<FigureDecl>,
    /// Selectors of links and flows that could not be read; names in them are checked all the same.
    pub(crate) loose: LooseSelectors,
}

impl Draft {
    /// Reads the whole document, collecting errors.
    pub(crate) fn read(root: &Table, plugins: &Plugins, sink: &Sink<'_>) -> Self {
        let r = Reader::of(root, Origin::Scenario, &SCENARIO, sink);
        let head = read_head(&r);
        let allow = read_allow(&r);
        let mut nodes = read_nodes(&r, "host", NodeKind::Host);
        nodes.extend(read_nodes(&r, "router", NodeKind::Router));
        nodes.sort_by_key(|n| match n.name.origin {
            Origin::Span(start, _) => start,
            _ => usize::MAX,
        });
        let mut loose = LooseSelectors::new();
        let form = queue::read_form(&r);
        let around = QueueContext { form: form.as_deref(), plugins };
        let links =
            r.list("link", |node, sink| LinkDecl::read(node, around, sink).map_err(|l| loose.extend(l)).ok());
        let (flows, idle) = read_flows(&r, plugins, &mut loose);
        let draft = Self {
            head,
            allow,
            windows: r.list("window", WindowDecl::read),
            nodes,
            media: r.list("medium", MediumDecl::read),
            links,
            flows,
            idle,
            loose,
            faults: r.list("fault", |node, sink| FaultDecl::read(node, around, sink)),
            captures: r.list("capture", CaptureDecl::read),
            figures: r.list("figure", FigureDecl::read),
        };
        r.node("sweep");
        r.finish();
        draft
    }

    /// Reads what a change of one top-level key concerns, for its errors.
    pub(crate) fn read_part(root: &Table, key: &str, plugins: &Plugins, sink: &Sink<'_>) {
        let r = Reader::of(root, Origin::Scenario, &SCENARIO, sink);
        match key {
            "host" => drop(read_nodes(&r, key, NodeKind::Host)),
            "window" => drop(r.list(key, WindowDecl::read)),
            "medium" => drop(r.list(key, MediumDecl::read)),
            "router" => drop(read_nodes(&r, key, NodeKind::Router)),
            "link" | "queue_form" => {
                let form = queue::read_form(&r);
                let around = QueueContext { form: form.as_deref(), plugins };
                drop(r.list("link", |node, sink| LinkDecl::read(node, around, sink).ok()));
            }
            "flow" => drop(r.list(key, |node, sink| FlowDecl::read(node, plugins, sink).ok())),
            "attack" => drop(r.list(key, |node, sink| FlowDecl::read_attack(node, plugins, sink).ok())),
            "fault" => {
                let form = queue::read_form(&r);
                let around = QueueContext { form: form.as_deref(), plugins };
                drop(r.list(key, |node, sink| FaultDecl::read(node, around, sink)));
            }
            "capture" => drop(r.list(key, CaptureDecl::read)),
            "figure" => drop(r.list(key, FigureDecl::read)),
            _ => {
                read_head(&r);
                read_allow(&r);
                r.finish();
            }
        }
    }

    /// The declaration, where the head is fine.
    pub(crate) fn complete(self, sweep: Sweep) -> Option<Declaration> {
        let mut flows = self.flows;
        // Each to its place: those before it are there by then.
        self.idle.into_iter().for_each(|(at, decl)| flows.insert(at, decl));
        Some(Declaration {
            head: self.head?,
            allow: self.allow,
            windows: self.windows,
            nodes: self.nodes,
            media: self.media,
            links: self.links,
            flows,
            faults: self.faults,
            captures: self.captures,
            figures: self.figures,
            sweep,
        })
    }
}

/// Flows, then attacks; and apart from them those that are switched off.
fn read_flows(
    r: &Reader<'_>,
    plugins: &Plugins,
    loose: &mut LooseSelectors,
) -> (Vec<FlowDecl>, Vec<(usize, FlowDecl)>) {
    let mut all =
        r.list("flow", |node, sink| FlowDecl::read(node, plugins, sink).map_err(|l| loose.extend(l)).ok());
    all.extend(r.list("attack", |node, sink| {
        FlowDecl::read_attack(node, plugins, sink).map_err(|l| loose.extend(l)).ok()
    }));
    let (on, off): (Vec<_>, Vec<_>) = all.into_iter().enumerate().partition(|(_, decl)| decl.enabled);
    (on.into_iter().map(|(_, decl)| decl).collect(), off)
}

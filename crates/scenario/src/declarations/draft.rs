//! The scenario as written: declarations with their defaults filled in, counts not yet expanded.

use crate::advice::roles::ROLES;
use crate::declarations::emit;
use crate::declarations::fault::{CaptureDecl, FaultDecl};
use crate::declarations::flow::FlowDecl;
use crate::declarations::link::{Ignored, LinkDecl, Loose};
use crate::declarations::names;
use crate::declarations::queue;
use crate::declarations::reader::{Reader, choice, duration, plain, positive_count, positive_duration, text};
use crate::declarations::sections::{HOST, RECORD, ROUTER, SCENARIO};
use crate::model::{NodeKind, Record};
use crate::resolving::sweep::{self, SweepAxis};
use crate::text::diagnostic::Sink;
use crate::text::document::{At, Data, Node, Origin, Table};
use tailrace_core::Duration;

/// A scenario before expansion: what `to_toml` writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) duration: At<Duration>,
    pub(crate) warmup: At<Duration>,
    pub(crate) runs: u32,
    pub(crate) seed: u64,
    pub(crate) record: Record,
    pub(crate) record_origin: Ignored<Origin>,
    pub(crate) nodes: Vec<NodeDecl>,
    pub(crate) links: Vec<LinkDecl>,
    pub(crate) flows: Vec<FlowDecl>,
    pub(crate) faults: Vec<FaultDecl>,
    pub(crate) captures: Vec<CaptureDecl>,
    pub(crate) sweep: Vec<SweepAxis>,
}

/// One `[[host]]` or `[[router]]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodeDecl {
    pub(crate) name: At<String>,
    pub(crate) kind: NodeKind,
    pub(crate) count: Option<u32>,
    /// What the queues behind a router are.
    pub(crate) role: Option<At<&'static str>>,
}

/// What could be read. The head is missing where one of its values is wrong; lists lack what is wrong.
pub(crate) struct Draft {
    pub(crate) head: Option<Head>,
    pub(crate) nodes: Vec<NodeDecl>,
    pub(crate) links: Vec<LinkDecl>,
    pub(crate) flows: Vec<FlowDecl>,
    pub(crate) faults: Vec<FaultDecl>,
    pub(crate) captures: Vec<CaptureDecl>,
    /// Of links and flows that could not be read.
    pub(crate) loose: Loose,
}

/// The plain keys of a scenario.
pub(crate) struct Head {
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) duration: At<Duration>,
    pub(crate) warmup: At<Duration>,
    pub(crate) runs: u32,
    pub(crate) seed: u64,
    pub(crate) record: Record,
    pub(crate) record_origin: Origin,
}

impl Draft {
    /// Reads the whole document, collecting errors.
    pub(crate) fn read(root: &Table, sink: &Sink<'_>) -> Self {
        let r = Reader::of(root, Origin::Scenario, &SCENARIO, sink);
        let head = read_head(&r);
        let mut nodes = read_nodes(&r, "host", NodeKind::Host);
        nodes.extend(read_nodes(&r, "router", NodeKind::Router));
        nodes.sort_by_key(|n| match n.name.origin {
            Origin::Span(start, _) => start,
            _ => usize::MAX,
        });
        let mut loose = Loose::new();
        let form = queue::read_form(&r);
        let links = read_list(&r, "link", |node, sink| {
            LinkDecl::read(node, form.as_deref(), sink).map_err(|l| loose.extend(l)).ok()
        });
        let flows =
            read_list(&r, "flow", |node, sink| FlowDecl::read(node, sink).map_err(|l| loose.extend(l)).ok());
        let draft = Self {
            head,
            nodes,
            links,
            flows,
            loose,
            faults: read_list(&r, "fault", FaultDecl::read),
            captures: read_list(&r, "capture", CaptureDecl::read),
        };
        r.node("sweep");
        r.finish();
        draft
    }

    /// Reads what a change of one top-level key concerns, for its errors.
    pub(crate) fn read_part(root: &Table, key: &str, sink: &Sink<'_>) {
        let r = Reader::of(root, Origin::Scenario, &SCENARIO, sink);
        match key {
            "host" => drop(read_nodes(&r, key, NodeKind::Host)),
            "router" => drop(read_nodes(&r, key, NodeKind::Router)),
            "link" | "queue_form" => {
                let form = queue::read_form(&r);
                drop(read_list(&r, "link", |node, sink| LinkDecl::read(node, form.as_deref(), sink).ok()));
            }
            "flow" => drop(read_list(&r, key, |node, sink| FlowDecl::read(node, sink).ok())),
            "fault" => drop(read_list(&r, key, FaultDecl::read)),
            "capture" => drop(read_list(&r, key, CaptureDecl::read)),
            _ => {
                read_head(&r);
                r.finish();
            }
        }
    }

    /// The declaration, where the head is fine.
    pub(crate) fn complete(self, root: &Table, sink: &Sink<'_>) -> Option<Declaration> {
        let head = self.head?;
        Some(Declaration {
            name: head.name,
            question: head.question,
            duration: head.duration,
            warmup: head.warmup,
            runs: head.runs,
            seed: head.seed,
            record: head.record,
            record_origin: Ignored(head.record_origin),
            nodes: self.nodes,
            links: self.links,
            flows: self.flows,
            faults: self.faults,
            captures: self.captures,
            sweep: sweep::read(root, sink)?,
        })
    }
}

impl Declaration {
    /// It as a file with every default filled in.
    pub fn to_toml(&self) -> String {
        emit::to_toml(self)
    }

    /// The axes of `[sweep]`, which a single run ignores.
    pub fn sweep(&self) -> &[SweepAxis] {
        &self.sweep
    }
}

fn read_head(r: &Reader<'_>) -> Option<Head> {
    let sink = r.sink();
    let name = r.need("name", text);
    if let Some(at) = &name
        && at.value.trim().is_empty()
    {
        sink.error(at.origin, "a scenario's name cannot be empty");
    }
    let question = r.read_or("question", String::new(), text);
    let duration_at = r.need("duration", positive_duration);
    let start = At { value: Duration::ZERO, origin: Origin::Scenario };
    let warmup = if r.node("warmup").is_some() { r.read("warmup", duration) } else { Some(start) };
    let runs = r.read_or("runs", 1, positive_count::<u32>);
    let seed = r.read_or("seed", 1, plain::<u64>);
    let duration_found = duration_at.as_ref().map(|d| d.value);
    let record = match r.node("record") {
        Some(node) => read_record(node, duration_found, sink),
        None => Some(default_record(duration_found)),
    };
    if let (Some(duration), Some(warmup)) = (&duration_at, &warmup)
        && warmup.value >= duration.value
    {
        let message =
            format!("the warmup of {} leaves nothing of the duration of {}", warmup.value, duration.value);
        let place = if warmup.origin == Origin::Scenario { duration.origin } else { warmup.origin };
        sink.push(sink.an_error(place, message).label("must be less than `duration`"));
    }
    Some(Head {
        name: name?.value,
        question: question?,
        duration: duration_at?,
        warmup: warmup?,
        runs: runs?,
        seed: seed?,
        record: record?,
        record_origin: r.origin_of("record"),
    })
}

fn default_record(duration: Option<Duration>) -> Record {
    // Five hundred samples make a smooth curve of any length.
    let interval = duration.map(|d| (d / 500).max(Duration::from_millis(1)));
    Record { interval, max_series_flows: 64, events: false, max_events: 1_000_000 }
}

fn read_record(node: &Node, duration: Option<Duration>, sink: &Sink<'_>) -> Option<Record> {
    let r = Reader::new(node, &RECORD, sink)?;
    let default = default_record(duration);
    let interval = r.read_or("interval", default.interval, |node| match node.as_text() {
        Some("off") => Ok(None),
        _ => positive_duration(node).map(Some).map_err(|e| format!("{e}, or \"off\"")),
    });
    let max_series_flows = r.read_or("max_series_flows", default.max_series_flows, plain);
    let events = r.read_or("events", default.events, plain);
    let max_events = r.read_or("max_events", default.max_events, plain);
    r.finish();
    Some(Record {
        interval: interval?,
        max_series_flows: max_series_flows?,
        events: events?,
        max_events: max_events?,
    })
}

fn read_nodes(r: &Reader<'_>, key: &str, kind: NodeKind) -> Vec<NodeDecl> {
    let section = if kind == NodeKind::Host { &HOST } else { &ROUTER };
    read_list(r, key, |node, sink| {
        let r = Reader::new(node, section, sink)?;
        let name = r.need("name", names::read_name);
        let count = r.read_or("count", None, |n| positive_count::<u32>(n).map(Some));
        let roles: Vec<_> = ROLES.iter().map(|word| (*word, *word)).collect();
        let role = (kind == NodeKind::Router).then(|| r.read("role", choice(&roles))).flatten();
        r.finish();
        // A wrong count does not make the name unknown: that would only bring more errors.
        Some(NodeDecl { name: name?, kind, count: count.unwrap_or(None), role })
    })
}

fn read_list<T>(r: &Reader<'_>, key: &str, mut read: impl FnMut(&Node, &Sink<'_>) -> Option<T>) -> Vec<T> {
    let sink = r.sink();
    match r.node(key) {
        None => Vec::new(),
        Some(Node { data: Data::Array(items), .. }) => {
            items.iter().filter_map(|item| read(item, sink)).collect()
        }
        Some(node) => {
            let error =
                sink.an_error(node.origin, format!("`{key}` is a list of tables, found {}", node.shown()));
            sink.push(error.help(format!("write it as [[{key}]]")));
            Vec::new()
        }
    }
}

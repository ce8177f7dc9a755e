//! `[[link]]`: rate, delay, loss, queue of each direction.

use crate::diagnostic::Sink;
use crate::document::{At, Data, Node, Origin};
use crate::model::{LinkSpec, Loss, Scenario, Strip};
use crate::names::{self, Selector};
use crate::reader::{Reader, distribution, kind_of, plain, positive_count, positive_rate, positive_size};
use crate::sections::{LINK, LOSSES, REVERSE, Section};
use tailrace_core::params::ParamType as _;
use tailrace_core::{Bytes, Probability};
use tailrace_qdisc::QdiscConfig;

/// One `[[link]]` as written, defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkDecl {
    pub(crate) origin: Ignored<Origin>,
    pub(crate) name: Option<At<String>>,
    pub(crate) ends: [At<Selector>; 2],
    pub(crate) forward: LinkSpec,
    /// The other direction, where `reverse` is written.
    pub(crate) backward: Option<LinkSpec>,
    /// Whether a `queue` is written, in either direction.
    pub(crate) observed: bool,
    /// Whether the forward direction's is.
    pub(crate) queue_written: bool,
    /// Whether the queue of each direction, forward and backward, says its role.
    pub(crate) roles_written: Ignored<[bool; 2]>,
    /// Where `queue` stands.
    pub(crate) queue_origin: Ignored<Origin>,
}

/// Selectors of hosts and routers in a declaration that could not be read: their names can still be checked.
pub(crate) type Loose = Vec<At<Selector>>;

/// Something that two equal declarations may differ in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ignored<T>(pub(crate) T);

impl<T> PartialEq for Ignored<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl LinkDecl {
    /// Reads one `[[link]]`.
    pub(crate) fn read(node: &Node, sink: &Sink<'_>) -> Result<Self, Loose> {
        let Some(r) = Reader::new(node, &LINK, sink) else { return Err(Vec::new()) };
        let name = r.read("name", names::read_name);
        let ends = r.required("between").and_then(|node| read_ends(node, sink));
        let rate = r.need("rate", positive_rate);
        let delay = r.need("delay", distribution);
        let jitter = r.read("jitter", distribution);
        let reorder = r.read_or("reorder", false, plain);
        let loss = r.node("loss").map_or(Some(Loss::None), |node| read_loss(node, sink));
        let overhead = r.read_or("overhead", Bytes::ZERO, read_overhead);
        let mtu = r.read_or("mtu", Bytes(1500), read_mtu);
        let strip = r.read_or("strip", Strip::None, plain);
        let rewrite = r.read_or("rewrite", Probability::ZERO, plain);
        let queue = r.node("queue").map_or_else(default_queue, |node| read_queue(node, sink));
        let forward = (|| {
            Some(LinkSpec {
                rate: rate?.value,
                delay: delay?.value,
                jitter: jitter.map(|j| j.value),
                reorder: reorder?,
                loss: loss?,
                overhead: overhead?,
                mtu: mtu?,
                strip: strip?,
                rewrite: rewrite?,
                queue: queue?,
            })
        })();
        let reverse = r.node("reverse");
        // The reverse table is read even where the forward direction is wrong, for its own errors.
        let backward = reverse.map(|node| read_reverse(node, forward.as_ref(), sink));
        let queue_written = r.node("queue").is_some();
        let observed = queue_written || reverse.is_some_and(writes_queue);
        let forward_role = r.node("queue").is_some_and(writes_role);
        let own = reverse.and_then(Node::as_table).and_then(|t| t.get("queue"));
        let roles_written = Ignored([forward_role, own.map_or(forward_role, writes_role)]);
        let (origin, queue_origin) = (Ignored(r.origin()), Ignored(r.origin_of("queue")));
        r.finish();
        let loose = ends.iter().flatten().cloned().collect();
        let complete = || {
            let backward = match backward {
                Some(read) => Some(read?),
                None => None,
            };
            let (ends, forward) = (ends?, forward?);
            Some(Self {
                origin,
                name,
                ends,
                forward,
                backward,
                observed,
                queue_written,
                roles_written,
                queue_origin,
            })
        };
        complete().ok_or(loose)
    }

    /// What the link is called where it has no name: its ends.
    pub(crate) fn shown(&self) -> String {
        match &self.name {
            Some(name) => name.value.clone(),
            None => format!("{}-{}", self.ends[0].value, self.ends[1].value),
        }
    }
}

fn writes_queue(reverse: &Node) -> bool {
    reverse.as_table().is_some_and(|t| t.get("queue").is_some())
}

/// Whether a queue is written with its role. A tc line says all that there is to say.
fn writes_role(queue: &Node) -> bool {
    match queue.as_table() {
        Some(table) => table.get("role").is_some(),
        None => queue.as_text().is_some_and(|text| QdiscConfig::default_of(text).is_none()),
    }
}

/// A link's queue where the file gives none.
fn default_queue() -> Option<QdiscConfig> {
    let mut queue = QdiscConfig::default_of("droptail")?;
    queue.set("limit", &Scenario::DEFAULT_LIMIT.to_value()).ok()?;
    Some(queue)
}

fn read_mtu(node: &Node) -> Result<Bytes, String> {
    let mtu = positive_size(node)?;
    // RFC 791 §3.2: every link carries 68 bytes.
    if mtu < Bytes(68) { Err(format!("{mtu} is below 68 B, the least that IP allows")) } else { Ok(mtu) }
}

fn read_overhead(node: &Node) -> Result<Bytes, String> {
    let overhead: Bytes = plain(node)?;
    if overhead > Bytes(65_536) { Err("more than 64 KiB for each packet".into()) } else { Ok(overhead) }
}

fn read_ends(node: &Node, sink: &Sink<'_>) -> Option<[At<Selector>; 2]> {
    let items = match &node.data {
        Data::Array(items) => items.as_slice(),
        _ => &[],
    };
    let [a, b] = items else {
        let error = sink.an_error(node.origin, "`between` takes two ends");
        sink.push(error.help("such as between = [\"src[*]\", \"g1\"]"));
        return None;
    };
    let end = |node: &Node| match names::read_selector(node) {
        Ok(value) => Some(At { value, origin: node.origin }),
        Err(why) => {
            sink.push(sink.an_error(node.origin, "bad end of a link").label(why));
            None
        }
    };
    let (a, b) = (end(a), end(b));
    Some([a?, b?])
}

fn read_reverse(node: &Node, forward: Option<&LinkSpec>, sink: &Sink<'_>) -> Option<LinkSpec> {
    let r = Reader::new(node, &REVERSE, sink)?;
    let before = sink.errors();
    let rate = r.read("rate", positive_rate);
    let delay = r.read("delay", distribution);
    let jitter = r.read("jitter", distribution);
    let loss = r.node("loss").and_then(|node| read_loss(node, sink));
    let strip = r.read("strip", plain);
    let rewrite = r.read("rewrite", plain);
    let queue = r.node("queue").and_then(|node| read_queue(node, sink));
    r.finish();
    let mut spec = forward?.clone();
    spec.rate = rate.map_or(spec.rate, |r| r.value);
    spec.delay = delay.map_or(spec.delay, |d| d.value);
    spec.jitter = jitter.map_or(spec.jitter, |j| Some(j.value));
    spec.loss = loss.unwrap_or(spec.loss);
    spec.strip = strip.map_or(spec.strip, |s| s.value);
    spec.rewrite = rewrite.map_or(spec.rewrite, |p| p.value);
    spec.queue = queue.unwrap_or(spec.queue);
    (sink.errors() == before).then_some(spec)
}

/// Independent loss; one that never happens is none, however it is written.
fn independent(p: Probability) -> Loss {
    if p == Probability::ZERO { Loss::None } else { Loss::Bernoulli(p) }
}

/// A probability, or a table of a loss process.
pub(crate) fn read_loss(node: &Node, sink: &Sink<'_>) -> Option<Loss> {
    if !matches!(node.data, Data::Table(_)) {
        return match plain::<Probability>(node) {
            Ok(p) => Some(independent(p)),
            Err(why) => {
                sink.push(sink.an_error(node.origin, "bad value of `loss`").label(why));
                None
            }
        };
    }
    let kinds: Vec<&'static str> = LOSSES.iter().map(|(k, _)| *k).collect();
    let (kind, table) = kind_of(node, "loss process", &kinds, sink)?;
    let section = section_of(LOSSES, kind);
    let r = Reader::of(table?, node.origin, section, sink).kinded();
    let loss = match kind {
        "bernoulli" => r.need("p", plain::<Probability>).map(|p| independent(p.value)),
        "periodic" => r.need("every", positive_count::<u64>).map(|n| Loss::Periodic(n.value)),
        _ => {
            let p = r.need("p", plain);
            let r_back = r.need("r", plain);
            let good = r.read_or("good", Probability::ZERO, plain);
            let bad = r.read_or("bad", Probability::ONE, plain);
            (|| Some(Loss::GilbertElliott { p: p?.value, r: r_back?.value, good: good?, bad: bad? }))()
        }
    };
    r.finish();
    loss
}

/// The section of a kind that [`kind_of`] found.
pub(crate) fn section_of(sections: &'static [(&str, Section)], kind: &str) -> &'static Section {
    sections.iter().find(|(k, _)| *k == kind).map(|(_, s)| s).expect("kinds come from the same table")
}

/// A discipline's name, a tc line, or a table with `kind` and parameters.
pub(crate) fn read_queue(node: &Node, sink: &Sink<'_>) -> Option<QdiscConfig> {
    if let Some(text) = node.as_text()
        && QdiscConfig::default_of(text).is_none()
    {
        return read_tc(text, node.origin, sink);
    }
    let (kind, table) = kind_of(node, "queue discipline", QdiscConfig::names(), sink)?;
    let mut config = QdiscConfig::default_of(kind)?;
    let Some(table) = table else { return Some(config) };
    let r = Reader::of(table, node.origin, &QUEUE, sink).kinded().with_params(config.params());
    let fine = r.set_params(|name, value| config.set(name, value));
    if fine && let Err((param, why)) = config.validate() {
        sink.push(sink.an_error(r.origin_of(param), format!("{kind}: bad value of `{param}`")).label(why));
    }
    r.finish();
    fine.then_some(config)
}

/// Disciplines describe their own keys.
const QUEUE: Section = Section { title: "the queue", doc: "", keys: &[] };

fn read_tc(text: &str, origin: Origin, sink: &Sink<'_>) -> Option<QdiscConfig> {
    let error = match QdiscConfig::parse_tc(text) {
        Ok(config) => return Some(config),
        Err(error) => error,
    };
    // Where the text stands between plain quotes, the word itself can be underlined.
    let word = match origin {
        Origin::Span(start, end) if end - start == text.len() + 2 => {
            let at = start + 1 + error.offset;
            Origin::Span(at, at + error.len.max(1))
        }
        other => other,
    };
    let first = text.split_whitespace().next().unwrap_or("");
    let about_kind = Some(error.offset) == text.find(first) && QdiscConfig::default_of(first).is_none();
    if about_kind && error.message.starts_with("unknown") {
        let mut diagnostic = sink.an_error(word, format!("unknown queue discipline {first:?}"));
        diagnostic = diagnostic.among(first, QdiscConfig::names().iter().copied());
        // tc has names of its own, such as pfifo.
        if let (None, Some((_, hint))) = (&diagnostic.label, error.message.split_once("; did")) {
            diagnostic = diagnostic.label(format!("did{hint}"));
            diagnostic.help = None;
        }
        sink.push(diagnostic);
    } else {
        sink.push(sink.an_error(word, "bad tc line").label(error.message));
    }
    None
}

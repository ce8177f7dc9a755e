//! `[[link]]`: rate, delay, loss, queue of each direction.

use crate::declarations::loss::read_loss;
use crate::declarations::names::{self, LooseSelectors, Selector};
use crate::declarations::queue::{QueueContext, QueueDefaults, read_queue, writes};
use crate::declarations::rate::{LinkRate, read_link_rate, trace_of};
use crate::declarations::reader::Reader;
use crate::declarations::sections::{LINK, REVERSE};
use crate::declarations::unfit::UnfitValue;
use crate::declarations::values::{distribution, plain};
use crate::model::{LinkSpec, LossConfig, Strip};
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use crate::text::place::{At, Ignored, Origin};
use crate::text::sink::Sink;
use tailrace_core::{Bytes, DeliveryTrace, Probability};

/// A `[[link]]` as written, defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkDecl {
    pub(crate) origin: Ignored<Origin>,
    pub(crate) name: Option<At<String>>,
    pub(crate) ends: [At<Selector>; 2],
    pub(crate) forward: LinkSpec,
    /// The other direction, where `reverse` is written.
    pub(crate) backward: Option<LinkSpec>,
    /// The medium that both directions share with other links.
    pub(crate) medium: Option<At<String>>,
    /// Whether a `queue` is written, in either direction.
    pub(crate) observed: bool,
    /// Whether the forward direction's is.
    pub(crate) queue_written: bool,
    /// Whether the queue of each direction, forward and backward, says its role.
    pub(crate) roles_written: Ignored<[bool; 2]>,
    /// Whether the forward queue's form was chosen.
    pub(crate) form_written: Ignored<bool>,
    /// Where the queue of each direction, forward and backward, stands.
    pub(crate) queue_origins: Ignored<[Origin; 2]>,
}

impl LinkDecl {
    /// Reads one `[[link]]`.
    pub(crate) fn read(
        node: &Node,
        around: QueueContext<'_>,
        sink: &Sink<'_>,
    ) -> Result<Self, LooseSelectors> {
        let Some(r) = Reader::new(node, &LINK, sink) else { return Err(Vec::new()) };
        let [name, medium] = ["name", "medium"].map(|key| r.read(key, names::read_name));
        let ends = r.required("between").and_then(|node| read_ends(node, sink));
        let rate = r.required("rate").and_then(|_| read_link_rate(&r));
        let delay = r.need("delay", distribution);
        let jitter = r.read("jitter", distribution);
        let reorder = r.read_or("reorder", false, plain);
        let loss = r.node("loss").map_or(Some(LossConfig::default()), |node| read_loss("loss", node, sink));
        let overhead = r.read_or("overhead", usual_overhead(&r), read_overhead);
        let mtu = r.read_or("mtu", Bytes(1500), plain);
        let strip = r.read_or("strip", Strip::None, plain);
        let rewrite = r.read_or("rewrite", Probability::ZERO, plain);
        let cost = r.read_or("cost", 1, read_cost);
        let defaults = QueueDefaults { around, limit: r.read("queue_limit", plain) };
        let queue = read_queue(r.node("queue"), &defaults, sink);
        let forward = (|| {
            let LinkRate { rate, schedule } = rate?;
            Some(LinkSpec {
                rate,
                schedule,
                delay: delay?.value,
                jitter: jitter.map(|j| j.value),
                reorder: reorder?,
                loss: loss?,
                overhead: overhead?,
                mtu: mtu?,
                strip: strip?,
                rewrite: rewrite?,
                cost: cost?,
                queue: queue?,
            })
        })();
        let reverse = r.node("reverse");
        // The reverse table is read even where the forward direction is wrong, for its own errors.
        let backward = reverse.map(|node| read_reverse(node, forward.as_ref(), &defaults, sink));
        let queue_written = r.node("queue").is_some();
        let observed = queue_written || reverse.is_some_and(writes_queue);
        let form_written =
            Ignored(around.form.is_some() || says(r.node("queue"), "form", around) == Some(true));
        let roles_written = Ignored(roles_written(r.node("queue"), reverse, around));
        let origin = Ignored(r.origin());
        let queue_origins = Ignored(queue_origins(r.origin_of("queue"), reverse));
        let loose = ends.iter().flatten().cloned().collect();
        r.finish();
        let complete = || {
            let backward = backward.map_or(Some(None), |read| read.map(Some))?;
            let (ends, forward) = (ends?, forward?);
            Some(Self {
                origin,
                name,
                ends,
                forward,
                backward,
                medium,
                observed,
                queue_written,
                roles_written,
                form_written,
                queue_origins,
            })
        };
        complete().ok_or(loose)
    }

    /// Where the link's queue is written: in the forward direction, or else in `reverse`.
    pub(crate) fn queue_origin(&self) -> Origin {
        let [forward, backward] = self.queue_origins.0;
        if self.queue_written { forward } else { backward }
    }

    /// Its name, or else its ends, as messages have it.
    pub(crate) fn shown(&self) -> String {
        match &self.name {
            Some(name) => name.value.clone(),
            None => format!("{}-{}", self.ends[0].value, self.ends[1].value),
        }
    }
}

/// Whether a queue, where one is written, says this.
fn says(queue: Option<&Node>, key: &str, around: QueueContext<'_>) -> Option<bool> {
    queue.map(|queue| writes(queue, key, around.plugins))
}

/// Whether the queue of each direction says its role.
fn roles_written(queue: Option<&Node>, reverse: Option<&Node>, around: QueueContext<'_>) -> [bool; 2] {
    let forward = says(queue, "role", around).unwrap_or(false);
    let own = reverse.and_then(Node::as_table).and_then(|table| table.get("queue"));
    [forward, says(own, "role", around).unwrap_or(forward)]
}

/// Where the queue of each direction stands: the reverse one is the forward one unless it has its own.
fn queue_origins(forward: Origin, reverse: Option<&Node>) -> [Origin; 2] {
    let own = reverse.and_then(Node::as_table).and_then(|table| table.get("queue"));
    [forward, own.map_or(forward, |node| node.origin)]
}

fn writes_queue(reverse: &Node) -> bool {
    reverse.as_table().is_some_and(|t| t.get("queue").is_some())
}

/// A trace counts a TUN device's header, too.
fn usual_overhead(r: &Reader<'_>) -> Bytes {
    let reverse = r.node("reverse").and_then(Node::as_table).and_then(|table| table.get("rate"));
    let traced = r.node("rate").into_iter().chain(reverse).any(|rate| trace_of(rate).is_some());
    if traced { DeliveryTrace::HEADER } else { Bytes::ZERO }
}

fn read_overhead(node: &Node) -> Result<Bytes, UnfitValue> {
    let overhead: Bytes = plain(node)?;
    if overhead > Bytes(65_536) {
        Err(UnfitValue::outside("more than 64 KiB for each packet"))
    } else {
        Ok(overhead)
    }
}

/// Costs are those of OSPF's interfaces (RFC 2328 §A.4.2).
fn read_cost(node: &Node) -> Result<u16, UnfitValue> {
    let cost: u32 = plain(node)?;
    u16::try_from(cost)
        .ok()
        .filter(|cost| *cost > 0)
        .ok_or_else(|| UnfitValue::outside("a cost is a whole number from 1 to 65535, as in OSPF"))
}

fn read_ends(node: &Node, sink: &Sink<'_>) -> Option<[At<Selector>; 2]> {
    let items = match &node.data {
        Data::Array(items) => items.as_slice(),
        _ => &[],
    };
    let [a, b] = items else {
        let error = sink.at(Code::WrongType, node.origin, "`between` takes two ends");
        sink.push(error.help("such as between = [\"src[*]\", \"g1\"]"));
        return None;
    };
    let end = |node: &Node| match names::read_selector(node) {
        Ok(value) => Some(At { value, origin: node.origin }),
        Err(unfit) => {
            sink.push(sink.at(unfit.code, node.origin, "bad end of a link").label(unfit.why));
            None
        }
    };
    let (a, b) = (end(a), end(b));
    Some([a?, b?])
}

fn read_reverse(
    node: &Node,
    forward: Option<&LinkSpec>,
    defaults: &QueueDefaults<'_>,
    sink: &Sink<'_>,
) -> Option<LinkSpec> {
    let r = Reader::new(node, &REVERSE, sink)?;
    let before = sink.errors();
    let rate = read_link_rate(&r);
    let delay = r.read("delay", distribution);
    let jitter = r.read("jitter", distribution);
    let loss = r.node("loss").and_then(|node| read_loss("loss", node, sink));
    let strip = r.read("strip", plain);
    let rewrite = r.read("rewrite", plain);
    let cost = r.read("cost", read_cost);
    let queue = r.node("queue").and_then(|node| read_queue(Some(node), defaults, sink));
    r.finish();
    let mut spec = forward?.clone();
    if let Some(rate) = rate {
        LinkRate { rate: spec.rate, schedule: spec.schedule } = rate;
    }
    spec.delay = delay.map_or(spec.delay, |d| d.value);
    spec.jitter = jitter.map_or(spec.jitter, |j| Some(j.value));
    spec.loss = loss.unwrap_or(spec.loss);
    spec.strip = strip.map_or(spec.strip, |s| s.value);
    spec.rewrite = rewrite.map_or(spec.rewrite, |p| p.value);
    spec.cost = cost.map_or(spec.cost, |c| c.value);
    spec.queue = queue.unwrap_or(spec.queue);
    (sink.errors() == before).then_some(spec)
}

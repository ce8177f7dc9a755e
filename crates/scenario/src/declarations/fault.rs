//! `[[fault]]` and `[[capture]]`.

use crate::declarations::loss::read_loss;
use crate::declarations::names::{self, Selector};
use crate::declarations::queue::{QueueDefaults, read_queue};
use crate::declarations::reader::Reader;
use crate::declarations::sections::{CAPTURE, FAULT, FAULT_KINDS, RATES};
use crate::declarations::unfit::Unfit;
use crate::declarations::values::{choice, duration, link_rate, plain};
use crate::model::{Fault, FaultKind, Loss};
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use tailrace_core::distribution::LONGEST;
use tailrace_core::params::ParamType as _;
use tailrace_core::{Bytes, Duration, Rate};
use tailrace_qdisc::QdiscConfig;

/// One `[[fault]]` as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FaultDecl {
    pub(crate) link: At<Selector>,
    pub(crate) at: At<Duration>,
    pub(crate) until: Option<Duration>,
    pub(crate) kind: FaultKind,
}

impl FaultDecl {
    /// What would be written for a fault of the link called `name`.
    pub(crate) fn of(fault: &Fault, name: &str) -> Self {
        let written = Origin::Scenario;
        let link = names::link_selector(name).expect("the name of a link selects it");
        Self {
            link: At { value: link, origin: written },
            at: At { value: fault.at, origin: written },
            until: fault.until,
            kind: fault.kind.clone(),
        }
    }

    /// Reads one `[[fault]]`.
    pub(crate) fn read(node: &Node, form: Option<&str>, sink: &Sink<'_>) -> Option<Self> {
        let r = Reader::new(node, &FAULT, sink)?;
        let at = r.need("at", duration);
        let until = r.read("until", duration);
        let link = r.need("link", names::read_link_selector);
        let words: Vec<(&str, &'static str)> = FAULT_KINDS.iter().map(|k| (*k, *k)).collect();
        let kind = r.need("kind", choice(&words));
        let kind = kind.and_then(|kind| read_kind(kind.value, form, &r));
        if let (Some(at), Some(until)) = (&at, &until)
            && until.value <= at.value
        {
            sink.error(
                Code::ContradictingTimes,
                until.origin,
                format!("the fault ends at {} but starts at {}", until.value, at.value),
            );
        }
        r.node("value");
        r.finish();
        Some(Self { link: link?, at: at?, until: until.map(|u| u.value), kind: kind? })
    }
}

impl FaultKind {
    /// Whether a scenario file could say so: its values are within bounds.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Rate(rate) => RATES.check(Rate::KIND, &rate.to_value()),
            Self::Delay(delay) if *delay > LONGEST => Err(format!("must be at most {LONGEST}")),
            Self::Loss(Loss::Periodic(0)) => Err("must be more than zero".into()),
            Self::Queue(queue) if queue.host_rules().is_some() => Err(NEEDS_HOSTS.into()),
            Self::Queue(queue) => queue.validate().map_err(|(key, why)| format!("{key}: {why}")),
            Self::Down | Self::Blackhole | Self::Delay(_) | Self::Loss(_) => Ok(()),
        }
    }
}

/// Why some disciplines cannot come while a run is under way.
const NEEDS_HOSTS: &str = "needs hosts that return labels from the start of the run";

fn within_a_run(queue: QdiscConfig, node: &Node, sink: &Sink<'_>) -> Option<QdiscConfig> {
    if queue.host_rules().is_none() {
        return Some(queue);
    }
    let error = sink.at(Code::BadValue, node.origin, "bad value of `value`");
    sink.push(error.label(format!("{} {NEEDS_HOSTS}", queue.name())));
    None
}

fn read_kind(kind: &str, form: Option<&str>, r: &Reader<'_>) -> Option<FaultKind> {
    let sink = r.sink();
    if kind == "down" || kind == "blackhole" {
        if let Some(node) = r.node("value") {
            sink.error(Code::MisplacedKey, node.origin, format!("a fault of kind {kind:?} takes no `value`"));
            return None;
        }
        return Some(if kind == "down" { FaultKind::Down } else { FaultKind::Blackhole });
    }
    let Some(node) = r.node("value") else {
        let message = format!("a fault of kind {kind:?} needs a `value`");
        sink.push(
            sink.at(Code::MissingKey, r.origin(), message)
                .help(format!("`value`: the {kind} while it lasts")),
        );
        return None;
    };
    match kind {
        "rate" => r.read("value", link_rate).map(|v| FaultKind::Rate(v.value)),
        "delay" => r.read("value", duration).map(|v| FaultKind::Delay(v.value)),
        "queue" => read_queue(Some(node), &QueueDefaults { form, limit: None }, sink)
            .and_then(|queue| within_a_run(queue, node, sink))
            .map(|queue| FaultKind::Queue(Box::new(queue))),
        _ => read_loss(node, sink).map(FaultKind::Loss),
    }
}

/// One `[[capture]]` as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CaptureDecl {
    pub(crate) at: At<Selector>,
    pub(crate) snaplen: u32,
}

impl CaptureDecl {
    /// Reads one `[[capture]]`.
    pub(crate) fn read(node: &Node, sink: &Sink<'_>) -> Option<Self> {
        let r = Reader::new(node, &CAPTURE, sink)?;
        let at = r.need("at", names::read_link_selector);
        let snaplen = r.read_or("snaplen", 128, read_snaplen);
        r.finish();
        Some(Self { at: at?, snaplen: snaplen? })
    }
}

fn read_snaplen(node: &Node) -> Result<u32, Unfit> {
    let size: Bytes = plain(node)?;
    // IPv4 and TCP headers with all their options are 120 bytes; less would cut headers.
    match u32::try_from(size.get()) {
        Ok(n) if (120..=65_535).contains(&n) => Ok(n),
        _ => Err(Unfit::outside(format!("expected 120 B (all headers) to 65535 B, found {size}"))),
    }
}

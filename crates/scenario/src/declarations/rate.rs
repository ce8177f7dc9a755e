//! The rate of a link: bits in a second, a trace of when it can deliver, or what grants, which `crates/access` describes.

use crate::declarations::composite::read_composite;
use crate::declarations::key::Section;
use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::reader::Reader;
use crate::declarations::unfit::UnfitValue;
use crate::declarations::values::positive_rate;
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use crate::text::files::Files;
use crate::text::sink::Sink;
use std::sync::Arc;
use tailrace_access::{GrantConfig, LinkSchedule};
use tailrace_core::params::{Kind, ParamType as _};
use tailrace_core::{DeliveryTrace, Rate};
use tailrace_impair::RATES;

/// Value of a link's `rate`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkRate {
    /// With a schedule its mean.
    pub(crate) rate: Rate,
    pub(crate) schedule: Option<LinkSchedule>,
}

const KINDS: Kinds<'_> =
    Kinds { what: "kind of rate", names: GrantConfig::names(), command: "tailrace list rates" };

/// The `rate` of a link's direction, where it is written: `10 Mbit/s`, `trace(FILE)`, `trace(0 3 5)` or a table with a kind.
pub(crate) fn read_link_rate(r: &Reader<'_>) -> Option<LinkRate> {
    let node = r.node("rate")?;
    match node.data {
        Data::Table(_) => read_grants(node, r.sink()),
        _ => r.read("rate", read_rate(r.sink().files())).map(|rate| rate.value),
    }
}

fn read_grants(node: &Node, sink: &Sink<'_>) -> Option<LinkRate> {
    let (kind, table) = kind_of(node, &KINDS, sink)?;
    let (mut config, table) = (GrantConfig::default_of(kind)?, table?);
    let section = Section { title: config.title(), doc: "", keys: &[] };
    let r = Reader::of(table, node.origin, &section, sink).kinded().with_params(config.params());
    let fine =
        r.set_params_by(|p, node| read_composite(p, node, sink), |name, value| config.set(name, value));
    if fine && let Err((key, why)) = config.validate() {
        sink.push(sink.at(Code::BadValue, r.origin_of(key), format!("bad value of `{key}`")).label(why));
        return None;
    }
    r.finish();
    fine.then(|| LinkRate { rate: config.mean(), schedule: Some(LinkSchedule::Grants(Arc::new(config))) })
}

fn read_rate(files: &dyn Files) -> impl Fn(&Node) -> Result<LinkRate, UnfitValue> {
    move |node| match trace_of(node) {
        Some(inside) => read_trace(inside, files),
        None => positive_rate(node).map(|rate| LinkRate { rate, schedule: None }),
    }
}

/// Text in the parentheses of a trace.
pub(crate) fn trace_of(node: &Node) -> Option<&str> {
    node.as_text()?.trim().strip_prefix("trace(")?.strip_suffix(')').map(str::trim)
}

fn read_trace(inside: &str, files: &dyn Files) -> Result<LinkRate, UnfitValue> {
    let times = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+-.,".contains(c);
    let (text, of) = if inside.chars().all(times) {
        (inside.to_string(), String::new())
    } else {
        let unreadable = |why| UnfitValue { code: Code::UnreadableFile, why: format!("{inside:?}: {why}") };
        (files.read(inside).map_err(unreadable)?, format!(" of {inside:?}"))
    };
    let trace =
        DeliveryTrace::parse(&text).map_err(|error| format!("line {}{of}: {}", error.line, error.why))?;
    let rate = trace.mean();
    if rate.as_bps() == 0 {
        return Err(UnfitValue::outside(too_slow(&trace)));
    }
    RATES
        .check(Kind::Rate, &rate.to_value())
        .map_err(|why| UnfitValue::outside(format!("the trace's mean of {why}")))?;
    Ok(LinkRate { rate, schedule: Some(LinkSchedule::Trace(Arc::new(trace))) })
}

/// Error text for a trace of too low a mean rate.
fn too_slow(trace: &DeliveryTrace) -> String {
    let (times, days) = (trace.times(), trace.period().as_secs_f64() / 86_400.0);
    format!(
        "{times} times 1504 bytes in {days:.1} days are less than 1 bit/s, the least that a link may have; times are whole \
         milliseconds since the trace began"
    )
}

//! The rate of a link: bits in a second, or a trace of when it can deliver.

use crate::declarations::unfit::Unfit;
use crate::declarations::values::positive_rate;
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::files::Files;
use std::sync::Arc;
use tailrace_core::params::{Kind, ParamType as _};
use tailrace_core::{DeliveryTrace, Rate};
use tailrace_impair::RATES;

/// What `rate` of a link says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkRate {
    /// With a trace its mean.
    pub(crate) rate: Rate,
    pub(crate) trace: Option<Arc<DeliveryTrace>>,
}

/// For [`Reader::read`](crate::declarations::reader::Reader::read): `10 Mbit/s`, `trace(FILE)`, or `trace(0 3 5)`.
pub(crate) fn read_rate(files: &dyn Files) -> impl Fn(&Node) -> Result<LinkRate, Unfit> {
    move |node| match trace_of(node) {
        Some(inside) => read_trace(inside, files),
        None => positive_rate(node).map(|rate| LinkRate { rate, trace: None }),
    }
}

/// What stands in the parentheses of a trace.
pub(crate) fn trace_of(node: &Node) -> Option<&str> {
    node.as_text()?.trim().strip_prefix("trace(")?.strip_suffix(')').map(str::trim)
}

fn read_trace(inside: &str, files: &dyn Files) -> Result<LinkRate, Unfit> {
    let times = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+-.,".contains(c);
    let (text, of) = if inside.chars().all(times) {
        (inside.to_string(), String::new())
    } else {
        let unreadable = |why| Unfit { code: Code::UnreadableFile, why: format!("{inside:?}: {why}") };
        (files.read(inside).map_err(unreadable)?, format!(" of {inside:?}"))
    };
    let trace =
        DeliveryTrace::parse(&text).map_err(|error| format!("line {}{of}: {}", error.line, error.why))?;
    let rate = trace.mean();
    if rate.as_bps() == 0 {
        return Err(Unfit::outside(too_slow(&trace)));
    }
    RATES
        .check(Kind::Rate, &rate.to_value())
        .map_err(|why| Unfit::outside(format!("the trace's mean of {why}")))?;
    Ok(LinkRate { rate, trace: Some(Arc::new(trace)) })
}

/// What a trace says that has hardly a time.
fn too_slow(trace: &DeliveryTrace) -> String {
    let (times, days) = (trace.times(), trace.period().as_secs_f64() / 86_400.0);
    format!(
        "{times} times 1504 bytes in {days:.1} days are less than 1 bit/s, the least that a link may have; times are whole \
         milliseconds since the trace began"
    )
}

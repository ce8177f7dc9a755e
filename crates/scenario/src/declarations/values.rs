//! Readers of values, for [`Reader::read`](crate::declarations::reader::Reader::read) and its kin.

use crate::declarations::unfit::UnfitValue;
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use tailrace_core::dist::duration::LONGEST;
use tailrace_core::params::ParamType;
use tailrace_core::text::Quantity as _;
use tailrace_core::{Duration, DurationDist, Rate};

/// Reads a plain value.
pub(crate) fn plain<P: ParamType>(node: &Node) -> Result<P, UnfitValue> {
    match &node.data {
        Data::Plain(value) => P::from_value(value).map_err(UnfitValue::from),
        _ => Err(wrong_type("a plain value", node)),
    }
}

fn wrong_type(expected: &str, node: &Node) -> UnfitValue {
    UnfitValue { code: Code::WrongType, why: format!("expected {expected}, found {}", node.shown()) }
}

/// Text.
pub(crate) fn text(node: &Node) -> Result<String, UnfitValue> {
    node.as_text().map(str::to_string).ok_or_else(|| wrong_type("text", node))
}

/// A duration of sensible length.
pub(crate) fn duration(node: &Node) -> Result<Duration, UnfitValue> {
    let d: Duration = plain(node)?;
    if d > LONGEST { Err(UnfitValue::outside("longer than ten years")) } else { Ok(d) }
}

/// A duration of more than nothing.
pub(crate) fn positive_duration(node: &Node) -> Result<Duration, UnfitValue> {
    let d = duration(node)?;
    if d.is_zero() { Err(UnfitValue::outside("must be more than zero")) } else { Ok(d) }
}

/// A rate of more than nothing.
pub(crate) fn positive_rate(node: &Node) -> Result<Rate, UnfitValue> {
    let rate: Rate = plain(node)?;
    if rate.as_bps() == 0 { Err(UnfitValue::outside("must be more than zero")) } else { Ok(rate) }
}

/// A whole number of at least one.
pub(crate) fn positive_count<N: ParamType + PartialEq + From<u8>>(node: &Node) -> Result<N, UnfitValue> {
    let n: N = plain(node)?;
    if n == N::from(0) { Err(UnfitValue::outside("must be at least 1")) } else { Ok(n) }
}

/// A duration or a distribution of durations.
pub(crate) fn distribution(node: &Node) -> Result<DurationDist, UnfitValue> {
    match node.as_text() {
        Some(text) => DurationDist::read(text).map_err(UnfitValue::from),
        None => Err(format!("{} is not {}", node.shown(), Duration::EXPECTED).into()),
    }
}

/// Reads one of a few words.
pub(crate) fn choice<T: Copy>(words: &[(&str, T)]) -> impl Fn(&Node) -> Result<T, UnfitValue> {
    let words: Vec<(String, T)> = words.iter().map(|(w, t)| ((*w).to_string(), *t)).collect();
    move |node| {
        let found = node.as_text().and_then(|text| words.iter().find(|(w, _)| w == text));
        found.map(|(_, t)| *t).ok_or_else(|| {
            let all: Vec<_> = words.iter().map(|(w, _)| format!("\"{w}\"")).collect();
            UnfitValue::from(format!("expected one of {}, found {}", all.join(", "), node.shown()))
        })
    }
}

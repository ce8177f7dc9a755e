//! Readers of values, for [`Reader::read`](crate::declarations::reader::Reader::read) and its kin.

use crate::declarations::distribution::{self, MAX_DURATION};
use crate::declarations::sections::RATES;
use crate::model::DurationDist;
use crate::text::document::{Data, Node};
use tailrace_core::params::ParamType;
use tailrace_core::text::Quantity as _;
use tailrace_core::{Bytes, Duration, Rate};

/// What reads as one plain value.
pub(crate) fn plain<P: ParamType>(node: &Node) -> Result<P, String> {
    match &node.data {
        Data::Plain(value) => P::from_value(value),
        _ => Err(format!("expected a plain value, found {}", node.shown())),
    }
}

/// Text.
pub(crate) fn text(node: &Node) -> Result<String, String> {
    node.as_text().map(str::to_string).ok_or_else(|| format!("expected text, found {}", node.shown()))
}

/// A duration of sensible length.
pub(crate) fn duration(node: &Node) -> Result<Duration, String> {
    let d: Duration = plain(node)?;
    if d > MAX_DURATION { Err("longer than ten years".into()) } else { Ok(d) }
}

/// A duration of more than nothing.
pub(crate) fn positive_duration(node: &Node) -> Result<Duration, String> {
    let d = duration(node)?;
    if d.is_zero() { Err("must be more than zero".into()) } else { Ok(d) }
}

/// A rate of more than nothing.
pub(crate) fn positive_rate(node: &Node) -> Result<Rate, String> {
    let rate: Rate = plain(node)?;
    if rate.as_bps() == 0 { Err("must be more than zero".into()) } else { Ok(rate) }
}

/// A rate that a link can have.
pub(crate) fn link_rate(node: &Node) -> Result<Rate, String> {
    let rate: Rate = plain(node)?;
    RATES.check(Rate::KIND, &rate.to_value()).map(|()| rate)
}

/// A size of at least a byte.
pub(crate) fn positive_size(node: &Node) -> Result<Bytes, String> {
    let size: Bytes = plain(node)?;
    if size == Bytes::ZERO { Err("must be more than zero".into()) } else { Ok(size) }
}

/// A whole number of at least one.
pub(crate) fn positive_count<N: ParamType + PartialEq + From<u8>>(node: &Node) -> Result<N, String> {
    let n: N = plain(node)?;
    if n == N::from(0) { Err("must be at least 1".into()) } else { Ok(n) }
}

/// A duration or a distribution of durations.
pub(crate) fn distribution(node: &Node) -> Result<DurationDist, String> {
    match node.as_text() {
        Some(text) => distribution::parse(text),
        None => Err(format!("{} is not {}", node.shown(), Duration::EXPECTED)),
    }
}

/// One of a few words.
pub(crate) fn choice<T: Copy>(words: &[(&str, T)]) -> impl Fn(&Node) -> Result<T, String> {
    let words: Vec<(String, T)> = words.iter().map(|(w, t)| ((*w).to_string(), *t)).collect();
    move |node| {
        let found = node.as_text().and_then(|text| words.iter().find(|(w, _)| w == text));
        found.map(|(_, t)| *t).ok_or_else(|| {
            let all: Vec<_> = words.iter().map(|(w, _)| format!("\"{w}\"")).collect();
            format!("expected one of {}, found {}", all.join(", "), node.shown())
        })
    }
}

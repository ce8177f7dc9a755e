//! Advice on values that look like slips in their units.

use crate::advice::adviser::Adviser;
use crate::declarations::link::LinkDecl;
use crate::model::LinkSpec;
use crate::text::codes::Code;
use crate::text::place::Origin;
use tailrace_core::params::Value;
use tailrace_core::text::Quantity as _;
use tailrace_core::{Duration, Limit, Rate};
use tailrace_qdisc::QdiscConfig;

/// Rates, delays and limits far from usual ones.
pub(super) fn check(a: &Adviser<'_>, decl: &LinkDecl) {
    let name = decl.shown();
    let [forward, backward] = decl.queue_origins.0;
    let directions = [(Some(&decl.forward), forward), (decl.backward.as_ref(), backward)];
    for (spec, queue) in directions.into_iter().filter_map(|(spec, queue)| Some((spec?, queue))) {
        let delay = spec.delay.mean();
        if spec.rate < Rate::from_bps(1_000) || spec.rate > Rate::from_bps(1_000_000_000_000) {
            let message = format!("link {name} has a rate of {}", spec.rate);
            let help = "few links are so slow or so fast: check the unit (kbit/s, Mbit/s, Gbit/s)";
            a.warn(Code::UnusualRate, decl.origin.0, message, help);
        }
        if delay > Duration::from_secs(10) {
            let message = format!("link {name} has a delay of {}", spec.delay);
            let help = "few links are so long: check the unit (us, ms, s)";
            a.warn(Code::UnusualDelay, decl.origin.0, message, help);
        }
        if decl.observed {
            check_limit(a, &name, spec, queue);
        }
    }
}

/// A limit of less than two packets, or of more than ten seconds of the link.
fn check_limit(a: &Adviser<'_>, link: &str, spec: &LinkSpec, queue: Origin) {
    let Some(limit) = limit_of(&spec.queue) else { return };
    let bytes = match limit {
        Limit::Packets(n) => u128::from(n) * u128::from(spec.mtu.get()),
        Limit::Bytes(b) => u128::from(b.get()),
    };
    if bytes < 2 * u128::from(spec.mtu.get()) {
        let message = format!("the queue of link {link} holds {limit}, less than two packets");
        let help = "of two packets that come at once, one is lost: raise `limit`, unless this is meant";
        a.warn(Code::TinyLimit, queue, message, help);
    }
    // A default is nobody's slip: 10240 packets of `fq_codel` are more than 10 s of many links.
    let rate = spec.service_rate();
    if bytes * 8 > u128::from(rate.as_bps()) * 10 && Some(limit) != default_limit(&spec.queue) {
        let message = format!("the queue of link {link} holds {limit}, more than 10 s at {rate}");
        let help = "packets may wait that long: check the unit, or lower `limit`";
        a.warn(Code::HugeLimit, queue, message, help);
    }
}

fn default_limit(queue: &QdiscConfig) -> Option<Limit> {
    limit_of(&QdiscConfig::default_of(queue.name())?)
}

fn limit_of(queue: &QdiscConfig) -> Option<Limit> {
    match queue.get("limit")? {
        Value::Text(text) => Limit::parse(&text).ok(),
        _ => None,
    }
}

//! How much memory a scenario would take, estimated before anything is made: counts that cannot fit are refused.

use crate::declaration::{Draft, Head};
use crate::diagnostic::Sink;
use crate::document::Origin;
use crate::model::NodeKind;
use crate::names::{self, Picked};
use tailrace_core::Bytes;

/// Where a caller does not say how much memory there is.
pub const DEFAULT_MEMORY_LIMIT: Bytes = Bytes(16 << 30);

/// Names, addresses, routes to it.
const NODE: u128 = 512;
/// Two directions: queue, counters, name.
const LINK: u128 = 2048;
/// Both endpoints of a connection beyond its packets in flight.
const FLOW: u128 = 4096;
/// A row of a time series or of the events.
const ROW: u128 = 64;
/// A routing table's entry.
const ROUTE: u128 = 4;

/// What is counted.
pub(crate) struct Counts {
    nodes: u128,
    routers: u128,
    links: u128,
    flows: u128,
    rows: u128,
}

impl Counts {
    pub(crate) fn new(
        draft: &Draft,
        head: &Head,
        links: &[(Picked, Picked)],
        flows: &[(Picked, Picked)],
    ) -> Self {
        let count = |(a, b): &(Picked, Picked)| u128::from(names::pairs(*a, *b).unwrap_or(0));
        let of = |n: &crate::declaration::NodeDecl| u128::from(n.count.unwrap_or(1));
        let routers = draft.nodes.iter().filter(|n| n.kind == NodeKind::Router).map(of).sum();
        let samples = head.record.interval.map_or(0, |interval| {
            u128::from(head.duration.value.as_nanos()) / u128::from(interval.as_nanos().max(1))
        });
        let cap = u128::from(head.record.max_series_flows);
        let observed = draft.links.iter().zip(links).filter(|(decl, _)| decl.observed);
        let series = flows.iter().map(|f| count(f).min(cap)).sum::<u128>()
            + observed.map(|(_, ends)| 2 * count(ends)).sum::<u128>();
        let events = if head.record.events { u128::from(head.record.max_events) } else { 0 };
        Self {
            nodes: draft.nodes.iter().map(of).sum(),
            routers,
            links: links.iter().map(count).sum(),
            flows: flows.iter().map(count).sum(),
            rows: samples.saturating_mul(series).saturating_add(events),
        }
    }

    fn parts(&self) -> [(&'static str, u128, u128); 5] {
        [
            ("hosts and routers", self.nodes, self.nodes * NODE),
            ("links", self.links, self.links * LINK),
            ("flows", self.flows, self.flows * FLOW),
            ("rows of series and events", self.rows, self.rows.saturating_mul(ROW)),
            ("routes", self.nodes * self.routers, self.nodes.saturating_mul(self.routers) * ROUTE),
        ]
    }
}

/// Whether the scenario fits into three quarters of `limit`; if not, says how much is needed.
pub(crate) fn fits(counts: &Counts, limit: Bytes, sink: &Sink<'_>) -> bool {
    let parts = counts.parts();
    let need = parts.iter().fold(0_u128, |sum, (_, _, bytes)| sum.saturating_add(*bytes));
    let room = u128::from(limit.get()) / 4 * 3;
    let too_many = parts.iter().find(|(_, n, _)| *n > u128::from(u32::MAX) && *n == counts.links);
    if need <= room && too_many.is_none() {
        return true;
    }
    let message =
        format!("the scenario needs about {} of memory; {} may be used", gigabytes(need), gigabytes(room));
    let largest = parts.iter().max_by_key(|(_, _, bytes)| *bytes).expect("there are parts");
    let help = format!("most of it for {} {}: {}", largest.1, largest.0, gigabytes(largest.2));
    sink.push(sink.an_error(Origin::Scenario, message).help(help));
    false
}

fn gigabytes(bytes: u128) -> String {
    let tenths = bytes.saturating_add(50_000_000) / 100_000_000;
    format!("{}.{} GB", tenths / 10, tenths % 10)
}

//! Advice on sources whose rates come to exactly what a link carries.

use crate::advice::adviser::Adviser;
use crate::advice::offers::Direction;
use crate::advice::paths::{Paths, is_periodic};
use crate::text::codes::Code;
use std::collections::BTreeMap;

/// Strictly periodic sources that fill a drop-tail link to the last bit: which packet finds the queue full, and so everything
/// else, is decided by when each began.
pub(super) fn check(a: &Adviser<'_>, paths: &Paths) {
    let mut first: BTreeMap<usize, Direction> = BTreeMap::new();
    for (d, groups) in periodic(a, paths) {
        if is_tie(a, paths, d, &groups) {
            first.entry(groups[0]).or_insert(d);
        }
    }
    for (group, d) in first {
        let (link, rate) = (&a.scenario.links[d.link].name, d.spec(a.scenario).service_rate());
        let message = format!("periodic sources offer link {link} exactly its {rate}");
        let help = "which of them loses packets then depends only on when each began (phase effect); give them \
                    jitter = 0.1, or other rates";
        a.warn(Code::RateTie, a.flow_origin(group), message, help);
    }
}

/// Whether all flows of these groups together offer a direction just its rate; a single one has no phase to others.
pub(super) fn is_tie(a: &Adviser<'_>, paths: &Paths, d: Direction, groups: &[usize]) -> bool {
    let spec = d.spec(a.scenario);
    let offered: u128 = groups.iter().map(|group| paths.offered(*group, d)).sum();
    let flows: u64 = groups.iter().map(|group| paths.flows(*group, d)).sum();
    spec.queue.plain_fifo().is_some() && flows > 1 && offered == u128::from(spec.service_rate().as_bps())
}

/// The groups of strictly periodic flows that cross each direction.
fn periodic(a: &Adviser<'_>, paths: &Paths) -> BTreeMap<Direction, Vec<usize>> {
    let mut crossing: BTreeMap<Direction, Vec<usize>> = BTreeMap::new();
    for (i, _) in a.scenario.flows.iter().enumerate().filter(|(_, group)| is_periodic(&group.app)) {
        paths.directions(i).for_each(|d| crossing.entry(d).or_default().push(i));
    }
    crossing
}

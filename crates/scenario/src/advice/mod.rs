//! Advice: scenarios that run but probably do not show what is meant.
//!
//! Owns the warnings that need the whole scenario, a file for each thing they are about, and the estimates behind them.
//! May import: `declarations`, `model`, `resolving`, `text`.

mod adviser;
mod bottlenecks;
mod costs;
mod forms;
mod kernels;
mod loss_bursts;
mod media;
mod offers;
mod outages;
mod packets;
mod paths;
mod randomness;
mod roles;
mod subflows;
mod ties;
mod times;
mod units;
mod windows;

use self::adviser::Adviser;
use self::paths::Paths;
use crate::declarations::draft::Draft;
use crate::resolving::scenario::Resolved;
use crate::text::sink::Sink;

/// Beyond so many flows their paths are not followed one by one.
const MAX_FLOWS: usize = 200_000;

/// Warns about what probably is not meant.
pub(crate) fn advise(resolved: &Resolved, draft: &Draft, sink: &Sink<'_>) {
    let scenario = &resolved.scenario;
    let a = Adviser { scenario, draft, firsts: &resolved.firsts, parts: &resolved.parts, sink };
    draft.links.iter().for_each(|decl| units::check(&a, decl));
    forms::check(&a);
    media::check(&a);
    times::check_ends(&a);
    randomness::check(&a);
    if scenario.flows.iter().map(|f| f.pairs.len()).sum::<usize>() > MAX_FLOWS {
        return;
    }
    roles::check(&a);
    outages::check(&a);
    costs::check(&a);
    let paths = Paths::new(scenario);
    bottlenecks::check(&a, &paths);
    ties::check(&a, &paths);
    loss_bursts::check(&a, &paths);
    windows::check(&a, &paths);
    times::check_round_trips(&a, &paths);
    for (i, group) in scenario.flows.iter().enumerate() {
        packets::check_mtu(&a, i, group, &paths);
        packets::check_flood(&a, i, group, &paths);
        subflows::check(&a, i, group, &paths);
        kernels::check(&a, i, group);
    }
}

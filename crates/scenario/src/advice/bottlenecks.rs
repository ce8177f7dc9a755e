//! Advice on queues that have nothing to do.

use crate::advice::adviser::Adviser;
use crate::advice::offers::Direction;
use crate::advice::paths::Paths;
use crate::advice::roles;
use crate::text::codes::Code;
use tailrace_core::Rate;
use tailrace_qdisc::Shaping;

/// A queue under study that nothing can fill.
pub(super) fn check(a: &Adviser<'_>, paths: &Paths) {
    // A run without an attack is there for the one with it; and what programs send is not known.
    let unknown = a.scenario.nodes.iter().any(|node| node.kernel.is_some());
    if unknown || !a.scenario.idle.is_empty() {
        return;
    }
    for (i, decl) in a.draft.links.iter().enumerate().filter(|(_, decl)| decl.observed) {
        let links = a.firsts[i]..a.firsts.get(i + 1).copied().unwrap_or(a.scenario.links.len());
        let loads: Vec<_> = links.clone().flat_map(|l| paths.loads(l)).collect();
        let name = decl.shown();
        if loads.is_empty() {
            let message = format!("no flow crosses link {name}, whose queue is given");
            a.warn(
                Code::UnusedQueue,
                decl.queue_origin(),
                message,
                "it will stay empty: give it to a link on the path of a flow, or leave it out",
            );
            continue;
        }
        let full = loads.iter().any(|load| load.offered > u128::from(load.rate.as_bps()));
        // Stations share a medium, so each gets less than the rate of its frames.
        // A shaper whose rate follows the traffic may be slower than what comes.
        let unknown = decl.forward.queue.shaping() == Shaping::Unknown;
        if full || unknown || decl.medium.is_some() || roles::labels(&decl.forward.queue) {
            continue;
        }
        // Packets that arrive by chance wait at any load.
        if links.clone().any(|link| paths.reached_by_chance(link)) {
            continue;
        }
        // A queue behind a shaper is kept empty on purpose.
        let is_shaper = |d: Direction| d.spec(a.scenario).is_shaped();
        if loads.iter().any(|load| load.limited_by.is_some_and(is_shaper)) {
            continue;
        }
        let most = loads.iter().max_by_key(|load| load.offered).expect("there are some");
        let offered = u64::try_from(most.offered).unwrap_or(u64::MAX);
        let message = format!("link {name} is not a bottleneck, so its queue stays empty");
        let by = most.limited_by.map_or_else(
            || "the flows offer".to_string(),
            |d| format!("slower links such as {} let", a.scenario.links[d.link].name),
        );
        let help = format!(
            "{by} at most {} reach its {}: give the queue to the slowest link of a path, or make this link slower",
            Rate::from_bps(offered),
            most.rate
        );
        a.warn(Code::QueueStaysEmpty, decl.queue_origin(), message, &help);
    }
}

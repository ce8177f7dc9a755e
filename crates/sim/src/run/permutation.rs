//! Random permutations of receivers, and start times of flows.

use std::sync::Arc;
use tailrace_core::{Duration, Rng};
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{FlowGroup, NodeIndex, Pattern};

/// Scenario with the permutations drawn for a run of this seed.
pub(crate) fn drawn(scenario: &Arc<Scenario>, seed: u64) -> Arc<Scenario> {
    let idle = scenario.idle.iter().map(|idle| &idle.group);
    if scenario.flows.iter().chain(idle).all(|group| group.pattern != Pattern::Permutation) {
        return Arc::clone(scenario);
    }
    let mut drawn = Scenario::clone(scenario);
    let Scenario { flows, idle, .. } = &mut drawn;
    let groups = flows.iter_mut().chain(idle.iter_mut().map(|idle| &mut idle.group));
    for group in groups.filter(|group| group.pattern == Pattern::Permutation) {
        permute(group, &mut Rng::named(seed, &format!("flow/{}/permutation", group.name)));
    }
    Arc::new(drawn)
}

/// Shuffles receivers so that no host sends to itself. Whole permutations are drawn until one qualifies, so each derangement is
/// equally likely: e draws on average if both sides are the same hosts.
fn permute(group: &mut FlowGroup, rng: &mut Rng) {
    let mut receivers: Vec<NodeIndex> = group.pairs.iter().map(|(_, to)| *to).collect();
    // Sorted first, so that the scenario of a run draws the same permutation again.
    receivers.sort_unstable();
    loop {
        // Fisher-Yates shuffle.
        for i in (1..receivers.len()).rev() {
            receivers.swap(i, rng.below(i as u64 + 1) as usize);
        }
        if group.pairs.iter().zip(&receivers).all(|((from, _), to)| from != to) {
            break;
        }
    }
    group.pairs.iter_mut().zip(receivers).for_each(|(pair, to)| pair.1 = to);
}

/// Start time of a flow of a group. Flows of an incast start at the same time.
pub(crate) fn start_of(group: &FlowGroup, member: usize, seed: u64) -> Duration {
    let drawn = || {
        let of = if group.pattern == Pattern::Incast { 0 } else { member };
        group.start.draw(&mut Rng::named(seed, &format!("flow/{}/{of}/start", group.name)))
    };
    group.starts.get(member).copied().unwrap_or_else(drawn)
}

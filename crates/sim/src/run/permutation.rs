//! Who sends to whom and from when on, where that is drawn.

use std::sync::Arc;
use tailrace_core::{Duration, Rng};
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{FlowGroup, NodeIndex, Pattern};

/// The scenario with the permutations of a run of this seed.
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

/// Of all orders of the receivers in which nobody sends to itself each is equally likely: whole orders are drawn until one is
/// so, e times on average (where both sides are the same hosts).
fn permute(group: &mut FlowGroup, rng: &mut Rng) {
    let mut receivers: Vec<NodeIndex> = group.pairs.iter().map(|(_, to)| *to).collect();
    // In one order to begin with, so that what was drawn once is drawn again from the scenario of a run.
    receivers.sort_unstable();
    loop {
        // Fisher and Yates.
        for i in (1..receivers.len()).rev() {
            receivers.swap(i, rng.below(i as u64 + 1) as usize);
        }
        if group.pairs.iter().zip(&receivers).all(|((from, _), to)| from != to) {
            break;
        }
    }
    group.pairs.iter_mut().zip(receivers).for_each(|(pair, to)| pair.1 = to);
}

/// When a flow of a group starts. Those of an incast do so at the same time.
pub(crate) fn start_of(group: &FlowGroup, member: usize, seed: u64) -> Duration {
    let drawn = || {
        let of = if group.pattern == Pattern::Incast { 0 } else { member };
        group.start.draw(&mut Rng::named(seed, &format!("flow/{}/{of}/start", group.name)))
    };
    group.starts.get(member).copied().unwrap_or_else(drawn)
}

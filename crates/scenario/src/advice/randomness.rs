//! Advice on runs that cannot differ.

use crate::advice::adviser::Adviser;
use crate::model::{Fault, FlowGroup, LinkSchedule, LinkSpec, Pattern};
use crate::text::codes::Code;
use crate::text::place::Origin;
use tailrace_impair::LinkCondition;

/// Several runs of a scenario without anything random are the same run.
pub(super) fn check(a: &Adviser<'_>) {
    let s = a.scenario;
    let dull_link = |spec: &LinkSpec| {
        spec.delay.is_constant()
            && spec.jitter.is_none()
            && !spec.loss.is_random()
            && !spec.rewrite.is_random()
            && !spec.schedule.as_ref().is_some_and(LinkSchedule::is_random)
            && spec.queue.plain_fifo().is_some()
    };
    let drawn = |f: &FlowGroup| f.pattern == Pattern::Permutation && f.pairs.len() > 1;
    let dull_flow =
        |f: &FlowGroup| !drawn(f) && (f.start.is_constant() || !f.starts.is_empty()) && !f.app.is_random();
    let dull_fault = |f: &Fault| {
        let link = f.kind.applied_to(LinkCondition::default());
        !f.kind.is_random()
            && !link.loss().is_random()
            && !link.netem().is_random()
            && link.queue().is_none_or(|queue| queue.plain_fifo().is_some())
    };
    let links = a.draft.links.iter();
    let mut specs = links.flat_map(|l| std::iter::once(&l.forward).chain(&l.backward));
    // Runs without an attack are as many as those with it.
    let mut flows = s.flows.iter().chain(s.idle.iter().map(|idle| &idle.group));
    // Each run gives kernels other random numbers, which programs draw as they like.
    let has_programs =
        s.nodes.iter().filter_map(|n| n.kernel.as_ref()).any(|kernel| !kernel.programs.is_empty());
    if s.runs > 1
        && !has_programs
        && s.media.is_empty()
        && specs.all(dull_link)
        && flows.all(dull_flow)
        && s.faults.iter().all(dull_fault)
    {
        let message = format!("nothing is random: the {} runs will be the same", s.runs);
        let help = "draw the flows' starts, as in start = \"uniform(0 s, 1 s)\", or set runs = 1";
        a.warn(Code::EqualRuns, Origin::Scenario, message, help);
    }
}

//! Advice on runs that cannot differ.

use crate::advice::adviser::Adviser;
use crate::model::{App, FlowGroup, LinkSpec, Loss};
use crate::text::codes::Code;
use crate::text::place::Origin;

/// Several runs of a scenario without anything random are the same run.
pub(super) fn check(a: &Adviser<'_>) {
    let s = a.scenario;
    let dull_link = |spec: &LinkSpec| {
        spec.delay.is_constant()
            && spec.jitter.is_none()
            && matches!(spec.loss, Loss::None | Loss::Periodic(_))
            && spec.queue.plain_fifo().is_some()
    };
    let dull_flow = |f: &FlowGroup| (f.start.is_constant() || !f.starts.is_empty()) && !is_random(&f.app);
    let links = a.draft.links.iter();
    let mut specs = links.flat_map(|l| std::iter::once(&l.forward).chain(&l.backward));
    if s.runs > 1 && specs.all(dull_link) && s.flows.iter().all(dull_flow) {
        let message = format!("nothing is random: the {} runs will be the same", s.runs);
        let help = "draw the flows' starts, as in start = \"uniform(0 s, 1 s)\", or set runs = 1";
        a.warn(Code::EqualRuns, Origin::Scenario, message, help);
    }
}

fn is_random(app: &App) -> bool {
    match app {
        App::Poisson { .. } => true,
        App::Cbr { jitter, random_phase, .. } => jitter.get() > 0.0 || *random_phase,
        App::OnOff { on, off, .. } => !(on.is_constant() && off.is_constant()),
        App::RequestResponse { think: pause, .. }
        | App::Sequence { gap: pause, .. }
        | App::Arrivals { gap: pause, .. } => !pause.is_constant(),
        App::Bulk | App::Transfer { .. } | App::Schedule { .. } | App::Pulse { .. } => false,
    }
}

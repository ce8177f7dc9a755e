//! Attachment of the stacks that a scenario's flows ask for to its hosts.

use crate::adapters::{Noq, Quinn};
use crate::host::QuicHost;
use crate::sample_times::SampleTimes;
use crate::stack::Stack;
use std::collections::BTreeSet;
use tailrace_core::Rng;
use tailrace_core::rng::run_seed;
use tailrace_scenario::Scenario;
use tailrace_sim::{AttachError, Simulation};
use tailrace_transport::quic::QuicStack;

/// Attaches to each host the QUIC stacks that its flows use; call before the first step of the run.
///
/// # Errors
/// If a host has a stack already that takes the place of its own, or the run has begun.
pub fn attach_stacks(scenario: &Scenario, run: u32, simulation: &mut Simulation) -> Result<(), AttachError> {
    for stack in QuicStack::ALL {
        let groups = scenario
            .flows
            .iter()
            .filter(|group| group.transport.quic().is_some_and(|plan| plan.config.stack == stack));
        let ends: BTreeSet<_> =
            groups.flat_map(|group| &group.pairs).flat_map(|(from, to)| [from.0, to.0]).collect();
        for node in ends {
            let (run, name) = ((scenario, run), &scenario.nodes[node as usize].name);
            match stack {
                QuicStack::Noq => attach::<Noq>(run, name, simulation)?,
                QuicStack::Quinn => attach::<Quinn>(run, name, simulation)?,
            }
        }
    }
    Ok(())
}

fn attach<S: Stack>(
    (scenario, run): (&Scenario, u32),
    name: &str,
    simulation: &mut Simulation,
) -> Result<(), AttachError> {
    let seed = run_seed(scenario.seed, run);
    let rng = Rng::named(seed, &format!("quic/{}/{name}", S::STACK.word()));
    let addresses = simulation.addresses(name)?;
    let listeners = simulation.quic_listeners(name, S::STACK)?;
    let host = QuicHost::<S>::new(addresses, listeners, SampleTimes::of(scenario), rng);
    simulation.attach_quic(name, S::STACK, Box::new(host))
}

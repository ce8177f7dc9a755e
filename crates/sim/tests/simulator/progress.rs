//! Stalls and cancellation: a run whose simulated time does not advance ends with an error, or earlier by a signal.

use crate::support::Text;
use std::sync::Arc;
use tailrace_app::kinds::poisson::PoissonConfig;
use tailrace_core::{Bytes, Instant, Rate};
use tailrace_scenario::model::{AppConfig, Scenario, Transport};
use tailrace_sim::{Control, RunError, Simulation};

/// Datagrams without time between them, which the bounds of scenarios exclude.
fn timeless() -> Arc<Scenario> {
    let text = Text::new("1 s").dumbbell(1, "10 Mbit/s", "1 ms", "").tcp("", "\"bulk\"");
    let mut scenario = (*text.scenario()).clone();
    let flow = scenario.flows.first_mut().unwrap();
    flow.transport = Transport::Udp { header: Bytes(28), ecn: false };
    flow.app = AppConfig::Poisson(PoissonConfig { rate: Rate::from_bps(u64::MAX), size: Bytes(1).into() });
    Arc::new(scenario)
}

#[test]
fn stalled_run_ends_and_names_the_cause() {
    let stalled = |error| match error {
        RunError::Stalled(stall) => stall,
        RunError::HostFailed(failure) => panic!("{failure}"),
    };
    let stall = stalled(Simulation::build(&timeless(), 1).unwrap().run(&Control::default()).unwrap_err());
    assert!(stall.events > 1_000_000, "{stall}");
    assert!(stall.to_string().contains("the timer of its application"), "{stall}");
    let mut simulation = Simulation::build(&timeless(), 1).unwrap();
    let in_steps = stalled(simulation.step(Instant::from_secs(1), &Control::default()).unwrap_err());
    assert_eq!(in_steps.who, stall.who);
}

#[test]
fn cancellation_works_within_one_instant() {
    let control = Control::default();
    let scenario = timeless();
    let ended = std::thread::scope(|s| {
        let running = s.spawn(|| Simulation::build(&scenario, 1).unwrap().run(&control));
        std::thread::sleep(std::time::Duration::from_millis(20));
        control.cancel();
        running.join().unwrap()
    });
    assert!(ended.is_ok_and(|output| output.interrupted));
}

#[test]
fn simultaneous_start_of_10_000_flows_is_no_stall() {
    let text = Text::new("10 ms").dumbbell(10_000, "10 Gbit/s", "1 ms", "").tcp("", "\"bulk\"");
    let run = text.run();
    assert!(run.leaf("engine.events") > 20_000.0);
}

//! A run from its first event to its output, in steps of any length.

use crate::ground::build_error::BuildError;
use crate::ground::output::{RunCost, RunOutput};
use crate::ground::plan::RunPlan;
use crate::host::hosts::World;
use crate::packet::sim_packet::SimFabric;
use crate::results::run_output;
use crate::results::series::Series;
use crate::results::snapshot::SnapshotTaker;
use crate::results::tables::events::EventTable;
use crate::results::view::RunView;
use crate::results::windows::{MeasurementWindows, next_boundary};
use crate::run::build::{BuiltRun, build};
use crate::run::control::Control;
use crate::run::convergence::RouteConvergence;
use crate::run::error::RunError;
use crate::run::faults::FaultSchedule;
use crate::run::schedule::ControlEvent;
use crate::run::schedule::ControlSchedule;
use crate::run::schedule::FaultTransition;
use crate::run::stall::{BATCH, StallDetector};
use std::sync::Arc;
use tailrace_core::{Duration, Instant};
use tailrace_net::LinkId;
use tailrace_scenario::model::Scenario;

/// Longest simulated time between two updates of progress and checks for cancellation.
const STRIDE: Duration = Duration::from_millis(100);

/// A run under way: advanced by [`Simulation::step`], viewed and changed between steps, ended by [`Simulation::finish`]. The
/// result does not depend on the length of steps.
pub struct Simulation {
    pub(crate) plan: RunPlan,
    pub(crate) fabric: SimFabric,
    pub(crate) world: World,
    pub(crate) agenda: ControlSchedule<ControlEvent>,
    pub(crate) faults: FaultSchedule,
    pub(crate) convergence: RouteConvergence,
    pub(crate) series: Option<Series>,
    pub(crate) event_table: EventTable,
    watch: StallDetector,
    pub(crate) viewer: SnapshotTaker,
    windows: MeasurementWindows,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The step reached its end.
    UnderWay,
    /// The run has ended.
    Ended,
    /// The step was cut short by [`Control::cancel`].
    Cancelled,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation").field("run", &self.plan.run).field("now", &self.fabric.now()).finish()
    }
}

impl Simulation {
    /// Builds run number `run` (from 1) of a scenario.
    ///
    /// # Errors
    /// If the scenario is larger than a simulation can hold, or a flow's hosts cannot reach each other.
    pub fn build(scenario: &Arc<Scenario>, run: u32) -> Result<Self, BuildError> {
        let BuiltRun { plan, fabric, world } = build(scenario, run)?;
        let mut agenda = ControlSchedule::new();
        // Without a warm-up, packets sent at time zero count, too.
        if let Some(at) = next_boundary(scenario, Instant::ZERO) {
            agenda.add(at, ControlEvent::Boundary);
        }
        for (i, fault) in scenario.faults.iter().enumerate() {
            agenda.add(Instant::ZERO + fault.at, ControlEvent::Fault(i, FaultTransition::Begins));
        }
        let series = scenario.record.interval.map(|interval| Series::new(&plan, interval));
        if let Some(series) = &series {
            agenda.add(Instant::ZERO + series.interval(), ControlEvent::Sample);
        }
        let mut simulation = Self {
            faults: FaultSchedule::new(scenario),
            convergence: RouteConvergence::new(scenario.routing.convergence),
            watch: StallDetector::new(fabric.link_count() + 2 * world.flows.len()),
            viewer: SnapshotTaker::new(&plan),
            windows: MeasurementWindows::new(scenario),
            plan,
            fabric,
            world,
            agenda,
            series,
            event_table: EventTable::new(),
        };
        // A fault at time zero precedes the first packet.
        simulation.run_due_events();
        Ok(simulation)
    }

    /// Runs to the end, or until `control` asks to stop, and returns the output. Its cost is not measured, because there is no
    /// clock here: a caller that has one uses [`Simulation::step`] and [`Simulation::finish`].
    ///
    /// # Errors
    /// If [`Simulation::step`] fails.
    pub fn run(mut self, control: &Control) -> Result<RunOutput, RunError> {
        while self.step(Instant::MAX, control)? == Progress::UnderWay {}
        Ok(self.finish(RunCost::default()))
    }

    /// Advances to `until`, or to the end of the run if that is earlier. All events of that time have then happened, samples
    /// included. A time in the past changes nothing.
    ///
    /// # Errors
    /// If simulated time does not advance, so that there would be no end, or if a foreign host cannot go on.
    pub fn step(&mut self, until: Instant, control: &Control) -> Result<Progress, RunError> {
        let until = until.min(self.end());
        while self.fabric.now() < until {
            let stride = (self.fabric.now() + STRIDE).min(self.agenda.next_at()).min(until);
            if control.is_cancelled() || !self.run_until(stride, control)? {
                return Ok(Progress::Cancelled);
            }
            self.run_due_events();
            control.publish(self.fabric.now());
        }
        Ok(if self.fabric.now() < self.end() { Progress::UnderWay } else { Progress::Ended })
    }

    /// Handles all events up to `until`; false if cancelled before, which is also checked within one instant.
    fn run_until(&mut self, until: Instant, control: &Control) -> Result<bool, RunError> {
        while self.fabric.run_some(until, BATCH, &mut self.world).is_some() {
            if control.is_cancelled() {
                return Ok(false);
            }
            if self.world.foreign.failure().is_some() {
                break;
            }
            if !self.watch.advances(self.fabric.now()) {
                return Err(self.watch.diagnose(&self.plan, &mut self.fabric, &mut self.world).into());
            }
        }
        match self.world.foreign.failure() {
            None => Ok(true),
            // A cancelled host reports that it cannot go on.
            Some(_) if control.is_cancelled() => Ok(false),
            Some(failure) => Err(failure.clone().into()),
        }
    }

    /// Ends the run and returns its output, also before its end. Tables and captures lack the parts returned by
    /// [`Simulation::drain`].
    pub fn finish(mut self, cost: RunCost) -> RunOutput {
        let interrupted = self.fabric.now() < self.end();
        self.settle();
        let tables = self.take_rows(Instant::MAX);
        let mut output = run_output::collect(&self.view(), tables, cost);
        output.captures = self.world.captures.take();
        output.interrupted = interrupted;
        output
    }

    /// Present simulated time.
    pub fn now(&self) -> Instant {
        self.fabric.now()
    }

    /// End of the run.
    pub fn end(&self) -> Instant {
        Instant::ZERO + self.plan.scenario.duration
    }

    /// Packets carried over a link so far, summed over links.
    pub fn packet_hops(&self) -> u64 {
        self.fabric.hops()
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.fabric.handled()
    }

    /// Runs all control events that are due.
    fn run_due_events(&mut self) {
        while let Some((at, what)) = self.agenda.take_due(self.fabric.now()) {
            match what {
                ControlEvent::Boundary => self.begin_next_window(at),
                ControlEvent::Fault(fault, edge) => self.run_fault_transitions(at, (fault, edge)),
                ControlEvent::Routes => self.converge(),
                ControlEvent::Sample => self.sample(at),
            }
        }
    }

    fn sample(&mut self, at: Instant) {
        // Losses may come late only from queues under study: a plain FIFO's are known on arrival.
        let studied = self.plan.queues.iter().map(|queue| queue.link);
        for link in studied.chain(self.faults.other_queues()) {
            self.fabric.settle(link, &mut self.world);
        }
        self.world.close_interval(at);
        let Some(series) = &mut self.series else { return };
        series.sample(&self.plan, &mut self.world, &mut self.fabric);
        self.agenda.add(at + series.interval(), ControlEvent::Sample);
    }

    /// Brings every link up to the present, so that its counters are current.
    pub(crate) fn settle(&mut self) {
        for link in 0..self.fabric.link_count() as u32 {
            self.fabric.settle(LinkId(link), &mut self.world);
        }
    }

    fn begin_next_window(&mut self, at: Instant) {
        self.settle();
        self.world.close_interval(at);
        self.windows.begin_next_window(&self.plan, &mut self.world, &mut self.fabric);
        if let Some(next) = next_boundary(&self.plan.scenario, at) {
            self.agenda.add(next, ControlEvent::Boundary);
        }
    }

    /// View of the run for results, once links are settled.
    pub(crate) fn view(&self) -> RunView<'_> {
        RunView { plan: &self.plan, fabric: &self.fabric, world: &self.world, windows: &self.windows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred transfers that ended stay open for requests that never come, beside one flow that goes on.
    const IDLE_CONNECTIONS: &str = r#"
name = "idle"
duration = "20 s"
record = { interval = "100 ms" }
host = [{ name = "a", count = 101 }, { name = "b" }]
link = [{ name = "l", between = ["a[*]", "b"], rate = "10 Mbit/s", delay = "10 ms" }]
flow = [
  { name = "idle", from = "a[0..100]", to = "b", transport = "tcp", app = { kind = "request_response", request = "100 B", response = "1 kB", think = "1000 s" } },
  { name = "busy", from = "a[100]", to = "b", transport = "tcp", app = "bulk" },
]
"#;

    #[test]
    fn samples_read_only_sockets_that_changed() {
        let parsed = tailrace_scenario::parse(IDLE_CONNECTIONS, "idle.toml", &[]).unwrap();
        let mut sim = Simulation::build(&Arc::new(parsed.scenario), 1).unwrap();
        let read_at = |sim: &mut Simulation, at| {
            sim.step(Instant::from_secs(at), &Control::default()).unwrap();
            sim.series.as_ref().unwrap().sockets_read()
        };
        assert!(read_at(&mut sim, 1) >= 2, "the busy flow's");
        assert_eq!(sim.world.sockets.iter().count(), 202);
        assert_eq!(read_at(&mut sim, 10), 2);
    }
}

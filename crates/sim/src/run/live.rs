//! Operations between steps: view results, change links, and drain recorded data.

use crate::ground::output::{CaptureFile, DrainedOutput, RunCost, Table};
use crate::results::run_output;
use crate::results::series::Series;
use crate::results::snapshot::Snapshot;
use crate::run::schedule::ControlEvent;
use crate::run::schedule::FaultTransition;
use crate::run::simulation::Simulation;
use core::fmt;
use tailrace_core::{Duration, Instant};
use tailrace_net::LinkId;
use tailrace_scenario::model::{Fault, FaultConfig, LinkDirection, LinkIndex, Scenario};

/// A change to a running simulation.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveChange {
    /// Sets both directions of the link to this condition until it is changed or restored.
    Set(LinkIndex, FaultConfig),
    /// Restores the scenario's condition, ending the change of this sort. Faults that change the same aspects of a link are one
    /// sort, whatever their values (link state, for example).
    Restore(LinkIndex, FaultConfig),
}

/// Reasons why a change is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveChangeError {
    /// The scenario has no such link.
    NoSuchLink,
    /// A value is out of bounds, with the reason.
    BadValue(String),
    /// The fault does not apply to links, with its kind.
    NotOfLink(&'static str),
    /// The run is over.
    Over,
}

impl fmt::Display for LiveChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchLink => f.write_str("the scenario has no such link"),
            Self::BadValue(why) => write!(f, "the value {why}"),
            Self::NotOfLink(kind) => {
                write!(f, "{kind} is of a host's interface, not of a link: write it as a [[fault]]")
            }
            Self::Over => f.write_str("the run is over"),
        }
    }
}

impl std::error::Error for LiveChangeError {}

impl Simulation {
    /// Summary of the run so far, as JSON text: what [`Simulation::finish`] would return now.
    ///
    /// Calls do not change values or fingerprints. In the events table, rows of the same nanosecond may change places, because
    /// links report actions of a discipline late, or when they are settled.
    pub fn so_far(&mut self, cost: RunCost) -> String {
        self.settle();
        run_output::summary(&self.view(), cost)
    }

    /// Queues under study by their names in the results, with the link, and whether they serve the backward direction.
    pub fn queues(&self) -> impl Iterator<Item = (&str, LinkIndex, bool)> {
        self.plan.queues.iter().map(|q| (q.name.as_str(), LinkIndex(q.link.0 / 2), q.link.0 % 2 == 1))
    }

    /// Snapshot for a live page: rates since the previous snapshot, and present levels.
    pub fn snapshot(&mut self) -> Snapshot {
        for i in 0..self.plan.queues.len() {
            self.fabric.settle(self.plan.queues[i].link, &mut self.world);
        }
        self.viewer.take_snapshot(&self.plan, &self.world, &self.fabric)
    }

    /// Drains the rows of series and events, and the bytes of captures, recorded since the previous drain. Concatenated, together
    /// with the output of [`Simulation::finish`], they equal the output of a run without drains. Draining after each step bounds
    /// memory to one step's data.
    pub fn drain(&mut self) -> DrainedOutput {
        let complete = self.reported_until();
        DrainedOutput { tables: self.take_rows(complete), captures: self.world.captures.take() }
    }

    /// Drains captures alone, which grow the most.
    pub fn drain_captures(&mut self) -> Vec<CaptureFile> {
        self.world.captures.take()
    }

    /// Drains rows alone.
    pub fn drain_rows(&mut self) -> Vec<Table> {
        let complete = self.reported_until();
        self.take_rows(complete)
    }

    /// Memory of the rows that [`Simulation::drain_rows`] would return, to drain when it grows large.
    pub fn recorded_bytes(&self) -> usize {
        self.series.as_ref().map_or(0, Series::bytes) + self.world.recorder.event_bytes()
    }

    /// Takes rows of series, and of events before `until`.
    pub(crate) fn take_rows(&mut self, until: Instant) -> Vec<Table> {
        let mut tables: Vec<Table> = self.series.iter_mut().flat_map(Series::take).collect();
        if self.plan.scenario.record.events {
            let events = self.world.recorder.take_events(until);
            tables.push(self.event_table.rows(&events, &self.plan, &self.world.flows));
        }
        tables
    }

    /// Time before which all events are recorded.
    fn reported_until(&mut self) -> Instant {
        let mut until = self.fabric.now();
        for link in (0..self.fabric.link_count() as u32).map(LinkId) {
            if self.fabric.link(link).backlog().packets == 0 {
                // Nothing due there would be collected by another event.
                self.fabric.settle(link, &mut self.world);
            }
            until = until.min(self.fabric.link(link).reported_until());
        }
        until
    }

    /// Changes a link from the next nanosecond on; events of the present one have happened. The change becomes a fault of the run
    /// (see [`Simulation::resolved`]).
    ///
    /// # Errors
    /// If no such change is possible.
    pub fn change(&mut self, change: LiveChange) -> Result<(), LiveChangeError> {
        let at = self.fabric.now() + Duration::from_nanos(1);
        let (LiveChange::Set(link, kind) | LiveChange::Restore(link, kind)) = &change;
        if link.0 as usize >= self.plan.scenario.links.len() {
            return Err(LiveChangeError::NoSuchLink);
        }
        if let LiveChange::Set(..) = &change {
            kind.validate().map_err(|(_, why)| LiveChangeError::BadValue(why))?;
        }
        if kind.changed_fields().address {
            return Err(LiveChangeError::NotOfLink(kind.name()));
        }
        if at >= self.end() {
            return Err(LiveChangeError::Over);
        }
        let at = at.saturating_since(Instant::ZERO);
        let unbegun = self.end_live_change(*link, kind, at);
        match (change, unbegun) {
            (LiveChange::Set(_, kind), Some(fault)) => self.faults.get_mut(fault).kind = kind,
            (LiveChange::Set(link, kind), None) => {
                let fault =
                    self.faults.add(Fault { ways: LinkDirection::both(link).into(), at, until: None, kind });
                self.agenda.add(Instant::ZERO + at, ControlEvent::Fault(fault, FaultTransition::Begins));
            }
            // Scheduled transitions stay in the schedule: the fault ends as soon as it can.
            (LiveChange::Restore(..), Some(fault)) => {
                self.faults.get_mut(fault).until = Some(at + Duration::from_nanos(1));
            }
            (LiveChange::Restore(..), None) => {}
        }
        Ok(())
    }

    /// Ends a change of this sort at `at`. Returns it if it would begin only then.
    fn end_live_change(&mut self, link: LinkIndex, kind: &FaultConfig, at: Duration) -> Option<usize> {
        let all = self.faults.all();
        let concerned = |i: &usize| {
            all[*i].ways == LinkDirection::both(link)
                && all[*i].kind.changed_fields() == kind.changed_fields()
        };
        let fault = self.faults.lasting().find(concerned)?;
        if self.faults.all()[fault].at == at {
            return Some(fault);
        }
        self.faults.get_mut(fault).until = Some(at);
        self.agenda.add(Instant::ZERO + at, ControlEvent::Fault(fault, FaultTransition::Ends));
        None
    }

    /// Faults made by [`Simulation::change`] so far, in the scenario's form.
    pub fn changes(&self) -> &[Fault] {
        self.faults.live()
    }

    /// Scenario with the changes as faults: running it repeats this run.
    pub fn resolved(&self) -> Scenario {
        Scenario { faults: self.faults.all().to_vec(), ..(*self.plan.scenario).clone() }
    }
}

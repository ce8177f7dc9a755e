//! What can be done between steps: look at a run, change links, and take out what has been recorded.

use crate::ground::output::{CaptureFile, Cost, Drained, Table};
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

/// Something that is changed while a run is under way.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// From now on both directions of the link are so, until that is changed or restored.
    Set(LinkIndex, FaultConfig),
    /// What was set of this sort holds no longer: the link is as the scenario has it. Faults that change the same aspects of a
    /// link are one sort, whatever their values: whether it is up, say.
    Restore(LinkIndex, FaultConfig),
}

/// Why a change is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeError {
    /// The scenario has no such link.
    NoSuchLink,
    /// A value is out of bounds; why.
    BadValue(String),
    /// It is no matter of a link; its kind.
    NotOfLink(&'static str),
    /// The run is over.
    Over,
}

impl fmt::Display for ChangeError {
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

impl std::error::Error for ChangeError {}

impl Simulation {
    /// The summary of what has happened so far, as JSON text: what [`Simulation::finish`] would say now.
    ///
    /// Looking changes no figure and no fingerprint. In the events table, rows of the same nanosecond may change places:
    /// links report late what a discipline does at its own times, or when they are looked at.
    pub fn so_far(&mut self, cost: Cost) -> String {
        self.settle();
        run_output::summary(&self.view(), cost)
    }

    /// Queues under study by their names in the results, each with its link, and whether it serves the way back.
    pub fn queues(&self) -> impl Iterator<Item = (&str, LinkIndex, bool)> {
        self.plan.queues.iter().map(|q| (q.name.as_str(), LinkIndex(q.link.0 / 2), q.link.0 % 2 == 1))
    }

    /// What a live picture shows: rates since the last time that this was asked, and levels now.
    pub fn snapshot(&mut self) -> Snapshot {
        for i in 0..self.plan.queues.len() {
            self.fabric.settle(self.plan.queues[i].link, &mut self.world);
        }
        self.viewer.look(&self.plan, &self.world, &self.fabric)
    }

    /// Takes out the rows of series and events, and the bytes of captures, that have come since the last time: put
    /// together, and with what [`Simulation::finish`] gives then, the parts are what it would have given alone. Who drains
    /// after each step holds no more than a step's worth.
    pub fn drain(&mut self) -> Drained {
        let complete = self.reported_until();
        Drained { tables: self.take_rows(complete), captures: self.world.captures.take() }
    }

    /// As [`Simulation::drain`], of captures alone, which grow the most: more of each one's file.
    pub fn drain_captures(&mut self) -> Vec<CaptureFile> {
        self.world.captures.take()
    }

    /// As [`Simulation::drain`], of rows alone.
    pub fn drain_rows(&mut self) -> Vec<Table> {
        let complete = self.reported_until();
        self.take_rows(complete)
    }

    /// Memory that the rows take which [`Simulation::drain`] would give: who drains when it is much holds no more than
    /// that, and what comes in a step.
    pub fn recorded_bytes(&self) -> usize {
        self.series.as_ref().map_or(0, Series::bytes) + self.world.recorder.event_bytes()
    }

    /// Rows of series, and of events before `until`.
    pub(crate) fn take_rows(&mut self, until: Instant) -> Vec<Table> {
        let mut tables: Vec<Table> = self.series.iter_mut().flat_map(Series::take).collect();
        if self.plan.scenario.record.events {
            let events = self.world.recorder.take_events(until);
            tables.push(self.event_table.rows(&events, &self.plan, &self.world.flows));
        }
        tables
    }

    /// All events before then are recorded.
    fn reported_until(&mut self) -> Instant {
        let mut until = self.fabric.now();
        for link in (0..self.fabric.link_count() as u32).map(LinkId) {
            if self.fabric.link(link).backlog().packets == 0 {
                // Nothing is due there that anybody would come back for.
                self.fabric.settle(link, &mut self.world);
            }
            until = until.min(self.fabric.link(link).reported_until());
        }
        until
    }

    /// Changes a link from the next nanosecond on: what happens at this one has happened. The change becomes a fault of the
    /// run (see [`Simulation::resolved`]).
    ///
    /// # Errors
    /// Where there is nothing that could be changed so.
    pub fn change(&mut self, change: Change) -> Result<(), ChangeError> {
        let at = self.fabric.now() + Duration::from_nanos(1);
        let (Change::Set(link, kind) | Change::Restore(link, kind)) = &change;
        if link.0 as usize >= self.plan.scenario.links.len() {
            return Err(ChangeError::NoSuchLink);
        }
        if let Change::Set(..) = &change {
            kind.validate().map_err(|(_, why)| ChangeError::BadValue(why))?;
        }
        if kind.changed_fields().address {
            return Err(ChangeError::NotOfLink(kind.name()));
        }
        if at >= self.end() {
            return Err(ChangeError::Over);
        }
        let at = at.saturating_since(Instant::ZERO);
        let unbegun = self.end_lasting(*link, kind, at);
        match (change, unbegun) {
            (Change::Set(_, kind), Some(fault)) => self.faults.get_mut(fault).kind = kind,
            (Change::Set(link, kind), None) => {
                let fault =
                    self.faults.add(Fault { ways: LinkDirection::both(link).into(), at, until: None, kind });
                self.agenda.add(Instant::ZERO + at, ControlEvent::Fault(fault, FaultTransition::Begins));
            }
            // What is on the agenda stays there: it is over as soon as it can be.
            (Change::Restore(..), Some(fault)) => {
                self.faults.get_mut(fault).until = Some(at + Duration::from_nanos(1));
            }
            (Change::Restore(..), None) => {}
        }
        Ok(())
    }

    /// What was set of this sort at a link ends at `at`. If it is to begin only then, it is given back.
    fn end_lasting(&mut self, link: LinkIndex, kind: &FaultConfig, at: Duration) -> Option<usize> {
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

    /// The faults that [`Simulation::change`] has made so far, as a scenario has them.
    pub fn changes(&self) -> &[Fault] {
        self.faults.live()
    }

    /// The scenario with the changes that were made: it does by itself what this run does.
    pub fn resolved(&self) -> Scenario {
        Scenario { faults: self.faults.all().to_vec(), ..(*self.plan.scenario).clone() }
    }
}

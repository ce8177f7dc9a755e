//! Active faults of each link, and their effect on its condition.

use crate::run::schedule::FaultTransition;
use std::collections::{BTreeMap, BTreeSet};
use tailrace_core::{Duration, Rng};
use tailrace_impair::{ChangedFields, FaultProfile, FaultStage, LinkCondition};
use tailrace_net::LinkId;
use tailrace_scenario::model::{Fault, Scenario};

/// A fault whose effect changes while it lasts.
#[derive(Debug)]
pub(crate) struct StagedFault {
    profile: Box<dyn FaultProfile>,
    rng: Rng,
    stage: FaultStage,
    /// Whether the present stage has another queue than the previous one.
    has_new_queue: bool,
}

/// Faults of a run: those of the scenario, then those added while it runs.
#[derive(Debug)]
pub(crate) struct FaultSchedule {
    pub(crate) all: Vec<Fault>,
    /// Active faults of each direction, in the order of their start.
    pub(crate) under_way: BTreeMap<LinkId, Vec<usize>>,
    /// Ended faults that still have an effect.
    pub(crate) lingering: BTreeSet<usize>,
    /// Active faults with stages, and their present stage.
    pub(crate) staged: BTreeMap<usize, StagedFault>,
    /// Number of faults that the scenario declares.
    pub(crate) declared: usize,
}

impl FaultSchedule {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let all = scenario.faults.clone();
        Self {
            declared: all.len(),
            all,
            under_way: BTreeMap::new(),
            lingering: BTreeSet::new(),
            staged: BTreeMap::new(),
        }
    }

    /// All faults.
    pub(crate) fn all(&self) -> &[Fault] {
        &self.all
    }

    /// Faults added while the run was under way.
    pub(crate) fn live(&self) -> &[Fault] {
        &self.all[self.declared..]
    }

    /// Adds a fault that begins in the future; returns its number.
    pub(crate) fn add(&mut self, fault: Fault) -> usize {
        self.all.push(fault);
        self.all.len() - 1
    }

    pub(crate) fn get_mut(&mut self, fault: usize) -> &mut Fault {
        &mut self.all[fault]
    }

    /// Faults without an end that were added while the run was under way.
    pub(crate) fn lasting(&self) -> impl Iterator<Item = usize> + '_ {
        (self.declared..self.all.len()).filter(|i| self.all[*i].until.is_none())
    }

    pub(crate) fn apply_transition(&mut self, fault: usize, edge: FaultTransition) {
        if edge == FaultTransition::NextStage {
            return;
        }
        let lingers = edge == FaultTransition::Ends && !self.all[fault].kind.after_effect().is_zero();
        if lingers {
            self.lingering.insert(fault);
            return;
        }
        self.lingering.remove(&fault);
        for way in directions_of(&self.all[fault]) {
            let here = self.under_way.entry(way).or_default();
            here.retain(|f| *f != fault);
            if edge == FaultTransition::Begins {
                here.push(fault);
            } else if here.is_empty() {
                self.under_way.remove(&way);
            }
        }
    }

    /// Links whose queue differs from that without faults.
    pub(crate) fn other_queues(&self) -> impl Iterator<Item = LinkId> + '_ {
        let replaced = |f: &usize| self.all[*f].kind.changed_fields().queue;
        self.under_way.iter().filter(move |(_, faults)| faults.iter().any(replaced)).map(|(way, _)| *way)
    }

    /// Applies the active faults to a link's condition, in the order of their start.
    pub(crate) fn shape(&self, way: LinkId, link: &mut LinkCondition) {
        for f in self.under_way.get(&way).into_iter().flatten() {
            let kind = &self.all[*f].kind;
            if self.lingering.contains(f) {
                kind.apply_after(link);
            } else if let Some(staged) = self.staged.get(f) {
                staged.stage.apply(link);
            } else {
                kind.apply(link);
            }
        }
    }

    /// Enters the next stage of a fault with stages, if the fault begins or still lasts. Returns the duration of that stage,
    /// unless it lasts to the fault's end. `rng` creates the fault's random stream.
    pub(crate) fn enter_next_stage(
        &mut self,
        fault: usize,
        edge: FaultTransition,
        rng: impl FnOnce(&Fault) -> Rng,
    ) -> Option<Duration> {
        match edge {
            FaultTransition::Begins => {
                let of = &self.all[fault];
                let staged = StagedFault {
                    profile: of.kind.profile()?,
                    rng: rng(of),
                    stage: FaultStage::default(),
                    has_new_queue: false,
                };
                self.staged.insert(fault, staged);
            }
            FaultTransition::NextStage => {}
            FaultTransition::Ends | FaultTransition::Clears => {
                self.staged.remove(&fault);
            }
        }
        let staged = self.staged.get_mut(&fault)?;
        let (stage, lasts) = staged.profile.next(&mut staged.rng);
        staged.has_new_queue = staged.stage.queue != stage.queue;
        staged.stage = stage;
        // A stage of zero length would stop time.
        lasts.map(|lasts| lasts.max(Duration::from_nanos(1)))
    }

    /// Whether a transition of a fault is still due: no stage begins after its end.
    pub(crate) fn is_due(&self, fault: usize, edge: FaultTransition) -> bool {
        edge != FaultTransition::NextStage || self.staged.contains_key(&fault)
    }

    /// Link directions that get a new queue: not if a stage keeps the previous stage's queue.
    pub(crate) fn ways_of_queues(&self, faults: &[(usize, FaultTransition)]) -> Vec<LinkId> {
        let renews = |f: usize, edge: FaultTransition, way: LinkId| {
            edge != FaultTransition::NextStage || self.changes_queue(f, way)
        };
        let concerned = faults.iter().filter(|(f, _)| self.all[*f].kind.changed_fields().queue);
        let ways = concerned
            .flat_map(|&(f, edge)| directions_of(&self.all[f]).filter(move |way| renews(f, edge, *way)));
        Vec::from_iter(ways.collect::<BTreeSet<LinkId>>())
    }

    /// Whether the present stage of a fault changes a link's queue. Faults that began later may replace it again.
    fn changes_queue(&self, fault: usize, way: LinkId) -> bool {
        let mut here = self.under_way.get(&way).into_iter().flatten();
        let last = here.rfind(|f| !self.lingering.contains(f) && self.all[**f].kind.changed_fields().queue);
        last == Some(&fault) && self.staged.get(&fault).is_some_and(|staged| staged.has_new_queue)
    }

    /// Link directions of those faults that change such an aspect, sorted, each once.
    pub(crate) fn directions_changing(
        &self,
        faults: &[(usize, FaultTransition)],
        aspect: impl Fn(ChangedFields) -> bool,
    ) -> Vec<LinkId> {
        let concerned = faults.iter().map(|(f, _)| &self.all[*f]).filter(|f| aspect(f.kind.changed_fields()));
        Vec::from_iter(concerned.flat_map(directions_of).collect::<BTreeSet<LinkId>>())
    }
}

/// Link directions that a fault affects.
pub(crate) fn directions_of(fault: &Fault) -> impl Iterator<Item = LinkId> + '_ {
    fault.ways.iter().map(|way| LinkId(way.link.0 * 2 + u32::from(way.backward)))
}

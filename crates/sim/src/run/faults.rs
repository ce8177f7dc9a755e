//! Faults: which are under way at which link, and what that makes of the link.

use crate::ground::capacity::Pace;
use crate::ground::random_streams::{SCHEDULE, link_stream};
use crate::packet::address_changes::address_of;
use crate::run::schedule::Edge;
use crate::run::schedule::What;
use crate::run::simulation::Simulation;
use std::collections::{BTreeMap, BTreeSet};
use tailrace_core::{Duration, Instant, Rng};
use tailrace_impair::{ChangedFields, FaultProfile, FaultStage, LinkCondition, LinkState, LossConfig};
use tailrace_net::{Address, Impairment, LinkId};
use tailrace_qdisc::LinkView;
use tailrace_scenario::model::{Fault, LinkSpec, Scenario};

/// A fault that changes while it lasts.
#[derive(Debug)]
struct Staged {
    profile: Box<dyn FaultProfile>,
    rng: Rng,
    stage: FaultStage,
    /// Whether that one's queue is another than the last one's.
    has_new_queue: bool,
}

/// The faults of a run: those of the scenario, then those that were asked for while it ran.
#[derive(Debug)]
pub(crate) struct Faults {
    all: Vec<Fault>,
    /// Those that have begun and still have an effect, in the order of their beginnings, for each direction that has any.
    under_way: BTreeMap<LinkId, Vec<usize>>,
    /// Those of them that have ended.
    lingering: BTreeSet<usize>,
    /// Those of them that change while they last, with their present stage.
    staged: BTreeMap<usize, Staged>,
    /// Number of those that the scenario declares.
    declared: usize,
}

impl Faults {
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

    /// All of them.
    pub(crate) fn all(&self) -> &[Fault] {
        &self.all
    }

    /// Those that were asked for while the run was under way.
    pub(crate) fn live(&self) -> &[Fault] {
        &self.all[self.declared..]
    }

    /// Adds one that begins in the future; gives its number.
    pub(crate) fn add(&mut self, fault: Fault) -> usize {
        self.all.push(fault);
        self.all.len() - 1
    }

    pub(crate) fn get_mut(&mut self, fault: usize) -> &mut Fault {
        &mut self.all[fault]
    }

    /// Those that were asked for while the run was under way and have no end.
    pub(crate) fn lasting(&self) -> impl Iterator<Item = usize> + '_ {
        (self.declared..self.all.len()).filter(|i| self.all[*i].until.is_none())
    }

    pub(crate) fn turn(&mut self, fault: usize, edge: Edge) {
        if edge == Edge::Turns {
            return;
        }
        let lingers = edge == Edge::Ends && !self.all[fault].kind.after_effect().is_zero();
        if lingers {
            self.lingering.insert(fault);
            return;
        }
        self.lingering.remove(&fault);
        for way in ways_of(&self.all[fault]) {
            let here = self.under_way.entry(way).or_default();
            here.retain(|f| *f != fault);
            if edge == Edge::Begins {
                here.push(fault);
            } else if here.is_empty() {
                self.under_way.remove(&way);
            }
        }
    }

    /// Links that have other queues at present than without faults.
    pub(crate) fn other_queues(&self) -> impl Iterator<Item = LinkId> + '_ {
        let replaced = |f: &usize| self.all[*f].kind.changed_fields().queue;
        self.under_way.iter().filter(move |(_, faults)| faults.iter().any(replaced)).map(|(way, _)| *way)
    }

    /// What the faults under way make of a link that is so without them, each of what those have made that began before.
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

    /// The next stage of a fault that has any begins, if it begins or still lasts; gives how long that one lasts, if not to the
    /// fault's end. `rng` makes its random stream.
    fn proceed(&mut self, fault: usize, edge: Edge, rng: impl FnOnce(&Fault) -> Rng) -> Option<Duration> {
        match edge {
            Edge::Begins => {
                let of = &self.all[fault];
                let staged = Staged {
                    profile: of.kind.profile()?,
                    rng: rng(of),
                    stage: FaultStage::default(),
                    has_new_queue: false,
                };
                self.staged.insert(fault, staged);
            }
            Edge::Turns => {}
            Edge::Ends | Edge::Clears => {
                self.staged.remove(&fault);
            }
        }
        let staged = self.staged.get_mut(&fault)?;
        let (stage, lasts) = staged.profile.next(&mut staged.rng);
        staged.has_new_queue = staged.stage.queue != stage.queue;
        staged.stage = stage;
        // Time goes on.
        lasts.map(|lasts| lasts.max(Duration::from_nanos(1)))
    }

    /// Whether a fault has such an edge still before it: no stage begins of one that has ended.
    fn is_due(&self, fault: usize, edge: Edge) -> bool {
        edge != Edge::Turns || self.staged.contains_key(&fault)
    }

    /// The directions of links that get a new queue: not where a stage keeps the queue of the one before.
    fn ways_of_queues(&self, faults: &[(usize, Edge)]) -> Vec<LinkId> {
        let renews = |f: usize, edge: Edge, way: LinkId| edge != Edge::Turns || self.turns_queue(f, way);
        let concerned = faults.iter().filter(|(f, _)| self.all[*f].kind.changed_fields().queue);
        let ways =
            concerned.flat_map(|&(f, edge)| ways_of(&self.all[f]).filter(move |way| renews(f, edge, *way)));
        Vec::from_iter(ways.collect::<BTreeSet<LinkId>>())
    }

    /// Whether the present stage of a fault gives a link another queue than its last one: what began later may have its own.
    fn turns_queue(&self, fault: usize, way: LinkId) -> bool {
        let mut here = self.under_way.get(&way).into_iter().flatten();
        let last = here.rfind(|f| !self.lingering.contains(f) && self.all[**f].kind.changed_fields().queue);
        last == Some(&fault) && self.staged.get(&fault).is_some_and(|staged| staged.has_new_queue)
    }

    /// The directions of links of those faults that change such an aspect, in the order of links, each once.
    fn ways(&self, faults: &[(usize, Edge)], aspect: impl Fn(ChangedFields) -> bool) -> Vec<LinkId> {
        let concerned = faults.iter().map(|(f, _)| &self.all[*f]).filter(|f| aspect(f.kind.changed_fields()));
        Vec::from_iter(concerned.flat_map(ways_of).collect::<BTreeSet<LinkId>>())
    }
}

/// What the draws of a fault come from: its link's, so that other faults do not matter to it.
fn course_stream(fault: &Fault, scenario: &Scenario, seed: u64) -> Rng {
    let way = ways_of(fault).next().expect("a fault is of some link");
    link_stream(scenario, seed, way, &format!("fault/{}/{}", fault.kind.name(), fault.at.as_nanos()))
}

/// The directions of links that a fault concerns.
fn ways_of(fault: &Fault) -> impl Iterator<Item = LinkId> + '_ {
    fault.ways.iter().map(|way| LinkId(way.link.0 * 2 + u32::from(way.backward)))
}

impl Simulation {
    /// A fault begins or ends, and others with it in the same instant: links are changed when all have.
    pub(crate) fn keep_faults(&mut self, at: Instant, first: (usize, Edge)) {
        let mut together = Vec::new();
        let mut next = Some(first);
        while let Some((fault, edge)) = next {
            if self.faults.is_due(fault, edge) {
                together.push((fault, edge));
                let Self { faults, plan, .. } = self;
                let lasts = faults.proceed(fault, edge, |of| course_stream(of, &plan.scenario, plan.seed));
                self.agree_next((fault, edge), lasts, at);
            }
            let due = self.agenda.take_if(|when, what| when == at && matches!(what, What::Fault(..)));
            next = due.and_then(|(_, what)| if let What::Fault(f, e) = what { Some((f, e)) } else { None });
        }
        self.apply_faults(&together);
    }

    /// Enters what comes next of a fault.
    fn agree_next(&mut self, (fault, edge): (usize, Edge), lasts: Option<Duration>, at: Instant) {
        if let Some(lasts) = lasts {
            self.agenda.add(at.saturating_add(lasts), What::Fault(fault, Edge::Turns));
        }
        let of = &self.faults.all[fault];
        let after_effect = of.kind.after_effect();
        let next = match edge {
            Edge::Begins => of.until.map(|until| (Instant::ZERO + until, Edge::Ends)),
            Edge::Ends if after_effect.is_zero() => None,
            Edge::Ends => Some((at + after_effect, Edge::Clears)),
            Edge::Turns | Edge::Clears => None,
        };
        if let Some((when, edge)) = next {
            self.agenda.add(when, What::Fault(fault, edge));
        }
    }

    /// Faults that begin or end in one instant, in the order of their declaration.
    fn apply_faults(&mut self, edges: &[(usize, Edge)]) {
        let now = self.fabric.now();
        for &(fault, edge) in edges {
            self.faults.turn(fault, edge);
            ways_of(&self.faults.all[fault]).for_each(|way| self.world.recorder.fault(way, edge.name(), now));
        }
        self.renew_rate(&self.faults.ways(edges, |of| of.rate));
        self.renew_delay(&self.faults.ways(edges, |of| of.delay));
        self.renew_loss(&self.faults.ways(edges, |of| of.loss));
        self.renew_disturbance(
            &self.faults.ways(edges, |of| of.duplication || of.corruption || of.reordering),
        );
        self.renew_queue(&self.faults.ways_of_queues(edges));
        let moved = self.faults.ways(edges, |of| of.address);
        let former = self.renew_address(&moved);
        let mut changed = self.renew_passage(&self.faults.ways(edges, |of| of.state));
        if !former.is_empty() {
            changed.extend(moved);
            changed.sort_unstable();
            changed.dedup();
        }
        self.world.interfaces_changed(&changed, &former, &mut self.fabric);
    }

    /// What a direction of a link is like: as the file has it, but for the faults under way.
    fn condition(&self, way: LinkId) -> LinkCondition {
        let spec = self.spec(way);
        let drawn = self.plan.delays[way.0 as usize];
        let mut link = LinkCondition::new(spec.rate, drawn, spec.loss.clone());
        self.faults.shape(way, &mut link);
        link
    }

    /// Gives the interfaces at which directions begin the addresses that the faults under way name, or again the file's. Gives
    /// those that are nobody's from now on; hosts are still to hear of it.
    fn renew_address(&mut self, ways: &[LinkId]) -> Vec<Address> {
        let mut former = Vec::new();
        for &way in ways {
            let Some(present) = self.fabric.graph().source_of(way) else { continue };
            let given = self.condition(way).address().map(address_of);
            let address = given.unwrap_or_else(|| self.world.options.aliases.first(present));
            if let Some(old) = self.fabric.change_address(way, address) {
                self.world.readdress((old, address), self.fabric.now());
                former.push(old);
            }
        }
        former
    }

    /// Takes links down or up, as the faults under way have it. Gives those that are other than before, as their ends see
    /// them; hosts are still to hear of it.
    fn renew_passage(&mut self, ways: &[LinkId]) -> Vec<LinkId> {
        let was_up: Vec<bool> = ways.iter().map(|way| self.fabric.graph().is_up(*way)).collect();
        let (mut down, mut open, mut silent, mut routeless) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &way in ways {
            let condition = self.condition(way);
            match condition.state() {
                LinkState::Down => down.push(way),
                _ if condition.is_unrouted() && !self.fabric.graph().is_last_hop(way) => routeless.push(way),
                passage => {
                    open.push(way);
                    silent.extend((passage == LinkState::Blackhole).then_some(way));
                }
            }
        }
        self.fabric.set_links_routeless(ways, false, &mut self.world);
        let at_once = self.convergence.is_immediate();
        for (ways, up, reroute) in [(&down, false, at_once), (&open, true, at_once), (&silent, false, false)]
        {
            self.fabric.set_links_up(ways, up, reroute, &mut self.world);
        }
        self.fabric.set_links_routeless(&routeless, true, &mut self.world);
        if !at_once {
            self.fabric.see_links(&down, false);
            self.fabric.see_links(&open, true);
            let without = down.iter().chain(&routeless).map(|way| (*way, false));
            self.announce(without.chain(open.iter().map(|way| (*way, true))));
        }
        let graph = self.fabric.graph();
        let other = ways.iter().zip(was_up).filter(|(way, was)| graph.is_up(**way) != *was);
        other.map(|(way, _)| *way).collect()
    }

    fn renew_rate(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let condition = self.condition(way);
            let stream = || link_stream(&self.plan.scenario, self.plan.seed, way, SCHEDULE);
            let pace = if condition.set().rate {
                Pace::Rate(condition.rate())
            } else {
                Pace::of(self.spec(way), stream)
            };
            match &pace {
                Pace::Rate(rate) => self.fabric.set_rate(way, *rate, &mut self.world),
                Pace::Schedule(..) => self.fabric.resume_schedule(way, &mut self.world),
            }
            self.world.rates.changed(way, self.fabric.now(), pace);
        }
    }

    fn renew_delay(&mut self, ways: &[LinkId]) {
        for &way in ways {
            self.fabric.set_delay(way, self.condition(way).delay(), &mut self.world);
        }
    }

    fn renew_loss(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let condition = self.condition(way);
            self.impair(way, |present, _| present.with_loss(condition.loss()));
        }
    }

    fn renew_disturbance(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let condition = self.condition(way);
            self.impair(way, |present, stream| {
                present.with_disturbance(*condition.netem(), stream("disturbance"))
            });
        }
    }

    /// Gives a link an impairment made of the one that it has.
    fn impair(&mut self, way: LinkId, change: impl FnOnce(Impairment, &dyn Fn(&str) -> Rng) -> Impairment) {
        // What was due by now draws its jitter from the present impairment before that is copied: or else draws
        // would depend on when somebody looked at the link last.
        self.fabric.settle(way, &mut self.world);
        let stream = |what: &str| link_stream(&self.plan.scenario, self.plan.seed, way, what);
        let present = self.fabric.link(way).impairment().cloned();
        let none = || Impairment::new(&LossConfig::default(), None, false, stream("fault"));
        let impairment = change(present.unwrap_or_else(none), &stream);
        self.fabric.set_impairment(way, Some(Box::new(impairment)), &mut self.world);
    }

    /// Gives links the discipline that the faults under way name, or again that of the file: in either case a new one.
    fn renew_queue(&mut self, ways: &[LinkId]) {
        let now = self.fabric.now();
        for &way in ways {
            let (condition, spec) = (self.condition(way), self.spec(way));
            let config = condition.queue().unwrap_or(&spec.queue);
            let link = LinkView {
                rate: spec.rate,
                delay: self.plan.delays[way.0 as usize],
                overhead: spec.overhead,
            };
            let stream = format!("queue/{}", now.as_nanos());
            let rng = link_stream(&self.plan.scenario, self.plan.seed, way, &stream);
            let queue = Box::new((config.build(&link), rng));
            self.fabric.set_queue(way, queue, &mut self.world);
        }
    }

    fn spec(&self, way: LinkId) -> &LinkSpec {
        let link = &self.plan.scenario.links[way.0 as usize / 2];
        if way.0.is_multiple_of(2) { &link.forward } else { &link.backward }
    }
}

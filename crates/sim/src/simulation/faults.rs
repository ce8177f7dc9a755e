//! Faults: which are under way at which link, and what that makes of the link.

use super::{Simulation, What};
use crate::build::link_stream;
use crate::rates::Pace;
use std::collections::{BTreeMap, BTreeSet};
use tailrace_core::Instant;
use tailrace_impair::{Aspects, Condition, Passage};
use tailrace_net::{Impairment, LinkId};
use tailrace_qdisc::LinkView;
use tailrace_scenario::model::{Fault, LinkIndex, LinkSpec, Scenario};

/// A fault begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Edge {
    Begins,
    Ends,
}

/// The faults of a run: those of the scenario, then those that were asked for while it ran.
#[derive(Debug)]
pub(super) struct Faults {
    all: Vec<Fault>,
    /// Those that have begun and not ended, in the order of their beginnings, for each link that has any.
    under_way: BTreeMap<LinkIndex, Vec<usize>>,
    /// Number of those that the scenario declares.
    declared: usize,
}

impl Faults {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let all = scenario.faults.clone();
        Self { declared: all.len(), all, under_way: BTreeMap::new() }
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Fault] {
        &self.all
    }

    /// Those that were asked for while the run was under way.
    pub(super) fn live(&self) -> &[Fault] {
        &self.all[self.declared..]
    }

    /// Adds one that begins in the future; gives its number.
    pub(super) fn add(&mut self, fault: Fault) -> usize {
        self.all.push(fault);
        self.all.len() - 1
    }

    pub(super) fn get_mut(&mut self, fault: usize) -> &mut Fault {
        &mut self.all[fault]
    }

    /// Those that were asked for while the run was under way and have no end.
    pub(super) fn lasting(&self) -> impl Iterator<Item = usize> + '_ {
        (self.declared..self.all.len()).filter(|i| self.all[*i].until.is_none())
    }

    pub(super) fn turn(&mut self, fault: usize, edge: Edge) {
        for link in &self.all[fault].links {
            let here = self.under_way.entry(*link).or_default();
            here.retain(|f| *f != fault);
            if edge == Edge::Begins {
                here.push(fault);
            } else if here.is_empty() {
                self.under_way.remove(link);
            }
        }
    }

    /// What the faults under way make of a link that is so without them, each of what those have made that began before.
    pub(super) fn shape(&self, way: LinkId, link: &mut Condition) {
        let here = self.under_way.get(&LinkIndex(way.0 / 2)).into_iter().flatten();
        here.for_each(|f| self.all[*f].kind.shape(link));
    }

    /// Both directions of the links of those faults that change such an aspect, in the order of links, each once.
    fn ways(&self, faults: &[(usize, Edge)], aspect: impl Fn(Aspects) -> bool) -> Vec<LinkId> {
        let concerned = faults.iter().map(|(f, _)| &self.all[*f]).filter(|f| aspect(f.kind.aspects()));
        Vec::from_iter(concerned.flat_map(both_ways).collect::<BTreeSet<LinkId>>())
    }
}

/// Both directions of the links of a fault.
fn both_ways(fault: &Fault) -> impl Iterator<Item = LinkId> + '_ {
    fault.links.iter().flat_map(|l| [LinkId(l.0 * 2), LinkId(l.0 * 2 + 1)])
}

impl Simulation {
    /// A fault begins or ends, and others with it in the same instant: links are changed when all have.
    pub(super) fn keep_faults(&mut self, at: Instant, first: (usize, Edge)) {
        let mut together = Vec::new();
        let mut next = Some(first);
        while let Some((fault, edge)) = next {
            together.push((fault, edge));
            if edge == Edge::Begins
                && let Some(until) = self.faults.all[fault].until
            {
                self.agenda.add(Instant::ZERO + until, What::Fault(fault, Edge::Ends));
            }
            let due = self.agenda.take_if(|when, what| when == at && matches!(what, What::Fault(..)));
            next = due.and_then(|(_, what)| if let What::Fault(f, e) = what { Some((f, e)) } else { None });
        }
        self.apply_faults(&together);
    }

    /// Faults that begin or end in one instant, in the order of their declaration.
    fn apply_faults(&mut self, edges: &[(usize, Edge)]) {
        let now = self.fabric.now();
        for &(fault, edge) in edges {
            self.faults.turn(fault, edge);
            let what = if edge == Edge::Begins { "begins" } else { "ends" };
            both_ways(&self.faults.all[fault]).for_each(|way| self.world.recorder.fault(way, what, now));
        }
        self.renew_rate(&self.faults.ways(edges, |of| of.rate));
        self.renew_delay(&self.faults.ways(edges, |of| of.delay));
        self.renew_loss(&self.faults.ways(edges, |of| of.loss));
        self.renew_queue(&self.faults.ways(edges, |of| of.queue));
        self.renew_passage(&self.faults.ways(edges, |of| of.passage));
    }

    /// What a direction of a link is like: as the file has it, but for the faults under way.
    fn condition(&self, way: LinkId) -> Condition {
        let spec = self.spec(way);
        let drawn = self.plan.delays[way.0 as usize];
        let mut link = Condition::new(spec.rate, drawn, spec.loss.clone());
        self.faults.shape(way, &mut link);
        link
    }

    /// Takes links down or up, as the faults under way have it.
    fn renew_passage(&mut self, ways: &[LinkId]) {
        let is = |way: &&LinkId, passage: Passage| self.condition(**way).passage() == passage;
        let (down, routed): (Vec<_>, Vec<_>) = ways.iter().partition(|way| is(way, Passage::Down));
        let silent: Vec<_> = routed.iter().copied().filter(|way| is(&way, Passage::Silent)).collect();
        let mut changed = Vec::new();
        for (ways, up, reroute) in [(&down, false, true), (&routed, true, true), (&silent, false, false)] {
            changed.extend(self.fabric.set_links_up(ways, up, reroute, &mut self.world));
        }
        changed.sort_unstable();
        self.world.links_changed(&changed, &mut self.fabric);
    }

    fn renew_rate(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let condition = self.condition(way);
            let pace =
                if condition.set().rate { Pace::Rate(condition.rate()) } else { Pace::of(self.spec(way)) };
            match &pace {
                Pace::Rate(rate) => self.fabric.set_rate(way, *rate, &mut self.world),
                Pace::Trace(_) => self.fabric.resume_trace(way, &mut self.world),
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
            let loss = condition.loss();
            // What was due by now draws its jitter from the present impairment before that is copied: or else draws
            // would depend on when somebody looked at the link last.
            self.fabric.settle(way, &mut self.world);
            let impairment = match self.fabric.link(way).impairment() {
                Some(present) => present.clone().with_loss(loss),
                None => {
                    let rng = link_stream(&self.plan.scenario, self.plan.seed, way, "fault");
                    Impairment::new(loss, None, false, rng)
                }
            };
            self.fabric.set_impairment(way, Some(Box::new(impairment)), &mut self.world);
        }
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

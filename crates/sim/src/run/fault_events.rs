//! Faults that begin, change stage or end during a run, and their effect on links.

use crate::ground::capacity::LinkCapacity;
use crate::ground::random_streams::SCHEDULE;
use crate::ground::random_streams::link_stream;
use crate::packet::address_changes::address_of;
use crate::run::faults::directions_of;
use crate::run::schedule::ControlEvent;
use crate::run::schedule::FaultTransition;
use crate::run::simulation::Simulation;
use tailrace_core::{Duration, Instant, Rng};
use tailrace_impair::{LinkCondition, LinkState, LossConfig};
use tailrace_net::{Address, Impairment, LinkId};
use tailrace_qdisc::LinkView;
use tailrace_scenario::model::{Fault, LinkSpec, Scenario};

impl Simulation {
    /// Begins, changes or ends a fault and all others due in the same instant; links are changed after all of them.
    pub(crate) fn run_fault_transitions(&mut self, at: Instant, first: (usize, FaultTransition)) {
        let mut together = Vec::new();
        let mut next = Some(first);
        while let Some((fault, edge)) = next {
            if self.faults.is_due(fault, edge) {
                together.push((fault, edge));
                let Self { faults, plan, .. } = self;
                let lasts =
                    faults.enter_next_stage(fault, edge, |of| course_stream(of, &plan.scenario, plan.seed));
                self.schedule_next_transition((fault, edge), lasts, at);
            }
            let due = self.agenda.take_if(|when, what| when == at && matches!(what, ControlEvent::Fault(..)));
            next = due
                .and_then(|(_, what)| if let ControlEvent::Fault(f, e) = what { Some((f, e)) } else { None });
        }
        self.apply_faults(&together);
    }

    /// Schedules the next transition of a fault.
    fn schedule_next_transition(
        &mut self,
        (fault, edge): (usize, FaultTransition),
        lasts: Option<Duration>,
        at: Instant,
    ) {
        if let Some(lasts) = lasts {
            self.agenda.add(at.saturating_add(lasts), ControlEvent::Fault(fault, FaultTransition::NextStage));
        }
        let of = &self.faults.all[fault];
        let after_effect = of.kind.after_effect();
        let next = match edge {
            FaultTransition::Begins => of.until.map(|until| (Instant::ZERO + until, FaultTransition::Ends)),
            FaultTransition::Ends if after_effect.is_zero() => None,
            FaultTransition::Ends => Some((at + after_effect, FaultTransition::Clears)),
            FaultTransition::NextStage | FaultTransition::Clears => None,
        };
        if let Some((when, edge)) = next {
            self.agenda.add(when, ControlEvent::Fault(fault, edge));
        }
    }

    /// Applies the transitions of one instant, in the order of declaration.
    fn apply_faults(&mut self, edges: &[(usize, FaultTransition)]) {
        let now = self.fabric.now();
        for &(fault, edge) in edges {
            self.faults.apply_transition(fault, edge);
            directions_of(&self.faults.all[fault])
                .for_each(|way| self.world.recorder.fault(way, edge.name(), now));
        }
        self.update_rate(&self.faults.directions_changing(edges, |of| of.rate));
        self.update_delay(&self.faults.directions_changing(edges, |of| of.delay));
        self.update_loss(&self.faults.directions_changing(edges, |of| of.loss));
        self.update_disturbance(
            &self.faults.directions_changing(edges, |of| of.duplication || of.corruption || of.reordering),
        );
        self.update_queue(&self.faults.ways_of_queues(edges));
        let moved = self.faults.directions_changing(edges, |of| of.address);
        let former = self.update_addresses(&moved);
        let mut changed = self.update_link_state(&self.faults.directions_changing(edges, |of| of.state));
        if !former.is_empty() {
            changed.extend(moved);
            changed.sort_unstable();
            changed.dedup();
        }
        self.world.interfaces_changed(&changed, &former, &mut self.fabric);
    }

    /// Condition of a link direction: the scenario's, changed by the active faults.
    fn condition(&self, way: LinkId) -> LinkCondition {
        let spec = self.spec(way);
        let drawn = self.plan.delays[way.0 as usize];
        let mut link = LinkCondition::new(spec.rate, drawn, spec.loss.clone());
        self.faults.shape(way, &mut link);
        link
    }

    /// Gives interfaces of these directions the addresses of the active faults, or the scenario's. Returns the addresses no
    /// longer in use; hosts are told later.
    fn update_addresses(&mut self, ways: &[LinkId]) -> Vec<Address> {
        let mut former = Vec::new();
        for &way in ways {
            let Some(present) = self.fabric.graph().source_of(way) else { continue };
            let given = self.condition(way).address().map(address_of);
            let address = given.unwrap_or_else(|| self.world.options.address_changes.first(present));
            if let Some(old) = self.fabric.change_address(way, address) {
                self.world.readdress((old, address), self.fabric.now());
                former.push(old);
            }
        }
        former
    }

    /// Takes links down or up according to the active faults. Returns the directions that changed for their ends; hosts are told
    /// later.
    fn update_link_state(&mut self, ways: &[LinkId]) -> Vec<LinkId> {
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
            self.announce_link_changes(without.chain(open.iter().map(|way| (*way, true))));
        }
        let graph = self.fabric.graph();
        let other = ways.iter().zip(was_up).filter(|(way, was)| graph.is_up(**way) != *was);
        other.map(|(way, _)| *way).collect()
    }

    fn update_rate(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let condition = self.condition(way);
            let stream = || link_stream(&self.plan.scenario, self.plan.seed, way, SCHEDULE);
            let pace = if condition.set().rate {
                LinkCapacity::Rate(condition.rate())
            } else {
                LinkCapacity::of(self.spec(way), stream)
            };
            match &pace {
                LinkCapacity::Rate(rate) => self.fabric.set_rate(way, *rate, &mut self.world),
                LinkCapacity::Schedule(..) => self.fabric.resume_schedule(way, &mut self.world),
            }
            self.world.rates.changed(way, self.fabric.now(), pace);
        }
    }

    fn update_delay(&mut self, ways: &[LinkId]) {
        for &way in ways {
            self.fabric.set_delay(way, self.condition(way).delay(), &mut self.world);
        }
    }

    fn update_loss(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let condition = self.condition(way);
            self.impair(way, |present, _| present.with_loss(condition.loss()));
        }
    }

    fn update_disturbance(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let condition = self.condition(way);
            self.impair(way, |present, stream| {
                present.with_disturbance(*condition.netem(), stream("disturbance"))
            });
        }
    }

    /// Replaces the impairment of a link by a changed copy.
    fn impair(&mut self, way: LinkId, change: impl FnOnce(Impairment, &dyn Fn(&str) -> Rng) -> Impairment) {
        // Events due by now must draw their jitter from the old impairment before it is copied. Otherwise draws would depend on
        // when the link was last settled.
        self.fabric.settle(way, &mut self.world);
        let stream = |what: &str| link_stream(&self.plan.scenario, self.plan.seed, way, what);
        let present = self.fabric.link(way).impairment().cloned();
        let none = || Impairment::new(&LossConfig::default(), None, false, stream("fault"));
        let impairment = change(present.unwrap_or_else(none), &stream);
        self.fabric.set_impairment(way, Some(Box::new(impairment)), &mut self.world);
    }

    /// Gives links a new queue of the discipline that the active faults name, or of the scenario's.
    fn update_queue(&mut self, ways: &[LinkId]) {
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

/// Random stream of a fault. It belongs to the fault's link, so that other faults do not shift it.
fn course_stream(fault: &Fault, scenario: &Scenario, seed: u64) -> Rng {
    let way = directions_of(fault).next().expect("a fault is of some link");
    link_stream(scenario, seed, way, &format!("fault/{}/{}", fault.kind.name(), fault.at.as_nanos()))
}

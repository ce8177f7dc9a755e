//! One run from its first event to its output.

#[cfg(test)]
mod audit;

use crate::build::{BuildError, Built, Plan, build, link_stream, loss_of};
use crate::control::Control;
use crate::output::RunOutput;
use crate::results;
use crate::series::Series;
use crate::world::{SimFabric, World};
use std::sync::Arc;
use tailrace_core::{Duration, Instant};
use tailrace_net::{Impairment, LinkCounters, LinkId};
use tailrace_scenario::model::{FaultKind, LinkIndex, Scenario};

/// Progress is published, and a stop noticed, at least this often in simulated time.
const STRIDE: Duration = Duration::from_millis(100);

/// A run that is ready to start.
pub struct Simulation {
    plan: Plan,
    fabric: SimFabric,
    world: World,
    agenda: Vec<Appointment>,
    /// Faults that have begun and not ended, in the order of their beginnings.
    under_way: Vec<usize>,
    /// Counters of all link directions when the warm-up ended.
    at_warmup: Vec<LinkCounters>,
    /// When statistics began.
    since: Instant,
}

/// Something that happens at a set time, apart from packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Appointment {
    at: Instant,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    EndWarmup,
    FaultBegins(usize),
    FaultEnds(usize),
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
    /// Where the scenario is larger than a simulation can hold, or a flow's hosts cannot reach each other.
    pub fn build(scenario: &Arc<Scenario>, run: u32) -> Result<Self, BuildError> {
        let Built { plan, fabric, world } = build(scenario, run)?;
        let mut agenda = Vec::new();
        // Without a warm-up, what flows send at time zero counts, too.
        if !scenario.warmup.is_zero() {
            agenda.push(Appointment { at: Instant::ZERO + scenario.warmup, what: What::EndWarmup });
        }
        for (i, fault) in scenario.faults.iter().enumerate() {
            agenda.push(Appointment { at: Instant::ZERO + fault.at, what: What::FaultBegins(i) });
            if let Some(until) = fault.until {
                agenda.push(Appointment { at: Instant::ZERO + until, what: What::FaultEnds(i) });
            }
        }
        // Stable: what is declared first happens first. The next one is popped from the end.
        agenda.sort_by_key(|a| a.at);
        agenda.reverse();
        let at_warmup = vec![LinkCounters::default(); fabric.link_count()];
        let (under_way, since) = (Vec::new(), Instant::ZERO);
        let mut simulation = Self { plan, fabric, world, agenda, under_way, at_warmup, since };
        // A fault at time zero comes before the first packet.
        simulation.keep_appointments();
        Ok(simulation)
    }

    /// Runs to the end, or until `control` asks to stop.
    pub fn run(mut self, control: &Control) -> RunOutput {
        let clock = crate::clock::Stopwatch::start();
        let end = Instant::ZERO + self.plan.scenario.duration;
        let mut series = self.plan.scenario.record.interval.map(|i| Series::new(&self.plan, i));
        let mut next_sample = series.as_ref().map_or(Instant::MAX, |s| Instant::ZERO + s.interval());
        while self.fabric.now() < end && !control.is_cancelled() {
            let appointment = self.agenda.last().map_or(Instant::MAX, |a| a.at);
            let stride = self.fabric.now() + STRIDE;
            let until = stride.min(appointment).min(next_sample).min(end);
            self.fabric.run_until(until, &mut self.world);
            self.keep_appointments();
            if let Some(series) = &mut series
                && self.fabric.now() == next_sample
            {
                series.sample(&self.plan, &mut self.world, &mut self.fabric);
                next_sample += series.interval();
            }
            control.publish(self.fabric.now());
        }
        let interrupted = self.fabric.now() < end;
        self.settle();
        results::collect(self.into_finished(interrupted), series, clock.elapsed_s())
    }

    /// Advances to `until` without recording series: for benchmarks, which time this alone.
    pub fn advance(&mut self, until: Instant) {
        while self.fabric.now() < until {
            let appointment = self.agenda.last().map_or(Instant::MAX, |a| a.at);
            self.fabric.run_until(until.min(appointment), &mut self.world);
            self.keep_appointments();
        }
    }

    /// Packets carried over a link so far, summed over links.
    pub fn packet_hops(&self) -> u64 {
        self.fabric.hops()
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.fabric.handled()
    }

    fn keep_appointments(&mut self) {
        while let Some(appointment) = self.agenda.pop_if(|a| a.at <= self.fabric.now()) {
            match appointment.what {
                What::EndWarmup => self.end_warmup(),
                What::FaultBegins(i) => self.apply_fault(i, true),
                What::FaultEnds(i) => self.apply_fault(i, false),
            }
        }
    }

    /// Brings every link up to the present, so that its counters are those of this moment.
    fn settle(&mut self) {
        for link in 0..self.fabric.link_count() as u32 {
            self.fabric.settle(LinkId(link), &mut self.world);
        }
    }

    fn end_warmup(&mut self) {
        self.settle();
        self.since = self.fabric.now();
        for link in 0..self.at_warmup.len() {
            let id = LinkId(link as u32);
            self.at_warmup[link] = self.fabric.link(id).counters();
            self.fabric.reset_stats(id);
        }
        for flow in 0..self.world.flows.len() {
            self.world.flows[flow].at_warmup = self.world.tally(flow);
        }
        self.world.recorder.end_warmup();
        self.world.verdicts.end_warmup();
    }

    fn apply_fault(&mut self, index: usize, begins: bool) {
        let scenario = Arc::clone(&self.plan.scenario);
        let fault = &scenario.faults[index];
        let now = self.fabric.now();
        self.under_way.retain(|f| *f != index);
        if begins {
            self.under_way.push(index);
        }
        let ways: Vec<LinkId> =
            fault.links.iter().flat_map(|l| [LinkId(l.0 * 2), LinkId(l.0 * 2 + 1)]).collect();
        match fault.kind {
            FaultKind::Down | FaultKind::Blackhole => self.renew_state(&ways),
            FaultKind::Rate(_) => self.renew_rate(&ways),
            FaultKind::Delay(_) => self.renew_delay(&ways),
            FaultKind::Loss(_) => self.renew_loss(&ways),
        }
        for way in ways {
            self.world.recorder.fault(way, if begins { "begins" } else { "ends" }, now);
        }
    }

    /// What the latest of the faults under way at a link says, of those that say anything.
    fn in_force<T>(&self, way: LinkId, says: impl Fn(&FaultKind) -> Option<T>) -> Option<T> {
        let faults = self.under_way.iter().rev().map(|f| &self.plan.scenario.faults[*f]);
        faults.filter(|f| f.links.contains(&LinkIndex(way.0 / 2))).find_map(|f| says(&f.kind))
    }

    /// Takes links down or up, as the faults under way have it.
    fn renew_state(&mut self, ways: &[LinkId]) {
        let is = |way: LinkId, kind: &FaultKind| self.in_force(way, |k| (k == kind).then_some(())).is_some();
        let (down, routed): (Vec<_>, Vec<_>) = ways.iter().partition(|w| is(**w, &FaultKind::Down));
        let silent: Vec<_> = routed.iter().copied().filter(|w| is(*w, &FaultKind::Blackhole)).collect();
        for (ways, up, reroute) in [(&down, false, true), (&routed, true, true), (&silent, false, false)] {
            if !ways.is_empty() {
                self.fabric.set_links_up(ways, up, reroute, &mut self.world);
            }
        }
        for &way in ways {
            self.world.link_changed(way, &mut self.fabric);
        }
    }

    fn renew_rate(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let rate = self.in_force(way, |k| if let FaultKind::Rate(r) = k { Some(*r) } else { None });
            self.fabric.set_rate(way, rate.unwrap_or_else(|| self.spec(way).rate), &mut self.world);
        }
    }

    fn renew_delay(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let delay = self.in_force(way, |k| if let FaultKind::Delay(d) = k { Some(*d) } else { None });
            let drawn = self.plan.delays[way.0 as usize];
            self.fabric.set_delay(way, delay.unwrap_or(drawn), &mut self.world);
        }
    }

    fn renew_loss(&mut self, ways: &[LinkId]) {
        for &way in ways {
            let loss = self.in_force(way, |k| if let FaultKind::Loss(l) = k { Some(*l) } else { None });
            let loss = loss_of(&loss.unwrap_or(self.spec(way).loss));
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

    fn spec(&self, way: LinkId) -> &tailrace_scenario::model::LinkSpec {
        let link = &self.plan.scenario.links[LinkIndex(way.0 / 2).0 as usize];
        if way.0.is_multiple_of(2) { &link.forward } else { &link.backward }
    }

    fn into_finished(self, interrupted: bool) -> results::Finished {
        results::Finished {
            plan: self.plan,
            fabric: self.fabric,
            world: self.world,
            at_warmup: self.at_warmup,
            since: self.since,
            interrupted,
        }
    }
}

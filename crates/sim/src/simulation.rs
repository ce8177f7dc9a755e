//! One run from its first event to its output.

#[cfg(test)]
mod audit;
mod balance;

pub use balance::OnTheWay;

use crate::build::{BuildError, Built, Plan, build, link_stream, loss_of};
use crate::control::Control;
use crate::output::RunOutput;
use crate::results;
use crate::series::Series;
use crate::stall::{BATCH, Stall, Watch};
use crate::world::{SimFabric, World};
use std::collections::BTreeSet;
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
    ///
    /// # Errors
    /// Where simulated time does not advance, so that there would be no end.
    pub fn run(mut self, control: &Control) -> Result<RunOutput, Stall> {
        let clock = crate::clock::Stopwatch::start();
        let end = Instant::ZERO + self.plan.scenario.duration;
        let mut series = self.plan.scenario.record.interval.map(|i| Series::new(&self.plan, i));
        let mut next_sample = series.as_ref().map_or(Instant::MAX, |s| Instant::ZERO + s.interval());
        let mut watch = self.watch();
        while self.fabric.now() < end && !control.is_cancelled() {
            let appointment = self.agenda.last().map_or(Instant::MAX, |a| a.at);
            let stride = self.fabric.now() + STRIDE;
            let until = stride.min(appointment).min(next_sample).min(end);
            if !self.run_until(until, &mut watch, control)? {
                break;
            }
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
        Ok(results::collect(self.into_finished(interrupted), series, clock.elapsed_s()))
    }

    /// Handles all events up to `until`; false if asked to stop before, which is asked within one instant, too.
    fn run_until(&mut self, until: Instant, watch: &mut Watch, control: &Control) -> Result<bool, Stall> {
        while self.fabric.run_some(until, BATCH, &mut self.world).is_some() {
            if control.is_cancelled() {
                return Ok(false);
            }
            if !watch.advances(self.fabric.now()) {
                return Err(watch.blame(&self.plan, &mut self.fabric, &mut self.world));
            }
        }
        Ok(true)
    }

    /// Advances to `until` without recording series: for benchmarks, which time this alone.
    ///
    /// # Errors
    /// As [`Simulation::run`].
    pub fn advance(&mut self, until: Instant) -> Result<(), Stall> {
        let mut watch = self.watch();
        while self.fabric.now() < until {
            let appointment = self.agenda.last().map_or(Instant::MAX, |a| a.at);
            self.run_until(until.min(appointment), &mut watch, &Control::default())?;
            self.keep_appointments();
        }
        Ok(())
    }

    fn watch(&self) -> Watch {
        Watch::new(self.fabric.link_count() + self.world.sockets.len())
    }

    /// Packets carried over a link so far, summed over links.
    pub fn packet_hops(&self) -> u64 {
        self.fabric.hops()
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.fabric.handled()
    }

    /// Does what is due. All that links do in one instant they have done before any host hears of it.
    fn keep_appointments(&mut self) {
        while let Some(at) = self.agenda.last().map(|a| a.at).filter(|at| *at <= self.fabric.now()) {
            let mut faults = Vec::new();
            while let Some(appointment) = self.agenda.pop_if(|a| a.at == at) {
                match appointment.what {
                    What::EndWarmup => self.end_warmup(),
                    What::FaultBegins(i) => faults.push((i, true)),
                    What::FaultEnds(i) => faults.push((i, false)),
                }
            }
            self.apply_faults(&faults);
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
        self.world.end_warmup(self.since);
    }

    /// Faults that begin or end in one instant, in the order of their declaration.
    fn apply_faults(&mut self, changes: &[(usize, bool)]) {
        for &(index, begins) in changes {
            self.under_way.retain(|f| *f != index);
            if begins {
                self.under_way.push(index);
            }
            for way in self.ways_of(index) {
                let what = if begins { "begins" } else { "ends" };
                self.world.recorder.fault(way, what, self.fabric.now());
            }
        }
        let concerned = |sim: &Self, kind: fn(&FaultKind) -> bool| {
            let faults = changes.iter().map(|(index, _)| *index);
            let of_kind = faults.filter(|f| kind(&sim.plan.scenario.faults[*f].kind));
            let ways: BTreeSet<LinkId> = of_kind.flat_map(|f| sim.ways_of(f)).collect();
            Vec::from_iter(ways)
        };
        self.renew_rate(&concerned(self, |k| matches!(k, FaultKind::Rate(_))));
        self.renew_delay(&concerned(self, |k| matches!(k, FaultKind::Delay(_))));
        self.renew_loss(&concerned(self, |k| matches!(k, FaultKind::Loss(_))));
        self.renew_state(&concerned(self, |k| matches!(k, FaultKind::Down | FaultKind::Blackhole)));
    }

    /// Both directions of the links of a fault.
    fn ways_of(&self, fault: usize) -> Vec<LinkId> {
        let links = self.plan.scenario.faults[fault].links.iter();
        links.flat_map(|l| [LinkId(l.0 * 2), LinkId(l.0 * 2 + 1)]).collect()
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
        self.world.links_changed(ways, &mut self.fabric);
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

//! Delivery opportunities of a link as a Mahimahi trace.

use crate::ground::capacity::LinkCapacity;
use crate::run::faults::FaultSchedule;
use crate::run::schedule::FaultTransition;
use core::fmt::Write as _;
use std::collections::BTreeMap;
use tailrace_access::LinkSchedule;
use tailrace_core::{DeliveryTrace, Duration, Instant, Rate, Rng};
use tailrace_impair::{LinkCondition, LinkState};
use tailrace_net::LinkId;
use tailrace_scenario::model::{LinkDirection, LinkIndex, LinkSpec, Scenario};

const NANOSECONDS: u128 = 1_000_000_000;
const MILLISECOND: u64 = 1_000_000;

/// Opportunities of a link direction to deliver 1504 bytes, as lines of milliseconds. A link with a trace and no faults gives its
/// own trace. Otherwise the lines cover the whole run, with faults that change the rate or close the link; a rate gives an
/// opportunity, rounded up, for each 1504 bytes that it could have sent. Random loss and queues are ignored.
///
/// # Errors
/// If the link has no opportunities.
pub fn opportunities(scenario: &Scenario, link: LinkIndex, forward: bool) -> Result<String, String> {
    let of = &scenario.links[link.0 as usize];
    let spec = if forward { &of.forward } else { &of.backward };
    let touched = scenario.faults.iter().any(|fault| {
        let aspects = fault.kind.changed_fields();
        let way = LinkDirection { link, backward: !forward };
        fault.ways.contains(&way) && (aspects.rate || aspects.state)
    });
    let drawn = scenario.faults.iter().find(|fault| {
        let aspects = fault.kind.changed_fields();
        let way = LinkDirection { link, backward: !forward };
        fault.kind.profile().is_some() && fault.ways.contains(&way) && (aspects.rate || aspects.state)
    });
    if let Some(fault) = drawn {
        return Err(format!("a fault of kind {} changes the link while it lasts", fault.kind.name()));
    }
    match &spec.schedule {
        Some(LinkSchedule::Trace(trace)) if !touched => Ok(trace.to_lines()),
        _ => of_run(scenario, LinkId(link.0 * 2 + u32::from(!forward)), spec),
    }
}

fn of_run(scenario: &Scenario, way: LinkId, spec: &LinkSpec) -> Result<String, String> {
    let mut edges: BTreeMap<Duration, Vec<(usize, FaultTransition)>> = BTreeMap::new();
    for (i, fault) in scenario.faults.iter().enumerate() {
        edges.entry(fault.at).or_default().push((i, FaultTransition::Begins));
        if let Some(until) = fault.until {
            edges.entry(until).or_default().push((i, FaultTransition::Ends));
        }
    }
    edges.entry(scenario.duration).or_default();
    let mut faults = FaultSchedule::new(scenario);
    let mut out = TraceLines::default();
    let mut since = Instant::ZERO;
    for (at, turns) in edges.range(..=scenario.duration) {
        let mut link = LinkCondition::new(spec.rate, Duration::ZERO, spec.loss.clone());
        faults.shape(way, &mut link);
        let pace = if link.set().rate {
            LinkCapacity::Rate(link.rate())
        } else {
            LinkCapacity::of(spec, || Rng::new(0))
        };
        let until = Instant::ZERO + *at;
        if link.state() == LinkState::Up {
            out.pass(&pace, since, until)?;
        }
        since = until;
        turns.iter().for_each(|(fault, edge)| faults.apply_transition(*fault, *edge));
    }
    if out.last == 0 {
        return Err(format!("in {} the link could not have delivered 1504 bytes", scenario.duration));
    }
    Ok(out.lines)
}

/// Lines under construction.
#[derive(Default)]
struct TraceLines {
    lines: String,
    count: usize,
    last: u64,
    /// Credit of a rate for the next opportunity, in bits × ns/s.
    credit: u128,
}

impl TraceLines {
    fn pass(&mut self, pace: &LinkCapacity, from: Instant, to: Instant) -> Result<(), String> {
        match pace {
            LinkCapacity::Schedule(LinkSchedule::Trace(trace), _) => {
                let mut next = trace.after(from);
                while trace.time(next) <= to {
                    self.add(trace.time(next))?;
                    next = trace.next(next);
                }
                Ok(())
            }
            LinkCapacity::Schedule(LinkSchedule::Grants(config), _) => Err(format!(
                "a rate of kind {} is drawn anew in each run; give a trace or a rate",
                config.name()
            )),
            LinkCapacity::Rate(rate) => self.send(*rate, from, to),
        }
    }

    fn send(&mut self, rate: Rate, from: Instant, to: Instant) -> Result<(), String> {
        let each = u128::from(DeliveryTrace::OPPORTUNITY.get()) * 8 * NANOSECONDS;
        let bps = u128::from(rate.as_bps());
        let all = self.credit + bps * u128::from(to.saturating_since(from).as_nanos());
        for i in 1..=all / each {
            let after = (i * each - self.credit).div_ceil(bps);
            self.add(from + Duration::from_nanos(after as u64))?;
        }
        self.credit = all % each;
        Ok(())
    }

    fn add(&mut self, at: Instant) -> Result<(), String> {
        if self.count == DeliveryTrace::MOST {
            return Err(format!(
                "the link could have delivered more often than the {} times that a trace has",
                DeliveryTrace::MOST
            ));
        }
        self.count += 1;
        self.last = at.as_nanos().div_ceil(MILLISECOND);
        let _ = writeln!(self.lines, "{}", self.last);
        Ok(())
    }
}

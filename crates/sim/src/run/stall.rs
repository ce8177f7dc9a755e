//! Stall detection: a run whose simulated time does not advance is ended, with the name of its busiest part.

use crate::ground::plan::RunPlan;
use crate::host::hosts::World;
use crate::host::timer::Timer;
use crate::packet::sim_packet::SimFabric;
use core::fmt;
use std::collections::BTreeMap;
use tailrace_core::{Duration, Instant};
use tailrace_net::{Cause, ChannelId, LinkId};

/// Events handled between two checks of progress and cancellation.
pub(crate) const BATCH: u64 = 1 << 18;

/// Simulated time within which too many events are no progress.
const SPAN: Duration = Duration::from_micros(1);

/// Events allowed within the span, besides those for each link and socket. Large networks and fast links stay orders of magnitude
/// below: a hundred thousand flows that start together have some ten events each, a link of 10 Tbit/s carries 833 full packets
/// per microsecond, and UDP packets are at least 10 ns apart.
const ALLOWED: u64 = 5_000_000;
const ALLOWED_EACH: u64 = 2_000;

/// Events examined to find the cause.
const LOOK: u64 = 1_000;

/// Diagnosis of a stalled run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallReport {
    /// Simulated time at which it stalled.
    pub at: Instant,
    /// Events since the span began.
    pub events: u64,
    /// Part of the simulation that causes most of them.
    pub who: String,
}

impl fmt::Display for StallReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, events, who } = self;
        write!(
            f,
            "simulated time does not advance: {events} events within {SPAN} at {:.9} s, most of them by {who}; \
             look for a time or a rate of it that is too small or too large",
            at.as_secs_f64()
        )
    }
}

impl std::error::Error for StallReport {}

/// Detector of simulated time that does not advance.
#[derive(Debug)]
pub(crate) struct StallDetector {
    since: Instant,
    events: u64,
    allowed: u64,
}

impl StallDetector {
    /// Detector for a network of this many links and sockets.
    pub(crate) fn new(parts: usize) -> Self {
        Self { since: Instant::ZERO, events: 0, allowed: ALLOWED + ALLOWED_EACH * parts as u64 }
    }

    /// Whether time has advanced enough at the end of a batch of events at `now`.
    pub(crate) fn advances(&mut self, now: Instant) -> bool {
        if now.saturating_since(self.since) > SPAN {
            (self.since, self.events) = (now, 0);
        }
        self.events += BATCH;
        self.events <= self.allowed
    }

    /// Runs some more events and names the part that causes most of them.
    pub(crate) fn diagnose(&self, plan: &RunPlan, fabric: &mut SimFabric, world: &mut World) -> StallReport {
        let mut counts: BTreeMap<Cause, u64> = BTreeMap::new();
        for _ in 0..LOOK {
            if let Some(cause) = fabric.run_some(fabric.now() + SPAN, 1, world) {
                *counts.entry(cause).or_default() += 1;
            }
        }
        let most = counts.into_iter().max_by_key(|(_, n)| *n);
        let who =
            most.map_or_else(|| "nobody in particular".to_string(), |(cause, _)| name(cause, plan, world));
        StallReport { at: fabric.now(), events: self.events, who }
    }
}

/// Name of a source of events.
fn name(cause: Cause, plan: &RunPlan, world: &World) -> String {
    match cause {
        Cause::Link(LinkId(way)) => {
            let link = &plan.scenario.links[way as usize / 2];
            let spec = if way % 2 == 0 { &link.forward } else { &link.backward };
            format!(
                "link {} and its queue ({})",
                plan.places.name(&plan.scenario, LinkId(way)),
                spec.queue.name()
            )
        }
        Cause::Channel(ChannelId(medium)) => {
            format!("medium {:?}", plan.scenario.media[medium as usize].name)
        }
        Cause::Timer(timer) => {
            let (flow, transport) = match Timer::of(timer) {
                Timer::App(flow) => (flow, false),
                Timer::Transport(place) => {
                    let socket = world.sockets.at_place(place).and_then(|id| world.sockets.get(id));
                    let Some(socket) = socket else { return "a timer of a connection that is over".into() };
                    (socket.end().flow(), true)
                }
            };
            let Some(flow) = world.flows.get(flow) else {
                let host = world.foreign.name(flow - world.flows.len());
                return format!("foreign host {:?}", host.unwrap_or_default());
            };
            let group = &plan.scenario.flows[flow.group as usize];
            let what = if transport {
                format!("a timer of transport {:?}", group.transport.name())
            } else {
                "the timer of its application".to_string()
            };
            format!("flow {}[{}] ({what})", group.name, flow.member)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_events_with_advancing_time_are_no_stall() {
        let mut watch = StallDetector::new(0);
        let batches = ALLOWED / BATCH + 10;
        assert!((0..batches).all(|i| watch.advances(Instant::from_nanos(i * 1_001))));
        assert!(!(0..batches).all(|_| watch.advances(Instant::from_millis(1))));
    }

    #[test]
    fn simultaneous_start_of_100_000_flows_is_no_stall() {
        // Four links and two sockets each, and a hundred events, which is ten times what they have.
        let mut watch = StallDetector::new(100_000 * 6);
        assert!((0..100_000 * 100 / BATCH).all(|_| watch.advances(Instant::ZERO)));
    }
}

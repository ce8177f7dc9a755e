//! A run whose simulated time no longer advances is ended, with the name of who keeps it busy.

use crate::ground::plan::RunPlan;
use crate::host::hosts::World;
use crate::host::timer::Timer;
use crate::packet::sim_packet::SimFabric;
use core::fmt;
use std::collections::BTreeMap;
use tailrace_core::{Duration, Instant};
use tailrace_net::{Cause, ChannelId, LinkId};

/// Events handled at a time; then it is asked whether time advances, and whether to stop.
pub(crate) const BATCH: u64 = 1 << 18;

/// Simulated time within which so many events are no progress.
const SPAN: Duration = Duration::from_micros(1);

/// So many, and more for each link and socket. What happens at once in a large network, or within a microsecond of the
/// fastest links, stays orders of magnitude below: a hundred thousand flows that start together have some ten events
/// each, a link of 10 Tbit/s carries 833 full packets a microsecond, and packets of UDP are 10 ns apart or more.
const ALLOWED: u64 = 5_000_000;
const ALLOWED_EACH: u64 = 2_000;

/// Events that are looked at to find out who it is.
const LOOK: u64 = 1_000;

/// Why a run was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Where simulated time stands.
    pub at: Instant,
    /// Events since the span began.
    pub events: u64,
    /// Who is behind most of them.
    pub who: String,
}

impl fmt::Display for Stall {
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

impl std::error::Error for Stall {}

/// Watches that simulated time advances.
#[derive(Debug)]
pub(crate) struct StallDetector {
    since: Instant,
    events: u64,
    allowed: u64,
}

impl StallDetector {
    /// A watch over a network of so many links and sockets.
    pub(crate) fn new(parts: usize) -> Self {
        Self { since: Instant::ZERO, events: 0, allowed: ALLOWED + ALLOWED_EACH * parts as u64 }
    }

    /// A whole batch of events ended at `now`: whether that is progress.
    pub(crate) fn advances(&mut self, now: Instant) -> bool {
        if now.saturating_since(self.since) > SPAN {
            (self.since, self.events) = (now, 0);
        }
        self.events += BATCH;
        self.events <= self.allowed
    }

    /// Looks on for a while, and says who it is.
    pub(crate) fn blame(&self, plan: &RunPlan, fabric: &mut SimFabric, world: &mut World) -> Stall {
        let mut counts: BTreeMap<Cause, u64> = BTreeMap::new();
        for _ in 0..LOOK {
            if let Some(cause) = fabric.run_some(fabric.now() + SPAN, 1, world) {
                *counts.entry(cause).or_default() += 1;
            }
        }
        let most = counts.into_iter().max_by_key(|(_, n)| *n);
        let who =
            most.map_or_else(|| "nobody in particular".to_string(), |(cause, _)| name(cause, plan, world));
        Stall { at: fabric.now(), events: self.events, who }
    }
}

/// What a source of events is called.
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
    fn many_events_are_no_stall_while_time_advances() {
        let mut watch = StallDetector::new(0);
        let batches = ALLOWED / BATCH + 10;
        assert!((0..batches).all(|i| watch.advances(Instant::from_nanos(i * 1_001))));
        assert!(!(0..batches).all(|_| watch.advances(Instant::from_millis(1))));
    }

    #[test]
    fn a_hundred_thousand_flows_may_start_at_once() {
        // Four links and two sockets each, and a hundred events, which is ten times what they have.
        let mut watch = StallDetector::new(100_000 * 6);
        assert!((0..100_000 * 100 / BATCH).all(|_| watch.advances(Instant::ZERO)));
    }
}

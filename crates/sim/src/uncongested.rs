//! What a transfer would take in a network that carries nothing else.

use crate::build::Plan;
use crate::packet::Envelope;
use tailrace_core::{Bytes, Duration, Rate};
use tailrace_net::Graph;

/// The path of a flow as it is when the run begins: propagation delays as drawn, and rates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uncongested {
    /// Propagation there and back.
    round_trip: Duration,
    /// Propagation there.
    forward: Duration,
    /// Of the slowest link there.
    rate: Rate,
}

impl Uncongested {
    /// Between these addresses; none where no way leads there and back.
    pub(crate) fn of(plan: &Plan, graph: &Graph, ends: &Envelope) -> Option<Self> {
        let there = graph.path(ends.source, ends.destination)?;
        let back = graph.path(ends.destination, ends.source)?;
        let delay = |links: &[tailrace_net::LinkId]| {
            let delays = links.iter().map(|way| plan.delays[way.0 as usize]);
            delays.fold(Duration::ZERO, plus)
        };
        let rate = |way: &tailrace_net::LinkId| {
            let link = &plan.scenario.links[way.0 as usize / 2];
            if way.0.is_multiple_of(2) { link.forward.rate } else { link.backward.rate }
        };
        let forward = delay(&there);
        let rate = there.iter().map(rate).min()?;
        Some(Self { round_trip: plus(forward, delay(&back)), forward, rate })
    }

    /// From the opening of a connection to the arrival of the last of so many bytes, at least: a round trip for the
    /// handshake, the bytes at the rate of the slowest link, without headers, and the way there.
    pub(crate) fn completion(&self, size: u64) -> Duration {
        plus(plus(self.round_trip, self.forward), self.rate.time_to_send(Bytes(size)))
    }

    /// How many times as long as at least a transfer took.
    pub(crate) fn slowdown(&self, size: u64, took: Duration) -> f64 {
        took.as_secs_f64() / self.completion(size).max(Duration::from_nanos(1)).as_secs_f64()
    }
}

/// As long as there are such spans: sums of the longest end there.
fn plus(a: Duration, b: Duration) -> Duration {
    Duration::from_nanos(a.as_nanos().saturating_add(b.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handshake_rate_and_the_way_there_add_up() {
        let path = Uncongested {
            round_trip: Duration::from_millis(20),
            forward: Duration::from_millis(5),
            rate: Rate::from_mbit(8),
        };
        // 10 kB at 1 MB/s, 20 ms and 5 ms.
        assert_eq!(path.completion(10_000), Duration::from_millis(35));
        assert_eq!(path.slowdown(10_000, Duration::from_millis(70)), 2.0);
    }
}

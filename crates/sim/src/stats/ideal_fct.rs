//! What a transfer would take in a network that carries nothing else.

use crate::ground::plan::RunPlan;
use crate::packet::envelope::Envelope;
use tailrace_app::EndpointRole;
use tailrace_core::{Bytes, Duration, Rate};
use tailrace_net::Graph;

/// The path of a flow as it is when the run begins: propagation delays as drawn, and rates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdealFct {
    /// Propagation from the opening of a connection to the arrival of the first byte.
    ahead: Duration,
    /// Of the slowest link on the way of the data.
    rate: Rate,
}

impl IdealFct {
    /// Between these addresses, the client's first, of data that this end sends; none where no way leads there and back. The
    /// handshake takes a round trip, and a server begins when its end has reached it.
    pub(crate) fn of(plan: &RunPlan, graph: &Graph, ends: &Envelope, sender: EndpointRole) -> Option<Self> {
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
        let round_trip = plus(delay(&there), delay(&back));
        let (ahead, way) = match sender {
            EndpointRole::Client => (plus(round_trip, delay(&there)), &there),
            EndpointRole::Server => (plus(round_trip, round_trip), &back),
        };
        Some(Self { ahead, rate: way.iter().map(rate).min()? })
    }

    /// From the opening of a connection to the arrival of the last of so many bytes, at least: until the first can arrive, and
    /// the bytes at the rate of the slowest link, without headers.
    pub(crate) fn completion(&self, size: u64) -> Duration {
        plus(self.ahead, self.rate.time_to_send(Bytes(size)))
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
    fn what_is_ahead_and_the_rate_add_up() {
        // A round trip of 20 ms, and 5 ms there.
        let path = IdealFct { ahead: Duration::from_millis(25), rate: Rate::from_mbit(8) };
        // 10 kB at 1 MB/s.
        assert_eq!(path.completion(10_000), Duration::from_millis(35));
        assert_eq!(path.slowdown(10_000, Duration::from_millis(70)), 2.0);
    }
}

//! Ideal flow completion time: that of a transfer in an otherwise empty network.

use crate::ground::plan::RunPlan;
use crate::packet::envelope::Envelope;
use tailrace_app::EndpointRole;
use tailrace_core::{Bytes, Duration, Rate};
use tailrace_net::Graph;

/// Path of a flow at the start of the run: propagation delays as drawn, and rates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdealFct {
    /// Propagation delay from the opening of a connection to the arrival of the first byte.
    ahead: Duration,
    /// Rate of the slowest link on the path, shapers included.
    rate: Rate,
}

impl IdealFct {
    /// Path between these addresses, the client's first, for data from `sender`; `None` without a route in both directions. The
    /// handshake takes one round trip; a server begins when the client's SYN has arrived.
    pub(crate) fn of(plan: &RunPlan, graph: &Graph, ends: &Envelope, sender: EndpointRole) -> Option<Self> {
        let there = graph.path(ends.source, ends.destination)?;
        let back = graph.path(ends.destination, ends.source)?;
        let delay = |links: &[tailrace_net::LinkId]| {
            let delays = links.iter().map(|way| plan.delays[way.0 as usize]);
            delays.fold(Duration::ZERO, plus)
        };
        let rate = |way: &tailrace_net::LinkId| {
            let link = &plan.scenario.links[way.0 as usize / 2];
            let spec = if way.0.is_multiple_of(2) { &link.forward } else { &link.backward };
            spec.service_rate()
        };
        let round_trip = plus(delay(&there), delay(&back));
        let (ahead, way) = match sender {
            EndpointRole::Client => (plus(round_trip, delay(&there)), &there),
            EndpointRole::Server => (plus(round_trip, round_trip), &back),
        };
        Some(Self { ahead, rate: way.iter().map(rate).min()? })
    }

    /// Ideal completion time of `size` bytes: arrival of the first byte, and the bytes at the rate of the slowest link, without
    /// headers.
    pub(crate) fn completion(&self, size: u64) -> Duration {
        plus(self.ahead, self.rate.time_to_send(Bytes(size)))
    }

    /// FCT divided by the ideal one.
    pub(crate) fn slowdown(&self, size: u64, took: Duration) -> f64 {
        took.as_secs_f64() / self.completion(size).max(Duration::from_nanos(1)).as_secs_f64()
    }
}

/// Saturating sum of durations.
fn plus(a: Duration, b: Duration) -> Duration {
    Duration::from_nanos(a.as_nanos().saturating_add(b.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideal_fct_adds_propagation_and_transmission() {
        // RTT of 20 ms, one-way delay of 5 ms.
        let path = IdealFct { ahead: Duration::from_millis(25), rate: Rate::from_mbit(8) };
        // 10 kB at 1 MB/s.
        assert_eq!(path.completion(10_000), Duration::from_millis(35));
        assert_eq!(path.slowdown(10_000, Duration::from_millis(70)), 2.0);
    }
}

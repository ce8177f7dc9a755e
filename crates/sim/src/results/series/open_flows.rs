//! Open flows of a group, with their congestion windows.

use crate::host::flow::FlowTransport;
use crate::host::hosts::World;
use crate::results::sending_end::sending_end;
use crate::stats::flow_stats::FlowStats;
use std::ops::Range;
use tailrace_core::Instant;

/// Open flows of a group, and congestion windows of the sending ends of those over TCP.
#[derive(Debug, Default)]
pub(crate) struct OpenFlows {
    pub(crate) flows: u32,
    pub(crate) windows: u32,
    pub(crate) bytes: f64,
    pub(crate) segments: f64,
}

impl OpenFlows {
    /// Open flows among these, with the sum of all flows' counters.
    pub(crate) fn of(flows: Range<usize>, world: &World, now: Instant) -> (FlowStats, Self) {
        let (mut tally, mut open) = (FlowStats::default(), Self::default());
        for flow in flows {
            tally.add(&world.flow_stats(flow));
            open.add(flow, world, now);
        }
        (tally, open)
    }

    /// Adds congestion windows of flows with one segment size.
    pub(crate) fn add_windows(&mut self, flows: u32, bytes: u64, mss: u32) {
        if flows > 0 {
            self.windows += flows;
            self.bytes += bytes as f64;
            self.segments += bytes as f64 / f64::from(mss);
        }
    }

    /// Whether two sums are equal but for the rounding of segments, which depends on the order.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        let segments = (self.segments - other.segments).abs() <= 1e-9 * other.segments.abs();
        (self.flows, self.windows, self.bytes) == (other.flows, other.windows, other.bytes) && segments
    }

    fn add(&mut self, flow: usize, world: &World, now: Instant) {
        let f = &world.flows[flow];
        let clients = world.sockets_of(flow).filter(|s| !s.end().is_server() && !s.endpoint.is_over());
        let (mut live, now_open) = (0, f.start <= now && now < f.stop);
        for client in clients {
            live += 1;
            if let Some((view, mss)) = sending_end(world, client).and_then(|sender| sender.endpoint.view()) {
                let cwnd = view.cwnd.as_f64();
                self.windows += 1;
                self.bytes += cwnd;
                self.segments += cwnd / f64::from(mss);
            }
        }
        self.flows += u32::from(match f.carrier {
            FlowTransport::Datagrams(_) => now_open,
            FlowTransport::Streams(_) => live > 0,
        });
    }
}

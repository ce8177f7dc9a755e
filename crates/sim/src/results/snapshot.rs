//! Snapshot of a run, for a live page.

use crate::ground::plan::RunPlan;
use crate::ground::rate::{rate_bps, span};
use crate::host::hosts::World;
use crate::packet::sim_packet::SimFabric;
use crate::results::series::open_flows::OpenFlows;
use crate::stats::flow_stats::FlowStats;
use serde::Serialize;
use tailrace_core::Instant;
use tailrace_net::LinkCounters;

/// State of a run at one moment. Rates are means since the previous snapshot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot {
    /// Simulated time.
    pub time_s: f64,
    /// Groups of flows in the scenario's order.
    pub groups: Vec<GroupView>,
    /// Queues that appear in the results.
    pub queues: Vec<QueueView>,
}

/// A group of flows at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupView {
    /// Name.
    pub group: String,
    /// Flows under way.
    pub open_flows: u32,
    /// Rate of arrivals, headers included.
    pub throughput_bps: f64,
    /// Rate of deliveries to applications.
    pub goodput_bps: f64,
    /// Mean congestion window of the open TCP flows; NaN without any.
    pub cwnd_mean_bytes: f64,
    /// Packets sent since the start of the run.
    pub sent_packets: u64,
    /// Packets lost since the start of the run.
    pub lost_packets: u64,
    /// Transfers or exchanges completed since the start of the run.
    pub completed: u64,
}

/// A queue at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueView {
    /// Name in the results.
    pub queue: String,
    /// Packets waiting.
    pub backlog_packets: u64,
    /// Bytes waiting.
    pub backlog_bytes: u64,
    /// Rate of departures.
    pub throughput_bps: f64,
    /// Packets dropped since the start of the run.
    pub dropped_packets: u64,
    /// ACKs that an ACK filter took out since the start of the run.
    pub ack_filtered_packets: u64,
    /// Packets marked CE since the start of the run.
    pub marked_packets: u64,
}

/// Counters at the previous snapshot.
#[derive(Debug)]
pub(crate) struct SnapshotTaker {
    at: Instant,
    groups: Vec<FlowStats>,
    queues: Vec<LinkCounters>,
}

impl SnapshotTaker {
    pub(crate) fn new(plan: &RunPlan) -> Self {
        Self {
            at: Instant::ZERO,
            groups: vec![FlowStats::default(); plan.scenario.flows.len()],
            queues: vec![LinkCounters::default(); plan.queues.len()],
        }
    }

    /// Takes a snapshot and remembers its counters for the next one. Links must be settled.
    pub(crate) fn take_snapshot(&mut self, plan: &RunPlan, world: &World, fabric: &SimFabric) -> Snapshot {
        let now = fabric.now();
        let since = span(std::mem::replace(&mut self.at, now), now);
        let mut first = 0;
        let groups = plan.scenario.flows.iter().zip(&mut self.groups).map(|(group, last)| {
            let flows = first..first + group.pairs.len();
            first = flows.end;
            let (tally, open) = OpenFlows::of(flows, world, now);
            let new = tally.since(&std::mem::replace(last, tally));
            GroupView {
                group: group.name.clone(),
                open_flows: open.flows,
                throughput_bps: rate_bps(new.received_bytes, since),
                goodput_bps: rate_bps(new.delivered_bytes, since),
                cwnd_mean_bytes: open.bytes / f64::from(open.windows),
                sent_packets: tally.sent_packets,
                lost_packets: tally.lost_packets,
                completed: tally.completed,
            }
        });
        let groups = groups.collect();
        let queues = plan.queues.iter().zip(&mut self.queues).map(|(queue, last)| {
            let link = fabric.link(queue.link);
            let (counters, backlog) = (link.counters(), link.backlog());
            let new = counters.since(&std::mem::replace(last, counters));
            QueueView {
                queue: queue.name.clone(),
                backlog_packets: backlog.packets,
                backlog_bytes: backlog.bytes.get(),
                throughput_bps: rate_bps(new.sent_bytes, since),
                dropped_packets: counters.dropped_total(),
                ack_filtered_packets: counters.ack_filtered(),
                marked_packets: counters.marked,
            }
        });
        let queues = queues.collect();
        Snapshot { time_s: now.as_secs_f64(), groups, queues }
    }
}

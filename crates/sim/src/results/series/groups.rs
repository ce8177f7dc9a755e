//! Time series of groups, over all their flows, however few have series of their own.
//!
//! Counters of flows are added up at each sample, so there is no cost per packet.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::plan::RunPlan;
use crate::ground::rate::rate_bps;
use crate::ground::table::TableBuilder;
use crate::host::hosts::World;
use crate::results::series::open_flows::OpenFlows;
use crate::results::series::open_sums::OpenSums;
use crate::stats::flow_stats::FlowStats;
use tailrace_core::{Duration, Instant};

/// A group at a sample.
struct GroupSample<'a> {
    run: u32,
    now: Instant,
    group: &'a str,
    /// Counters since the start, and their increase since the last sample an interval ago.
    tally: FlowStats,
    new: FlowStats,
    interval: Duration,
    open: OpenFlows,
}

columns! {
    "group_series", "A row for each group and each sample, over all flows of the group.", |r: GroupSample<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        time_s: F64 = r.now.as_secs_f64(), "s", "The time of the sample.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`).";
        open_flows: U32 = r.open.flows, "", "Number of open flows: over TCP those with an open connection, over UDP those between their `start` and `stop`.";
        throughput_bps: F64 = rate_bps(r.new.received_bytes, r.interval), "bit/s", "The rate of arrivals in the last interval, in bytes of IP packets, summed over the flows.";
        goodput_bps: F64 = rate_bps(r.new.delivered_bytes, r.interval), "bit/s", "The rate of data delivered to applications in the last interval, summed over the flows.";
        one_way_delay_s: F64 = r.new.mean_delay_s(), "s", "The mean over all packets that arrived in the last interval, in the direction of `from` to `to`; null if there were none.";
        reverse_one_way_delay_s: F64 = r.new.mean_reverse_delay_s(), "s", "The same in the opposite direction.";
        jitter_s: F64 = r.new.mean_jitter_s(), "s", "Jitter: difference between the transit times of consecutive deliveries of a flow, mean over all deliveries of the last interval; null if there were none.";
        sent_packets: U64 = r.tally.sent_packets, "packets", "Data packets sent since the start of the run.";
        lost_packets: U64 = r.tally.lost_packets, "packets", "Data packets of these that have been dropped on the way so far.";
        retransmitted_packets: U64 = r.tally.retransmitted_packets, "packets", "Segments sent again since the start of the run.";
        loss_ratio: F64 = r.tally.loss_ratio(), "ratio", "Packets lost divided by packets sent, both since the start of the run.";
        interval_loss_ratio: F64 = r.new.outcome_loss_ratio(), "ratio", "Share dropped of the data packets that were dropped or arrived in the last interval; null if there were none.";
        completed: U64 = r.tally.completed, "", "Transfers or exchanges completed since the start of the run.";
        cwnd_flows: U32 = r.open.windows, "", "Number of open flows over TCP.";
        cwnd_mean_bytes: F64 = r.open.bytes / f64::from(r.open.windows), "bytes", "The mean congestion window of these flows, of the end that sends; null if there are none. A flow that has ended, or waits before its next connection, does not count.";
        cwnd_mean_segments: F64 = r.open.segments / f64::from(r.open.windows), "segments", "The same, in segments.";
    }
}

/// Table being filled.
#[derive(Debug)]
pub(crate) struct GroupSeries {
    interval: Duration,
    /// Counters of each group at the last sample.
    last: Vec<FlowStats>,
    table: TableBuilder,
}

impl GroupSeries {
    pub(crate) fn new(groups: usize, interval: Duration) -> Self {
        Self { interval, last: vec![FlowStats::default(); groups], table: new_table() }
    }

    /// Samples every group.
    pub(crate) fn sample(&mut self, plan: &RunPlan, (world, sums): (&World, &OpenSums), now: Instant) {
        let mut first = 0;
        for (g, group) in plan.scenario.flows.iter().enumerate() {
            let flows = first..first + group.pairs.len();
            first = flows.end;
            let (tally, open) = sums.open_flows(flows.clone(), world, now);
            debug_assert!(open.agrees_with(&OpenFlows::of(flows, world, now).1));
            let new = tally.since(&self.last[g]);
            self.last[g] = tally;
            let (run, group, interval) = (plan.run, group.name.as_str(), self.interval);
            add(&mut self.table, &GroupSample { run, now, group, tally, new, interval, open });
        }
    }

    /// Takes the rows since the previous call.
    pub(crate) fn take(&mut self) -> Table {
        self.table.take()
    }

    /// Memory of the rows in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes()
    }
}

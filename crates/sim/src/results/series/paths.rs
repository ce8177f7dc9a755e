//! Time series of MPTCP flows' paths, over all their subflows.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::plan::RunPlan;
use crate::ground::table::TableBuilder;
use crate::host::hosts::World;
use crate::packet::sim_packet::SimFabric;
use crate::results::connection_names::{end_name, name_of_path};
use crate::results::series::sender::SendingEnd;
use crate::stats::paths::PathCounters;
use std::collections::BTreeMap;
use tailrace_core::Duration;

/// A direction of a path at a sample.
struct PathSample<'a> {
    of: &'a SendingEnd<'a>,
    path: &'a str,
    /// Counters since the start, and their increase since the last sample an interval ago.
    tally: PathCounters,
    new: PathCounters,
    /// Stream position of its latest new bytes.
    sequence: u64,
    interval: Duration,
}

columns! {
    "path_series", "A row for each path that has carried data, each end that sent it, and each sample.", |r: PathSample<'_>| {
        run: U32 = r.of.run, "", "The number of the run.";
        time_s: F64 = r.of.now.as_secs_f64(), "s", "The time of the sample.";
        group: Text = r.of.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.of.member, "", "The number of the flow within its group, from 0.";
        end: Text = r.of.end, "", "Sending end: `client` or `server`.";
        path: Text = r.path, "", "The path, named as in the table `paths`.";
        throughput_bps: F64 = r.new.throughput_bps(r.interval), "bit/s", "The rate of arrivals in the last interval, in bytes of IP packets.";
        goodput_bps: F64 = r.new.goodput_bps(r.interval), "bit/s", "The rate of data that reached the receiving connection by this path first, in the last interval.";
        one_way_delay_s: F64 = r.new.mean_delay_s(), "s", "The mean over packets that arrived in the last interval; null if there were none.";
        sent_packets: U64 = r.tally.sent_packets, "packets", "Data packets sent since the start of the run.";
        received_packets: U64 = r.tally.received_packets, "packets", "Data packets of these that have arrived so far.";
        lost_packets: U64 = r.tally.losses.lost, "packets", "Data packets of these that have been dropped on the way so far.";
        retransmitted_packets: U64 = r.tally.retransmitted_packets, "packets", "Segments sent again since the start of the run.";
        loss_ratio: F64 = r.tally.loss_ratio(), "ratio", "Packets lost divided by packets sent, both since the start of the run.";
        data_sequence_bytes: F64 = if r.new.new_bytes > 0 { r.sequence as f64 } else { f64::NAN }, "bytes", "The position in the stream of the latest data that came by this path first; null if none came in the last interval.";
    }
}

/// Table being filled.
#[derive(Debug)]
pub(crate) struct PathSeries {
    interval: Duration,
    /// Counters at the last sample of each path and direction, by flow with series.
    last: BTreeMap<usize, Vec<[PathCounters; 2]>>,
    table: TableBuilder,
}

impl PathSeries {
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval, last: BTreeMap::new(), table: new_table() }
    }

    /// Samples the paths of flow `f`.
    pub(crate) fn sample(&mut self, f: usize, plan: &RunPlan, world: &World, fabric: &SimFabric) {
        let flow = &world.flows[f];
        let Some(paths) = &flow.paths else { return };
        let last = self.last.entry(f).or_default();
        last.resize(paths.len(), [PathCounters::default(); 2]);
        for (path, to, lane) in paths.directions(f) {
            let last = &mut last[path.place][usize::from(to.is_server())];
            let new = lane.counters.since(&std::mem::replace(last, lane.counters));
            let of = SendingEnd {
                run: plan.run,
                now: fabric.now(),
                group: &plan.scenario.flows[flow.group as usize].name,
                member: flow.member,
                end: end_name(to.peer()),
            };
            let path = &name_of_path(plan, fabric, path.key);
            add(
                &mut self.table,
                &PathSample {
                    of: &of,
                    path,
                    tally: lane.counters,
                    new,
                    sequence: lane.sequence,
                    interval: self.interval,
                },
            );
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

//! Distribution of reordering, bucket by bucket, for the connections whose flows have series.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::plan::RunPlan;
use crate::host::hosts::World;
use crate::packet::flow_end::FlowEnd;
use crate::results::connection_names::{any, connection, end_name};
use tailrace_core::CoarseHistogram;

/// A bucket of a distribution.
struct ReorderingRow<'a> {
    run: u32,
    group: &'a str,
    member: u32,
    end: &'a str,
    variable: &'a str,
    bucket: (f64, f64, u64),
}

columns! {
    "reordering", "A row for each bucket of the histogram that is not empty. A bucket is at most 1/64 of its value wide.", |r: ReorderingRow<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.member, "", "The number of the flow within its group, from 0.";
        end: Text = r.end, "", "Sending end: `client` or `server`.";
        variable: Text = r.variable, "", "Counted quantity: `displacement_bytes` or `reordering_delay_s`.";
        low: F64 = r.bucket.0, "bytes, s", "The smallest value of the bucket.";
        high: F64 = r.bucket.1, "bytes, s", "The largest value of the bucket.";
        segments: U64 = r.bucket.2, "", "Number of segments with values in the bucket.";
    }
}

/// Number of segments by displacement and by reordering delay, if the scenario has MPTCP connections.
pub(crate) fn table(plan: &RunPlan, world: &World) -> Option<Table> {
    if !any(&plan.scenario) {
        return None;
    }
    let mut table = new_table();
    let ends = plan.sampled_flows.iter().flat_map(|&f| [FlowEnd::client(f), FlowEnd::client(f).peer()]);
    for end in ends {
        let Some(receiver) = connection(world, end.peer()) else { continue };
        let reordering = receiver.reordering();
        let mut add_all = |variable: &str, histogram: &CoarseHistogram, scale: f64| {
            let flow = &world.flows[end.flow()];
            for (low, high, segments) in histogram.buckets() {
                let bucket = (low as f64 / scale, high as f64 / scale, segments);
                let group = &plan.scenario.flows[flow.group as usize].name;
                let (run, member, end) = (plan.run, flow.member, end_name(end));
                add(&mut table, &ReorderingRow { run, group, member, end, variable, bucket });
            }
        };
        add_all("displacement_bytes", &reordering.displacement(), 1.0);
        add_all("reordering_delay_s", &reordering.delay(), 1e9);
    }
    Some(table.finish())
}

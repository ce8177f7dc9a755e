//! Table of MPTCP flows' paths.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::scope::Scope;
use crate::results::connection_names::{any, end_name, name_of_path};
use crate::results::view::RunView;
use crate::stats::paths::PathCounters;
use tailrace_core::{CoarseHistogram, Duration};

/// A direction of a path at the end of a run.
struct PathRow<'a> {
    run: u32,
    group: &'a str,
    member: u32,
    end: &'a str,
    path: &'a str,
    /// Counters of the measured time, and its length.
    tally: PathCounters,
    delays: CoarseHistogram,
    span: Duration,
}

columns! {
    "paths", "A row for each flow over Multipath TCP, each of its paths, each end that sent data by it, and each run.", |r: PathRow<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.member, "", "The number of the flow within its group, from 0.";
        end: Text = r.end, "", "Sending end: `client` or `server`.";
        path: Text = r.path, "", "The link on which the path leaves the client. If the server has several links, also the one on which it reaches the server, as in `wifi to eth1`. Then the gateways of its source route, if any.";
        goodput_bps: F64 = r.tally.goodput_bps(r.span), "bit/s", "The rate of the data that reached the receiving connection first by this path.";
        throughput_bps: F64 = r.tally.throughput_bps(r.span), "bit/s", "The rate of all data packets that arrived, in bytes of IP packets.";
        sent_packets: U64 = r.tally.sent_packets, "packets", "Data packets sent, retransmissions included.";
        sent_bytes: U64 = r.tally.sent_bytes, "bytes", "Bytes of IP packets of these.";
        retransmitted_packets: U64 = r.tally.retransmitted_packets, "packets", "Packets sent that were retransmissions of the subflow's TCP.";
        lost_packets: U64 = r.tally.losses.lost, "packets", "Packets sent that were dropped on the way by the end of the run.";
        loss_ratio: F64 = r.tally.loss_ratio(), "ratio", "Packets lost divided by packets sent.";
        marked_packets: U64 = r.tally.losses.marked, "packets", "Packets sent that were marked CE (ECN) by queues.";
        received_packets: U64 = r.tally.received_packets, "packets", "Data packets that arrived.";
        received_bytes: U64 = r.tally.received_bytes, "bytes", "Bytes of IP packets of these.";
        new_bytes: U64 = r.tally.new_bytes, "bytes", "The payload behind `goodput_bps`.";
        one_way_delay_mean_s: F64 = r.tally.mean_delay_s(), "s", "The mean over packets that arrived; null if there were none.";
        one_way_delay_min_s: F64 = r.delays.min_s(), "s", "The smallest value.";
        one_way_delay_p50_s: F64 = r.delays.quantile_s(0.5), "s", "The median, within 3 %.";
        one_way_delay_p95_s: F64 = r.delays.quantile_s(0.95), "s", "The 95th percentile, within 3 %.";
        one_way_delay_p99_s: F64 = r.delays.quantile_s(0.99), "s", "The 99th percentile, within 3 %.";
        one_way_delay_max_s: F64 = r.delays.max_s(), "s", "The largest value.";
    }
}

/// Paths that carried data, if the scenario has MPTCP flows.
pub(crate) fn table(run: &RunView<'_>) -> Option<Table> {
    let (plan, span) = (run.plan, run.span(Scope::Run));
    if !any(&plan.scenario) {
        return None;
    }
    let mut table = new_table();
    for (f, flow) in run.world.flows.iter().enumerate() {
        for (path, to, lane) in flow.paths.iter().flat_map(|paths| paths.directions(f)) {
            let row = PathRow {
                run: plan.run,
                group: &plan.scenario.flows[flow.group as usize].name,
                member: flow.member,
                end: end_name(to.peer()),
                path: &name_of_path(plan, run.fabric, path.key),
                tally: lane.window_counters(Scope::Run),
                delays: lane.delays(Scope::Run),
                span,
            };
            add(&mut table, &row);
        }
    }
    Some(table.finish())
}

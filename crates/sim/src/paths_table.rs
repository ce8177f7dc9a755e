//! The table of paths of flows over Multipath TCP.

use crate::columns::columns;
use crate::connections::{any, end_name, name_of_path};
use crate::output::Table;
use crate::paths::PathTally;
use crate::results::RunView;
use crate::window::Open;
use tailrace_core::{CoarseHistogram, Duration};

/// One direction of a path at the end of a run.
struct Row<'a> {
    run: u32,
    group: &'a str,
    member: u32,
    end: &'a str,
    path: &'a str,
    /// What it counted in the time that statistics cover, and how long that is.
    tally: PathTally,
    delays: CoarseHistogram,
    span: Duration,
}

columns! {
    "paths", "One row a flow over Multipath TCP, path, end that sent data by it, and run.", |r: Row<'_>| {
        run: U32 = r.run, "", "Number of the run.";
        group: Text = r.group, "", "Name of the `[[flow]]`.";
        flow: U32 = r.member, "", "Position within the group, from 0.";
        end: Text = r.end, "", "`client` or `server`: the end that sent.";
        path: Text = r.path, "", "The link on which the path leaves the client; where the server has several, also the one on which it reaches the server, `wifi to eth1`; and the gateways of its source route.";
        goodput_bps: F64 = r.tally.goodput_bps(r.span), "bit/s", "What came to the receiver's connection by this path before it came by any other.";
        throughput_bps: F64 = r.tally.throughput_bps(r.span), "bit/s", "IP bytes of data packets that arrived.";
        sent_packets: U64 = r.tally.sent_packets, "packets", "Data packets sent, retransmissions included.";
        sent_bytes: U64 = r.tally.sent_bytes, "bytes", "Their IP bytes.";
        retransmitted_packets: U64 = r.tally.retransmitted_packets, "packets", "Of those sent, what the subflow's TCP had sent before.";
        lost_packets: U64 = r.tally.fates.lost, "packets", "Of those sent, dropped on the way by the end of the run.";
        loss_ratio: F64 = r.tally.loss_ratio(), "ratio", "Lost over sent.";
        marked_packets: U64 = r.tally.fates.marked, "packets", "Of those sent, marked CE by queues.";
        received_packets: U64 = r.tally.received_packets, "packets", "Data packets that arrived.";
        received_bytes: U64 = r.tally.received_bytes, "bytes", "Their IP bytes.";
        new_bytes: U64 = r.tally.new_bytes, "bytes", "Payload of which `goodput_bps` is the rate.";
        one_way_delay_mean_s: F64 = r.tally.mean_delay_s(), "s", "Mean over packets that arrived; null without any.";
        one_way_delay_min_s: F64 = r.delays.min_s(), "s", "The least.";
        one_way_delay_p50_s: F64 = r.delays.quantile_s(0.5), "s", "Their median, within 3 %.";
        one_way_delay_p95_s: F64 = r.delays.quantile_s(0.95), "s", "Their 95th percentile, likewise.";
        one_way_delay_p99_s: F64 = r.delays.quantile_s(0.99), "s", "Their 99th percentile, likewise.";
        one_way_delay_max_s: F64 = r.delays.max_s(), "s", "The largest.";
    }
}

/// All paths that data was sent by, where the scenario has such flows.
pub(crate) fn table(run: &RunView<'_>) -> Option<Table> {
    let (plan, span) = (run.plan, run.span(Open::Whole));
    if !any(&plan.scenario) {
        return None;
    }
    let mut table = new_table();
    for (f, flow) in run.world.flows.iter().enumerate() {
        for (path, to, lane) in flow.paths.iter().flat_map(|paths| paths.directions(f)) {
            let row = Row {
                run: plan.run,
                group: &plan.scenario.flows[flow.group as usize].name,
                member: flow.member,
                end: end_name(to.peer()),
                path: &name_of_path(plan, run.fabric, path.key),
                tally: lane.in_window(Open::Whole),
                delays: lane.delays(Open::Whole),
                span,
            };
            add(&mut table, &row);
        }
    }
    Some(table.finish())
}

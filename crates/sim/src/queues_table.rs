//! The table of queues under study.

use crate::columns::columns;
use crate::output::Table;
use crate::summary::{QueueSummary, RunSummary};

/// A queue at the end of a run.
struct Row<'a> {
    run: u32,
    name: &'a str,
    queue: &'a QueueSummary,
}

columns! {
    "queues", "One row a queue under study and run.", |r: Row<'_>| {
        run: U32 = r.run, "", "Number of the run.";
        queue: Text = r.name, "", "The direction of a link, named as under `queues`.";
        kind: Text = r.queue.kind, "", "The discipline.";
        utilization: F64 = r.queue.utilization, "ratio", "Utilization, as above.";
        sojourn_mean_s: F64 = r.queue.sojourn_s.mean, "s", "Mean time waited.";
        sojourn_min_s: F64 = r.queue.sojourn_s.min, "s", "Shortest time waited.";
        sojourn_p50_s: F64 = r.queue.sojourn_s.p50, "s", "Median of the time waited.";
        sojourn_p95_s: F64 = r.queue.sojourn_s.p95, "s", "95th percentile of it.";
        sojourn_p99_s: F64 = r.queue.sojourn_s.p99, "s", "99th percentile of it.";
        sojourn_max_s: F64 = r.queue.sojourn_s.max, "s", "Longest time waited.";
        backlog_mean_packets: F64 = r.queue.backlog_packets.mean, "packets", "Mean backlog, time-weighted.";
        backlog_sd_packets: F64 = r.queue.backlog_packets.sd, "packets", "Its standard deviation.";
        backlog_min_packets: U64 = r.queue.backlog_packets.min, "packets", "Its minimum.";
        backlog_max_packets: U64 = r.queue.backlog_packets.max, "packets", "Its maximum.";
        backlog_mean_bytes: F64 = r.queue.backlog_bytes.mean, "bytes", "Mean backlog, time-weighted.";
        backlog_sd_bytes: F64 = r.queue.backlog_bytes.sd, "bytes", "Its standard deviation.";
        backlog_min_bytes: U64 = r.queue.backlog_bytes.min, "bytes", "Its minimum.";
        backlog_max_bytes: U64 = r.queue.backlog_bytes.max, "bytes", "Its maximum.";
        enqueued_packets: U64 = r.queue.enqueued_packets, "packets", "Packets taken in.";
        dequeued_packets: U64 = r.queue.dequeued_packets, "packets", "Packets whose transmission began.";
        marked_packets: U64 = r.queue.marked_packets, "packets", "Packets marked CE.";
        dropped_overlimit_packets: U64 = r.queue.dropped_packets["overlimit"], "packets", "Dropped at the limit.";
        dropped_aqm_packets: U64 = r.queue.dropped_packets["aqm"], "packets", "Dropped by the discipline's law; the other reasons are in `summary.json`.";
    }
}

/// All queues under study of a run.
pub(crate) fn table(run: u32, summary: &RunSummary) -> Table {
    let mut table = new_table();
    for (name, queue) in &summary.queues {
        add(&mut table, &Row { run, name, queue });
    }
    table.finish()
}

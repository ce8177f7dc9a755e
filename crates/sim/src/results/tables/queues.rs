//! Table of queues under study.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::results::queue_summary::QueueSummary;
use crate::results::run_summary::RunSummary;

/// A queue at the end of a run.
struct QueueRow<'a> {
    run: u32,
    name: &'a str,
    queue: &'a QueueSummary,
}

columns! {
    "queues", "A row for each queue under study and run.", |r: QueueRow<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        queue: Text = r.name, "", "The link and direction of the queue, named as under `queues`.";
        kind: Text = r.queue.kind, "", "The queue discipline.";
        utilization: F64 = r.queue.utilization, "ratio", "The share of the link's capacity that was used, as above.";
        sojourn_mean_s: F64 = r.queue.sojourn_s.mean, "s", "Mean sojourn time.";
        sojourn_min_s: F64 = r.queue.sojourn_s.min, "s", "The shortest wait.";
        sojourn_p50_s: F64 = r.queue.sojourn_s.p50, "s", "The median of the waits.";
        sojourn_p95_s: F64 = r.queue.sojourn_s.p95, "s", "Their 95th percentile.";
        sojourn_p99_s: F64 = r.queue.sojourn_s.p99, "s", "Their 99th percentile.";
        sojourn_max_s: F64 = r.queue.sojourn_s.max, "s", "The longest wait.";
        backlog_mean_packets: F64 = r.queue.backlog_packets.mean, "packets", "Queue length, mean over time.";
        backlog_sd_packets: F64 = r.queue.backlog_packets.sd, "packets", "The standard deviation over time.";
        backlog_min_packets: U64 = r.queue.backlog_packets.min, "packets", "The smallest value at any moment.";
        backlog_max_packets: U64 = r.queue.backlog_packets.max, "packets", "The largest value at any moment.";
        backlog_mean_bytes: F64 = r.queue.backlog_bytes.mean, "bytes", "Queue length, mean over time.";
        backlog_sd_bytes: F64 = r.queue.backlog_bytes.sd, "bytes", "The standard deviation over time.";
        backlog_min_bytes: U64 = r.queue.backlog_bytes.min, "bytes", "The smallest value at any moment.";
        backlog_max_bytes: U64 = r.queue.backlog_bytes.max, "bytes", "The largest value at any moment.";
        enqueued_packets: U64 = r.queue.enqueued_packets, "packets", "Packets that the queue accepted.";
        dequeued_packets: U64 = r.queue.dequeued_packets, "packets", "Packets that began to be sent.";
        marked_packets: U64 = r.queue.marked_packets, "packets", "Packets marked CE (ECN).";
        dropped_overlimit_packets: U64 = r.queue.dropped_packets["overlimit"], "packets", "Packets dropped because the queue was full.";
        dropped_aqm_packets: U64 = r.queue.dropped_packets["aqm"], "packets", "Packets dropped because the discipline decided so. Other reasons are in `summary.json`.";
        dropped_policed_packets: U64 = r.queue.dropped_packets["policed"], "packets", "Packets dropped by a policer because they exceed its rate.";
        ack_filtered_packets: U64 = r.queue.ack_filtered_packets, "packets", "ACKs that an ACK filter took out, since a later one says all that they said; no drops.";
    }
}

/// Queues under study of a run.
pub(crate) fn table(run: u32, summary: &RunSummary) -> Table {
    let mut table = new_table();
    for (name, queue) in &summary.queues {
        add(&mut table, &QueueRow { run, name, queue });
    }
    table.finish()
}

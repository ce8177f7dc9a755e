//! Time series of queues under study.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::plan::RunPlan;
use crate::ground::rate::rate_bps;
use crate::ground::table::TableBuilder;
use crate::packet::sim_packet::SimFabric;
use tailrace_core::{DropReason, Duration, Instant};
use tailrace_net::LinkCounters;
use tailrace_qdisc::Backlog;

/// A queue at a sample.
struct QueueSample<'a> {
    run: u32,
    now: Instant,
    queue: &'a str,
    backlog: Backlog,
    sojourn: Option<Duration>,
    /// Counters of its link since the start, and their increase since the last sample an interval ago.
    counters: LinkCounters,
    new: LinkCounters,
    interval: Duration,
}

columns! {
    "queue_series", "A row for each queue under study and each sample.", |r: QueueSample<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        time_s: F64 = r.now.as_secs_f64(), "s", "The time of the sample.";
        queue: Text = r.queue, "", "The link and direction of the queue, named as under `queues`.";
        backlog_packets: U64 = r.backlog.packets, "packets", "Packets that wait at that moment.";
        backlog_bytes: U64 = r.backlog.bytes.get(), "bytes", "The same, in bytes.";
        sojourn_s: F64 = r.sojourn.map_or(f64::NAN, Duration::as_secs_f64), "s", "Sojourn time, mean over packets that began to be sent in the last interval; null if there were none.";
        throughput_bps: F64 = rate_bps(r.new.sent_bytes, r.interval), "bit/s", "Bytes that began to be sent in the last interval, per second, without link overhead.";
        dropped_packets: U64 = r.counters.dropped_total(), "packets", "Packets dropped since the start of the run, for any reason.";
        policed_packets: U64 = r.counters.dropped[DropReason::Policed as usize], "packets", "Packets among them that a policer dropped.";
        ack_filtered_packets: U64 = r.counters.ack_filtered(), "packets", "ACKs that an ACK filter took out since the start of the run; no drops.";
        marked_packets: U64 = r.counters.marked, "packets", "Packets marked CE (ECN) since the start of the run.";
    }
}

/// Table being filled.
#[derive(Debug)]
pub(crate) struct QueueSeries {
    interval: Duration,
    /// Counters of each queue at the last sample.
    last: Vec<LinkCounters>,
    table: TableBuilder,
}

impl QueueSeries {
    pub(crate) fn new(queues: usize, interval: Duration) -> Self {
        Self { interval, last: vec![LinkCounters::default(); queues], table: new_table() }
    }

    /// Samples the `i`-th queue under study, whose link is settled.
    pub(crate) fn sample(&mut self, i: usize, plan: &RunPlan, fabric: &mut SimFabric) {
        let queue = &plan.queues[i];
        let sojourn = fabric.take_recent_sojourn(queue.link);
        let link = fabric.link(queue.link);
        let counters = link.counters();
        let new = counters.since(&std::mem::replace(&mut self.last[i], counters));
        let row = QueueSample {
            run: plan.run,
            now: fabric.now(),
            queue: &queue.name,
            backlog: link.backlog(),
            sojourn,
            counters,
            new,
            interval: self.interval,
        };
        add(&mut self.table, &row);
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

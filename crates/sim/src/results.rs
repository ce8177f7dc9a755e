//! Turns a finished run into its summary and tables.

use crate::build::Plan;
use crate::connection_log;
use crate::connections;
use crate::figures;
use crate::output::{Cost, RunOutput, Table};
use crate::packet::FlowEnd;
use crate::reordering;
use crate::summary::{EngineSummary, RunSummary};
use crate::table::{Cell, TableBuilder};
use crate::tally::rate_bps;
use crate::window::Open;
use crate::windows::Windows;
use crate::world::{SimFabric, World};
use tailrace_net::LinkId;
use tailrace_scenario::model::NodeIndex;

/// A run at its end, or at any moment before; its links are settled.
pub(crate) struct RunView<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) fabric: &'a SimFabric,
    pub(crate) world: &'a World,
    pub(crate) windows: &'a Windows,
}

/// The run's entry of the result contract, as JSON text.
pub(crate) fn summary(run: &RunView<'_>, cost: Cost) -> String {
    text_of(&run.summary(run.fingerprint(), cost))
}

fn text_of(summary: &RunSummary) -> String {
    serde_json::to_string(summary).expect("a summary is plain data")
}

/// Collects what a run leaves, but for its captures. `recorded` are the tables of series and events.
pub(crate) fn collect(run: &RunView<'_>, recorded: Vec<Table>, cost: Cost) -> RunOutput {
    let fingerprint = run.fingerprint();
    let summary = run.summary(fingerprint, cost);
    let mut tables = vec![run.flows_table(), run.queues_table(&summary)];
    let (events, series): (Vec<_>, Vec<_>) = recorded.into_iter().partition(|t| t.name == "events");
    tables.extend(series);
    tables.extend(reordering::table(run.plan, run.world));
    tables.extend(connection_log::table(run.plan, run.world));
    tables.extend(events);
    RunOutput {
        run: run.plan.run,
        seed: run.plan.seed,
        fingerprint,
        summary: text_of(&summary),
        tables,
        captures: Vec::new(),
        interrupted: false,
    }
}

impl RunView<'_> {
    /// Hash over the fabric's trace and the final counters.
    fn fingerprint(&self) -> u64 {
        let mut hash = self.fabric.trace();
        let mut mix = |x: u64| hash = (hash.rotate_left(5) ^ x).wrapping_mul(0x517c_c1b7_2722_0a95);
        for flow in 0..self.world.flows.len() {
            let t = self.world.tally(flow);
            for x in [t.sent_packets, t.received_bytes, t.delivered_bytes, t.lost_packets, t.marked_packets] {
                mix(x);
            }
            for x in [t.retransmitted_packets, t.timeouts, t.completed, t.altered_bytes] {
                mix(x);
            }
            for sum in [t.delay_sum, t.reverse_delay_sum, t.rtt_sum, t.jitter_sum] {
                mix(sum.as_nanos());
            }
            let client = FlowEnd::client(flow);
            for s in [client, client.peer()].iter().filter_map(|e| connections::connection(self.world, *e)) {
                let s = s.stats();
                for x in
                    [s.bytes_acked, s.bytes_delivered, s.reinjected_bytes, s.duplicate_bytes, s.data_timeouts]
                {
                    mix(x);
                }
                mix(u64::from(s.subflows_established) << 32 | u64::from(s.subflows_lost));
            }
        }
        for (_, t) in self.world.foreign.tallies() {
            for x in [t.sent_bytes, t.received_bytes, t.lost_packets, t.marked_packets, t.malformed_packets] {
                mix(x);
            }
        }
        for link in 0..self.fabric.link_count() {
            let c = self.fabric.link(LinkId(link as u32)).counters();
            mix(c.arrived);
            mix(c.dropped_total());
            mix(c.marked);
        }
        hash
    }

    fn summary(&self, fingerprint: u64, cost: Cost) -> RunSummary {
        let (listed, unlisted_connections) = connections::summaries(self.plan, self.world, self.fabric);
        RunSummary {
            run: self.plan.run,
            seed: self.plan.seed,
            fingerprint: format!("{fingerprint:016x}"),
            groups: self.groups(Open::Whole),
            queues: self.queues(Open::Whole),
            connections: listed,
            foreign_hosts: self.world.foreign.tallies().map(|(name, t)| (name.to_string(), *t)).collect(),
            windows: self.windows(),
            engine: EngineSummary {
                simulated_s: self.fabric.now().as_secs_f64(),
                wall_s: cost.wall_s,
                events: self.fabric.handled(),
                packet_hops: self.fabric.hops(),
                peak_rss_bytes: cost.peak_rss_bytes,
                unrecorded_events: self.world.recorder.unrecorded_events(),
                unrecorded_connections: self.world.connection_log.beyond(),
                unlisted_connections,
            },
        }
    }

    fn flows_table(&self) -> Table {
        let mut table = TableBuilder::new("flows", FLOW_COLUMNS);
        let span = self.span(Open::Whole);
        for (f, flow) in self.world.flows.iter().enumerate() {
            let group = &self.plan.scenario.flows[flow.group as usize];
            let (from, to) = group.pairs[flow.member as usize];
            let node = |n: NodeIndex| self.plan.scenario.nodes[n.0 as usize].name.as_str();
            let (transport, cc) = (group.transport.name(), group.transport.cc());
            let t = self.world.window_tally(f, Open::Whole);
            let client = self.world.latest(FlowEnd::client(f));
            let min_rtt = client.and_then(|s| s.endpoint.min_rtt()).or(flow.retired.min_rtt);
            table.row(&[
                Cell::U32(self.plan.run),
                Cell::Text(&group.name),
                Cell::U32(flow.member),
                Cell::Text(node(from)),
                Cell::Text(node(to)),
                Cell::Text(figures::role_name(group.role)),
                Cell::Text(transport),
                Cell::Text(cc),
                Cell::F64(flow.start.as_secs_f64()),
                Cell::F64(self.goodput_bps(f, &t, Open::Whole)),
                Cell::F64(rate_bps(t.received_bytes, span)),
                Cell::U64(t.delivered_bytes),
                Cell::U64(t.altered_bytes),
                Cell::U64(t.sent_packets),
                Cell::U64(t.received_packets),
                Cell::U64(t.lost_packets),
                Cell::F64(t.loss_ratio()),
                Cell::U64(t.marked_packets),
                Cell::U64(t.retransmitted_packets),
                Cell::U64(t.timeouts),
                Cell::U64(t.completed),
                Cell::F64(t.mean_delay_s()),
                Cell::F64(t.mean_reverse_delay_s()),
                Cell::F64(t.mean_rtt_s()),
                Cell::F64(min_rtt.map_or(f64::NAN, |d| d.as_secs_f64())),
                Cell::F64(t.mean_jitter_s()),
                Cell::Text(self.world.end_of(f)),
            ]);
        }
        table.finish()
    }

    fn queues_table(&self, summary: &RunSummary) -> Table {
        let mut table = TableBuilder::new("queues", QUEUE_COLUMNS);
        for (name, q) in &summary.queues {
            table.row(&[
                Cell::U32(self.plan.run),
                Cell::Text(name),
                Cell::Text(q.kind),
                Cell::F64(q.utilization),
                Cell::F64(q.sojourn_s.mean),
                Cell::F64(q.sojourn_s.p50),
                Cell::F64(q.sojourn_s.p95),
                Cell::F64(q.sojourn_s.p99),
                Cell::F64(q.sojourn_s.max),
                Cell::F64(q.backlog_packets.mean),
                Cell::F64(q.backlog_packets.sd),
                Cell::U64(q.backlog_packets.max),
                Cell::F64(q.backlog_bytes.mean),
                Cell::F64(q.backlog_bytes.sd),
                Cell::U64(q.backlog_bytes.max),
                Cell::U64(q.enqueued_packets),
                Cell::U64(q.dequeued_packets),
                Cell::U64(q.marked_packets),
                Cell::U64(q.dropped_packets["overlimit"]),
                Cell::U64(q.dropped_packets["aqm"]),
            ]);
        }
        table.finish()
    }
}

const FLOW_COLUMNS: &[(&str, Cell<'static>)] = &[
    ("run", Cell::U32(0)),
    ("group", Cell::Text("")),
    ("flow", Cell::U32(0)),
    ("src", Cell::Text("")),
    ("dst", Cell::Text("")),
    ("role", Cell::Text("")),
    ("transport", Cell::Text("")),
    ("cc", Cell::Text("")),
    ("start_s", Cell::F64(0.0)),
    ("goodput_bps", Cell::F64(0.0)),
    ("throughput_bps", Cell::F64(0.0)),
    ("delivered_bytes", Cell::U64(0)),
    ("altered_bytes", Cell::U64(0)),
    ("sent_packets", Cell::U64(0)),
    ("received_packets", Cell::U64(0)),
    ("lost_packets", Cell::U64(0)),
    ("loss_ratio", Cell::F64(0.0)),
    ("marked_packets", Cell::U64(0)),
    ("retransmitted_packets", Cell::U64(0)),
    ("timeouts", Cell::U64(0)),
    ("completed", Cell::U64(0)),
    ("one_way_delay_mean_s", Cell::F64(0.0)),
    ("reverse_one_way_delay_mean_s", Cell::F64(0.0)),
    ("rtt_mean_s", Cell::F64(0.0)),
    ("rtt_min_s", Cell::F64(0.0)),
    ("jitter_mean_s", Cell::F64(0.0)),
    ("broken", Cell::Text("")),
];

const QUEUE_COLUMNS: &[(&str, Cell<'static>)] = &[
    ("run", Cell::U32(0)),
    ("queue", Cell::Text("")),
    ("kind", Cell::Text("")),
    ("utilization", Cell::F64(0.0)),
    ("sojourn_mean_s", Cell::F64(0.0)),
    ("sojourn_p50_s", Cell::F64(0.0)),
    ("sojourn_p95_s", Cell::F64(0.0)),
    ("sojourn_p99_s", Cell::F64(0.0)),
    ("sojourn_max_s", Cell::F64(0.0)),
    ("backlog_mean_packets", Cell::F64(0.0)),
    ("backlog_sd_packets", Cell::F64(0.0)),
    ("backlog_max_packets", Cell::U64(0)),
    ("backlog_mean_bytes", Cell::F64(0.0)),
    ("backlog_sd_bytes", Cell::F64(0.0)),
    ("backlog_max_bytes", Cell::U64(0)),
    ("enqueued_packets", Cell::U64(0)),
    ("dequeued_packets", Cell::U64(0)),
    ("marked_packets", Cell::U64(0)),
    ("dropped_overlimit_packets", Cell::U64(0)),
    ("dropped_aqm_packets", Cell::U64(0)),
];

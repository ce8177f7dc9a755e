//! Output of a run: summary, tables and fingerprint.

use crate::ground::output::{RunCost, RunOutput, Table};
use crate::ground::scope::Scope;
use crate::packet::flow_end::FlowEnd;
use crate::results::connection_names::connection;
use crate::results::connection_summary::ListedConnections;
use crate::results::medium_summary::MediumSummary;
use crate::results::run_summary::{EngineSummary, RunSummary};
use crate::results::tables;
use crate::results::view::RunView;
use std::collections::BTreeMap;
use tailrace_net::{ChannelId, LinkId};

/// The run's entry of the result contract, as JSON text.
pub(crate) fn summary(run: &RunView<'_>, cost: RunCost) -> String {
    text_of(&run.summary(run.fingerprint(), cost))
}

fn text_of(summary: &RunSummary) -> String {
    serde_json::to_string(summary).expect("a summary is plain data")
}

/// Collects the output of a run except its captures. `recorded` are the tables of series and events.
pub(crate) fn collect(run: &RunView<'_>, recorded: Vec<Table>, cost: RunCost) -> RunOutput {
    let fingerprint = run.fingerprint();
    let summary = run.summary(fingerprint, cost);
    let mut all = vec![tables::flows::table(run), tables::queues::table(run.plan.run, &summary)];
    let (events, series): (Vec<_>, Vec<_>) = recorded.into_iter().partition(|t| t.name == "events");
    all.extend(tables::paths::table(run));
    all.extend(tables::flow_windows::table(run));
    all.extend(series);
    all.extend(tables::reordering::table(run.plan, run.world));
    all.extend(tables::connections::table(run));
    all.extend(events);
    RunOutput {
        run: run.plan.run,
        seed: run.plan.seed,
        fingerprint,
        summary: text_of(&summary),
        tables: all,
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
            let t = self.world.flow_stats(flow);
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
            for s in [client, client.peer()].iter().filter_map(|e| connection(self.world, *e)) {
                let s = s.stats();
                for x in
                    [s.bytes_acked, s.bytes_delivered, s.reinjected_bytes, s.duplicate_bytes, s.data_timeouts]
                {
                    mix(x);
                }
                mix(u64::from(s.subflows_established) << 32 | u64::from(s.subflows_lost));
            }
        }
        for (_, t) in self.world.foreign.counters() {
            for x in [t.sent_bytes, t.received_bytes, t.lost_packets, t.marked_packets, t.malformed_packets] {
                mix(x);
            }
        }
        for link in 0..self.fabric.link_count() {
            let c = self.fabric.link(LinkId(link as u32)).counters();
            mix(c.arrived);
            mix(c.removed_total());
            mix(c.marked);
        }
        hash
    }

    fn media(&self) -> BTreeMap<String, MediumSummary> {
        let media = self.plan.scenario.media.iter().zip(0..);
        let of = |id| MediumSummary::of(self.fabric.channel(ChannelId(id)), self.fabric.now());
        media.map(|(medium, id)| (medium.name.clone(), of(id))).collect()
    }

    fn summary(&self, fingerprint: u64, cost: RunCost) -> RunSummary {
        let listed = ListedConnections::of(self.plan, self.world, self.fabric);
        let unlisted_connections = listed.left_out;
        RunSummary {
            run: self.plan.run,
            seed: self.plan.seed,
            fingerprint: format!("{fingerprint:016x}"),
            groups: self.groups(Scope::Run),
            queues: self.queues(Scope::Run),
            connections: listed.summaries(self.plan, self.world),
            paths: self.paths(Scope::Run),
            media: self.media(),
            foreign_hosts: self.world.foreign.counters().map(|(name, t)| (name.to_string(), *t)).collect(),
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
}

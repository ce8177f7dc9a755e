//! Table of flows.

use crate::ground::activity::OF_FLOWS;
use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::rate::rate_bps;
use crate::ground::scope::Scope;
use crate::host::flow::Flow;
use crate::results::counter_values::CounterValues;
use crate::results::group_stats::role_name;
use crate::results::progress::FlowProgress;
use crate::results::transfer_outcomes::break_cause;
use crate::results::view::RunView;
use crate::stats::flow_stats::FlowStats;
use tailrace_core::Duration;
use tailrace_scenario::model::{FlowGroup, NodeIndex};

/// A flow at the end of a run.
struct FlowRow<'a> {
    run: &'a RunView<'a>,
    number: usize,
    flow: &'a Flow,
    group: &'a FlowGroup,
    /// Counters of the measured time, and its length.
    tally: FlowStats,
    span: Duration,
    progress: FlowProgress,
}

columns! {
    "flows", "A row for each flow and run.", |r: FlowRow<'_>| {
        run: U32 = r.run.plan.run, "", "The number of the run.";
        group: Text = &r.group.name, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.flow.member, "", "The number of the flow within its group, from 0.";
        src: Text = r.node(r.ends().0), "", "The host that the flow comes from.";
        dst: Text = r.node(r.ends().1), "", "The host that the flow goes to.";
        role: Text = role_name(r.group.role), "", "`normal` or `attack`.";
        transport: Text = r.group.transport.name(), "", "`tcp`, `mptcp`, `quic` or `udp`.";
        cc: Text = r.group.transport.cc(), "", "The congestion control; empty for UDP.";
        stack: Text = r.group.transport.stack(), "", "Implementation of QUIC with its version; empty for other transports, which are the simulator's or a kernel's.";
        start_s: F64 = r.flow.start.as_secs_f64(), "s", "Time when the flow started.";
        goodput_bps: F64 = r.run.goodput_bps(r.number, &r.tally, Scope::Run), "bit/s", "Goodput, as above.";
        throughput_bps: F64 = rate_bps(r.tally.received_bytes, r.span), "bit/s", "Throughput, as above.";
    } counters CounterValues = CounterValues { stats: r.tally, timeouts_known: !r.flow.lacks_timeouts }; {
        loss_ratio: F64 = r.tally.loss_ratio(), "ratio", "Packets lost divided by packets sent.";
        completion_goodput_bps: F64 = r.tally.completion_goodput_bps(), "bit/s", "The bytes of these divided by the time that they took; null if there were none.";
        one_way_delay_mean_s: F64 = r.tally.mean_delay_s(), "s", "The mean over packets that arrived, in the direction of `from` to `to`.";
        reverse_one_way_delay_mean_s: F64 = r.tally.mean_reverse_delay_s(), "s", "The same in the opposite direction.";
        rtt_mean_s: F64 = r.tally.mean_rtt_s(), "s", "The mean of all round-trip times that were measured.";
        rtt_min_s: F64 = r.min_rtt_s(), "s", "The smallest round-trip time of the sender's latest connection, warm-up included.";
        jitter_mean_s: F64 = r.tally.mean_jitter_s(), "s", "Jitter: mean difference between the transit times of consecutive deliveries.";
        longest_silence_s: F64 = r.run.world.longest_delivery_gap_s(r.number, Scope::Run, r.run.fabric.now()), "s", "Longest delivery gap: time in which the flow was open and its applications got nothing; null if it was never open. See `longest_silence_s` of groups.";
        goodput_cv: F64 = r.run.world.flow_smoothness(r.number, Scope::Run).goodput_cv(), "", "Coefficient of variation of the flow's goodput: standard deviation divided by mean, over the intervals of `[record] interval` in which it was open (see `bins` of groups); null without `interval`.";
        loss_max_ratio: F64 = r.run.world.flow_smoothness(r.number, Scope::Run).loss_max_ratio(), "ratio", "The largest loss ratio in any of these intervals.";
        last_delivery_s: F64 = r.progress.last_delivery.map_or(f64::NAN, |at| at.as_secs_f64()), "s", "Time of the last delivery to an application of the flow, warm-up included; null if there was none.";
        activity: Text = r.progress.activity.word(), "", OF_FLOWS;
        silent: U32 = u32::from(r.progress.is_silent), "", "1 if the flow ought to send and was [silent](#silent-flows), 0 otherwise.";
        broken: Text = break_cause(r.run.world, r.number), "", "Cause of the break of the flow's latest connection, as in the table `connections`; empty if it did not break.";
    }
}

impl FlowRow<'_> {
    fn ends(&self) -> (NodeIndex, NodeIndex) {
        self.group.pairs[self.flow.member as usize]
    }

    fn node(&self, node: NodeIndex) -> &str {
        &self.run.plan.scenario.nodes[node.0 as usize].name
    }

    fn min_rtt_s(&self) -> f64 {
        let sender = self.run.world.latest(self.flow.sender());
        let least = sender.and_then(|s| s.endpoint.min_rtt()).or(self.flow.retired.min_rtt);
        least.map_or(f64::NAN, |d| d.as_secs_f64())
    }
}

/// All flows.
pub(crate) fn table(run: &RunView<'_>) -> Table {
    let mut table = new_table();
    for (number, flow) in run.world.flows.iter().enumerate() {
        let group = &run.plan.scenario.flows[flow.group as usize];
        let (tally, span) = (run.world.window_stats(number, Scope::Run), run.span(Scope::Run));
        add(&mut table, &FlowRow { run, number, flow, group, tally, span, progress: run.progress(number) });
    }
    table.finish()
}

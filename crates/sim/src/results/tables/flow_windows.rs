//! Table of flows by window: the columns of `flows` for each of the scenario's windows.
//!
//! Counters of flows are kept when a window ends; later losses of its packets are added when the table is made. The cost is some
//! hundred bytes per flow and window, and nothing per packet.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::rate::rate_bps;
use crate::host::flow::Flow;
use crate::results::counter_values::CounterValues;
use crate::results::flow_counts::FlowCounts;
use crate::results::view::RunView;

/// A flow in a window.
struct FlowWindowRow<'a> {
    run: u32,
    window: &'a str,
    group: &'a str,
    flow: &'a Flow,
    counts: FlowCounts,
}

columns! {
    "flow_windows", "A row for each flow and window.", |r: FlowWindowRow<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        window: Text = r.window, "", "The name of the `[[window]]`.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.flow.member, "", "The number of the flow within its group, from 0.";
        goodput_bps: F64 = r.counts.goodput_bps, "bit/s", "The flow's goodput in the window. All columns are as in `flows`, but for this window.";
        throughput_bps: F64 = rate_bps(r.counts.tally.received_bytes, r.counts.span), "bit/s", "Throughput.";
    } counters CounterValues = CounterValues { stats: r.counts.tally, timeouts_known: !r.flow.lacks_timeouts }; {
        loss_ratio: F64 = r.counts.tally.loss_ratio(), "ratio", "Packets lost divided by packets sent.";
        completion_goodput_bps: F64 = r.counts.tally.completion_goodput_bps(), "bit/s", "The bytes of these divided by the time that they took; null if there were none.";
        one_way_delay_mean_s: F64 = r.counts.tally.mean_delay_s(), "s", "The mean over packets that arrived, in the direction of `from` to `to`.";
        reverse_one_way_delay_mean_s: F64 = r.counts.tally.mean_reverse_delay_s(), "s", "The same in the opposite direction.";
        rtt_mean_s: F64 = r.counts.tally.mean_rtt_s(), "s", "The mean of all round-trip times that were measured.";
        jitter_mean_s: F64 = r.counts.tally.mean_jitter_s(), "s", "Jitter: mean difference between the transit times of consecutive deliveries.";
        longest_silence_s: F64 = r.counts.longest_silence_s, "s", "Longest delivery gap: time in which the flow was open and its applications got nothing; null if it was not open.";
        goodput_cv: F64 = r.counts.smoothness.goodput_cv(), "", "Coefficient of variation of the flow's goodput: standard deviation divided by mean, over intervals; null without `[record] interval`.";
        loss_max_ratio: F64 = r.counts.smoothness.loss_max_ratio(), "ratio", "The largest loss ratio in any of these intervals.";
    }
}

/// Flows in all windows that have begun, if the scenario has windows.
pub(crate) fn table(run: &RunView<'_>) -> Option<Table> {
    let scenario = &run.plan.scenario;
    if scenario.windows.is_empty() {
        return None;
    }
    let mut table = new_table();
    let present = run.windows.is_under_way().then(|| run.flow_counts());
    let windows = run.windows.flows_over().iter().chain(&present);
    for (number, (window, counts)) in scenario.windows.iter().zip(windows).enumerate() {
        for (place, (flow, counts)) in run.world.flows.iter().zip(counts).enumerate() {
            let mut counts = counts.clone();
            counts.tally.add_losses(run.world.loss_attribution.of(number, place));
            let group = &scenario.flows[flow.group as usize].name;
            let (run, window) = (run.plan.run, window.name.as_str());
            add(&mut table, &FlowWindowRow { run, window, group, flow, counts });
        }
    }
    Some(table.finish())
}

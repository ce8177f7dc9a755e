//! The table of flows by window: what `flows` says of the whole, of each of the scenario's windows.
//!
//! Where a window ends, what its flows have counted in it is kept; what befalls their packets later is added when the table is
//! made. That is some hundred bytes a flow and window, and nothing a packet.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::rate::rate_bps;
use crate::ground::scope::Open;
use crate::host::flow::Flow;
use crate::results::view::RunView;
use crate::stats::flow_stats::FlowTally;
use crate::stats::intervals::Evenness;
use tailrace_core::Duration;

/// What a flow did in a window.
#[derive(Clone, Debug)]
pub(crate) struct FlowCounts {
    tally: FlowTally,
    goodput_bps: f64,
    longest_silence_s: f64,
    evenness: Evenness,
    span: Duration,
}

/// A flow in a window.
struct Row<'a> {
    run: u32,
    window: &'a str,
    group: &'a str,
    flow: &'a Flow,
    counts: FlowCounts,
}

columns! {
    "flow_windows", "A row for each flow and window.", |r: Row<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        window: Text = r.window, "", "The name of the `[[window]]`.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.flow.member, "", "The number of the flow within its group, from 0.";
        goodput_bps: F64 = r.counts.goodput_bps, "bit/s", "The flow's goodput in the window. All columns are as in `flows`, but for this window.";
        throughput_bps: F64 = rate_bps(r.counts.tally.received_bytes, r.counts.span), "bit/s", "Throughput.";
        delivered_bytes: U64 = r.counts.tally.delivered_bytes, "bytes", "Bytes that the application got, in order and once.";
        sent_packets: U64 = r.counts.tally.sent_packets, "packets", "Data packets sent, retransmissions included.";
        received_packets: U64 = r.counts.tally.received_packets, "packets", "Data packets that arrived.";
        lost_packets: U64 = r.counts.tally.lost_packets, "packets", "How many of the packets sent were dropped on the way by the end of the run.";
        loss_ratio: F64 = r.counts.tally.loss_ratio(), "ratio", "Packets lost divided by packets sent.";
        marked_packets: U64 = r.counts.tally.marked_packets, "packets", "How many of the packets sent were marked CE (ECN) by queues.";
        retransmitted_packets: U64 = r.counts.tally.retransmitted_packets, "packets", "Segments sent again (TCP).";
        timeouts: Count = r.flow.timeouts(r.counts.tally.timeouts), "", "How often the retransmission timer expired (TCP); null with a kernel that does not count that (before 6.7).";
        completed: U64 = r.counts.tally.completed, "", "How many transfers or exchanges were completed.";
        completion_goodput_bps: F64 = r.counts.tally.completion_goodput_bps(), "bit/s", "The bytes of these divided by the time that they took; null if there were none.";
        one_way_delay_mean_s: F64 = r.counts.tally.mean_delay_s(), "s", "The mean over packets that arrived, in the direction of `from` to `to`.";
        reverse_one_way_delay_mean_s: F64 = r.counts.tally.mean_reverse_delay_s(), "s", "The same in the opposite direction.";
        rtt_mean_s: F64 = r.counts.tally.mean_rtt_s(), "s", "The mean of all round-trip times that were measured.";
        jitter_mean_s: F64 = r.counts.tally.mean_jitter_s(), "s", "By how much the transit time differs from one delivery to the next, on average.";
        longest_silence_s: F64 = r.counts.longest_silence_s, "s", "The longest time in which the flow was open and its applications got nothing; null if it was not open.";
        goodput_cv: F64 = r.counts.evenness.goodput_cv(), "", "How uneven the flow's goodput was: standard deviation divided by mean, over intervals; null without `[record] interval`.";
        loss_max_ratio: F64 = r.counts.evenness.loss_max_ratio(), "ratio", "The largest loss ratio in any of these intervals.";
    }
}

/// What all flows have done in the window that began last, as if it ended now.
pub(crate) fn counts(run: &RunView<'_>) -> Vec<FlowCounts> {
    let (open, now) = (Open::Part, run.fabric.now());
    let of = |flow| {
        let tally = run.world.window_tally(flow, open);
        FlowCounts {
            goodput_bps: run.goodput_bps(flow, &tally, open),
            tally,
            longest_silence_s: run.world.longest_silence_s(flow, open, now),
            evenness: run.world.evenness_of_flow(flow, open),
            span: run.span(open),
        }
    };
    (0..run.world.flows.len()).map(of).collect()
}

/// All flows in all windows that have begun, where the scenario has windows.
pub(crate) fn table(run: &RunView<'_>) -> Option<Table> {
    let scenario = &run.plan.scenario;
    if scenario.windows.is_empty() {
        return None;
    }
    let mut table = new_table();
    let present = run.windows.is_under_way().then(|| counts(run));
    let windows = run.windows.flows_over().iter().chain(&present);
    for (number, (window, counts)) in scenario.windows.iter().zip(windows).enumerate() {
        for (place, (flow, counts)) in run.world.flows.iter().zip(counts).enumerate() {
            let mut counts = counts.clone();
            counts.tally.befell(run.world.late.of(number, place));
            let group = &scenario.flows[flow.group as usize].name;
            let (run, window) = (run.plan.run, window.name.as_str());
            add(&mut table, &Row { run, window, group, flow, counts });
        }
    }
    Some(table.finish())
}

//! What flows over Multipath TCP sent by each path, in the summary: in all, and in a window.

use crate::ground::distribution::Distribution;
use crate::ground::keys::keys;
use crate::ground::rate::loss_ratio;
use crate::ground::scope::Open;
use crate::results::connection_names::name_of_path;
use crate::results::view::RunView;
use crate::stats::loss_counters::Fates;
use crate::stats::paths::Lane;
use std::collections::BTreeMap;
use tailrace_core::Duration;

keys! {
    /// One direction of a path of a flow in a window.
    #[derive(Clone, Debug)]
    pub(crate) struct FlowPathSummary {
        /// The rate of the data that reached the receiving connection by this path first, before any other path
        /// brought it.
        goodput_bps: f64, "bit/s";
        /// The rate of all data packets that arrived by this path, in bytes of IP packets.
        throughput_bps: f64, "bit/s";
        /// Data packets sent, retransmissions included.
        sent_packets: u64, "packets";
        /// Their size in bytes of IP packets.
        sent_bytes: u64, "bytes";
        /// How many of the packets sent were retransmissions of the subflow's TCP.
        retransmitted_packets: u64, "packets";
        /// How many of the packets sent were dropped on the way by the end of the run, wherever and for whatever
        /// reason.
        lost_packets: u64, "packets";
        /// `lost_packets` divided by `sent_packets`; null if none was sent.
        loss_ratio: f64, "ratio";
        /// How many of the packets sent were marked CE (ECN) by queues.
        marked_packets: u64, "packets";
        /// Data packets that arrived.
        received_packets: u64, "packets";
        /// Their size in bytes of IP packets.
        received_bytes: u64, "bytes";
        /// The payload behind `goodput_bps`. Added up over all paths, each byte counts once.
        new_bytes: u64, "bytes";
        /// The one-way delay of data packets that arrived, as a distribution; percentiles are within 3 %.
        one_way_delay_s: Distribution, "s";
    }
}

impl FlowPathSummary {
    fn of(lane: &Lane, open: Open, span: Duration) -> Self {
        let t = lane.in_window(open);
        Self {
            goodput_bps: t.goodput_bps(span),
            throughput_bps: t.throughput_bps(span),
            sent_packets: t.sent_packets,
            sent_bytes: t.sent_bytes,
            retransmitted_packets: t.retransmitted_packets,
            lost_packets: t.fates.lost,
            loss_ratio: t.loss_ratio(),
            marked_packets: t.fates.marked,
            received_packets: t.received_packets,
            received_bytes: t.received_bytes,
            new_bytes: t.new_bytes,
            one_way_delay_s: Distribution::of(&lane.delays(open)),
        }
    }

    /// What befell packets sent in a window after it was over.
    fn befell(&mut self, late: Fates) {
        self.lost_packets += late.lost;
        self.marked_packets += late.marked;
        self.loss_ratio = loss_ratio(self.lost_packets, self.sent_packets);
    }
}

/// Of the first so many flows: each path is some hundred bytes, and the table has all.
const MOST_FLOWS: usize = 256;

impl RunView<'_> {
    /// The paths of the first flows that have any, in a window, by flow and path.
    pub(crate) fn paths(&self, open: Open) -> BTreeMap<String, FlowPathSummary> {
        let span = self.span(open);
        self.listed_paths().map(|(name, lane)| (name, FlowPathSummary::of(lane, open, span))).collect()
    }

    /// What befell their packets after the end of the window to which they belong.
    pub(crate) fn paths_befell(&self, window: usize, paths: &mut BTreeMap<String, FlowPathSummary>) {
        for (name, lane) in self.listed_paths() {
            if let Some(path) = paths.get_mut(&name) {
                path.befell(lane.late(window));
            }
        }
    }

    /// `mp[0].wifi`, and `mp[0].wifi.backward` of what the server sends.
    fn listed_paths(&self) -> impl Iterator<Item = (String, &Lane)> {
        let flows = self.world.flows.iter().enumerate();
        let having = flows.filter_map(|(f, flow)| Some((f, flow, flow.paths.as_ref()?))).take(MOST_FLOWS);
        having.flat_map(move |(f, flow, paths)| {
            paths.directions(f).map(move |(path, to, lane)| {
                let group = &self.plan.scenario.flows[flow.group as usize].name;
                let path = name_of_path(self.plan, self.fabric, path.key);
                let direction = if to.is_server() { "" } else { ".backward" };
                (format!("{group}[{}].{path}{direction}", flow.member), lane)
            })
        })
    }
}

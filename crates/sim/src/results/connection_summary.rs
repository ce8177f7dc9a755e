//! Multipath TCP connections in the summary: totals of each direction and path, in all and in a window.

use crate::ground::distribution::Distribution;
use crate::ground::keys::keys;
use crate::ground::plan::RunPlan;
use crate::host::hosts::World;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimFabric;
use crate::packet::socket_id::SocketId;
use crate::results::connection_names::{connection, path_name};
use std::collections::BTreeMap;
use tailrace_core::CoarseHistogram;
use tailrace_scenario::model::Transport;
use tailrace_transport::mptcp::{Mptcp, MptcpStats, SourceRoute};

keys! {
    /// The latest connection of a flow: from its start, or from the start of a window.
    #[derive(Clone, Debug)]
    pub(crate) struct ConnectionSummary {
        /// The scheduler that the scenario names.
        scheduler: &'static str, "";
        /// The path manager that the scenario names.
        path_manager: &'static str, "";
        /// The congestion control that the scenario names.
        cc: &'static str, "";
        /// Whether the connection works, or ended, as plain TCP instead of Multipath TCP.
        fallback: bool, "";
        /// The data that the client sends.
        #[serde(flatten)]
        forward: DirectionSummary, "" of DirectionSummary;
        /// All of the above from `acked_bytes` on, for the data that the server sends.
        backward: DirectionSummary, "";
    }
}

keys! {
    /// A direction of a connection: its sender, and the receiver at the other end.
    #[derive(Clone, Debug)]
    pub(crate) struct DirectionSummary {
        /// Bytes acknowledged at the data level.
        acked_bytes: u64, "bytes";
        /// Bytes delivered to the application, in order.
        delivered_bytes: u64, "bytes";
        /// Bytes delivered that a middlebox had changed (`rewrite`).
        altered_bytes: u64, "bytes";
        /// Mappings that the receiver refused because their checksum was wrong.
        checksum_failures: u64, "";
        /// Bytes sent again on another subflow.
        reinjected_bytes: u64, "bytes";
        /// Bytes sent again because they blocked the receive window, a part of `reinjected_bytes`.
        opportunistic_bytes: u64, "bytes";
        /// Bytes that reached the receiver's data level more than once.
        duplicate_bytes: u64, "bytes";
        /// The most bytes in the receiver's out-of-order queue. In a window, 0 if there were never more than before it.
        max_waiting_bytes: u64, "bytes";
        /// The share of segments that reached the receiver's data level out of order; null if there were none.
        reordered_ratio: f64, "ratio";
        /// Displacement of each segment, as a distribution: from the next byte expected to its own first byte; 0 if it came in
        /// order.
        displacement_bytes: Distribution, "bytes";
        /// Time that each segment waited at the receiver for earlier ones, as a distribution; 0 if it came in order. If a
        /// subflow's own TCP repairs a loss first, time counts only from then on.
        reordering_delay_s: Distribution, "s";
        /// Number of times that the receive window kept a subflow from sending although its congestion window had room.
        window_stalls: u64, "";
        /// Number of times that a congestion window was halved because its subflow blocked the receive window.
        penalties: u64, "";
        /// Number of expirations of the data-level retransmission timer.
        data_timeouts: u64, "";
        /// Number of times that a subflow was found stale (`stale_loss_cnt`).
        stale_subflows: u32, "";
        /// Number of subflows established, as the sender sees it. A subflow without a route never begins: it counts neither here
        /// nor in the next number nor under `paths`.
        subflows_established: u32, "";
        /// Number of subflows that broke or were given up, as the sender sees it.
        subflows_lost: u32, "";
        /// Traffic of subflows, by the link on which they leave the sender, and by the gateways of their source route if they
        /// have one (`"roof via gw[1], gw[2]"`).
        paths: BTreeMap<String, PathSummary>, "";
    }
}

keys! {
    /// Subflows that leave a host by one link and through the same gateways, closed ones included.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct PathSummary {
        /// Number of subflows.
        subflows: u32, "";
        /// Bytes scheduled on these subflows.
        scheduled_bytes: u64, "bytes";
        /// Bytes scheduled on these subflows that other subflows had carried before.
        reinjected_bytes: u64, "bytes";
        /// Segments retransmitted by the TCP of these subflows.
        retransmitted_packets: u64, "packets";
        /// Number of expirations of their TCP's retransmission timer.
        timeouts: u64, "";
    }
}

/// Largest number of connections in the summary: each takes some kilobytes, and the tables have all.
const MOST_LISTED: usize = 256;

/// Latest connections of the first flows that have any, with their counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListedConnections {
    by_flow: BTreeMap<usize, ConnectionTotals>,
    /// Flows whose connection is not listed.
    pub(crate) left_out: u64,
}

/// Counters of a connection since it was opened, or since a window began.
#[derive(Clone, Debug)]
struct ConnectionTotals {
    /// Client's socket, which distinguishes connections of a flow.
    socket: SocketId,
    fallback: bool,
    forward: DirectionTotals,
    backward: DirectionTotals,
}

/// Data sent by one end and received by the other; zeros for an end that does not exist yet.
#[derive(Clone, Debug, Default)]
struct DirectionTotals {
    sent: MptcpStats,
    received: MptcpStats,
    altered_bytes: u64,
    displacement: CoarseHistogram,
    delay: CoarseHistogram,
    paths: BTreeMap<String, PathSummary>,
}

impl ListedConnections {
    /// Connections that exist now.
    pub(crate) fn of(plan: &RunPlan, world: &World, fabric: &SimFabric) -> Self {
        let mut listed = Self::default();
        for (f, flow) in world.flows.iter().enumerate() {
            let (client, server) = (FlowEnd::client(f), FlowEnd::client(f).peer());
            let ends = (connection(world, client), connection(world, server));
            // A connection with a foreign host has a known end on one side only.
            let Some(known) = ends.0.or(ends.1) else { continue };
            if listed.by_flow.len() == MOST_LISTED {
                listed.left_out += 1;
                continue;
            }
            let named = |local, route| path_name(plan, fabric, (flow.group, local), route);
            let totals = ConnectionTotals {
                socket: flow.latest,
                fallback: known.is_fallback(),
                forward: DirectionTotals::of(ends, named),
                backward: DirectionTotals::of((ends.1, ends.0), named),
            };
            listed.by_flow.insert(f, totals);
        }
        listed
    }

    /// Difference from an earlier state; connections opened since count from their start.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        for (flow, totals) in &mut self.by_flow {
            if let Some(before) = earlier.by_flow.get(flow).filter(|before| before.socket == totals.socket) {
                totals.forward.subtract(&before.forward);
                totals.backward.subtract(&before.backward);
            }
        }
        self
    }

    /// Summaries by group and position of the flow.
    pub(crate) fn summaries(self, plan: &RunPlan, world: &World) -> BTreeMap<String, ConnectionSummary> {
        let each = self.by_flow.into_iter().filter_map(|(f, totals)| {
            let flow = &world.flows[f];
            let group = &plan.scenario.flows[flow.group as usize];
            let Transport::Mptcp { plan: mptcp, .. } = &group.transport else { return None };
            let summary = ConnectionSummary {
                scheduler: mptcp.scheduler.name(),
                path_manager: mptcp.path_manager.name(),
                cc: mptcp.control.name(),
                fallback: totals.fallback,
                forward: totals.forward.summary(),
                backward: totals.backward.summary(),
            };
            Some((format!("{}[{}]", group.name, flow.member), summary))
        });
        each.collect()
    }
}

impl DirectionTotals {
    fn of(
        (sender, receiver): (Option<&Mptcp>, Option<&Mptcp>),
        named: impl Fn(u32, Option<SourceRoute>) -> String,
    ) -> Self {
        let stats = |end: Option<&Mptcp>| end.map(|c| *c.stats()).unwrap_or_default();
        let mut paths: BTreeMap<String, PathSummary> = BTreeMap::new();
        for report in sender.map(Mptcp::paths).unwrap_or_default() {
            let path = paths.entry(named(report.local, report.route)).or_default();
            path.subflows += report.subflows;
            path.scheduled_bytes += report.stats.scheduled_bytes;
            path.reinjected_bytes += report.stats.reinjected_bytes;
            path.retransmitted_packets += report.tcp.retransmitted_segments;
            path.timeouts += u64::from(report.tcp.timeouts);
        }
        let reordering = receiver.map(Mptcp::reordering);
        Self {
            sent: stats(sender),
            received: stats(receiver),
            altered_bytes: receiver.map_or(0, Mptcp::altered_bytes),
            displacement: reordering.map(|r| r.displacement()).unwrap_or_default(),
            delay: reordering.map(|r| r.delay()).unwrap_or_default(),
            paths,
        }
    }

    fn subtract(&mut self, earlier: &Self) {
        subtract(&mut self.sent, &earlier.sent);
        subtract(&mut self.received, &earlier.received);
        self.altered_bytes -= earlier.altered_bytes;
        self.displacement = self.displacement.since(&earlier.displacement);
        self.delay = self.delay.since(&earlier.delay);
        for (name, path) in &mut self.paths {
            let before = earlier.paths.get(name).copied().unwrap_or_default();
            path.subflows -= before.subflows;
            path.scheduled_bytes -= before.scheduled_bytes;
            path.reinjected_bytes -= before.reinjected_bytes;
            path.retransmitted_packets -= before.retransmitted_packets;
            path.timeouts -= before.timeouts;
        }
    }

    fn summary(self) -> DirectionSummary {
        let Self { sent, received, altered_bytes, displacement, delay, paths } = self;
        DirectionSummary {
            acked_bytes: sent.bytes_acked,
            delivered_bytes: received.bytes_delivered,
            altered_bytes,
            checksum_failures: received.checksum_failures,
            reinjected_bytes: sent.reinjected_bytes,
            opportunistic_bytes: sent.opportunistic_bytes,
            duplicate_bytes: received.duplicate_bytes,
            max_waiting_bytes: received.max_waiting_bytes,
            reordered_ratio: ratio(&displacement),
            displacement_bytes: Distribution::of_numbers(&displacement),
            reordering_delay_s: Distribution::of(&delay),
            window_stalls: sent.window_stalls,
            penalties: sent.penalties,
            data_timeouts: sent.data_timeouts,
            stale_subflows: sent.stale_subflows,
            subflows_established: sent.subflows_established,
            subflows_lost: sent.subflows_lost,
            paths,
        }
    }
}

/// Share of the segments that arrived out of order, which are those with a displacement. NaN without any.
fn ratio(displacement: &CoarseHistogram) -> f64 {
    let all = displacement.count();
    let in_order = displacement.buckets().next().filter(|(least, ..)| *least == 0).map_or(0, |(_, _, n)| n);
    (all - in_order) as f64 / all as f64
}

/// Subtracts earlier counters; the largest out-of-order queue remains only if it exceeds the earlier one.
fn subtract(now: &mut MptcpStats, earlier: &MptcpStats) {
    now.bytes_delivered -= earlier.bytes_delivered;
    now.bytes_acked -= earlier.bytes_acked;
    now.reinjected_bytes -= earlier.reinjected_bytes;
    now.opportunistic_bytes -= earlier.opportunistic_bytes;
    now.duplicate_bytes -= earlier.duplicate_bytes;
    now.penalties -= earlier.penalties;
    now.window_stalls -= earlier.window_stalls;
    now.timeouts -= earlier.timeouts;
    now.data_timeouts -= earlier.data_timeouts;
    now.stale_subflows -= earlier.stale_subflows;
    now.checksum_failures -= earlier.checksum_failures;
    now.subflows_established -= earlier.subflows_established;
    now.subflows_lost -= earlier.subflows_lost;
    if now.max_waiting_bytes == earlier.max_waiting_bytes {
        now.max_waiting_bytes = 0;
    }
}

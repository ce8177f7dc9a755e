//! Statistics of hosts: counting of packets sent, received, lost and delivered, and the start of windows.

use crate::ground::scope::{PerScope, Scope};
use crate::host::flow::{Flow, FlowTransport};
use crate::host::hosts::World;
use crate::host::sockets::Socket;
use crate::packet::flow_end::FlowEnd;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use crate::stats::baseline::FlowBaseline;
use crate::stats::flow_stats::FlowStats;
use crate::stats::intervals::{IntervalCounters, Smoothness};
use crate::stats::jitter::variation;
use crate::stats::loss_counters::LossCounters;
use crate::stats::recorder::Recorder;
use tailrace_app::{Application as _, PlaybackStats};
use tailrace_core::{Duration, Instant};
use tailrace_transport::segment::SeqNumber;

impl World {
    /// Starts a window: counters are copied, so that differences from them are those of the window.
    pub(crate) fn begin_scope(&mut self, scope: Scope, now: Instant) {
        self.scope_starts[scope] = Some(now);
        let baseline = |flow| FlowBaseline { at: self.flow_stats(flow), ..FlowBaseline::default() };
        self.baselines[scope] = (0..self.flows.len()).map(baseline).collect();
        self.flows
            .iter_mut()
            .filter_map(|flow| flow.paths.as_mut())
            .for_each(|paths| paths.begin_scope(scope));
        for socket in self.sockets.iter_mut() {
            let waiting = socket.waiting();
            socket.early.set(scope, waiting);
        }
        self.flows.iter_mut().for_each(|flow| flow.delivery_gap.begin(scope, now));
        if let Some(intervals) = &mut self.intervals {
            intervals.begin(scope);
        }
        self.playback_baselines[scope] = self.playbacks(now);
        self.classifiers.begin(scope);
    }

    /// Counts a data packet that leaves an end of a flow.
    #[inline]
    pub(crate) fn count_sent(&mut self, from: FlowEnd, pkt: &SimPacket) {
        if pkt.payload > 0 {
            let stats = &mut self.flows[from.flow()].stats;
            stats.sent_packets += 1;
            stats.sent_bytes += u64::from(pkt.size);
        }
    }

    /// Counts a data packet that has reached its host.
    #[inline]
    pub(crate) fn count_arrival(&mut self, pkt: &SimPacket, now: Instant) {
        let delay = now - pkt.sent_at;
        let (Some(flow), Some(end)) = (self.flows.get_mut(pkt.to.flow()), pkt.to.end()) else { return };
        flow.stats.received_bytes += u64::from(pkt.size);
        (flow.arrived_from, flow.arrived_again) = (pkt.sent_at, pkt.is_repeated());
        if pkt.is_copy() {
            if let Some(paths) = &mut flow.paths {
                paths.on_copy_received(pkt, end, &self.options);
            }
            return;
        }
        flow.stats.received_packets += 1;
        // Subflows number their bytes apart.
        let seq = if flow.paths.is_none() { pkt.seq } else { SeqNumber(0) };
        let reordered = flow.recent_arrivals[usize::from(end.is_server())].record(pkt.sent_at, seq);
        flow.stats.reordered_packets += u64::from(reordered);
        let group = &mut self.recorder.groups[flow.group as usize];
        if end.is_server() {
            flow.stats.delay_sum += delay;
            group.one_way_delay.record(delay);
        } else {
            flow.stats.reverse_packets += 1;
            flow.stats.reverse_delay_sum += delay;
            group.reverse_one_way_delay.record(delay);
        }
        if let Some(paths) = &mut flow.paths {
            paths.on_received(pkt, end, &self.options, delay);
        }
    }

    /// Counts a lost or marked packet, in the window in which it was sent. Packets without payload and copies made by links
    /// do not count for flows.
    pub(crate) fn count_loss(&mut self, pkt: &SimPacket, loss: LossCounters) {
        if pkt.is_copy() {
            return;
        }
        let Some(flow) = self.flows.get_mut(pkt.to.flow()) else {
            if let Some(counters) = self.foreign.counters_mut(pkt.to) {
                counters.lost_packets += loss.lost;
                counters.marked_packets += loss.marked;
            }
            return;
        };
        if pkt.payload == 0 {
            return;
        }
        flow.stats.add_losses(loss);
        let before = self.scope_starts.map(|start| start.is_some_and(|start| pkt.sent_at <= start));
        for scope in Scope::BOTH.into_iter().filter(|scope| before[*scope]) {
            self.baselines[scope][pkt.to.flow()].before.add(loss);
        }
        let closed = if before[Scope::Window] {
            self.loss_attribution.record(pkt.to.flow(), pkt.sent_at, loss)
        } else {
            None
        };
        if let Some(paths) = &mut flow.paths {
            paths.on_loss(pkt, &self.options, loss, (before, closed));
        }
    }

    /// Counts a data segment of Multipath TCP that leaves an end, for its path.
    #[inline]
    pub(crate) fn count_path_sent(&mut self, from: FlowEnd, pkt: &SimPacket, resent: bool) {
        if pkt.payload > 0
            && let Some(paths) = &mut self.flows[from.flow()].paths
        {
            paths.on_sent(pkt, from.peer(), &self.options, resent);
        }
    }

    /// Counts bytes that a connection of Multipath TCP got for the first time, for the path of the latest packet.
    pub(crate) fn count_new_bytes(&mut self, to: FlowEnd, bytes: u64, sequence: u64) {
        if let Some(paths) = self.flows[to.flow()].paths.as_mut().filter(|_| bytes > 0) {
            paths.on_new_bytes(to, bytes, sequence);
        }
    }

    /// Ends the delay distributions of paths at a window's edge; `counts`: the ended part is not the warm-up.
    pub(crate) fn cut_path_delays(&mut self, counts: bool) {
        self.flows
            .iter_mut()
            .filter_map(|flow| flow.paths.as_mut())
            .for_each(|paths| paths.cut_delays(counts));
    }

    /// Counts a round-trip time sample.
    #[inline]
    pub(crate) fn count_rtt(&mut self, flow: usize, rtt: Duration) {
        let flow = &mut self.flows[flow];
        flow.stats.rtt_sum += rtt;
        flow.stats.rtt_samples += 1;
        self.recorder.groups[flow.group as usize].rtt.record(rtt);
    }

    /// Counts bytes that the packet just received delivers to the application at a socket. Returns the flow.
    #[inline]
    pub(crate) fn count_delivery(&mut self, id: SocketId, bytes: u64, now: Instant) -> usize {
        let Some(socket) = self.sockets.live(id) else { return 0 };
        let flow = socket.end().flow();
        let again = self.flows[flow].arrived_again || socket.endpoint.releases();
        let first = if again { self.first_sending(id, bytes) } else { None };
        let transit = now.saturating_since(first.unwrap_or(self.flows[flow].arrived_from));
        let Some(socket) = self.sockets.live(id) else { return flow };
        let jitter = variation(std::mem::replace(&mut socket.transit, transit), transit);
        count_jitter((&mut self.flows[flow], &mut self.recorder), bytes, jitter);
        self.flows[flow].delivery_gap.on_delivery(now, &self.scope_starts);
        flow
    }

    /// Counts a datagram delivered to its application. Returns the flow.
    #[inline]
    pub(crate) fn count_datagram(&mut self, end: FlowEnd, bytes: u64, now: Instant) -> &mut Flow {
        let flow = &mut self.flows[end.flow()];
        let transit = now.saturating_since(flow.arrived_from);
        flow.delivery_gap.on_delivery(now, &self.scope_starts);
        if let FlowTransport::Datagrams(udp) = &mut flow.carrier {
            let before = std::mem::replace(&mut udp.transit[usize::from(end.is_server())], transit);
            count_jitter((flow, &mut self.recorder), bytes, variation(before, transit));
        }
        flow
    }

    /// First transmission time of the first of the last `bytes` delivered to a socket, as its peer's socket knows it (no ACK has told it yet to
    /// forget them). `None` if the receiver forged ACKs (`misbehaviour`) or the peer's socket is closed.
    #[inline(never)]
    fn first_sending(&self, id: SocketId, bytes: u64) -> Option<Instant> {
        let socket = self.sockets.get(id)?;
        let delivered = socket.endpoint.bytes_delivered();
        self.sockets.get(socket.envelope.peer)?.endpoint.first_sending_of(delivered - bytes)
    }

    /// Closes the delivery gap of a flow whose client has no other open connection than this one, which is over.
    pub(crate) fn close_delivery_gap(&mut self, client: SocketId, now: Instant) {
        let Some(flow) = self.sockets.get(client).map(|socket| socket.end().flow()) else { return };
        let is_open = self.sockets_of(flow).any(|s| !s.end().is_server() && !s.endpoint.is_over());
        if !is_open {
            self.flows[flow].delivery_gap.close(now, &self.scope_starts);
        }
    }

    /// Closes the interval that ends at `now`, if any. It counts for a window that ends at the same time. Queues under study
    /// are settled.
    pub(crate) fn close_interval(&mut self, now: Instant) {
        let Some(intervals) = self.intervals.as_mut().filter(|intervals| intervals.is_due(now)) else {
            return;
        };
        intervals.close(interval_counters(&self.flows, now), &self.scope_starts, now);
    }

    /// Counters of a flow, with those that its closed endpoints kept.
    pub(crate) fn closed_flow_stats(&self, flow: usize) -> FlowStats {
        let f = &self.flows[flow];
        let mut stats = f.stats;
        stats.retransmitted_packets = f.retired.retransmitted;
        stats.timeouts = f.retired.timeouts;
        stats.altered_bytes += f.retired.altered;
        stats
    }

    /// Counters of a flow, with those that its endpoints keep.
    pub(crate) fn flow_stats(&self, flow: usize) -> FlowStats {
        let mut stats = self.closed_flow_stats(flow);
        for endpoint in self.sockets_of(flow).map(|s| &s.endpoint) {
            let tcp = endpoint.stats();
            stats.retransmitted_packets += tcp.retransmitted_segments;
            stats.timeouts += u64::from(tcp.timeouts);
            stats.altered_bytes += endpoint.altered_bytes();
        }
        stats
    }

    fn baseline(&self, flow: usize, scope: Scope) -> FlowBaseline {
        self.baselines[scope].get(flow).copied().unwrap_or_default()
    }

    /// Counters of a flow in a scope.
    pub(crate) fn window_stats(&self, flow: usize, scope: Scope) -> FlowStats {
        self.baseline(flow, scope).window(&self.flow_stats(flow))
    }

    /// Goodput of a flow in a scope, in bytes: what was delivered (`stats`), limited to bytes that arrived in the scope, each
    /// counted once.
    pub(crate) fn goodput_bytes(&self, flow: usize, stats: &FlowStats, scope: Scope) -> u64 {
        let mut arrived = stats.delivered_bytes - self.baseline(flow, scope).delivered_before;
        for socket in self.sockets_of(flow) {
            arrived += socket.early.arrived_since(scope, &socket.waiting());
            arrived -= socket.delivered_early(scope);
        }
        arrived.min(stats.delivered_bytes)
    }

    /// Smoothness of a flow in a scope; empty without `[record] interval`.
    pub(crate) fn flow_smoothness(&self, flow: usize, scope: Scope) -> Smoothness {
        self.intervals.as_ref().map_or_else(Smoothness::default, |intervals| intervals.of_flow(flow, scope))
    }

    /// Longest delivery gap of a flow in a scope, in seconds; NaN if it was never open.
    pub(crate) fn longest_delivery_gap_s(&self, flow: usize, scope: Scope, now: Instant) -> f64 {
        let longest = self.flows[flow].delivery_gap.longest(scope, now, self.scope_starts[scope]);
        longest.map_or(f64::NAN, Duration::as_secs_f64)
    }

    /// Playback of a flow so far, if its application plays.
    pub(crate) fn playback(&self, flow: usize, now: Instant) -> Option<PlaybackStats> {
        self.flows[flow].app.app.playback(now)
    }

    /// Playback of all flows so far; empty if no application plays.
    fn playbacks(&self, now: Instant) -> Vec<PlaybackStats> {
        let all: Vec<_> = (0..self.flows.len()).map(|flow| self.playback(flow, now)).collect();
        if all.iter().all(Option::is_none) {
            return Vec::new();
        }
        all.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Playback of a flow in a scope.
    pub(crate) fn window_playback(&self, flow: usize, scope: Scope, now: Instant) -> PlaybackStats {
        let playback = self.playback(flow, now).unwrap_or_default();
        self.playback_baselines[scope].get(flow).map_or(playback, |earlier| playback.since(earlier))
    }
}

/// Counts bytes delivered to an application, and their jitter.
#[inline]
fn count_jitter((flow, recorder): (&mut Flow, &mut Recorder), bytes: u64, jitter: Option<Duration>) {
    flow.stats.delivered_bytes += bytes;
    if let Some(jitter) = jitter {
        flow.stats.jitter_sum += jitter;
        flow.stats.jitter_samples += 1;
        recorder.groups[flow.group as usize].jitter.record(jitter);
    }
}

/// Group and interval counters of each flow.
pub(crate) fn interval_counters(
    flows: &[Flow],
    now: Instant,
) -> impl Iterator<Item = (u32, IntervalCounters)> {
    flows.iter().map(move |f| (f.group, IntervalCounters::new(&f.stats, f.delivery_gap.is_open(now))))
}

/// Keeps the early bytes that a closing socket has delivered, for the goodput of open scopes.
pub(crate) fn keep_early_bytes(baselines: &mut PerScope<Vec<FlowBaseline>>, socket: &Socket) {
    for scope in Scope::BOTH {
        if let Some(baseline) = baselines[scope].get_mut(socket.end().flow()) {
            baseline.delivered_before += socket.delivered_early(scope);
        }
    }
}

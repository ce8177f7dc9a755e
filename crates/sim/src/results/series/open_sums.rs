//! Sums over the open sockets of flows and groups, for samples.
//!
//! Only sockets that changed since the previous sample are read again, so a sample costs the same however many idle connections are open.

use crate::host::flow::FlowTransport;
use crate::host::hosts::World;
use crate::packet::socket_id::SocketId;
use crate::results::sending_end::sending_end;
use crate::results::series::open_flows::OpenFlows;
use crate::stats::flow_stats::FlowStats;
use std::ops::Range;
use tailrace_core::Instant;

/// Counters of endpoints that flows have in their statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EndpointSums {
    retransmitted: u64,
    timeouts: u64,
    altered: u64,
}

/// Congestion windows of a group with one segment size: sums of integers, which do not depend on the order of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WindowSum {
    mss: u32,
    flows: u32,
    bytes: u64,
}

/// Contribution of the socket at a place to the sums.
#[derive(Clone, Copy, Debug, Default)]
struct SocketReading {
    flow: usize,
    counters: EndpointSums,
    /// Whether it is a client whose connection is open.
    is_open_client: bool,
    /// Congestion window of the sending end of an open client's connection, and its segment size.
    window: Option<(u64, u32)>,
}

/// Sums of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct FlowSums {
    counters: EndpointSums,
    open_clients: u32,
}

/// Sums of a group.
#[derive(Clone, Debug, Default)]
struct GroupSums {
    flows_with_open_clients: u32,
    windows: Vec<WindowSum>,
}

/// Sums over open sockets at the latest sample.
#[derive(Debug, Default)]
pub(crate) struct OpenSums {
    /// Readings by the place of the socket.
    readings: Vec<SocketReading>,
    flows: Vec<FlowSums>,
    groups: Vec<GroupSums>,
    changed: Vec<usize>,
}

impl OpenSums {
    /// Reads what changed since the previous call; at the first one, everything.
    pub(crate) fn update(&mut self, world: &mut World) {
        self.flows.resize(world.flows.len(), FlowSums::default());
        let groups = world.flows.last().map_or(0, |flow| flow.group as usize + 1);
        self.groups.resize(groups, GroupSums::default());
        world.sockets.take_changed(&mut self.changed);
        for i in 0..self.changed.len() {
            let place = self.changed[i];
            let id = world.sockets.at_place(place);
            self.read(place, id, world);
            // The window of a connection is that of the end that sends, so a change of the server is one of its client.
            let server = id.and_then(|id| world.sockets.get(id)).filter(|s| s.end().is_server());
            if let Some(client) =
                server.map(|s| s.envelope.peer).filter(|id| world.sockets.get(*id).is_some())
            {
                self.read(client.place(), Some(client), world);
            }
        }
    }

    fn read(&mut self, place: usize, id: Option<SocketId>, world: &World) {
        if self.readings.len() <= place {
            self.readings.resize(place + 1, SocketReading::default());
        }
        let reading = id.map_or_else(SocketReading::default, |id| reading_of(id, world));
        let before = std::mem::replace(&mut self.readings[place], reading);
        self.subtract(&before, world);
        self.add(&reading, world);
    }

    fn add(&mut self, reading: &SocketReading, world: &World) {
        let (flow, group) = (&mut self.flows[reading.flow], world.flows[reading.flow].group as usize);
        flow.counters.retransmitted += reading.counters.retransmitted;
        flow.counters.timeouts += reading.counters.timeouts;
        flow.counters.altered += reading.counters.altered;
        if reading.is_open_client {
            self.groups[group].flows_with_open_clients += u32::from(flow.open_clients == 0);
            flow.open_clients += 1;
        }
        if let Some((bytes, mss)) = reading.window {
            let sum = self.groups[group].window_sum(mss);
            (sum.flows, sum.bytes) = (sum.flows + 1, sum.bytes + bytes);
        }
    }

    fn subtract(&mut self, reading: &SocketReading, world: &World) {
        let (flow, group) = (&mut self.flows[reading.flow], world.flows[reading.flow].group as usize);
        flow.counters.retransmitted -= reading.counters.retransmitted;
        flow.counters.timeouts -= reading.counters.timeouts;
        flow.counters.altered -= reading.counters.altered;
        if reading.is_open_client {
            flow.open_clients -= 1;
            self.groups[group].flows_with_open_clients -= u32::from(flow.open_clients == 0);
        }
        if let Some((bytes, mss)) = reading.window {
            let sum = self.groups[group].window_sum(mss);
            (sum.flows, sum.bytes) = (sum.flows - 1, sum.bytes - bytes);
        }
    }

    /// Number of sockets read at the latest update.
    #[cfg(test)]
    pub(crate) fn last_read(&self) -> usize {
        self.changed.len()
    }

    /// Counters of a flow, with those that its endpoints keep: [`World::flow_stats`] at the time of the latest update.
    pub(crate) fn flow_stats(&self, flow: usize, world: &World) -> FlowStats {
        let counters = self.flows[flow].counters;
        let mut stats = world.closed_flow_stats(flow);
        stats.retransmitted_packets += counters.retransmitted;
        stats.timeouts += counters.timeouts;
        stats.altered_bytes += counters.altered;
        stats
    }

    /// Open flows of a group, with the sum of all its flows' counters: [`OpenFlows::of`] at the time of the latest update.
    pub(crate) fn open_flows(
        &self,
        flows: Range<usize>,
        world: &World,
        now: Instant,
    ) -> (FlowStats, OpenFlows) {
        let (mut tally, mut open) = (FlowStats::default(), OpenFlows::default());
        let Some(first) = world.flows.get(flows.start) else { return (tally, open) };
        for flow in flows {
            tally.add(&self.flow_stats(flow, world));
            let f = &world.flows[flow];
            let is_open = matches!(f.carrier, FlowTransport::Datagrams(_)) && f.start <= now && now < f.stop;
            open.flows += u32::from(is_open);
        }
        let sums = &self.groups[first.group as usize];
        open.flows += sums.flows_with_open_clients;
        for window in &sums.windows {
            open.add_windows(window.flows, window.bytes, window.mss);
        }
        (tally, open)
    }
}

impl GroupSums {
    fn window_sum(&mut self, mss: u32) -> &mut WindowSum {
        let known = self.windows.iter().position(|sum| sum.mss == mss);
        let i = known.unwrap_or_else(|| {
            self.windows.push(WindowSum { mss, flows: 0, bytes: 0 });
            self.windows.len() - 1
        });
        &mut self.windows[i]
    }
}

fn reading_of(id: SocketId, world: &World) -> SocketReading {
    let Some(socket) = world.sockets.get(id) else { return SocketReading::default() };
    let tcp = socket.endpoint.stats();
    let counters = EndpointSums {
        retransmitted: tcp.retransmitted_segments,
        timeouts: u64::from(tcp.timeouts),
        altered: socket.endpoint.altered_bytes(),
    };
    let is_open_client = !socket.end().is_server() && !socket.endpoint.is_over();
    let sender = if is_open_client { sending_end(world, socket) } else { None };
    let window = sender.and_then(|sender| sender.endpoint.view()).map(|(view, mss)| (view.cwnd.get(), mss));
    SocketReading { flow: socket.end().flow(), counters, is_open_client, window }
}

//! Outcomes of transfers and connections: completed, failed or under way; open or broken, and why.

use crate::ground::reset_causes::{CAUSES, cause_name};
use crate::host::flow::{FlowTransport, StreamFlow};
use crate::host::hosts::World;
use crate::results::group_summary::{ConnectionCounts, TransferCounts};
use std::ops::Range;

fn streams_of(world: &World, flows: Range<usize>) -> impl Iterator<Item = (usize, &StreamFlow)> {
    flows.filter_map(|f| match &world.flows[f].carrier {
        FlowTransport::Tcp(streams) => Some((f, &**streams)),
        FlowTransport::Udp(_) => None,
    })
}

/// Transfers or exchanges of flows; `None` if their applications have none.
pub(crate) fn transfers(world: &World, flows: Range<usize>) -> Option<TransferCounts> {
    let mut sum: Option<TransferCounts> = None;
    for (f, streams) in streams_of(world, flows).filter(|(_, streams)| streams.transfers()) {
        let t = sum.get_or_insert_with(|| TransferCounts {
            asked: streams.count().map(|_| 0),
            not_begun: streams.count().map(|_| 0),
            ..TransferCounts::default()
        });
        let failed = world.sockets_of(f).filter(|s| s.has_failed()).count() as u64;
        let (started, failed) = (u64::from(streams.begun), u64::from(streams.failed) + failed);
        let completed = world.flows[f].stats.completed;
        t.started += started;
        t.completed += completed;
        t.failed += failed;
        t.under_way += started - completed - failed;
        t.asked = t.asked.zip(streams.count()).map(|(sum, n)| sum + u64::from(n));
        t.not_begun = t.not_begun.zip(streams.count()).map(|(sum, n)| sum + u64::from(n) - started);
    }
    sum
}

/// Connections of flows; `None` for UDP.
pub(crate) fn connections(world: &World, flows: Range<usize>) -> Option<ConnectionCounts> {
    let mut sum: Option<ConnectionCounts> = None;
    for (f, streams) in streams_of(world, flows) {
        let c = sum.get_or_insert_with(ConnectionCounts::default);
        c.opened += u64::from(streams.connections);
        let clients = world.sockets_of(f).filter(|s| !s.end().is_server());
        c.open += clients.filter(|s| !s.endpoint.is_over()).count() as u64;
        for (number, (_, cause)) in CAUSES.iter().enumerate() {
            *c.broken.entry(cause).or_default() += u64::from(streams.broken[number]);
        }
    }
    sum
}

/// Cause for which the latest connection of a flow broke; empty if it did not.
pub(crate) fn break_cause(world: &World, flow: usize) -> &'static str {
    let FlowTransport::Tcp(streams) = &world.flows[flow].carrier else { return "" };
    streams.end.map_or("", cause_name)
}

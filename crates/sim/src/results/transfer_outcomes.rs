//! Outcomes of transfers and connections: completed, failed or under way; open or broken, and why.

use crate::ground::reset_causes::{CAUSES, cause_name};
use crate::host::flow::{FlowTransport, StreamFlow};
use crate::host::hosts::World;
use crate::host::sockets::Socket;
use crate::results::group_summary::{ConnectionCounts, TransferCounts};
use std::ops::Range;
use tailrace_transport::ResetCause;

fn streams_of(world: &World, flows: Range<usize>) -> impl Iterator<Item = (usize, &StreamFlow)> {
    flows.filter_map(|f| match &world.flows[f].carrier {
        FlowTransport::Streams(streams) => Some((f, &**streams)),
        FlowTransport::Datagrams(_) => None,
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
        let fails = |s: &&Socket| s.has_failed() || (s.is_transferring() && has_lost_addresses(world, s));
        let failed = world.sockets_of(f).filter(fails).count() as u64;
        let (started, failed) = (u64::from(streams.begun), u64::from(streams.failed) + failed);
        let completed = world.flows[f].stats.completed;
        // Data that was on its way when a client's connection broke may still arrive and complete the transfer.
        let failed = failed.min(started.saturating_sub(completed));
        t.started += started;
        t.completed += completed;
        t.failed += failed;
        t.under_way += started - completed - failed;
        t.asked = t.asked.zip(streams.count()).map(|(sum, n)| sum + u64::from(n));
        // A player begins a segment anew whose connection broke.
        let not_begun = |n: u32| u64::from(n).saturating_sub(started);
        t.not_begun = t.not_begun.zip(streams.count()).map(|(sum, n)| sum + not_begun(n));
    }
    sum
}

/// Connections of flows; `None` for UDP.
pub(crate) fn connections(world: &World, flows: Range<usize>) -> Option<ConnectionCounts> {
    let mut sum: Option<ConnectionCounts> = None;
    for (f, streams) in streams_of(world, flows) {
        let c = sum.get_or_insert_with(ConnectionCounts::default);
        c.opened += u64::from(streams.connections);
        let clients = world.sockets_of(f).filter(|s| !s.end().is_server() && !s.endpoint.is_over());
        let (open, lost) = clients.fold((0, 0), |(open, lost), s| match has_lost_addresses(world, s) {
            true => (open, lost + 1),
            false => (open + 1, lost),
        });
        c.open += open;
        for (number, (cause, name)) in CAUSES.iter().enumerate() {
            let lost = if *cause == ResetCause::AddressLost { lost } else { 0 };
            *c.broken.entry(name).or_default() += u64::from(streams.broken[number]) + lost;
        }
    }
    sum
}

/// Cause for which the latest connection of a flow broke; empty if it did not.
pub(crate) fn break_cause(world: &World, flow: usize) -> &'static str {
    let FlowTransport::Streams(streams) = &world.flows[flow].carrier else { return "" };
    let lost = || world.sockets.get(world.flows[flow].latest).is_some_and(|s| has_lost_addresses(world, s));
    streams.end.or_else(|| lost().then_some(ResetCause::AddressLost)).map_or("", cause_name)
}

/// Whether the connection of this client's socket has no subflow, since the addresses of the last ones are gone at either end, and has
/// not been given up yet. A subflow that joins makes an end of this.
fn has_lost_addresses(world: &World, client: &Socket) -> bool {
    let at_peer = || world.sockets.get(client.envelope.peer).is_some_and(|s| s.endpoint.has_lost_addresses());
    let ends = !client.end().is_server() && !client.endpoint.is_over();
    ends && (client.endpoint.has_lost_addresses() || at_peer())
}

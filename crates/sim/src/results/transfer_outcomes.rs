//! What became of what applications were asked for: transfers that ended and that did not, connections that broke, and why.

use crate::ground::reset_causes::{CAUSES, cause_name};
use crate::host::flow::{Carrier, Streams};
use crate::host::hosts::World;
use crate::results::group_summary::{Connections, Transfers};
use std::ops::Range;

impl World {
    fn streams_of(&self, flows: Range<usize>) -> impl Iterator<Item = (usize, &Streams)> {
        flows.filter_map(|f| match &self.flows[f].carrier {
            Carrier::Tcp(streams) => Some((f, &**streams)),
            Carrier::Udp(_) => None,
        })
    }

    /// Transfers or exchanges of these flows; none where there are no such things.
    pub(crate) fn transfers(&self, flows: Range<usize>) -> Option<Transfers> {
        let mut sum: Option<Transfers> = None;
        for (f, streams) in self.streams_of(flows).filter(|(_, streams)| streams.transfers()) {
            let t = sum.get_or_insert_with(|| Transfers {
                asked: streams.count().map(|_| 0),
                not_begun: streams.count().map(|_| 0),
                ..Transfers::default()
            });
            let failed = self.sockets_of(f).filter(|s| s.has_failed()).count() as u64;
            let (started, failed) = (u64::from(streams.begun), u64::from(streams.failed) + failed);
            let completed = self.flows[f].tally.completed;
            t.started += started;
            t.completed += completed;
            t.failed += failed;
            t.under_way += started - completed - failed;
            t.asked = t.asked.zip(streams.count()).map(|(sum, n)| sum + u64::from(n));
            t.not_begun = t.not_begun.zip(streams.count()).map(|(sum, n)| sum + u64::from(n) - started);
        }
        sum
    }

    /// Connections of these flows; none of UDP.
    pub(crate) fn connections(&self, flows: Range<usize>) -> Option<Connections> {
        let mut sum: Option<Connections> = None;
        for (f, streams) in self.streams_of(flows) {
            let c = sum.get_or_insert_with(Connections::default);
            c.opened += u64::from(streams.connections);
            let clients = self.sockets_of(f).filter(|s| !s.end().is_server());
            c.open += clients.filter(|s| !s.endpoint.is_over()).count() as u64;
            for (number, (_, cause)) in CAUSES.iter().enumerate() {
                *c.broken.entry(cause).or_default() += u64::from(streams.broken[number]);
            }
        }
        sum
    }

    /// Why the latest connection of a flow broke; empty where it did not.
    pub(crate) fn end_of(&self, flow: usize) -> &'static str {
        let Carrier::Tcp(streams) = &self.flows[flow].carrier else { return "" };
        streams.end.map_or("", cause_name)
    }
}

//! Time series of the data level of Multipath TCP.

use super::multipath::Sender;
use crate::columns::columns;
use crate::output::Table;
use crate::table::TableBuilder;
use tailrace_transport::mptcp::Mptcp;

/// One direction of a connection at a sample.
pub(crate) struct Row<'a> {
    pub(crate) of: &'a Sender<'a>,
    pub(crate) sender: &'a Mptcp,
    /// The other end, if there is one yet.
    pub(crate) receiver: Option<&'a Mptcp>,
    /// How many of its subflows may carry data.
    pub(crate) usable: u32,
    pub(crate) jitter_s: f64,
    pub(crate) displacement_bytes: u64,
}

columns! {
    "connection_series", "A row for each connection, each sample and each end that sends.", |r: Row<'_>| {
        run: U32 = r.of.run, "", "The number of the run.";
        time_s: F64 = r.of.now.as_secs_f64(), "s", "The time of the sample.";
        group: Text = r.of.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.of.member, "", "The number of the flow within its group, from 0.";
        end: Text = r.of.end, "", "Which end sends: `client` or `server`.";
        acked_bytes: U64 = r.sender.progress().0, "bytes", "Bytes acknowledged at the data level.";
        sent_bytes: U64 = r.sender.progress().1, "bytes", "Bytes given to subflows for the first time.";
        delivered_bytes: U64 = r.receiver.map_or(0, |r| r.stats().bytes_delivered), "bytes", "Bytes delivered to the receiving application, in order.";
        waiting_bytes: U64 = r.receiver.map_or(0, Mptcp::waiting_bytes), "bytes", "Bytes that wait at the receiver because earlier ones are missing.";
        reinjected_bytes: U64 = r.sender.stats().reinjected_bytes, "bytes", "Bytes sent again on another subflow.";
        window_stalls: U64 = r.sender.stats().window_stalls, "", "How often the receive window kept a subflow from sending although its own window had room.";
        subflows: U32 = r.usable, "", "How many subflows may carry data at the moment.";
        jitter_s: F64 = r.jitter_s, "s", "By how much the transit time differs from one delivery to the next, mean over the last interval; null if there were none.";
        displacement_bytes: U64 = r.displacement_bytes, "bytes", "How far ahead of its order data arrived; the largest distance in the last interval.";
    }
}

/// The table being filled.
#[derive(Debug)]
pub(crate) struct ConnectionSeries(TableBuilder);

impl ConnectionSeries {
    pub(crate) fn new() -> Self {
        Self(new_table())
    }

    pub(crate) fn add(&mut self, row: &Row<'_>) {
        add(&mut self.0, row);
    }

    /// The rows since the last time.
    pub(crate) fn take(&mut self) -> Table {
        self.0.take()
    }

    /// Memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

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
    "connection_series", "One row a connection, sample and end that sends.", |r: Row<'_>| {
        run: U32 = r.of.run, "", "Number of the run.";
        time_s: F64 = r.of.now.as_secs_f64(), "s", "Time of the sample.";
        group: Text = r.of.group, "", "Name of the `[[flow]]`.";
        flow: U32 = r.of.member, "", "Position within the group, from 0.";
        end: Text = r.of.end, "", "`client` or `server`: the sender.";
        acked_bytes: U64 = r.sender.progress().0, "bytes", "Acknowledged at the data level.";
        sent_bytes: U64 = r.sender.progress().1, "bytes", "Given to subflows for the first time.";
        delivered_bytes: U64 = r.receiver.map_or(0, |r| r.stats().bytes_delivered), "bytes", "Delivered to the receiving application in order.";
        waiting_bytes: U64 = r.receiver.map_or(0, Mptcp::waiting_bytes), "bytes", "At the receiver, waiting for others before them.";
        reinjected_bytes: U64 = r.sender.stats().reinjected_bytes, "bytes", "Sent again on another subflow.";
        window_stalls: U64 = r.sender.stats().window_stalls, "", "Times the peer's window kept a subflow with room from sending.";
        subflows: U32 = r.usable, "", "Subflows that may carry data at the moment.";
        jitter_s: F64 = r.jitter_s, "s", "Mean difference between the transit times of one delivery and the next, over the last interval; null without any.";
        displacement_bytes: U64 = r.displacement_bytes, "bytes", "The largest of the last interval: how far ahead of its order data arrived.";
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

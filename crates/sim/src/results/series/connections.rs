//! Time series of the MPTCP data level.

use crate::foreign::remote::RemoteSocket;
use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::table::TableBuilder;
use crate::results::series::sender::SendingEnd;
use tailrace_transport::mptcp::Mptcp;

/// A direction of a connection at a sample. Missing values are not reported by its stack.
pub(crate) struct ConnectionSample<'a> {
    pub(crate) of: &'a SendingEnd<'a>,
    pub(crate) acked_bytes: Option<u64>,
    pub(crate) sent_bytes: Option<u64>,
    pub(crate) delivered_bytes: u64,
    pub(crate) waiting_bytes: Option<u64>,
    pub(crate) reinjected_bytes: Option<u64>,
    pub(crate) window_stalls: Option<u64>,
    /// Number of subflows that may carry data.
    pub(crate) usable: u32,
    pub(crate) jitter_s: f64,
    pub(crate) displacement_bytes: Option<u64>,
}

impl ConnectionSample<'_> {
    /// Fills in the state of a simulated sender.
    pub(crate) fn send_as(&mut self, sender: &Mptcp) {
        let (acked, sent) = sender.progress();
        (self.acked_bytes, self.sent_bytes) = (Some(acked), Some(sent));
        self.reinjected_bytes = Some(sender.stats().reinjected_bytes);
        self.window_stalls = Some(sender.stats().window_stalls);
    }

    /// Fills in the reports of a foreign sender's stack.
    pub(crate) fn send_as_foreign(&mut self, sender: &RemoteSocket) {
        let Some(stream) = sender.stream() else { return };
        (self.acked_bytes, self.sent_bytes) = (Some(stream.acked_bytes), Some(stream.sent_bytes));
        self.reinjected_bytes = Some(stream.reinjected_bytes);
    }
}

columns! {
    "connection_series", "A row for each connection, each sample and each end that sends.", |r: ConnectionSample<'_>| {
        run: U32 = r.of.run, "", "The number of the run.";
        time_s: F64 = r.of.now.as_secs_f64(), "s", "The time of the sample.";
        group: Text = r.of.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.of.member, "", "The number of the flow within its group, from 0.";
        end: Text = r.of.end, "", "Sending end: `client` or `server`.";
        acked_bytes: Count = r.acked_bytes, "bytes", "Bytes acknowledged at the data level; null with a kernel that does not tell (before 6.5).";
        sent_bytes: Count = r.sent_bytes, "bytes", "Bytes scheduled on subflows for the first time; null with a kernel that does not tell (before 6.5).";
        delivered_bytes: U64 = r.delivered_bytes, "bytes", "Bytes delivered to the receiving application, in order.";
        waiting_bytes: Count = r.waiting_bytes, "bytes", "Bytes in the receiver's out-of-order queue; null at a kernel.";
        reinjected_bytes: Count = r.reinjected_bytes, "bytes", "Bytes sent again on another subflow; null with a kernel that does not tell (before 6.5).";
        window_stalls: Count = r.window_stalls, "", "Number of times that the receive window kept a subflow from sending although its congestion window had room; null with a kernel.";
        subflows: U32 = r.usable, "", "Number of subflows that may carry data at the moment.";
        jitter_s: F64 = r.jitter_s, "s", "Jitter: difference between the transit times of consecutive deliveries, mean over the last interval; null if there were none.";
        displacement_bytes: Count = r.displacement_bytes, "bytes", "Largest displacement in the last interval: distance of arriving data from the next byte expected. Null at a kernel.";
    }
}

/// Table being filled.
#[derive(Debug)]
pub(crate) struct ConnectionSeries(TableBuilder);

impl ConnectionSeries {
    pub(crate) fn new() -> Self {
        Self(new_table())
    }

    pub(crate) fn add(&mut self, row: &ConnectionSample<'_>) {
        add(&mut self.0, row);
    }

    /// Takes the rows since the previous call.
    pub(crate) fn take(&mut self) -> Table {
        self.0.take()
    }

    /// Memory of the rows in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

//! Time series of subflows of Multipath TCP.

use super::flows::{rtt_s, ssthresh_bytes};
use super::multipath::Sender;
use crate::columns::columns;
use crate::output::Table;
use crate::table::TableBuilder;
use tailrace_transport::mptcp::SubflowReport;

/// A subflow at a sample.
struct Row<'a> {
    of: &'a Sender<'a>,
    subflow: &'a SubflowReport,
    link: &'a str,
}

columns! {
    "subflow_series", "One row a subflow and sample, at the end that sends.", |r: Row<'_>| {
        run: U32 = r.of.run, "", "Number of the run.";
        time_s: F64 = r.of.now.as_secs_f64(), "s", "Time of the sample.";
        group: Text = r.of.group, "", "Name of the `[[flow]]`.";
        flow: U32 = r.of.member, "", "Position within the group, from 0.";
        end: Text = r.of.end, "", "`client` or `server`: the sender.";
        subflow: U32 = r.subflow.id as u32, "", "Its place in the connection; taken by another once it is over.";
        link: Text = r.link, "", "The link on which it leaves the sender, and the gateways of its source route, as under `paths`.";
        usable: U32 = u32::from(r.subflow.usable), "0, 1", "Whether it may carry data at the moment.";
        backup: U32 = u32::from(r.subflow.backup), "0, 1", "Whether it is a backup.";
        cwnd_bytes: F64 = r.subflow.view.cwnd.as_f64(), "bytes", "Its congestion window.";
        ssthresh_bytes: F64 = ssthresh_bytes(&r.subflow.view), "bytes", "Slow-start threshold; null while it is unlimited.";
        rtt_s: F64 = rtt_s(&r.subflow.view), "s", "Smoothed round-trip time; null before the first sample.";
        in_flight_bytes: F64 = r.subflow.view.in_flight.as_f64(), "bytes", "Its estimate of what is in the network.";
        scheduled_bytes: U64 = r.subflow.stats.scheduled_bytes, "bytes", "Given to it to carry.";
        reinjected_bytes: U64 = r.subflow.stats.reinjected_bytes, "bytes", "Of those, what others had carried before.";
        retransmitted_packets: U64 = r.subflow.tcp.retransmitted_segments, "packets", "Segments that its TCP sent again.";
        timeouts: U64 = u64::from(r.subflow.tcp.timeouts), "", "Expiries of its TCP's retransmission timer.";
    }
}

/// The table being filled.
#[derive(Debug)]
pub(crate) struct SubflowSeries(TableBuilder);

impl SubflowSeries {
    pub(crate) fn new() -> Self {
        Self(new_table())
    }

    /// Adds a subflow that leaves by a link.
    pub(crate) fn add(&mut self, of: &Sender<'_>, subflow: &SubflowReport, link: &str) {
        add(&mut self.0, &Row { of, subflow, link });
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

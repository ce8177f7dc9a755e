//! Time series of MPTCP subflows.

use crate::foreign::socket::SubflowStats;
use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::table::TableBuilder;
use crate::results::series::flows::{rtt_s, ssthresh_bytes};
use crate::results::series::sender::SendingEnd;
use tailrace_transport::TcpView;
use tailrace_transport::mptcp::SubflowReport;

/// A subflow at a sample.
pub(crate) struct SubflowSample<'a> {
    pub(crate) id: usize,
    pub(crate) link: &'a str,
    pub(crate) usable: bool,
    pub(crate) backup: bool,
    pub(crate) view: TcpView,
    pub(crate) scheduled_bytes: u64,
    /// Reinjected bytes, if its stack reports them.
    pub(crate) reinjected_bytes: Option<u64>,
    pub(crate) retransmitted_packets: u64,
    /// Retransmission timeouts, if its stack reports them.
    pub(crate) timeouts: Option<u64>,
}

impl<'a> SubflowSample<'a> {
    /// Subflow of a simulated host.
    pub(crate) fn simulated(subflow: &SubflowReport, link: &'a str) -> Self {
        Self {
            id: subflow.id,
            link,
            usable: subflow.usable,
            backup: subflow.backup,
            view: subflow.view,
            scheduled_bytes: subflow.stats.scheduled_bytes,
            reinjected_bytes: Some(subflow.stats.reinjected_bytes),
            retransmitted_packets: subflow.tcp.retransmitted_segments,
            timeouts: Some(subflow.tcp.timeouts.into()),
        }
    }

    /// Subflow of a foreign host.
    pub(crate) fn foreign((id, subflow): (usize, &SubflowStats), link: &'a str, backup: bool) -> Self {
        Self {
            id,
            link,
            usable: subflow.usable,
            backup,
            view: subflow.view,
            scheduled_bytes: subflow.scheduled_bytes,
            reinjected_bytes: None,
            retransmitted_packets: subflow.stats.retransmitted_segments,
            timeouts: (!subflow.lacks_timeouts).then_some(subflow.stats.timeouts.into()),
        }
    }
}

struct SubflowRow<'a> {
    of: &'a SendingEnd<'a>,
    subflow: &'a SubflowSample<'a>,
}

columns! {
    "subflow_series", "A row for each subflow and each sample, at the end that sends.", |r: SubflowRow<'_>| {
        run: U32 = r.of.run, "", "The number of the run.";
        time_s: F64 = r.of.now.as_secs_f64(), "s", "The time of the sample.";
        group: Text = r.of.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.of.member, "", "The number of the flow within its group, from 0.";
        end: Text = r.of.end, "", "Sending end: `client` or `server`.";
        subflow: U32 = r.subflow.id as u32, "", "The number of the subflow in its connection. Once a subflow is over, another one may get its number.";
        link: Text = r.subflow.link, "", "The link on which the subflow leaves the sender, and the gateways of its source route, named as under `paths`.";
        usable: U32 = u32::from(r.subflow.usable), "0, 1", "Whether the subflow may carry data at the moment.";
        backup: U32 = u32::from(r.subflow.backup), "0, 1", "Whether the subflow is a backup.";
        cwnd_bytes: F64 = r.subflow.view.cwnd.as_f64(), "bytes", "The congestion window.";
        ssthresh_bytes: F64 = ssthresh_bytes(&r.subflow.view), "bytes", "The slow-start threshold; null while it is unlimited.";
        rtt_s: F64 = rtt_s(&r.subflow.view), "s", "The smoothed round-trip time; null before the first measurement.";
        in_flight_bytes: F64 = r.subflow.view.in_flight.as_f64(), "bytes", "Data in flight by the sender's estimate.";
        scheduled_bytes: U64 = r.subflow.scheduled_bytes, "bytes", "Bytes scheduled on the subflow since the start of the run.";
        reinjected_bytes: Count = r.subflow.reinjected_bytes, "bytes", "Bytes of these that other subflows had carried before; null with a kernel.";
        retransmitted_packets: U64 = r.subflow.retransmitted_packets, "packets", "Segments that the subflow's TCP sent again.";
        timeouts: Count = r.subflow.timeouts, "", "Number of expirations of the subflow's retransmission timer; null with a kernel that does not count that (before 6.7).";
    }
}

/// Table being filled.
#[derive(Debug)]
pub(crate) struct SubflowSeries(TableBuilder);

impl SubflowSeries {
    pub(crate) fn new() -> Self {
        Self(new_table())
    }

    /// Adds a subflow.
    pub(crate) fn add(&mut self, of: &SendingEnd<'_>, subflow: &SubflowSample<'_>) {
        add(&mut self.0, &SubflowRow { of, subflow });
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

//! Counters and reports of a connection, its subflows and its paths.

use super::path_manager::AddressId;
use super::source_route::SourceRoute;
use super::subflow::state::SubflowState;
use super::subflow::{Subflow, SubflowStats, Tuple};
use crate::tcp::{TcpStats, TcpView};

/// Counters of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MptcpStats {
    /// Bytes delivered to the application in order.
    pub bytes_delivered: u64,
    /// Bytes that arrived at the data level for the first time, in order or not.
    pub new_bytes: u64,
    /// Bytes that arrived more than once at the data level.
    pub duplicate_bytes: u64,
    /// Largest size of the out-of-order queue, bytes.
    pub max_waiting_bytes: u64,
    /// Bytes that the peer has acknowledged at the data level.
    pub bytes_acked: u64,
    /// Bytes given to a subflow after another had carried them.
    pub reinjected_bytes: u64,
    /// Bytes among those that were reinjected because they blocked the receive window.
    pub opportunistic_bytes: u64,
    /// Windows halved because their subflow blocked the receive window.
    pub penalties: u64,
    /// Times that data waited for the peer's window while a subflow had room.
    pub window_stalls: u64,
    /// Retransmission timeouts of the subflows.
    pub timeouts: u32,
    /// Data-level retransmission timeouts.
    pub data_timeouts: u64,
    /// Times that a subflow was found stale.
    pub stale_subflows: u32,
    /// Mappings whose checksum was wrong.
    pub checksum_failures: u64,
    /// Subflows that were established.
    pub subflows_established: u32,
    /// Subflows that broke or were refused; joins for which there was no route have never begun.
    pub subflows_lost: u32,
}

/// Counters of all subflows between two addresses by the same gateways, if any.
#[derive(Clone, Copy, Debug)]
pub struct PathReport {
    /// This end's address.
    pub local: u32,
    /// The peer's address.
    pub remote: u32,
    /// Gateways that they went through.
    pub route: Option<SourceRoute>,
    /// Number of subflows.
    pub subflows: u32,
    /// Their counters in the connection.
    pub stats: SubflowStats,
    /// Their TCPs' counters.
    pub tcp: TcpStats,
}

/// Counters by path.
#[derive(Clone, Debug, Default)]
pub(super) struct PathReports(Vec<PathReport>);

impl PathReports {
    /// Adds a subflow to its path, unless it never had a route.
    pub(super) fn add(&mut self, s: &Subflow) {
        if s.state() == SubflowState::Unrouted {
            return;
        }
        let (local, remote, route) = (s.tuple.local, s.tuple.remote, s.route);
        let known = self.0.iter().position(|p| (p.local, p.remote, p.route) == (local, remote, route));
        let i = known.unwrap_or_else(|| {
            let (stats, tcp) = (SubflowStats::default(), TcpStats::default());
            self.0.push(PathReport { local, remote, route, subflows: 0, stats, tcp });
            self.0.len() - 1
        });
        let path = &mut self.0[i];
        path.subflows += 1;
        let stats = s.stats();
        path.stats.scheduled_bytes += stats.scheduled_bytes;
        path.stats.reinjected_bytes += stats.reinjected_bytes;
        path.stats.penalties += stats.penalties;
        path.tcp.add(s.tcp.stats());
    }

    /// Sum of the counters of their TCPs.
    pub(super) fn tcp_stats(&self) -> TcpStats {
        let mut sum = TcpStats::default();
        self.0.iter().for_each(|p| sum.add(&p.tcp));
        sum
    }

    pub(super) fn into_vec(self) -> Vec<PathReport> {
        self.0
    }
}

/// State of a subflow, for series and results.
#[derive(Clone, Copy, Debug)]
pub struct SubflowReport {
    /// Id in the connection.
    pub id: usize,
    /// Addresses and ports.
    pub tuple: Tuple,
    /// Gateways that it goes through.
    pub route: Option<SourceRoute>,
    /// Id of this end's address.
    pub local: AddressId,
    /// Id of the peer's address.
    pub remote: AddressId,
    /// Whether it is a backup.
    pub backup: bool,
    /// Whether it may carry data at the moment.
    pub usable: bool,
    /// Its TCP.
    pub view: TcpView,
    /// Its TCP's counters.
    pub tcp: TcpStats,
    /// Its counters in the connection.
    pub stats: SubflowStats,
}

impl SubflowReport {
    /// Report of subflow `id`, in a connection that can carry data if `open`.
    pub(super) fn new(id: usize, s: &Subflow, open: bool) -> Self {
        Self {
            id,
            tuple: s.tuple,
            route: s.route,
            local: s.local,
            remote: s.remote,
            backup: s.priority.is_backup(),
            usable: s.is_usable(open),
            view: s.tcp.view(),
            tcp: *s.tcp.stats(),
            stats: s.stats(),
        }
    }
}

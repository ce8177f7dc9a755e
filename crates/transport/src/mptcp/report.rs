//! Counters and reports of a connection, its subflows and its paths.

use super::path_manager::AddressId;
use super::source_route::SourceRoute;
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
    /// Most bytes that waited for others before them.
    pub max_waiting_bytes: u64,
    /// Bytes that the peer has acknowledged at the data level.
    pub bytes_acked: u64,
    /// Bytes handed to a subflow after another had carried them.
    pub reinjected_bytes: u64,
    /// Of those, bytes sent because they blocked the receive window.
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

/// All subflows between two addresses by the same gateways, if any.
#[derive(Clone, Copy, Debug)]
pub struct PathReport {
    /// This end's address.
    pub local: u32,
    /// The peer's address.
    pub remote: u32,
    /// The gateways that they went through.
    pub route: Option<SourceRoute>,
    /// How many there were.
    pub subflows: u32,
    /// Their counters in the connection.
    pub stats: SubflowStats,
    /// Their TCPs' counters.
    pub tcp: TcpStats,
}

/// Counts a subflow among those of its path.
pub(super) fn add_to(paths: &mut Vec<PathReport>, s: &Subflow) {
    if s.unrouted {
        return;
    }
    let (local, remote, route) = (s.tuple.local, s.tuple.remote, s.route);
    let known = paths.iter().position(|p| (p.local, p.remote, p.route) == (local, remote, route));
    let i = known.unwrap_or_else(|| {
        let (stats, tcp) = (SubflowStats::default(), TcpStats::default());
        paths.push(PathReport { local, remote, route, subflows: 0, stats, tcp });
        paths.len() - 1
    });
    let path = &mut paths[i];
    path.subflows += 1;
    let stats = s.stats();
    path.stats.scheduled_bytes += stats.scheduled_bytes;
    path.stats.reinjected_bytes += stats.reinjected_bytes;
    path.stats.penalties += stats.penalties;
    path.tcp.add(s.tcp.stats());
}

/// A subflow for series and results.
#[derive(Clone, Copy, Debug)]
pub struct SubflowReport {
    /// Its place in the connection.
    pub id: usize,
    /// Addresses and ports.
    pub tuple: Tuple,
    /// The gateways that it goes through.
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

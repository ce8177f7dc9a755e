//! Messages between the simulator and the agent: commands for sockets and address changes, and events of sockets. They
//! are JSON in datagrams on the guest's control device, a list of messages in each.

use core::net::{Ipv4Addr, SocketAddrV4};
use serde::{Deserialize, Serialize};

/// Address of the simulator on the control interface.
pub const SIMULATOR: Ipv4Addr = Ipv4Addr::new(240, 0, 0, 1);
/// Address of the agent there.
pub const AGENT: Ipv4Addr = Ipv4Addr::new(240, 0, 0, 2);
/// UDP port of both.
pub const PORT: u16 = 1;

/// Largest payload of a datagram, bytes: fits the MTU of the control interface.
pub const MOST_BYTES: usize = 1400;

/// Socket pair that identifies a connection (RFC 9293 §3.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SocketPair {
    /// Address and port at the host that the agent serves.
    pub local: SocketAddrV4,
    /// Address and port of the peer; of Multipath TCP, those of the first subflow.
    pub remote: SocketAddrV4,
}

/// Options of a stream socket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketKind {
    /// Multipath TCP.
    pub multipath: bool,
    /// `TCP_CONGESTION`; the kernel's default if `None`.
    pub congestion_control: Option<String>,
    /// Whether data is read by [`SocketOperation::Read`] only, instead of on arrival.
    pub waits_for_reads: bool,
    /// Whether arrivals are reported at once ([`SocketReport::Delivered`]) and not in the mailbox.
    pub listens: bool,
    /// `IP_TOS`.
    pub traffic_class: u8,
}

/// Message from the simulator to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlMessage {
    /// Order to a socket.
    Socket(SocketCommand),
    /// Address changes: device number and new address of each interface whose address changes at this time.
    Addresses(Vec<(u16, Ipv4Addr)>),
}

/// Order with the socket that it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketCommand {
    /// Socket.
    pub socket: SocketPair,
    /// Order.
    pub order: SocketOperation,
}

/// Order to a socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SocketOperation {
    /// Open the connection.
    Connect(SocketKind),
    /// Send this many more bytes; `u64::MAX`: without end.
    Write(u64),
    /// Send FIN when everything is sent.
    Close,
    /// Read up to this many bytes.
    Read(u64),
    /// Send a datagram.
    Send {
        /// Bytes of payload.
        payload: u16,
        /// First eight bytes of the payload, little-endian.
        stamp: u64,
    },
}

/// Message from the agent to the simulator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketEvent {
    /// Socket.
    pub socket: SocketPair,
    /// Report.
    pub report: SocketReport,
}

/// Report of a socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SocketReport {
    /// A listener has accepted this connection.
    Accepted,
    /// The handshake of [`SocketOperation::Connect`] is complete.
    Connected,
    /// Number of bytes read, or arrived to be read, since the last report.
    Delivered(u64),
    /// The same for sockets without `listens`: may wait in the mailbox until the guest is idle.
    Noted(u64),
    /// Number of bytes read that differ from the known pattern of payloads.
    Wrong(u64),
    /// FIN received, and all data before it read.
    PeerClosed,
    /// FIN sent and received.
    Closed,
    /// Connection reset or failed.
    Broken(ResetCause),
    /// A datagram has come.
    Datagram {
        /// Bytes of payload.
        payload: u16,
        /// First eight bytes of the payload, little-endian.
        stamp: u64,
    },
    /// `tcp_info` of a subflow; precedes `Counted` of its connection.
    Subflow(SocketPair, TcpInfo),
    /// `mptcp_info` of the data level (Multipath TCP); precedes `Counted` of the connection.
    Stream(MptcpInfo),
    /// `tcp_info` of the connection, at every sample and before it ends. With Multipath TCP, sums over subflows.
    Counted(TcpInfo),
    /// Error that ends the run: a socket cannot be opened, or an address cannot be set.
    Failed(String),
}

/// Reason why a connection broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResetCause {
    /// `ECONNREFUSED`.
    Refused,
    /// `ECONNRESET`, `EPIPE`.
    Reset,
    /// `ETIMEDOUT`, `EHOSTUNREACH`, `ENETUNREACH`.
    TimedOut,
    /// Other errors.
    Other,
}

/// State of the data level of Multipath TCP in kernels since 6.5 (`struct mptcp_info`, `include/uapi/linux/mptcp.h`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MptcpInfo {
    /// `mptcpi_bytes_sent`: handed to subflows for the first time.
    pub bytes_sent: u64,
    /// `mptcpi_bytes_retrans`: reinjected on another subflow.
    pub bytes_again: u64,
    /// `mptcpi_bytes_acked`.
    pub bytes_acked: u64,
}

/// State of a connection in the kernel (`struct tcp_info` of Linux, `include/uapi/linux/tcp.h`). For Multipath TCP,
/// counters and windows are summed over the present subflows, and times are those of the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpInfo {
    /// Whether the connection is Multipath TCP.
    pub multipath: bool,
    /// Whether data can be sent: `tcpi_state` is ESTABLISHED or CLOSE-WAIT.
    pub usable: bool,
    /// `tcpi_snd_mss`, bytes.
    pub mss: u32,
    /// `tcpi_snd_cwnd`, bytes.
    pub cwnd: u64,
    /// `tcpi_snd_ssthresh`, bytes; none while it is unlimited.
    pub ssthresh: Option<u64>,
    /// Estimate of the bytes in flight: `tcpi_unacked - tcpi_sacked - tcpi_lost + tcpi_retrans`, in segments of `mss`.
    pub in_flight: u64,
    /// `tcpi_rtt`, microseconds.
    pub rtt: u32,
    /// `tcpi_rttvar`, microseconds.
    pub rtt_var: u32,
    /// `tcpi_min_rtt`, microseconds; none before the first sample.
    pub min_rtt: Option<u32>,
    /// `tcpi_rto`, microseconds.
    pub rto: u32,
    /// `tcpi_segs_out`.
    pub segments_sent: u64,
    /// `tcpi_total_retrans`.
    pub retransmitted_segments: u64,
    /// `tcpi_bytes_sent`.
    pub bytes_sent: u64,
    /// `tcpi_bytes_retrans`.
    pub retransmitted_bytes: u64,
    /// `tcpi_bytes_acked`.
    pub bytes_acked: u64,
    /// `tcpi_notsent_bytes`.
    pub bytes_waiting: u64,
    /// `tcpi_total_rto`; none of kernels before 6.7.
    pub timeouts: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_messages_round_trip_and_fit_a_datagram() {
        let at = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1);
        let write = SocketCommand {
            socket: SocketPair { local: at, remote: at },
            order: SocketOperation::Write(u64::MAX),
        };
        let most = (100..152).map(|card| (card, Ipv4Addr::BROADCAST)).collect();
        let words = [ControlMessage::Socket(write), ControlMessage::Addresses(most)];
        for word in words {
            let list = vec![word];
            let text = serde_json::to_vec(&list).unwrap();
            assert!(text.len() <= MOST_BYTES, "{}", text.len());
            assert_eq!(serde_json::from_slice::<Vec<ControlMessage>>(&text).unwrap(), list);
        }
    }
}

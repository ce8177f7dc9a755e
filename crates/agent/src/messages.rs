//! Messages between the simulator and the agent: commands for sockets and address changes, and events of sockets. They
//! are JSON in datagrams on the guest's control device, a list of messages in each.

use core::net::{Ipv4Addr, SocketAddrV4};
use serde::{Deserialize, Serialize};

/// The simulator's address on a control card.
pub const SIMULATOR: Ipv4Addr = Ipv4Addr::new(240, 0, 0, 1);
/// The agent's.
pub const AGENT: Ipv4Addr = Ipv4Addr::new(240, 0, 0, 2);
/// Both speak from and to this UDP port.
pub const PORT: u16 = 1;

/// Most bytes that a datagram should have: what its card's packets take, less headers.
pub const MOST_BYTES: usize = 1400;

/// Addresses and ports of a connection: this end's, the other's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pair {
    /// Address and port at the host that the agent serves.
    pub local: SocketAddrV4,
    /// Address and port of the peer; with several, those with which the connection began.
    pub remote: SocketAddrV4,
}

/// Kind of socket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Multipath TCP.
    pub multipath: bool,
    /// `TCP_CONGESTION`; what the kernel takes by itself where none is given.
    pub congestion_control: Option<String>,
    /// Data is read on the simulator's command, and otherwise at once.
    pub waits_for_reads: bool,
    /// The simulator wants to hear at once that something has come.
    pub listens: bool,
    /// `IP_TOS`.
    pub traffic_class: u8,
}

/// A word of the simulator's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// To a socket.
    Socket(Command),
    /// Cards, by their numbers, have these addresses from now on in place of those that they had: all that change at that time.
    Addresses(Vec<(u16, Ipv4Addr)>),
}

/// Command for a socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The socket that it is about.
    pub socket: Pair,
    /// The order.
    pub order: Order,
}

/// Order to a socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Open the connection.
    Connect(Kind),
    /// Send so many bytes more; `u64::MAX` for as long as it is open.
    Write(u64),
    /// Send nothing more when all is sent.
    Close,
    /// Take so many bytes of what has come.
    Read(u64),
    /// Send a datagram with so many bytes of payload, which begins with the stamp.
    Send {
        /// Bytes.
        payload: u16,
        /// The first eight of them, the lowest first.
        stamp: u64,
    },
}

/// A word of the agent's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The socket that it is about.
    pub socket: Pair,
    /// The report.
    pub report: Report,
}

/// Report of a socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// A client has connected to a listener.
    Accepted,
    /// The connection that was to be opened is open.
    Connected,
    /// More bytes have been read, or can be.
    Delivered(u64),
    /// The same, of which it is early enough to hear when the guest waits.
    Noted(u64),
    /// Bytes that were read and differ from the streams' content.
    Wrong(u64),
    /// The other end sends nothing more.
    PeerClosed,
    /// Both ends have sent all.
    Closed,
    /// It broke.
    Broken(Cause),
    /// A datagram has come.
    Datagram {
        /// Bytes of payload.
        payload: u16,
        /// The first eight of them, the lowest first.
        stamp: u64,
    },
    /// `tcp_info` of one of its subflows. These precede that of the connection.
    Subflow(Pair, Figures),
    /// `mptcp_info` of its data level, for Multipath TCP. This precedes the report of the connection, too.
    Stream(Stream),
    /// `tcp_info` of the connection, at every sample and before it ends.
    Counted(Figures),
    /// It, or an address, cannot be had at all: why.
    Failed(String),
}

/// Reason why a connection broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// `ECONNREFUSED`.
    Refused,
    /// `ECONNRESET`, `EPIPE`.
    Reset,
    /// `ETIMEDOUT`, and that a host cannot be reached.
    TimedOut,
    /// Another one.
    Other,
}

/// State of the data level of Multipath TCP in kernels since 6.5 (`struct mptcp_info`, `include/uapi/linux/mptcp.h`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// `mptcpi_bytes_sent`: given to subflows for the first time.
    pub bytes_sent: u64,
    /// `mptcpi_bytes_retrans`: given to another subflow again.
    pub bytes_again: u64,
    /// `mptcpi_bytes_acked`.
    pub bytes_acked: u64,
}

/// State of a connection in the kernel (`struct tcp_info` of Linux, `include/uapi/linux/tcp.h`). For Multipath TCP,
/// counters and windows are summed over the present subflows, and times are those of the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Whether it is one of Multipath TCP.
    pub multipath: bool,
    /// Whether it may carry data: `tcpi_state` is ESTABLISHED or CLOSE-WAIT.
    pub usable: bool,
    /// `tcpi_snd_mss`, bytes.
    pub mss: u32,
    /// `tcpi_snd_cwnd`, bytes.
    pub cwnd: u64,
    /// `tcpi_snd_ssthresh`, bytes; none while it is unlimited.
    pub ssthresh: Option<u64>,
    /// Segments that are estimated to be in the network, bytes.
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
    fn words_read_back_and_as_many_addresses_as_a_guest_has_cards_fit_into_one() {
        let at = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1);
        let write = Command { socket: Pair { local: at, remote: at }, order: Order::Write(u64::MAX) };
        let most = (100..152).map(|card| (card, Ipv4Addr::BROADCAST)).collect();
        let words = [Word::Socket(write), Word::Addresses(most)];
        for word in words {
            let list = vec![word];
            let text = serde_json::to_vec(&list).unwrap();
            assert!(text.len() <= MOST_BYTES, "{}", text.len());
            assert_eq!(serde_json::from_slice::<Vec<Word>>(&text).unwrap(), list);
        }
    }
}

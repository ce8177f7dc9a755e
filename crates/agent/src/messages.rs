//! What the simulator asks of sockets in a guest and tells of its addresses, and what the agent says of sockets: JSON in datagrams on the guest's control card,
//! a list of words in each.

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
    /// Of the host that the agent serves.
    pub local: SocketAddrV4,
    /// Of the other end; of several, the one that the connection began with.
    pub remote: SocketAddrV4,
}

/// What kind of socket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Multipath TCP.
    pub multipath: bool,
    /// `TCP_CONGESTION`; what the kernel takes by itself where none is given.
    pub congestion_control: Option<String>,
    /// What has come is read when the simulator says so, and else at once.
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

/// What a socket is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The socket that it is about.
    pub socket: Pair,
    /// What is to be done.
    pub order: Order,
}

/// What is to be done with a socket.
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
    /// What has happened.
    pub report: Report,
}

/// What has happened to a socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// A client has connected to a listener.
    Accepted,
    /// The connection that was to be opened is open.
    Connected,
    /// So many bytes more have been read, or can be.
    Delivered(u64),
    /// The same, of which it is early enough to hear when the guest waits.
    Noted(u64),
    /// So many bytes of those that were read are not what streams have in their places.
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
    /// What its kernel says of one of its subflows. These come before what it says of the connection.
    Subflow(Pair, Figures),
    /// What its kernel says of its data level, where it is one of Multipath TCP. This comes before what it says of the connection, too.
    Stream(Stream),
    /// What its kernel says of it, as at every sample and before it is over.
    Counted(Figures),
    /// It, or an address, cannot be had at all: why.
    Failed(String),
}

/// Why a connection broke.
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

/// What a kernel since 6.5 says of the data level of Multipath TCP (`struct mptcp_info`, `include/uapi/linux/mptcp.h`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// `mptcpi_bytes_sent`: given to subflows for the first time.
    pub bytes_sent: u64,
    /// `mptcpi_bytes_retrans`: given to another subflow again.
    pub bytes_again: u64,
    /// `mptcpi_bytes_acked`.
    pub bytes_acked: u64,
}

/// What a kernel says of a connection (`struct tcp_info` of Linux, `include/uapi/linux/tcp.h`). Of Multipath TCP, counters and
/// windows are summed over the subflows that there are, and times are those of the first of them.
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

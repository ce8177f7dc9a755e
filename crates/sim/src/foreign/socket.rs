//! Commands to sockets of foreign hosts, and their reports.

use core::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;
use tailrace_transport::quic::QuicPlan;
use tailrace_transport::{ResetCause, TcpStats, TcpView};

/// Addresses and ports of a connection: the foreign host's and the other end's. With MPTCP those of the first subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketPair {
    /// Address and port at the foreign host.
    pub local: SocketAddrV4,
    /// Address and port at the other end.
    pub remote: SocketAddrV4,
}

/// Options of a stream socket.
#[derive(Clone, Debug, PartialEq)]
pub struct SocketKind {
    /// Whether it speaks Multipath TCP.
    pub multipath: bool,
    /// Congestion control by its scenario name; `None` for a coupled one, which only the simulator has.
    pub congestion_control: Option<String>,
    /// Whether its application reads only on command; else it reads at once.
    pub waits_for_reads: bool,
    /// Whether its application acts on arriving data. If not, deliveries are only counted and may be reported a little late.
    pub listens: bool,
    /// Traffic class of its packets (RFC 2474), besides the ECN bits that TCP sets.
    pub traffic_class: u8,
    /// Plan of QUIC connections; `None` for TCP.
    pub quic: Option<Arc<QuicPlan>>,
}

/// A datagram socket, open from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatagramSocket {
    /// Address and port of the socket.
    pub at: SocketAddrV4,
    /// Traffic class of its datagrams, ECN included.
    pub traffic_class: u8,
    /// Whether the application wants a report of each arriving datagram.
    pub is_heard: bool,
}

/// Sockets that flows of a scenario need at a foreign host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowSockets {
    /// Listening addresses, and options of accepted sockets.
    pub listeners: Vec<(SocketAddrV4, SocketKind)>,
    /// Datagram sockets.
    pub datagrams: Vec<DatagramSocket>,
    /// Whether connections are opened there.
    pub connects: bool,
}

impl FlowSockets {
    /// Adds a datagram socket; flows on one address and port share it.
    pub(crate) fn add(&mut self, socket: DatagramSocket) {
        match self.datagrams.iter_mut().find(|other| other.at == socket.at) {
            Some(same) => same.is_heard |= socket.is_heard,
            None => self.datagrams.push(socket),
        }
    }

    /// Adds a listening address. Flows from several hosts may share a port; data is reported if one of them needs it.
    pub(crate) fn listen(&mut self, at: SocketAddrV4, kind: SocketKind) {
        let like = |other: &SocketKind| SocketKind { listens: kind.listens, ..other.clone() } == kind;
        match self.listeners.iter_mut().find(|(place, other)| *place == at && like(other)) {
            Some((_, other)) => other.listens |= kind.listens,
            None => self.listeners.push((at, kind)),
        }
    }
}

/// Listening address of a flow over QUIC.
#[derive(Clone, Debug, PartialEq)]
pub struct QuicListener {
    /// Address and port at the host.
    pub at: SocketAddrV4,
    /// Address of the client: flows of several clients may share a port.
    pub client: Ipv4Addr,
    /// Options of its sockets.
    pub kind: SocketKind,
}

/// A command of an application to its socket.
#[derive(Clone, Debug, PartialEq)]
pub struct SocketCommand {
    /// Socket.
    pub socket: SocketPair,
    /// Command.
    pub order: SocketOperation,
}

/// Operation of an application on its socket.
#[derive(Clone, Debug, PartialEq)]
pub enum SocketOperation {
    /// Opens the connection.
    Connect(SocketKind),
    /// Sends this many more bytes, [the pattern of their stream positions](tailrace_wire::content); `u64::MAX` for as long as it
    /// is open.
    Write(u64),
    /// Closes its sending side after the data written.
    Close,
    /// Reads this many received bytes.
    Read(u64),
    /// Sends a datagram. Its first eight bytes, or as many as there are, are the stamp in little-endian order.
    Send {
        /// Payload in bytes.
        payload: u16,
        /// Stamp of the application.
        stamp: u64,
    },
}

/// An event of a foreign host's socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketEvent {
    /// Socket.
    pub socket: SocketPair,
    /// Event.
    pub report: SocketReport,
}

/// Statistics of a connection from a foreign host's stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketStats {
    /// Counters, as far as the stack has them, with MPTCP summed over subflows. Delivered bytes are not included.
    pub stats: TcpStats,
    /// Whether timeouts are missing, as with Linux before 6.7.
    pub lacks_timeouts: bool,
    /// Whether bytes in flight are missing in `view`, as with QUIC stacks.
    pub lacks_in_flight: bool,
    /// Whether the smallest round-trip time is missing in `view`.
    pub lacks_min_rtt: bool,
    /// Windows and times; `None` for MPTCP, whose subflows each have their own.
    pub view: Option<TcpView>,
    /// Payload of a full segment, bytes.
    pub mss: u32,
    /// MPTCP subflows, as far as the stack reports them.
    pub subflows: Vec<SubflowStats>,
    /// MPTCP data level, where the stack reports it.
    pub stream: Option<DataLevelStats>,
}

/// Data-level statistics of MPTCP from a foreign host's stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataLevelStats {
    /// Bytes scheduled on subflows for the first time.
    pub sent_bytes: u64,
    /// Bytes reinjected on another subflow.
    pub reinjected_bytes: u64,
    /// Bytes acknowledged.
    pub acked_bytes: u64,
}

/// Statistics of an MPTCP subflow from a foreign host's stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubflowStats {
    /// Addresses and ports.
    pub socket: SocketPair,
    /// Whether it may carry data.
    pub usable: bool,
    /// TCP counters, as far as the stack has them.
    pub stats: TcpStats,
    /// Whether timeouts are missing in `stats`.
    pub lacks_timeouts: bool,
    /// Windows and times of TCP.
    pub view: TcpView,
    /// Bytes of the stream scheduled on it.
    pub scheduled_bytes: u64,
}

/// An event of a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SocketReport {
    /// A client has connected to a listening socket.
    Accepted,
    /// The connection is established.
    Connected,
    /// This many more bytes have arrived, and are read or readable.
    Delivered(u64),
    /// This many bytes read by the application differ from [the expected pattern](tailrace_wire::content).
    Wrong(u64),
    /// The peer has closed its sending side.
    PeerClosed,
    /// Both directions are closed.
    Closed,
    /// The connection broke.
    Broken(ResetCause),
    /// A datagram has arrived for an application that wants reports: payload and stamp, as in [`SocketOperation::Send`].
    Datagram {
        /// Payload in bytes.
        payload: u16,
        /// Stamp of the application.
        stamp: u64,
    },
    /// Statistics of the stack, at times of the host's choice and before the end of the connection.
    Counted(Box<SocketStats>),
    /// The host cannot create such a socket, with the reason. The run ends.
    Failed(String),
}

//! What the simulator asks of sockets of foreign hosts, and what it hears of them.

use core::net::SocketAddrV4;
use tailrace_transport::{ResetCause, TcpStats, TcpView};

/// Addresses and ports of a connection: the foreign host's, the other end's. Multipath TCP's are those of its first subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketPair {
    /// At the foreign host.
    pub local: SocketAddrV4,
    /// At the other end.
    pub remote: SocketAddrV4,
}

/// What a socket is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketKind {
    /// Multipath TCP.
    pub multipath: bool,
    /// The congestion control, as scenarios call it; none where it is coupled, which is the simulator's own.
    pub congestion_control: Option<String>,
    /// Whether its application takes what has come when it is told to, and else at once.
    pub waits_for_reads: bool,
    /// Whether its application acts when something has come. Of another, deliveries are counted, and may be told a little late.
    pub listens: bool,
    /// What its packets have as their traffic class (RFC 2474), beside what TCP itself does with ECN.
    pub traffic_class: u8,
}

/// A socket of datagrams, which is there from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatagramSocket {
    /// Where datagrams come to and leave from.
    pub at: SocketAddrV4,
    /// What they have as their traffic class when they leave, ECN included.
    pub traffic_class: u8,
    /// Whether the application wants to hear of each that comes.
    pub is_heard: bool,
}

/// What flows of a scenario ask of a host whose sockets are their ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowSockets {
    /// Where it is to listen, and what those are that come.
    pub listeners: Vec<(SocketAddrV4, SocketKind)>,
    /// Where it sends and receives datagrams.
    pub datagrams: Vec<DatagramSocket>,
    /// Whether connections begin there.
    pub connects: bool,
}

impl FlowSockets {
    /// One socket for all datagrams of an address and port.
    pub(crate) fn add(&mut self, socket: DatagramSocket) {
        match self.datagrams.iter_mut().find(|other| other.at == socket.at) {
            Some(same) => same.is_heard |= socket.is_heard,
            None => self.datagrams.push(socket),
        }
    }

    /// Flows from several hosts may lead to one port; it listens if one of them does.
    pub(crate) fn listen(&mut self, at: SocketAddrV4, kind: SocketKind) {
        let like = |other: &SocketKind| SocketKind { listens: kind.listens, ..other.clone() } == kind;
        match self.listeners.iter_mut().find(|(place, other)| *place == at && like(other)) {
            Some((_, other)) => other.listens |= kind.listens,
            None => self.listeners.push((at, kind)),
        }
    }
}

/// What the application at a foreign host does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketCommand {
    /// With which socket.
    pub socket: SocketPair,
    /// What.
    pub order: SocketOrder,
}

/// What an application does with its socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SocketOrder {
    /// Opens the connection.
    Connect(SocketKind),
    /// Sends so many bytes more, [those of their places](tailrace_wire::content); `u64::MAX` for as long as it is open.
    Write(u64),
    /// Sends nothing more after that.
    Close,
    /// Takes so many bytes of what has come.
    Read(u64),
    /// Sends a datagram with so much payload, of which the first eight bytes, or as many as there are, are the stamp's, the lowest first.
    Send {
        /// Bytes.
        payload: u16,
        /// What the application says with it.
        stamp: u64,
    },
}

/// What a foreign host says of one of its sockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketEvent {
    /// Which.
    pub socket: SocketPair,
    /// What has happened to it.
    pub report: SocketReport,
}

/// What a foreign host's stack says of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketFigures {
    /// Counters, as far as the stack has them; of Multipath TCP summed over its subflows. What was delivered is not of them.
    pub stats: TcpStats,
    /// Whether timeouts are not among these, as of Linux before 6.7.
    pub lacks_timeouts: bool,
    /// Its windows and times; none of Multipath TCP, whose subflows have each their own.
    pub view: Option<TcpView>,
    /// Payload of a full segment, bytes.
    pub mss: u32,
    /// Subflows of Multipath TCP, as far as the stack tells of them.
    pub subflows: Vec<SubflowFigures>,
    /// The data level of Multipath TCP, where the stack tells of it.
    pub stream: Option<StreamFigures>,
}

/// What a foreign host's stack says of the data level of Multipath TCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamFigures {
    /// Bytes given to subflows for the first time.
    pub sent_bytes: u64,
    /// Bytes given to another subflow again.
    pub reinjected_bytes: u64,
    /// Bytes acknowledged.
    pub acked_bytes: u64,
}

/// What a foreign host's stack says of a subflow of Multipath TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubflowFigures {
    /// Its addresses and ports.
    pub socket: SocketPair,
    /// Whether it may carry data.
    pub usable: bool,
    /// Counters of its TCP, as far as the stack has them.
    pub stats: TcpStats,
    /// Whether timeouts are not among these.
    pub lacks_timeouts: bool,
    /// Windows and times of its TCP.
    pub view: TcpView,
    /// Bytes of the stream that it was given.
    pub scheduled_bytes: u64,
}

/// What has happened to a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SocketReport {
    /// A client has connected where the host listens.
    Accepted,
    /// The connection is open.
    Connected,
    /// So many bytes more have come, and are taken or can be.
    Delivered(u64),
    /// Of what its application has taken so many bytes are not [those of their places](tailrace_wire::content).
    Wrong(u64),
    /// The other end sends nothing more.
    PeerClosed,
    /// Both ends have sent all.
    Closed,
    /// It broke.
    Broken(ResetCause),
    /// A datagram has come of which the application wants to hear: its payload and stamp, as of [`SocketOrder::Send`].
    Datagram {
        /// Bytes.
        payload: u16,
        /// What the application says with it.
        stamp: u64,
    },
    /// What its stack says of it, at times of the host's choice and before it is over.
    Counted(Box<SocketFigures>),
    /// The host cannot have such a socket: why. The run ends.
    Failed(String),
}

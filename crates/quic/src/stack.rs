//! Interface of a QUIC implementation as the host needs it. Its methods are calls of the implementation and conversions, no logic.

use crate::clock::Clock;
use core::net::{Ipv4Addr, SocketAddrV4};
use std::time::{Duration as StdDuration, Instant as StdInstant};
use tailrace_core::{Bytes, Rng};
use tailrace_transport::quic::{QuicPlan, QuicStack};

/// An implementation of QUIC.
pub(crate) trait Stack: Sized + 'static {
    /// A UDP socket with its connections' identifiers.
    type Endpoint: Send;
    type Connection: Send;
    /// Number of a connection at its endpoint.
    type Handle: Copy + Ord + Send;
    /// A packet of a connection, on its way from the endpoint.
    type Event;
    /// A connection that a client wants to open.
    type Incoming;
    type Stream: Copy + Send;
    /// Options of a group's connections.
    type Config: Send;

    const STACK: QuicStack;

    /// Options in the implementation's own form.
    fn config(plan: &QuicPlan, clock: Clock, rng: &mut Rng) -> Self::Config;

    /// A socket; `server`: options with which it accepts connections, if it does.
    fn endpoint(server: Option<&Self::Config>, rng: &mut Rng) -> Self::Endpoint;

    /// Opens a connection to an address, with the first identifier of its end.
    fn connect(
        endpoint: &mut Self::Endpoint,
        config: &Self::Config,
        to: (SocketAddrV4, [u8; 16]),
        now: StdInstant,
    ) -> Result<(Self::Handle, Self::Connection), String>;

    /// Takes a datagram; an answer without a connection is written into `answer`.
    fn receive(
        endpoint: &mut Self::Endpoint,
        datagram: &ArrivedDatagram<'_>,
        answer: &mut Vec<u8>,
        now: StdInstant,
    ) -> Received<Self>;

    /// Accepts a connection, or writes the answer that it does not.
    fn accept(
        endpoint: &mut Self::Endpoint,
        config: &Self::Config,
        incoming: (Self::Incoming, &mut Vec<u8>),
        now: StdInstant,
    ) -> Result<(Self::Handle, Self::Connection), Option<Datagrams>>;

    /// Passes events between a connection and its endpoint; whether there were any.
    fn exchange(
        endpoint: &mut Self::Endpoint,
        handle: Self::Handle,
        connection: &mut Self::Connection,
    ) -> bool;

    fn handle_event(connection: &mut Self::Connection, event: Self::Event);
    fn handle_timeout(connection: &mut Self::Connection, now: StdInstant);
    fn poll(connection: &mut Self::Connection) -> Option<StackEvent>;
    fn poll_timeout(connection: &mut Self::Connection) -> Option<StdInstant>;

    /// Makes the next datagrams, at most `most`, all of one size but the last.
    fn poll_transmit(
        connection: &mut Self::Connection,
        most: u16,
        out: &mut Vec<u8>,
        now: StdInstant,
    ) -> Option<Datagrams>;

    /// Closes the connection without an error.
    fn close(connection: &mut Self::Connection, now: StdInstant);
    /// Whether nothing of it is left to do.
    fn is_drained(connection: &Self::Connection) -> bool;

    /// Opens a stream in one direction; `None` until the peer allows it.
    fn open(connection: &mut Self::Connection) -> Option<Self::Stream>;
    /// Stream that the peer has opened.
    fn opened(connection: &mut Self::Connection) -> Option<Self::Stream>;
    /// Writes bytes and returns how many there was room for; `None` if the stream takes no more for good.
    fn write(connection: &mut Self::Connection, stream: Self::Stream, bytes: &'static [u8]) -> Option<usize>;
    /// Ends a stream after the bytes written.
    fn finish(connection: &mut Self::Connection, stream: Self::Stream);
    /// Reads at most `most` bytes in order, and passes them on with their place; whether the stream has ended.
    fn read(
        connection: &mut Self::Connection,
        stream: Self::Stream,
        most: u64,
        take: &mut dyn FnMut(u64, &[u8]),
    ) -> bool;

    fn statistics(connection: &mut Self::Connection) -> StackStatistics;
}

/// A datagram that has arrived.
pub(crate) struct ArrivedDatagram<'a> {
    pub(crate) own: Ipv4Addr,
    pub(crate) remote: SocketAddrV4,
    /// ECN field (RFC 3168 §5).
    pub(crate) ecn: u8,
    pub(crate) payload: &'a [u8],
}

/// Destination and marking of datagrams to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datagrams {
    /// Source address; `None` for that of the connection.
    pub(crate) own: Option<Ipv4Addr>,
    pub(crate) remote: SocketAddrV4,
    pub(crate) ecn: u8,
    /// Bytes of each but the last.
    pub(crate) segment: usize,
    /// Bytes of all.
    pub(crate) size: usize,
}

/// Outcome of an arrived datagram.
pub(crate) enum Received<S: Stack> {
    Nothing,
    /// It is answered without a connection.
    Answer(Datagrams),
    Packet(S::Handle, S::Event),
    Incoming(S::Incoming),
}

/// An event of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StackEvent {
    Connected,
    /// The connection is over, with the reason in the stack's words.
    Over(ConnectionEnd),
    /// The peer has opened a stream.
    Opened,
    Readable,
    /// All that was written has been acknowledged.
    Finished,
    Other,
}

/// End of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionEnd {
    Closed,
    TimedOut,
    Broken,
}

/// Counters of a connection as its stack has them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StackStatistics {
    pub(crate) sent_datagrams: u64,
    pub(crate) received_datagrams: u64,
    /// Packets, and bytes in them, that the stack found lost.
    pub(crate) lost_packets: u64,
    pub(crate) lost_bytes: u64,
    pub(crate) cwnd: Bytes,
    pub(crate) ssthresh: Option<Bytes>,
    pub(crate) rtt: StdDuration,
    /// Smallest round-trip time, where the stack tells it.
    pub(crate) min_rtt: Option<StdDuration>,
    /// Largest UDP payload.
    pub(crate) mtu: u16,
}

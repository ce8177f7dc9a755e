//! One flow: its two sockets, the application that drives it, and what it has done so far.

use crate::packet::{Envelope, SocketId};
use crate::source::Source;
use crate::tally::FlowTally;
use crate::window::Leftover;
use std::sync::Arc;
use tailrace_core::{Duration, Instant, Rng};
use tailrace_net::TimerId;
use tailrace_scenario::model::{App, DurationDist};
use tailrace_transport::mptcp::{Mptcp, MptcpPlan, Tuple};
use tailrace_transport::{CcConfig, Event, ResetCause, State, Tcp, TcpConfig, TcpStats};

/// What the timers of a flow's socket are for: two a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimerKind {
    /// The TCP endpoint's next deadline.
    Transport,
    /// The application: start, next datagram, think time, stop.
    App,
}

/// The fabric's name for a socket's timer.
pub(crate) fn timer_id(socket: SocketId, kind: TimerKind) -> TimerId {
    TimerId(socket.0 << 1 | u32::from(kind == TimerKind::App))
}

/// The socket and purpose behind a timer.
pub(crate) fn timer_of(timer: TimerId) -> (SocketId, TimerKind) {
    let kind = if timer.0 & 1 == 1 { TimerKind::App } else { TimerKind::Transport };
    (SocketId(timer.0 >> 1), kind)
}

/// What speaks at one end of a flow.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "TCP lies beside its addresses: one trip to memory a packet")]
pub(crate) enum Endpoint {
    Tcp(Tcp),
    Mptcp(Box<Mptcp>),
}

impl Endpoint {
    pub(crate) fn write(&mut self, bytes: u64) {
        match self {
            Self::Tcp(tcp) => tcp.write(bytes),
            Self::Mptcp(connection) => connection.write(bytes),
        };
    }
    pub(crate) fn close(&mut self) {
        match self {
            Self::Tcp(tcp) => tcp.close(),
            Self::Mptcp(connection) => connection.close(),
        }
    }
    #[inline]
    pub(crate) fn poll_event(&mut self) -> Option<Event> {
        match self {
            Self::Tcp(tcp) => tcp.poll_event(),
            Self::Mptcp(connection) => connection.poll_event(),
        }
    }
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        match self {
            Self::Tcp(tcp) => tcp.poll_timeout(),
            Self::Mptcp(connection) => connection.poll_timeout(),
        }
    }
    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        match self {
            Self::Tcp(tcp) => tcp.handle_timeout(now),
            Self::Mptcp(connection) => connection.handle_timeout(now),
        }
    }
    /// Counters of TCP, summed over the subflows.
    pub(crate) fn stats(&self) -> TcpStats {
        match self {
            Self::Tcp(tcp) => *tcp.stats(),
            Self::Mptcp(connection) => connection.tcp_stats(),
        }
    }
    /// Bytes that it delivered and that a middlebox had changed.
    pub(crate) fn altered_bytes(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.altered_bytes(),
            Self::Mptcp(connection) => connection.altered_bytes(),
        }
    }
    /// Retransmission timeouts so far.
    pub(crate) fn timeouts(&self) -> u32 {
        match self {
            Self::Tcp(tcp) => tcp.stats().timeouts,
            Self::Mptcp(connection) => connection.stats().timeouts,
        }
    }
    /// Bytes handed to the application so far.
    pub(crate) fn bytes_delivered(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.stats().bytes_delivered,
            Self::Mptcp(connection) => connection.stats().bytes_delivered,
        }
    }
    /// Whether what the latest segment delivered begins with another segment's bytes.
    #[inline]
    pub(crate) fn releases(&self) -> bool {
        match self {
            Self::Tcp(_) => false,
            Self::Mptcp(connection) => connection.releases(),
        }
    }
    /// How much of the stream has come in order.
    pub(crate) fn received(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.received(),
            Self::Mptcp(connection) => connection.received(),
        }
    }
    /// Ranges of the stream that have come and wait for others before them.
    pub(crate) fn waiting(&self) -> Vec<(u64, u64)> {
        match self {
            Self::Tcp(tcp) => tcp.waiting(),
            Self::Mptcp(connection) => connection.waiting(),
        }
    }
    /// When byte `n` of the stream left for the first time, as long as it is unacknowledged.
    pub(crate) fn first_sending_of(&self, n: u64) -> Option<Instant> {
        match self {
            Self::Tcp(tcp) => tcp.first_sending_of(n),
            Self::Mptcp(connection) => connection.first_sending_of(n),
        }
    }
    /// Number of round-trip samples so far, and the latest.
    #[inline]
    pub(crate) fn latest_rtt(&self) -> (u64, Duration) {
        match self {
            Self::Tcp(tcp) => tcp.latest_rtt(),
            Self::Mptcp(connection) => connection.latest_rtt(),
        }
    }
    /// Whether both directions are done.
    pub(crate) fn is_over(&self) -> bool {
        match self {
            Self::Tcp(tcp) => matches!(tcp.state(), State::TimeWait | State::Closed),
            Self::Mptcp(connection) => connection.is_over(),
        }
    }
    pub(crate) fn as_tcp(&self) -> Option<&Tcp> {
        match self {
            Self::Tcp(tcp) => Some(tcp),
            Self::Mptcp(_) => None,
        }
    }
    pub(crate) fn as_mptcp(&self) -> Option<&Mptcp> {
        match self {
            Self::Tcp(_) => None,
            Self::Mptcp(connection) => Some(connection),
        }
    }
}

/// One end of a flow.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) endpoint: Option<Endpoint>,
    pub(crate) envelope: Envelope,
    /// Bytes of headers of each TCP packet, where the scenario fixes them.
    pub(crate) header: Option<u32>,
    /// When the pending transport wake-up comes; a later deadline waits for it, an earlier one supersedes it.
    pub(crate) armed: Instant,
    /// Round-trip samples already recorded.
    pub(crate) rtt_seen: u64,
    /// Transit time of what was delivered here last; `MAX` before that.
    pub(crate) transit: Duration,
    /// Ranges of the present connection's stream that waited here when the warm-up ended.
    pub(crate) early: Vec<(u64, u64)>,
}

/// Parameters that all TCP or Multipath TCP flows of a group share.
#[derive(Clone, Debug)]
pub(crate) enum EndpointPlan {
    Tcp { config: Arc<TcpConfig>, cc: CcConfig },
    Mptcp(Arc<MptcpPlan>),
}

impl EndpointPlan {
    /// An end between the addresses of `tuple`: one that opens a connection, or one that waits for it.
    pub(crate) fn endpoint(&self, client: bool, tuple: Tuple, rng: &mut Rng, now: Instant) -> Endpoint {
        let seed = rng.next_u64();
        match self {
            Self::Tcp { config, cc } => Endpoint::Tcp(if client {
                Tcp::connect(config, cc, seed as u32, now)
            } else {
                Tcp::listen(config, cc, seed as u32)
            }),
            Self::Mptcp(plan) => Endpoint::Mptcp(Box::new(if client {
                Mptcp::connect(plan, tuple, Rng::new(seed), now)
            } else {
                Mptcp::listen(plan, tuple, Rng::new(seed), now)
            })),
        }
    }
}

/// What drives a flow.
#[derive(Debug)]
pub(crate) enum Driver {
    /// Datagrams of `header` bytes beyond the payload.
    Udp { source: Box<Source>, header: u32, ecn: tailrace_core::Ecn, sent: u32 },
    /// A TCP application.
    Tcp(Box<TcpApp>),
}

/// State of an application over TCP.
#[derive(Debug)]
pub(crate) struct TcpApp {
    pub(crate) plan: Arc<EndpointPlan>,
    pub(crate) rng: Rng,
    /// What happens between here and the end of the flow.
    pub(crate) script: Script,
    /// Connections opened so far.
    pub(crate) connections: u32,
    /// When the transfer or exchange under way began.
    pub(crate) began: Instant,
    /// Bytes of it that still have to arrive; `MAX` where none are awaited.
    pub(crate) awaited: u64,
    /// Whether it is the server that the bytes are awaited from.
    pub(crate) responding: bool,
    /// Transfers or exchanges begun, and of those before the present one that failed.
    pub(crate) begun: u32,
    pub(crate) failed: u32,
    /// Why the present connection broke, if it did, and how many did for each cause.
    pub(crate) end: Option<ResetCause>,
    pub(crate) broken: [u32; CAUSES.len()],
    /// The pending wake of the application, if any, and what it is for.
    pub(crate) wake: Option<Instant>,
}

/// Why connections break, and what that is called in results; in the order of their numbers.
pub(crate) const CAUSES: [(ResetCause, &str); 5] = [
    (ResetCause::Refused, "refused"),
    (ResetCause::Peer, "reset"),
    (ResetCause::TimedOut, "timed_out"),
    (ResetCause::Local, "aborted"),
    (ResetCause::AddressLost, "interface_down"),
];

impl TcpApp {
    /// Whether what it does are transfers or exchanges, which end.
    pub(crate) fn transfers(&self) -> bool {
        !matches!(self.script, Script::Bulk)
    }

    /// Whether a transfer or an exchange is under way.
    fn is_busy(&self) -> bool {
        self.awaited != u64::MAX && self.transfers()
    }

    /// The present connection is replaced, or the run at its end: what it has not brought to an end it never will.
    pub(crate) fn failures(&self) -> u32 {
        self.failed + u32::from(self.end.is_some() && self.is_busy())
    }

    /// Transfers or exchanges that are asked for; none where there is no end.
    pub(crate) fn asked(&self) -> Option<u32> {
        match self.script {
            Script::Bulk => None,
            Script::Transfers { count, .. } | Script::Exchanges { count, .. } => count,
        }
    }
}

/// The behaviours of applications over TCP, as data.
#[derive(Clone, Debug)]
pub(crate) enum Script {
    /// Endless data on one connection.
    Bulk,
    /// `count` transfers of `size`, each on a connection of its own.
    Transfers { size: u64, gap: DurationDist, count: Option<u32> },
    /// `count` exchanges on one connection.
    Exchanges { request: u64, response: u64, think: DurationDist, count: Option<u32> },
}

impl Script {
    /// The script of `app`; `None` for applications over UDP.
    pub(crate) fn of(app: &App) -> Option<Self> {
        match *app {
            App::Bulk => Some(Self::Bulk),
            App::Transfer { size } => Some(Self::Transfers {
                size: size.get(),
                gap: DurationDist::Constant(Duration::ZERO),
                count: Some(1),
            }),
            App::Sequence { size, gap, count } => Some(Self::Transfers { size: size.get(), gap, count }),
            App::RequestResponse { request, response, think, count } => {
                Some(Self::Exchanges { request: request.get(), response: response.get(), think, count })
            }
            _ => None,
        }
    }
}

/// A flow.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) group: u32,
    /// Position within its group.
    pub(crate) member: u32,
    pub(crate) driver: Driver,
    pub(crate) start: Instant,
    pub(crate) stop: Instant,
    pub(crate) tally: FlowTally,
    /// When the data packet that arrived last was sent, and whether its bytes may have been sent before.
    pub(crate) arrived_from: Instant,
    pub(crate) arrived_again: bool,
    /// The tally when the warm-up ended.
    pub(crate) at_warmup: FlowTally,
    /// What befell since then what was sent before.
    pub(crate) leftover: Leftover,
    /// The TCP endpoints' own counters of connections that are gone.
    pub(crate) retired: Retired,
}

/// Sums over connections that have been replaced by later ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Retired {
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u64,
    pub(crate) altered: u64,
}

impl Socket {
    /// A socket that has no connection yet.
    pub(crate) fn new(envelope: Envelope, header: Option<u32>) -> Self {
        Self {
            endpoint: None,
            envelope,
            header,
            armed: Instant::MAX,
            rtt_seen: 0,
            transit: Duration::MAX,
            early: Vec::new(),
        }
    }

    /// Puts a new connection into the place of the one before it.
    pub(crate) fn connect(&mut self, endpoint: Endpoint) {
        (self.rtt_seen, self.transit) = (0, Duration::MAX);
        self.endpoint = Some(endpoint);
    }

    /// The endpoint of a connection that is not over.
    pub(crate) fn live(&self) -> Option<&Endpoint> {
        self.endpoint.as_ref().filter(|e| !e.is_over())
    }

    /// Addresses and ports, this end's first.
    pub(crate) fn tuple(&self) -> Tuple {
        let e = &self.envelope;
        let (local_port, remote_port) = (e.source_port, e.destination_port);
        Tuple { local: e.source.0, remote: e.destination.0, local_port, remote_port }
    }
}

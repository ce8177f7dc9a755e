//! One flow: the application that drives it, its connections, and what it has done so far.

use crate::foreign::{Remote, SocketKind};
use crate::packet::{Envelope, FlowEnd};
use crate::paths::FlowPaths;
use crate::ports::ClientPorts;
use crate::silence::Silence;
use crate::sockets::SocketId;
use crate::spoof::Spoofed;
use crate::tally::FlowTally;
use crate::uncongested::Uncongested;
use std::sync::Arc;
use tailrace_app::{AnyApp, AppConfig, ConnectionData, EndpointRole, GroupMember, TransferCount};
use tailrace_core::{Dscp, Duration, Ecn, Instant, Rng};
use tailrace_net::TimerId;
use tailrace_transport::mptcp::{Mptcp, MptcpPlan, SubflowControl, Tuple};
use tailrace_transport::{CcConfig, Event, ResetCause, Tcp, TcpConfig, TcpStats, TcpView};

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// The next deadline of the endpoint at this place of the slab of sockets.
    Transport(usize),
    /// The application of a flow: start, next datagram, next arrival, think time, stop.
    App(usize),
}

impl Timer {
    /// The fabric's name for it.
    pub(crate) fn id(self) -> TimerId {
        match self {
            Self::Transport(place) => TimerId((place as u32) << 1),
            Self::App(flow) => TimerId((flow as u32) << 1 | 1),
        }
    }

    /// The timer of that name.
    pub(crate) fn of(id: TimerId) -> Self {
        let number = (id.0 >> 1) as usize;
        if id.0 & 1 == 1 { Self::App(number) } else { Self::Transport(number) }
    }
}

/// What speaks at one end of a flow.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "TCP lies beside its addresses: one trip to memory a packet")]
pub(crate) enum Endpoint {
    Tcp(Tcp),
    Mptcp(Box<Mptcp>),
    /// A socket of a foreign host.
    Remote(Box<Remote>),
}

impl Endpoint {
    pub(crate) fn write(&mut self, bytes: u64) {
        match self {
            Self::Tcp(tcp) => tcp.write(bytes),
            Self::Mptcp(connection) => connection.write(bytes),
            Self::Remote(remote) => {
                remote.write(bytes);
                0
            }
        };
    }
    /// The application takes up to so many bytes of what has come.
    pub(crate) fn read(&mut self, bytes: u64, now: Instant) {
        match self {
            Self::Tcp(tcp) => tcp.read(bytes, now),
            Self::Mptcp(connection) => connection.read(bytes, now),
            Self::Remote(remote) => {
                remote.read(bytes);
                0
            }
        };
    }
    /// From now on what has come stays in the receive buffer until the application reads it.
    pub(crate) fn await_reads(&mut self) {
        match self {
            Self::Tcp(tcp) => tcp.set_auto_read(false),
            Self::Mptcp(connection) => connection.set_auto_read(false),
            Self::Remote(remote) => remote.await_reads(),
        }
    }
    pub(crate) fn close(&mut self) {
        match self {
            Self::Tcp(tcp) => tcp.close(),
            Self::Mptcp(connection) => connection.close(),
            Self::Remote(remote) => remote.close(),
        }
    }
    #[inline]
    pub(crate) fn poll_event(&mut self) -> Option<Event> {
        match self {
            Self::Tcp(tcp) => tcp.poll_event(),
            Self::Mptcp(connection) => connection.poll_event(),
            Self::Remote(remote) => remote.poll_event(),
        }
    }
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        match self {
            Self::Tcp(tcp) => tcp.poll_timeout(),
            Self::Mptcp(connection) => connection.poll_timeout(),
            Self::Remote(_) => None,
        }
    }
    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        match self {
            Self::Tcp(tcp) => tcp.handle_timeout(now),
            Self::Mptcp(connection) => connection.handle_timeout(now),
            Self::Remote(_) => {}
        }
    }
    /// Counters of TCP, summed over the subflows.
    pub(crate) fn stats(&self) -> TcpStats {
        match self {
            Self::Tcp(tcp) => *tcp.stats(),
            Self::Mptcp(connection) => connection.tcp_stats(),
            Self::Remote(remote) => *remote.stats(),
        }
    }
    /// Bytes that it delivered and that a middlebox had changed.
    pub(crate) fn altered_bytes(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.altered_bytes(),
            Self::Mptcp(connection) => connection.altered_bytes(),
            Self::Remote(_) => 0,
        }
    }
    /// Whether its stack does not count timeouts.
    pub(crate) fn lacks_timeouts(&self) -> bool {
        matches!(self, Self::Remote(remote) if remote.lacks_timeouts())
    }

    /// Retransmission timeouts so far.
    pub(crate) fn timeouts(&self) -> u32 {
        match self {
            Self::Tcp(tcp) => tcp.stats().timeouts,
            Self::Mptcp(connection) => connection.stats().timeouts,
            Self::Remote(remote) => remote.stats().timeouts,
        }
    }
    /// Bytes handed to the application so far.
    pub(crate) fn bytes_delivered(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.stats().bytes_delivered,
            Self::Mptcp(connection) => connection.stats().bytes_delivered,
            Self::Remote(remote) => remote.stats().bytes_delivered,
        }
    }
    /// Whether what the latest segment delivered begins with another segment's bytes.
    #[inline]
    pub(crate) fn releases(&self) -> bool {
        match self {
            Self::Tcp(_) | Self::Remote(_) => false,
            Self::Mptcp(connection) => connection.releases(),
        }
    }
    /// How much of the stream has come in order.
    pub(crate) fn received(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.received(),
            Self::Mptcp(connection) => connection.received(),
            Self::Remote(remote) => remote.stats().bytes_delivered,
        }
    }
    /// Ranges of the stream that have come and wait for others before them.
    pub(crate) fn waiting(&self) -> Vec<(u64, u64)> {
        match self {
            Self::Tcp(tcp) => tcp.waiting(),
            Self::Mptcp(connection) => connection.waiting(),
            Self::Remote(_) => Vec::new(),
        }
    }
    /// When byte `n` of the stream left for the first time, as long as it is unacknowledged.
    pub(crate) fn first_sending_of(&self, n: u64) -> Option<Instant> {
        match self {
            Self::Tcp(tcp) => tcp.first_sending_of(n),
            Self::Mptcp(connection) => connection.first_sending_of(n),
            Self::Remote(_) => None,
        }
    }
    /// Number of round-trip samples so far, and the latest.
    #[inline]
    pub(crate) fn latest_rtt(&self) -> (u64, Duration) {
        match self {
            Self::Tcp(tcp) => tcp.latest_rtt(),
            Self::Mptcp(connection) => connection.latest_rtt(),
            Self::Remote(remote) => remote.latest_rtt(),
        }
    }
    /// Bytes of the stream sent so far, each once.
    pub(crate) fn sent(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.stats().bytes_sent - tcp.stats().retransmitted_bytes,
            Self::Mptcp(connection) => connection.progress().1,
            Self::Remote(remote) => remote.stats().bytes_sent - remote.stats().retransmitted_bytes,
        }
    }
    /// The least round-trip time so far; none of Multipath TCP, whose paths have each their own.
    pub(crate) fn min_rtt(&self) -> Option<Duration> {
        let (view, _) = self.view()?;
        (view.rtt_samples > 0).then_some(view.min_rtt)
    }
    /// Subflows that it has had; one of TCP.
    pub(crate) fn subflows(&self) -> u32 {
        match self {
            Self::Tcp(_) => 1,
            Self::Mptcp(connection) => connection.stats().subflows_established,
            Self::Remote(remote) => remote.subflow_count(),
        }
    }
    /// Whether both directions are done.
    pub(crate) fn is_over(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.is_over(),
            Self::Mptcp(connection) => connection.is_over(),
            Self::Remote(remote) => remote.is_over(),
        }
    }
    /// Windows and times of TCP, and the payload of a full segment; none of Multipath TCP, whose subflows have each their own.
    pub(crate) fn view(&self) -> Option<(TcpView, u32)> {
        match self {
            Self::Tcp(tcp) => Some((tcp.view(), tcp.mss())),
            Self::Mptcp(_) => None,
            Self::Remote(remote) => remote.view(),
        }
    }
    pub(crate) fn as_mptcp(&self) -> Option<&Mptcp> {
        match self {
            Self::Tcp(_) | Self::Remote(_) => None,
            Self::Mptcp(connection) => Some(connection),
        }
    }
}

/// Parameters that all TCP or Multipath TCP flows of a group share.
#[derive(Clone, Debug)]
pub(crate) enum EndpointPlan {
    Tcp { config: Arc<TcpConfig>, cc: CcConfig },
    Mptcp(Arc<MptcpPlan>),
}

impl EndpointPlan {
    /// How long an endpoint stays in TIME-WAIT.
    pub(crate) fn time_wait(&self) -> Duration {
        match self {
            Self::Tcp { config, .. } => config.time_wait,
            Self::Mptcp(plan) => plan.tcp.time_wait,
        }
    }

    /// What a socket of a foreign host is to be that stands for such an endpoint, read at once; whether its application listens.
    pub(crate) fn socket_kind(&self, listens: bool, dscp: Dscp) -> SocketKind {
        let (multipath, name) = match self {
            Self::Tcp { cc, .. } => (false, Some(cc.name())),
            Self::Mptcp(plan) => match &plan.control {
                SubflowControl::Uncoupled(cc) => (true, Some(cc.name())),
                SubflowControl::Coupled(_) => (true, None),
            },
        };
        let traffic_class = dscp.0 << 2;
        let congestion_control = name.map(str::to_string);
        SocketKind { multipath, congestion_control, waits_for_reads: false, listens, traffic_class }
    }

    /// An end between the addresses of `tuple`: one that opens a connection, or one that waits for it.
    pub(crate) fn endpoint(&self, client: bool, tuple: Tuple, seed: u64, now: Instant) -> Endpoint {
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

/// The application that drives a flow, its stream of randomness, and when it wants to be woken.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) app: AnyApp,
    pub(crate) rng: Rng,
    /// The pending wake-up; `MAX` without one.
    pub(crate) wake: Instant,
}

impl Flow {
    /// So many timeouts of its, if all of them are known.
    pub(crate) fn timeouts(&self, counted: u64) -> Option<u64> {
        (!self.lacks_timeouts).then_some(counted)
    }

    /// The addresses that its datagrams seem to come from, if they are not its own.
    pub(crate) fn spoofed(&self) -> Option<&Spoofed> {
        match &self.carrier {
            Carrier::Udp(udp) => udp.spoofed.as_deref(),
            Carrier::Tcp(_) => None,
        }
    }
}

impl Running {
    /// One that nobody has told anything yet.
    pub(crate) fn of(config: &AppConfig, place: GroupMember, rng: Rng) -> Self {
        Self { app: config.build_member(place), rng, wake: Instant::MAX }
    }
}

/// What carries a flow.
#[derive(Debug)]
pub(crate) enum Carrier {
    Udp(Datagrams),
    Tcp(Box<Streams>),
}

impl Carrier {
    /// Whether its connections can have several paths.
    pub(crate) fn is_multipath(&self) -> bool {
        matches!(self, Self::Tcp(streams) if matches!(*streams.plan, EndpointPlan::Mptcp(_)))
    }
}

/// State of a flow over UDP; of pairs, the client's and the server's.
#[derive(Debug)]
pub(crate) struct Datagrams {
    /// Bytes of headers beyond the payload.
    pub(crate) header: u32,
    pub(crate) ecn: Ecn,
    /// Datagrams sent from each end.
    pub(crate) sent: [u32; 2],
    /// Transit time of what was delivered last at each end; `MAX` before that.
    pub(crate) transit: [Duration; 2],
    /// Where the client's datagrams seem to come from, if that is not itself.
    pub(crate) spoofed: Option<Box<Spoofed>>,
}

/// State of a flow over TCP or Multipath TCP.
#[derive(Debug)]
pub(crate) struct Streams {
    pub(crate) plan: Arc<EndpointPlan>,
    /// What its endpoints begin with, sequence numbers and keys, follows from this. It is not drawn from the application's
    /// stream: an application draws the same whatever becomes of connections, so that variants are compared under equal load.
    pub(crate) seed: u64,
    /// What its application is asked for.
    pub(crate) asked: TransferCount,
    /// The end that sends; of exchanges, the one that asks.
    pub(crate) sender: EndpointRole,
    /// The end whose application takes what has come by itself, where it does not take all at once.
    pub(crate) reader: Option<EndpointRole>,
    /// Whether they are transfers of different sizes.
    pub(crate) varied: bool,
    /// What its path would do for it alone; none of Multipath TCP, which has several.
    pub(crate) uncongested: Option<Uncongested>,
    /// Connections opened so far.
    pub(crate) connections: u32,
    /// Its client's ports.
    pub(crate) ports: ClientPorts,
    /// Transfers or exchanges begun, and those that failed on connections that are gone.
    pub(crate) begun: u32,
    pub(crate) failed: u32,
    /// Why the latest connection broke, if it did, and how many did for each cause.
    pub(crate) end: Option<ResetCause>,
    pub(crate) broken: [u32; CAUSES.len()],
}

impl Streams {
    /// The seed of its next endpoint; a whole generator for each flow would take more memory.
    pub(crate) fn next_seed(&mut self) -> u64 {
        self.seed = Rng::new(self.seed).next_u64();
        self.seed
    }

    /// Whether there are transfers or exchanges.
    pub(crate) fn transfers(&self) -> bool {
        self.asked != TransferCount::None
    }

    /// How many of them are asked for; none where there is no end.
    pub(crate) const fn count(&self) -> Option<u32> {
        match self.asked {
            TransferCount::Count(n) => Some(n),
            TransferCount::None | TransferCount::Endless => None,
        }
    }
}

/// What the client of a connection wants of it: the transfer or exchange under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// When it began.
    pub(crate) began: Instant,
    /// Bytes of it that still have to arrive; `MAX` where none are awaited.
    pub(crate) awaited: u64,
    /// Bytes of it, there and back.
    pub(crate) size: u64,
    /// Whether it is all that its connection was opened for, and all of it comes from one end.
    pub(crate) is_transfer: bool,
    /// Whether it is the server that the bytes are awaited from.
    pub(crate) responding: bool,
    /// What the server sends once it has heard from the client.
    pub(crate) owed: Option<ConnectionData>,
    /// Why the connection broke, if it did.
    pub(crate) end: Option<ResetCause>,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            began: Instant::ZERO,
            awaited: u64::MAX,
            size: 0,
            is_transfer: false,
            responding: false,
            owed: None,
            end: None,
        }
    }
}

impl Work {
    /// `bytes` from the client are awaited from `now` on.
    pub(crate) fn begin(&mut self, bytes: u64, now: Instant) {
        (self.began, self.awaited, self.size, self.responding) = (now, bytes, bytes, false);
    }

    /// Whether a transfer or exchange is under way that never will come to its end.
    pub(crate) fn has_failed(&self) -> bool {
        self.awaited != u64::MAX && self.end.is_some()
    }
}

/// Why connections break, and what that is called in results; in the order of their numbers.
pub(crate) const CAUSES: [(ResetCause, &str); 5] = [
    (ResetCause::Refused, "refused"),
    (ResetCause::Peer, "reset"),
    (ResetCause::TimedOut, "timed_out"),
    (ResetCause::Local, "aborted"),
    (ResetCause::AddressLost, "interface_down"),
];

/// What a cause is called in results.
pub(crate) fn cause_name(cause: ResetCause) -> &'static str {
    CAUSES.iter().find(|(c, _)| *c == cause).map_or("", |(_, name)| name)
}

/// A flow.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) group: u32,
    /// Position within its group.
    pub(crate) member: u32,
    /// Addresses and ports of its client and of its server; those of connections differ in the client's port.
    pub(crate) ends: [Envelope; 2],
    /// Bytes of headers of each TCP packet, where the scenario fixes them.
    pub(crate) header: Option<u32>,
    pub(crate) app: Box<Running>,
    pub(crate) carrier: Carrier,
    /// Whether the application wants to hear of what arrives.
    pub(crate) listens: bool,
    /// A stack that it has a socket of does not count timeouts.
    pub(crate) lacks_timeouts: bool,
    pub(crate) start: Instant,
    pub(crate) stop: Instant,
    /// Its sockets at both ends, in no order that means anything.
    pub(crate) sockets: Vec<SocketId>,
    /// The client's socket of the latest connection, as long as there is one.
    pub(crate) latest: SocketId,
    pub(crate) tally: FlowTally,
    /// What it sent by each path, over Multipath TCP.
    pub(crate) paths: Option<Box<FlowPaths>>,
    pub(crate) silence: Silence,
    /// When the data packet that arrived last was sent, and whether its bytes may have been sent before.
    pub(crate) arrived_from: Instant,
    pub(crate) arrived_again: bool,
    /// What the TCP endpoints of connections that are gone had counted.
    pub(crate) retired: Retired,
}

impl Flow {
    /// Whether this is its end that sends, or of exchanges the one that asks.
    pub(crate) fn is_sender(&self, end: FlowEnd) -> bool {
        end == self.sender()
    }

    /// See [`Flow::is_sender`].
    pub(crate) fn sender(&self) -> FlowEnd {
        let from_server =
            matches!(&self.carrier, Carrier::Tcp(streams) if streams.sender == EndpointRole::Server);
        // What goes to the server comes from the client.
        self.ends[usize::from(from_server)].to.peer()
    }
}

/// Sums over connections that are gone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Retired {
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u64,
    pub(crate) altered: u64,
    /// Sent and never acknowledged.
    pub(crate) unacknowledged: u64,
    /// The least round-trip time of the latest connection that took any; none before that.
    pub(crate) min_rtt: Option<Duration>,
}

impl Retired {
    /// Takes over what an endpoint has counted; `sends`: it is the one whose round trips are the flow's.
    pub(crate) fn add(&mut self, endpoint: &Endpoint, sends: bool) {
        let stats = endpoint.stats();
        self.retransmitted += stats.retransmitted_segments;
        self.timeouts += u64::from(stats.timeouts);
        self.altered += endpoint.altered_bytes();
        self.unacknowledged += stats.bytes_sent - stats.retransmitted_bytes - stats.bytes_acked;
        if sends {
            self.min_rtt = endpoint.min_rtt().or(self.min_rtt);
        }
    }
}

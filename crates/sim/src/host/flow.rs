//! A flow: its application, its connections, and its counters.

use crate::foreign::hosts::StackScope;
use crate::ground::reset_causes::CAUSES;
use crate::host::endpoint::Endpoint;
use crate::host::endpoint::EndpointPlan;
use crate::packet::envelope::Envelope;
use crate::packet::flow_end::FlowEnd;
use crate::packet::ports::ClientPorts;
use crate::packet::socket_id::SocketId;
use crate::packet::spoofing::SpoofedSource;
use crate::stats::classifier_accuracy::ClassifiedFlow;
use crate::stats::delivery_gap::DeliveryGap;
use crate::stats::flow_stats::FlowStats;
use crate::stats::ideal_fct::IdealFct;
use crate::stats::n_reordering::RecentArrivals;
use crate::stats::paths::FlowPaths;
use std::sync::Arc;
use tailrace_app::{AnyApp, AppConfig, EndpointRole, GroupMember, TransferCount};
use tailrace_core::packet::protocol;
use tailrace_core::{Duration, Ecn, Instant, Rng};
use tailrace_transport::ResetCause;

/// Application of a flow, its random stream, and its pending wake-up.
#[derive(Debug)]
pub(crate) struct RunningApp {
    pub(crate) app: AnyApp,
    pub(crate) rng: Rng,
    /// Time of the pending wake-up; `MAX` without one.
    pub(crate) wake: Instant,
}

impl Flow {
    /// Addressing by which queues' classifiers name the flow.
    pub(crate) fn classified(&self) -> ClassifiedFlow<'_> {
        let protocol = match self.carrier {
            _ if self.carrier.is_in_datagrams() => protocol::UDP,
            _ => protocol::TCP,
        };
        ClassifiedFlow { client: &self.ends[0], protocol, spoofed: self.spoofed() }
    }

    /// Spoofed source addresses of its datagrams, if any.
    pub(crate) fn spoofed(&self) -> Option<&SpoofedSource> {
        match &self.carrier {
            FlowTransport::Datagrams(udp) => udp.spoofed.as_deref(),
            FlowTransport::Streams(_) => None,
        }
    }
}

impl RunningApp {
    /// Application before its first event.
    pub(crate) fn of(config: &AppConfig, place: GroupMember, rng: Rng) -> Self {
        Self { app: config.build_member(place), rng, wake: Instant::MAX }
    }
}

/// Transport of a flow.
#[derive(Debug)]
pub(crate) enum FlowTransport {
    Datagrams(DatagramFlow),
    Streams(Box<StreamFlow>),
}

impl FlowTransport {
    /// Whether its connections can have several paths.
    pub(crate) fn is_multipath(&self) -> bool {
        matches!(self, Self::Streams(streams) if matches!(*streams.plan, EndpointPlan::Mptcp(_)))
    }

    /// Foreign stack that carries its ends at a host, if one does.
    pub(crate) fn scope(&self) -> StackScope {
        match self {
            Self::Streams(streams) => streams.plan.scope(),
            Self::Datagrams(_) => StackScope::Host,
        }
    }

    /// Whether its packets are UDP datagrams, which QUIC's are.
    pub(crate) fn is_in_datagrams(&self) -> bool {
        matches!(self, Self::Datagrams(_)) || self.scope() != StackScope::Host
    }
}

/// State of a UDP flow; pairs hold the client's and the server's value.
#[derive(Debug)]
pub(crate) struct DatagramFlow {
    /// Bytes of headers beyond the payload.
    pub(crate) header: u32,
    pub(crate) ecn: Ecn,
    /// Datagrams sent from each end.
    pub(crate) sent: [u32; 2],
    /// Time of the latest datagram sent from either end; zero before the first.
    pub(crate) last_sent: Instant,
    /// Transit time of the latest delivery at each end; `MAX` before the first.
    pub(crate) transit: [Duration; 2],
    /// Spoofed source addresses of the client's datagrams, if any.
    pub(crate) spoofed: Option<Box<SpoofedSource>>,
}

/// State of a flow over TCP, Multipath TCP or QUIC.
#[derive(Debug)]
pub(crate) struct StreamFlow {
    pub(crate) plan: Arc<EndpointPlan>,
    /// Seed of its endpoints' initial sequence numbers and keys. It is separate from the application's random stream, so that an
    /// application draws the same whatever happens to connections, and variants are compared under equal load.
    pub(crate) seed: u64,
    /// Number of transfers that its application is asked for.
    pub(crate) asked: TransferCount,
    /// Sending end; of exchanges, the requesting end.
    pub(crate) sender: EndpointRole,
    /// End whose application reads at its own pace; `None` if both read at once.
    pub(crate) reader: Option<EndpointRole>,
    /// Whether its transfers differ in size.
    pub(crate) varied: bool,
    /// Ideal FCT of its path; `None` for MPTCP, which has several paths.
    pub(crate) uncongested: Option<IdealFct>,
    /// Connections opened so far.
    pub(crate) connections: u32,
    /// Ports of its client.
    pub(crate) ports: ClientPorts,
    /// Transfers or exchanges begun, and those that failed on connections that are closed.
    pub(crate) begun: u32,
    pub(crate) failed: u32,
    /// Cause of the latest connection's break, if it broke, and the number of breaks by cause.
    pub(crate) end: Option<ResetCause>,
    pub(crate) broken: [u32; CAUSES.len()],
}

impl StreamFlow {
    /// Seed of the next endpoint. A seed takes less memory than a generator per flow.
    pub(crate) fn next_seed(&mut self) -> u64 {
        self.seed = Rng::new(self.seed).next_u64();
        self.seed
    }

    /// Whether the application has transfers or exchanges.
    pub(crate) fn transfers(&self) -> bool {
        self.asked != TransferCount::None
    }

    /// Number of transfers or exchanges asked for; `None` for an endless application.
    pub(crate) const fn count(&self) -> Option<u32> {
        match self.asked {
            TransferCount::Count(n) => Some(n),
            TransferCount::None | TransferCount::Endless => None,
        }
    }
}

/// A flow.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) group: u32,
    /// Position within its group.
    pub(crate) member: u32,
    /// Addresses and ports of its client and of its server; its connections differ in the client's port.
    pub(crate) ends: [Envelope; 2],
    /// Header bytes of each TCP packet, if the scenario fixes them.
    pub(crate) header: Option<u32>,
    pub(crate) app: Box<RunningApp>,
    pub(crate) carrier: FlowTransport,
    /// Whether the application acts on arriving data.
    pub(crate) listens: bool,
    /// Whether a stack with a socket of the flow does not report timeouts.
    pub(crate) lacks_timeouts: bool,
    pub(crate) start: Instant,
    pub(crate) stop: Instant,
    /// Sockets at both ends, unordered.
    pub(crate) sockets: Vec<SocketId>,
    /// Client's socket of the latest connection, while it exists.
    pub(crate) latest: SocketId,
    pub(crate) stats: FlowStats,
    /// Counters by path, for MPTCP.
    pub(crate) paths: Option<Box<FlowPaths>>,
    pub(crate) delivery_gap: DeliveryGap,
    /// Time when the packet that arrived last was sent, and whether it may be a retransmission.
    pub(crate) arrived_from: Instant,
    pub(crate) arrived_again: bool,
    /// Latest arrivals at the client and at the server.
    pub(crate) recent_arrivals: [RecentArrivals; 2],
    /// Counters of the endpoints of closed connections.
    pub(crate) retired: RetiredCounters,
}

impl Flow {
    /// Whether this is the sending end, or of exchanges the requesting one.
    pub(crate) fn is_sender(&self, end: FlowEnd) -> bool {
        end == self.sender()
    }

    /// Sending end, see [`Flow::is_sender`].
    pub(crate) fn sender(&self) -> FlowEnd {
        let from_server = matches!(&self.carrier, FlowTransport::Streams(streams) if streams.sender == EndpointRole::Server);
        // An envelope that leads to the server is the client's.
        self.ends[usize::from(from_server)].to.peer()
    }
}

/// Sums over closed connections.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RetiredCounters {
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u64,
    pub(crate) altered: u64,
    /// Bytes sent and never acknowledged.
    pub(crate) unacknowledged: u64,
    /// Minimum RTT of the latest connection with samples; `None` before.
    pub(crate) min_rtt: Option<Duration>,
}

impl RetiredCounters {
    /// Adds the counters of an endpoint; `sends`: its RTT samples are the flow's.
    pub(crate) fn add(&mut self, endpoint: &Endpoint, sends: bool) {
        let stats = endpoint.stats();
        self.retransmitted += stats.retransmitted_segments;
        self.timeouts += u64::from(stats.timeouts);
        self.altered += endpoint.altered_bytes();
        // Counters of a kernel are of different moments.
        let new_bytes = stats.bytes_sent.saturating_sub(stats.retransmitted_bytes);
        self.unacknowledged += new_bytes.saturating_sub(stats.bytes_acked);
        if sends {
            self.min_rtt = endpoint.min_rtt().or(self.min_rtt);
        }
    }
}

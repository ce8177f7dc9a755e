//! One flow: the application that drives it, its connections, and what it has done so far.

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

/// The application that drives a flow, its stream of randomness, and when it wants to be woken.
#[derive(Debug)]
pub(crate) struct RunningApp {
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

    /// Addressing by which queues' classifiers name the flow.
    pub(crate) fn classified(&self) -> ClassifiedFlow<'_> {
        let protocol = match self.carrier {
            Carrier::Udp(_) => protocol::UDP,
            Carrier::Tcp(_) => protocol::TCP,
        };
        ClassifiedFlow { client: &self.ends[0], protocol, spoofed: self.spoofed() }
    }

    /// Spoofed source addresses of its datagrams, if any.
    pub(crate) fn spoofed(&self) -> Option<&SpoofedSource> {
        match &self.carrier {
            Carrier::Udp(udp) => udp.spoofed.as_deref(),
            Carrier::Tcp(_) => None,
        }
    }
}

impl RunningApp {
    /// One that nobody has told anything yet.
    pub(crate) fn of(config: &AppConfig, place: GroupMember, rng: Rng) -> Self {
        Self { app: config.build_member(place), rng, wake: Instant::MAX }
    }
}

/// What carries a flow.
#[derive(Debug)]
pub(crate) enum Carrier {
    Udp(DatagramFlow),
    Tcp(Box<StreamFlow>),
}

impl Carrier {
    /// Whether its connections can have several paths.
    pub(crate) fn is_multipath(&self) -> bool {
        matches!(self, Self::Tcp(streams) if matches!(*streams.plan, EndpointPlan::Mptcp(_)))
    }
}

/// State of a flow over UDP; of pairs, the client's and the server's.
#[derive(Debug)]
pub(crate) struct DatagramFlow {
    /// Bytes of headers beyond the payload.
    pub(crate) header: u32,
    pub(crate) ecn: Ecn,
    /// Datagrams sent from each end.
    pub(crate) sent: [u32; 2],
    /// Transit time of what was delivered last at each end; `MAX` before that.
    pub(crate) transit: [Duration; 2],
    /// Where the client's datagrams seem to come from, if that is not itself.
    pub(crate) spoofed: Option<Box<SpoofedSource>>,
}

/// State of a flow over TCP or Multipath TCP.
#[derive(Debug)]
pub(crate) struct StreamFlow {
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
    pub(crate) uncongested: Option<IdealFct>,
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

impl StreamFlow {
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
    pub(crate) app: Box<RunningApp>,
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
    pub(crate) stats: FlowStats,
    /// What it sent by each path, over Multipath TCP.
    pub(crate) paths: Option<Box<FlowPaths>>,
    pub(crate) delivery_gap: DeliveryGap,
    /// When the data packet that arrived last was sent, and whether its bytes may have been sent before.
    pub(crate) arrived_from: Instant,
    pub(crate) arrived_again: bool,
    /// Latest arrivals at the client and at the server.
    pub(crate) recent_arrivals: [RecentArrivals; 2],
    /// What the TCP endpoints of connections that are gone had counted.
    pub(crate) retired: RetiredCounters,
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
pub(crate) struct RetiredCounters {
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u64,
    pub(crate) altered: u64,
    /// Sent and never acknowledged.
    pub(crate) unacknowledged: u64,
    /// The least round-trip time of the latest connection that took any; none before that.
    pub(crate) min_rtt: Option<Duration>,
}

impl RetiredCounters {
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

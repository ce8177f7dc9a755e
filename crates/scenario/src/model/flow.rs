//! Flows: who sends to whom, over which transport.

use super::network::NodeIndex;
use std::sync::Arc;
use tailrace_app::AppConfig;
use tailrace_core::{Bytes, Dscp, Duration, DurationDist};
use tailrace_transport::mptcp::{MptcpPlan, SubflowControl};
use tailrace_transport::quic::QuicPlan;
use tailrace_transport::{CcConfig, TcpConfig};

/// Flows of one declaration: the same transport and application between pairs of hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowGroup {
    /// Name, unique.
    pub name: String,
    /// Ground truth for classifiers and for reading results.
    pub role: Role,
    /// DiffServ codepoint of its packets, acknowledgements included.
    pub dscp: Dscp,
    /// Its ports.
    pub ports: Ports,
    /// Pattern of senders and receivers.
    pub pattern: Pattern,
    /// Sender and receiver of each flow. Of a permutation one that can be; each run draws its own.
    pub pairs: Vec<(NodeIndex, NodeIndex)>,
    /// Transport protocol.
    pub transport: Transport,
    /// Routers that subflows go through, a list a subflow, where a path manager asks for it.
    pub gateways: Vec<Vec<NodeIndex>>,
    /// Application that drives it.
    pub app: AppConfig,
    /// Start of each flow, drawn once a flow and run, where `starts` is empty.
    pub start: DurationDist,
    /// The start of each flow by itself.
    pub starts: Vec<Duration>,
    /// When the application stops offering data.
    pub stop: Option<Duration>,
    /// Source addresses that are not the senders', of datagrams.
    pub spoof: Option<Spoof>,
    /// Whether the receivers keep routers' feedback from the senders (NetFence), and so cut them off.
    pub withholds_feedback: bool,
}

tailrace_core::choices! {
    /// Pairing of the hosts that a group names as senders and receivers.
    pub enum Pattern {
        /// The first host sends to the first, the second to the second, and so on; or all to one, or one to all.
        Pairs = "pairs",
        /// Each host sends to each other one.
        AllPairs = "all_pairs",
        /// All hosts send to one other at the same time: a start that is drawn at random is the same for all.
        Incast = "incast",
        /// Each host sends to one other, and each receives from one. Who sends to whom is drawn for each run.
        Permutation = "permutation",
    }
}

/// Source addresses that are not the sender's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spoof {
    /// When another one is drawn.
    pub per: SpoofPer,
    /// Addresses of each flow.
    pub pool: u32,
}

tailrace_core::choices! {
    /// When a spoofed source address changes.
    pub enum SpoofPer {
        /// With each packet.
        Packet = "packet",
        /// With each pulse.
        Pulse = "pulse",
    }
}

/// Ports of a group's flows. Some disciplines hash them, so they decide which flows share a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// Port of the sender in its first connection; later connections count up.
    pub client: u16,
    /// Port of the receiver; further flows between the same two addresses have the next ones.
    pub server: u16,
}

impl Default for Ports {
    fn default() -> Self {
        Self { client: 49_152, server: 5001 }
    }
}

/// Ground truth of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Legitimate.
    Normal,
    /// Attack traffic.
    Attack,
}

/// Transport protocol of a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// TCP.
    Tcp {
        /// Endpoint parameters.
        config: Arc<TcpConfig>,
        /// Congestion control of the sender (and of the receiver's own data).
        cc: CcConfig,
        /// Bytes of headers that each packet counts on links and in queues beside its payload: `None` is the real
        /// IPv4 + TCP + options size, `Some` a constant (ns-2's 40).
        header: Option<Bytes>,
    },
    /// Multipath TCP.
    Mptcp {
        /// Parameters of the connection, of its subflows, and its policies.
        plan: Arc<MptcpPlan>,
        /// Header bytes of each packet, as for TCP; the MPTCP options are added to them.
        header: Option<Bytes>,
    },
    /// UDP.
    Udp {
        /// Bytes of headers beside the payload: 28 (IPv4 + UDP), or 0 as in ns-2, where a packet has the
        /// application's size.
        header: Bytes,
        /// Whether packets are ECN-capable (and ignore marks).
        ecn: bool,
    },
    /// QUIC, by an implementation of others.
    Quic(Arc<QuicPlan>),
}

impl Transport {
    /// Parameters of the TCP that a flow or its subflows use.
    pub fn tcp(&self) -> Option<&TcpConfig> {
        match self {
            Self::Tcp { config, .. } => Some(config),
            Self::Mptcp { plan, .. } => Some(&plan.tcp),
            Self::Udp { .. } | Self::Quic(_) => None,
        }
    }

    /// Plan of QUIC connections.
    pub fn quic(&self) -> Option<&QuicPlan> {
        match self {
            Self::Quic(plan) => Some(plan),
            Self::Tcp { .. } | Self::Mptcp { .. } | Self::Udp { .. } => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn tcp_mut(&mut self) -> Option<&mut TcpConfig> {
        match self {
            Self::Tcp { config, .. } => Some(Arc::make_mut(config)),
            Self::Mptcp { plan, .. } => Some(Arc::make_mut(&mut Arc::make_mut(plan).tcp)),
            Self::Udp { .. } | Self::Quic(_) => None,
        }
    }

    /// The registered name, as a scenario has it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Tcp { .. } => "tcp",
            Self::Mptcp { .. } => "mptcp",
            Self::Udp { .. } => "udp",
            Self::Quic(_) => "quic",
        }
    }

    /// The name of the congestion control; empty for UDP.
    pub fn cc(&self) -> &'static str {
        match self {
            Self::Tcp { cc, .. } => cc.name(),
            Self::Mptcp { plan, .. } => plan.control.name(),
            Self::Udp { .. } => "",
            Self::Quic(plan) => plan.control.name(),
        }
    }

    /// Implementation of others that carries it, with its version; empty for transports of the simulator.
    pub fn stack(&self) -> &'static str {
        self.quic().map_or("", |plan| plan.config.stack.release())
    }

    /// The same, where a connection or subflow has it by itself; a coupled one is of all subflows together.
    pub fn cc_of_each(&self) -> Option<&'static str> {
        match self {
            Self::Tcp { cc, .. } => Some(cc.name()),
            Self::Mptcp { plan, .. } => match &plan.control {
                SubflowControl::Uncoupled(cc) => Some(cc.name()),
                SubflowControl::Coupled(_) => None,
            },
            Self::Udp { .. } => None,
            Self::Quic(plan) => Some(plan.control.name()),
        }
    }
}

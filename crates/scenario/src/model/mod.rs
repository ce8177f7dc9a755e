//! The scenario as the simulator receives it: validated, every default filled in, counts expanded.
//!
//! Nothing random is drawn here: distributions stay distributions, since each run draws from its own seed.

use std::sync::Arc;
use tailrace_core::{Bytes, Dscp, Duration, Limit, Probability, Rate};
use tailrace_qdisc::QdiscConfig;
use tailrace_transport::mptcp::MptcpPlan;
use tailrace_transport::{CcConfig, TcpConfig};

/// One experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Short name; the default result folder is called after it.
    pub name: String,
    /// The question that the experiment answers, one sentence. May be empty.
    pub question: String,
    /// Simulated time.
    pub duration: Duration,
    /// Statistics start here; less than `duration`.
    pub warmup: Duration,
    /// Replications, at least 1.
    pub runs: u32,
    /// Base seed; run `k` (from 1) uses `tailrace_core::rng::run_seed(seed, k)`.
    pub seed: u64,
    /// What is recorded beside the totals.
    pub record: Record,
    /// Hosts and routers, in the order of declaration with counts expanded.
    pub nodes: Vec<Node>,
    /// Full-duplex links, expanded.
    pub links: Vec<Link>,
    /// Flow groups, in the order of declaration.
    pub flows: Vec<FlowGroup>,
    /// Faults, in the order of declaration.
    pub faults: Vec<Fault>,
    /// Packet captures.
    pub captures: Vec<Capture>,
}

/// What is recorded beside the totals of the result contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Sampling interval of `flow_series` and `queue_series`; `None` records no series.
    pub interval: Option<Duration>,
    /// Series are kept for at most this many flows of each group (the first ones), to bound memory.
    pub max_series_flows: u32,
    /// Whether drops, marks, timeouts, flags and faults go to the `events` table.
    pub events: bool,
    /// Upper bound on rows of the `events` table; what is beyond is counted, not kept.
    pub max_events: u64,
}

/// Position in [`Scenario::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

/// Position in [`Scenario::links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkIndex(pub u32);

/// A host or a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// `g1`, or `src[3]` for a member of a counted host.
    pub name: String,
    /// Whether it forwards packets of others.
    pub kind: NodeKind,
}

/// Host or router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Sends and receives; does not forward.
    Host,
    /// Forwards.
    Router,
}

/// A full-duplex link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name, or `a-b` after its ends; unique.
    pub name: String,
    /// One end.
    pub a: NodeIndex,
    /// The other end.
    pub b: NodeIndex,
    /// Direction a to b. Shared by all links of one declaration.
    pub forward: Arc<LinkSpec>,
    /// Direction b to a.
    pub backward: Arc<LinkSpec>,
    /// Whether the file wrote a `queue` for it: then both directions appear under `queues` in the results
    /// (as do all links between routers).
    pub observed: bool,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Rate, more than zero.
    pub rate: Rate,
    /// One-way propagation delay, drawn once a link and run; both directions share the draw when both specs
    /// are the same declaration.
    pub delay: DurationDist,
    /// Extra delay drawn for each packet.
    pub jitter: Option<DurationDist>,
    /// Whether jitter may reorder packets; if not, a packet never overtakes its predecessor.
    pub reorder: bool,
    /// Random loss after transmission.
    pub loss: Loss,
    /// Bytes that each packet takes on the link beyond its IP size (Ethernet framing, say); not counted by queues.
    pub overhead: Bytes,
    /// Largest IP packet; larger ones are dropped (and counted).
    pub mtu: Bytes,
    /// Options that a middlebox at the far end takes out of the packets.
    pub strip: Strip,
    /// Share of packets with payload whose payload a middlebox at the far end changes.
    pub rewrite: Probability,
    /// Queue discipline and its parameters.
    pub queue: QdiscConfig,
}

tailrace_core::choices! {
    /// Which TCP options a middlebox takes out of packets (Honda et al., IMC 2011, found those that do it to all
    /// segments and those that do it to SYNs alone).
    pub enum Strip {
        /// None.
        None = "none",
        /// Those of Multipath TCP, from every segment.
        Mptcp = "mptcp",
        /// Those of Multipath TCP, from SYNs and SYN-ACKs.
        MptcpSyn = "mptcp_syn",
        /// Those of Multipath TCP, from all segments but SYNs and SYN-ACKs.
        MptcpData = "mptcp_data",
    }
}

/// Random loss on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// None.
    None,
    /// Each packet independently.
    Bernoulli(Probability),
    /// Exactly every n-th packet that the link carries (deterministic; for checks against theory).
    Periodic(u64),
    /// Two-state Markov chain, stepped once a packet (Gilbert 1960, Elliott 1963).
    GilbertElliott {
        /// Probability of going from good to bad.
        p: Probability,
        /// Probability of going from bad to good.
        r: Probability,
        /// Loss probability in the good state.
        good: Probability,
        /// Loss probability in the bad state.
        bad: Probability,
    },
}

/// A span of time that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DurationDist {
    /// Always this.
    Constant(Duration),
    /// Uniform between the two.
    Uniform(Duration, Duration),
    /// Exponential with this mean.
    Exponential(Duration),
    /// Pareto with this mean and shape (> 1).
    Pareto(Duration, f64),
    /// Normal with mean and standard deviation, cut at zero.
    Normal(Duration, Duration),
}

/// Flows of one declaration: the same transport and application between pairs of hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowGroup {
    /// Name, unique.
    pub name: String,
    /// Ground truth for classifiers and for reading results.
    pub role: Role,
    /// DiffServ codepoint of its packets, acknowledgements included.
    pub dscp: Dscp,
    /// Sender and receiver of each flow.
    pub pairs: Vec<(NodeIndex, NodeIndex)>,
    /// Transport protocol.
    pub transport: Transport,
    /// Routers that subflows go through, a list a subflow, where a path manager asks for it.
    pub gateways: Vec<Vec<NodeIndex>>,
    /// What drives it.
    pub app: App,
    /// Start of each flow, drawn once a flow and run, where `starts` is empty.
    pub start: DurationDist,
    /// The start of each flow by itself.
    pub starts: Vec<Duration>,
    /// When the application stops offering data.
    pub stop: Option<Duration>,
    /// Whether the receivers keep routers' feedback from the senders (NetFence), and so cut them off.
    pub withholds_feedback: bool,
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
        /// As with TCP; the MPTCP options count beside it.
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
}

impl Transport {
    /// Parameters of the TCP that a flow or its subflows use.
    pub fn tcp(&self) -> Option<&TcpConfig> {
        match self {
            Self::Tcp { config, .. } => Some(config),
            Self::Mptcp { plan, .. } => Some(&plan.tcp),
            Self::Udp { .. } => None,
        }
    }

    /// The registered name, as a scenario has it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Tcp { .. } => "tcp",
            Self::Mptcp { .. } => "mptcp",
            Self::Udp { .. } => "udp",
        }
    }

    /// The name of the congestion control; empty for UDP.
    pub fn cc(&self) -> &'static str {
        match self {
            Self::Tcp { cc, .. } => cc.name(),
            Self::Mptcp { plan, .. } => plan.control.name(),
            Self::Udp { .. } => "",
        }
    }
}

/// What drives a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum App {
    /// TCP: as much as goes, until `stop`.
    Bulk,
    /// TCP: a transfer of so many bytes; then the connection closes.
    Transfer {
        /// Size.
        size: Bytes,
    },
    /// TCP: the client sends a request, the server answers, the client thinks; on one connection.
    RequestResponse {
        /// Request size.
        request: Bytes,
        /// Response size.
        response: Bytes,
        /// Pause between a whole response and the next request.
        think: DurationDist,
        /// Number of exchanges; `None` goes on until `stop`.
        count: Option<u32>,
    },
    /// TCP: transfers one after another, each on a new connection.
    Sequence {
        /// Size of each transfer.
        size: Bytes,
        /// Pause between the end of one and the start of the next.
        gap: DurationDist,
        /// Number of connections; `None` goes on until `stop`.
        count: Option<u32>,
    },
    /// UDP: constant bit rate.
    Cbr {
        /// Rate of payload (with headers excluded).
        rate: Rate,
        /// Payload of each packet.
        size: Bytes,
        /// Each gap is stretched by a uniform factor within 1 ± jitter; 0 is strictly periodic and then phase
        /// effects may lock other flows out.
        jitter: Probability,
        /// Whether the first packet leaves at a random point of the first gap.
        random_phase: bool,
    },
    /// UDP: Poisson arrivals.
    Poisson {
        /// Mean rate of payload.
        rate: Rate,
        /// Payload of each packet.
        size: Bytes,
    },
    /// UDP: CBR during on-times.
    OnOff {
        /// Rate while on.
        rate: Rate,
        /// Payload of each packet.
        size: Bytes,
        /// Length of an on-time.
        on: DurationDist,
        /// Length of an off-time.
        off: DurationDist,
    },
    /// UDP: CBR at rates that change at given times (since the flow's start); zero is silence.
    Schedule {
        /// Time since start and the rate from then on; ascending.
        steps: Vec<(Duration, Rate)>,
        /// Payload of each packet.
        size: Bytes,
    },
    /// UDP: bursts of length `burst` at `rate`, one every `period` (Kuzmanovic & Knightly 2003's shrew).
    Pulse {
        /// From the start of one burst to the start of the next.
        period: Duration,
        /// Length of a burst, at most `period`.
        burst: Duration,
        /// Rate within a burst.
        rate: Rate,
        /// Payload of each packet.
        size: Bytes,
    },
}

/// Something that happens to links.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Links concerned (both directions).
    pub links: Vec<LinkIndex>,
    /// Start.
    pub at: Duration,
    /// End; `None` lasts.
    pub until: Option<Duration>,
    /// What happens.
    pub kind: FaultKind,
}

/// What a fault does while it lasts.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// The link is down: what waits and what is on the wire is lost; routes are computed anew.
    Down,
    /// As down, but routing does not notice (a silent black hole).
    Blackhole,
    /// The rate is this.
    Rate(Rate),
    /// The delay is this.
    Delay(Duration),
    /// Random loss is this.
    Loss(Loss),
}

/// Where packets are captured.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// The place.
    pub at: CapturePoint,
    /// Bytes kept of each packet.
    pub snaplen: u32,
}

/// The place of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturePoint {
    /// What a host sends and receives.
    Node(NodeIndex),
    /// What a link carries, both directions, and what its queues drop (as comments).
    Link(LinkIndex),
}

impl Scenario {
    /// The limit a link has when the file gives no queue: Linux's default transmit queue length.
    pub const DEFAULT_LIMIT: Limit = Limit::Packets(1000);
}

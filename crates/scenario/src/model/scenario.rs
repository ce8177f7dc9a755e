//! Experiment: everything that a run needs.

use super::fault::{Capture, Fault};
use super::flow::FlowGroup;
use super::network::{Link, Medium, Node};
use super::routing::Routing;
use super::window::Window;
use tailrace_core::{Duration, Limit};

/// An experiment.
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
    /// Record: series and tables beside the totals.
    pub record: Record,
    /// Routing of routers.
    pub routing: Routing,
    /// Parts of the run with statistics of their own, in order of time.
    pub windows: Vec<Window>,
    /// Hosts and routers, in the order of declaration with counts expanded.
    pub nodes: Vec<Node>,
    /// Channels that links share, in the order of declaration.
    pub media: Vec<Medium>,
    /// Full-duplex links, expanded.
    pub links: Vec<Link>,
    /// Flow groups, in the order of declaration, those of attacks behind the others.
    pub flows: Vec<FlowGroup>,
    /// Groups that are switched off. Nothing comes of them; that others keep their ports takes knowing them.
    pub idle: Vec<DisabledGroup>,
    /// Faults, in the order of declaration.
    pub faults: Vec<Fault>,
    /// Packet captures.
    pub captures: Vec<Capture>,
}

/// A group that is switched off.
#[derive(Clone, Debug, PartialEq)]
pub struct DisabledGroup {
    /// Number of [`Scenario::flows`] that come before it.
    pub after: usize,
    /// Group that it would be if it were enabled.
    pub group: FlowGroup,
}

/// Series and tables that are recorded beside the totals of the result contract.
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
    /// Upper bound on rows of the `connections` table; what is beyond is counted, not kept.
    pub max_connections: u64,
}

impl Scenario {
    /// The limit a link has when the file gives no queue: Linux's default transmit queue length.
    pub const DEFAULT_LIMIT: Limit = Limit::Packets(1000);
}

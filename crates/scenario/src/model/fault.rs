//! Faults of links, and packet captures.

use super::network::{LinkIndex, Loss, NodeIndex};
use tailrace_core::{Duration, Rate};
use tailrace_qdisc::QdiscConfig;

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
    /// The queue discipline is this; it takes over what waits.
    Queue(Box<QdiscConfig>),
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

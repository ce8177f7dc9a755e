//! Faults of links, and packet captures.

use super::network::{LinkIndex, NodeIndex};
use tailrace_core::Duration;
use tailrace_impair::FaultConfig;

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
    pub kind: FaultConfig,
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

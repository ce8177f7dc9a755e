//! Faults of links, and packet captures.

use super::network::{LinkIndex, NodeIndex};
use std::collections::BTreeSet;
use tailrace_core::Duration;
use tailrace_impair::FaultConfig;

/// Direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkDirection {
    /// The link.
    pub link: LinkIndex,
    /// Whether it is the direction from the second end to the first.
    pub backward: bool,
}

impl LinkDirection {
    /// Both directions of a link.
    pub const fn both(link: LinkIndex) -> [Self; 2] {
        [Self { link, backward: false }, Self { link, backward: true }]
    }
}

/// Something that happens to links at one time. What a `[[fault]]` says of several times is several of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Directions of links concerned, each once.
    pub ways: Vec<LinkDirection>,
    /// Start.
    pub at: Duration,
    /// End; `None` lasts.
    pub until: Option<Duration>,
    /// Kind of fault, with its parameters.
    pub kind: FaultConfig,
}

impl Fault {
    /// Links concerned in either direction or both, each once, in the order of the file.
    pub fn links(&self) -> BTreeSet<LinkIndex> {
        self.ways.iter().map(|way| way.link).collect()
    }
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
    /// Packets that a host sends and receives.
    Node(NodeIndex),
    /// Packets that a link carries in both directions, and those that its queues drop (as comments).
    Link(LinkIndex),
}

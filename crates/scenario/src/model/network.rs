//! Hosts, routers and the links between them.

use super::kernel::KernelHost;
use core::net::Ipv4Addr;
use std::sync::Arc;
use tailrace_access::{LinkSchedule, MediumConfig};
use tailrace_core::{Bytes, DurationDist, Probability, Rate};
use tailrace_impair::LossConfig;
use tailrace_qdisc::{QdiscConfig, Shaping};

/// Position in [`Scenario::nodes`](super::Scenario::nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

/// Position in [`Scenario::links`](super::Scenario::links).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkIndex(pub u32);

/// Position in [`Scenario::media`](super::Scenario::media).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MediumIndex(pub u32);

/// A channel that both directions of some links share.
#[derive(Clone, Debug, PartialEq)]
pub struct Medium {
    /// Its name, unique among media.
    pub name: String,
    /// Kind of medium, with its parameters.
    pub kind: MediumConfig,
}

/// A host or a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// `g1`, or `src[3]` for a member of a counted host.
    pub name: String,
    /// Whether it forwards packets of others.
    pub kind: NodeKind,
    /// The addresses of a host's links, in their order, where the file gives them; else they are counted.
    pub addresses: Vec<Ipv4Addr>,
    /// The kernel that a host has in place of a simulated stack.
    pub kernel: Option<Arc<KernelHost>>,
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
    /// First end.
    pub a: NodeIndex,
    /// The other end.
    pub b: NodeIndex,
    /// Direction a to b. Shared by all links of one declaration.
    pub forward: Arc<LinkSpec>,
    /// Direction b to a.
    pub backward: Arc<LinkSpec>,
    /// The medium that both directions share with other links; their rates are then those of its frames.
    pub medium: Option<MediumIndex>,
    /// Whether the file wrote a `queue` for it: then both directions appear under `queues` in the results
    /// (as do all links between routers).
    pub observed: bool,
}

/// Direction of a link, with its own values.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Rate, more than zero; where there is a schedule, its mean.
    pub rate: Rate,
    /// When it can deliver, where that is not by its rate.
    pub schedule: Option<LinkSchedule>,
    /// Propagation delay one way, drawn once a link and run; both directions share the draw when both specs
    /// are the same declaration.
    pub delay: DurationDist,
    /// Extra delay drawn for each packet.
    pub jitter: Option<DurationDist>,
    /// Whether jitter may reorder packets; if not, a packet never overtakes its predecessor.
    pub reorder: bool,
    /// Random loss after transmission.
    pub loss: LossConfig,
    /// Bytes that each packet takes on the link beyond its IP size (Ethernet framing, say); not counted by queues.
    pub overhead: Bytes,
    /// Largest IP packet; larger ones are dropped (and counted).
    pub mtu: Bytes,
    /// Options that a middlebox at the far end takes out of the packets.
    pub strip: Strip,
    /// Share of packets with payload whose payload a middlebox at the far end changes.
    pub rewrite: Probability,
    /// Cost of the direction for routes, which have the least sum of costs.
    pub cost: u16,
    /// Queue discipline and its parameters.
    pub queue: QdiscConfig,
}

impl LinkSpec {
    /// The rate at which this direction serves its queue: its own, or that of a shaper in front of it, whichever is less.
    pub fn service_rate(&self) -> Rate {
        match self.queue.shaping() {
            Shaping::At(rate) => rate.min(self.rate),
            Shaping::None | Shaping::Unknown => self.rate,
        }
    }

    /// Whether a shaper holds it below its own rate, or may do so.
    pub fn is_shaped(&self) -> bool {
        self.service_rate() < self.rate || self.queue.shaping() == Shaping::Unknown
    }
}

tailrace_core::choices! {
    /// TCP options that a middlebox takes out of packets. Honda et al. (IMC 2011) found middleboxes that do it to all segments
    /// and others that do it to SYNs alone.
    pub enum Strip {
        /// None.
        None = "none",
        /// Options of Multipath TCP, from every segment.
        Mptcp = "mptcp",
        /// Options of Multipath TCP, from SYNs and SYN-ACKs only, so that connections cannot use it.
        MptcpSyn = "mptcp_syn",
        /// Options of Multipath TCP, from all segments except SYNs and SYN-ACKs, so that connections begin with it
        /// and then lose it.
        MptcpData = "mptcp_data",
    }
}

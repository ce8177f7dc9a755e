//! The fabric: event queue, links, routers, routes and faults.
//!
//! It is generic over the packet and over the hosts at its edge ([`Hosts`]). It knows no
//! clock: its caller says how far to run.

mod channel;
mod event_queue;
mod fabric;
mod flight;
mod ids;
mod impairment;
mod link;
mod link_stats;
mod netem;
mod observer;
mod packet_slab;
mod route;
mod transmitter;

pub use channel::{ChannelCounters, ChannelId};
pub use fabric::hosts::Hosts;
pub use fabric::{Cause, Fabric};
pub use ids::{Address, LinkId, NodeId, TimerId};
pub use impairment::Impairment;
pub use link::{Link, LinkConfig, LinkQueue};
pub use link_stats::{Gauge, LinkCounters, QueueStats};
pub use observer::{Observer, PacketOps};
pub use packet_slab::Routed;
pub use route::{EcmpHash, Graph};
pub use tailrace_core::Histogram;

//! Hosts: flows, sockets, endpoints and the applications that drive them.
//!
//! May import: `ground`, `packet`, `stats`, `foreign`.

pub(crate) mod accounting;
pub(crate) mod app_runner;
pub(crate) mod demux;
pub(crate) mod endpoint;
pub(crate) mod feedback;
pub(crate) mod flow;
pub(crate) mod foreign_icmp;
pub(crate) mod foreign_packets;
pub(crate) mod foreign_sockets;
pub(crate) mod hosts;
pub(crate) mod interfaces;
pub(crate) mod observer;
pub(crate) mod reachability;
pub(crate) mod sockets;
pub(crate) mod time_wait;
pub(crate) mod timer;
pub(crate) mod transfer;

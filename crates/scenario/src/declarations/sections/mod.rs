//! The tables of a scenario file, described once: which keys there are, what they take, what they mean.
//!
//! The reader refuses keys that are not here, the schema and `to_toml` follow the same rows. Keys of queue
//! disciplines, congestion controls, TCP endpoints, applications, faults, loss processes and media come from those crates' parameter
//! tables instead.

mod flow;
mod link;
mod scenario;
mod transport;

pub use crate::declarations::capture::CAPTURE;
pub use crate::declarations::fault::FAULT;
pub use crate::declarations::figure::FIGURE;
pub use crate::declarations::head::RECORD;
pub use crate::declarations::key::{Key, Section, Shape};
pub use crate::declarations::medium::MEDIUM;
pub use crate::declarations::node::{HOST, ROUTER};
pub use crate::declarations::routing::ROUTING;
pub use crate::declarations::window::WINDOW;
pub use flow::{ATTACK, FLOW, SPOOF};
pub use link::{LINK, REVERSE};
pub use scenario::SCENARIO;
pub use transport::{MPTCP, MPTCP_BEHAVIOUR, QUIC, TCP, TCP_BEHAVIOUR, UDP};

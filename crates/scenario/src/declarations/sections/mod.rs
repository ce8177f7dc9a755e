//! The tables of a scenario file, described once: which keys there are, what they take, what they mean.
//!
//! The reader refuses keys that are not here, the schema and `to_toml` follow the same rows. Keys of queue
//! disciplines, congestion controls, TCP endpoints, applications, faults and loss processes come from those crates' parameter
//! tables instead.

mod fault;
mod flow;
mod key;
mod network;
mod scenario;
mod transport;
mod window;

pub use fault::{CAPTURE, FAULT};
pub use flow::FLOW;
pub use key::{Key, Section, Shape};
pub(crate) use network::ROLES;
pub use network::{HOST, LINK, REVERSE, ROUTER};
pub use scenario::{RECORD, SCENARIO};
pub use transport::{MPTCP, TCP, UDP};
pub use window::WINDOW;

//! Many connections of one host: fairness by flow gives it as many shares (as download managers, and selfish hosts, take them).

use crate::attack::AttackKind;
use crate::bounds::COUNTS;
use crate::direction::Direction;
use crate::kinds::AppConfig;
use crate::kinds::bulk::BulkConfig;
use crate::registry::RequiredTransport;

tailrace_core::parameters! {
    /// Keys of attack `parallel`.
    pub struct ParallelConfig {
        /// The number of connections between each two hosts. Each is a flow, so where flows share a link equally, more
        /// of them get a larger share.
        connections: u32, required, within COUNTS;
        /// In which direction data flows: `up` from the client to the server, or `down` from the server to the
        /// client. The client (`from`) opens the connections.
        direction: Direction = Direction::Up, "own choice";
    }
}

impl AttackKind for ParallelConfig {
    const SUMMARY: &'static str =
        "Many TCP connections between two hosts, each of which sends as much as it can.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;

    fn app(&self) -> AppConfig {
        AppConfig::Bulk(BulkConfig { direction: self.direction })
    }
    fn flows(&self) -> u32 {
        self.connections
    }
}

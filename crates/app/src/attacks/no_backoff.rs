//! A sender with a window of one size, whatever is lost or marked.

use crate::attack::AttackKind;
use crate::direction::Direction;
use crate::kinds::AppConfig;
use crate::kinds::bulk::BulkConfig;
use crate::registry::RequiredTransport;
use tailrace_core::params::Value;

tailrace_core::parameters! {
    /// Keys of attack `no_backoff`.
    pub struct NoBackoffConfig {
        /// The window, in packets, from the beginning to the end; it never shrinks. If it is more than the bottleneck
        /// carries in a round trip, the bottleneck's queue stays full.
        window: u32, required, in 1..=1000000: "at least one packet is sent | so many packets are sent at once";
        /// In which direction data flows: `up` from the client to the server, or `down` from the server to the
        /// client. The client (`from`) opens the connections. The end that sends the data is the one that misbehaves.
        direction: Direction = Direction::Up, "own choice";
    }
}

impl AttackKind for NoBackoffConfig {
    const SUMMARY: &'static str =
        "A TCP sender whose window never shrinks, neither for losses nor for marks nor for timeouts.";
    const CITATION: &'static str = "Floyd & Fall, ToN 7(4), 1999, unresponsive flows";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;

    fn app(&self) -> AppConfig {
        AppConfig::Bulk(BulkConfig { direction: self.direction })
    }
    fn transport_keys(&self) -> Vec<(&'static str, Value)> {
        let window = Value::Integer(self.window.into());
        let sizes = ["iw", "initial_ssthresh", "window"].map(|key| (key, window.clone()));
        [("misbehaviour", Value::Text("ignores_congestion".into()))].into_iter().chain(sizes).collect()
    }
}

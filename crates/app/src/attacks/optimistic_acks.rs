//! A receiver that acknowledges what has not come (Savage, Cardwell, Wetherall and Anderson, "TCP congestion control with a misbehaving receiver", CCR 29(5), 1999).

use crate::attack::AttackKind;
use crate::direction::Direction;
use crate::kinds::AppConfig;
use crate::kinds::bulk::BulkConfig;
use crate::registry::RequiredTransport;
use tailrace_core::params::Value;

tailrace_core::parameters! {
    /// Keys of attack `optimistic_acks`.
    pub struct OptimisticAcksConfig {
        /// The number of segments that each ACK claims beyond those that have arrived. A larger number makes the sender
        /// believe in shorter round trips.
        ahead: u16 = 10, "own choice", in 1..=1000: "each segment needs an ACK | each segment causes so many ACKs, which takes computing time";
        /// In which direction data flows: `down` from the server to the client, or `up` from the client to the
        /// server. The client (`from`) opens the connections. The end that receives the data is the one that
        /// misbehaves.
        direction: Direction = Direction::Down, "Savage et al. 1999: a client that downloads";
    }
}

impl AttackKind for OptimisticAcksConfig {
    const SUMMARY: &'static str = "A receiver acknowledges what has not arrived yet, and what was lost: round trips look shorter, and no loss is seen.";
    const CITATION: &'static str = "Savage et al., CCR 29(5), 1999";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;

    fn app(&self) -> AppConfig {
        AppConfig::Bulk(BulkConfig { direction: self.direction })
    }
    fn transport_keys(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("misbehaviour", Value::Text("optimistic_acks".into())),
            ("misbehaviour_degree", Value::Integer(self.ahead.into())),
        ]
    }
}

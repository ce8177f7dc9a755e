//! A receiver that repeats ACKs (Savage, Cardwell, Wetherall and Anderson, "TCP congestion control with a misbehaving receiver", CCR 29(5), 1999, §2.2: duplicate ACK spoofing).

use crate::attack::AttackKind;
use crate::direction::Direction;
use crate::kinds::AppConfig;
use crate::kinds::bulk::BulkConfig;
use crate::registry::RequiredTransport;
use tailrace_core::params::Value;

tailrace_core::parameters! {
    /// Keys of attack `repeated_acks`.
    pub struct RepeatedAcksConfig {
        /// The number of times that an ACK is repeated at once. The sender then has about that many segments in flight;
        /// packets that the path and its queue cannot hold are lost.
        times: u16 = 60, "own choice", in 1..=1000: "without a repetition it would be no attack | each repetition is an ACK, which takes computing time";
        /// In which direction data flows: `down` from the server to the client, or `up` from the client to the
        /// server. The client (`from`) opens the connections. The end that receives the data is the one that
        /// misbehaves.
        direction: Direction = Direction::Down, "Savage et al. 1999: a client that downloads";
    }
}

impl AttackKind for RepeatedAcksConfig {
    const SUMMARY: &'static str = "A receiver without SACK repeats ACKs, so that the sender stays in fast recovery and sends as much as the receiver wants.";
    const CITATION: &'static str = "Savage et al., CCR 29(5), 1999";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;

    fn app(&self) -> AppConfig {
        AppConfig::Bulk(BulkConfig { direction: self.direction })
    }
    /// Disables SACK, which the receiver negotiates.
    fn transport_keys(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("misbehaviour", Value::Text("repeated_acks".into())),
            ("misbehaviour_degree", Value::Integer(self.times.into())),
            ("sack", Value::Bool(false)),
        ]
    }
}

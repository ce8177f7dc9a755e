//! A receiver that acknowledges each segment in pieces (Savage, Cardwell, Wetherall and Anderson, "TCP congestion control with a misbehaving receiver", CCR 29(5), 1999).

use crate::attack::AttackKind;
use crate::direction::Direction;
use crate::kinds::AppConfig;
use crate::kinds::bulk::BulkConfig;
use crate::registry::RequiredTransport;
use tailrace_core::params::Value;

tailrace_core::parameters! {
    /// Keys of attack `ack_division`.
    pub struct AckDivisionConfig {
        /// Into how many pieces the acknowledgment of a segment is divided. With more, a sender that counts ACKs
        /// grows its window faster.
        pieces: u16 = 10, "Savage et al. 1999", in 1..=1000: "each segment needs an ACK | each segment causes so many ACKs, which takes computing time";
        /// In which direction data flows: `down` from the server to the client, or `up` from the client to the
        /// server. The client (`from`) opens the connections. The end that receives the data is the one that
        /// misbehaves.
        direction: Direction = Direction::Down, "Savage et al. 1999: a client that downloads";
    }
}

impl AttackKind for AckDivisionConfig {
    const SUMMARY: &'static str =
        "A receiver acknowledges each segment in pieces, so that a sender that counts ACKs grows faster.";
    const CITATION: &'static str = "Savage et al., CCR 29(5), 1999";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;

    fn app(&self) -> AppConfig {
        AppConfig::Bulk(BulkConfig { direction: self.direction })
    }
    fn transport_keys(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("misbehaviour", Value::Text("ack_division".into())),
            ("misbehaviour_degree", Value::Integer(self.pieces.into())),
        ]
    }
}

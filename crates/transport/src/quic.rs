//! Options of QUIC connections. The endpoints are implementations of others, which a crate above the simulator runs unmodified; here
//! stands what a scenario says to them.

use crate::cc::CcConfig;
use tailrace_core::{Bytes, Duration, choices, parameters};

choices! {
    /// An implementation of QUIC (RFC 9000).
    pub enum QuicStack {
        /// noq-proto: QUIC version 1, and several paths (draft-ietf-quic-multipath).
        Noq = "noq",
        /// quinn-proto: QUIC version 1.
        Quinn = "quinn",
    }
}

impl QuicStack {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Noq, Self::Quinn];

    /// Word for it in a scenario.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Noq => "noq",
            Self::Quinn => "quinn",
        }
    }

    /// Package and version of the code that runs: results are those of this version, not of QUIC.
    pub const fn release(self) -> &'static str {
        match self {
            Self::Noq => "noq-proto 1.4.0",
            Self::Quinn => "quinn-proto 0.11.19",
        }
    }

    /// Whether a connection can have several paths.
    pub const fn has_multipath(self) -> bool {
        matches!(self, Self::Noq)
    }
}

choices! {
    /// A congestion control of the stack itself.
    pub enum StackControl {
        /// CUBIC (RFC 9438), as the stack has it.
        Cubic = "cubic",
        /// NewReno (RFC 9002 §7), as the stack has it.
        NewReno = "newreno",
    }
}

impl StackControl {
    /// All words.
    pub const WORDS: [&'static str; 2] = ["cubic", "newreno"];

    /// Word for it in a scenario.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cubic => "cubic",
            Self::NewReno => "newreno",
        }
    }

    /// Control of this name.
    pub fn named(word: &str) -> Option<Self> {
        [Self::Cubic, Self::NewReno].into_iter().find(|control| control.word() == word)
    }
}

choices! {
    /// Origin of the congestion control.
    pub enum ControlOrigin {
        /// The stack's own.
        Stack = "stack",
        /// The simulator's, which TCP flows use, in place of the stack's.
        Simulator = "simulator",
    }
}

/// Congestion control of a QUIC connection.
#[derive(Clone, Debug, PartialEq)]
pub enum QuicControl {
    /// The stack's own.
    Stack(StackControl),
    /// The simulator's.
    Simulator(CcConfig),
}

impl QuicControl {
    /// Name in a scenario.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stack(control) => control.word(),
            Self::Simulator(cc) => cc.name(),
        }
    }

    /// Origin.
    pub const fn origin(&self) -> ControlOrigin {
        match self {
            Self::Stack(_) => ControlOrigin::Stack,
            Self::Simulator(_) => ControlOrigin::Simulator,
        }
    }
}

parameters! {
    /// Options of both endpoints of a QUIC connection. Defaults are those of the stacks.
    pub struct QuicConfig {
        /// The implementation of QUIC. It runs unmodified, in simulated time.
        stack: QuicStack = QuicStack::Noq, "the one with several paths";
        /// The initial congestion window. `"auto"` is the stack's: 12000 B. A large one loses packets where queues are short.
        initial_window: Option<Bytes> = None, "RFC 9002 §7.2", in "2400 B"..="1 GB": "two datagrams are sent at once | no queue holds more";
        /// The round-trip time that is assumed before the first sample. A third of the first probe timeout.
        initial_rtt: Duration = Duration::from_millis(333), "RFC 9002 §6.2.2", in "1 ms"..="100 s": "each timeout takes computing time | no handshake waits that long";
        /// By how many packets a later packet must be acknowledged so that an earlier one counts as lost. With more, reordering
        /// is tolerated better, but losses are noticed later.
        packet_threshold: u32 = 3, "RFC 9002 §6.1.1", in 3..=1000000: "fewer are not recommended | no window is larger";
        /// Round-trip times after a later packet at which an earlier one counts as lost.
        time_threshold: f64 = 1.125, "RFC 9002 §6.1.2", in 1.0..=1000.0: "an acknowledgment takes a round trip | no loss is noticed later";
        /// Probe timeouts without an acknowledgment that make persistent congestion, which sets the window to its minimum.
        persistent_congestion_threshold: u32 = 3, "RFC 9002 §7.6.1", in 1..=1000000: "there is a timeout at least | no run waits that long";
        /// After what time without a packet from the peer a connection is closed. `"auto"` is never.
        max_idle_timeout: Option<Duration> = Some(Duration::from_secs(30)), "RFC 9308 §3.2", in "10 ms"..="1000 h": "a handshake takes longer | no run waits that long";
        /// After what time without a packet one is sent to keep the connection open. `"auto"` is never.
        keep_alive_interval: Option<Duration> = None, "off, as in both stacks", in "1 ms"..="1000 h": "each packet takes computing time | no run waits that long";
        /// The flow-control window of a stream: bytes that a receiver has room for. It limits throughput to one window a
        /// round trip.
        stream_receive_window: Bytes = Bytes(1_250_000), "both stacks: 100 Mbit/s over 100 ms", in "1200 B"..="1000 GB": "a packet has so many bytes | no path holds more";
        /// The flow-control window of a connection, beside that of its streams. `"auto"` is unlimited.
        receive_window: Option<Bytes> = None, "unlimited, as in both stacks", in "1200 B"..="1000 GB": "a packet has so many bytes | no path holds more";
        /// Bytes that are sent and not yet acknowledged at most; further data waits in the application.
        send_window: Bytes = Bytes(10_000_000), "both stacks: eight stream windows", in "1200 B"..="1000 GB": "a packet has so many bytes | no path holds more";
        /// The UDP payload of the first datagrams.
        initial_mtu: Bytes = Bytes(1200), "RFC 9000 §14.1", in "1200 B"..="65507 B": "QUIC needs paths of 1200 B | a datagram has no more";
        /// Whether larger datagrams are tried.
        mtu_discovery: bool = true, "RFC 9000 §14.3";
        /// The largest UDP payload that is tried.
        mtu_discovery_limit: Bytes = Bytes(1452), "both stacks: Ethernet with IPv6", in "1200 B"..="65507 B": "QUIC needs paths of 1200 B | a datagram has no more";
        /// Whether packets are ECN-capable and marks are reported to the sender.
        ecn: bool = true, "RFC 9000 §13.4";
        /// Most datagrams that a stack makes at once, as with segmentation offload. They leave back to back.
        gso_segments: u16 = 1, "none; a program with UDP_SEGMENT makes 10", in 1..=64: "a call makes a datagram | Linux UDP_MAX_SEGMENTS";
        /// Times at which timers end are multiples of this, as in a program whose event loop has coarse timers; 0 is exact.
        timer_granularity: Duration = Duration::ZERO, "exact; tokio has 1 ms", in "0 s"..="1 s": "exact | no packet is sent in time";
        /// Size of the handshake message with the server's certificates. A server may send three times what it has received
        /// before the client's address is validated (RFC 9000 §8.1): a larger flight costs a round trip.
        server_flight: Bytes = Bytes(1400), "two ECDSA certificates of 600 B each", in "100 B"..="60000 B": "a certificate has so many bytes | a message has no more";
    }
}

/// Plan of the connections of a group of flows.
#[derive(Clone, Debug, PartialEq)]
pub struct QuicPlan {
    /// Options.
    pub config: QuicConfig,
    /// Congestion control.
    pub control: QuicControl,
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::params::{Invalid, Parameters as _, check_bounds};

    #[test]
    fn defaults_lie_within_their_bounds() {
        let config = QuicConfig::default();
        let checked: Result<(), Invalid> = check_bounds(QuicConfig::params(), |name| config.get(name));
        assert!(checked.is_ok(), "{checked:?}");
    }

    #[test]
    fn words_are_those_of_the_choices() {
        use tailrace_core::params::{ParamType as _, Value};
        for stack in QuicStack::ALL {
            assert_eq!(stack.to_value(), Value::Text(stack.word().into()));
        }
        for word in StackControl::WORDS {
            assert_eq!(StackControl::named(word).map(StackControl::word), Some(word));
        }
    }
}

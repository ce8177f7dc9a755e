//! Applications: what drives a flow.

use super::distribution::DurationDist;
use tailrace_core::{Bytes, Duration, Probability, Rate};

/// What drives a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum App {
    /// TCP: as much as goes, until `stop`.
    Bulk,
    /// TCP: a transfer of so many bytes; then the connection closes.
    Transfer {
        /// Size.
        size: Bytes,
    },
    /// TCP: the client sends a request, the server answers, the client thinks; on one connection.
    RequestResponse {
        /// Request size.
        request: Bytes,
        /// Response size.
        response: Bytes,
        /// Pause between a whole response and the next request.
        think: DurationDist,
        /// Number of exchanges; `None` goes on until `stop`.
        count: Option<u32>,
    },
    /// TCP: transfers one after another, each on a new connection.
    Sequence {
        /// Size of each transfer.
        size: Bytes,
        /// Pause between the end of one and the start of the next.
        gap: DurationDist,
        /// Number of connections; `None` goes on until `stop`.
        count: Option<u32>,
    },
    /// TCP: transfers that start at their own times, however many are under way, each on a new connection.
    Arrivals {
        /// Size of each transfer.
        size: Bytes,
        /// Time from the start of one to the start of the next; exponential for Poisson arrivals.
        gap: DurationDist,
        /// Number of connections; `None` goes on until `stop`.
        count: Option<u32>,
    },
    /// UDP: constant bit rate.
    Cbr {
        /// Rate of payload (with headers excluded).
        rate: Rate,
        /// Payload of each packet.
        size: Bytes,
        /// Each gap is stretched by a uniform factor within 1 ± jitter; 0 is strictly periodic and then phase
        /// effects may lock other flows out.
        jitter: Probability,
        /// Whether the first packet leaves at a random point of the first gap.
        random_phase: bool,
    },
    /// UDP: Poisson arrivals.
    Poisson {
        /// Mean rate of payload.
        rate: Rate,
        /// Payload of each packet.
        size: Bytes,
    },
    /// UDP: CBR during on-times.
    OnOff {
        /// Rate while on.
        rate: Rate,
        /// Payload of each packet.
        size: Bytes,
        /// Length of an on-time.
        on: DurationDist,
        /// Length of an off-time.
        off: DurationDist,
    },
    /// UDP: CBR at rates that change at given times (since the flow's start); zero is silence.
    Schedule {
        /// Time since start and the rate from then on; ascending.
        steps: Vec<(Duration, Rate)>,
        /// Payload of each packet.
        size: Bytes,
    },
    /// UDP: bursts of length `burst` at `rate`, one every `period` (Kuzmanovic & Knightly 2003's shrew).
    Pulse {
        /// From the start of one burst to the start of the next.
        period: Duration,
        /// Length of a burst, at most `period`.
        burst: Duration,
        /// Rate within a burst.
        rate: Rate,
        /// Payload of each packet.
        size: Bytes,
    },
}

impl App {
    /// Payload of its packets, where it sends over UDP.
    pub const fn payload(&self) -> Option<Bytes> {
        match self {
            Self::Cbr { size, .. }
            | Self::Poisson { size, .. }
            | Self::OnOff { size, .. }
            | Self::Schedule { size, .. }
            | Self::Pulse { size, .. } => Some(*size),
            Self::Bulk
            | Self::Transfer { .. }
            | Self::RequestResponse { .. }
            | Self::Sequence { .. }
            | Self::Arrivals { .. } => None,
        }
    }

    /// The most payload a second that it sends whatever becomes of it; `None` over TCP, where the network decides.
    pub fn rate(&self) -> Option<Rate> {
        match self {
            Self::Cbr { rate, .. }
            | Self::Poisson { rate, .. }
            | Self::OnOff { rate, .. }
            | Self::Pulse { rate, .. } => Some(*rate),
            Self::Schedule { steps, .. } => {
                Some(steps.iter().map(|(_, rate)| *rate).max().unwrap_or_default())
            }
            Self::Bulk
            | Self::Transfer { .. }
            | Self::RequestResponse { .. }
            | Self::Sequence { .. }
            | Self::Arrivals { .. } => None,
        }
    }
}

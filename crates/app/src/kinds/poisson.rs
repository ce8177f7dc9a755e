//! Poisson arrivals: packets of one size with exponentially distributed gaps.

use crate::application::{AppContext, Application, Datagram, EndpointRole};
use crate::bounds::{PAYLOADS, RATES, check_gap};
use crate::registry::{AppKind, KeyConflict, OfferedTraffic, RequiredTransport};
use tailrace_core::{Bytes, Duration, Rate};

tailrace_core::parameters! {
    /// Keys of `poisson`.
    pub struct PoissonConfig {
        /// The payload that the flow sends per second on average.
        rate: Rate, required, within RATES;
        /// The payload of each packet, without headers.
        size: Bytes, required, within PAYLOADS;
    }
}

impl AppKind for PoissonConfig {
    const SUMMARY: &'static str = "Sends packets at random times (a Poisson process).";
    const TRANSPORT: RequiredTransport = RequiredTransport::Datagrams;
    type App = Poisson;

    fn build(&self) -> Poisson {
        Poisson { mean_gap: self.rate.time_to_send(self.size), size: self.size }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        check_gap(self.rate, self.size).map_err(|why| KeyConflict::OutOfRange("rate", why))
    }
    fn traffic(&self) -> Option<OfferedTraffic> {
        Some(OfferedTraffic { rate: self.rate, payload: self.size, periodic: false })
    }
    fn is_random(&self) -> bool {
        true
    }
}

/// Sender of a Poisson process.
#[derive(Debug)]
pub struct Poisson {
    mean_gap: Duration,
    size: Bytes,
}

impl Application for Poisson {
    fn on_start(&mut self, cx: &mut AppContext<'_>) {
        let gap = cx.rng().exponential_duration(self.mean_gap);
        cx.wake_at(cx.now() + gap);
    }

    #[inline]
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        let gap = cx.rng().exponential_duration(self.mean_gap);
        cx.wake_at(cx.now() + gap);
        cx.send(EndpointRole::Client, Datagram::of(self.size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;
    use tailrace_core::Instant;

    #[test]
    fn poisson_mean_rate_equals_configured_rate() {
        let config = PoissonConfig { rate: Rate::from_mbit(8), size: Bytes(1000) };
        let n = times(config.build(), Instant::from_secs(100)).len();
        assert!((n as f64 / 1e5 - 1.0).abs() < 0.015, "{n}");
    }
}

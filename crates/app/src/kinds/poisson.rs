//! Poisson arrivals: packets with exponentially distributed gaps, of one size or of sizes that are drawn.

use crate::application::{AppContext, Application, Datagram, EndpointRole};
use crate::bounds::{DRAWN_PAYLOADS, RATES, check_gap, mean_payload};
use crate::packet_spacing::{draw_payload, mean_gap};
use crate::registry::{AppKind, KeyConflict, OfferedTraffic, RequiredTransport};
use tailrace_core::{Duration, Rate, SizeDist};

tailrace_core::parameters! {
    /// Keys of `poisson`.
    pub struct PoissonConfig {
        /// The payload that the flow sends per second on average.
        rate: Rate, required, within RATES;
        /// The payload of each packet, without headers; a size, or a distribution from which each is drawn, such as `exponential(1 kB)`
        /// or `imix`.
        size: SizeDist, required, within DRAWN_PAYLOADS;
    }
}

impl AppKind for PoissonConfig {
    const SUMMARY: &'static str = "Sends packets at random times (a Poisson process).";
    const TRANSPORT: RequiredTransport = RequiredTransport::Datagrams;
    type App = Poisson;

    fn build(&self) -> Poisson {
        Poisson { mean_gap: mean_gap(self.rate, &self.size), size: self.size.clone() }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        check_gap(self.rate, mean_payload(&self.size)).map_err(|why| KeyConflict::OutOfRange("rate", why))
    }
    fn traffic(&self) -> Option<OfferedTraffic> {
        Some(OfferedTraffic { is_mean: true, ..OfferedTraffic::of(self.rate, &self.size, false) })
    }
    fn is_random(&self) -> bool {
        true
    }
}

/// Sender of a Poisson process.
#[derive(Debug)]
pub struct Poisson {
    mean_gap: Duration,
    size: SizeDist,
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
        let size = draw_payload(&self.size, cx.rng());
        cx.send(EndpointRole::Client, Datagram::of(size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;
    use tailrace_core::{Bytes, Instant};

    #[test]
    fn poisson_mean_rate_equals_configured_rate() {
        let config = PoissonConfig { rate: Rate::from_mbit(8), size: Bytes(1000).into() };
        let n = times(config.build(), Instant::from_secs(100)).len();
        assert!((n as f64 / 1e5 - 1.0).abs() < 0.015, "{n}");
    }
}

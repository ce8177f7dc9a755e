//! Constant bit rate, as of a codec or a flood.

use crate::application::{AppContext, Application, Datagram, EndpointRole};
use crate::bounds::{DRAWN_PAYLOADS, RATES, check_gap, mean_payload};
use crate::packet_spacing::{PacketSpacing, draw_payload, mean_gap};
use crate::registry::{AppKind, KeyConflict, OfferedTraffic, RequiredTransport};
use tailrace_core::{Probability, Rate, SizeDist};

tailrace_core::parameters! {
    /// Keys of `cbr`.
    pub struct CbrConfig {
        /// The payload that the flow sends per second.
        rate: Rate, required, within RATES;
        /// The payload of each packet, without headers; a size, or a distribution from which each is drawn, such as `exponential(1 kB)`
        /// or `imix`.
        size: SizeDist, required, within DRAWN_PAYLOADS;
        /// The irregularity of the gaps: each is multiplied by a random factor between 1 minus this and 1 plus this.
        /// With 0 packets are strictly periodic, and their timing may keep other flows out of a queue again and again.
        jitter: Probability = Probability::ZERO, "ns-2, random_";
        /// Whether the first packet is sent at a random time within the first gap, instead of at the start.
        random_phase: bool = false, "own choice";
    }
}

impl AppKind for CbrConfig {
    const SUMMARY: &'static str = "Sends packets at a constant rate.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Datagrams;
    type App = Cbr;

    fn build(&self) -> Cbr {
        Cbr { config: self.clone(), spacing: PacketSpacing::default() }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        check_gap(self.rate, mean_payload(&self.size)).map_err(|why| KeyConflict::OutOfRange("rate", why))
    }
    fn traffic(&self) -> Option<OfferedTraffic> {
        Some(OfferedTraffic::of(self.rate, &self.size, self.jitter.get() == 0.0 && self.size.is_constant()))
    }
    fn is_random(&self) -> bool {
        self.jitter.get() > 0.0 || self.random_phase || !self.size.is_constant()
    }
}

/// The running application.
#[derive(Debug)]
pub struct Cbr {
    config: CbrConfig,
    spacing: PacketSpacing,
}

impl Application for Cbr {
    fn on_start(&mut self, cx: &mut AppContext<'_>) {
        let CbrConfig { rate, random_phase, .. } = self.config;
        let gap = mean_gap(rate, &self.config.size);
        let first = if random_phase { cx.now() + gap.mul_f64(cx.rng().uniform()) } else { cx.now() };
        cx.wake_at(first);
    }

    #[inline]
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        let CbrConfig { rate, jitter, .. } = self.config;
        // The gap behind a packet is the time that the rate takes for it.
        let size = draw_payload(&self.config.size, cx.rng());
        let gap = self.spacing.gap(rate, size);
        let factor = 1.0 + jitter.get() * (2.0 * cx.rng().uniform() - 1.0);
        cx.wake_at(cx.now() + if jitter.get() > 0.0 { gap.mul_f64(factor) } else { gap });
        cx.send(EndpointRole::Client, Datagram::of(size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;
    use tailrace_core::{Bytes, Instant};

    #[test]
    fn cbr_is_exact_over_an_hour() {
        // 448 kbit/s of 1000 bytes: 56 packets a second.
        let config =
            CbrConfig { rate: Rate::from_bps(448_000), size: Bytes(1000).into(), ..Default::default() };
        assert_eq!(times(config.build(), Instant::from_secs(3600)).len(), 56 * 3600);
    }

    #[test]
    fn packets_of_drawn_sizes_leave_at_the_rate() {
        let size = SizeDist::read("imix").unwrap();
        let config = CbrConfig { rate: Rate::from_mbit(1), size: size.clone(), ..Default::default() };
        // Some 160 000 packets: their mean size is within 0.5 % of the mix.
        let n = times(config.build(), Instant::from_secs(400)).len() as f64;
        assert!((n / (400e6 / 8.0 / size.mean()) - 1.0).abs() < 0.01, "{n}");
        assert!(config.is_random() && !config.traffic().unwrap().periodic);
    }
}

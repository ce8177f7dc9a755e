//! Constant bit rate during on-times, as of a voice with silences; heavy-tailed times make self-similar traffic (Willinger
//! et al., "Self-similarity through high-variability", SIGCOMM 1995).

use crate::application::{AppContext, Application, Datagram, EndpointRole};
use crate::bounds::{DRAWN_PAYLOADS, RATES, check_gap, mean_payload};
use crate::packet_spacing::{PacketSpacing, draw_payload};
use crate::registry::{AppKind, KeyConflict, OfferedTraffic, RequiredTransport};
use tailrace_core::{Bytes, DurationDist, Instant, Rate, SizeDist};

tailrace_core::parameters! {
    /// Keys of `on_off`.
    pub struct OnOffConfig {
        /// The payload that the flow sends per second while it is on.
        rate: Rate, required, within RATES;
        /// The payload of each packet, without headers; a size, or a distribution from which each is drawn, such as `exponential(1 kB)`
        /// or `imix`.
        size: SizeDist, required, within DRAWN_PAYLOADS;
        /// For how long the flow sends each time; a duration or a distribution.
        on: DurationDist, required, in "1 us"..="87600 h": "each on-time is drawn by itself | no run lasts longer";
        /// For how long the flow is silent each time; a duration or a distribution.
        off: DurationDist, required;
    }
}

impl AppKind for OnOffConfig {
    const SUMMARY: &'static str = "Sends at a constant rate while it is on, and nothing while it is off.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Datagrams;
    type App = OnOff;

    fn build(&self) -> OnOff {
        OnOff { config: self.clone(), spacing: PacketSpacing::default(), until: Instant::ZERO }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        check_gap(self.rate, mean_payload(&self.size)).map_err(|why| KeyConflict::OutOfRange("rate", why))
    }
    fn traffic(&self) -> Option<OfferedTraffic> {
        Some(OfferedTraffic::of(self.rate, &self.size, false))
    }
    fn is_random(&self) -> bool {
        !(self.on.is_constant() && self.off.is_constant() && self.size.is_constant())
    }
}

/// The running application.
#[derive(Debug)]
pub struct OnOff {
    config: OnOffConfig,
    spacing: PacketSpacing,
    /// When the on-time ends.
    until: Instant,
}

impl OnOff {
    /// When the packet after one of this size at `cx.now()` leaves.
    fn next(&mut self, size: Bytes, cx: &mut AppContext<'_>) -> Instant {
        let next = cx.now() + self.spacing.gap(self.config.rate, size);
        if next < self.until {
            return next;
        }
        // A heavy tail draws centuries now and then: the flow then rests for ever.
        let resume = self.until.max(cx.now()).saturating_add(self.config.off.draw(cx.rng()));
        self.until = resume.saturating_add(self.config.on.draw(cx.rng()));
        resume
    }
}

impl Application for OnOff {
    fn on_start(&mut self, cx: &mut AppContext<'_>) {
        self.until = cx.now().saturating_add(self.config.on.draw(cx.rng()));
        cx.wake_at(cx.now());
    }

    #[inline]
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        let size = draw_payload(&self.config.size, cx.rng());
        let next = self.next(size, cx);
        cx.wake_at(next);
        cx.send(EndpointRole::Client, Datagram::of(size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;
    use tailrace_core::Duration;

    #[test]
    fn a_pause_of_centuries_never_ends() {
        let config = OnOffConfig {
            rate: Rate::from_mbit(1),
            size: Bytes(125).into(),
            on: DurationDist::Constant(Duration::from_millis(3)),
            off: DurationDist::Constant(Duration::from_nanos(u64::MAX)),
        };
        assert_eq!(times(config.build(), Instant::MAX), [0.0, 0.001, 0.002]);
    }

    #[test]
    fn the_mean_rate_is_that_of_the_share_of_time() {
        let on = DurationDist::Exponential(Duration::from_millis(50));
        let off = DurationDist::Pareto(Duration::from_millis(150), 2.5);
        let config = OnOffConfig { rate: Rate::from_mbit(8), size: Bytes(100).into(), on, off };
        // A quarter of the time at 10 000 packets a second.
        let n = times(config.build(), Instant::from_secs(400)).len() as f64;
        assert!((n / 1e6 - 1.0).abs() < 0.06, "{n}");
    }
}

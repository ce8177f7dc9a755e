//! Reduction of quality: bursts that keep what adapts from ever settling (Guirguis, Bestavros & Matta, "Exploiting the
//! transients of adaptation for RoQ attacks on Internet resources", ICNP 2004).
//!
//! The paper's attack sends M packets at the rate δ, hence for τ = M / δ, and does so again each T. It does not aim at timeouts:
//! a burst drives queue, marking probability and windows away from where they had settled, and T is about the time in which
//! they come back, so the resource is never used as well as it could be, at a mean rate that shows little. What it is worth is
//! its potency, damage per byte sent.

use crate::attack::AttackKind;
use crate::bounds::{COUNTS, PAYLOADS, RATES};
use crate::kinds::AppConfig;
use crate::kinds::pulse::PulseConfig;
use crate::registry::KeyConflict;
use tailrace_core::{Bytes, Duration, Probability, Rate};

tailrace_core::parameters! {
    /// Keys of attack `roq`.
    pub struct RoqConfig {
        /// T, the time from the start of one burst to the start of the next. It should be about as long as queues and
        /// windows take to settle after a burst, many round trips.
        period: Duration, required, in "1 us"..="87600 h": "each burst sends a packet, which takes computing time | no run lasts longer";
        /// δ (delta), how much payload each flow sends per second within a burst.
        rate: Rate, required, within RATES;
        /// M, how many packets a burst has. State either this or `duration`.
        magnitude: Option<u32> = None, "`duration`", within COUNTS;
        /// τ (tau), the length of a burst. State either this or `magnitude`.
        duration: Option<Duration> = None, "`magnitude`", in "1 ns"..="87600 h": "each burst sends a packet, which takes computing time | no run lasts longer";
        /// The payload of each packet, without headers.
        size: Bytes, required, within PAYLOADS;
        /// The irregularity of the gaps between the packets of a burst: each gap is multiplied by a random factor
        /// between 1 minus this and 1 plus this.
        jitter: Probability = Probability::ZERO, "own choice";
    }
}

impl RoqConfig {
    fn burst(&self) -> Duration {
        let packets = u64::from(self.magnitude.unwrap_or(1));
        // The last packet leaves one gap before the end. What is said of a rate that is none is said of its key.
        let of_packets = || match self.rate.as_bps() {
            0 => Duration::ZERO,
            _ => self.rate.time_to_send(Bytes(self.size.get().saturating_mul(packets))),
        };
        self.duration.unwrap_or_else(of_packets)
    }
}

impl AttackKind for RoqConfig {
    const SUMMARY: &'static str =
        "Bursts so far apart that queues and windows never settle (reduction of quality).";
    const CITATION: &'static str = "Guirguis, Bestavros & Matta, ICNP 2004";

    fn app(&self) -> AppConfig {
        let Self { period, rate, size, jitter, .. } = *self;
        let (burst, restart) = (self.burst(), true);
        AppConfig::Pulse(PulseConfig { period, burst, rate, size, restart, jitter, ..Default::default() })
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        let one = match (self.magnitude, self.duration) {
            (None, None) => {
                let why = "how much a burst sends: `magnitude`, or `duration`".into();
                return Err(KeyConflict::Missing("magnitude", why));
            }
            (Some(_), Some(_)) => {
                let why = "`magnitude` says how much a burst sends: leave one of the two out".into();
                return Err(KeyConflict::Unused("duration", why));
            }
            (Some(_), None) => "magnitude",
            (None, Some(_)) => "duration",
        };
        self.app().validate().map_err(|misfit| match misfit {
            KeyConflict::Contradiction("burst", why) => KeyConflict::Contradiction(one, why),
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;
    use tailrace_core::Instant;

    #[test]
    fn a_rate_that_is_none_makes_no_burst() {
        assert_eq!(RoqConfig { rate: Rate::from_mbit(0), ..roq() }.burst(), Duration::ZERO);
    }

    fn roq() -> RoqConfig {
        RoqConfig {
            period: Duration::from_millis(10),
            rate: Rate::from_mbit(1),
            magnitude: Some(3),
            size: Bytes(125),
            ..Default::default()
        }
    }

    #[test]
    fn a_burst_has_as_many_packets_as_its_magnitude() {
        let sent = |config: RoqConfig| {
            assert_eq!(config.validate(), Ok(()));
            times(config.app().build(), Instant::from_millis(15))
        };
        let expected = [0.0, 0.001, 0.002, 0.01, 0.011, 0.012];
        assert_eq!(sent(roq()), expected);
        let duration = Some(Duration::from_millis(3));
        assert_eq!(sent(RoqConfig { magnitude: None, duration, ..roq() }), expected);
    }

    #[test]
    fn contradicting_or_unfit_keys_are_named() {
        let misfit = |config: RoqConfig| config.validate().unwrap_err();
        let duration = Some(Duration::from_millis(3));
        assert!(matches!(misfit(RoqConfig { duration, ..roq() }), KeyConflict::Unused("duration", _)));
        assert!(matches!(
            misfit(RoqConfig { magnitude: None, ..roq() }),
            KeyConflict::Missing("magnitude", _)
        ));
        let long = RoqConfig { magnitude: Some(11), ..roq() };
        assert!(matches!(misfit(long), KeyConflict::Contradiction("magnitude", _)));
    }
}

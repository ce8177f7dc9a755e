//! A flood: packets at a steady rate, whatever becomes of them.

use crate::attack::AttackKind;
use crate::bounds::{DRAWN_PAYLOADS, RATES};
use crate::kinds::AppConfig;
use crate::kinds::cbr::CbrConfig;
use crate::kinds::poisson::PoissonConfig;
use crate::registry::KeyConflict;
use tailrace_core::{Probability, Rate, SizeDist};

tailrace_core::choices! {
    /// Spacing of the packets of a flood.
    pub enum FloodSpacing {
        /// The gaps are equal, apart from `jitter`.
        Periodic = "periodic",
        /// The gaps are random (exponential), so that packets arrive as a Poisson process.
        Poisson = "poisson",
    }
}

tailrace_core::parameters! {
    /// Keys of attack `flood`.
    pub struct FloodConfig {
        /// The payload that each flow of the attack sends per second.
        rate: Rate, required, within RATES;
        /// The payload of each packet, without headers; a size, or a distribution from which each is drawn, such as `exponential(1 kB)`
        /// or `imix`.
        size: SizeDist, required, within DRAWN_PAYLOADS;
        /// The spacing of packets in time.
        arrivals: FloodSpacing = FloodSpacing::Periodic, "ns-2's CBR";
        /// The irregularity of the gaps: each is multiplied by a random factor between 1 minus this and 1 plus this.
        /// With 0 packets are strictly periodic. If the floods and a link then have equal rates, the result depends on
        /// the order in which they happen to send.
        jitter: Probability = Probability::ZERO, "ns-2, random_";
        /// Whether the first packet is sent at a random time within the first gap, instead of at the start.
        random_phase: bool = false, "own choice";
    }
}

impl AttackKind for FloodConfig {
    const SUMMARY: &'static str = "Packets at a constant rate, with equal or random gaps.";

    fn app(&self) -> AppConfig {
        let Self { rate, jitter, random_phase, .. } = *self;
        let size = self.size.clone();
        match self.arrivals {
            FloodSpacing::Periodic => AppConfig::Cbr(CbrConfig { rate, size, jitter, random_phase }),
            FloodSpacing::Poisson => AppConfig::Poisson(PoissonConfig { rate, size }),
        }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        if self.arrivals == FloodSpacing::Poisson {
            let idle = |key| KeyConflict::Unused(key, "Poisson arrivals are random by themselves".into());
            if self.jitter.get() > 0.0 {
                return Err(idle("jitter"));
            }
            if self.random_phase {
                return Err(idle("random_phase"));
            }
        }
        self.app().validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;
    use tailrace_core::{Bytes, Instant};

    fn flood(arrivals: FloodSpacing, jitter: f64) -> FloodConfig {
        let jitter = Probability::new(jitter).unwrap();
        FloodConfig {
            rate: Rate::from_mbit(1),
            size: Bytes(125).into(),
            arrivals,
            jitter,
            random_phase: false,
        }
    }

    #[test]
    fn packets_are_a_gap_apart_or_leave_by_chance() {
        let sent = |config: &FloodConfig, ms| times(config.app().build(), Instant::from_millis(ms));
        assert_eq!(sent(&flood(FloodSpacing::Periodic, 0.0), 4), [0.0, 0.001, 0.002, 0.003]);
        for config in [flood(FloodSpacing::Periodic, 0.5), flood(FloodSpacing::Poisson, 0.0)] {
            let sent = sent(&config, 100_000);
            assert!((97_000..103_000).contains(&sent.len()), "{config:?}: {}", sent.len());
            assert!(sent.windows(3).any(|w| (w[2] - 2.0 * w[1] + w[0]).abs() > 1e-4), "{config:?}");
        }
    }

    #[test]
    fn jitter_says_nothing_to_arrivals_by_chance() {
        let misfit = flood(FloodSpacing::Poisson, 0.5).validate();
        assert!(matches!(misfit, Err(KeyConflict::Unused("jitter", _))), "{misfit:?}");
    }
}

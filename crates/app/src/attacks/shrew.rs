//! The shrew: outages as far apart as retransmissions (Kuzmanovic & Knightly, "Low-rate TCP-targeted denial of service attacks",
//! SIGCOMM 2003).
//!
//! A pulse that fills the bottleneck for a round trip has all flows wait for their retransmission timer. If the next pulse comes
//! when they try again, they wait once more: at T = minRTO / n no flow gets on whose timer is the minimum (§3.2, "null
//! frequencies").

use crate::attack::AttackKind;
use crate::bounds::{COUNTS, PAYLOADS, RATES};
use crate::kinds::AppConfig;
use crate::kinds::pulse::PulseConfig;
use crate::pulse_phase::PulsePhase;
use crate::registry::KeyConflict;
use tailrace_core::{Bytes, Duration, Probability, Rate};

tailrace_core::parameters! {
    /// Keys of attack `shrew`.
    pub struct ShrewConfig {
        /// The smallest retransmission timeout of the flows under attack: pulses are this far apart, from start to
        /// start, so that each retransmission meets the next pulse.
        min_rto: Duration = Duration::from_secs(1), "RFC 6298; Linux has 200 ms", in "1 us"..="87600 h": "each pulse sends a packet, which takes computing time | no run lasts longer";
        /// The number of pulses in each `min_rto`. With more than one, flows whose timers differ are hit, too, but the
        /// attack sends more.
        n: u32 = 1, "Kuzmanovic & Knightly 2003", within COUNTS;
        /// The length of a pulse. It should be at least the round-trip time of the flows under attack; with a shorter
        /// one, part of their windows gets through.
        burst: Duration, required, in "1 ns"..="87600 h": "each pulse sends a packet, which takes computing time | no run lasts longer";
        /// The payload that each flow of the attack sends per second within a pulse. All its flows together must fill
        /// the bottleneck's buffer within a part of the pulse.
        rate: Rate, required, within RATES;
        /// The payload of each packet. Many small packets fill a buffer that counts packets.
        size: Bytes, required, within PAYLOADS;
        /// The irregularity of the gaps between the packets of a pulse: each gap is multiplied by a random factor
        /// between 1 minus this and 1 plus this.
        jitter: Probability = Probability::ZERO, "own choice";
    }
}

impl AttackKind for ShrewConfig {
    const SUMMARY: &'static str =
        "Pulses as far apart as TCP's retransmission timeout, so that retransmissions meet the next pulse.";
    const CITATION: &'static str = "Kuzmanovic & Knightly, SIGCOMM 2003";

    fn app(&self) -> AppConfig {
        let Self { min_rto, n, burst, rate, size, jitter } = *self;
        let period = Duration::from_nanos(min_rto.as_nanos() / u64::from(n));
        let restart = true;
        let phase = PulsePhase::Together;
        AppConfig::Pulse(PulseConfig {
            period,
            burst,
            rate,
            size,
            restart,
            jitter,
            phase,
            ..Default::default()
        })
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        if self.min_rto.as_nanos() / u64::from(self.n) < 1000 {
            let why = format!("{} pulses in {} are less than 1 us apart", self.n, self.min_rto);
            return Err(KeyConflict::OutOfRange("n", why));
        }
        self.app().validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;
    use tailrace_core::Instant;

    #[test]
    fn pulses_are_an_nth_of_the_timeout_apart() {
        let config = ShrewConfig {
            n: 2,
            burst: Duration::from_millis(2),
            rate: Rate::from_mbit(1),
            size: Bytes(125),
            ..Default::default()
        };
        let sent = times(config.app().build(), Instant::from_millis(1600));
        assert_eq!(sent, [0.0, 0.001, 0.5, 0.501, 1.0, 1.001, 1.5, 1.501]);
        let long = ShrewConfig { burst: Duration::from_millis(501), ..config.clone() };
        assert!(matches!(long.validate(), Err(KeyConflict::Contradiction("burst", _))));
        let many = ShrewConfig { n: 2_000_000, burst: Duration::from_nanos(1), ..config };
        assert!(matches!(many.validate(), Err(KeyConflict::OutOfRange("n", _))));
    }
}

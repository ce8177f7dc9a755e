//! Pulses: a burst of length L at a rate R, once each time T.

use crate::attack::AttackKind;
use crate::bounds::{PAYLOADS, RATES};
use crate::kinds::{self, AppConfig};
use crate::pulse_envelope::PulseEnvelope;
use crate::pulse_phase::PulsePhase;
use crate::registry::KeyConflict;
use tailrace_core::{Bytes, Duration, Probability, Rate};

tailrace_core::choices! {
    /// Reference point of the time between pulses.
    pub enum PeriodReference {
        /// `period` is the time from the start of one pulse to the start of the next.
        Period = "period",
        /// `period` is the pause from the end of one pulse to the start of the next.
        Gap = "gap",
    }
}

tailrace_core::parameters! {
    /// Keys of attack `pulse`.
    pub struct PulseConfig {
        /// T, the time between pulses; what it is measured from is said by `t`.
        period: Duration, required, in "1 us"..="87600 h": "each pulse sends a packet, which takes computing time | no run lasts longer";
        /// The meaning of `period`: `"period"` is from the start of one pulse to the start of the next, `"gap"` from
        /// its end to the start of the next. Papers often leave this open, but it matters: with T equal to the length
        /// of a pulse, the first is a constant flood, the second a flood for half of the time.
        t: PeriodReference = PeriodReference::Period, "Kuzmanovic & Knightly 2003";
        /// L, the length of a pulse. State either this or `duty`.
        burst: Option<Duration> = None, "`duty`", in "1 ns"..="87600 h": "each pulse sends a packet, which takes computing time | no run lasts longer";
        /// The length of a pulse as a share of the time from one start to the next. State either this or `burst`.
        /// When a sweep varies `period`, the mean rate then stays the same.
        duty: Option<Probability> = None, "`burst`", in "0.000001"..="1": "each pulse sends a packet, which takes computing time | a duty is a share of the period";
        /// R, how much payload each flow sends per second within a pulse; with ramps, the highest rate. State either
        /// this or `mean`. A pulse has a whole number of packets: R times L, rounded up.
        rate: Option<Rate> = None, "`mean`", within RATES;
        /// The payload that each flow sends per second on average, pauses included. State either this or `rate`.
        mean: Option<Rate> = None, "`rate`", within RATES;
        /// The payload of each packet, without headers.
        size: Bytes, required, within PAYLOADS;
        /// The position in time of the pulses of the group's flows relative to one another.
        phase: PulsePhase = PulsePhase::Together, "Kuzmanovic & Knightly 2003";
        /// The irregularity of the gaps between the packets of a pulse: each gap is multiplied by a random factor
        /// between 1 minus this and 1 plus this.
        jitter: Probability = Probability::ZERO, "own choice";
        /// The irregularity of the starts of pulses: each pulse starts up to this much before or after its time, at
        /// random (uniformly). This does not move the pulses after it. It may be at most half of the pause between
        /// pulses.
        start_jitter: Duration = Duration::ZERO, "own choice", in "0 s"..="87600 h": "no run lasts longer";
        /// Over which share of a pulse, at its start, the rate rises from zero in a straight line. 0: it begins at
        /// the full rate.
        rise: Probability = Probability::ZERO, "Kuzmanovic & Knightly 2003, square waves";
        /// Over which share of a pulse, at its end, the rate falls to zero in a straight line. 0: it ends at the full
        /// rate.
        fall: Probability = Probability::ZERO, "Kuzmanovic & Knightly 2003, square waves";
        /// Whether each pulse begins with a packet exactly at its start. If false, and a pulse follows directly on
        /// the one before, packets go on at their spacing, as in a single flood.
        restart: bool = true, "ns-2 scripts, which start a source anew for each pulse";
    }
}

impl PulseConfig {
    /// From start to start, and length.
    fn times(&self) -> (Duration, Duration) {
        let Self { period, t, burst, duty, .. } = self;
        let duty = duty.map_or(0.0, Probability::get);
        match (burst, t) {
            (Some(burst), PeriodReference::Period) => (*period, *burst),
            (Some(burst), PeriodReference::Gap) => (*period + *burst, *burst),
            (None, PeriodReference::Period) => (*period, period.mul_f64(duty)),
            (None, PeriodReference::Gap) => {
                let whole = period.mul_f64(1.0 / (1.0 - duty));
                (whole, whole.saturating_sub(*period))
            }
        }
    }

    /// The highest rate.
    fn peak(&self) -> Rate {
        let (period, burst) = self.times();
        self.rate.unwrap_or_else(|| {
            let mean = self.mean.map_or(0.0, |mean| mean.as_bps() as f64);
            let lasts = burst.as_secs_f64() * PulseEnvelope::fullness(self.rise, self.fall);
            Rate::from_bps((mean * period.as_secs_f64() / lasts).round() as u64)
        })
    }

    /// Checks that exactly one key states the length, and one the rate.
    fn check_choices(&self) -> Result<(), KeyConflict> {
        let either = |has: [bool; 2], [one, other]: [&'static str; 2], what: &str| match has {
            [false, false] => Err(KeyConflict::Missing(one, format!("{what}: `{one}`, or `{other}`"))),
            [true, true] => {
                Err(KeyConflict::Unused(other, format!("`{one}` says {what}: leave one of the two out")))
            }
            _ => Ok(()),
        };
        let length = [self.burst.is_some(), self.duty.is_some()];
        either(length, ["burst", "duty"], "how long a pulse lasts")?;
        either([self.rate.is_some(), self.mean.is_some()], ["rate", "mean"], "how fast it sends")?;
        if self.t == PeriodReference::Gap && self.duty.is_some_and(|duty| duty.get() == 1.0) {
            let why = "pulses that last all the time leave no gap: lower the share".into();
            return Err(KeyConflict::OutOfRange("duty", why));
        }
        Ok(())
    }
}

impl AttackKind for PulseConfig {
    const SUMMARY: &'static str = "Pulses of length L at rate R, repeated after time T.";
    const CITATION: &'static str = "Kuzmanovic & Knightly, SIGCOMM 2003";

    fn app(&self) -> AppConfig {
        let (period, burst) = self.times();
        let Self { size, phase, jitter, start_jitter, rise, fall, restart, .. } = *self;
        let rate = self.peak();
        let pulse = kinds::pulse::PulseConfig {
            period,
            burst,
            rate,
            size,
            restart,
            jitter,
            start_jitter,
            phase,
            rise,
            fall,
        };
        AppConfig::Pulse(pulse)
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        self.check_choices()?;
        let written = |key| if key == "rate" && self.rate.is_none() { "mean" } else { key };
        self.app().validate().map_err(|misfit| match misfit {
            KeyConflict::OutOfRange(key, why) => KeyConflict::OutOfRange(written(key), why),
            KeyConflict::Contradiction("burst", why) => KeyConflict::Contradiction(
                "burst",
                format!("{why}; write t = \"gap\" where the time is counted from the end of a pulse"),
            ),
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;
    use tailrace_core::Instant;

    /// A tenth of a second each second at 1 Mbit/s of 125 bytes: a packet a millisecond.
    fn pulse() -> PulseConfig {
        PulseConfig {
            period: Duration::from_secs(1),
            burst: Some(Duration::from_millis(100)),
            rate: Some(Rate::from_mbit(1)),
            size: Bytes(125),
            ..Default::default()
        }
    }

    fn sent(config: &PulseConfig, seconds: u64) -> Vec<f64> {
        assert_eq!(config.validate(), Ok(()));
        times(config.app().build(), Instant::from_secs(seconds))
    }

    #[test]
    fn a_period_counts_from_start_to_start_and_a_gap_from_end_to_start() {
        let starts = |config| {
            let sent = sent(&config, 4);
            sent.iter().enumerate().filter(|(i, _)| i % 100 == 0).map(|(_, t)| *t).collect::<Vec<_>>()
        };
        assert_eq!(starts(pulse()), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(starts(PulseConfig { t: PeriodReference::Gap, ..pulse() }), [0.0, 1.1, 2.2, 3.3]);
    }

    #[test]
    fn a_share_of_the_period_keeps_the_mean_rate_while_the_period_changes() {
        let duty = Probability::new(0.2);
        for t in [PeriodReference::Period, PeriodReference::Gap] {
            for ms in [40, 200, 800] {
                let period = Duration::from_millis(ms);
                let config = PulseConfig { period, burst: None, duty, t, ..pulse() };
                // A fifth of 1000 packets a second for 100 s.
                assert_eq!(sent(&config, 100).len(), 20_000, "{t:?} {ms} ms");
            }
        }
    }

    #[test]
    fn a_mean_rate_makes_the_rate_of_pulses_whatever_their_shape() {
        let share = |p| Probability::new(p).unwrap();
        for (rise, fall) in [(0.0, 0.0), (0.5, 0.0), (0.25, 0.75)] {
            let mean = Some(Rate::from_bps(100_000));
            let config = PulseConfig { rate: None, mean, rise: share(rise), fall: share(fall), ..pulse() };
            let n = sent(&config, 50).len();
            // 100 packets a pulse, and one more where a ramp ends between two.
            assert!((5000..=5050).contains(&n), "{rise} {fall}: {n}");
        }
    }

    #[test]
    fn contradicting_or_missing_keys_are_named() {
        let misfit = |config: PulseConfig| config.validate().unwrap_err();
        let mean = Some(Rate::from_mbit(1));
        assert!(matches!(misfit(PulseConfig { mean, ..pulse() }), KeyConflict::Unused("mean", _)));
        assert!(matches!(misfit(PulseConfig { rate: None, ..pulse() }), KeyConflict::Missing("rate", _)));
        assert!(matches!(misfit(PulseConfig { burst: None, ..pulse() }), KeyConflict::Missing("burst", _)));
        let burst = Some(Duration::from_secs(2));
        let long = misfit(PulseConfig { burst, ..pulse() });
        assert!(matches!(&long, KeyConflict::Contradiction("burst", why) if why.contains("gap")), "{long:?}");
        let duty = Probability::new(1.0);
        let endless = PulseConfig { burst: None, duty, t: PeriodReference::Gap, ..pulse() };
        assert!(matches!(misfit(endless), KeyConflict::OutOfRange("duty", _)));
    }
}

//! The shape of a pulse: when its packets leave.

use tailrace_core::{Bytes, Duration, Probability, Rate};

/// A pulse whose rate rises from nothing over its first part, stays, and falls to nothing over its last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PulseEnvelope {
    /// Length.
    pub(crate) burst: Duration,
    /// The highest rate.
    pub(crate) rate: Rate,
    /// Share of the pulse in which the rate rises, linearly.
    pub(crate) rise: Probability,
    /// Share of the pulse in which it falls.
    pub(crate) fall: Probability,
}

impl PulseEnvelope {
    /// When the packet before which `n` of this size have left leaves, since the pulse began; `None` where it is over first. A
    /// packet leaves when what the rate has come to covers all before it, so the first leaves at once.
    pub(crate) fn offset(&self, n: u64, size: Bytes) -> Option<Duration> {
        let bits = u128::from(n) * u128::from(size.get()) * 8;
        if self.rise.get() == 0.0 && self.fall.get() == 0.0 {
            let at = bits * 1_000_000_000 / u128::from(self.rate.as_bps());
            let at = u64::try_from(at).map(Duration::from_nanos).ok();
            return at.filter(|at| *at < self.burst);
        }
        let at = self.ramped(bits as f64).filter(|at| *at < self.burst.as_secs_f64());
        at.map(Duration::from_secs_f64)
    }

    /// The time, in seconds, at which so many bits have been covered.
    fn ramped(&self, bits: f64) -> Option<f64> {
        let (length, rate) = (self.burst.as_secs_f64(), self.rate.as_bps() as f64);
        let (rise, fall) = (self.rise.get() * length, self.fall.get() * length);
        let (rising, level) = (rate * rise / 2.0, rate * (length - rise - fall));
        if bits < rising {
            return Some((2.0 * rise * bits / rate).sqrt());
        }
        if bits < rising + level {
            return Some(rise + (bits - rising) / rate);
        }
        let left = rising + level + rate * fall / 2.0 - bits;
        (left > 0.0).then(|| length - (2.0 * fall * left / rate).sqrt())
    }

    /// Mean rate over the pulse as a share of the highest.
    pub(crate) fn fullness(rise: Probability, fall: Probability) -> f64 {
        1.0 - (rise.get() + fall.get()) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(rise: f64, fall: f64) -> Vec<u64> {
        let share = |p| Probability::new(p).unwrap();
        // 1 Mbit/s of 125 bytes: a packet a millisecond.
        let pulse = PulseEnvelope {
            burst: Duration::from_millis(8),
            rate: Rate::from_mbit(1),
            rise: share(rise),
            fall: share(fall),
        };
        (0..).map_while(|n| pulse.offset(n, Bytes(125))).map(|at| at.as_micros()).collect()
    }

    #[test]
    fn a_level_pulse_is_a_packet_each_gap() {
        assert_eq!(offsets(0.0, 0.0), [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000]);
    }

    #[test]
    fn a_ramp_carries_half_of_what_a_level_part_does() {
        // Rising over 4 ms at 1 Mbit/s it covers t^2 / 8 ms packets: 0, 1 and 2 at 0, sqrt(8) and 4 ms.
        assert_eq!(offsets(0.5, 0.0), [0, 2828, 4000, 5000, 6000, 7000]);
        // Falling over the last 4 ms: 4 level ones, and then 2 - (8 - t)^2 / 8, the fifth when it begins.
        assert_eq!(offsets(0.0, 0.5), [0, 1000, 2000, 3000, 4000, 5171]);
        // A triangle: 4 in all.
        assert_eq!(offsets(0.5, 0.5), [0, 2828, 4000, 5171]);
    }
}

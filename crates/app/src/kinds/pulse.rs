//! Bursts at a fixed period: the shrew (Kuzmanovic & Knightly, "Low-rate TCP-targeted denial of service attacks", SIGCOMM
//! 2003).

use crate::application::{Application, Cx, Datagram, End};
use crate::bounds::{PAYLOADS, RATES, check_gap};
use crate::registry::{AppKind, Misfit, Over, Traffic};
use crate::spacing::Spacing;
use tailrace_core::{Bytes, Duration, Instant, Rate};

tailrace_core::parameters! {
    /// Keys of `pulse`.
    pub struct PulseConfig {
        /// From the start of one burst to the start of the next.
        period: Duration, required, in "1 us"..="87600 h": "each burst has a packet";
        /// Length of a burst, at most `period`.
        burst: Duration, required, in "1 ns"..="87600 h": "each burst has a packet";
        /// Rate of payload within a burst.
        rate: Rate, required, within RATES;
        /// Payload of each packet.
        size: Bytes, required, within PAYLOADS;
    }
}

impl AppKind for PulseConfig {
    const SUMMARY: &'static str = "Bursts at a fixed period (Kuzmanovic & Knightly 2003).";
    const OVER: Over = Over::Datagrams;
    type App = Pulse;

    fn build(&self) -> Pulse {
        Pulse { config: self.clone(), spacing: Spacing::default(), started: Instant::ZERO }
    }
    fn validate(&self) -> Result<(), Misfit> {
        check_gap(self.rate, self.size).map_err(|why| Misfit::Outside("rate", why))?;
        let Self { period, burst, .. } = self;
        if burst > period {
            let why = format!("the burst of {burst} is longer than the period of {period}");
            return Err(Misfit::Contradiction("burst", why));
        }
        Ok(())
    }
    fn traffic(&self) -> Option<Traffic> {
        Some(Traffic { rate: self.rate, payload: self.size, periodic: false })
    }
}

/// One that runs.
#[derive(Debug)]
pub struct Pulse {
    config: PulseConfig,
    spacing: Spacing,
    started: Instant,
}

impl Application for Pulse {
    fn on_start(&mut self, cx: &mut Cx<'_>) {
        self.started = cx.now();
        cx.wake_at(cx.now());
    }

    #[inline]
    fn on_wake(&mut self, cx: &mut Cx<'_>) {
        let PulseConfig { period, burst, rate, size } = self.config;
        let next = cx.now() + self.spacing.gap(rate, size);
        // A packet may take longer than is left of its burst, and than periods: then the burst after it begins.
        let phase = Duration::from_nanos((next - self.started).as_nanos() % period.as_nanos());
        cx.wake_at(if phase < burst { next } else { next.saturating_add(period - phase) });
        cx.send(End::Client, Datagram::of(size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;

    fn pulse(rate: Rate) -> Pulse {
        let (period, burst) = (Duration::from_secs(1), Duration::from_millis(100));
        PulseConfig { period, burst, rate, size: Bytes(125) }.build()
    }

    #[test]
    fn pulses_fill_their_bursts_and_nothing_else() {
        // 1 Mbit/s of 125 bytes is a packet a millisecond: 100 in each 100 ms burst, one burst a second.
        let t = times(pulse(Rate::from_mbit(1)), Instant::from_secs(10));
        assert_eq!(t.len(), 1000);
        assert!(t.iter().all(|t| t.fract() < 0.0995), "{t:?}");
    }

    #[test]
    fn pulses_whose_packets_take_longer_than_a_period_stay_within_bursts() {
        // A packet of 125 bytes at 400 bit/s takes 2.5 s: at 2.5 s no burst is on, so it leaves at 3 s, and so on.
        let sent = |bps, until| times(pulse(Rate::from_bps(bps)), Instant::from_secs(until));
        assert_eq!(sent(400, 10), [0.0, 3.0, 6.0, 9.0]);
        // In 2 s it ends just when a burst begins.
        assert_eq!(sent(500, 5), [0.0, 2.0, 4.0]);
    }
}

//! Vegas (Brakmo, Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", JSAC 13(8), 1995).
//!
//! Once a round trip the rate that an empty path would give is compared with the rate that there was; the difference
//! times the least round trip is the number of segments that wait in queues. The window moves by one segment to hold
//! it between `alpha` and `beta`; slow start grows only every other round, and ends with more than `gamma` waiting.
//!
//! Readings: with `rtt = "average"` a round's round trip is the mean of its samples (the paper, ns-2), with
//! `"minimum"` the least (Linux). The difference is `w (rtt - base) / rtt` (the paper; Linux divides by `base`), and
//! is rounded to whole segments (ns-2). On leaving slow start the window falls by an eighth (the paper, ns-2).
//! Departures: losses are found by the endpoint as for any other algorithm, without Vegas' fine-grained timer, and
//! answered as Reno does. The least round trip is never forgotten, so a route that becomes longer looks congested.

use super::delegation::{delegate, plain};
use super::{AckSample, Algorithm, CongestionControl, CongestionEvent, Reno, RenoConfig, Setup};
use tailrace_core::{Bytes, Duration, choices, parameters};

choices! {
    /// Estimate of a round's round-trip time.
    pub enum RoundTrip {
        /// The mean of its samples.
        Average = "average",
        /// The smallest of its samples, which delayed ACKs and bursts disturb less.
        Minimum = "minimum",
    }
}

parameters! {
    /// Parameters of Vegas. Counts are in segments.
    pub struct VegasConfig {
        /// If fewer segments of the flow than this wait in the queue, the window grows. If it is too small, noise
        /// keeps the window below what the path can carry.
        alpha: f64 = 2.0, "Linux tcp_vegas; ns-2 uses 1", in 0.0..=1000000.0: "it is a number of packets, not negative | no path holds so many packets";
        /// If more segments of the flow than this wait in the queue, the window shrinks. Each flow keeps up to so
        /// many there.
        beta: f64 = 4.0, "Linux tcp_vegas; ns-2 uses 3", in 0.0..=1000000.0: "it is a number of packets, not negative | no path holds so many packets";
        /// If more segments than this wait in the queue, slow start ends. If it is too large, the queue overflows
        /// before that.
        gamma: f64 = 1.0, "Brakmo 1995; Linux and ns-2", in 0.0..=1000000.0: "it is a number of packets, not negative | no path holds so many packets";
        /// Estimate of a round's round-trip time from its samples.
        rtt: RoundTrip = RoundTrip::Minimum, "Linux tcp_vegas; average in Brakmo 1995 and ns-2";
        /// The factor by which a loss reduces the window.
        decrease: f64 = 0.5, "RFC 5681 equation 4", in 0.0..=1.0: "it is a share of a whole";
    }
}

/// Measurements since the round began.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// Bytes that are still to be acknowledged in it; zero before the first.
    left: u64,
    sum: Duration,
    least: Duration,
    samples: u64,
}

impl Round {
    const NEW: Self = Self { left: 0, sum: Duration::ZERO, least: Duration::MAX, samples: 0 };
}

/// Vegas' state: Reno's window with another way to move.
#[derive(Clone, Debug)]
pub struct Vegas {
    reno: Reno,
    config: VegasConfig,
    /// Least round trip ever: that of an empty path.
    base: Duration,
    round: Round,
    /// Slow start grows in this round.
    grows: bool,
}

impl Algorithm for Vegas {
    type Config = VegasConfig;
    const SUMMARY: &'static str = "Watches round-trip times to keep only a few segments in queues";
    const CITATION: &'static str = "Brakmo, Peterson, JSAC 13(8), 1995";
    fn build(config: &VegasConfig, setup: &Setup) -> Self {
        let reno = RenoConfig { beta: config.decrease, beta_ecn: config.decrease };
        Self {
            reno: Reno::build(&reno, setup),
            config: config.clone(),
            base: Duration::MAX,
            round: Round::NEW,
            grows: true,
        }
    }
}

impl CongestionControl for Vegas {
    delegate! { reno: on_round_trip, on_resumed, on_undo, on_flight_after_timeout, on_recovered, penalise, cwnd, ssthresh }
    plain! { needs, on_delivery, holds_back, pacing_rate, leaves_recovery_on_partial_ack }

    fn on_established(&mut self, setup: &Setup) {
        self.reno.on_established(setup);
        self.round = Round::NEW;
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt {
            self.base = self.base.min(rtt);
            self.round.sum += rtt;
            self.round.least = self.round.least.min(rtt);
            self.round.samples += 1;
        }
        let acked = ack.acked.get();
        if acked < self.round.left {
            self.round.left -= acked;
        } else {
            let waiting = self.waiting().filter(|_| self.round.left > 0 && ack.cwnd_limited);
            self.round = Round { left: ack.in_flight.get().saturating_sub(acked).max(1), ..Round::NEW };
            if let Some(waiting) = waiting {
                self.on_round(waiting);
            }
        }
        if self.in_slow_start() && self.grows {
            self.reno.on_ack(ack);
        }
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.round = Round::NEW;
        self.grows = true;
        self.reno.on_congestion(event);
    }
    fn on_idle(&mut self, idle: Duration, rto: Duration, floor: Bytes, decay: Option<u32>) {
        self.round = Round::NEW;
        self.reno.on_idle(idle, rto, floor, decay);
    }
}

impl Vegas {
    fn in_slow_start(&self) -> bool {
        self.reno.cwnd < self.reno.ssthresh as f64
    }

    /// Segments that wait in queues, by the round that ends: (w / base - w / rtt) base, rounded.
    fn waiting(&self) -> Option<f64> {
        let rtt = match self.config.rtt {
            _ if self.round.samples == 0 => return None,
            RoundTrip::Average => self.round.sum / self.round.samples,
            RoundTrip::Minimum => self.round.least,
        };
        let window = self.reno.cwnd / self.reno.setup.mss as f64;
        let over = rtt.saturating_sub(self.base).as_secs_f64();
        Some((window * over / rtt.as_secs_f64().max(1e-9) + 0.5).floor())
    }

    fn on_round(&mut self, waiting: f64) {
        let mss = self.reno.setup.mss as f64;
        if self.in_slow_start() {
            self.grows = !self.grows;
            if waiting > self.config.gamma {
                self.reno.cwnd = (self.reno.cwnd * 0.875).max(2.0 * mss);
                self.reno.ssthresh = 2 * self.reno.setup.mss;
            }
        } else if waiting > self.config.beta {
            self.reno.cwnd = (self.reno.cwnd - mss).max(2.0 * mss);
        } else if waiting < self.config.alpha {
            self.reno.cwnd += mss;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TcpConfig;
    use tailrace_core::Instant;

    /// A Vegas flow of full windows: each call is one round trip.
    struct Flow(Vegas);

    impl Flow {
        fn new(window: u64, ssthresh: Option<u64>, config: VegasConfig) -> Self {
            let tcp = TcpConfig { iw: Some(window), initial_ssthresh: ssthresh, ..TcpConfig::default() };
            let mut flow = Self(Vegas::build(&config, &Setup::new(&tcp, 1000)));
            flow.0.base = Duration::from_millis(100);
            flow
        }
        fn segments(&self) -> f64 {
            self.0.reno.cwnd / 1000.0
        }
        /// A window of ACKs with these round trips in turn.
        fn round(&mut self, rtts: &[u64]) -> f64 {
            for i in 0..self.0.cwnd().get() / 1000 {
                let rtt = Duration::from_millis(rtts[i as usize % rtts.len()]);
                self.0.on_ack(&AckSample {
                    acked: Bytes(1000),
                    in_flight: Bytes(self.0.cwnd().get() / 1000 * 1000),
                    rtt: Some(rtt),
                    ..AckSample::at(Instant::ZERO)
                });
            }
            self.segments()
        }
    }

    #[test]
    fn window_moves_by_one_to_hold_alpha_to_beta_waiting() {
        // Brakmo 1995 §3.3, alpha 2, beta 4, base 100 ms, window 20: 105 ms: 20 * 5 / 105 = 0.95, 1 waits: grow.
        // 125 ms: 20 * 25 / 125 = 4: hold. 130 ms: 4.6, 5 wait: shrink. 112 ms: 2.14: hold.
        for (rtt, after) in [(105, 21.0), (125, 20.0), (130, 19.0), (112, 20.0)] {
            let mut f = Flow::new(20, Some(2), VegasConfig::default());
            f.round(&[rtt]);
            assert!((f.segments() - after).abs() < 1e-9, "{rtt}: {}", f.segments());
        }
    }

    #[test]
    fn slow_start_grows_every_other_round_and_ends_with_gamma_waiting() {
        // An ACK opens a round before the segment it releases is sent, so rounds begin one ACK earlier each time.
        let mut f = Flow::new(32, None, VegasConfig::default());
        let windows: Vec<_> = (0..5).map(|_| f.round(&[100])).collect();
        let grew: Vec<_> = windows.windows(2).map(|w| w[1] / w[0]).collect();
        assert!(grew.iter().step_by(2).all(|g| *g < 1.1), "{windows:?}");
        assert!(grew.iter().skip(1).step_by(2).all(|g| *g > 1.9), "{windows:?}");
        // At 16 segments 115 ms mean 16 * 15 / 115 = 2.1, 2 > gamma 1: the window is 14, ssthresh 2.
        let mut f = Flow::new(16, None, VegasConfig::default());
        f.0.grows = false;
        f.round(&[115]);
        assert_eq!((f.segments(), f.0.ssthresh()), (14.0, Some(Bytes(2000))));
    }

    #[test]
    fn a_round_is_its_least_or_its_mean_round_trip() {
        // 100 and 160 ms in turn: the least says nothing waits, the mean of 130 says 20 * 30 / 130 = 4.6 do.
        for (rtt, after) in [(RoundTrip::Minimum, 21.0), (RoundTrip::Average, 19.0)] {
            let mut f = Flow::new(20, Some(2), VegasConfig { rtt, ..VegasConfig::default() });
            f.round(&[100, 160]);
            assert!((f.segments() - after).abs() < 1e-9, "{rtt:?}: {}", f.segments());
        }
    }

    #[test]
    fn the_window_never_shrinks_below_two_segments() {
        let mut f = Flow::new(3, Some(2), VegasConfig { alpha: 0.0, beta: 0.5, ..VegasConfig::default() });
        (0..20).for_each(|_| assert!(f.round(&[400]) >= 2.0));
        assert!((f.segments() - 2.0).abs() < 1e-9);
    }
}

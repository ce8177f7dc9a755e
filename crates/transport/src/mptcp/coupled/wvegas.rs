//! wVegas, weighted Vegas (Cao, Xu, Fu, ICNP 2012; multipath-tcp/mptcp `mptcp_wvegas.c`).
//!
//! Once a round trip each path compares the segments it keeps queued with its share `alpha` of a total that all
//! paths share by their rates, and moves its window by one. All paths then suffer the same queueing "price".
//! Losses are answered as TCP does. A queueing delay of twice its minimum drains the path once.
//!
//! Departure: a round ends when as many bytes have been acknowledged as the window held at its start, not when a
//! remembered sequence number is.

use super::{CoupledAlgorithm, CoupledControl, Path};
use crate::cc::AckSample;
use tailrace_core::parameters;
use tailrace_core::params::Invalid;

parameters! {
    /// Parameters of wVegas. Counts are in segments.
    pub struct WvegasConfig {
        /// Number of segments that all paths together keep waiting in queues. Fewer lose bandwidth because of noise;
        /// more add delay.
        total_alpha: f64 = 10.0, "multipath-tcp/mptcp, total_alpha", in 0.000001..=1000000.0: "it is a number of packets, more than zero | no path holds so many packets";
        /// The smallest number of segments that a path keeps waiting in queues.
        initial_alpha: f64 = 2.0, "multipath-tcp/mptcp, initial_alpha", in 0.000001..=1000000.0: "it is a number of packets, more than zero | no path holds so many packets";
        /// If more segments than this wait in queues, slow start ends.
        gamma: f64 = 1.0, "multipath-tcp/mptcp, gamma", in 0.0..=1000000.0: "it is a number of packets, not negative | no path holds so many packets";
    }
}

/// Measurements of a path. Times are in seconds.
#[derive(Clone, Copy, Debug)]
struct Round {
    base: f64,
    sum: f64,
    samples: u32,
    /// Bytes that are still to be acknowledged in this round.
    left: f64,
    alpha: f64,
    rate: f64,
    least_delay: f64,
}

impl Round {
    const fn new(alpha: f64) -> Self {
        Self { base: f64::MAX, sum: 0.0, samples: 0, left: 0.0, alpha, rate: 0.0, least_delay: f64::MAX }
    }
}

/// wVegas's state.
#[derive(Clone, Debug)]
pub struct Wvegas {
    config: WvegasConfig,
    rounds: Vec<Round>,
}

impl CoupledAlgorithm for Wvegas {
    type Config = WvegasConfig;
    const SUMMARY: &'static str =
        "Weighted Vegas: keeps a few segments queued in all, and balances paths by their queueing delay";
    const CITATION: &'static str =
        "Cao, Xu, Fu, \"Delay-based Congestion Control for Multipath TCP\", ICNP 2012";
    fn validate(c: &WvegasConfig) -> Result<(), Invalid> {
        if c.total_alpha < c.initial_alpha {
            return Err((
                "total_alpha",
                format!("is below initial_alpha = {}, which each path alone keeps queued", c.initial_alpha),
            ));
        }
        Ok(())
    }
    fn build(config: &WvegasConfig) -> Self {
        Self { config: config.clone(), rounds: Vec::new() }
    }
}

impl Wvegas {
    /// A round of path `of` has ended with enough samples: its window and threshold from now on.
    fn on_round(&mut self, of: usize, (mut window, mut threshold): (f64, f64), paths: &[Path]) -> (f64, f64) {
        let Round { base, sum, samples, .. } = self.rounds[of];
        let rtt = sum / f64::from(samples);
        let diff = window * (rtt - base) / rtt;
        if window <= threshold {
            if diff > self.config.gamma {
                window = window.min(window * base / rtt + 1.0);
                threshold = threshold.min(window - 1.0);
            } else {
                window += window;
            }
        } else {
            if diff >= self.rounds[of].alpha {
                self.rounds[of].rate = window / rtt;
                let all: f64 =
                    self.rounds.iter().zip(paths).filter(|(_, p)| p.active).map(|(r, _)| r.rate).sum();
                let weight = self.rounds[of].rate / all.max(self.rounds[of].rate);
                self.rounds[of].alpha = (weight * self.config.total_alpha).max(self.config.initial_alpha);
            }
            let alpha = self.rounds[of].alpha;
            if diff > alpha {
                window -= 1.0;
                threshold = threshold.min(window - 1.0);
            } else if diff < alpha {
                window += 1.0;
            }
            let delay = rtt - base;
            let round = &mut self.rounds[of];
            // Linux counts microseconds; what is less is none.
            if delay > 1e-6 {
                round.least_delay = round.least_delay.min(delay);
            }
            if delay >= 2.0 * round.least_delay {
                window *= base / (2.0 * rtt);
                round.least_delay = f64::MAX;
            }
        }
        (window.max(2.0), threshold.max(2.0))
    }
}

impl CoupledControl for Wvegas {
    fn increase(&mut self, of: usize, acked: f64, _sample: &AckSample, paths: &[Path]) -> f64 {
        acked / paths[of].window
    }

    fn replace(
        &mut self,
        of: usize,
        window: (f64, f64),
        sample: &AckSample,
        paths: &[Path],
    ) -> Option<(f64, f64)> {
        let mss = paths[of].mss;
        let round = &mut self.rounds[of];
        if let Some(rtt) = sample.rtt {
            let rtt = rtt.as_secs_f64();
            round.base = round.base.min(rtt);
            round.sum += rtt;
            round.samples += 1;
        }
        round.left -= sample.acked.as_f64();
        if round.left > 0.0 {
            // Slow start goes on between rounds; congestion avoidance moves once a round.
            return (window.0 > window.1).then_some(window);
        }
        round.left = window.0 * mss;
        let enough = round.samples > 2;
        let next = if enough { Some(self.on_round(of, window, paths)) } else { None };
        let round = &mut self.rounds[of];
        (round.sum, round.samples) = (0.0, 0);
        next
    }

    fn add(&mut self, of: usize) {
        let fresh = Round::new(self.config.initial_alpha);
        if self.rounds.len() <= of {
            self.rounds.resize(of + 1, fresh);
        }
        self.rounds[of] = fresh;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::coupled::testing::path;
    use tailrace_core::{Bytes, Duration, Instant};

    /// Acknowledges `n` segments of 1000 bytes with round trips of `ms`.
    fn round(w: &mut Wvegas, window: (f64, f64), n: u64, ms: u64) -> (f64, f64) {
        let paths = [Path { mss: 1000.0, ..path(window.0, 0.1) }];
        let mut state = window;
        for _ in 0..n {
            let sample = AckSample {
                acked: Bytes(1000),
                rtt: Some(Duration::from_millis(ms)),
                ..crate::cc::AckSample::at(Instant::ZERO)
            };
            state = w.replace(0, state, &sample, &paths).unwrap_or(state);
        }
        state
    }

    #[test]
    fn the_window_settles_where_alpha_segments_are_queued() {
        let mut w = Wvegas::build(&WvegasConfig::default());
        w.add(0);
        // The first ACK begins a round; 20 more end it: nothing is queued, the window grows. Base 100 ms.
        assert_eq!(round(&mut w, (20.0, 10.0), 21, 100), (21.0, 10.0));
        // diff = 20 * (101 - 100) / 101 = 0.2 segments: below alpha = 2, the window grows.
        let (window, _) = round(&mut w, (20.0, 10.0), 20, 101);
        assert!((window - 21.0).abs() < 1e-9, "{window}");
        // A single path has the whole total: alpha becomes 10. diff = 20 * 150 / 250 = 12: one less; and as the delay
        // has more than doubled, the path is drained: 19 * 100 / 500 = 3.8.
        let (window, _) = round(&mut w, (20.0, 10.0), 20, 250);
        assert!((w.rounds[0].alpha - 10.0).abs() < 1e-9);
        assert!((window - 3.8).abs() < 1e-9, "{window}");
    }

    #[test]
    fn slow_start_ends_with_gamma_segments_queued() {
        let mut w = Wvegas::build(&WvegasConfig::default());
        w.add(0);
        round(&mut w, (10.0, 100.0), 11, 100);
        // diff = 10 * 50 / 150 = 3.3 > 1: min(10, 10 * 100/150 + 1) = 7.67, threshold 6.67.
        let (window, threshold) = round(&mut w, (10.0, 100.0), 10, 150);
        assert!((window - 7.666_667).abs() < 1e-6 && (threshold - 6.666_667).abs() < 1e-6);
    }
}

//! HighSpeed TCP (RFC 3649): standard TCP up to `low_window`; above it the window grows by more and falls by less the
//! larger it is, so that ten gigabits need one loss in ten million segments rather than in billions.
//!
//! b(w), the share that a loss takes, falls with log w from 0.5 at `low_window` to `high_decrease` at `high_window`;
//! a(w), the segments gained a round trip, follows from b(w) and the wanted response p(w) = 0.078 / w^1.2. Limited
//! slow start (RFC 3742), which RFC 3649 §3 suggests with it, is an option. Departure: a(w) and b(w) are computed
//! from the formulas for each whole w, not looked up in the table of appendix B.

use super::delegation::{delegate, plain};
use super::{AckSample, Algorithm, CongestionControl, CongestionEvent, Reno, RenoConfig, Setup, Signal};
use tailrace_core::{math, parameters};

parameters! {
    /// Parameters of HighSpeed TCP. Windows are in segments.
    pub struct HighspeedConfig {
        /// Up to this window, in segments, it behaves as standard TCP. A smaller value is unfair to standard flows on
        /// ordinary paths.
        low_window: f64 = 38.0, "RFC 3649 §5", in 2.0..=1000000000.0: "no window is smaller | no window is larger";
        /// The window, in segments, at which a loss takes only `high_decrease`.
        high_window: f64 = 83_000.0, "RFC 3649 §5", in 3.0..=1000000000.0: "no window is smaller | no window is larger";
        /// The share of the window that a loss takes at `high_window`. With a smaller share, flows take longer to
        /// give others their share.
        high_decrease: f64 = 0.1, "RFC 3649 §5", in 0.0..=0.5: "it is not negative | Reno takes half of the window";
        /// Above this window, in segments, slow start grows by at most half as many segments in a round trip (limited
        /// slow start). `"auto"` is no such limit.
        max_ssthresh: Option<u64> = None, "RFC 3742 §2: 100 where used", in 1..=1000000000: "no window is smaller | no window is larger";
    }
}

/// HighSpeed TCP's state: Reno's window with another increase and decrease.
#[derive(Clone, Debug)]
pub struct Highspeed {
    reno: Reno,
    config: HighspeedConfig,
    /// The whole window that `a` belongs to.
    known: u64,
    a: f64,
}

impl Algorithm for Highspeed {
    type Config = HighspeedConfig;
    const SUMMARY: &'static str = "Reno that grows faster when its window is large";
    const CITATION: &'static str = "RFC 3649";
    fn build(config: &HighspeedConfig, setup: &Setup) -> Self {
        let low = config.low_window.clamp(2.0, 1e12);
        let config = HighspeedConfig {
            low_window: low,
            high_window: config.high_window.clamp(low + 1.0, 1e13),
            high_decrease: config.high_decrease.clamp(0.0, 0.5),
            ..config.clone()
        };
        Self { reno: Reno::build(&RenoConfig::default(), setup), config, known: 0, a: 1.0 }
    }
}

impl CongestionControl for Highspeed {
    delegate! {
        reno: on_round_trip, on_resumed, on_established, on_undo, on_flight_after_timeout, on_idle, on_recovered, penalise, cwnd,
        ssthresh,
    }
    plain! { needs, on_delivery, holds_back, pacing_rate, leaves_recovery_on_partial_ack }

    fn on_ack(&mut self, ack: &AckSample) {
        if !ack.cwnd_limited {
            return;
        }
        let mss = self.reno.setup.mss as f64;
        let window = self.reno.cwnd / mss;
        if self.reno.cwnd < self.reno.ssthresh as f64 {
            let before = self.reno.cwnd;
            self.reno.on_ack(ack);
            // RFC 3742 §2: K = int(cwnd / (0.5 max_ssthresh)), cwnd += MSS / K.
            if let Some(most) = self.config.max_ssthresh.filter(|m| window > *m as f64) {
                let k = (window / (0.5 * most.max(1) as f64)).floor();
                self.reno.cwnd = before + (self.reno.cwnd - before) / k;
            }
        } else if window <= self.config.low_window {
            self.reno.on_ack(ack);
        } else {
            let counted = if self.reno.setup.ack_counting { 1.0 } else { ack.acked.as_f64() / mss };
            if window as u64 != self.known {
                (self.known, self.a) = (window as u64, self.config.increase(window));
            }
            self.reno.cwnd += self.a / window * counted * mss;
        }
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        let segments = event.base.as_f64() / self.reno.setup.mss as f64;
        self.reno.on_congestion(event);
        if event.signal != Signal::RepeatedTimeout {
            let kept = 1.0 - self.config.decrease(segments);
            self.reno.ssthresh = self.reno.setup.threshold(event.base, kept);
        }
        if matches!(event.signal, Signal::Loss | Signal::Ecn) {
            self.reno.cwnd = self.reno.ssthresh as f64;
        }
    }
}

impl HighspeedConfig {
    /// b(w), RFC 3649 §5.
    fn decrease(&self, w: f64) -> f64 {
        let span = math::ln(self.high_window) - math::ln(self.low_window);
        let along = (math::ln(w.max(self.low_window)) - math::ln(self.low_window)) / span;
        // Beyond high_window the line goes on, but never says "none".
        ((self.high_decrease - 0.5) * along + 0.5).max(0.01)
    }

    /// a(w) = w^2 p(w) 2 b(w) / (2 - b(w)), RFC 3649 §5, never slower than standard TCP.
    fn increase(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 1.0;
        }
        let (p, b) = (0.078 / math::pow(w, 1.2), self.decrease(w));
        (w * w * p * 2.0 * b / (2.0 - b)).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TcpConfig;
    use tailrace_core::{Bytes, Instant};

    #[test]
    fn increase_and_decrease_are_those_of_the_table_of_rfc_3649() {
        // Appendix B: w, a(w), b(w): at each w the increase reaches the next whole number.
        let c = HighspeedConfig::default();
        for (w, a, b) in [
            (38.0, 1.0, 0.50),
            (118.0, 2.0, 0.44),
            (221.0, 3.0, 0.41),
            (1058.0, 8.0, 0.33),
            (10_661.0, 30.0, 0.21),
        ] {
            assert!((c.increase(w) - a).abs() < 0.02 * a, "a({w}) = {}", c.increase(w));
            assert!((c.decrease(w) - b).abs() < 0.006, "b({w}) = {}", c.decrease(w));
        }
        // §5: b(83000) = 0.1; there 83000^2 * 9.753e-8 * 0.2 / 1.9 = 70.7.
        assert!((c.decrease(83_000.0) - 0.1).abs() < 1e-9 && (c.increase(83_000.0) - 70.7).abs() < 0.1);
    }

    fn flow(window: u64, ssthresh: Option<u64>, config: &HighspeedConfig) -> Highspeed {
        let tcp = TcpConfig { iw: Some(window), initial_ssthresh: ssthresh, ..TcpConfig::default() };
        Highspeed::build(config, &Setup::new(&tcp, 1000))
    }
    fn round(h: &mut Highspeed) {
        for _ in 0..h.cwnd().get() / 1000 {
            h.on_ack(&AckSample { acked: Bytes(1000), ..AckSample::at(Instant::ZERO) });
        }
    }

    #[test]
    fn a_round_trip_adds_a_and_a_loss_takes_b() {
        let mut h = flow(1058, Some(10), &HighspeedConfig::default());
        round(&mut h);
        assert!((h.reno.cwnd / 1000.0 - 1066.0).abs() < 0.2, "{}", h.reno.cwnd);
        let base = Bytes(1_058_000);
        h.on_congestion(&CongestionEvent { now: Instant::ZERO, signal: Signal::Loss, base });
        // b(1058) = 0.5 - 0.4 * ln(1058 / 38) / ln(83000 / 38) = 0.3270.
        assert!((h.reno.cwnd / 1_058_000.0 - 0.6730).abs() < 1e-3, "{}", h.reno.cwnd);
    }

    #[test]
    fn small_windows_are_standard_tcp() {
        let mut h = flow(30, Some(10), &HighspeedConfig::default());
        round(&mut h);
        assert_eq!(h.cwnd(), Bytes(31_000));
        h.on_congestion(&CongestionEvent { now: Instant::ZERO, signal: Signal::Loss, base: Bytes(31_000) });
        assert_eq!(h.cwnd(), Bytes(15_500));
    }

    #[test]
    fn limited_slow_start_adds_half_of_max_ssthresh_a_round_trip() {
        // RFC 3742 §2: with max_ssthresh 100 about 50 segments a round trip: K = 8 at 400.
        let config = HighspeedConfig { max_ssthresh: Some(100), ..HighspeedConfig::default() };
        let mut h = flow(400, None, &config);
        round(&mut h);
        assert!((h.reno.cwnd / 1000.0 - 450.0).abs() < 3.0, "{}", h.reno.cwnd);
        let mut h = flow(50, None, &config);
        round(&mut h);
        assert_eq!(h.cwnd(), Bytes(100_000));
    }
}

//! Prague (draft-briscoe-iccrg-prague-congestion-control-04; the reference is Linux `tcp_prague.c` of the L4S team).
//!
//! DCTCP for the Internet: the window is cut by half of alpha, the average share of marks, and grows by what was not
//! marked. Data is paced and sent as ECT(1), marks come back by accurate feedback (RFC 9768), so that a queue of about a
//! millisecond suffices (dualpi2). Flows with round trips below `virtual_rtt` behave as if they had that one: they average
//! and cut once in it, and grow by one segment in it for the rate they have.
//!
//! Departures: the window is at least two segments; the reference goes below by pacing and smaller segments. Nothing
//! detects a classic queue at the bottleneck (such a queue should be `classic` here, too). Where accurate feedback is not
//! agreed on, data is ECT(0) and a window with a mark counts as marked whole. Only data is ECN-capable.

use super::delegation::{delegate, plain};
use super::{
    AckSample, Algorithm, CongestionControl, CongestionEvent, Delivery, Needs, PriorWindow, Reno, RenoConfig,
    Repair, Setup, Signal,
};
use crate::config::EcnEcho;
use tailrace_core::{Duration, Instant, Rate, parameters};

/// Rounds after slow start from which on short round trips count as `virtual_rtt`.
const TRANSITION_ROUNDS: u32 = 4;

parameters! {
    /// Parameters of Prague.
    pub struct PragueConfig {
        /// The weight of the newest share of marked packets in the average, taken once per round trip. A larger value
        /// follows faster and varies more.
        g: f64 = 0.0625, "draft-briscoe-iccrg-prague-congestion-control-04; Linux tcp_prague", in 0.0..=1.0: "it is a weight in an average";
        /// The average share of marked packets (alpha) at the first mark. With 1 that mark halves the window, since
        /// slow start has overshot by then.
        initial_alpha: f64 = 1.0, "draft-briscoe-iccrg-prague-congestion-control-04", in 0.0..=1.0: "it is a share of a whole";
        /// Flows with a shorter round-trip time behave as if theirs were this, so that short paths get no advantage.
        /// With 0 each flow uses its own, as DCTCP does.
        virtual_rtt: Duration = Duration::from_millis(25), "Linux tcp_prague, prague_rtt_target", in "0 s"..="1000 s": "windows grow once in it";
        /// The factor by which a loss reduces the window.
        beta: f64 = 0.5, "RFC 5681 equation 4", in 0.0..=1.0: "it is a share of a whole";
    }
}

/// Prague's state: Reno's window, moved otherwise.
#[derive(Clone, Debug)]
pub struct Prague {
    reno: Reno,
    config: PragueConfig,
    alpha: f64,
    /// Where the present round ends, and since when alpha is what it is.
    round_end: u64,
    averaged_at: Instant,
    cut_at: Option<Instant>,
    rounds: u32,
    delivered: u64,
    marked: u64,
    seen_mark: bool,
    rtt: Duration,
}

impl Algorithm for Prague {
    type Config = PragueConfig;
    const SUMMARY: &'static str =
        "DCTCP for the Internet (L4S): accurate feedback, pacing, and no advantage for short round trips";
    const CITATION: &'static str = "draft-briscoe-iccrg-prague-congestion-control-04";
    fn build(config: &PragueConfig, setup: &Setup) -> Self {
        let config = PragueConfig {
            g: config.g.clamp(0.0, 1.0),
            initial_alpha: config.initial_alpha.clamp(0.0, 1.0),
            virtual_rtt: config.virtual_rtt,
            beta: config.beta.clamp(0.0, 1.0),
        };
        let reno = RenoConfig { beta: config.beta, ..RenoConfig::default() };
        Self {
            reno: Reno::build(&reno, setup),
            alpha: config.initial_alpha,
            config,
            round_end: 0,
            averaged_at: Instant::ZERO,
            cut_at: None,
            rounds: 0,
            delivered: 0,
            marked: 0,
            seen_mark: false,
            rtt: Duration::ZERO,
        }
    }
}

impl CongestionControl for Prague {
    delegate! {
        reno: on_round_trip, on_resumed, on_established, on_undo, on_flight_after_timeout, on_idle, on_recovered, penalise, cwnd,
        ssthresh,
    }
    plain! { holds_back, leaves_recovery_on_partial_ack }

    /// The repair of a timeout is slow start as ever; otherwise growth follows what is delivered.
    fn on_ack(&mut self, ack: &AckSample) {
        if ack.after_timeout {
            self.reno.on_ack(ack);
        }
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        if event.signal != Signal::Ecn {
            self.reno.on_congestion(event);
            return;
        }
        // Once in a virtual round trip.
        if self.is_alike()
            && self.cut_at.is_some_and(|at| event.now.saturating_since(at) < self.config.virtual_rtt)
        {
            return;
        }
        self.cut_at = Some(event.now);
        self.reno.prior = PriorWindow::default();
        self.reno.ssthresh = self.reno.setup.threshold(self.reno.cwnd(), 1.0 - self.alpha / 2.0);
        self.reno.cwnd = self.reno.ssthresh as f64;
    }

    fn on_delivery(&mut self, d: &Delivery) {
        let (delivered, marked) = (d.delivered.get(), d.marked.get().min(d.delivered.get()));
        self.rtt = d.smoothed_rtt;
        self.delivered += delivered;
        self.marked += marked;
        self.seen_mark |= marked > 0;
        if d.repair == Repair::None && d.cwnd_limited {
            self.grow((delivered - marked) as f64);
        }
        if d.una > self.round_end {
            self.on_round(d);
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            deliveries: true,
            pacing: true,
            ecn: true,
            echo: EcnEcho::Accurate,
            l4s: true,
            ..Needs::NOTHING
        }
    }
    /// A window a round trip: faster would queue; twice that where slow start still doubles.
    fn pacing_rate(&self) -> Option<Rate> {
        let rtt = self.rtt.as_secs_f64();
        let doubles = self.reno.cwnd < self.reno.ssthresh as f64 / 2.0;
        let rate = self.reno.cwnd * if doubles { 16.0 } else { 8.0 } / rtt;
        (rtt > 0.0).then(|| Rate::from_bps(rate as u64))
    }
}

impl Prague {
    /// The running share of marked bytes.
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }

    fn in_slow_start(&self) -> bool {
        self.reno.cwnd < self.reno.ssthresh as f64
    }

    /// Whether round trips count as `virtual_rtt` where they are shorter.
    fn is_alike(&self) -> bool {
        self.rounds >= TRANSITION_ROUNDS && !self.in_slow_start()
    }

    fn grow(&mut self, unmarked: f64) {
        if self.in_slow_start() {
            self.reno.cwnd = (self.reno.cwnd + unmarked).min(self.reno.ssthresh as f64);
            return;
        }
        // A segment a virtual round trip at the rate cwnd / rtt: (rtt / virtual)^2 of a segment a round trip.
        let share = if self.is_alike() && self.rtt < self.config.virtual_rtt {
            self.rtt.as_secs_f64() / self.config.virtual_rtt.as_secs_f64()
        } else {
            1.0
        };
        let mss = self.reno.setup.mss as f64;
        self.reno.cwnd += unmarked * mss / self.reno.cwnd * share * share;
    }

    /// A round trip has passed: alpha = (1 - g) alpha + g F, once a virtual round trip, and not before the first mark.
    fn on_round(&mut self, d: &Delivery) {
        self.round_end = d.nxt;
        self.rounds = if self.in_slow_start() { 0 } else { self.rounds.saturating_add(1) };
        if self.is_alike() && d.now.saturating_since(self.averaged_at) < self.config.virtual_rtt {
            return;
        }
        self.averaged_at = d.now;
        if self.seen_mark && self.delivered > 0 {
            let share = self.marked as f64 / self.delivered as f64;
            self.alpha = self.alpha * (1.0 - self.config.g) + self.config.g * share;
        }
        (self.delivered, self.marked) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TcpConfig;
    use tailrace_core::Bytes;

    /// A flow with full windows; each ACK is of one segment.
    struct Flow {
        prague: Prague,
        now: Instant,
        una: u64,
        rtt: Duration,
    }

    impl Flow {
        fn new(window: u64, ssthresh: Option<u64>, rtt: Duration) -> Self {
            let tcp = TcpConfig { iw: Some(window), initial_ssthresh: ssthresh, ..TcpConfig::default() };
            let prague = Prague::build(&PragueConfig::default(), &Setup::new(&tcp, 1000));
            Self { prague, now: Instant::from_secs(1), una: 0, rtt }
        }
        /// A round trip of which the first `marked` segments are marked.
        fn round(&mut self, marked: u64) -> f64 {
            let window = self.prague.cwnd().get() / 1000;
            for i in 0..window {
                self.una += 1000;
                self.now += self.rtt / window;
                self.prague.on_delivery(&Delivery {
                    delivered: Bytes(1000),
                    marked: Bytes(if i < marked { 1000 } else { 0 }),
                    una: self.una,
                    nxt: self.una + window * 1000,
                    smoothed_rtt: self.rtt,
                    ..Delivery::at(self.now)
                });
            }
            self.prague.reno.cwnd / 1000.0
        }
        fn mark(&mut self) -> f64 {
            let base = self.prague.cwnd();
            self.prague.on_congestion(&CongestionEvent { now: self.now, signal: Signal::Ecn, base });
            self.prague.reno.cwnd / 1000.0
        }
    }

    #[test]
    fn growth_is_a_segment_a_round_trip_of_what_was_not_marked() {
        let mut f = Flow::new(50, Some(2), Duration::from_millis(50));
        assert!((f.round(0) - 51.0).abs() < 0.02);
        // 39 of 50 segments are unmarked, in a window of 51: 39 / 51 of a segment.
        let before = f.prague.reno.cwnd / 1000.0;
        assert!((f.round(11) - before - 39.0 / 51.0).abs() < 0.02);
    }

    #[test]
    fn short_round_trips_grow_as_one_of_25_ms_would() {
        // 5 ms: (5 / 25)^2 = 0.04 of a segment a round trip, which is a segment in 25 round trips of 5 ms, or 125 ms;
        // five flows of 25 ms at a fifth of the rate each would together take the same.
        let mut f = Flow::new(50, Some(2), Duration::from_millis(5));
        for _ in 0..6 {
            f.round(0);
        }
        let before = f.prague.reno.cwnd / 1000.0;
        for _ in 0..25 {
            f.round(0);
        }
        let grown = f.prague.reno.cwnd / 1000.0 - before;
        assert!((grown - 1.0).abs() < 0.05, "{grown}");
    }

    #[test]
    fn a_mark_takes_half_of_alpha_once_in_a_virtual_round_trip() {
        let mut f = Flow::new(100, Some(2), Duration::from_millis(5));
        for _ in 0..6 {
            f.round(0);
        }
        f.prague.alpha = 0.2;
        let before = f.prague.reno.cwnd / 1000.0;
        let after = f.mark();
        assert!((after / before - 0.9).abs() < 1e-3, "{before} {after}");
        f.now += Duration::from_millis(24);
        assert!((f.mark() - after).abs() < 1e-9);
        f.now += Duration::from_millis(1);
        assert!(f.mark() < after);
    }

    #[test]
    fn alpha_averages_from_the_first_mark_on_and_that_halves() {
        let mut f = Flow::new(16, None, Duration::from_millis(50));
        f.round(0);
        assert!((f.prague.alpha - 1.0).abs() < 1e-9);
        let before = f.prague.reno.cwnd / 1000.0;
        assert!((f.mark() - before / 2.0).abs() < 0.51, "the first mark ends slow start at half");
        f.round(4);
        f.round(0);
        assert!(f.prague.alpha < 1.0);
    }

    #[test]
    fn pacing_is_a_window_a_round_trip_and_twice_that_in_slow_start() {
        let mut f = Flow::new(50, Some(2), Duration::from_millis(50));
        let window = f.round(0);
        let rate = f.prague.pacing_rate().unwrap().bytes_per_sec();
        assert!((rate / (window * 1000.0 / 0.05) - 1.0).abs() < 1e-3);
        let mut f = Flow::new(10, None, Duration::from_millis(50));
        let window = f.round(0);
        let rate = f.prague.pacing_rate().unwrap().bytes_per_sec();
        assert!((rate / (2.0 * window * 1000.0 / 0.05) - 1.0).abs() < 1e-3);
    }
}

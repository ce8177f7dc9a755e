//! Reno (RFC 5681): slow start, congestion avoidance, halving.
//!
//! The window grows by one segment for each segment acknowledged below ssthresh and by one segment a round trip
//! above it; a loss halves it, a timeout sets it to one segment. Growth counts bytes (RFC 3465) or ACKs, as the
//! endpoint's `increase` says.

use super::delegation::plain;
use super::{
    AckSample, Algorithm, CongestionControl, CongestionEvent, NO_SSTHRESH, PriorWindow, Setup, Signal,
};
use tailrace_core::{Bytes, Duration, parameters};

parameters! {
    /// Parameters of Reno and NewReno.
    pub struct RenoConfig {
        /// The factor by which a loss reduces the window. A larger value keeps more and is less fair to standard
        /// flows.
        beta: f64 = 0.5, "RFC 5681 equation 4", in 0.0..=1.0: "it is a share of a whole";
        /// The factor by which an ECN mark reduces the window; 0.8 is ABE.
        beta_ecn: f64 = 0.5, "RFC 3168 §6.1.2; RFC 8511 for 0.8", in 0.0..=1.0: "it is a share of a whole";
    }
}

/// Reno's state.
#[derive(Clone, Debug)]
pub struct Reno {
    pub(super) setup: Setup,
    beta: f64,
    beta_ecn: f64,
    /// Bytes; a float because ACK counting adds `MSS * MSS / cwnd`.
    pub(super) cwnd: f64,
    pub(super) ssthresh: u64,
    /// Bytes acknowledged towards the next increase in congestion avoidance.
    credit: u64,
    pub(super) prior: PriorWindow,
}

impl Algorithm for Reno {
    type Config = RenoConfig;
    const SUMMARY: &'static str =
        "The basic TCP of RFC 5681: slow start, congestion avoidance, fast retransmit and fast recovery";
    const CITATION: &'static str = "RFC 5681";
    fn build(config: &RenoConfig, setup: &Setup) -> Self {
        let (beta, beta_ecn) = (config.beta.clamp(0.0, 1.0), config.beta_ecn.clamp(0.0, 1.0));
        let (cwnd, ssthresh) = (setup.initial_window as f64, setup.initial_ssthresh);
        Self { setup: *setup, beta, beta_ecn, cwnd, ssthresh, credit: 0, prior: PriorWindow::default() }
    }
}

impl CongestionControl for Reno {
    plain! { on_round_trip, on_resumed, needs, on_delivery, holds_back, pacing_rate }

    fn on_established(&mut self, setup: &Setup) {
        self.setup = *setup;
        self.cwnd = setup.initial_window as f64;
        self.ssthresh = setup.initial_ssthresh;
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if !ack.cwnd_limited {
            return;
        }
        let rest = self.slow_start(ack);
        if rest > 0 {
            self.avoid(rest);
        }
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        let beta = if event.signal == Signal::Ecn { self.beta_ecn } else { self.beta };
        self.credit = 0;
        self.prior = self.prior.before(event.signal, self.cwnd, self.ssthresh);
        if event.signal != Signal::RepeatedTimeout {
            self.ssthresh = self.setup.threshold(event.base, beta);
        }
        self.cwnd = match event.signal {
            Signal::Loss | Signal::Ecn => self.setup.lowered_window(event, beta, self.ssthresh),
            Signal::Timeout | Signal::RepeatedTimeout => self.setup.mss as f64,
        };
    }

    fn on_undo(&mut self) {
        (self.cwnd, self.ssthresh) = self.prior.restore(self.cwnd, self.ssthresh);
    }

    fn on_idle(&mut self, _idle: Duration, _rto: Duration, floor: Bytes, decay: Option<u32>) {
        (self.cwnd, self.ssthresh) = after_idle((self.cwnd, self.ssthresh), floor, decay, &self.setup);
    }

    fn on_flight_after_timeout(&mut self, window: Bytes) {
        self.cwnd = window.as_f64();
    }
    fn on_recovered(&mut self, cap: Bytes) {
        self.cwnd = self.cwnd.min(cap.as_f64()).max(self.setup.mss as f64);
    }
    fn penalise(&mut self, ends_slow_start: bool) {
        (self.cwnd, self.ssthresh) = penalised((self.cwnd, self.ssthresh), self.setup.mss, ends_slow_start);
    }

    fn cwnd(&self) -> Bytes {
        Bytes(self.cwnd as u64)
    }
    fn ssthresh(&self) -> Option<Bytes> {
        (self.ssthresh < NO_SSTHRESH).then_some(Bytes(self.ssthresh))
    }
    fn leaves_recovery_on_partial_ack(&self) -> bool {
        true
    }
}

impl Reno {
    /// Slow start; returns the acknowledged bytes that are left for congestion avoidance.
    fn slow_start(&mut self, ack: &AckSample) -> u64 {
        let ssthresh = self.ssthresh as f64;
        let mss = self.setup.mss;
        if self.cwnd >= ssthresh {
            return ack.acked.get();
        }
        if self.setup.ack_counting {
            self.cwnd += mss as f64;
            return 0;
        }
        // RFC 3465 §2.3: L is 1 while a timeout is being repaired.
        let limit = if ack.after_timeout { 1 } else { u64::from(self.setup.abc_limit.max(1)) };
        let grow = ack.acked.get().min(limit * mss);
        let used = grow.min((ssthresh - self.cwnd).ceil() as u64);
        self.cwnd = (self.cwnd + used as f64).min(ssthresh);
        grow - used
    }

    fn avoid(&mut self, acked: u64) {
        let mss = self.setup.mss;
        if self.setup.ack_counting {
            self.cwnd += (mss * mss) as f64 / self.cwnd;
            return;
        }
        // RFC 3465 §2.1: one MSS for each full window acknowledged.
        self.credit += acked;
        let cwnd = self.cwnd as u64;
        if self.credit >= cwnd {
            self.credit = (self.credit - cwnd).min(cwnd);
            self.cwnd += mss as f64;
        }
    }
}

/// (cwnd, ssthresh) after a penalty: half, and no less than one segment and two. In slow start the threshold stays
/// (multipath-tcp/mptcp `mptcp_rcv_buf_optimization`), or with `ends_slow_start` becomes the lowered window, as it does
/// outside slow start, too (the same function in 2012).
pub(super) fn penalised((cwnd, ssthresh): (f64, u64), mss: u64, ends_slow_start: bool) -> (f64, u64) {
    let window = (cwnd / 2.0).max(mss as f64);
    let lowered = match (ends_slow_start, cwnd >= ssthresh as f64) {
        (true, _) => (window as u64).max(2 * mss),
        (false, true) => (ssthresh / 2).max(2 * mss),
        (false, false) => ssthresh,
    };
    (window, lowered)
}

/// (cwnd, ssthresh) after an idle period longer than the timeout: cut to the restart window at once
/// (RFC 5681 §4.1), or halved so many times, with ssthresh keeping three quarters of the old window (RFC 2861 §3.2).
pub(super) fn after_idle(
    (mut cwnd, mut ssthresh): (f64, u64),
    floor: Bytes,
    decay: Option<u32>,
    setup: &Setup,
) -> (f64, u64) {
    let floor = floor.as_f64().min(cwnd);
    let Some(mut halvings) = decay else { return (floor, ssthresh) };
    ssthresh = ssthresh.max((setup.whole(cwnd / 2.0) + setup.whole(cwnd / 4.0)) as u64);
    while halvings > 0 && cwnd > floor {
        cwnd = setup.whole(cwnd / 2.0).max(floor);
        halvings -= 1;
    }
    (cwnd, ssthresh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::CcConfig;
    use crate::cc::coupled_subflow::CoupledSubflow;
    use crate::config::{TcpBehaviour, TcpConfig, WindowUnit};
    use tailrace_core::Instant;

    fn reno(iw: u64, ssthresh: u64, config: TcpConfig) -> Reno {
        let config = TcpConfig { iw: Some(iw), initial_ssthresh: Some(ssthresh), ..config };
        Reno::build(&RenoConfig::default(), &Setup::new(&config, 1000))
    }
    fn ack(segments: u64) -> AckSample {
        AckSample {
            now: Instant::ZERO,
            acked: Bytes(segments * 1000),
            advance: Bytes(segments * 1000),
            in_flight: Bytes(0),
            outstanding: Bytes(0),
            rtt: None,
            smoothed_rtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            cwnd_limited: true,
            after_timeout: false,
        }
    }

    #[test]
    fn slow_start_stops_at_ssthresh_and_the_rest_counts_above_it() {
        // L = 2: an ACK of two segments grows 3 to ssthresh 4; the other thousand is a quarter of the next window.
        let mut r = reno(
            3,
            4,
            TcpConfig {
                behaviour: TcpBehaviour { abc_limit: 2, ..TcpBehaviour::RFC },
                ..TcpConfig::default()
            },
        );
        r.on_ack(&ack(2));
        assert_eq!((r.cwnd(), r.credit), (Bytes(4000), 1000));
        (0..2).for_each(|_| r.on_ack(&ack(1)));
        assert_eq!(r.cwnd(), Bytes(4000));
        r.on_ack(&ack(1));
        assert_eq!(r.cwnd(), Bytes(5000));
    }

    #[test]
    fn ack_counting_adds_one_over_cwnd() {
        // ns-2: w += 1/w: 4.25, 4.485294, 4.708245, 4.920638.
        let mut r = reno(
            4,
            4,
            TcpConfig {
                behaviour: TcpBehaviour { increase: crate::config::Increase::Acks, ..TcpBehaviour::RFC },
                ..TcpConfig::default()
            },
        );
        (0..4).for_each(|_| r.on_ack(&ack(3)));
        assert!((r.cwnd / 1000.0 - 4.920_638).abs() < 1e-6, "{}", r.cwnd);
    }

    #[test]
    fn decrease_is_in_the_unit_of_the_profile_and_never_below_two_segments() {
        let lose = |unit, base| {
            let mut r = reno(
                10,
                100,
                TcpConfig {
                    behaviour: TcpBehaviour { window_unit: unit, ..TcpBehaviour::RFC },
                    ..TcpConfig::default()
                },
            );
            r.on_congestion(&CongestionEvent { now: Instant::ZERO, signal: Signal::Loss, base: Bytes(base) });
            (r.cwnd().get(), r.ssthresh)
        };
        use crate::config::WindowUnit::{Bytes as InBytes, Ns2, Packets};
        assert_eq!(lose(InBytes, 9_700), (4_850, 4_850));
        assert_eq!(lose(Packets, 9_700), (4_000, 4_000));
        assert_eq!(lose(InBytes, 1_000), (2_000, 2_000));
        // No segment is lost to a product that falls short in its last digit: 0.7 times 30 of 1448 bytes is 21.
        let setup = Setup::new(
            &TcpConfig {
                behaviour: TcpBehaviour { window_unit: Packets, ..TcpBehaviour::RFC },
                ..TcpConfig::default()
            },
            1448,
        );
        assert_eq!(setup.threshold(Bytes(30 * 1448), 0.7), 21 * 1448);
        // ns-2's slowdown(): cwnd_ = windowd() / 2 while ssthresh_ = max(2, (int) of it): 9.7 to 4.85 and 4, 3 to 1.5
        // and 2 (slow start).
        assert_eq!(lose(Ns2, 9_700), (4_850, 4_000));
        assert_eq!(lose(Ns2, 3_000), (1_500, 2_000));
    }

    #[test]
    fn marks_leave_the_least_that_was_asked_for_in_every_unit() {
        use crate::config::EcnLeast;
        let marked = |unit, ecn_least| {
            let mut r = reno(
                3,
                2,
                TcpConfig {
                    behaviour: TcpBehaviour { window_unit: unit, ecn_least, ..TcpBehaviour::RFC },
                    ..TcpConfig::default()
                },
            );
            let event = CongestionEvent { now: Instant::ZERO, signal: Signal::Ecn, base: Bytes(3_000) };
            r.on_congestion(&event);
            r.cwnd().get()
        };
        for unit in [WindowUnit::Bytes, WindowUnit::Packets, WindowUnit::Ns2] {
            assert_eq!(marked(unit, EcnLeast::Two), 2_000, "{unit:?}");
            assert_eq!(marked(unit, EcnLeast::OneThenWait), 1_500, "{unit:?}");
        }
    }

    #[test]
    fn a_penalty_halves_the_threshold_only_outside_slow_start() {
        assert_eq!(penalised((10_000.0, NO_SSTHRESH), 1000, false), (5_000.0, NO_SSTHRESH));
        assert_eq!(penalised((10_000.0, 11_000), 1000, false), (5_000.0, 11_000));
        assert_eq!(penalised((10_000.0, 8_000), 1000, false), (5_000.0, 4_000));
        assert_eq!(
            penalised((1_500.0, 1_500), 1000, false),
            (1_000.0, 2_000),
            "no less than one segment and two"
        );
        // The rule of 2012: the threshold is the new window wherever it was.
        assert_eq!(penalised((10_000.0, NO_SSTHRESH), 1000, true), (5_000.0, 5_000));
        assert_eq!(penalised((10_000.0, 8_000), 1000, true), (5_000.0, 5_000));
        assert_eq!(penalised((1_500.0, 1_500), 1000, true), (1_000.0, 2_000));
    }

    #[test]
    fn every_algorithm_with_a_threshold_takes_a_penalty_alike() {
        let mut seen = 0;
        for name in CcConfig::names() {
            for (threshold, lowered) in [(8, 4_000), (12, 12_000)] {
                let config =
                    TcpConfig { iw: Some(10), initial_ssthresh: Some(threshold), ..TcpConfig::default() };
                let mut cc = CcConfig::default_of(name).unwrap().build(&config, 1000);
                cc.on_established(&Setup::new(&config, 1000));
                if cc.ssthresh().is_some() {
                    cc.penalise(false);
                    assert_eq!((cc.cwnd(), cc.ssthresh()), (Bytes(5_000), Some(Bytes(lowered))), "{name}");
                    seen += 1;
                }
            }
        }
        assert!(seen >= 14, "reno, newreno, cubic, vegas, highspeed, dctcp and prague at least: {seen}");
        let config = TcpConfig { iw: Some(10), initial_ssthresh: Some(8), ..TcpConfig::default() };
        let mut member = CoupledSubflow::new(&Setup::new(&config, 1000));
        member.penalise(false);
        assert_eq!((member.cwnd(), member.ssthresh()), (Bytes(5_000), Some(Bytes(4_000))), "coupled");
    }

    #[test]
    fn idleness_halves_once_a_timeout_down_to_the_floor() {
        let setup = |window_unit| {
            Setup::new(
                &TcpConfig {
                    behaviour: TcpBehaviour { window_unit, ..TcpBehaviour::RFC },
                    ..TcpConfig::default()
                },
                1000,
            )
        };
        let bytes = setup(WindowUnit::Bytes);
        let idle = |decay| after_idle((9_000.0, 2_000), Bytes(2_000), decay, &bytes);
        assert_eq!(idle(Some(2)), (2_250.0, 6_750));
        assert_eq!(idle(Some(50)), (2_000.0, 6_750));
        assert_eq!(idle(None), (2_000.0, 2_000));
        // 83 segments, as a kernel printed them: (83 >> 1) + (83 >> 2) and 83 >> 1.
        let packets = setup(WindowUnit::Packets);
        let idle = after_idle((83_000.0, 2_000), Bytes(10_000), Some(1), &packets);
        assert_eq!(idle, (41_000.0, 61_000));
    }
}

//! Reno (RFC 5681): slow start, congestion avoidance, halving.
//!
//! The window grows by one segment for each segment acknowledged below ssthresh and by one segment a round trip
//! above it; a loss halves it, a timeout sets it to one segment. Growth counts bytes (RFC 3465) or ACKs, as the
//! endpoint's `increase` says.

use super::{AckSample, Algorithm, CongestionControl, CongestionEvent, NO_SSTHRESH, Setup, Signal};
use tailrace_core::{Bytes, Duration, parameters};

parameters! {
    /// Parameters of Reno and NewReno.
    pub struct RenoConfig {
        /// Factor on a loss. Larger is more aggressive and less fair to standard flows.
        beta: f64 = 0.5, "RFC 5681 equation 4";
        /// Factor on a congestion mark; 0.8 is ABE.
        beta_ecn: f64 = 0.5, "RFC 3168 §6.1.2; RFC 8511 for 0.8";
    }
}

/// Reno's state.
#[derive(Clone, Debug)]
pub struct Reno {
    setup: Setup,
    beta: f64,
    beta_ecn: f64,
    /// Bytes; a float because ACK counting adds `MSS * MSS / cwnd`.
    cwnd: f64,
    ssthresh: u64,
    /// Bytes acknowledged towards the next increase in congestion avoidance.
    credit: u64,
}

impl Algorithm for Reno {
    type Config = RenoConfig;
    const SUMMARY: &'static str = "Slow start, congestion avoidance, fast retransmit and plain fast recovery";
    const CITATION: &'static str = "RFC 5681";
    fn build(config: &RenoConfig, setup: &Setup) -> Self {
        let (beta, beta_ecn) = (config.beta.clamp(0.0, 1.0), config.beta_ecn.clamp(0.0, 1.0));
        let (cwnd, ssthresh) = (setup.initial_window as f64, setup.initial_ssthresh);
        Self { setup: *setup, beta, beta_ecn, cwnd, ssthresh, credit: 0 }
    }
}

impl CongestionControl for Reno {
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
        if event.signal != Signal::RepeatedTimeout {
            self.ssthresh = self.setup.threshold(event.base, beta);
        }
        self.cwnd = match event.signal {
            Signal::Loss | Signal::Ecn => self.ssthresh as f64,
            Signal::Timeout | Signal::RepeatedTimeout => self.setup.mss as f64,
        };
    }

    fn on_idle(&mut self, idle: Duration, rto: Duration, floor: Bytes, decay: bool) {
        (self.cwnd, self.ssthresh) = after_idle((self.cwnd, self.ssthresh), idle, rto, floor, decay);
    }

    fn on_recovered(&mut self, cap: Bytes) {
        self.cwnd = self.cwnd.min(cap.as_f64()).max(self.setup.mss as f64);
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
        let used = grow.min((ssthresh - self.cwnd) as u64 + 1);
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

/// (cwnd, ssthresh) after an idle period longer than the timeout: cut to the restart window at once
/// (RFC 5681 §4.1), or halved for each timeout that passed, with ssthresh keeping three quarters of the old
/// window (RFC 2861 §3.2).
pub(super) fn after_idle(
    (mut cwnd, mut ssthresh): (f64, u64),
    idle: Duration,
    rto: Duration,
    floor: Bytes,
    decay: bool,
) -> (f64, u64) {
    let floor = floor.as_f64().min(cwnd);
    if !decay {
        return (floor, ssthresh);
    }
    ssthresh = ssthresh.max((cwnd * 0.75) as u64);
    let mut left = idle;
    while left >= rto && cwnd > floor && !rto.is_zero() {
        cwnd = (cwnd / 2.0).max(floor);
        left -= rto;
    }
    (cwnd, ssthresh)
}

//! BLEST, blocking estimation (Ferlin et al., IFIP Networking 2016; multipath-tcp/mptcp `mptcp_blest.c`).
//!
//! Where the fastest subflow has no room, the next one is used only if what the fastest could send until an answer
//! comes over the slow one still fits into the send window beside it: else the slow segment would block the window.
//! The estimate is scaled by `lambda`, which grows when the window was found shut and falls slowly otherwise.
//!
//! Departures: the time until the answer is the smoothed round trip (Linux bounds it by the extremes it has seen);
//! "found shut" counts stalls of the window, not retransmissions that they force.

use super::{ConnectionView, LowestRtt, LowestRttConfig, Scheduler, SchedulerKind, SubflowView};
use crate::mptcp::DataChunk;
use tailrace_core::params::Invalid;
use tailrace_core::{Instant, parameters};

parameters! {
    /// Parameters of BLEST.
    pub struct BlestConfig {
        /// The factor, at the start, for the estimate of how much of the window a slow subflow would block. A larger
        /// one avoids the slow subflow more.
        lambda: f64 = 1.2, "multipath-tcp/mptcp; the paper begins with 1.0", in 0.0..=1000000.0: "it is a factor, not negative | beyond this the factor decides alone";
        /// The smallest value of that factor.
        min_lambda: f64 = 1.0, "multipath-tcp/mptcp", in 0.0..=1000000.0: "it is a factor, not negative | beyond this the factor decides alone";
        /// The largest value of that factor.
        max_lambda: f64 = 1.3, "multipath-tcp/mptcp", in 0.0..=1000000.0: "it is a factor, not negative | beyond this the factor decides alone";
        /// By how much the factor grows after a round trip in which the window was closed.
        increase: f64 = 0.04, "multipath-tcp/mptcp", in 0.0..=1000000.0: "it is a factor, not negative | beyond this the factor decides alone";
        /// By how much the factor falls after a round trip in which it was not.
        decrease: f64 = 0.01, "multipath-tcp/mptcp", in 0.0..=1000000.0: "it is a factor, not negative | beyond this the factor decides alone";
    }
}

/// BLEST's state.
#[derive(Clone, Debug)]
pub struct Blest {
    config: BlestConfig,
    lambda: f64,
    blocked: u64,
    updated: Instant,
    default: LowestRtt,
}

impl SchedulerKind for Blest {
    type Config = BlestConfig;
    const SUMMARY: &'static str = "Does not use a slow subflow whose data would block the receive window";
    const CITATION: &'static str =
        "Ferlin et al., \"BLEST: Blocking Estimation-based MPTCP Scheduler\", IFIP Networking 2016";
    fn validate(c: &BlestConfig) -> Result<(), Invalid> {
        if c.max_lambda < c.min_lambda {
            return Err((
                "max_lambda",
                format!("{} is below min_lambda = {}; set both", c.max_lambda, c.min_lambda),
            ));
        }
        if !(c.min_lambda..=c.max_lambda).contains(&c.lambda) {
            return Err((
                "lambda",
                format!(
                    "{} is not between min_lambda = {} and max_lambda = {}",
                    c.lambda, c.min_lambda, c.max_lambda
                ),
            ));
        }
        Ok(())
    }
    fn build(config: &BlestConfig) -> Self {
        Self {
            lambda: config.lambda,
            blocked: 0,
            updated: Instant::ZERO,
            default: LowestRtt::build(&LowestRttConfig::default()),
            config: config.clone(),
        }
    }
}

impl Blest {
    /// Once a round trip of the fastest subflow: has the window been shut?
    fn learn(&mut self, conn: &ConnectionView, fast: &SubflowView) {
        if conn.now.saturating_since(self.updated) < fast.min_rtt {
            return;
        }
        let shut = conn.blocked > self.blocked;
        let step = if shut { self.config.increase } else { -self.config.decrease };
        self.lambda = (self.lambda + step).max(self.config.min_lambda).min(self.config.max_lambda);
        (self.blocked, self.updated) = (conn.blocked, conn.now);
    }

    /// Bytes that `fast` could send until an answer comes over `slow`.
    fn could_send(&self, fast: &SubflowView, slow: &SubflowView) -> f64 {
        let rounds = slow.srtt.as_secs_f64() / fast.srtt.as_secs_f64().max(1e-9);
        let n = rounds.floor() + 1.0;
        let mss = f64::from(fast.mss);
        let cwnd = fast.cwnd.as_f64() / mss;
        let segments = match fast.ssthresh {
            Some(ssthresh) if fast.cwnd >= ssthresh => (cwnd + (n - 1.0) / 2.0) * n,
            _ => cwnd * ((1_u64 << (n.min(16.0) as u32)) - 1) as f64,
        };
        self.lambda * mss * segments
    }
}

impl Scheduler for Blest {
    fn select(
        &mut self,
        chunk: &DataChunk,
        conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<usize> {
        let id = self.default.select(chunk, conn, subflows)?;
        let usable = |s: &&SubflowView| s.usable && s.backup == subflows[id].backup;
        let fast = subflows.iter().filter(usable).min_by_key(|s| s.srtt)?;
        self.learn(conn, fast);
        let slow = &subflows[id];
        if slow.srtt <= fast.srtt || chunk.carriers != 0 {
            return Some(id);
        }
        let window = (conn.window + conn.outstanding).as_f64();
        let space = window - slow.in_flight.as_f64() - f64::from(chunk.len);
        (self.could_send(fast, slow) <= space).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::scheduler::testing::{chunk, conn, subflow};
    use tailrace_core::Bytes;

    #[test]
    fn a_slow_subflow_is_passed_over_where_it_would_block_the_window() {
        // Congestion avoidance, 10 segments, 10 ms beside 100 ms: 11 rounds of 10 to 20 segments, (10 + 5) * 11 = 165
        // segments, times 1.2 = 198 kB; with one segment for the slow one, 199 kB of window are needed.
        let fast = SubflowView { room: false, ssthresh: Some(Bytes(1)), ..subflow(10) };
        let select = |window| {
            let conn = ConnectionView { window: Bytes(window), ..conn() };
            let mut blest = Blest::build(&BlestConfig::default());
            blest.select(&chunk(0), &conn, &[fast, subflow(100)])
        };
        assert_eq!(select(199_000), Some(1));
        assert_eq!(select(198_999), None);
    }

    #[test]
    fn lambda_learns_from_a_shut_window() {
        let mut blest = Blest::build(&BlestConfig::default());
        let at = |ms, blocked| ConnectionView { now: Instant::from_millis(ms), blocked, ..conn() };
        blest.select(&chunk(0), &at(10, 1), &[subflow(10)]);
        assert!((blest.lambda - 1.24).abs() < 1e-9);
        blest.select(&chunk(0), &at(15, 2), &[subflow(10)]);
        assert!((blest.lambda - 1.24).abs() < 1e-9, "once a round trip");
        blest.select(&chunk(0), &at(20, 1), &[subflow(10)]);
        assert!((blest.lambda - 1.23).abs() < 1e-9);
    }
}

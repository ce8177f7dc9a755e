//! ECF, earliest completion first (Lim et al., CoNEXT 2017; multipath-tcp/mptcp `mptcp_ecf.c`).
//!
//! If the fastest subflow has no room, ECF waits for it if it would finish the remaining data before the slow one
//! could, with a margin for the variation of both round trips, and some hysteresis.
//!
//! The remaining data is that in the send buffer. Without a bound on that (`send_buffer`) a bulk transfer has no end,
//! and ECF equals the scheduler by lowest round trip.

use super::{ConnectionView, LowestRtt, LowestRttConfig, Scheduler, SchedulerKind, SubflowView};
use crate::mptcp::DataChunk;
use tailrace_core::parameters;

parameters! {
    /// Parameters of ECF.
    pub struct EcfConfig {
        /// Once the scheduler waits for the fast subflow, by which share the slow one must be better before it is
        /// used. A larger value changes its mind less often.
        beta: f64 = 0.25, "Lim et al. 2017, §4", in 0.0..=1000000.0: "it is a factor, not negative | beyond this the factor decides alone";
    }
}

/// ECF's state.
#[derive(Clone, Debug)]
pub struct Ecf {
    beta: f64,
    waiting: bool,
    default: LowestRtt,
}

impl SchedulerKind for Ecf {
    type Config = EcfConfig;
    const SUMMARY: &'static str = "Waits for the fast subflow if data arrives earlier that way";
    const CITATION: &'static str =
        "Lim et al., \"ECF: An MPTCP Path Scheduler to Manage Heterogeneous Paths\", CoNEXT 2017";
    fn build(config: &EcfConfig) -> Self {
        let default = LowestRtt::build(&LowestRttConfig::default());
        Self { beta: config.beta, waiting: false, default }
    }
}

impl Ecf {
    /// Whether the fast subflow is worth waiting for.
    fn waits(&mut self, unassigned: f64, fast: &SubflowView, slow: &SubflowView) -> bool {
        let seconds = |s: &SubflowView| (s.srtt.as_secs_f64(), s.rtt_var.as_secs_f64());
        let ((rtt_fast, var_fast), (rtt_slow, var_slow)) = (seconds(fast), seconds(slow));
        let delta = var_fast.max(var_slow);
        let (cwnd_fast, cwnd_slow) = (fast.cwnd.as_f64().max(1.0), slow.cwnd.as_f64().max(1.0));
        let n = 1.0 + unassigned.max(cwnd_fast) / cwnd_fast;
        let hysteresis = if self.waiting { 1.0 + self.beta } else { 1.0 };
        if n * rtt_fast >= hysteresis * (rtt_slow + delta) {
            self.waiting = false;
            return false;
        }
        if unassigned.max(cwnd_slow) / cwnd_slow * rtt_slow >= 2.0 * rtt_fast + delta {
            self.waiting = true;
            return true;
        }
        false
    }
}

impl Scheduler for Ecf {
    fn select(
        &mut self,
        chunk: &DataChunk,
        conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<usize> {
        let id = self.default.select(chunk, conn, subflows)?;
        let usable = |s: &&SubflowView| s.usable && s.backup == subflows[id].backup;
        let fast = subflows.iter().filter(usable).min_by_key(|s| s.srtt)?;
        if subflows[id].srtt <= fast.srtt || chunk.carriers != 0 {
            return Some(id);
        }
        (!self.waits(conn.unassigned.as_f64(), fast, &subflows[id])).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::scheduler::testing::{chunk, conn, subflow};
    use tailrace_core::Bytes;

    #[test]
    fn little_waits_for_the_fast_subflow_and_much_takes_both() {
        // Windows of 10 kB, 10 and 100 ms: the fast one needs n rounds of 10 ms, n = 1 + k / 10 kB, and is waited
        // for while that is less than 100 ms: up to 90 kB; once waiting, up to 125 ms: 115 kB.
        let fast = SubflowView { room: false, ..subflow(10) };
        let mut ecf = Ecf::build(&EcfConfig::default());
        let mut select = |unassigned| {
            let conn = ConnectionView { unassigned: Bytes(unassigned), ..conn() };
            ecf.select(&chunk(0), &conn, &[fast, subflow(100)])
        };
        assert_eq!(select(90_000), Some(1));
        assert_eq!(select(89_000), None);
        assert_eq!(select(114_000), None, "hysteresis");
        assert_eq!(select(115_000), Some(1));
        assert_eq!(select(90_000), Some(1), "no longer waiting");
    }
}

//! Upstream Linux's default scheduler (net/mptcp/protocol.c): the subflow that would drain its queue first.
//!
//! Of the usable subflows, backups only for want of others, the one whose bytes not yet acknowledged would take the
//! least time at its average pacing rate gets the next burst.
//!
//! Departure: Linux fills the send queue of a subflow ahead of its window; here bytes leave at once or wait, so the
//! choice is made among subflows with room, and what a queue would hold is what is in flight. The pacing rate is
//! Linux's: window over round trip, twice that in slow start and 1.2 times after, averaged over what is queued.

use super::{ConnectionView, Scheduler, SchedulerKind, SubflowView, is_in};
use crate::mptcp::MAX_SUBFLOWS;
use crate::mptcp::send::Chunk;
use tailrace_core::parameters;
use tailrace_core::params::Invalid;

parameters! {
    /// Parameters of Linux's scheduler.
    pub struct LinuxSchedulerConfig {
        /// Bytes that one decision is good for.
        burst: u64 = 65_428, "Linux MPTCP_SEND_BURST_SIZE";
    }
}

/// The subflow chosen last, what is left of its burst, and average pacing rates in bytes a second.
#[derive(Clone, Debug)]
pub struct LinuxScheduler {
    burst: u64,
    last: usize,
    left: u64,
    rates: [f64; MAX_SUBFLOWS],
}

impl SchedulerKind for LinuxScheduler {
    type Config = LinuxSchedulerConfig;
    const SUMMARY: &'static str = "The subflow that would drain its queue first";
    const CITATION: &'static str = "Linux, net/mptcp/protocol.c, mptcp_subflow_get_send";
    fn validate(c: &LinuxSchedulerConfig) -> Result<(), Invalid> {
        if c.burst == 0 {
            return Err(("burst", "must be at least 1".into()));
        }
        Ok(())
    }
    fn build(config: &LinuxSchedulerConfig) -> Self {
        Self { burst: config.burst.max(1), last: 0, left: 0, rates: [0.0; MAX_SUBFLOWS] }
    }
}

fn pacing_rate(s: &SubflowView) -> f64 {
    let slow_start = s.ssthresh.is_none_or(|t| s.cwnd.get() < t.get() / 2);
    let factor = if slow_start { 2.0 } else { 1.2 };
    factor * s.rate()
}

impl Scheduler for LinuxScheduler {
    fn select(&mut self, chunk: &Chunk, _conn: &ConnectionView, subflows: &[SubflowView]) -> Option<usize> {
        let len = u64::from(chunk.len);
        let open = |id: usize| {
            let s = &subflows[id];
            s.usable && s.room && !is_in(chunk.carriers, id)
        };
        if self.left >= len && self.last < subflows.len() && open(self.last) {
            self.left -= len;
            return Some(self.last);
        }
        let backups_only = !subflows.iter().any(|s| s.usable && !s.backup);
        let linger = |id: usize, rates: &[f64]| {
            let rate = if rates[id] > 0.0 { rates[id] } else { pacing_rate(&subflows[id]) };
            subflows[id].in_flight.as_f64() / rate
        };
        let candidates =
            (0..subflows.len()).filter(|id| open(*id) && (backups_only || !subflows[*id].backup));
        let id = candidates.min_by(|a, b| linger(*a, &self.rates).total_cmp(&linger(*b, &self.rates)))?;
        let (queued, burst) = (subflows[id].in_flight.as_f64(), self.burst as f64);
        let rate = &mut self.rates[id];
        *rate = (*rate * queued + pacing_rate(&subflows[id]) * burst) / (queued + burst);
        (self.last, self.left) = (id, self.burst.saturating_sub(len));
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::scheduler::testing::{chunk, conn, subflow};
    use tailrace_core::Bytes;

    #[test]
    fn bursts_go_where_the_queue_drains_first() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig { burst: 2000 });
        let mut select = |flight: [u64; 2]| {
            let views = flight.map(|f| SubflowView { in_flight: Bytes(f), ..subflow(10) });
            linux.select(&chunk(0), &conn(), &views)
        };
        assert_eq!(select([5000, 1000]), Some(1));
        assert_eq!(select([0, 1000]), Some(1), "the burst is not used up");
        assert_eq!(select([0, 1000]), Some(0));
    }

    #[test]
    fn backups_serve_for_want_of_others() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig::default());
        let backup = SubflowView { backup: true, ..subflow(1) };
        let full = SubflowView { room: false, ..subflow(10) };
        assert_eq!(linux.select(&chunk(0), &conn(), &[backup, full]), None);
        let dead = SubflowView { usable: false, ..full };
        assert_eq!(linux.select(&chunk(0), &conn(), &[backup, dead]), Some(0));
    }
}

//! Round robin (multipath-tcp/mptcp `mptcp_rr.c`): each subflow carries `num_segments` segments in its turn.
//!
//! With `cwnd_limited` a subflow without room is passed over; without it, its turn is waited for, so that all carry
//! the same whatever their speed. Backups are not told apart.

use super::{ConnectionView, Scheduler, SchedulerKind, SubflowView, is_in};
use crate::mptcp::DataChunk;
use tailrace_core::parameters;

parameters! {
    /// Parameters of the round-robin scheduler.
    pub struct RoundRobinConfig {
        /// Number of segments that a subflow sends in its turn. With more, longer runs of data stay on one path, and
        /// more data arrives out of order.
        num_segments: u64 = 1, "multipath-tcp/mptcp, num_segments", in 1..=1000000000: "a turn has at least one segment | nobody else would ever have a turn";
        /// Whether a subflow without room in its window is passed over. If false, the scheduler waits for it.
        cwnd_limited: bool = true, "multipath-tcp/mptcp, cwnd_limited";
    }
}

/// Round-robin scheduler.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    config: RoundRobinConfig,
    /// The subflow whose turn it is, and how much of it is used up.
    turn: usize,
    used: u64,
}

impl SchedulerKind for RoundRobin {
    type Config = RoundRobinConfig;
    const SUMMARY: &'static str = "Takes subflows in turn";
    const CITATION: &'static str = "multipath-tcp/mptcp, net/mptcp/mptcp_rr.c";
    fn build(config: &RoundRobinConfig) -> Self {
        Self { config: config.clone(), turn: 0, used: 0 }
    }
}

impl RoundRobin {
    /// A chunk that is sent again takes no turn: the last subflow with room that has not carried it, or any.
    fn again(chunk: &DataChunk, subflows: &[SubflowView]) -> Option<usize> {
        let open = |id: &usize| subflows[*id].usable && subflows[*id].room;
        let fresh = (0..subflows.len()).rev().filter(open).find(|id| !is_in(chunk.carriers, *id));
        fresh.or_else(|| (0..subflows.len()).rev().find(open))
    }
}

impl Scheduler for RoundRobin {
    #[inline]
    fn looks_at_windows(&self) -> bool {
        false
    }

    fn select(
        &mut self,
        chunk: &DataChunk,
        _conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<usize> {
        if chunk.carriers != 0 {
            return Self::again(chunk, subflows);
        }
        let n = subflows.len();
        let quota = self.config.num_segments.max(1);
        let first = if self.used < quota { self.turn } else { self.turn + 1 };
        for step in 0..n {
            let id = (first + step) % n;
            let s = &subflows[id];
            if !s.usable {
                continue;
            }
            if s.room {
                self.used = if id == self.turn && self.used < quota { self.used + 1 } else { 1 };
                self.turn = id;
                return Some(id);
            }
            if !self.config.cwnd_limited {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::scheduler::testing::{chunk, conn, subflow};

    fn turns(config: RoundRobinConfig, subflows: &[SubflowView], n: usize) -> Vec<Option<usize>> {
        let mut rr = RoundRobin::build(&config);
        (0..n).map(|_| rr.select(&chunk(0), &conn(), subflows)).collect()
    }

    #[test]
    fn subflows_take_turns_of_the_length_given() {
        let all = [subflow(1), subflow(500)];
        let one = turns(RoundRobinConfig::default(), &all, 4);
        assert_eq!(one, [Some(0), Some(1), Some(0), Some(1)]);
        let two = turns(RoundRobinConfig { num_segments: 2, ..RoundRobinConfig::default() }, &all, 5);
        assert_eq!(two, [Some(0), Some(0), Some(1), Some(1), Some(0)]);
    }

    #[test]
    fn a_full_subflow_is_passed_over_or_waited_for() {
        let full = SubflowView { room: false, ..subflow(1) };
        let all = [full, subflow(5)];
        assert_eq!(turns(RoundRobinConfig::default(), &all, 2), [Some(1), Some(1)]);
        let strict = RoundRobinConfig { cwnd_limited: false, ..RoundRobinConfig::default() };
        assert_eq!(turns(strict, &all, 1), [None]);
    }
}

//! The default scheduler of out-of-tree Linux: the available subflow with the smallest round trip
//! (multipath-tcp/mptcp `mptcp_sched.c`).
//!
//! Bytes go to the usable subflow with room and the smallest smoothed round-trip time that has not carried them yet.
//! If such a subflow exists but has no room, they wait; backups serve only where no other subflow is usable. What
//! every subflow has carried may go on any again.

use super::{ConnectionView, Scheduler, SchedulerKind, SubflowView, is_in};
use crate::mptcp::DataChunk;
use tailrace_core::{Duration, parameters};

parameters! {
    /// Parameters of the lowest-RTT scheduler.
    pub struct LowestRttConfig {
        /// Whether a subflow that repairs a timeout gets no new data.
        skip_in_loss: bool = true, "multipath-tcp/mptcp, mptcp_is_available";
    }
}

/// The lowest-RTT scheduler's state: none.
#[derive(Clone, Debug)]
pub struct LowestRtt {
    skip_in_loss: bool,
}

impl SchedulerKind for LowestRtt {
    type Config = LowestRttConfig;
    const SUMMARY: &'static str = "The subflow with the shortest round-trip time that has room in its window";
    const CITATION: &'static str = "multipath-tcp/mptcp, net/mptcp/mptcp_sched.c (default)";
    fn build(config: &LowestRttConfig) -> Self {
        Self { skip_in_loss: config.skip_in_loss }
    }
}

impl LowestRtt {
    /// The one with the smallest round trip of the usable subflows with room, all of which are in `open`, that are backups or are not, and
    /// have not carried the chunk.
    fn best(&self, carriers: u32, backup: bool, open: u32, subflows: &[SubflowView]) -> Option<usize> {
        let mut best: Option<(usize, Duration)> = None;
        let mut open = open & !carriers;
        while let Some((id, s)) = first_of(open, subflows) {
            open &= open - 1;
            let fit = s.usable && s.room && s.backup == backup && !(self.skip_in_loss && s.in_loss);
            if fit && best.is_none_or(|(_, srtt)| s.srtt < srtt) {
                best = Some((id, s.srtt));
            }
        }
        best.map(|(id, _)| id)
    }
}

/// The first of the subflows in `set`, if there is one.
#[inline]
fn first_of(set: u32, subflows: &[SubflowView]) -> Option<(usize, &SubflowView)> {
    let id = set.trailing_zeros() as usize;
    subflows.get(id).map(|s| (id, s))
}

/// Whether there is a subflow that is usable, is a backup or is not, and is not among the `carriers`.
fn any(carriers: u32, backup: bool, subflows: &[SubflowView]) -> bool {
    subflows.iter().enumerate().any(|(id, s)| s.usable && s.backup == backup && !is_in(carriers, id))
}

impl Scheduler for LowestRtt {
    #[inline]
    fn looks_at_windows(&self) -> bool {
        false
    }

    #[inline]
    fn select(
        &mut self,
        chunk: &DataChunk,
        conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<usize> {
        let passes: &[u32] = if chunk.carriers == 0 { &[0] } else { &[chunk.carriers, 0] };
        for &carriers in passes {
            for backup in [false, true] {
                let best = self.best(carriers, backup, conn.open, subflows);
                // A suitable subflow without room is waited for.
                if best.is_some() || any(carriers, backup, subflows) {
                    return best;
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::scheduler::testing::{chunk, conn, subflow};

    fn select(carriers: u32, subflows: &[SubflowView]) -> Option<usize> {
        LowestRtt::build(&LowestRttConfig::default()).select(&chunk(carriers), &conn(), subflows)
    }

    #[test]
    fn the_fastest_with_room_is_taken_and_the_first_of_equals() {
        assert_eq!(select(0, &[subflow(30), subflow(10), subflow(10)]), Some(1));
        let full = SubflowView { room: false, ..subflow(10) };
        assert_eq!(select(0, &[subflow(30), full]), Some(0));
        assert_eq!(select(0, &[full]), None);
    }

    #[test]
    fn backups_serve_only_where_nothing_else_is_usable() {
        let backup = SubflowView { backup: true, ..subflow(1) };
        let full = SubflowView { room: false, ..subflow(10) };
        let dead = SubflowView { usable: false, ..subflow(10) };
        assert_eq!(select(0, &[backup, subflow(10)]), Some(1));
        assert_eq!(select(0, &[backup, full]), None, "it waits for the full one");
        assert_eq!(select(0, &[backup, dead]), Some(0));
    }

    #[test]
    fn reinjection_goes_to_another_subflow_or_to_any_once_all_have_carried_it() {
        assert_eq!(select(0b01, &[subflow(1), subflow(10)]), Some(1));
        assert_eq!(select(0b11, &[subflow(1), subflow(10)]), Some(0));
    }

    #[test]
    fn subflow_in_loss_recovery_is_passed_over() {
        let lost = SubflowView { in_loss: true, ..subflow(1) };
        assert_eq!(select(0, &[lost, subflow(10)]), Some(1));
        assert_eq!(select(0, &[lost]), None);
    }
}

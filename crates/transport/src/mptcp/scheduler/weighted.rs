//! Weighted sharing: subflows carry bytes in proportion to weights, smoothly interleaved.
//!
//! Each subflow gains credit by its share of all weights with every byte sent, and the one with the most credit
//! carries the next bytes. Weights are what `by` says: the paths' rates (window over round trip), their windows, the
//! inverse of their round trips, or all the same. With `strict`, one without room is waited for.

use super::{ConnectionView, Scheduler, SchedulerKind, SubflowView, is_in};
use crate::mptcp::DataChunk;
use crate::mptcp::MAX_SUBFLOWS;
use tailrace_core::{choices, parameters};

choices! {
    /// Where weights come from.
    pub enum Weight {
        /// Congestion window divided by round-trip time.
        Rate = "rate",
        /// Congestion window.
        Window = "window",
        /// Reciprocal of the round-trip time.
        InverseRtt = "inverse_rtt",
        /// The same for all.
        Equal = "equal",
    }
}

parameters! {
    /// Parameters of the weighted scheduler.
    pub struct WeightedConfig {
        /// Measure by which subflows are weighted.
        by: Weight = Weight::Rate, "so that paths are used as they can be";
        /// Whether the scheduler waits for the subflow whose turn it is. If false, a subflow without room in its
        /// window is passed over.
        strict: bool = false, "use what has room";
    }
}

/// Each subflow's credit, in bytes.
#[derive(Clone, Debug)]
pub struct Weighted {
    config: WeightedConfig,
    credit: [f64; MAX_SUBFLOWS],
}

impl SchedulerKind for Weighted {
    type Config = WeightedConfig;
    const SUMMARY: &'static str =
        "Shares data among subflows in proportion to their rates, windows or round-trip times";
    const CITATION: &'static str = "Smooth weighted round robin; own design";
    fn build(config: &WeightedConfig) -> Self {
        Self { config: config.clone(), credit: [0.0; MAX_SUBFLOWS] }
    }
}

impl Weighted {
    fn weight(&self, s: &SubflowView) -> f64 {
        match self.config.by {
            Weight::Rate => s.rate(),
            Weight::Window => s.cwnd.as_f64(),
            Weight::InverseRtt => 1.0 / s.srtt.as_secs_f64().max(1e-6),
            Weight::Equal => 1.0,
        }
    }
}

impl Scheduler for Weighted {
    fn select(
        &mut self,
        chunk: &DataChunk,
        _conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<usize> {
        let backups_only = !subflows.iter().any(|s| s.usable && !s.backup);
        let serves = |s: &SubflowView| s.usable && (backups_only || !s.backup);
        let fresh = |id: usize| !is_in(chunk.carriers, id);
        let all_carried = (0..subflows.len()).all(|id| !serves(&subflows[id]) || !fresh(id));
        let mut chosen: Option<usize> = None;
        let mut sum = 0.0;
        for (id, s) in subflows.iter().enumerate().filter(|(_, s)| serves(s)) {
            sum += self.weight(s);
            let may = (s.room || self.config.strict) && (fresh(id) || all_carried);
            let share = |id: usize| self.credit[id];
            if may && chosen.is_none_or(|c| share(id) > share(c)) {
                chosen = Some(id);
            }
        }
        let id = chosen.filter(|id| subflows[*id].room)?;
        let len = f64::from(chunk.len);
        for (other, s) in subflows.iter().enumerate().filter(|(_, s)| serves(s)) {
            // A subflow that cannot keep up does not save up for ever.
            self.credit[other] = (self.credit[other] + len * self.weight(s) / sum).min(100.0 * len);
        }
        self.credit[id] -= len;
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::scheduler::testing::{chunk, conn, subflow};

    fn shares(config: &WeightedConfig, subflows: &[SubflowView], n: usize) -> Vec<usize> {
        let mut w = Weighted::build(config);
        let mut counts = vec![0; subflows.len()];
        (0..n).filter_map(|_| w.select(&chunk(0), &conn(), subflows)).for_each(|id| counts[id] += 1);
        counts
    }

    #[test]
    fn bytes_are_shared_by_weight() {
        // Equal windows, 10 and 30 ms: rates 3 to 1.
        let both = [subflow(10), subflow(30)];
        assert_eq!(shares(&WeightedConfig::default(), &both, 400), [300, 100]);
        let equal = WeightedConfig { by: Weight::Equal, ..WeightedConfig::default() };
        assert_eq!(shares(&equal, &both, 400), [200, 200]);
    }

    #[test]
    fn subflow_without_room_is_passed_over_or_waited_for() {
        let full = SubflowView { room: false, ..subflow(10) };
        assert_eq!(shares(&WeightedConfig::default(), &[full, subflow(30)], 10), [0, 10]);
        let strict = WeightedConfig { strict: true, ..WeightedConfig::default() };
        assert!(shares(&strict, &[full, subflow(30)], 10)[1] < 10);
    }
}

//! A loss-aware scheduler after LAMPS (Dong, Xu, Fu, Cao, LCN 2017).
//!
//! Only the abstract of LAMPS is openly known: subflows are chosen by loss and delay together, and what is sent
//! depends on the subflow's state. This is a reconstruction of that: the subflow with the least expected delivery
//! time, half a round trip plus what a loss costs times how often it happens, carries the next bytes; while it
//! repairs losses, the second best carries a copy. Treat results as those of "a loss-aware scheduler".

use super::{ConnectionView, LowestRtt, LowestRttConfig, Pieces, Scheduler, SchedulerKind, SubflowView};
use crate::mptcp::DataChunk;
use tailrace_core::parameters;

parameters! {
    /// Parameters of the loss-aware scheduler.
    pub struct LampsConfig {
        /// Whether the second-best subflow carries a copy of the data while the best one repairs losses.
        copies: bool = true, "reconstruction: \"little duplication\" (LCN 2017, abstract)";
    }
}

/// The loss-aware scheduler's state: what is to be copied.
#[derive(Clone, Debug)]
pub struct Lamps {
    copies: bool,
    copy: Option<DataChunk>,
    default: LowestRtt,
}

impl SchedulerKind for Lamps {
    type Config = LampsConfig;
    const SUMMARY: &'static str =
        "The subflow with the shortest expected delivery time, losses included (reconstruction)";
    const CITATION: &'static str = "Dong et al., \"LAMPS: A Loss Aware Scheduler for Multipath TCP over Highly Lossy Networks\", LCN 2017";
    fn build(config: &LampsConfig) -> Self {
        let default = LowestRtt::build(&LowestRttConfig::default());
        Self { copies: config.copies, copy: None, default }
    }
}

/// Expected delivery time over a subflow, seconds.
fn delivery(s: &SubflowView) -> f64 {
    let rtt = s.srtt.as_secs_f64();
    let p = s.retransmitted as f64 / (s.sent.max(1)) as f64;
    let p = p.min(0.9);
    let few = s.cwnd.get() < 4 * u64::from(s.mss);
    let repair = if few { (rtt + 4.0 * s.rtt_var.as_secs_f64()).max(0.2) } else { rtt };
    rtt / 2.0 + p / (1.0 - p) * repair
}

fn best(subflows: &[SubflowView], carriers: u32) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for backup in [false, true] {
        for (id, s) in subflows.iter().enumerate() {
            let open = s.usable && s.room && !s.in_loss && s.backup == backup && carriers >> id & 1 == 0;
            if open && best.is_none_or(|b| delivery(s) < b.1) {
                best = Some((id, delivery(s)));
            }
        }
        if best.is_some() || subflows.iter().any(|s| s.usable && s.backup == backup) {
            break;
        }
    }
    best.map(|b| b.0)
}

impl Scheduler for Lamps {
    fn select(
        &mut self,
        chunk: &DataChunk,
        conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<usize> {
        if chunk.carriers != 0 {
            return self.default.select(chunk, conn, subflows);
        }
        best(subflows, 0)
    }

    fn next<P: Pieces>(
        &mut self,
        pieces: &mut P,
        conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<(DataChunk, usize)> {
        if let Some(copy) = self.copy.take()
            && let Some(chunk) = pieces.sent_at(copy.dsn).filter(|c| c.dsn == copy.dsn)
            && let Some(id) = best(subflows, chunk.carriers)
        {
            return Some((chunk, id));
        }
        let reinjection = pieces.reinjection();
        let chosen = reinjection.and_then(|c| Some((c, self.select(&c, conn, subflows)?)));
        if chosen.is_some() {
            return chosen;
        }
        let chunk = pieces.fresh()?;
        let id = self.select(&chunk, conn, subflows)?;
        self.copy = (self.copies && subflows[id].in_recovery).then_some(chunk);
        Some((chunk, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::scheduler::testing::{chunk, conn, subflow};

    #[test]
    fn a_lossy_fast_path_is_worse_than_a_clean_one_that_is_a_little_slower() {
        // 40 ms and 30 % of loss: 20 + 0.43 * 40 = 37 ms; 60 ms without: 30 ms. With 10 %: 24.4 ms.
        let lossy = |retransmitted| SubflowView { retransmitted, sent: 100, ..subflow(40) };
        let select = |s| Lamps::build(&LampsConfig::default()).select(&chunk(0), &conn(), &[s, subflow(60)]);
        assert_eq!(select(lossy(30)), Some(1));
        assert_eq!(select(lossy(10)), Some(0));
    }
}

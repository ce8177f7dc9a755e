//! The scheduler of the two queues.

use super::config::{Dualpi2Config, SchedulerKind};
use tailrace_core::{Bytes, Duration};

/// Name of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// The low-latency queue.
    Low,
    /// The classic queue.
    Classic,
}

/// The scheduler and its credit.
#[derive(Clone, Debug)]
pub(super) struct Scheduler {
    kind: SchedulerKind,
    t_shift: Duration,
    /// Weights of the queues, together 100.
    classic_weight: f64,
    low_weight: f64,
    initial: f64,
    /// Above zero it is the classic queue's turn.
    pub(super) credit: f64,
}

impl Scheduler {
    pub(super) fn new(config: &Dualpi2Config) -> Self {
        let classic_weight = config.classic_protection.get() * 100.0;
        let low_weight = 100.0 - classic_weight;
        let initial = config.mtu.as_f64() * (classic_weight - low_weight);
        Self {
            kind: config.scheduler,
            t_shift: config.t_shift,
            classic_weight,
            low_weight,
            initial,
            credit: initial,
        }
    }

    /// The queue to serve, by the times that their heads have waited.
    #[inline]
    pub(super) fn choose(&self, low: Option<Duration>, classic: Option<Duration>) -> Option<Which> {
        let low_first = match (low, classic) {
            (None, None) => return None,
            (Some(low), Some(classic)) => match self.kind {
                SchedulerKind::Wrr => self.credit <= 0.0,
                SchedulerKind::TsFifo => {
                    low.as_nanos().saturating_add(self.t_shift.as_nanos()) >= classic.as_nanos()
                }
            },
            (low, None) => low.is_some(),
            (None, _) => false,
        };
        Some(if low_first { Which::Low } else { Which::Classic })
    }

    /// `size` was sent from `which` while packets waited in the other queue, too.
    #[inline]
    pub(super) fn charge(&mut self, which: Which, size: Bytes) {
        match which {
            Which::Low => self.credit += self.classic_weight * size.as_f64(),
            Which::Classic => self.credit -= self.low_weight * size.as_f64(),
        }
    }

    /// Both queues are empty.
    #[inline]
    pub(super) fn reset(&mut self) {
        self.credit = self.initial;
    }
}

//! Pinning of a run and its kernels to one processor.
//!
//! Simulation and kernels take turns: only one of them ever runs. On one processor a message is a context switch;
//! between two it wakes the other, which costs several times as much.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Number of this process's runs on each processor.
static RUNS: Mutex<BTreeMap<usize, u32>> = Mutex::new(BTreeMap::new());

/// The environment's word for going wherever the system likes: to show that nothing depends on it, and for machines where it helps.
const FREE: &str = "TAILRACE_UNPINNED";

/// This thread, and the processes that it starts, are on one processor; when the value is dropped the thread may go anywhere again.
#[derive(Debug)]
pub(crate) struct PinnedThread {
    before: Option<CpuSet>,
    processor: Option<usize>,
}

impl PinnedThread {
    /// On one processor, unless the environment has another word.
    pub(crate) fn of_environment() -> Self {
        if std::env::var_os(FREE).is_some_and(|word| word == "1") {
            Self { before: None, processor: None }
        } else {
            Self::to_one_processor()
        }
    }

    /// The processor with the fewest runs. Where the system does not let us choose, nothing changes.
    fn to_one_processor() -> Self {
        let before = sched_getaffinity(None).ok();
        let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
        let allowed = (0..CpuSet::MAX_CPU).filter(|n| before.is_some_and(|set| set.is_set(*n)));
        let processor = allowed.min_by_key(|n| runs.get(n).copied().unwrap_or(0)).unwrap_or(0);
        let mut one = CpuSet::new();
        one.set(processor);
        let before = before.filter(|_| sched_setaffinity(None, &one).is_ok());
        *runs.entry(processor).or_default() += 1;
        Self { before, processor: Some(processor) }
    }
}

impl Drop for PinnedThread {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = sched_setaffinity(None, before);
        }
        if let Some(processor) = self.processor {
            let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
            *runs.entry(processor).or_insert(1) -= 1;
        }
    }
}

//! Distributions over all flows of a group.

use crate::stats::transfer_sizes::SizeDistributions;
use tailrace_net::Histogram;

/// Distributions over all flows of a group in the latest part.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupDistributions {
    pub(crate) one_way_delay: Histogram,
    pub(crate) reverse_one_way_delay: Histogram,
    pub(crate) rtt: Histogram,
    pub(crate) completion: Histogram,
    /// Slowdown of transfers; a slowdown of 1 is held as one second.
    pub(crate) slowdown: Histogram,
    /// Transfers by size.
    pub(crate) by_size: SizeDistributions,
    /// Load times of web pages.
    pub(crate) page_load: Histogram,
    pub(crate) jitter: Histogram,
}

impl GroupDistributions {
    /// Takes the distributions so far and starts new ones.
    pub(crate) fn cut(&mut self) -> Self {
        Self {
            one_way_delay: self.one_way_delay.cut(),
            reverse_one_way_delay: self.reverse_one_way_delay.cut(),
            rtt: self.rtt.cut(),
            completion: self.completion.cut(),
            slowdown: self.slowdown.cut(),
            by_size: std::mem::take(&mut self.by_size),
            page_load: self.page_load.cut(),
            jitter: self.jitter.cut(),
        }
    }

    /// Adds the distributions of another window.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.one_way_delay.merge(&other.one_way_delay);
        self.reverse_one_way_delay.merge(&other.reverse_one_way_delay);
        self.rtt.merge(&other.rtt);
        self.completion.merge(&other.completion);
        self.slowdown.merge(&other.slowdown);
        self.by_size.merge(&other.by_size);
        self.page_load.merge(&other.page_load);
        self.jitter.merge(&other.jitter);
    }
}

//! Completion times of transfers by size.

use tailrace_core::Duration;
use tailrace_net::Histogram;

/// Names of the bins in results, and their upper bounds in bytes (exclusive); the last has none.
pub(crate) const BINS: [(&str, u64); 5] = [
    ("below_10kB", 10_000),
    ("below_100kB", 100_000),
    ("below_1MB", 1_000_000),
    ("below_10MB", 10_000_000),
    ("larger", u64::MAX),
];

/// Distributions over the transfers of each bin; unallocated before the first transfer.
#[derive(Clone, Debug, Default)]
pub(crate) struct SizeDistributions {
    bins: Vec<SizeBin>,
    /// Bin without transfers.
    empty: SizeBin,
}

#[derive(Clone, Debug, Default)]
struct SizeBin {
    completion: Histogram,
    slowdown: Histogram,
}

impl SizeDistributions {
    /// Records a completed transfer. The histogram of slowdowns holds a slowdown of 1 as one second.
    pub(crate) fn record(&mut self, size: u64, took: Duration, slowdown: Option<Duration>) {
        self.bins.resize_with(BINS.len(), SizeBin::default);
        let bin = &mut self.bins[BINS.iter().position(|(_, most)| size < *most).unwrap_or(BINS.len() - 1)];
        bin.completion.record(took);
        if let Some(slowdown) = slowdown {
            bin.slowdown.record(slowdown);
        }
    }

    /// Adds the transfers of another window.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.bins.resize_with(self.bins.len().max(other.bins.len()), SizeBin::default);
        for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
            mine.completion.merge(&theirs.completion);
            mine.slowdown.merge(&theirs.slowdown);
        }
    }

    /// Name, completion times and slowdowns of each bin, in ascending order of sizes.
    pub(crate) fn bins(&self) -> impl Iterator<Item = (&'static str, &Histogram, &Histogram)> {
        let bins =
            BINS.iter().enumerate().map(|(i, (name, _))| (*name, self.bins.get(i).unwrap_or(&self.empty)));
        bins.map(|(name, bin)| (name, &bin.completion, &bin.slowdown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_are_binned_by_size() {
        let mut tally = SizeDistributions::default();
        for size in [1, 9_999, 10_000, 999_999, 1_000_000, 10_000_000, u64::MAX] {
            tally.record(size, Duration::from_millis(1), None);
        }
        let mut twice = tally.clone();
        twice.merge(&tally);
        let counts = |tally: &SizeDistributions| {
            tally.bins().map(|(_, completion, _)| completion.count()).collect::<Vec<_>>()
        };
        assert_eq!((counts(&tally), counts(&twice)), (vec![2, 1, 1, 1, 2], vec![4, 2, 2, 2, 4]));
        assert_eq!(counts(&SizeDistributions::default()), [0; 5]);
    }
}

//! Completion of transfers by their size.

use crate::ground::distribution::Distribution;
use crate::ground::in_order::InOrder;
use crate::results::group_summary::BySize;
use tailrace_core::Duration;
use tailrace_net::Histogram;

/// What the bins are called in results, and the size below which a transfer is in each; the last has no bound.
pub(crate) const BINS: [(&str, u64); 5] = [
    ("below_10kB", 10_000),
    ("below_100kB", 100_000),
    ("below_1MB", 1_000_000),
    ("below_10MB", 10_000_000),
    ("larger", u64::MAX),
];

/// Distributions over the transfers of each bin; empty until there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct BySizeTally {
    bins: Vec<Bin>,
}

#[derive(Clone, Debug, Default)]
struct Bin {
    completion: Histogram,
    slowdown: Histogram,
}

impl BySizeTally {
    /// A transfer of this size is complete. A slowdown is kept as so many seconds.
    pub(crate) fn record(&mut self, size: u64, took: Duration, slowdown: Option<Duration>) {
        self.bins.resize_with(BINS.len(), Bin::default);
        let bin = &mut self.bins[BINS.iter().position(|(_, most)| size < *most).unwrap_or(BINS.len() - 1)];
        bin.completion.record(took);
        if let Some(slowdown) = slowdown {
            bin.slowdown.record(slowdown);
        }
    }

    /// Takes in another window's.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.bins.resize_with(self.bins.len().max(other.bins.len()), Bin::default);
        for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
            mine.completion.merge(&theirs.completion);
            mine.slowdown.merge(&theirs.slowdown);
        }
    }

    /// All bins, in the order of sizes.
    pub(crate) fn summary(&self) -> InOrder<BySize> {
        let none = Bin::default();
        let bins = BINS.iter().enumerate().map(|(i, (name, _))| {
            let bin = self.bins.get(i).unwrap_or(&none);
            let summary = BySize {
                completed: bin.completion.count(),
                completion_s: Distribution::of(&bin.completion),
                slowdown: Distribution::of(&bin.slowdown),
            };
            ((*name).to_string(), summary)
        });
        InOrder(bins.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_counts_in_the_bin_of_its_size() {
        let mut tally = BySizeTally::default();
        for size in [1, 9_999, 10_000, 999_999, 1_000_000, 10_000_000, u64::MAX] {
            tally.record(size, Duration::from_millis(1), None);
        }
        let mut twice = tally.clone();
        twice.merge(&tally);
        let counts =
            |tally: &BySizeTally| tally.summary().0.iter().map(|(_, bin)| bin.completed).collect::<Vec<_>>();
        assert_eq!((counts(&tally), counts(&twice)), (vec![2, 1, 1, 1, 2], vec![4, 2, 2, 2, 4]));
        assert_eq!(counts(&BySizeTally::default()), [0; 5]);
    }
}

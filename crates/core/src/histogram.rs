//! A log-linear histogram of durations or sizes: exact count, mean, deviation and extremes; percentiles within 0.8 %, or
//! within 3 % where there are many histograms and each place in them is a trip to memory.

use crate::math;
use crate::time::Duration;

/// Memory begins with a multiple of so many buckets, as values come that are a little less than the first.
const BLOCK: usize = 8;

/// Percentiles within 0.8 %; at most 30 KiB.
pub type Histogram = LogHistogram<6>;
/// Percentiles within 3 %; at most 8 KiB.
pub type CoarseHistogram = LogHistogram<4>;

/// Distribution of durations, kept in nanoseconds, or of other whole numbers, in bounded memory, and only what the
/// values need. Each power of two is split into 2^`STEPS` buckets; reporting the middle of one halves the error.
#[derive(Clone, Debug)]
pub struct LogHistogram<const STEPS: u32> {
    /// Buckets from `first` on: delays are far from zero, and not far from one another.
    buckets: Vec<u64>,
    first: usize,
    count: u64,
    sum: u128,
    squares: u128,
    /// `MAX` without values.
    min: u64,
    max: u64,
}

impl<const STEPS: u32> Default for LogHistogram<STEPS> {
    fn default() -> Self {
        Self { buckets: Vec::new(), first: 0, count: 0, sum: 0, squares: 0, min: u64::MAX, max: 0 }
    }
}

impl<const STEPS: u32> LogHistogram<STEPS> {
    /// Adds a duration.
    #[inline]
    pub fn record(&mut self, value: Duration) {
        self.record_value(value.as_nanos());
    }

    /// Adds a number.
    #[inline]
    pub fn record_value(&mut self, value: u64) {
        self.record_many(value, 1);
    }

    /// Adds the same number so many times.
    #[inline(always)]
    pub fn record_many(&mut self, value: u64, times: u64) {
        if times == 0 {
            return;
        }
        let bucket = bucket_of(value, STEPS);
        if bucket.wrapping_sub(self.first) >= self.buckets.len() {
            self.make_room(bucket, bucket);
        }
        self.buckets[bucket - self.first] += times;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.count += times;
        self.sum += u128::from(value) * u128::from(times);
        self.squares += u128::from(value) * u128::from(value) * u128::from(times);
    }

    /// There are buckets from `low` to `high`, and of those below it whole blocks.
    #[cold]
    fn make_room(&mut self, low: usize, high: usize) {
        let low = low / BLOCK * BLOCK;
        if self.buckets.is_empty() {
            self.first = low;
            self.buckets.reserve(4 * BLOCK);
        }
        if low < self.first {
            self.buckets.splice(..0, std::iter::repeat_n(0, self.first - low));
            self.first = low;
        }
        let len = self.buckets.len().max(high + 1 - self.first);
        self.buckets.resize(len, 0);
    }

    /// Count of a bucket.
    fn held(&self, bucket: usize) -> u64 {
        self.buckets.get(bucket.wrapping_sub(self.first)).copied().unwrap_or(0)
    }

    /// All buckets that there are, by number.
    fn numbered(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        (self.first..).zip(self.buckets.iter().copied())
    }

    /// Gives what there is so far, and begins anew with as much memory.
    pub fn cut(&mut self) -> Self {
        let fresh = Self { buckets: vec![0; self.buckets.len()], first: self.first, ..Self::default() };
        std::mem::replace(self, fresh)
    }

    /// Takes in all values of another.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.make_room(other.first, other.first + other.buckets.len() - 1);
        let mine = self.buckets[other.first - self.first..].iter_mut();
        mine.zip(&other.buckets).for_each(|(mine, theirs)| *mine += theirs);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The values that have come since an earlier copy. The least and the largest of them are known as well as percentiles
    /// are, and exactly where they are the least and the largest of all.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut new = Self {
            buckets: self.numbered().map(|(bucket, now)| now - earlier.held(bucket)).collect(),
            first: self.first,
            count: self.count - earlier.count,
            sum: self.sum - earlier.sum,
            squares: self.squares - earlier.squares,
            ..Self::default()
        };
        let held = new.buckets().fold(None, |ends: Option<(u64, u64)>, (low, high, _)| {
            Some((ends.map_or(low, |(least, _)| least), high))
        });
        if let Some((least, largest)) = held {
            (new.min, new.max) = (least.max(self.min), largest.min(self.max));
            if earlier.count > 0 && self.max > earlier.max {
                new.max = self.max;
            }
        }
        new
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }
    /// Mean; NaN without values.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }
    /// Mean in seconds; NaN without values.
    pub fn mean_s(&self) -> f64 {
        self.mean() / 1e9
    }
    /// Standard deviation of the values; NaN without values.
    pub fn sd(&self) -> f64 {
        if self.count == 0 {
            return f64::NAN;
        }
        let mean = self.mean();
        math::sqrt((self.squares as f64 / self.count as f64 - mean * mean).max(0.0))
    }
    /// Standard deviation of the values in seconds; NaN without values.
    pub fn sd_s(&self) -> f64 {
        self.sd() / 1e9
    }
    /// Least value; NaN without values.
    pub fn min(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.min as f64 }
    }
    /// Least value in seconds; NaN without values.
    pub fn min_s(&self) -> f64 {
        self.min() / 1e9
    }
    /// Largest value; NaN without values.
    pub fn max(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.max as f64 }
    }
    /// Largest value in seconds; NaN without values.
    pub fn max_s(&self) -> f64 {
        self.max() / 1e9
    }
    /// The value that a share `q` of the values do not exceed; NaN without values.
    pub fn quantile(&self, q: f64) -> f64 {
        if self.count == 0 {
            return f64::NAN;
        }
        let rank = ((q * self.count as f64).ceil() as u64).clamp(1, self.count);
        let mut seen = 0;
        for (bucket, n) in self.numbered() {
            seen += n;
            if seen >= rank {
                return middle_of(bucket, STEPS).clamp(self.min as f64, self.max as f64);
            }
        }
        self.max()
    }
    /// The value that a share `q` of the values do not exceed, in seconds; NaN without values.
    pub fn quantile_s(&self, q: f64) -> f64 {
        self.quantile(q) / 1e9
    }

    /// The buckets that hold something, from the lowest up: their least and their largest value, and how many there are.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let held = self.numbered().filter(|(_, n)| *n > 0);
        held.map(|(bucket, n)| {
            let (low, width) = span_of(bucket, STEPS);
            (low, low + (width - 1), n)
        })
    }
}

/// Values below 2^(STEPS+1) have a bucket each; above, the exponent and the next STEPS bits choose it.
#[inline]
fn bucket_of(ns: u64, steps: u32) -> usize {
    let exponent = 63 - (ns | 1).leading_zeros();
    let shift = exponent.saturating_sub(steps);
    ((u64::from(shift) << steps) + (ns >> shift)) as usize
}

/// The least value of a bucket, and how many values it takes in.
fn span_of(bucket: usize, steps: u32) -> (u64, u64) {
    let bucket = bucket as u64;
    let shift = (bucket >> steps).saturating_sub(1);
    ((bucket - (shift << steps)) << shift, 1 << shift)
}

/// The middle of a bucket.
fn middle_of(bucket: usize, steps: u32) -> f64 {
    let (low, width) = span_of(bucket, steps);
    low as f64 + (width - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_contiguous_and_their_middles_within_the_stated_error() {
        for (steps, error) in [(6, 1.0 / 128.0), (4, 1.0 / 32.0)] {
            let mut last = 0;
            for ns in (0..10_000u64).chain((14..63).map(|e| (1 << e) + 12_345)) {
                let bucket = bucket_of(ns, steps);
                assert!(bucket >= last, "{ns}");
                last = bucket;
                let middle = middle_of(bucket, steps);
                assert!((middle - ns as f64).abs() <= ns as f64 * error, "{ns}: {middle}");
            }
        }
    }

    #[test]
    fn moments_are_exact_and_quantiles_close() {
        let mut h = Histogram::default();
        for ms in 1..=1000 {
            h.record(Duration::from_millis(ms));
        }
        assert_eq!(h.mean_s(), 0.5005);
        // Uniform on 1..=1000: variance (n² − 1)/12.
        assert!((h.sd_s() - (999_999.0_f64 / 12.0).sqrt() / 1e3).abs() < 1e-9);
        assert!((h.quantile_s(0.5) / 0.5 - 1.0).abs() < 0.008);
        assert!((h.quantile_s(0.99) / 0.99 - 1.0).abs() < 0.008);
        assert_eq!((h.min_s(), h.max_s()), (0.001, 1.0));
        let empty = Histogram::default();
        let all = [empty.mean_s(), empty.sd_s(), empty.min_s(), empty.max_s(), empty.quantile_s(0.5)];
        assert!(all.iter().all(|x| x.is_nan()), "{all:?}");
    }

    #[test]
    fn parts_make_the_whole() {
        let values: [&[u64]; 4] = [&[5, 700, 3_000_000], &[], &[2, 2, 90_000_000], &[40]];
        let (mut whole, mut merged) = (Histogram::default(), Histogram::default());
        for part in values {
            let mut of_part = Histogram::default();
            part.iter().for_each(|v| of_part.record_value(*v));
            part.iter().for_each(|v| whole.record_value(*v));
            merged.merge(&of_part.cut());
            assert_eq!((of_part.count(), of_part.buckets().count()), (0, 0));
        }
        assert_eq!(format!("{merged:?}"), format!("{whole:?}"));
        assert_eq!((merged.count(), merged.min(), merged.max()), (7, 2.0, 90_000_000.0));
    }

    #[test]
    fn memory_is_for_the_values_that_come() {
        let mut h = CoarseHistogram::default();
        h.record(Duration::from_millis(30));
        h.record(Duration::from_millis(60));
        assert!(h.buckets.len() < 32, "{}", h.buckets.len());
        h.record(Duration::from_millis(2));
        h.record_value(0);
        let held: Vec<_> = h.buckets().map(|(low, _, n)| (low / 1_000_000, n)).collect();
        assert_eq!((h.first, held), (0, vec![(0, 1), (1, 1), (29, 1), (58, 1)]));
    }

    #[test]
    fn what_has_come_since_is_the_whole_less_what_was() {
        let mut h = Histogram::default();
        assert_eq!(h.since(&Histogram::default()).count(), 0);
        [5, 9_000, 70].into_iter().for_each(|v| h.record_value(v));
        let earlier = h.clone();
        assert!(h.since(&earlier).max().is_nan());
        [300, 100, 4_000].into_iter().for_each(|v| h.record_value(v));
        let new = h.since(&earlier);
        assert_eq!((new.count(), new.mean()), (3, 4_400.0 / 3.0));
        // Within its bucket, as no value is larger than all before.
        assert!((4_000.0..4_040.0).contains(&new.max()) && (new.quantile(0.5) / 300.0 - 1.0).abs() < 0.008);
        assert!((99.0..=100.0).contains(&new.min()), "{}", new.min());
        h.record_value(3);
        assert_eq!(h.since(&earlier).min(), 3.0, "none was less before");
        h.record_value(1_000_000);
        assert_eq!((h.since(&earlier).max(), h.since(&earlier).count()), (1_000_000.0, 5));
    }

    #[test]
    fn buckets_tell_what_they_hold() {
        let mut h = Histogram::default();
        h.record_many(0, 3);
        h.record_value(127);
        // From 128 on a bucket takes in two values, from 256 on four.
        [130, 131, 258].into_iter().for_each(|v| h.record_value(v));
        h.record_many(9, 0);
        let held: Vec<_> = h.buckets().collect();
        assert_eq!(held, [(0, 0, 3), (127, 127, 1), (130, 131, 2), (256, 259, 1)]);
        assert_eq!((h.count(), h.mean(), h.max()), (7, (127 + 130 + 131 + 258) as f64 / 7.0, 258.0));
    }
}

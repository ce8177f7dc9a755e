//! Seeded randomness: xoshiro256++ (Blackman & Vigna 2019) with one named stream a component.
//!
//! A stream is derived from the run's seed and the component's *name*, so adding a flow or a link to a
//! scenario does not shift the numbers that the others draw.

use crate::math;
use crate::time::Duration;

/// A stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng([u64; 4]);

impl Rng {
    /// The stream of `seed` alone.
    pub fn new(seed: u64) -> Self {
        let mut s = SplitMix(seed);
        Self([s.next(), s.next(), s.next(), s.next()])
    }

    /// The stream of the component called `name` in a run with `seed`.
    pub fn named(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, then SplitMix64 whitens the combination.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Self::new(SplitMix(seed).next() ^ hash)
    }

    /// 64 uniform bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1), 53 bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in (0, 1]: safe under a logarithm.
    #[inline]
    pub fn uniform_positive(&mut self) -> f64 {
        1.0 - self.uniform()
    }

    /// True with probability `p`; one draw whatever `p` is.
    #[inline]
    pub fn bernoulli(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Uniform integer in `0..n` without bias that matters (128-bit multiply; error below 2^-64 · n).
    ///
    /// # Panics
    /// When `n` is zero.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a choice needs at least one candidate");
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * math::ln(self.uniform_positive())
    }

    /// Exponentially distributed span with the given mean.
    pub fn exponential_duration(&mut self, mean: Duration) -> Duration {
        Duration::from_secs_f64(self.exponential(mean.as_secs_f64()))
    }

    /// Pareto with the given mean and shape (`shape` > 1, else the mean is infinite).
    pub fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        let scale = mean * (shape - 1.0) / shape;
        scale / math::pow(self.uniform_positive(), 1.0 / shape)
    }

    /// Standard normal by the polar method (two uniform draws per attempt).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * math::sqrt(-2.0 * math::ln(s) / s);
            }
        }
    }
}

/// Seed of run number `run` (from 1) of a scenario with base seed `seed`: distinct, well-mixed, stable.
pub fn run_seed(seed: u64, run: u32) -> u64 {
    SplitMix(seed ^ (u64::from(run) << 32)).next()
}

/// SplitMix64 (Steele, Lea & Flood 2014): spreads a seed over a state.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_matches_its_published_test_vector() {
        // Reference output of splitmix64.c for seed 1234567.
        let mut s = SplitMix(1_234_567);
        assert_eq!([s.next(), s.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn xoshiro_matches_its_published_test_vector() {
        // Reference output of xoshiro256plusplus.c from state {1, 2, 3, 4}.
        let mut r = Rng([1, 2, 3, 4]);
        assert_eq!(
            [r.next_u64(), r.next_u64(), r.next_u64()],
            [41_943_041, 58_720_359, 3_588_806_011_781_223]
        );
    }

    #[test]
    fn streams_differ_by_name_and_seed() {
        let first = |seed, name| Rng::named(seed, name).next_u64();
        assert_ne!(first(1, "a"), first(1, "b"));
        assert_ne!(first(1, "a"), first(2, "a"));
        assert_eq!(first(1, "a"), first(1, "a"));
    }

    #[test]
    fn means_are_right_within_sampling_error() {
        let mut r = Rng::new(7);
        let n = 200_000;
        let mut mean =
            |f: &mut dyn FnMut(&mut Rng) -> f64| (0..n).map(|_| f(&mut r)).sum::<f64>() / f64::from(n);
        assert!((mean(&mut |r| r.exponential(3.0)) - 3.0).abs() < 0.03);
        assert!((mean(&mut |r| r.pareto(3.0, 2.5)) - 3.0).abs() < 0.1);
        assert!(mean(&mut Rng::normal).abs() < 0.01);
    }
}

//! A token bucket: a rate with an allowance for bursts, counted in nanoseconds of the rate as in Linux.
//!
//! Facts from Linux, `net/sched/sch_generic.c` (`psched_ratecfg_precompute`) and `include/net/sch_generic.h`
//! (`psched_l2t_ns`). A packet costs the time that it takes at the rate. Nanoseconds a byte are a fixed-point number whose
//! factor has 32 bits, and the product is rounded down, so a packet costs at most a nanosecond, and at most 2^-31 of itself
//! (up to 34 Gbit/s), too little. Rates are whole bytes a second, as tc passes them on: 8 bit/s is the least.
//!
//! Of `police` and `htb`, tc passes the depth on as a time: whole microseconds, reckoned in floating point, and of these whole
//! ticks of 64 ns (`PSCHED_SHIFT`). So depths are up to a microsecond and a tick short, as a kernel behind iproute2 6.1 shows
//! (`validation/tokens.py`). Of `tbf` it passes the bytes on.

use tailrace_core::{Bytes, Duration, Instant, Rate};

/// A tick of tc, nanoseconds.
const TICK_NANOS: i64 = 64;
/// Ticks in a microsecond.
const TICKS_PER_MICRO: f64 = 1000.0 / 64.0;

/// Time that bytes take at a rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteTime {
    factor: u64,
    shift: u32,
}

impl ByteTime {
    /// The times at `rate`; less than 8 bit/s counts as 8 bit/s.
    pub(crate) fn new(rate: Rate) -> Self {
        let bytes_per_sec = (rate.as_bps() / 8).max(1);
        let (mut dividend, mut shift) = (1_000_000_000_u64, 0);
        while dividend / bytes_per_sec < 1 << 31 && dividend < 1 << 63 {
            dividend <<= 1;
            shift += 1;
        }
        Self { factor: dividend / bytes_per_sec, shift }
    }

    /// Nanoseconds that so many bytes take.
    #[inline]
    pub(crate) fn nanos(self, size: Bytes) -> i64 {
        let nanos = (u128::from(size.get()) * u128::from(self.factor)) >> self.shift;
        i64::try_from(nanos).unwrap_or(i64::MAX)
    }
}

/// The bucket. Full at the beginning.
#[derive(Clone, Debug)]
pub(crate) struct TokenBucket {
    time: ByteTime,
    /// Most tokens, nanoseconds.
    depth: i64,
    /// Tokens when they were last taken, nanoseconds.
    tokens: i64,
}

impl TokenBucket {
    /// A bucket that fills at `rate` and holds `burst`.
    pub(crate) fn new(rate: Rate, burst: Bytes) -> Self {
        let time = ByteTime::new(rate);
        let depth = time.nanos(burst);
        Self { time, depth, tokens: depth }
    }

    /// A bucket whose depth is `burst` in the ticks in which tc passes it on.
    pub(crate) fn in_ticks(rate: Rate, burst: Bytes) -> Self {
        let bytes_per_sec = (rate.as_bps() / 8).max(1) as f64;
        // Numbers too large for 32 bits become the largest that has them.
        let micros = (1e6 * (burst.as_f64() / bytes_per_sec)) as u32;
        let ticks = (f64::from(micros) * TICKS_PER_MICRO) as u32;
        let depth = i64::from(ticks) * TICK_NANOS;
        Self { time: ByteTime::new(rate), depth, tokens: depth }
    }

    /// Tokens left `elapsed` after they were last taken, once a packet of `size` has gone: negative where it must
    /// wait, by so many nanoseconds.
    #[inline]
    pub(crate) fn after(&self, elapsed: i64, size: Bytes) -> i64 {
        self.held(elapsed).saturating_sub(self.time.nanos(size))
    }

    /// Takes what [`TokenBucket::after`] said.
    #[inline]
    pub(crate) fn set(&mut self, tokens: i64) {
        self.tokens = tokens;
    }

    /// Tokens `elapsed` after they were last taken, nanoseconds.
    #[inline]
    pub(crate) fn held(&self, elapsed: i64) -> i64 {
        self.tokens.saturating_add(elapsed).min(self.depth)
    }

    /// Tokens as a share of the most.
    pub(crate) fn share(&self, elapsed: i64) -> f64 {
        self.held(elapsed) as f64 / self.depth.max(1) as f64
    }
}

/// Buckets of a rate and, where bursts have a rate of their own, of that: a packet takes tokens of both.
#[derive(Clone, Debug)]
pub(crate) struct TokenBuckets {
    rate: TokenBucket,
    peak: Option<TokenBucket>,
    /// When tokens were last taken.
    taken: Instant,
}

impl TokenBuckets {
    pub(crate) fn new(rate: TokenBucket, peak: Option<TokenBucket>) -> Self {
        Self { rate, peak, taken: Instant::ZERO }
    }

    /// Takes the tokens of a packet of `size`. Where there are too few nothing changes: the error is the time until there are
    /// enough. As in Linux, time counts up to the depth of the rate's bucket, for both.
    #[inline]
    pub(crate) fn take(&mut self, size: Bytes, now: Instant) -> Result<(), Duration> {
        let passed = elapsed(self.taken, now).min(self.rate.depth);
        let tokens = self.rate.after(passed, size);
        let peak = self.peak.as_ref().map(|peak| peak.after(passed, size));
        let least = peak.map_or(tokens, |peak| peak.min(tokens));
        if least < 0 {
            return Err(Duration::from_nanos(least.unsigned_abs()));
        }
        self.rate.tokens = tokens;
        if let Some((bucket, tokens)) = self.peak.as_mut().zip(peak) {
            bucket.tokens = tokens;
        }
        self.taken = now;
        Ok(())
    }

    /// Tokens of the rate at `now` as a share of the most.
    pub(crate) fn share(&self, now: Instant) -> f64 {
        self.rate.share(elapsed(self.taken, now))
    }
}

/// Nanoseconds from `earlier` to `now`.
#[inline]
pub(crate) fn elapsed(earlier: Instant, now: Instant) -> i64 {
    i64::try_from(now.saturating_since(earlier).as_nanos()).unwrap_or(i64::MAX)
}

/// Bytes that a FIFO behind a bucket holds when a packet waits at most `latency`: what goes meanwhile, and the burst.
pub(crate) fn bytes_for(rate: Rate, latency: Duration, burst: Bytes) -> Bytes {
    let waiting = u128::from(rate.as_bps() / 8) * u128::from(latency.as_nanos()) / 1_000_000_000;
    Bytes(u64::try_from(waiting).unwrap_or(u64::MAX).saturating_add(burst.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_takes_the_time_that_linux_counts() {
        // 10 Mbit/s: 800 ns a byte; 1 Gbit/s: 8; 8 bit/s: a second.
        assert_eq!(ByteTime::new(Rate::from_mbit(10)).nanos(Bytes(1500)), 1_200_000);
        assert_eq!(ByteTime::new(Rate::from_mbit(1000)).nanos(Bytes(1500)), 12_000);
        assert_eq!(ByteTime::new(Rate::from_bps(1)).nanos(Bytes(2)), 2_000_000_000);
        // 3 Mbit/s: 2666.67 ns a byte.
        assert_eq!(ByteTime::new(Rate::from_mbit(3)).nanos(Bytes(1_000_000)), 2_666_666_666);
        // 10^6 Gbit/s: less than a nanosecond a packet.
        assert_eq!(ByteTime::new(Rate::from_mbit(1_000_000_000)).nanos(Bytes(1500)), 0);
    }

    #[test]
    fn latency_is_what_goes_meanwhile_and_the_burst() {
        // tc-tbf(8): 0.5 Mbit/s, 5 kB, 70 ms: 62 500 * 0.07 + 5120.
        assert_eq!(bytes_for(Rate::from_bps(500_000), Duration::from_millis(70), Bytes(5120)), Bytes(9495));
    }

    #[test]
    fn a_depth_passed_on_in_ticks_is_whole_ticks() {
        // 10 Mbit/s: 1500 B take 1200 us, 18 750 ticks; 1000 B 800 us, 12 500; 1 B 0.8 us, none whole.
        let depth = |bytes| TokenBucket::in_ticks(Rate::from_mbit(10), Bytes(bytes)).depth;
        assert_eq!([1500, 1000, 1].map(depth), [1_200_000, 800_000, 0]);
        // 9999 kbit/s: 12 345 B take 9876.99 us; 9876 are 154 312.5 ticks.
        let odd = TokenBucket::in_ticks(Rate::from_bps(9_999_000), Bytes(12_345));
        assert_eq!(odd.depth, 154_312 * 64);
        // 32 bits of ticks: 274.9 s.
        assert_eq!(TokenBucket::in_ticks(Rate::from_bps(8), Bytes(1_000_000)).depth, 274_877_906_880);
    }

    #[test]
    fn a_bucket_never_holds_more_than_its_depth() {
        let mut bucket = TokenBucket::new(Rate::from_mbit(10), Bytes(3000));
        assert_eq!(bucket.held(0), 2_400_000);
        assert_eq!(bucket.after(0, Bytes(1500)), 1_200_000);
        bucket.set(0);
        assert_eq!((bucket.held(500), bucket.held(i64::MAX)), (500, 2_400_000));
        assert_eq!(bucket.after(0, Bytes(1500)), -1_200_000);
        // A debt is paid first: 3 ms after it owed 1 ms, it holds 2 ms of 2.4.
        bucket.set(-1_000_000);
        assert_eq!(bucket.held(3_000_000), 2_000_000);
        bucket.set(0);
        assert!((bucket.share(1_200_000) - 0.5).abs() < 1e-12);
    }
}

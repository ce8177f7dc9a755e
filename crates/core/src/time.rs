//! Points in time and spans of time, in whole nanoseconds.
//!
//! A run starts at [`Instant::ZERO`]. 64 bits of nanoseconds last 584 years, so arithmetic on them
//! overflows only by mistake; such a mistake panics in tests and saturates nowhere silently.

use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// A span of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

/// A point in simulated (or, live, monotonic) time: nanoseconds since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span; serves as "never".
    pub const MAX: Self = Self(u64::MAX);

    /// A span of `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }
    /// A span of `us` microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Self(us * 1_000)
    }
    /// A span of `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }
    /// A span of `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }
    /// The span nearest to `s` seconds. Negative values and NaN give zero, too large ones [`Duration::MAX`].
    pub fn from_secs_f64(s: f64) -> Self {
        // `as` saturates and maps NaN to 0; `+ 0.5` rounds to nearest for every non-negative input.
        Self((s * 1e9 + 0.5) as u64)
    }
    /// Whole nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// Whole microseconds, rounded down.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }
    /// Whole milliseconds, rounded down.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }
    /// Seconds as a float, for reports and for laws that are stated in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// Whether the span is empty.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
    /// `self - other`, or zero where `other` is longer.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
    /// `self * k`, or [`Duration::MAX`] where that overflows (timer backoff).
    pub const fn saturating_mul(self, k: u64) -> Self {
        Self(self.0.saturating_mul(k))
    }
    /// The span times a non-negative factor, rounded to the nearest nanosecond.
    pub fn mul_f64(self, k: f64) -> Self {
        Self((self.0 as f64 * k + 0.5) as u64)
    }
}

impl Instant {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than everything; serves as "never".
    pub const MAX: Self = Self(u64::MAX);

    /// The point `ns` nanoseconds after the start.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }
    /// The point `ms` milliseconds after the start.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }
    /// The point `s` seconds after the start.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }
    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// Seconds since the start, as a float for reports.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// Time passed since `earlier`, or zero where `earlier` is later.
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
    /// `self + d`, or [`Instant::MAX`] where that overflows ("never" plus anything is never).
    pub const fn saturating_add(self, d: Duration) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0)
    }
}
impl AddAssign for Duration {
    fn add_assign(&mut self, o: Self) {
        self.0 += o.0;
    }
}
impl Sub for Duration {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0 - o.0)
    }
}
impl SubAssign for Duration {
    fn sub_assign(&mut self, o: Self) {
        self.0 -= o.0;
    }
}
impl Mul<u64> for Duration {
    type Output = Self;
    fn mul(self, k: u64) -> Self {
        Self(self.0 * k)
    }
}
impl Div<u64> for Duration {
    type Output = Self;
    fn div(self, k: u64) -> Self {
        Self(self.0 / k)
    }
}
impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, d: Duration) -> Self {
        Self(self.0 + d.0)
    }
}
impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, d: Duration) {
        self.0 += d.0;
    }
}
impl Sub<Duration> for Instant {
    type Output = Self;
    fn sub(self, d: Duration) -> Self {
        Self(self.0 - d.0)
    }
}
impl Sub for Instant {
    type Output = Duration;
    /// # Panics
    /// In debug builds, where `o` is later than `self`: time running backwards is a bug, not a value.
    fn sub(self, o: Self) -> Duration {
        Duration(self.0 - o.0)
    }
}

impl fmt::Display for Duration {
    /// The shortest exact form in the largest unit that keeps the number whole: `5 ms`, `1500 us`, `7 ns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, unit) = match self.0 {
            0 => (0, "s"),
            n if n % 1_000_000_000 == 0 => (n / 1_000_000_000, "s"),
            n if n % 1_000_000 == 0 => (n / 1_000_000, "ms"),
            n if n % 1_000 == 0 => (n / 1_000, "us"),
            n => (n, "ns"),
        };
        write!(f, "{n} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_shows_the_largest_unit_that_keeps_it_whole() {
        let shown = [0, 7, 1_500, 5_000_000, 1_500_000_000, 60_000_000_000].map(|n| Duration(n).to_string());
        assert_eq!(shown, ["0 s", "7 ns", "1500 ns", "5 ms", "1500 ms", "60 s"]);
    }

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Duration::from_secs_f64(0.1).as_nanos(), 100_000_000);
        assert_eq!(Duration::from_secs_f64(1e-9 * 2.6).as_nanos(), 3);
        assert_eq!(Duration::from_secs_f64(-1.0), Duration::ZERO);
        assert_eq!(Duration::from_secs_f64(f64::NAN), Duration::ZERO);
    }

    #[test]
    #[should_panic(expected = "overflow")]
    fn time_running_backwards_is_a_bug() {
        let _ = Instant::ZERO - Instant::from_nanos(1);
    }
}

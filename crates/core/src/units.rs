//! Sizes, rates and probabilities. Operators change units, so a mixed-up formula does not compile.

use crate::time::Duration;
use core::fmt;
use core::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A rate in whole bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// A probability, always within 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Probability(f64);

/// A queue limit, in packets or in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most this many packets wait.
    Packets(u64),
    /// At most this many bytes wait.
    Bytes(Bytes),
}

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);
    /// The count as a plain number.
    pub const fn get(self) -> u64 {
        self.0
    }
    /// The count as a float, for laws.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
    /// `self - other`, or zero where `other` is larger.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Rate {
    /// A rate of `bps` bits per second.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }
    /// A rate of `mbit` times 10^6 bits per second.
    pub const fn from_mbit(mbit: u64) -> Self {
        Self(mbit * 1_000_000)
    }
    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }
    /// Bytes per second, as a float for laws.
    pub fn bytes_per_sec(self) -> f64 {
        self.0 as f64 / 8.0
    }
    /// Time to send `size` at this rate, rounded down to a nanosecond. A link must not sum these up:
    /// it carries the remainder of the division (see the fabric's links).
    ///
    /// # Panics
    /// When the rate is zero.
    pub const fn time_to_send(self, size: Bytes) -> Duration {
        Duration::from_nanos((size.0 as u128 * 8_000_000_000 / self.0 as u128) as u64)
    }
    /// Bytes sent in `d`, rounded down: the bandwidth-delay product when `d` is a round trip.
    pub const fn bytes_in(self, d: Duration) -> Bytes {
        Bytes((self.0 as u128 * d.as_nanos() as u128 / 8_000_000_000) as u64)
    }
}

impl Probability {
    /// Never.
    pub const ZERO: Self = Self(0.0);
    /// Always.
    pub const ONE: Self = Self(1.0);

    /// `p`, or `None` outside 0..=1.
    pub fn new(p: f64) -> Option<Self> {
        (0.0..=1.0).contains(&p).then_some(Self(p))
    }
    /// `p` forced into 0..=1; NaN becomes 0. For laws whose formula may overshoot.
    pub fn clamped(p: f64) -> Self {
        Self(if p > 0.0 { p.min(1.0) } else { 0.0 })
    }
    /// The plain number.
    pub const fn get(self) -> f64 {
        self.0
    }
    /// Whether something is drawn: neither never nor always.
    pub const fn is_random(self) -> bool {
        0.0 < self.0 && self.0 < 1.0
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0)
    }
}
impl AddAssign for Bytes {
    fn add_assign(&mut self, o: Self) {
        self.0 += o.0;
    }
}
impl Sub for Bytes {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0 - o.0)
    }
}
impl SubAssign for Bytes {
    fn sub_assign(&mut self, o: Self) {
        self.0 -= o.0;
    }
}
impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, k: u64) -> Self {
        Self(self.0 * k)
    }
}

/// Writes `n` with the largest of `units` (factor, name; largest first) that keeps it whole.
fn whole(f: &mut fmt::Formatter<'_>, n: u64, units: &[(u64, &str)]) -> fmt::Result {
    let (k, unit) =
        units.iter().find(|(k, _)| n != 0 && n.is_multiple_of(*k)).unwrap_or(&units[units.len() - 1]);
    write!(f, "{} {unit}", n / k)
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        whole(f, self.0, &[(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"), (1, "B")])
    }
}
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "Gbit/s"), (1_000_000, "Mbit/s"), (1_000, "kbit/s"), (1, "bit/s")];
        whole(f, self.0, &units)
    }
}
impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(1) => write!(f, "1 packet"),
            Self::Packets(n) => write!(f, "{n} packets"),
            Self::Bytes(b) => b.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sending_time_and_bdp_are_inverse_for_whole_results() {
        // RFC 6349 style check: 45 Mbit/s for 24 ms is 135 000 bytes.
        let (rate, d) = (Rate::from_mbit(45), Duration::from_millis(24));
        assert_eq!(rate.bytes_in(d), Bytes(135_000));
        assert_eq!(rate.time_to_send(Bytes(135_000)), d);
    }

    #[test]
    fn probabilities_stay_in_range() {
        assert_eq!(Probability::new(1.1), None);
        assert_eq!(Probability::new(f64::NAN), None);
        assert_eq!(Probability::clamped(7.0), Probability::ONE);
        assert_eq!(Probability::clamped(f64::NAN), Probability::ZERO);
    }
}

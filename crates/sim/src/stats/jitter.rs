//! Jitter of deliveries: the statistic of RFC 3550 §6.4.1, over deliveries to the application instead of arrivals.
//!
//! A delivery is the result of one arrival: a datagram, or the bytes of a stream that this arrival puts in order. For two
//! consecutive deliveries, received at R and sent at S, D = (R₂ − R₁) − (S₂ − S₁) is the difference of their transit times;
//! jitter is the mean of |D|, which the RFC's J follows with a gain of 1/16. The transit time of a stream's delivery is that of
//! its first byte, which blocked the others, and starts when that byte was first sent. Data held up by a loss or a slow path is
//! therefore late even if its retransmission was fast.

use tailrace_core::Duration;

/// |D| of a delivery with this transit time after one with transit time `before`. `None` for the first delivery, whose
/// `before` is `Duration::MAX`.
#[inline]
pub(crate) fn variation(before: Duration, transit: Duration) -> Option<Duration> {
    (before != Duration::MAX).then(|| transit.max(before) - transit.min(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_the_absolute_difference_of_transit_times() {
        let d = |before, transit| variation(Duration::from_millis(before), Duration::from_millis(transit));
        assert_eq!([d(10, 10), d(10, 45), d(45, 12)], [0, 35, 33].map(|ms| Some(Duration::from_millis(ms))));
        assert_eq!(
            variation(Duration::MAX, Duration::from_millis(10)),
            None,
            "a first delivery has no jitter"
        );
    }
}

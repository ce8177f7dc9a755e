//! The delay of ACKs as Linux adapts it to the pace of segments (`icsk_ack.ato`: `tcp_event_data_recv`, `tcp_send_delayed_ack`).

use crate::tcp::timer::wheel;
use tailrace_core::{Duration, Instant};

/// Most that a delay becomes (`TCP_DELACK_MAX`).
const MOST: Duration = Duration::from_millis(200);

/// Delay and time of the last segment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AtoEstimator {
    /// The delay of the next ACK (`ato`); zero before the first segment.
    delay: Duration,
    /// When the last segment came in order (`lrcvtime`), or the connection stood.
    last: Instant,
}

impl AtoEstimator {
    /// The connection stands (`tcp_finish_connect`, `tcp_create_openreq_child`).
    pub(super) fn start(&mut self, now: Instant, jiffy: Duration) {
        self.last = wheel::tick_before(now, jiffy);
    }

    /// A segment came in order at `now`; delays are at least `least`, and time passes in ticks of `jiffy`. Whether it was the first,
    /// or the pause before it longer than `rto`: the sender, too, is likely to begin (anew).
    pub(super) fn on_data(&mut self, now: Instant, least: Duration, rto: Duration, jiffy: Duration) -> bool {
        let now = wheel::tick_before(now, jiffy);
        let gap = now.saturating_since(core::mem::replace(&mut self.last, now));
        let half = wheel::whole(self.delay / 2, jiffy);
        if self.delay.is_zero() {
            self.delay = least;
            return true;
        } else if gap <= least / 2 {
            self.delay = half + least / 2;
        } else if gap < self.delay {
            self.delay = (half + gap).min(rto).min(MOST);
        } else {
            return gap > rto;
        }
        false
    }

    /// The delay as it is.
    pub(super) const fn delay(self) -> Duration {
        self.delay
    }

    /// Whether `now` is within the delay of the last segment.
    pub(super) fn is_within_delay(self, now: Instant) -> bool {
        self.delay > Duration::ZERO && now.saturating_since(self.last) < self.delay
    }

    /// No segment came before the delay was over: the next one is twice as long, or `least` where the ACK waited for a reply.
    pub(super) fn on_deadline(&mut self, replied: bool, least: Duration, rto: Duration) {
        self.delay = if replied { least } else { (self.delay * 2).min(rto).min(MOST) };
    }

    /// The delay is `least` again.
    pub(super) const fn reset(&mut self, least: Duration) {
        self.delay = least;
    }

    /// The delay, at least `least`, at most a round trip and `most`.
    pub(super) fn bounded(self, least: Duration, most: Duration, round_trip: Duration) -> Duration {
        let most = most.min(MOST);
        let most = if round_trip.is_zero() { most } else { round_trip.max(least).min(most) };
        self.delay.min(most).max(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn the_delay_follows_the_distance_of_segments() {
        let (mut pace, mut now) = (AtoEstimator::default(), Instant::from_secs(1));
        let mut after = |gap: u64| {
            now += MS(gap);
            (pace.on_data(now, MS(40), MS(250), Duration::ZERO), pace.delay)
        };
        assert_eq!(after(0), (true, MS(40)), "the first");
        assert_eq!(after(1), (false, MS(40)));
        // 40 / 2 + 30, and 50 / 2 + 45.
        assert_eq!(after(30), (false, MS(50)));
        assert_eq!(after(45), (false, MS(70)));
        // Longer than the delay says nothing about the pace; longer than a timeout, something about the sender.
        assert_eq!(after(100), (false, MS(70)));
        assert_eq!(after(251), (true, MS(70)));
        assert_eq!(after(20), (false, MS(55)));
    }

    #[test]
    fn the_distance_is_counted_in_ticks() {
        let (mut pace, ms) = (AtoEstimator::default(), MS(1));
        let mut at = |us: u64| {
            pace.on_data(Instant::from_nanos(us * 1000), MS(40), MS(250), ms);
            pace.delay
        };
        at(753_494);
        // Tick 753 to 776: 40 / 2 + 23. To 795 are 19, which is no more than half of 40: 21 + 20.
        assert_eq!(at(776_294), MS(43));
        assert_eq!(at(795_494), MS(41));
        assert_eq!(at(796_694), MS(40));
    }

    #[test]
    fn the_delay_is_a_round_trip_at_most() {
        let pace = |ms| AtoEstimator { delay: MS(ms), ..AtoEstimator::default() };
        assert_eq!(pace(150).bounded(MS(40), MS(199), MS(60)), MS(60));
        assert_eq!(pace(150).bounded(MS(40), MS(199), MS(10)), MS(40));
        assert_eq!(pace(200).bounded(MS(40), MS(199), Duration::ZERO), MS(199));
        assert_eq!(pace(45).bounded(MS(40), MS(199), MS(60)), MS(45));
        assert_eq!(pace(20).bounded(MS(40), MS(199), MS(60)), MS(40));
    }
}

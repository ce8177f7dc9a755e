//! When an ACK that waits for another segment goes out, and when none waits (Linux `tcp_event_data_recv`,
//! `tcp_send_delayed_ack`, `tcp_delack_timer_handler`).

use crate::config::AckDelay;
use crate::tcp::Tcp;
use crate::tcp::linux::timer_wheel;
use tailrace_core::{Duration, Instant};

/// Most that a delay becomes (`TCP_DELACK_MAX`).
const MOST: Duration = Duration::from_millis(200);

/// How segments with data come, where the delay follows that.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Pace {
    /// The delay of the next ACK (`ato`); zero before the first segment.
    delay: Duration,
    /// When the last segment came in order (`lrcvtime`), or the connection stood.
    last: Instant,
}

impl Pace {
    /// The connection stands (`tcp_finish_connect`, `tcp_create_openreq_child`).
    pub(in crate::tcp) fn start(&mut self, now: Instant, jiffy: Duration) {
        self.last = timer_wheel::tick_before(now, jiffy);
    }

    /// A segment came in order at `now`; delays are at least `least`, and time passes in ticks of `jiffy`. Whether it was the first,
    /// or the pause before it longer than `rto`: the sender, too, is likely to begin (anew).
    fn on_data(&mut self, now: Instant, least: Duration, rto: Duration, jiffy: Duration) -> bool {
        let now = timer_wheel::tick_before(now, jiffy);
        let gap = now.saturating_since(core::mem::replace(&mut self.last, now));
        let half = timer_wheel::whole(self.delay / 2, jiffy);
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

    /// When the last segment came, and the delay as it is.
    pub(in crate::tcp) const fn last_and_delay(self) -> (Instant, Duration) {
        (self.last, self.delay)
    }

    /// The delay, at least `least`, at most a round trip and `most`.
    fn bounded(self, least: Duration, most: Duration, round_trip: Duration) -> Duration {
        let most = if round_trip.is_zero() { most } else { round_trip.max(least).min(most) };
        self.delay.min(most).max(least)
    }
}

impl Tcp {
    /// A segment with data came in order.
    #[inline]
    pub(in crate::tcp) fn note_data(&mut self, now: Instant) {
        if self.config.ack_delay == AckDelay::Adaptive {
            self.follow_pace(now);
        }
    }

    #[inline(never)]
    fn follow_pace(&mut self, now: Instant) {
        let (least, rto, jiffy) = (self.config.delayed_ack_timeout, self.rto(), self.config.jiffy);
        let Some(repair) = &mut self.repair else { return };
        if repair.pace.on_data(now, least, rto, jiffy) {
            self.begin_quick_acks(self.config.quick_acks);
        }
    }

    /// Segments are acknowledged at once for a while, whether they are replied to or not (`tcp_enter_quickack_mode`).
    pub(in crate::tcp) fn begin_quick_acks(&mut self, segments: u16) {
        self.acks.begin_quick_acks(segments);
        if let Some(repair) = &mut self.repair {
            repair.push_acks.replies = false;
        }
    }

    /// An ACK is to go out after a while.
    #[inline]
    pub(in crate::tcp) fn delay_ack(&mut self, now: Instant) {
        let least = self.config.delayed_ack_timeout;
        let wait = match &self.repair {
            Some(repair) if self.config.ack_delay == AckDelay::Adaptive => {
                // Before the peer's least timeout is over (`tcp_delack_max`).
                let most = MOST.min(self.config.min_rto.saturating_sub(self.config.jiffy));
                repair.pace.bounded(least, most, self.rtt.smoothed)
            }
            _ => least,
        };
        let at = timer_wheel::expiry(now, wait, self.config.jiffy).at;
        self.acks.wait_until(at);
        if let Some(repair) = &mut self.repair {
            repair.compression.note_timer(at);
        }
    }

    /// The ACK that is due by count waits for the timer of those before it, unless that is about to expire (`tcp_send_delayed_ack`).
    /// Whether it waits.
    pub(crate) fn put_off_ack(&mut self, now: Instant) -> bool {
        let delay = self.repair.as_ref().map_or(self.config.delayed_ack_timeout, |repair| repair.pace.delay);
        self.acks.put_off(now.saturating_add(delay / 4))
    }

    /// The ACK that is due by count waits until the application reads, or for the timer, which runs from now on if it did not.
    pub(in crate::tcp) fn leave_ack_to_reader(&mut self, now: Instant) {
        if self.acks.deadline() == Instant::MAX {
            self.acks.withdraw();
            self.delay_ack(now);
        } else {
            self.put_off_ack(now);
        }
    }

    /// Segments are no longer acknowledged at once. If none has come in order yet, the first that does is none to Linux then.
    #[cold]
    pub(in crate::tcp) fn end_quick_acks(&mut self) {
        let least = self.config.delayed_ack_timeout;
        if let Some(repair) = &mut self.repair {
            repair.pace.delay = least;
        }
    }

    /// No segment came before the delay was over: the next one is longer, unless it was for a reply that did not come.
    pub(in crate::tcp) fn on_ack_deadline(&mut self) {
        let (held, at) = (self.acks.held() > 0, self.acks.deadline());
        self.acks.on_deadline();
        if held {
            if let Some(repair) = &mut self.repair {
                repair.compression.on_deadline(at);
            }
            return;
        }
        let rto = self.rto();
        let least = self.config.delayed_ack_timeout;
        if let (AckDelay::Adaptive, Some(repair)) = (self.config.ack_delay, &mut self.repair) {
            let replied = core::mem::take(&mut repair.push_acks.replies);
            repair.pace.delay = if replied { least } else { (repair.pace.delay * 2).min(rto).min(MOST) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn the_delay_follows_the_distance_of_segments() {
        let (mut pace, mut now) = (Pace::default(), Instant::from_secs(1));
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
        let (mut pace, ms) = (Pace::default(), MS(1));
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
        let pace = |ms| Pace { delay: MS(ms), ..Pace::default() };
        assert_eq!(pace(150).bounded(MS(40), MS(199), MS(60)), MS(60));
        assert_eq!(pace(150).bounded(MS(40), MS(199), MS(10)), MS(40));
        assert_eq!(pace(200).bounded(MS(40), MS(199), Duration::ZERO), MS(199));
        assert_eq!(pace(45).bounded(MS(40), MS(199), MS(60)), MS(45));
        assert_eq!(pace(20).bounded(MS(40), MS(199), MS(60)), MS(40));
    }
}

//! Timers that expire with the ticks of a clock, as those of Linux's timer wheel do (`kernel/time/timer.c`).
//!
//! A wait becomes whole ticks, rounded up. The wheel has levels, each eight times as coarse as the one before: a timer of 63
//! ticks or more expires with an eighth tick, one of 504 or more with a 64th, and so on. Expiry is rounded up there once
//! more, to the next border even where it lies on one, so that no timer is early.
//!
//! Where the borders of coarse levels lie depends on when a host was switched on: its ticks count from 300 s before they overflow
//! (`INITIAL_JIFFIES`). Here all have been up for 3 s when a run begins, as kernels that are hosts have.

use tailrace_core::{Duration, Instant};

/// Bits by which each level is coarser than the one before.
const STEP: u32 = 3;
/// Ticks from which a wait leaves the finest level.
const FINE: u64 = 63;
/// The coarsest level.
const MOST: u32 = 8;
/// Uptime of a host at the start of a run; jiffies count from so long before they overflow.
const UPTIME: Duration = Duration::from_secs(3);
const BEFORE_OVERFLOW: Duration = Duration::from_secs(300);

/// The usual tick (`CONFIG_HZ=1000`), which is known here so that divisions by it are quick.
const USUAL: u64 = Duration::from_millis(1).as_nanos();

/// When a timer expires, and how many ticks later that is than it would be on a wheel of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TimerExpiry {
    pub(crate) at: Instant,
    pub(crate) late: u16,
}

impl TimerExpiry {
    pub(crate) const NEVER: Self = Self::exactly(Instant::MAX);

    /// Expiry at an exact time, without ticks.
    pub(crate) const fn exactly(at: Instant) -> Self {
        Self { at, late: 0 }
    }

    /// Expiry on a wheel of one level, as a kernel notes it (`icsk_timeout`).
    pub(crate) fn noted(self, jiffy: Duration) -> Instant {
        Instant::from_nanos(self.at.as_nanos().saturating_sub(jiffy.as_nanos() * u64::from(self.late)))
    }
}

/// When a timer that is set at `now` for `wait` expires; at once where `jiffy` is zero.
#[inline]
pub(crate) fn expiry(now: Instant, wait: Duration, jiffy: Duration) -> TimerExpiry {
    match jiffy.as_nanos() {
        0 => TimerExpiry::exactly(now.saturating_add(wait)),
        USUAL => on_usual_wheel(now, wait),
        tick => on_wheel(now, wait, tick),
    }
}

#[inline(never)]
fn on_usual_wheel(now: Instant, wait: Duration) -> TimerExpiry {
    on_wheel(now, wait, USUAL)
}

#[inline(always)]
fn on_wheel(now: Instant, wait: Duration, tick: u64) -> TimerExpiry {
    let ticks = wait.as_nanos().div_ceil(tick);
    let first = (1 << 32) + UPTIME.as_nanos() / tick - (BEFORE_OVERFLOW.as_nanos() / tick).min(1 << 32);
    let level = (0..MOST).find(|level| ticks < FINE << (STEP * level)).unwrap_or(MOST);
    let shift = STEP * level;
    let noted = (first + now.as_nanos() / tick).saturating_add(ticks);
    let border = ((noted >> shift) + 1) << shift;
    let late = u16::try_from(border - noted).unwrap_or(u16::MAX);
    TimerExpiry { at: Instant::from_nanos((border - first).saturating_mul(tick)), late }
}

/// The last tick of the clock at `now`; `now` itself where `jiffy` is zero.
pub(crate) fn tick_before(now: Instant, jiffy: Duration) -> Instant {
    Instant::from_nanos(whole(Duration::from_nanos(now.as_nanos()), jiffy).as_nanos())
}

/// The whole ticks of a time; all of it where `jiffy` is zero.
pub(in crate::tcp) fn whole(time: Duration, jiffy: Duration) -> Duration {
    match jiffy.as_nanos() {
        0 => time,
        USUAL => Duration::from_nanos(time.as_nanos() / USUAL * USUAL),
        tick => Duration::from_nanos(time.as_nanos() / tick * tick),
    }
}

/// A time in whole ticks, of which the last one need not be full; the time itself where `jiffy` is zero.
pub(in crate::tcp) fn rounded_up(time: Duration, jiffy: Duration) -> Duration {
    match jiffy.as_nanos() {
        0 => time,
        tick => Duration::from_nanos(time.as_nanos().next_multiple_of(tick)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expires(now_us: u64, wait_us: u64) -> u64 {
        let (now, wait) = (Instant::from_nanos(now_us * 1000), Duration::from_micros(wait_us));
        expiry(now, wait, Duration::from_millis(1)).at.as_nanos() / 1000
    }

    #[test]
    fn timers_expire_with_a_tick_of_their_level() {
        // 40 ms from 100.2 ms: ticks 100 + 40, and the next.
        assert_eq!(expires(100_200, 40_000), 141_000);
        assert_eq!(expires(100_200, 39_001), 141_000);
        // From 63 ticks on with an eighth tick: 100 + 200 lies in 296..304.
        assert_eq!(expires(100_200, 200_000), 304_000);
        assert_eq!(expires(104_000, 200_000), 312_000, "on a border the next one counts");
        // From 504 on with a 64th: 100 + 1000 are 1124 ticks from a border on (3000 - 300,000 and 4641 times 64), in 1088..1152.
        assert_eq!(expires(100_200, 1_000_000), 1_128_000);
        // A timeout of 342 ms that is doubled, at 1.768 s: as a kernel 6.12 had it.
        assert_eq!(expires(1_768_000, 684_000), 2_472_000);
    }

    #[test]
    fn no_timer_is_early_and_none_late_by_more_than_an_eighth_and_a_tick() {
        for now in [0, 1, 999, 63_250, 1_000_000] {
            for wait in [0, 1, 500, 1_000, 62_000, 63_000, 250_000, 504_000, 4_032_000, 60_000_000] {
                let passed = expires(now, wait) - now;
                assert!(passed >= wait && passed <= wait + wait / 7 + 2_000, "{now} {wait} {passed}");
            }
        }
    }

    #[test]
    fn noted_expiry_is_finer_than_the_timer_wheel() {
        let noted = |now_us: u64, wait_ms: u64| {
            let (now, wait) = (Instant::from_nanos(now_us * 1000), Duration::from_millis(wait_ms));
            let jiffy = Duration::from_millis(1);
            expiry(now, wait, jiffy).noted(jiffy).as_nanos() / 1_000_000
        };
        // They expire at 140, 304 and 1128 ms.
        assert_eq!(
            [(100_200, 39), (100_200, 200), (100_200, 1000)].map(|(now, wait)| noted(now, wait)),
            [139, 300, 1100]
        );
    }

    #[test]
    fn without_ticks_time_is_exact() {
        let TimerExpiry { at, late } =
            expiry(Instant::from_millis(3), Duration::from_micros(7), Duration::ZERO);
        assert_eq!((at.as_nanos(), late), (3_007_000, 0));
        assert_eq!(tick_before(at, Duration::ZERO), at);
    }

    #[test]
    fn time_passes_in_ticks() {
        let tick = Duration::from_millis(1);
        assert_eq!(tick_before(Instant::from_nanos(3_999_999), tick), Instant::from_millis(3));
        assert_eq!(whole(Duration::from_micros(21_500), tick), Duration::from_millis(21));
        let up = |us, tick| rounded_up(Duration::from_micros(us), tick).as_micros();
        assert_eq!(
            (up(21_001, tick), up(21_000, tick), up(21_001, Duration::ZERO)),
            (22_000, 21_000, 21_001)
        );
    }
}

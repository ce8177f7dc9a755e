//! CUBIC's growth as Linux computes it (`net/ipv4/tcp_cubic.c` of 6.1, `bictcp_update`).
//!
//! The window is a whole number of segments and grows by one for every `per` segments acknowledged; `per` follows from
//! how far the cubic, one least round trip ahead, lies above the window, and is looked at again when the window has
//! changed or 1/32 s has passed, but once a tick at most. The friendly window gains one segment for every 15/8 windows acknowledged,
//! always. Time is counted in ticks of a millisecond (`CONFIG_HZ=1000`), and turned into parts of 1024 a second. Departure: the cube root
//! is exact where Linux's is a few thousandths off.

use super::super::AckSample;
use super::hystart::{Hystart, Signs};
use tailrace_core::{Duration, Instant, math};

/// C is so many of 1024 parts: `bic_scale` of 41, ten times.
const C: u64 = 410;
/// Parts of a second that time is counted in, as a power of two, and what the cube of such a part makes of C (`BICTCP_HZ`).
const PART: u32 = 10;
const CUBE: u32 = 10 + 3 * PART;
const TICK: Duration = Duration::from_millis(1);
const TICKS: u64 = 1000;
/// Segments acknowledged, in windows, for each that the friendly window gains: 8 (1 + beta) / (3 (1 - beta)), truncated,
/// over 8.
const FRIENDLY: f64 = 15.0 / 8.0;
const UPDATE: u64 = TICKS / 32;
/// `per` while no loss has told the path's capacity: 5 % a round trip at least.
const FIRST: f64 = 20.0;

#[derive(Clone, Debug)]
pub(super) struct Growth {
    friendly: bool,
    /// The tick when the epoch began; `None` after a reduction.
    epoch: Option<u64>,
    origin: f64,
    /// When the cubic is back at the origin, in parts of a second.
    k: u64,
    per: f64,
    /// Segments acknowledged towards the next increase.
    credit: f64,
    friendly_window: f64,
    /// Segments acknowledged towards the friendly window's next.
    acked: f64,
    /// The window and the tick of the last look at the cubic.
    seen: (f64, u64),
    /// Least round trip (delay_min); zero before the first.
    least: Duration,
    hystart: Option<Hystart>,
}

impl Growth {
    pub(super) fn new(friendly: bool, hystart: Option<Signs>) -> Self {
        Self {
            friendly,
            epoch: None,
            origin: 0.0,
            k: 0,
            per: 1.0,
            credit: 0.0,
            friendly_window: 0.0,
            acked: 0.0,
            seen: (0.0, 0),
            least: Duration::ZERO,
            hystart: hystart.map(Hystart::new),
        }
    }

    /// The window was reduced; a timeout, where one was the reason, forgets round trips, too.
    pub(super) fn end_epoch(&mut self, timeout: Option<Instant>) {
        self.epoch = None;
        self.credit = 0.0;
        if let Some(at) = timeout {
            self.least = Duration::ZERO;
            if let Some(hystart) = &mut self.hystart {
                hystart.restart(at);
            }
        }
    }

    /// Nothing was in flight, and data leaves `now` for the first time since `last`: that is no part of the epoch
    /// (`cubictcp_cwnd_event`).
    pub(super) fn leave_out(&mut self, last: Instant, now: Instant) {
        self.epoch = self.epoch.map(|epoch| (epoch + tick(now) - tick(last)).min(tick(now)));
    }

    /// Records a round trip, unless it ends within a second after a reduction (`cubictcp_acked`). Whether it counts.
    pub(super) fn note_round_trip(&mut self, ack: &AckSample) -> bool {
        if let Some(hystart) = &mut self.hystart {
            hystart.note_advance(ack);
        }
        let young = self.epoch.is_some_and(|epoch| tick(ack.now) - epoch < TICKS);
        let Some(rtt) = ack.rtt.filter(|_| !young) else { return false };
        self.least = if self.least.is_zero() { rtt } else { self.least.min(rtt) };
        true
    }

    /// Whether HyStart, where it is on, ends slow start at this ACK; the window is `cwnd` segments of `bytes` in sum.
    pub(super) fn ends_slow_start(&mut self, ack: &AckSample, cwnd: f64, bytes: f64) -> bool {
        let least = self.least;
        self.hystart.as_mut().is_some_and(|hystart| hystart.ends_slow_start(ack, (cwnd, bytes), least))
    }

    /// The window after an ACK of so many segments; `w_max` is zero where no loss has told it.
    pub(super) fn grow(&mut self, cwnd: f64, w_max: f64, segments: f64, ack: &AckSample) -> f64 {
        let mut cwnd = cwnd.floor().max(1.0);
        self.update(cwnd, w_max, segments, ack);
        if self.credit >= self.per {
            self.credit = 0.0;
            cwnd += 1.0;
        }
        self.credit += segments;
        let gained = (self.credit / self.per).floor();
        self.credit -= gained * self.per;
        cwnd + gained
    }

    fn update(&mut self, cwnd: f64, w_max: f64, segments: f64, ack: &AckSample) {
        self.acked += segments;
        let now = tick(ack.now);
        let (seen, at) = self.seen;
        if self.epoch.is_some() && seen == cwnd && now - at <= UPDATE {
            return;
        }
        if self.epoch.is_none() || now != at {
            self.seen = (cwnd, now);
            self.look_at_cubic(cwnd, w_max, segments, now);
        }
        if self.friendly {
            self.be_friendly(cwnd);
        }
        self.per = self.per.max(2.0);
    }

    fn look_at_cubic(&mut self, cwnd: f64, w_max: f64, segments: f64, now: u64) {
        let epoch = *self.epoch.get_or_insert_with(|| {
            self.acked = segments;
            self.friendly_window = cwnd;
            self.origin = w_max.floor().max(cwnd);
            self.k = math::cbrt(((1 << CUBE) / C) as f64 * (self.origin - cwnd)) as u64;
            now
        });
        let least = self.least.as_nanos().div_ceil(TICK.as_nanos());
        let time = ((now - epoch + least) << PART) / TICKS;
        let delta = ((u128::from(C) * u128::from(time.abs_diff(self.k)).pow(3)) >> CUBE) as f64;
        let target = if time < self.k { self.origin - delta } else { self.origin + delta };
        self.per = if target > cwnd { (cwnd / (target - cwnd)).floor() } else { 100.0 * cwnd };
        if w_max == 0.0 {
            self.per = self.per.min(FIRST);
        }
    }

    fn be_friendly(&mut self, cwnd: f64) {
        let step = (cwnd * FRIENDLY).floor();
        while self.acked > step {
            self.acked -= step;
            self.friendly_window += 1.0;
        }
        if self.friendly_window > cwnd {
            self.per = self.per.min((cwnd / (self.friendly_window - cwnd)).floor());
        }
    }
}

/// The tick of the clock at `now`.
const fn tick(now: Instant) -> u64 {
    now.as_nanos() / TICK.as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Bytes;

    /// An ACK of one segment at so many microseconds.
    fn ack(us: u64) -> AckSample {
        let rtt = Duration::from_millis(100);
        AckSample {
            now: Instant::from_nanos(us * 1000),
            acked: Bytes(1000),
            advance: Bytes(1000),
            in_flight: Bytes(0),
            outstanding: Bytes(0),
            rtt: Some(rtt),
            smoothed_rtt: rtt,
            min_rtt: rtt,
            cwnd_limited: true,
            after_timeout: false,
        }
    }

    /// Acknowledges `rounds` windows, one segment at a time, evenly over round trips of 100 ms; the windows after each.
    fn rounds(g: &mut Growth, mut cwnd: f64, w_max: f64, rounds: u32) -> Vec<u32> {
        let mut now = 0.0;
        let mut seen = Vec::new();
        for _ in 0..rounds {
            let n = cwnd as u32;
            for _ in 0..n {
                now += 100_000.0 / f64::from(n);
                let ack = ack(now as u64);
                g.note_round_trip(&ack);
                cwnd = g.grow(cwnd, w_max, 1.0, &ack);
            }
            seen.push(cwnd as u32);
        }
        seen
    }

    #[test]
    fn a_small_window_grows_by_about_half_a_segment_a_round_trip_and_goes_on_so() {
        // From 7 of 10: the friendly window gains 8/15 a round trip, 16 in 30; the cubic is still below (at 3 s it is
        // 0.4 (3.1 - 1.96)^3 = 0.6 above 10). RFC 9438 would grow by one a round trip beyond 10.
        let windows = rounds(&mut Growth::new(true, None), 7.0, 10.0, 30);
        assert!(windows.windows(2).all(|w| w[1] >= w[0] && w[1] - w[0] <= 1), "{windows:?}");
        let last = windows[29];
        assert!((20..=23).contains(&last), "7 + 16, and behind by what one whole segment waits: {windows:?}");
    }

    #[test]
    fn a_large_window_follows_the_cubic() {
        // W_max 200 from 140: K = cbrt(60 / 0.4004) = 5.31 s. One least round trip ahead of 4 s the target is
        // 200 - 0.4004 * 1.21^3 = 199.3; the window gets there within about a round trip.
        let windows = rounds(&mut Growth::new(false, None), 140.0, 200.0, 80);
        assert!((196..=200).contains(&windows[39]), "{windows:?}");
        // At 8 s: 200 + 0.4004 * 2.79^3 = 208.7 ahead.
        assert!((205..=209).contains(&windows[79]), "{windows:?}");
    }

    #[test]
    fn the_cubic_is_looked_at_once_a_tick() {
        let mut g = Growth::new(false, None);
        g.epoch = Some(1000);
        // W_max 200 from 140: K = 5.311 s, 5438 parts. At tick 3000 the target is 200 - 410 * 3390^3 / 2^40, which is 186: 140 / 46.
        (g.origin, g.k, g.seen) = (200.0, 5438, (139.0, 2999));
        g.update(140.0, 200.0, 1.0, &ack(3_000_100));
        assert_eq!((g.per, g.seen), (3.0, (140.0, 3000)));
        g.update(150.0, 200.0, 1.0, &ack(3_000_900));
        assert_eq!((g.per, g.seen), (3.0, (140.0, 3000)), "in the same tick");
        g.update(150.0, 200.0, 1.0, &ack(3_001_000));
        assert_eq!((g.per, g.seen), (4.0, (150.0, 3001)));
        g.update(150.0, 200.0, 1.0, &ack(3_032_999));
        assert_eq!(g.seen, (150.0, 3001), "31 ticks later, and the window is the same");
        g.update(150.0, 200.0, 1.0, &ack(3_033_000));
        assert_eq!(g.seen, (150.0, 3033));
    }

    #[test]
    fn before_the_first_loss_the_window_gains_at_least_a_twentieth() {
        let windows = rounds(&mut Growth::new(true, None), 100.0, 0.0, 1);
        assert_eq!(windows, [105]);
    }
}

//! CUBIC's growth as Linux computes it (`net/ipv4/tcp_cubic.c` of 6.1, `bictcp_update`).
//!
//! The window is a whole number of segments and grows by one for every `per` segments acknowledged; `per` follows from
//! how far the cubic, one least round trip ahead, lies above the window, and is looked at again when the window has
//! changed or 1/32 s has passed. The friendly window gains one segment for every 15/8 windows acknowledged, always.
//! Departure: time is exact where Linux counts in jiffies.

use super::super::AckSample;
use super::hystart::Hystart;
use tailrace_core::{Duration, Instant, math};

/// 41/1024 of `bic_scale`, per cube of a tenth of a second.
const C: f64 = 410.0 / 1024.0;
/// Segments acknowledged, in windows, for each that the friendly window gains: 8 (1 + beta) / (3 (1 - beta)), truncated,
/// over 8.
const FRIENDLY: f64 = 15.0 / 8.0;
const UPDATE: Duration = Duration::from_nanos(1_000_000_000 / 32);
/// `per` while no loss has told the path's capacity: 5 % a round trip at least.
const FIRST: f64 = 20.0;

#[derive(Clone, Debug)]
pub(super) struct Growth {
    friendly: bool,
    /// When the epoch began; `None` after a reduction.
    epoch: Option<Instant>,
    origin: f64,
    k: f64,
    per: f64,
    /// Segments acknowledged towards the next increase.
    credit: f64,
    friendly_window: f64,
    /// Segments acknowledged towards the friendly window's next.
    acked: f64,
    /// The window and the time of the last look at the cubic.
    seen: (f64, Instant),
    /// Least round trip (delay_min); zero before the first.
    least: Duration,
    hystart: Option<Hystart>,
}

impl Growth {
    pub(super) fn new(friendly: bool, hystart: bool) -> Self {
        Self {
            friendly,
            epoch: None,
            origin: 0.0,
            k: 0.0,
            per: 1.0,
            credit: 0.0,
            friendly_window: 0.0,
            acked: 0.0,
            seen: (0.0, Instant::ZERO),
            least: Duration::ZERO,
            hystart: hystart.then(Hystart::new),
        }
    }

    /// The window was reduced; a timeout, where one was the reason, forgets round trips, too.
    pub(super) fn end_epoch(&mut self, timeout: Option<Instant>) {
        self.epoch = None;
        self.credit = 0.0;
        if let Some(at) = timeout {
            self.least = Duration::ZERO;
            self.hystart = self.hystart.as_ref().map(|_| Hystart::after_timeout(at));
        }
    }

    /// Those of the first second after a reduction do not count (`cubictcp_acked`).
    pub(super) fn note_round_trip(&mut self, ack: &AckSample) {
        let young = self.epoch.is_some_and(|epoch| ack.now.saturating_since(epoch) < Duration::from_secs(1));
        if let Some(rtt) = ack.rtt.filter(|_| !young) {
            self.least = if self.least.is_zero() { rtt } else { self.least.min(rtt) };
        }
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
        let (seen, at) = self.seen;
        if self.epoch.is_some() && seen == cwnd && ack.now.saturating_since(at) <= UPDATE {
            return;
        }
        self.seen = (cwnd, ack.now);
        let epoch = *self.epoch.get_or_insert_with(|| {
            self.acked = segments;
            self.friendly_window = cwnd;
            self.origin = w_max.floor().max(cwnd);
            self.k = math::cbrt((self.origin - cwnd) / C);
            ack.now
        });
        let x = (ack.now.saturating_since(epoch) + self.least).as_secs_f64() - self.k;
        let delta = (C * (x * x * x).abs()).floor();
        let target = if x < 0.0 { self.origin - delta } else { self.origin + delta };
        self.per = if target > cwnd { (cwnd / (target - cwnd)).floor() } else { 100.0 * cwnd };
        if w_max == 0.0 {
            self.per = self.per.min(FIRST);
        }
        if self.friendly {
            self.be_friendly(cwnd);
        }
        self.per = self.per.max(2.0);
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

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Bytes;

    /// Acknowledges `rounds` windows, one segment at a time, evenly over round trips of 100 ms; the windows after each.
    fn rounds(g: &mut Growth, mut cwnd: f64, w_max: f64, rounds: u32) -> Vec<u32> {
        let rtt = Duration::from_millis(100);
        let mut now = 0.0;
        let mut seen = Vec::new();
        for _ in 0..rounds {
            let n = cwnd as u32;
            for _ in 0..n {
                now += 0.1 / f64::from(n);
                let ack = AckSample {
                    now: Instant::ZERO + Duration::from_secs(1).mul_f64(now),
                    acked: Bytes(1000),
                    in_flight: Bytes(0),
                    outstanding: Bytes(0),
                    rtt: Some(rtt),
                    smoothed_rtt: rtt,
                    min_rtt: rtt,
                    cwnd_limited: true,
                    after_timeout: false,
                };
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
        let windows = rounds(&mut Growth::new(true, false), 7.0, 10.0, 30);
        assert!(windows.windows(2).all(|w| w[1] >= w[0] && w[1] - w[0] <= 1), "{windows:?}");
        let last = windows[29];
        assert!((20..=23).contains(&last), "7 + 16, and behind by what one whole segment waits: {windows:?}");
    }

    #[test]
    fn a_large_window_follows_the_cubic() {
        // W_max 200 from 140: K = cbrt(60 / 0.4004) = 5.31 s. One least round trip ahead of 4 s the target is
        // 200 - 0.4004 * 1.21^3 = 199.3; the window gets there within about a round trip.
        let windows = rounds(&mut Growth::new(false, false), 140.0, 200.0, 80);
        assert!((196..=200).contains(&windows[39]), "{windows:?}");
        // At 8 s: 200 + 0.4004 * 2.79^3 = 208.7 ahead.
        assert!((205..=209).contains(&windows[79]), "{windows:?}");
    }

    #[test]
    fn before_the_first_loss_the_window_gains_at_least_a_twentieth() {
        let windows = rounds(&mut Growth::new(true, false), 100.0, 0.0, 1);
        assert_eq!(windows, [105]);
    }
}

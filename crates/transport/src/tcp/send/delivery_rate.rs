//! Delivery rates (draft-cheng-iccrg-delivery-rate-estimation-02), for congestion controls that ask for them.
//!
//! With each segment goes what had been delivered when it was sent; its ACK tells what was delivered since, over the
//! longer of the times it took to send that and to have it acknowledged, as either may be compressed. Samples from
//! times when the application was the limit are flagged.

use crate::cc::{FlowSample, RateSample};
use tailrace_core::{Duration, Instant, Ring};

/// State when a segment was sent (§3.1.2, P.*).
#[derive(Clone, Copy, Debug)]
struct SendState {
    delivered: u64,
    delivered_at: Instant,
    first_sent_at: Instant,
    in_flight: u64,
    lost: u64,
    app_limited: bool,
    /// Not for the first time: its ACK gives no round trip (Karn).
    again: bool,
}

/// The newest segment that the present ACK delivered (§3.1.3, rs.*).
#[derive(Clone, Copy, Debug)]
struct NewestDelivery {
    sent: SendState,
    sent_at: Instant,
}

/// The connection's state (§3.1.1, C.*), and of each segment in flight, in the scoreboard's order.
#[derive(Clone, Debug)]
pub(crate) struct DeliveryRates {
    sent: Ring<SendState>,
    delivered: u64,
    delivered_at: Instant,
    first_sent_at: Instant,
    pub(crate) lost: u64,
    /// Samples are flagged until so much is delivered; zero is none.
    app_limited: u64,
    /// Least round trip of a newest segment.
    min_rtt: Duration,
    /// The ACK that is being dealt with: when it came, and how things stood before.
    now: Instant,
    delivered_before: u64,
    lost_before: u64,
    newest: Option<NewestDelivery>,
}

impl Default for DeliveryRates {
    fn default() -> Self {
        let zero = Instant::ZERO;
        Self {
            sent: Ring::new(),
            delivered: 0,
            delivered_at: zero,
            first_sent_at: zero,
            lost: 0,
            app_limited: 0,
            min_rtt: Duration::MAX,
            now: zero,
            delivered_before: 0,
            lost_before: 0,
            newest: None,
        }
    }
}

impl DeliveryRates {
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.sent.len()
    }

    /// §3.2: a segment is sent, `first` with nothing else in flight.
    pub(crate) fn on_sent(&mut self, first: bool, in_flight: u64, now: Instant) {
        if first {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        self.sent.push_back(self.present(in_flight));
    }

    /// Segment `i` is sent again.
    pub(crate) fn on_resent(&mut self, i: usize, in_flight: u64) {
        self.sent[i] = SendState { again: true, ..self.present(in_flight) };
    }

    fn present(&self, in_flight: u64) -> SendState {
        SendState {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            in_flight,
            lost: self.lost,
            app_limited: self.app_limited != 0,
            again: false,
        }
    }

    /// An ACK has come.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.now = now;
        self.newest = None;
        self.delivered_before = self.delivered;
    }

    /// `len` bytes of the first segment (maybe none) are acknowledged cumulatively, `new`ly where they had not been
    /// SACKed; `whole`: up to its end.
    pub(crate) fn on_acked(&mut self, new: bool, whole: bool, len: u64, sent_at: Instant) {
        if new && len > 0 {
            self.on_delivered(0, len, sent_at);
        }
        if whole {
            self.sent.pop_front();
        }
    }

    /// §3.3, UpdateRateSample: `len` bytes of segment `i` are delivered.
    pub(crate) fn on_delivered(&mut self, i: usize, len: u64, sent_at: Instant) {
        let sent = self.sent[i];
        self.delivered += len;
        self.delivered_at = self.now;
        let age = (sent.delivered, sent_at);
        if self.newest.is_none_or(|n| age >= (n.sent.delivered, n.sent_at)) {
            self.newest = Some(NewestDelivery { sent, sent_at });
            self.first_sent_at = sent_at;
        }
    }

    /// §3.4: nothing is left to send though the window would allow it.
    pub(crate) fn limit(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    /// §3.3, GenerateRateSample: the ACK is dealt with. Times shorter than the least round trip belong to segments
    /// sent again whose first copy was not lost. What is delivered counts as `least` bytes at least, as in Linux, which
    /// counts packets: a lone FIN must not say that the path carries a byte a round trip.
    pub(crate) fn finish(&mut self, least: u64) -> FlowSample {
        if self.app_limited != 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let newest = self.newest.take();
        let rtt = newest.filter(|n| !n.sent.again).map(|n| self.now.saturating_since(n.sent_at));
        self.min_rtt = self.min_rtt.min(rtt.unwrap_or(Duration::MAX));
        let rate = newest.and_then(|n| {
            let sending = n.sent_at.saturating_since(n.sent.first_sent_at);
            let acking = self.now.saturating_since(n.sent.delivered_at);
            let interval = sending.max(acking);
            (interval >= self.min_rtt && !interval.is_zero()).then(|| RateSample {
                bytes_per_sec: (self.delivered - n.sent.delivered).max(least) as f64 / interval.as_secs_f64(),
                prior_delivered: n.sent.delivered,
                app_limited: n.sent.app_limited,
                sent_in_flight: n.sent.in_flight,
                lost: self.lost - n.sent.lost,
            })
        });
        let lost = self.lost - core::mem::replace(&mut self.lost_before, self.lost);
        FlowSample {
            total: self.delivered,
            delivered: self.delivered - self.delivered_before,
            lost,
            rtt,
            rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Instant = Instant::from_millis;

    /// Segments of 1000 bytes sent at these times (ms), the first with nothing in flight.
    fn sent(at: &[u64]) -> DeliveryRates {
        let mut r = DeliveryRates::default();
        for (i, &ms) in at.iter().enumerate() {
            r.on_sent(i == 0, 1000 * (i as u64 + 1), MS(ms));
        }
        r
    }
    fn ack(r: &mut DeliveryRates, sent_at: &[u64], now: u64) -> FlowSample {
        r.begin(MS(now));
        sent_at.iter().for_each(|&ms| r.on_acked(true, true, 1000, MS(ms)));
        r.finish(1000)
    }

    #[test]
    fn rate_is_what_was_delivered_over_the_longer_of_sending_and_acknowledging() {
        // Four segments sent at once and acknowledged 10 ms apart: 1000 B in 100 ms, 2000 in 110, 3000 in 120.
        let mut r = sent(&[0, 0, 0, 0]);
        for (n, ms) in [(1.0, 100), (2.0, 110), (3.0, 120)] {
            let rate = ack(&mut r, &[0], ms).rate.unwrap();
            assert!((rate.bytes_per_sec - n * 1e6 / ms as f64).abs() < 1e-6);
            assert_eq!((rate.prior_delivered, rate.app_limited), (0, false));
        }
        // Sent over 300 ms, acknowledged together 100 ms after the last: the sending took longer than the ACKs.
        let mut r = sent(&[0, 100, 200, 300]);
        ack(&mut r, &[0], 100);
        let rate = ack(&mut r, &[100, 200, 300], 400).rate.unwrap();
        assert!((rate.bytes_per_sec - 4000.0 / 0.4).abs() < 1e-6, "{rate:?}");
    }

    #[test]
    fn a_segment_sent_later_measures_from_what_had_been_delivered_then() {
        let mut r = sent(&[0]);
        ack(&mut r, &[0], 100);
        r.on_sent(true, 1000, MS(150));
        r.on_sent(false, 2000, MS(150));
        let f = ack(&mut r, &[150, 150], 250);
        let rate = f.rate.unwrap();
        assert_eq!((f.total, f.delivered, rate.prior_delivered), (3000, 2000, 1000));
        assert!((rate.bytes_per_sec - 20_000.0).abs() < 1e-6);
    }

    #[test]
    fn a_segment_sent_again_too_early_gives_no_rate() {
        // The first of two segments is acknowledged at 100. The second is sent again at 140, with all else delivered; the ACK
        // of its first copy comes at 150, and 10 ms are no round trip.
        let mut r = sent(&[0, 0]);
        assert_eq!(ack(&mut r, &[0], 100).rtt, Some(Duration::from_millis(100)));
        (r.delivered_at, r.first_sent_at) = (MS(140), MS(140));
        r.on_resent(0, 1000);
        let f = ack(&mut r, &[140], 150);
        assert_eq!((f.rate, f.rtt, f.delivered), (None, None, 1000));
    }

    #[test]
    fn partial_ack_of_a_segment_gives_no_rate_sample() {
        let mut r = sent(&[0, 90]);
        r.begin(MS(100));
        r.on_acked(true, true, 1000, MS(0));
        r.on_acked(true, false, 0, MS(90));
        assert_eq!(r.finish(1000).rtt, Some(Duration::from_millis(100)));
    }

    #[test]
    fn samples_from_an_idle_sender_are_flagged() {
        let mut r = sent(&[0]);
        r.limit(1000);
        r.on_sent(false, 2000, MS(60));
        ack(&mut r, &[0], 100);
        assert!(ack(&mut r, &[60], 160).rate.unwrap().app_limited);
        // The flight at that time is delivered: the flag is gone.
        r.on_sent(true, 1000, MS(200));
        assert!(!ack(&mut r, &[200], 300).rate.unwrap().app_limited);
    }

    #[test]
    fn losses_are_counted_since_the_sending_and_a_resent_segment_starts_anew() {
        let mut r = sent(&[0, 0, 0]);
        r.begin(MS(100));
        r.on_delivered(1, 1000, MS(0));
        r.lost += 1000;
        let f = r.finish(1000);
        assert_eq!((f.lost, f.rate.unwrap().lost), (1000, 1000));
        r.on_resent(0, 2000);
        r.begin(MS(200));
        r.on_acked(true, true, 1000, MS(100));
        let f = r.finish(1000);
        assert_eq!((f.lost, f.rate.unwrap().lost, f.rate.unwrap().prior_delivered), (0, 0, 1000));
    }

    #[test]
    fn a_lone_fin_counts_as_a_segment() {
        let mut r = sent(&[0, 0]);
        r.begin(MS(100));
        r.on_delivered(1, 1, MS(0));
        let rate = r.finish(1000).rate.unwrap();
        assert!((rate.bytes_per_sec - 10_000.0).abs() < 1e-6, "{rate:?}");
    }
}

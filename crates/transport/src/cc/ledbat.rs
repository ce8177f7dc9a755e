//! LEDBAT (RFC 6817): a scavenger that keeps the queueing delay at a target, and gives way to who fills the queue.
//!
//! The one-way delay of the data, less the least of the last minutes, is the queueing delay; the window moves in
//! proportion to its distance from `target`. It comes from TCP timestamps (milliseconds; the clocks' difference
//! cancels out); without them from round trips, where queues on the way back count, too. There is no slow start.
//!
//! Known: beside others of its kind a late-comer takes the standing queue for part of the path; where an active queue
//! management keeps the delay below `target`, it competes as Reno does (Gong et al., 2014). Departure: the retransmission
//! timer is the endpoint's, and sets the window to one segment, as §2.4.2's does.

use super::delegation::plain;
use super::{
    AckSample, Algorithm, CongestionControl, CongestionEvent, Delivery, Needs, PriorWindow, Setup, Signal,
};
use tailrace_core::{Bytes, Duration, Instant, parameters};

/// Slots of the two filters.
const MOST: usize = 16;
/// §3.4.2: what one slot of the base history covers.
const SLOT: Duration = Duration::from_secs(60);

parameters! {
    /// Parameters of LEDBAT. Counts of segments are in MSS.
    pub struct LedbatConfig {
        /// The queueing delay that LEDBAT aims to cause. A larger one delays others more. If it is smaller than the
        /// noise of measured delays, bandwidth is lost.
        target: Duration = Duration::from_millis(100), "RFC 6817 §3.3: at most 100 ms", in "1 us"..="1000 s": "every delay would be above it | no delay would be above it";
        /// By how many segments per round trip the window grows when the queue is empty; it shrinks as fast when the
        /// delay is twice `target`.
        gain: f64 = 1.0, "RFC 6817 §3.4.3: at most 1", in 0.0..=1.0: "it is not negative | RFC 6817 allows no faster growth than Reno's";
        /// The base delay is the smallest of so many last minutes, at most 16. With more, long-lasting queues are
        /// still noticed; with fewer, a change of route is noticed sooner.
        base_history: u64 = 10, "RFC 6817 §3.4.2", in 1..=16: "it needs one at least | so many are kept in memory";
        /// The present delay is the smallest of so many last samples, at most 16. With more, noise matters less; with
        /// fewer, LEDBAT reacts sooner.
        current_filter: u64 = 4, "RFC 6817 §3.4.2: at least 1", in 1..=16: "it needs one at least | so many are kept in memory";
        /// The window at the start and the smallest one except after a timeout, in segments.
        min_cwnd: u64 = 2, "RFC 6817 §2.4.2", in 1..=1048576: "no window is smaller | no window is larger";
        /// By how many segments the window may exceed what is in flight.
        allowed_increase: u64 = 1, "RFC 6817 §2.4.2", in 1..=1048576: "no window is smaller | no window is larger";
    }
}

/// LEDBAT's state. Delays are in seconds, with an unknown offset.
#[derive(Clone, Debug)]
pub struct Ledbat {
    setup: Setup,
    config: LedbatConfig,
    /// Bytes.
    cwnd: f64,
    prior: PriorWindow,
    delays: Box<Delays>,
}

#[derive(Clone, Debug)]
struct Delays {
    base: [f64; MOST],
    /// End of the slot `base[0]`.
    slot_end: Instant,
    current: [f64; MOST],
    next: usize,
}

impl Algorithm for Ledbat {
    type Config = LedbatConfig;
    const SUMMARY: &'static str =
        "For background traffic: holds the queueing delay at a target and gives way to other flows";
    const CITATION: &'static str = "RFC 6817";
    fn build(config: &LedbatConfig, setup: &Setup) -> Self {
        let config = LedbatConfig {
            target: config.target.max(Duration::from_millis(1)),
            gain: config.gain.clamp(0.0, 1.0),
            base_history: config.base_history.clamp(1, MOST as u64),
            current_filter: config.current_filter.clamp(1, MOST as u64),
            min_cwnd: config.min_cwnd.clamp(1, 1 << 20),
            allowed_increase: config.allowed_increase.clamp(1, 1 << 20),
        };
        let cwnd = (config.min_cwnd * setup.mss) as f64;
        let delays =
            Delays { base: [f64::MAX; MOST], slot_end: Instant::ZERO, current: [f64::MAX; MOST], next: 0 };
        Self { setup: *setup, config, cwnd, prior: PriorWindow::default(), delays: Box::new(delays) }
    }
}

impl CongestionControl for Ledbat {
    plain! { on_round_trip, on_resumed, penalise, holds_back, pacing_rate, leaves_recovery_on_partial_ack }

    fn on_established(&mut self, setup: &Setup) {
        self.setup = *setup;
        self.cwnd = self.least();
    }

    /// §2.4.2, on_ack.
    fn on_ack(&mut self, ack: &AckSample) {
        let Some(queueing) = self.queueing_delay() else { return };
        let target = self.config.target.as_secs_f64();
        let mss = self.setup.mss as f64;
        let off_target = (target - queueing) / target;
        self.cwnd += self.config.gain * off_target * ack.acked.as_f64() * mss / self.cwnd;
        let most = ack.in_flight.as_f64() + (self.config.allowed_increase * self.setup.mss) as f64;
        self.cwnd = self.cwnd.min(most).max(self.least());
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.prior = self.prior.before(event.signal, self.cwnd, 0);
        self.cwnd = match event.signal {
            Signal::Loss | Signal::Ecn => self.cwnd.min((self.cwnd / 2.0).max(self.least())),
            Signal::Timeout | Signal::RepeatedTimeout => self.setup.mss as f64,
        };
    }

    fn on_delivery(&mut self, delivery: &Delivery) {
        let sample = match (delivery.one_way_ms, delivery.rtt) {
            (Some(ms), _) => f64::from(ms) / 1e3,
            (None, Some(rtt)) => rtt.as_secs_f64(),
            (None, None) => return,
        };
        self.delays.take(sample, &self.config, delivery.now);
    }

    fn needs(&self) -> Needs {
        Needs { deliveries: true, ..Needs::NOTHING }
    }
    fn on_undo(&mut self) {
        (self.cwnd, _) = self.prior.restore(self.cwnd, 0);
    }
    fn on_idle(&mut self, _idle: Duration, _rto: Duration, floor: Bytes, _decay: Option<u32>) {
        self.cwnd = self.cwnd.min(floor.as_f64().max(self.least()));
    }
    fn on_flight_after_timeout(&mut self, window: Bytes) {
        self.cwnd = window.as_f64();
    }
    fn on_recovered(&mut self, cap: Bytes) {
        self.cwnd = self.cwnd.min(cap.as_f64()).max(self.setup.mss as f64);
    }
    fn cwnd(&self) -> Bytes {
        Bytes(self.cwnd as u64)
    }
    fn ssthresh(&self) -> Option<Bytes> {
        None
    }
}

impl Ledbat {
    fn least(&self) -> f64 {
        (self.config.min_cwnd * self.setup.mss) as f64
    }

    /// §2.4.2: the least of the present delays less the least of the history; none before the first sample.
    fn queueing_delay(&self) -> Option<f64> {
        let least = |of: &[f64]| of.iter().copied().fold(f64::MAX, f64::min);
        let present = least(&self.delays.current);
        (present < f64::MAX).then(|| present - least(&self.delays.base))
    }
}

impl Delays {
    fn take(&mut self, sample: f64, config: &LedbatConfig, now: Instant) {
        self.current[self.next] = sample;
        self.next = (self.next + 1) % config.current_filter as usize;
        if now >= self.slot_end {
            // A minute is over: the oldest goes.
            let kept = config.base_history as usize;
            self.base[..kept].rotate_right(1);
            self.base[0] = sample;
            self.slot_end = now.saturating_add(SLOT);
        } else {
            self.base[0] = self.base[0].min(sample);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TcpConfig;

    fn flow(window: u64, config: LedbatConfig) -> Ledbat {
        let mut l = Ledbat::build(&config, &Setup::new(&TcpConfig::default(), 1000));
        l.cwnd = (window * 1000) as f64;
        l
    }
    fn delay(l: &mut Ledbat, ms: i32, at: u64) {
        l.on_delivery(&Delivery { one_way_ms: Some(ms), ..Delivery::at(Instant::from_secs(at)) });
    }
    fn ack(l: &mut Ledbat, in_flight: u64) -> f64 {
        let before = l.cwnd;
        l.on_ack(&AckSample {
            acked: Bytes(1000),
            in_flight: Bytes(in_flight * 1000),
            ..AckSample::at(Instant::ZERO)
        });
        l.cwnd - before
    }

    #[test]
    fn window_moves_in_proportion_to_the_distance_from_the_target() {
        // RFC 6817 §2.4.2 with TARGET 100 ms and a window of 10: an ACK of one segment with an empty queue adds
        // 1 * 1000 * 1000 / 10000 = 100 bytes, at 40 ms 60, at the target nothing, at 250 ms -150. Clocks may differ.
        for (queueing, gain) in [(0, 100.0), (40, 60.0), (100, 0.0), (250, -150.0)] {
            let mut l = flow(10, LedbatConfig::default());
            delay(&mut l, -5_000, 1);
            (0..4).for_each(|_| delay(&mut l, -5_000 + queueing, 1));
            let moved = ack(&mut l, 10);
            assert!((moved - gain).abs() < 1e-6, "{queueing} ms: {moved}");
        }
    }

    #[test]
    fn the_window_stays_within_the_flight_and_above_the_least() {
        let mut l = flow(10, LedbatConfig::default());
        delay(&mut l, 20, 1);
        ack(&mut l, 6);
        assert_eq!(l.cwnd(), Bytes(7_000));
        (0..4).for_each(|_| delay(&mut l, 20_000, 1));
        ack(&mut l, 6);
        assert_eq!(l.cwnd(), Bytes(2_000));
    }

    #[test]
    fn a_loss_halves_once_and_a_timeout_leaves_one_segment() {
        let mut l = flow(10, LedbatConfig::default());
        let mut event = CongestionEvent { now: Instant::ZERO, signal: Signal::Loss, base: Bytes(10_000) };
        l.on_congestion(&event);
        assert_eq!(l.cwnd(), Bytes(5_000));
        event.signal = Signal::Timeout;
        l.on_congestion(&event);
        assert_eq!(l.cwnd(), Bytes(1_000));
    }

    #[test]
    fn the_base_is_forgotten_after_ten_minutes() {
        let mut l = flow(10, LedbatConfig::default());
        delay(&mut l, 10, 0);
        for minute in 1..=9 {
            delay(&mut l, 50, 60 * minute);
        }
        (0..4).for_each(|_| delay(&mut l, 50, 570));
        assert!((l.queueing_delay().unwrap() - 0.04).abs() < 1e-9);
        (0..4).for_each(|_| delay(&mut l, 50, 601));
        assert!(l.queueing_delay().unwrap().abs() < 1e-9);
    }
}

//! Round-trip time estimate and retransmission timeout (RFC 6298), with the floors and ticks of the profiles.

use crate::config::{RtoFloor, RttVariance, TcpConfig};
use tailrace_core::{Duration, Instant};

/// Largest exponent of the backoff; beyond it every timeout is at its maximum anyway.
const MAX_BACKOFF: u8 = 32;

#[derive(Clone, Debug, Default)]
pub(crate) struct RttEstimator {
    pub(crate) smoothed: Duration,
    pub(crate) var: Duration,
    pub(crate) min: Duration,
    pub(crate) latest: Duration,
    /// Number of samples taken; zero means the fields above are void.
    pub(crate) samples: u64,
    /// SRTT plus the variance term with its floor, before backoff.
    base: Duration,
    backoff: u8,
    peak: PeakVariance,
    timed: TimedSegment,
}

/// The segment being timed, where only one is.
#[derive(Clone, Copy, Debug, Default)]
enum TimedSegment {
    #[default]
    None,
    /// The low half of the position of its end, and when it was sent.
    Segment { end: u32, sent_at: Instant },
}

/// Variance by peaks (Linux `tcp_rtt_estimator`): the timeout's variance term, at least the floor, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
struct PeakVariance {
    /// In force (rttvar_us).
    held_us: u32,
    /// Largest of this round trip (mdev_max_us).
    latest_us: u32,
    /// The round trip lasts until this is acknowledged (rtt_seq); the low half of the position.
    until: u32,
}

impl PeakVariance {
    /// Follows a rise at once, and calm by a quarter a round trip; `over`: one has ended.
    fn hold(&mut self, now: Duration, over: bool, floor: Duration) {
        let us = |d: Duration| u32::try_from(d.as_micros()).unwrap_or(u32::MAX);
        self.latest_us = self.latest_us.max(us(now)).max(us(floor));
        self.held_us = self.held_us.max(self.latest_us);
        if over {
            self.held_us -= (self.held_us - self.latest_us) / 4;
            self.latest_us = us(floor);
        }
    }

    const fn is_over(self, una: u64) -> bool {
        (una as u32).wrapping_sub(self.until) as i32 > 0
    }
}

impl RttEstimator {
    pub(crate) fn new(config: &TcpConfig) -> Self {
        Self { base: config.initial_rto, ..Self::default() }
    }

    /// A segment of new data that ends at `end` is sent: it is timed unless another is.
    #[inline(always)]
    pub(crate) fn time(&mut self, end: u64, now: Instant) {
        if let TimedSegment::None = self.timed {
            self.timed = TimedSegment::Segment { end: end as u32, sent_at: now };
        }
    }

    /// Ends the timing of a segment: a retransmission gives no round trip (Karn).
    pub(crate) fn forget_timed(&mut self) {
        self.timed = TimedSegment::None;
    }

    /// Round trip of the segment that was being timed, if `una` acknowledges it.
    #[inline]
    pub(crate) fn take_timed(&mut self, una: u64, now: Instant) -> Option<Duration> {
        let TimedSegment::Segment { end, sent_at } = self.timed else { return None };
        if ((una as u32).wrapping_sub(end) as i32) < 0 {
            return None;
        }
        self.timed = TimedSegment::None;
        Some(now.saturating_since(sent_at))
    }

    /// Takes a sample that ends at `now`; a valid sample ends the backoff (RFC 6298 §5.7, Karn). All is acknowledged up to
    /// `una` and sent up to `nxt`.
    pub(crate) fn on_sample(
        &mut self,
        rtt: Duration,
        (una, nxt): (u64, u64),
        now: Instant,
        config: &TcpConfig,
    ) {
        let rtt = ticked(rtt, now, config.rtt_tick);
        self.latest = rtt;
        self.backoff = 0;
        let first = self.samples == 0;
        if first {
            (self.smoothed, self.var, self.min) = (rtt, rtt / 2, rtt);
        } else {
            let (s, r) = (self.smoothed.as_nanos(), rtt.as_nanos());
            self.var = match config.rtt_variance {
                RttVariance::Mean => Duration::from_nanos((3 * self.var.as_nanos() + s.abs_diff(r)) / 4),
                RttVariance::Peak => damped(self.var, self.smoothed, rtt),
            };
            self.smoothed = match config.rtt_variance {
                RttVariance::Mean => Duration::from_nanos((7 * s + r) / 8),
                RttVariance::Peak => smoothed(self.smoothed, rtt),
            };
            self.min = self.min.min(rtt);
        }
        if config.rtt_variance == RttVariance::Peak {
            let over = !first && self.peak.is_over(una);
            self.peak.hold(self.var.saturating_mul(4), over, config.min_rto);
            if first || over {
                self.peak.until = nxt as u32;
            }
        }
        self.samples += 1;
        self.base = self.timeout(config);
    }

    /// The segment sent last among those of the last sample has the shortest round trip: the estimate uses the first one,
    /// everything else the last (Linux `tcp_ack_update_rtt`).
    pub(crate) fn on_shortest(&mut self, rtt: Duration) {
        (self.latest, self.min) = (rtt, self.min.min(rtt));
    }

    /// RFC 6298 §2.3 with the floor of the profile.
    fn timeout(&self, config: &TcpConfig) -> Duration {
        let variance = match config.rtt_variance {
            RttVariance::Mean => self.var.saturating_mul(4),
            RttVariance::Peak => Duration::from_micros(u64::from(self.peak.held_us)),
        };
        let term = config.clock_granularity.max(variance);
        let rto = match config.rto_floor {
            RtoFloor::Rto => (self.smoothed + term).max(config.min_rto),
            RtoFloor::Variance => self.smoothed + term.max(config.min_rto),
        };
        match config.rtt_tick.as_nanos() {
            0 => rto,
            tick => Duration::from_nanos((rto.as_nanos() / tick).max(2) * tick),
        }
    }

    /// The timeout now in force, backoff included.
    pub(crate) fn rto(&self, config: &TcpConfig) -> Duration {
        self.base.saturating_mul(1 << self.backoff).min(config.max_rto)
    }

    /// The timeout without backoff.
    pub(crate) fn rto_of_estimate(&self, config: &TcpConfig) -> Duration {
        self.base.min(config.max_rto)
    }

    /// Doubles the timeout (RFC 6298 §5.5).
    pub(crate) fn back_off(&mut self) {
        self.backoff = (self.backoff + 1).min(MAX_BACKOFF);
    }

    /// RFC 6298 §5.7: a lost SYN makes the first timeout for data at least 3 s.
    pub(crate) fn syn_was_lost(&mut self) {
        self.backoff = 0;
        self.base = self.base.max(Duration::from_secs(3));
    }

    /// The last sample was that of a segment whose timeout came too early (RFC 4015 §3.2): as patient as if it were
    /// the first, and no less than before.
    pub(crate) fn after_spurious_timeout(&mut self, config: &TcpConfig) {
        if self.samples > 0 {
            self.smoothed = self.smoothed.max(self.latest);
            self.var = self.var.max(self.latest / 2);
            self.base = self.timeout(config);
        }
    }

    /// Ends the backoff without a sample: the handshake's own timeouts do not count for data.
    pub(crate) fn reset_backoff(&mut self) {
        self.backoff = 0;
    }
}

/// Linux keeps eighths of a microsecond of the smoothed round trip, and quarters of the mean deviation.
const EIGHTH: u64 = 125;
const QUARTER: u64 = 250;

/// The smoothed round trip after a sample (Linux `tcp_rtt_estimator`).
fn smoothed(smoothed: Duration, rtt: Duration) -> Duration {
    let eighths = smoothed.as_nanos() / EIGHTH;
    Duration::from_nanos((eighths - (eighths >> 3) + rtt.as_micros()) * EIGHTH)
}

/// The mean deviation after a sample: a shorter round trip than usual, and less so than the deviation, moves it by an
/// eighth of what it otherwise would (Linux `tcp_rtt_estimator`).
fn damped(var: Duration, smoothed: Duration, rtt: Duration) -> Duration {
    let error = rtt.as_micros() as i64 - ((smoothed.as_nanos() / EIGHTH) >> 3) as i64;
    let quarters = (var.as_nanos() / QUARTER) as i64;
    let change = error.abs() - (quarters >> 2);
    let slow = error < 0 && change > 0;
    let changed = quarters + if slow { change >> 3 } else { change };
    Duration::from_nanos(changed.max(0) as u64 * QUARTER)
}

/// ns-2 counts the clock's ticks between sending and the ACK, at least one (`tcp.cc`, `rtt_update`).
fn ticked(rtt: Duration, now: Instant, tick: Duration) -> Duration {
    let tick = tick.as_nanos();
    if tick == 0 {
        return rtt;
    }
    let sent = now.as_nanos().saturating_sub(rtt.as_nanos());
    Duration::from_nanos((now.as_nanos() / tick - sent / tick).max(1) * tick)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Profile, TcpBehaviour};

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn timeout_floors_follow_the_profiles() {
        // SRTT = 100 ms, RTTVAR = 10 ms: SRTT + 4 RTTVAR = 140 ms, below every floor.
        let rto = |profile| {
            let config = TcpConfig::for_profile(profile);
            let mut e =
                RttEstimator { smoothed: MS(100), var: MS(10), samples: 1, ..RttEstimator::default() };
            e.peak.hold(MS(40), false, config.min_rto);
            e.timeout(&config)
        };
        let all = [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux].map(rto);
        assert_eq!(all, [MS(1000), MS(200), MS(1000), MS(300)]);
    }

    #[test]
    fn estimate_follows_rfc_6298_section_2() {
        let config = TcpConfig { min_rto: Duration::ZERO, ..TcpConfig::default() };
        let mut e = RttEstimator::new(&config);
        assert_eq!(e.rto(&config), Duration::from_secs(1));
        e.on_sample(MS(100), (0, 0), Instant::from_secs(1), &config);
        // §2.2: SRTT = R, RTTVAR = R/2, RTO = 100 + 4 * 50.
        assert_eq!((e.smoothed, e.var, e.rto(&config)), (MS(100), MS(50), MS(300)));
        e.on_sample(MS(180), (0, 0), Instant::from_secs(1), &config);
        // §2.3: RTTVAR = (3 * 50 + 80) / 4 = 57.5; SRTT = (7 * 100 + 180) / 8 = 110; RTO = 110 + 230.
        assert_eq!((e.smoothed, e.var.as_micros(), e.rto(&config)), (MS(110), 57_500, MS(340)));
        e.back_off();
        e.back_off();
        assert_eq!((e.rto(&config), e.rto_of_estimate(&config)), (MS(1360), MS(340)));
        e.on_sample(MS(110), (0, 0), Instant::from_secs(1), &config);
        assert!(e.rto(&config) < MS(340));
    }

    #[test]
    fn variance_by_peaks_remembers_the_worst_of_a_round_trip_and_calms_down_by_quarters() {
        let config = TcpConfig {
            min_rto: MS(10),
            behaviour: TcpBehaviour {
                rto_floor: RtoFloor::Variance,
                rtt_variance: RttVariance::Peak,
                ..TcpBehaviour::RFC
            },
            ..TcpConfig::default()
        };
        let mut e = RttEstimator::new(&config);
        e.on_sample(MS(80), (0, 100), Instant::from_secs(1), &config);
        // The first: 80 + 2 * 80. A second of 240: RTTVAR = (3 * 40 + 160) / 4 = 70, SRTT 100.
        assert_eq!(e.rto(&config), MS(240));
        e.on_sample(MS(240), (50, 100), Instant::from_secs(1), &config);
        assert_eq!(e.rto(&config), MS(100 + 280));
        // Calm samples of the same round trip leave it, though the mean deviation falls to a fraction.
        (0..40).for_each(|_| e.on_sample(MS(100), (60, 100), Instant::from_secs(1), &config));
        assert!(e.var < MS(1) && e.rto(&config) == MS(380), "{e:?}");
        // Two more round trips: 280 is the worst of the first, and then a quarter of what is above the floor goes.
        e.on_sample(MS(100), (101, 200), Instant::from_secs(1), &config);
        assert_eq!(e.rto(&config), MS(380));
        e.on_sample(MS(100), (201, 300), Instant::from_secs(1), &config);
        assert_eq!(e.peak.held_us, 280_000 - 270_000 / 4);
    }

    #[test]
    fn a_shorter_round_trip_moves_a_damped_variance_little() {
        // RTTVAR 8, 40 away: longer (3 * 8 + 40) / 4 = 16; shorter 8 + (40 - 8) / 32 = 9.
        assert_eq!(damped(MS(8), MS(100), MS(140)), MS(16));
        assert_eq!(damped(MS(8), MS(100), MS(60)), MS(9));
        assert_eq!(damped(MS(8), MS(100), MS(100)), MS(6));
    }

    #[test]
    fn linux_counts_eighths_of_a_microsecond() {
        // Trace of a kernel 6.12: 488881 eighths and 61609 us are 489380, which are 61172.5 us.
        let at = |eighths: u64| Duration::from_nanos(eighths * 125);
        assert_eq!(smoothed(at(488_881), Duration::from_nanos(61_609_999)), at(489_380));
        // 499 us more than 61110; of 1038 quarters a fourth goes: 1038 - 259 + 499.
        let mdev = damped(Duration::from_nanos(1038 * 250), at(488_881), Duration::from_micros(61_609));
        assert_eq!(mdev, Duration::from_nanos(1278 * 250));
    }

    #[test]
    fn timed_segment_is_kept_until_acknowledged_or_retransmitted() {
        let mut e = RttEstimator::default();
        let base = (1 << 32) - 500;
        e.time(base + 1000, Instant::from_millis(5));
        e.time(base + 2000, Instant::from_millis(6));
        assert_eq!(e.take_timed(base + 999, Instant::from_millis(20)), None);
        assert_eq!(
            e.take_timed(base + 1000, Instant::from_millis(20)),
            Some(MS(15)),
            "over the edge of 32 bits"
        );
        assert_eq!(e.take_timed(base + 2000, Instant::from_millis(20)), None, "the second was not timed");
        e.time(base + 3000, Instant::from_millis(30));
        e.forget_timed();
        assert_eq!(e.take_timed(base + 3000, Instant::from_millis(40)), None);
    }

    #[test]
    fn backoff_ends_at_the_maximum() {
        let config = TcpConfig::default();
        let mut e = RttEstimator::new(&config);
        (0..100).for_each(|_| e.back_off());
        assert_eq!(e.rto(&config), Duration::from_secs(60));
    }

    #[test]
    fn ticks_count_clock_edges_and_never_none() {
        let tick = MS(10);
        // From 9 ms to 11 ms lies one edge of a 10 ms clock; from 11 ms to 19 ms none, which counts as one.
        assert_eq!(ticked(MS(2), Instant::from_millis(11), tick), MS(10));
        assert_eq!(ticked(MS(8), Instant::from_millis(19), tick), MS(10));
        assert_eq!(ticked(MS(25), Instant::from_millis(45), tick), MS(20));
    }
}

//! Bursts at a fixed period: the shrew (Kuzmanovic & Knightly, "Low-rate TCP-targeted denial of service attacks", SIGCOMM
//! 2003).

use crate::application::{AppContext, Application, Datagram, EndpointRole};
use crate::bounds::{PAYLOADS, RATES, check_gap};
use crate::group_member::GroupMember;
use crate::packet_spacing::PacketSpacing;
use crate::pulse_envelope::PulseEnvelope;
use crate::pulse_phase::PulsePhase;
use crate::registry::{AppKind, KeyConflict, OfferedTraffic, RequiredTransport};
use tailrace_core::{Bytes, Duration, Instant, Probability, Rate};

tailrace_core::parameters! {
    /// Keys of `pulse`.
    pub struct PulseConfig {
        /// The time from the start of one burst to the start of the next.
        period: Duration, required, in "1 us"..="87600 h": "each burst sends a packet, which takes computing time | no run lasts longer";
        /// The length of a burst; at most `period`.
        burst: Duration, required, in "1 ns"..="87600 h": "each burst sends a packet, which takes computing time | no run lasts longer";
        /// The payload that the flow sends per second within a burst; with ramps, the highest rate.
        rate: Rate, required, within RATES;
        /// The payload of each packet, without headers.
        size: Bytes, required, within PAYLOADS;
        /// Whether the spacing of packets starts anew with each burst. If false, it goes on where a burst follows
        /// directly on the one before, or where the gap between packets is longer than the pause.
        restart: bool = false, "own choice";
        /// The irregularity of the gaps between the packets of a burst: each gap is multiplied by a random factor
        /// between 1 minus this and 1 plus this.
        jitter: Probability = Probability::ZERO, "as `cbr`";
        /// The irregularity of the starts of bursts: each burst starts up to this much before or after its time, at
        /// random (uniformly). This does not move the bursts after it. The first one never starts early. The spacing of
        /// packets starts anew with each burst.
        start_jitter: Duration = Duration::ZERO, "own choice", in "0 s"..="87600 h": "no run lasts longer";
        /// The position in time of the bursts of the group's flows relative to one another.
        phase: PulsePhase = PulsePhase::Together, "own choice";
        /// Over which share of a burst, at its start, the rate rises from zero in a straight line. With a ramp, the
        /// spacing of packets starts anew.
        rise: Probability = Probability::ZERO, "Kuzmanovic & Knightly 2003, square waves";
        /// Over which share of a burst, at its end, the rate falls to zero in a straight line.
        fall: Probability = Probability::ZERO, "Kuzmanovic & Knightly 2003, square waves";
    }
}

/// More bursts than these nobody looks at one by one.
const MOST_BURSTS: u64 = 100_000;

impl AppKind for PulseConfig {
    const SUMMARY: &'static str = "Sends bursts at regular times (Kuzmanovic & Knightly 2003).";
    const TRANSPORT: RequiredTransport = RequiredTransport::Datagrams;
    type App = Pulse;

    fn build(&self) -> Pulse {
        self.build_member(GroupMember::ALONE)
    }
    fn build_member(&self, member: GroupMember) -> Pulse {
        let Self { burst, rate, rise, fall, start_jitter, .. } = *self;
        let shape = PulseEnvelope { burst, rate, rise, fall };
        let is_anew = self.restart || PulseEnvelope::fullness(rise, fall) < 1.0 || !start_jitter.is_zero();
        let clock = if is_anew {
            PacketClock::PerBurst { shape, sent: 0, at: Duration::ZERO }
        } else {
            PacketClock::Continuous(PacketSpacing::default())
        };
        let zero = Instant::ZERO;
        Pulse { config: self.clone(), member, clock, first: zero, due: zero, began: zero, number: 0 }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        check_gap(self.rate, self.size).map_err(|why| KeyConflict::OutOfRange("rate", why))?;
        let Self { period, burst, .. } = self;
        if burst > period {
            let why = format!("the burst of {burst} is longer than the period of {period}");
            return Err(KeyConflict::Contradiction("burst", why));
        }
        let pause = *period - *burst;
        if self.start_jitter > Duration::from_nanos(pause.as_nanos() / 2) {
            let why =
                format!("bursts would meet: it must be at most half of the pause of {pause} between them");
            return Err(KeyConflict::OutOfRange("start_jitter", why));
        }
        check_ramps(self.rise, self.fall)
    }
    fn has_pulses(&self) -> bool {
        true
    }
    fn bursts(&self, within: Duration) -> Vec<(Duration, Duration)> {
        let Self { period, burst, phase, .. } = *self;
        let count = within.as_nanos().div_ceil(period.as_nanos());
        // Flows that are not in step have pauses one by one, but not as a group.
        if phase != PulsePhase::Together || count > MOST_BURSTS {
            return vec![(Duration::ZERO, within)];
        }
        let starts = (0..count).map(|k| period.saturating_mul(k));
        starts.map(|start| (start, start + burst.min(within - start))).collect()
    }
    fn is_random(&self) -> bool {
        self.jitter.get() > 0.0 || self.phase == PulsePhase::Random || !self.start_jitter.is_zero()
    }
    fn traffic(&self) -> Option<OfferedTraffic> {
        // Bursts that follow on one another are one flood.
        let periodic = self.burst == self.period && !self.is_random();
        Some(OfferedTraffic::of_one_size(self.rate, self.size, periodic))
    }
}

/// Whether ramps leave room for one another.
///
/// # Errors
/// The key at fault.
fn check_ramps(rise: Probability, fall: Probability) -> Result<(), KeyConflict> {
    if rise.get() + fall.get() > 1.0 {
        let why = format!("a rise over {rise} and a fall over {fall} of the burst are more than all of it");
        return Err(KeyConflict::OutOfRange("fall", why));
    }
    Ok(())
}

/// Spacing of the packets of bursts.
#[derive(Debug)]
enum PacketClock {
    /// The spacing goes on across the borders of bursts.
    Continuous(PacketSpacing),
    /// The places of a burst's packets in it: so many have left, the last one at this place.
    PerBurst { shape: PulseEnvelope, sent: u64, at: Duration },
}

/// The running application.
#[derive(Debug)]
pub struct Pulse {
    config: PulseConfig,
    member: GroupMember,
    clock: PacketClock,
    /// When the first burst began.
    first: Instant,
    /// The time of the burst under way, and when it began or will; of a clock that runs on, of the first one.
    due: Instant,
    began: Instant,
    /// Number of the burst under way, from 0.
    number: u64,
}

impl Pulse {
    /// When the packet after one at `now` leaves, where the burst goes on for ever; `None` where it is over first.
    fn next(&mut self, cx: &mut AppContext<'_>) -> Option<Instant> {
        let PulseConfig { rate, size, jitter, .. } = self.config;
        let gap = match &mut self.clock {
            PacketClock::Continuous(spacing) => spacing.gap(rate, size),
            PacketClock::PerBurst { shape, sent, at } => {
                let last = *at;
                *at = shape.offset(*sent + 1, size)?;
                *sent += 1;
                *at - last
            }
        };
        let stretched = if jitter.get() > 0.0 {
            gap.mul_f64(1.0 + jitter.get() * (2.0 * cx.rng().uniform() - 1.0))
        } else {
            gap
        };
        Some(cx.now() + stretched)
    }

    /// The burst under way is over, and the next one begins at this time.
    fn begin_next(&mut self, cx: &mut AppContext<'_>) -> Instant {
        let (period, jitter, before) = (self.config.period, self.config.start_jitter, self.due);
        self.due = before.saturating_add(period);
        self.number += 1;
        self.began = self.due;
        if !jitter.is_zero() {
            let earliest = before.saturating_add(period - jitter);
            self.began = earliest.saturating_add(drawn(jitter.saturating_mul(2), cx));
        }
        if let PacketClock::PerBurst { sent, at, .. } = &mut self.clock {
            (*sent, *at) = (0, Duration::ZERO);
        }
        self.began
    }
}

impl Application for Pulse {
    fn pulse(&self, now: Instant) -> u64 {
        match self.clock {
            // The last packet of a burst leaves when the next one is agreed on.
            PacketClock::PerBurst { .. } => self.number - u64::from(now < self.began && self.number > 0),
            PacketClock::Continuous(_) => (now - self.first).as_nanos() / self.config.period.as_nanos(),
        }
    }

    fn on_start(&mut self, cx: &mut AppContext<'_>) {
        let offset = self.config.phase.offset(self.config.period, self.member, cx.rng());
        self.due = cx.now().saturating_add(offset);
        self.first = self.due;
        let late = self.config.start_jitter;
        self.began = if late.is_zero() { self.due } else { self.due.saturating_add(drawn(late, cx)) };
        cx.wake_at(self.began);
    }

    #[inline]
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        let PulseConfig { period, burst, size, .. } = self.config;
        let next = self.next(cx);
        let at = match (&self.clock, next) {
            (PacketClock::Continuous(_), Some(next)) => {
                // A packet may take longer than is left of its burst, and than periods: then the burst after it begins.
                let phase = Duration::from_nanos((next - self.began).as_nanos() % period.as_nanos());
                if phase < burst { next } else { next.saturating_add(period - phase) }
            }
            (PacketClock::PerBurst { .. }, Some(next)) if next - self.began < burst => next,
            _ => self.begin_next(cx),
        };
        cx.wake_at(at);
        cx.send(EndpointRole::Client, Datagram::of(size));
    }
}

/// A share of a time, uniformly.
fn drawn(most: Duration, cx: &mut AppContext<'_>) -> Duration {
    most.mul_f64(cx.rng().uniform())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{pulses, times};

    fn pulse(rate: Rate) -> Pulse {
        let (period, burst) = (Duration::from_secs(1), Duration::from_millis(100));
        PulseConfig { period, burst, rate, size: Bytes(125), ..Default::default() }.build()
    }

    #[test]
    fn pulses_fill_their_bursts_and_nothing_else() {
        // 1 Mbit/s of 125 bytes is a packet a millisecond: 100 in each 100 ms burst, one burst a second.
        let t = times(pulse(Rate::from_mbit(1)), Instant::from_secs(10));
        assert_eq!(t.len(), 1000);
        assert!(t.iter().all(|t| t.fract() < 0.0995), "{t:?}");
    }

    #[test]
    fn pulses_whose_packets_take_longer_than_a_period_stay_within_bursts() {
        // A packet of 125 bytes at 400 bit/s takes 2.5 s: at 2.5 s no burst is on, so it leaves at 3 s, and so on.
        let sent = |bps, until| times(pulse(Rate::from_bps(bps)), Instant::from_secs(until));
        assert_eq!(sent(400, 10), [0.0, 3.0, 6.0, 9.0]);
        // In 2 s it ends just when a burst begins.
        assert_eq!(sent(500, 5), [0.0, 2.0, 4.0]);
    }

    #[test]
    fn bursts_are_told_where_packets_are() {
        let (period, burst) = (Duration::from_secs(1), Duration::from_millis(100));
        let config = PulseConfig { period, burst, ..back_to_back() };
        let told = |config: &PulseConfig, ms| {
            let ms = config.bursts(Duration::from_millis(ms)).into_iter();
            ms.map(|(from, until)| (from.as_millis(), until.as_millis())).collect::<Vec<_>>()
        };
        assert_eq!(told(&config, 2050), [(0, 100), (1000, 1100), (2000, 2050)]);
        assert_eq!(told(&config, 2000), [(0, 100), (1000, 1100)]);
        assert_eq!(told(&config, 0), []);
        let sent = times(config.build(), Instant::from_millis(2050));
        let bursts = config.bursts(Duration::from_millis(2050));
        let holds = |at: f64| {
            bursts
                .iter()
                .filter(|(from, until)| (from.as_secs_f64()..until.as_secs_f64()).contains(&at))
                .count()
        };
        assert!(sent.len() == 250 && sent.iter().all(|at| holds(*at) == 1));
        // All of a group together have pauses only in step.
        let spread = PulseConfig { phase: PulsePhase::Spread, ..config.clone() };
        assert_eq!(told(&spread, 2050), [(0, 2050)]);
        // More than anybody would look at are one.
        let many = PulseConfig { period: Duration::from_micros(1), burst: Duration::from_nanos(1), ..config };
        assert_eq!(told(&many, 101), [(0, 101)]);
    }

    /// A packet of 125 bytes a millisecond for 2.5 of each 2.5 ms: nothing but bursts.
    fn back_to_back() -> PulseConfig {
        let length = Duration::from_micros(2500);
        PulseConfig {
            period: length,
            burst: length,
            rate: Rate::from_mbit(1),
            size: Bytes(125),
            ..Default::default()
        }
    }

    #[test]
    fn a_clock_that_begins_anew_has_a_packet_at_the_very_start_of_each_burst() {
        let ms =
            |config: PulseConfig| times(config.build(), Instant::from_millis(6)).into_iter().map(|t| t * 1e3);
        assert_eq!(ms(back_to_back()).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let anew = PulseConfig { restart: true, ..back_to_back() };
        assert_eq!(ms(anew).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 2.5, 3.5, 4.5, 5.0]);
    }

    #[test]
    fn members_of_a_group_are_spread_over_the_period() {
        let (period, burst) = (Duration::from_secs(1), Duration::from_millis(2));
        let phase = PulsePhase::Spread;
        let config = PulseConfig { period, burst, restart: true, phase, ..back_to_back() };
        let sent = |number| times(config.build_member(GroupMember { number, of: 4 }), Instant::from_secs(2));
        assert_eq!(sent(0), [0.0, 0.001, 1.0, 1.001]);
        assert_eq!(sent(3), [0.75, 0.751, 1.75, 1.751]);
    }

    #[test]
    fn bursts_start_about_their_times_and_drift_nowhere() {
        let (period, burst) = (Duration::from_secs(1), Duration::from_millis(2));
        let start_jitter = Duration::from_millis(50);
        let config = PulseConfig { period, burst, start_jitter, ..back_to_back() };
        assert_eq!(config.validate(), Ok(()));
        let sent = times(config.build(), Instant::from_millis(400_500));
        // Two packets a burst, a millisecond apart.
        assert!(sent.len() == 802 && sent.chunks(2).all(|two| (two[1] - two[0] - 0.001).abs() < 1e-8));
        let late: Vec<f64> = (0..).zip(sent.iter().step_by(2)).map(|(k, at)| at - f64::from(k)).collect();
        assert!((0.0..=0.05).contains(&late[0]) && late.iter().all(|late| late.abs() <= 0.05));
        // Uniform over 100 ms: 29 ms about 0, of 401 within 4 * 29 / 20 ms in the mean, and a quarter in each quarter.
        let mean = late.iter().sum::<f64>() / 401.0;
        let early = late.iter().filter(|late| **late < -0.025).count();
        assert!(mean.abs() < 0.0058 && (65..136).contains(&early), "{mean} {early}");
        let most = PulseConfig { start_jitter: Duration::from_millis(499), ..config.clone() };
        assert_eq!(most.validate(), Ok(()));
        let beyond = PulseConfig { start_jitter: Duration::from_nanos(499_000_001), ..config };
        assert!(matches!(beyond.validate(), Err(KeyConflict::OutOfRange("start_jitter", _))));
    }

    #[test]
    fn each_packet_is_of_the_burst_that_it_is_in() {
        let start_jitter = Duration::from_millis(100);
        let (period, burst) = (Duration::from_secs(1), Duration::from_millis(2));
        for config in [
            PulseConfig { period, burst, start_jitter, ..back_to_back() },
            PulseConfig { period, burst, restart: true, ..back_to_back() },
            PulseConfig { period, burst, ..back_to_back() },
        ] {
            let of = pulses(config.build(), Instant::from_millis(3500));
            assert_eq!(of, [0, 0, 1, 1, 2, 2, 3, 3], "{config:?}");
        }
    }

    #[test]
    fn jitter_moves_packets_within_bursts_and_keeps_the_starts() {
        let (period, burst) = (Duration::from_secs(1), Duration::from_millis(100));
        let jitter = Probability::new(0.5).unwrap();
        let config = PulseConfig { period, burst, restart: true, jitter, ..back_to_back() };
        let sent = times(config.build(), Instant::from_secs(50));
        let starts = sent.iter().filter(|t| t.fract() == 0.0).count();
        assert_eq!(starts, 50);
        assert!(sent.iter().all(|t| t.fract() < 0.1) && (4850..5150).contains(&sent.len()), "{}", sent.len());
        let gaps = sent.windows(2).map(|w| w[1] - w[0]).filter(|gap| *gap < 0.5);
        assert!(gaps.clone().all(|gap| (0.000_499..0.001_501).contains(&gap)) && gaps.count() > 4000);
    }
}

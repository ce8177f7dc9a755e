//! UDP traffic: when the next datagram leaves.

use tailrace_core::{Bytes, Duration, Instant, Rate, Rng};
use tailrace_scenario::model::{App, DurationDist};

/// Draws a span of time.
pub(crate) fn draw(dist: &DurationDist, rng: &mut Rng) -> Duration {
    spread(dist).draw(rng)
}

/// The fabric's form of a distribution.
pub(crate) fn spread(dist: &DurationDist) -> tailrace_net::Spread {
    use tailrace_net::Spread;
    match *dist {
        DurationDist::Constant(d) => Spread::Constant(d),
        DurationDist::Uniform(a, b) => Spread::Uniform(a, b),
        DurationDist::Exponential(m) => Spread::Exponential(m),
        DurationDist::Pareto(m, shape) => Spread::Pareto(m, shape),
        DurationDist::Normal(m, sd) => Spread::Normal(m, sd),
    }
}

/// Spaces packets at a rate, exactly in the long run: the remainder of each division is carried.
#[derive(Clone, Copy, Debug, Default)]
struct Spacing {
    carry: u64,
}

impl Spacing {
    fn gap(&mut self, rate: Rate, size: Bytes) -> Duration {
        let numerator = size.get() * 8_000_000_000 + self.carry;
        self.carry = numerator % rate.as_bps();
        Duration::from_nanos(numerator / rate.as_bps())
    }
}

/// One UDP source.
#[derive(Debug)]
pub(crate) struct Source {
    pattern: Pattern,
    size: Bytes,
    spacing: Spacing,
    started: Instant,
    rng: Rng,
}

#[derive(Debug)]
enum Pattern {
    Cbr { rate: Rate, jitter: f64, random_phase: bool },
    Poisson { mean: Duration },
    OnOff { rate: Rate, on: DurationDist, off: DurationDist, until: Instant },
    Schedule { steps: Vec<(Duration, Rate)> },
    Pulse { rate: Rate, period: Duration, burst: Duration },
}

impl Source {
    /// The source that `app` describes; `None` for applications over TCP.
    pub(crate) fn new(app: &App, rng: Rng) -> Option<Self> {
        let (pattern, size) = match app {
            App::Cbr { rate, size, jitter, random_phase } => {
                (Pattern::Cbr { rate: *rate, jitter: jitter.get(), random_phase: *random_phase }, *size)
            }
            App::Poisson { rate, size } => (Pattern::Poisson { mean: rate.time_to_send(*size) }, *size),
            App::OnOff { rate, size, on, off } => {
                (Pattern::OnOff { rate: *rate, on: *on, off: *off, until: Instant::ZERO }, *size)
            }
            App::Schedule { steps, size } => (Pattern::Schedule { steps: steps.clone() }, *size),
            App::Pulse { period, burst, rate, size } => {
                (Pattern::Pulse { rate: *rate, period: *period, burst: *burst }, *size)
            }
            App::Bulk
            | App::Transfer { .. }
            | App::RequestResponse { .. }
            | App::Sequence { .. }
            | App::Arrivals { .. } => return None,
        };
        Some(Self { pattern, size, spacing: Spacing::default(), started: Instant::ZERO, rng })
    }

    /// Payload of each datagram.
    pub(crate) fn size(&self) -> Bytes {
        self.size
    }

    /// The flow starts: when its first datagram leaves, if ever.
    pub(crate) fn start(&mut self, now: Instant) -> Option<Instant> {
        self.started = now;
        match &mut self.pattern {
            Pattern::Cbr { rate, random_phase, .. } => {
                let gap = rate.time_to_send(self.size);
                Some(if *random_phase { now + gap.mul_f64(self.rng.uniform()) } else { now })
            }
            Pattern::Poisson { mean } => Some(now + self.rng.exponential_duration(*mean)),
            Pattern::OnOff { on, until, .. } => {
                *until = now.saturating_add(draw(on, &mut self.rng));
                Some(now)
            }
            Pattern::Schedule { .. } => self.scheduled(now, Duration::ZERO),
            Pattern::Pulse { .. } => Some(now),
        }
    }

    /// A datagram leaves now: when the next one does.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Instant> {
        match &mut self.pattern {
            Pattern::Cbr { rate, jitter, .. } => {
                let gap = self.spacing.gap(*rate, self.size);
                let factor = 1.0 + *jitter * (2.0 * self.rng.uniform() - 1.0);
                Some(now + if *jitter > 0.0 { gap.mul_f64(factor) } else { gap })
            }
            Pattern::Poisson { mean } => Some(now + self.rng.exponential_duration(*mean)),
            Pattern::OnOff { rate, on, off, until } => {
                let next = now + self.spacing.gap(*rate, self.size);
                if next < *until {
                    return Some(next);
                }
                // A heavy tail draws centuries now and then: the flow then rests for ever.
                let resume = (*until).max(now).saturating_add(draw(off, &mut self.rng));
                *until = resume.saturating_add(draw(on, &mut self.rng));
                Some(resume)
            }
            Pattern::Schedule { .. } => self.scheduled(now, Duration::from_nanos(1)),
            Pattern::Pulse { rate, period, burst } => {
                let next = now + self.spacing.gap(*rate, self.size);
                // A packet may take longer than is left of its burst, and than periods: then the burst after it begins.
                let phase = Duration::from_nanos((next - self.started).as_nanos() % period.as_nanos());
                Some(if phase < *burst { next } else { next.saturating_add(*period - phase) })
            }
        }
    }

    /// A schedule's next datagram, `now` being the last one's time (or the start, with a zero `least`).
    fn scheduled(&mut self, now: Instant, least: Duration) -> Option<Instant> {
        let Pattern::Schedule { steps } = &self.pattern else { return None };
        let elapsed = now - self.started;
        let current = steps.iter().rposition(|(at, _)| *at <= elapsed);
        let rate = current.map_or(Rate::default(), |i| steps[i].1);
        let following = steps[current.map_or(0, |i| i + 1)..].iter().find(|(_, r)| r.as_bps() > 0);
        let change = steps.get(current.map_or(0, |i| i + 1)).map(|(at, _)| self.started + *at);
        if rate.as_bps() == 0 {
            return following.map(|(at, _)| self.started + *at);
        }
        if least.is_zero() {
            return Some(now);
        }
        let next = now + self.spacing.gap(rate, self.size);
        match change {
            // The rate changes first: the gap starts anew at the new rate's step.
            Some(at) if next >= at => following.map(|(at, _)| self.started + *at),
            _ => Some(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Probability;

    fn times(app: &App, until: Instant) -> Vec<f64> {
        let mut s = Source::new(app, Rng::new(1)).unwrap();
        let mut next = s.start(Instant::ZERO);
        let mut times = Vec::new();
        while let Some(at) = next.filter(|at| *at < until) {
            times.push(at.as_secs_f64());
            next = s.next(at);
        }
        times
    }

    #[test]
    fn cbr_is_exact_over_an_hour() {
        // 448 kbit/s of 1000 bytes: 56 packets a second.
        let app = App::Cbr {
            rate: Rate::from_bps(448_000),
            size: Bytes(1000),
            jitter: Probability::ZERO,
            random_phase: false,
        };
        assert_eq!(times(&app, Instant::from_secs(3600)).len(), 56 * 3600);
    }

    #[test]
    fn pulses_fill_their_bursts_and_nothing_else() {
        // 1 Mbit/s of 125 bytes is a packet a millisecond: 100 in each 100 ms burst, one burst a second.
        let app = App::Pulse {
            period: Duration::from_secs(1),
            burst: Duration::from_millis(100),
            rate: Rate::from_mbit(1),
            size: Bytes(125),
        };
        let t = times(&app, Instant::from_secs(10));
        assert_eq!(t.len(), 1000);
        assert!(t.iter().all(|t| t.fract() < 0.0995), "{t:?}");
    }

    #[test]
    fn pulses_whose_packets_take_longer_than_a_period_stay_within_bursts() {
        // A packet of 125 bytes at 400 bit/s takes 2.5 s: at 2.5 s no burst is on, so it leaves at 3 s, and so on.
        let pulse = |bps| App::Pulse {
            period: Duration::from_secs(1),
            burst: Duration::from_millis(100),
            rate: Rate::from_bps(bps),
            size: Bytes(125),
        };
        assert_eq!(times(&pulse(400), Instant::from_secs(10)), [0.0, 3.0, 6.0, 9.0]);
        // In 2 s it ends just when a burst begins.
        assert_eq!(times(&pulse(500), Instant::from_secs(5)), [0.0, 2.0, 4.0]);
    }

    #[test]
    fn a_schedule_changes_rate_when_it_says() {
        // The third paper's flood: 2, 0.08, 2 Mbit/s, scaled down to seconds.
        let steps = vec![
            (Duration::ZERO, Rate::from_mbit(2)),
            (Duration::from_secs(5), Rate::default()),
            (Duration::from_secs(6), Rate::from_bps(80_000)),
        ];
        let t = times(&App::Schedule { steps, size: Bytes(1000) }, Instant::from_secs(10));
        let within = |a: f64, b: f64| t.iter().filter(|t| **t >= a && **t < b).count();
        assert_eq!([within(0.0, 5.0), within(5.0, 6.0), within(6.0, 10.0)], [1250, 0, 40]);
    }

    #[test]
    fn a_pause_of_centuries_never_ends() {
        let forever = DurationDist::Constant(Duration::from_nanos(u64::MAX));
        let app = App::OnOff {
            rate: Rate::from_mbit(1),
            size: Bytes(125),
            on: DurationDist::Constant(Duration::from_millis(3)),
            off: forever,
        };
        assert_eq!(times(&app, Instant::MAX), [0.0, 0.001, 0.002]);
    }

    #[test]
    fn on_off_and_poisson_keep_their_mean_rates() {
        let on = DurationDist::Exponential(Duration::from_millis(50));
        let off = DurationDist::Pareto(Duration::from_millis(150), 2.5);
        let app = App::OnOff { rate: Rate::from_mbit(8), size: Bytes(100), on, off };
        // A quarter of the time at 10 000 packets a second.
        let n = times(&app, Instant::from_secs(400)).len() as f64;
        assert!((n / 1e6 - 1.0).abs() < 0.06, "{n}");
        let n = times(&App::Poisson { rate: Rate::from_mbit(8), size: Bytes(1000) }, Instant::from_secs(100))
            .len();
        assert!((n as f64 / 1e5 - 1.0).abs() < 0.015, "{n}");
    }
}

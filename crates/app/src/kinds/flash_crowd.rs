//! A flash crowd: arrivals that become many times as frequent when something is in the news, stay so, and die down again. What
//! it does to a network looks like an attack, and its flows are legitimate (Jung, Krishnamurthy & Rabinovich, "Flash crowds and
//! denial of service attacks", WWW 2002). Its three phases, and the shock that they lead to, are those of Ari, Hong, Miller, Brandt
//! & Long, "Managing flash crowds on the Internet", MASCOTS 2003.

use crate::application::{AppContext, Application, ConnectionData, EndpointRole};
use crate::bounds::SIZES;
use crate::direction::Direction;
use crate::registry::{AppKind, KeyConflict, RequiredTransport, TransferCount};
use tailrace_core::{Duration, Instant, SizeDist};

tailrace_core::parameters! {
    /// Keys of `flash_crowd`.
    pub struct FlashCrowdConfig {
        /// The size of each transfer; a size or a distribution.
        size: SizeDist, required, within SIZES;
        /// The mean time between arrivals before and after the crowd. They are Poisson arrivals, each on a connection
        /// of its own.
        gap: Duration, required, in "100 us"..="87600 h": "each arrival opens a connection, which takes computing time | no run lasts longer";
        /// By what factor arrivals are more frequent while the crowd is there.
        shock: f64 = 10.0, "own choice", in "1"..="1000000": "in a crowd there are more arrivals than before | no crowd is so many times what was there before";
        /// The time from the flow's start to the start of the crowd.
        after: Duration = Duration::ZERO, "own choice", in "0 s"..="87600 h": "nobody waits longer";
        /// The time in which arrivals per second rise to their peak, in a straight line. Real crowds come fast, but not
        /// at once.
        ramp_up: Duration = Duration::ZERO, "own choice", in "0 s"..="87600 h": "nobody waits longer";
        /// For how long arrivals stay at their peak.
        sustained: Duration, required, in "0 s"..="87600 h": "nobody waits longer";
        /// The time in which arrivals become as rare again as they were before.
        ramp_down: Duration = Duration::ZERO, "own choice", in "0 s"..="87600 h": "nobody waits longer";
        /// In which direction data flows: `up` from the client to the server, or `down` from the server to the
        /// client. The client (`from`) opens the connections.
        direction: Direction = Direction::Up, "own choice";
    }
}

/// Least mean time between arrivals, as for `arrivals`.
const LEAST_GAP: Duration = Duration::from_micros(100);

impl FlashCrowdConfig {
    /// Arrival rate at this time since the flow's start, as a multiple of the rate before the crowd.
    fn level(&self, elapsed: Duration) -> f64 {
        let Self { shock, after, ramp_up, sustained, ramp_down, .. } = *self;
        let share = |past: Duration, of: Duration| past.as_secs_f64() / of.as_secs_f64();
        let crowd = |share: f64| 1.0 + (shock - 1.0) * share;
        let (there, ebbs) = (after + ramp_up, after + ramp_up + sustained);
        if elapsed < after || elapsed >= ebbs + ramp_down {
            1.0
        } else if elapsed < there {
            crowd(share(elapsed - after, ramp_up))
        } else if elapsed < ebbs {
            shock
        } else {
            crowd(1.0 - share(elapsed - ebbs, ramp_down))
        }
    }
}

impl AppKind for FlashCrowdConfig {
    const SUMMARY: &'static str = "Transfers that become more and more frequent, stay so for a while, and become rare again: legitimate, but like an attack.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;
    type App = FlashCrowd;

    fn build(&self) -> FlashCrowd {
        FlashCrowd { config: self.clone(), started: Instant::ZERO }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        let (gap, least) = (self.gap.as_nanos() as f64, LEAST_GAP.as_nanos() as f64);
        if gap >= least * self.shock {
            return Ok(());
        }
        // Rounded so that both remedies hold.
        let shock = (gap / least).floor();
        let longer = Duration::from_micros((least * self.shock / 1e3).ceil() as u64);
        let why = format!(
            "with gap = {} there is an arrival every {} at the peak, and each opens a connection, which takes computing time: \
             at least {LEAST_GAP}, by a shock of at most {shock} or a gap of at least {longer}",
            self.gap,
            Duration::from_nanos((gap / self.shock).round() as u64)
        );
        Err(KeyConflict::OutOfRange("shock", why))
    }
    fn sender(&self) -> EndpointRole {
        self.direction.sender()
    }
    fn transfers(&self) -> TransferCount {
        TransferCount::Endless
    }
    fn has_varied_transfers(&self) -> bool {
        !self.size.is_constant()
    }
    fn is_random(&self) -> bool {
        true
    }
}

/// The running application.
#[derive(Debug)]
pub struct FlashCrowd {
    config: FlashCrowdConfig,
    started: Instant,
}

impl FlashCrowd {
    /// When it asks next whether somebody has come: as often as at the height of the crowd, where it does so.
    fn wait(&self, cx: &mut AppContext<'_>) {
        let mean = self.config.gap.mul_f64(1.0 / self.config.shock);
        let gap = cx.rng().exponential_duration(mean).max(Duration::from_nanos(1));
        cx.wake_at(cx.now().saturating_add(gap));
    }
}

impl Application for FlashCrowd {
    fn on_start(&mut self, cx: &mut AppContext<'_>) {
        self.started = cx.now();
        self.wait(cx);
    }

    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        // Thinned (Lewis & Shedler 1979): of arrivals at the highest rate each is kept with the share that the present one is of it.
        let share = self.config.level(cx.now() - self.started) / self.config.shock;
        let comes = cx.rng().bernoulli(share);
        self.wait(cx);
        if comes {
            let size = self.config.size.draw(cx.rng());
            cx.open_from(self.config.sender(), ConnectionData::Last(size.get()));
        }
    }

    fn on_message(&mut self, _at: EndpointRole, cx: &mut AppContext<'_>) {
        cx.complete();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::AppActions;
    use tailrace_core::{Bytes, Rng};

    /// Ten arrivals a second, and a hundred for 40 s from 110 s on, after 10 s in which they become more.
    fn crowd() -> FlashCrowdConfig {
        FlashCrowdConfig {
            size: SizeDist::Constant(Bytes(10_000)),
            gap: Duration::from_millis(100),
            shock: 10.0,
            after: Duration::from_secs(100),
            ramp_up: Duration::from_secs(10),
            sustained: Duration::from_secs(40),
            ramp_down: Duration::from_secs(20),
            direction: Direction::Down,
        }
    }

    /// When transfers begin, in seconds.
    fn arrivals(config: &FlashCrowdConfig, until: Instant) -> Vec<f64> {
        let (mut app, mut rng, mut found) = (config.build(), Rng::new(1), Vec::new());
        let mut actions = AppActions::default();
        app.on_start(&mut AppContext::new(Instant::ZERO, &mut rng, &mut actions));
        while let Some(now) = actions.wake().filter(|now| *now < until) {
            actions = AppActions::default();
            app.on_wake(&mut AppContext::new(now, &mut rng, &mut actions));
            found.extend(actions.others().next().map(|_| now.as_secs_f64()));
        }
        found
    }

    #[test]
    fn arrivals_at_the_peak_are_bounded_as_those_of_arrivals() {
        let crowd = |gap_us: u64, shock: f64| FlashCrowdConfig {
            gap: Duration::from_micros(gap_us),
            shock,
            ..Default::default()
        };
        assert_eq!(crowd(1000, 10.0).validate(), Ok(()));
        // 0.7 us from one arrival to the next.
        let Err(KeyConflict::OutOfRange("shock", why)) = crowd(1000, 1500.0).validate() else { panic!() };
        assert!(why.contains("gap = 1 ms") && why.contains("every 667 ns"), "{why}");
        assert!(why.contains("a shock of at most 10 or a gap of at least 150 ms"), "{why}");
        assert_eq!(crowd(150_000, 1500.0).validate(), Ok(()));
    }

    #[test]
    fn the_level_rises_stays_and_falls() {
        let level = |ms| crowd().level(Duration::from_millis(ms));
        assert_eq!([0, 99_999].map(level), [1.0, 1.0]);
        assert_eq!([105_000, 110_000, 149_999].map(level), [5.5, 10.0, 10.0]);
        assert_eq!([150_000, 160_000, 170_000].map(level), [10.0, 5.5, 1.0]);
    }

    #[test]
    fn arrivals_are_as_many_as_the_level_says() {
        let found = arrivals(&crowd(), Instant::from_secs(270));
        let within = |a: f64, b: f64| found.iter().filter(|t| **t >= a && **t < b).count();
        // 1000 before, 550 while it comes, 4000 in it, 1100 while it goes, 1000 after; within three deviations.
        for (n, (from, to)) in [
            (1000, (0.0, 100.0)),
            (550, (100.0, 110.0)),
            (4000, (110.0, 150.0)),
            (1100, (150.0, 170.0)),
            (1000, (170.0, 270.0)),
        ] {
            let near = 3.0 * f64::from(n).sqrt();
            let found = within(from, to) as f64;
            assert!((found - f64::from(n)).abs() < near, "{from} s: {found}, not {n}");
        }
    }
}

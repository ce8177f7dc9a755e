//! Constant bit rates that change at given times: steps of load, to watch a queue settle.

use crate::application::{AppContext, Application, Datagram, EndpointRole};
use crate::bounds::{DRAWN_PAYLOADS, check_gap, mean_payload};
use crate::packet_spacing::{PacketSpacing, draw_payload};
use crate::rate_steps::RateSteps;
use crate::registry::{AppKind, KeyConflict, OfferedTraffic, RequiredTransport};
use tailrace_core::{Bytes, Duration, Instant, Rate, SizeDist};

tailrace_core::parameters! {
    /// Keys of `schedule`.
    pub struct ScheduleConfig {
        /// When the rate of payload changes and to what: a list of [time, rate] with rising times, such as [["0 s",
        /// "1 Mbit/s"], ["5 s", "0 bit/s"]]. A rate of zero means silence.
        steps: RateSteps, required;
        /// The payload of each packet, without headers; a size, or a distribution from which each is drawn, such as `exponential(1 kB)`
        /// or `imix`.
        size: SizeDist, required, within DRAWN_PAYLOADS;
    }
}

impl AppKind for ScheduleConfig {
    const SUMMARY: &'static str =
        "Sends at constant rates that change at given times after the flow's start.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Datagrams;
    type App = Schedule;

    fn build(&self) -> Schedule {
        Schedule { config: self.clone(), spacing: PacketSpacing::default(), started: Instant::ZERO }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        let wrong =
            self.steps.0.iter().find_map(|(_, rate)| check_gap(*rate, mean_payload(&self.size)).err());
        wrong.map_or(Ok(()), |why| Err(KeyConflict::OutOfRange("steps", why)))
    }
    fn is_random(&self) -> bool {
        !self.size.is_constant()
    }
    fn bursts(&self, within: Duration) -> Vec<(Duration, Duration)> {
        let steps = &self.steps.0;
        let ends = steps.iter().skip(1).map(|(at, _)| *at).chain([within]);
        let sending = steps.iter().zip(ends).filter(|((at, rate), _)| rate.as_bps() > 0 && *at < within);
        sending.map(|((at, _), end)| (*at, end.min(within))).collect()
    }
    fn traffic(&self) -> Option<OfferedTraffic> {
        let rate = self.steps.0.iter().map(|(_, rate)| *rate).max().unwrap_or_default();
        Some(OfferedTraffic::of(rate, &self.size, false))
    }
}

/// The running application.
#[derive(Debug)]
pub struct Schedule {
    config: ScheduleConfig,
    spacing: PacketSpacing,
    started: Instant,
}

impl Schedule {
    /// When the next packet leaves: `now` is the time of the last one, which had the size `sent`, or the start.
    fn next(&mut self, now: Instant, sent: Option<Bytes>) -> Option<Instant> {
        let steps = &self.config.steps.0;
        let elapsed = now - self.started;
        let current = steps.iter().rposition(|(at, _)| *at <= elapsed);
        let rate = current.map_or(Rate::default(), |i| steps[i].1);
        let later = &steps[current.map_or(0, |i| i + 1)..];
        let following = later.iter().find(|(_, r)| r.as_bps() > 0).map(|(at, _)| self.started + *at);
        if rate.as_bps() == 0 {
            return following;
        }
        let Some(size) = sent else { return Some(now) };
        let change = later.first().map(|(at, _)| self.started + *at);
        let next = now + self.spacing.gap(rate, size);
        match change {
            // The rate changes first: the gap starts anew at the new rate's step.
            Some(at) if next >= at => following,
            _ => Some(next),
        }
    }
}

impl Application for Schedule {
    fn on_start(&mut self, cx: &mut AppContext<'_>) {
        self.started = cx.now();
        if let Some(first) = self.next(cx.now(), None) {
            cx.wake_at(first);
        }
    }

    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        let size = draw_payload(&self.config.size, cx.rng());
        if let Some(next) = self.next(cx.now(), Some(size)) {
            cx.wake_at(next);
        }
        cx.send(EndpointRole::Client, Datagram::of(size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::times;

    #[test]
    fn a_schedule_changes_rate_when_it_says() {
        // The third paper's flood: 2, 0.08, 2 Mbit/s, scaled down to seconds.
        let steps = RateSteps(vec![
            (Duration::ZERO, Rate::from_mbit(2)),
            (Duration::from_secs(5), Rate::default()),
            (Duration::from_secs(6), Rate::from_bps(80_000)),
        ]);
        let config = ScheduleConfig { steps, size: Bytes(1000).into() };
        let t = times(config.build(), Instant::from_secs(10));
        let within = |a: f64, b: f64| t.iter().filter(|t| **t >= a && **t < b).count();
        assert_eq!([within(0.0, 5.0), within(5.0, 6.0), within(6.0, 10.0)], [1250, 0, 40]);
        let told = |s| {
            let bursts = config.bursts(Duration::from_secs(s)).into_iter();
            bursts.map(|(from, until)| (from.as_secs_f64(), until.as_secs_f64())).collect::<Vec<_>>()
        };
        assert_eq!(told(10), [(0.0, 5.0), (6.0, 10.0)]);
        assert_eq!(told(4), [(0.0, 4.0)]);
    }
}

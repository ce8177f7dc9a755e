//! Pings over UDP: datagrams that the far end sends back (RFC 862, echo), as of iputils' ping.
//!
//! A datagram carries the time at which it left, so that the round trip is known when it is back, whatever has been lost or
//! has overtaken it. Departure: ping sends ICMP messages, whose headers take as many bytes as UDP's.

use crate::application::{AppContext, Application, Datagram, EndpointRole};
use crate::bounds::COUNTS;
use crate::registry::{AppKind, OfferedTraffic, RequiredTransport};
use tailrace_core::{Bytes, Duration, DurationDist, Instant, Rate};

tailrace_core::parameters! {
    /// Keys of `ping`.
    pub struct PingConfig {
        /// The time from one datagram to the next; a duration or a distribution. If it is too short, pings load the
        /// path that they measure.
        interval: DurationDist = DurationDist::Constant(Duration::from_secs(1)), "iputils ping",
            in "1 us"..="87600 h": "each datagram takes computing time | no run lasts longer";
        /// The payload of each datagram, on the way there and back.
        size: Bytes = Bytes(56), "iputils ping", in "8 B"..="65535 B": "it carries the time at which it left | no IP packet has more";
        /// After how many datagrams the flow ends. `"auto"`: it goes on until `stop`.
        count: Option<u32> = None, "iputils ping", within COUNTS;
    }
}

impl AppKind for PingConfig {
    const SUMMARY: &'static str =
        "Datagrams that the other end sends back; results have the round-trip times in `rtt_s`.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Datagrams;
    const TWO_WAY: bool = true;
    type App = Ping;

    fn build(&self) -> Ping {
        Ping { config: self.clone(), sent: 0 }
    }
    fn traffic(&self) -> Option<OfferedTraffic> {
        let bits = self.size.get() * 8_000_000_000;
        let rate = Rate::from_bps(bits / self.interval.mean().as_nanos().max(1));
        Some(OfferedTraffic::of_one_size(rate, self.size, self.interval.is_constant()))
    }
    fn is_random(&self) -> bool {
        !self.interval.is_constant()
    }
}

/// The running application.
#[derive(Debug)]
pub struct Ping {
    config: PingConfig,
    sent: u32,
}

impl Application for Ping {
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        let PingConfig { interval, size, count } = self.config;
        self.sent = self.sent.saturating_add(1);
        if count.is_none_or(|n| self.sent < n) {
            let gap = interval.draw(cx.rng()).max(Duration::from_nanos(1));
            cx.wake_at(cx.now().saturating_add(gap));
        }
        cx.send(EndpointRole::Client, Datagram { stamp: cx.now().as_nanos(), ..Datagram::of(size) });
    }

    fn on_datagram(&mut self, at: EndpointRole, datagram: Datagram, cx: &mut AppContext<'_>) {
        match at {
            EndpointRole::Server => cx.send(EndpointRole::Server, datagram),
            EndpointRole::Client => cx.round_trip(cx.now() - Instant::from_nanos(datagram.stamp)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{AppAction, AppActions};
    use crate::testing::times;
    use tailrace_core::Rng;

    #[test]
    fn count_datagrams_leave_at_the_interval() {
        let config = PingConfig { count: Some(3), ..Default::default() };
        assert_eq!(times(config.build(), Instant::MAX), [0.0, 1.0, 2.0]);
        assert_eq!(config.traffic().map(|t| t.rate), Some(Rate::from_bps(56 * 8)));
    }

    #[test]
    fn the_far_end_sends_back_what_came_and_the_round_trip_is_measured() {
        let (mut ping, mut rng) = (PingConfig::default().build(), Rng::new(1));
        let mut tell = |at, end, datagram| {
            let mut actions = AppActions::default();
            ping.on_datagram(
                end,
                datagram,
                &mut AppContext::new(Instant::from_millis(at), &mut rng, &mut actions),
            );
            (actions.datagram(), actions.others().next())
        };
        let sent = Datagram { payload: 56, stamp: 5_000_000 };
        assert_eq!(tell(15, EndpointRole::Server, sent), (Some((EndpointRole::Server, sent)), None));
        let round_trip = AppAction::RoundTrip(Duration::from_millis(23));
        assert_eq!(tell(28, EndpointRole::Client, sent), (None, Some(round_trip)));
    }
}

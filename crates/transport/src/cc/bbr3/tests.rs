use super::*;
use crate::cc::FlowSample;
use crate::config::TcpConfig;

const RTT: Duration = Duration::from_millis(100);

/// A path of 1 MB/s and 100 ms: a product of 100 kB. Deliveries of one segment each, a millisecond apart.
struct Path {
    bbr: Bbr3,
    now: Instant,
    total: u64,
    rate: f64,
    in_flight: u64,
    /// Bytes that this ACK tells are lost, and those lost since the delivered segment was sent.
    lost: (u64, u64),
    repair: Repair,
}

impl Path {
    fn new() -> Self {
        let config = TcpConfig { iw: Some(10), ..TcpConfig::default() };
        let mut bbr = Bbr3::build(&Bbr3Config::default(), &Setup::new(&config, 1000));
        let now = Instant::from_secs(1);
        (bbr.model.min_rtt_at, bbr.model.probe_rtt_at) = (now, now);
        Self { bbr, now, total: 0, rate: 1e6, in_flight: 100_000, lost: (0, 0), repair: Repair::None }
    }
    fn deliver(&mut self) {
        self.total += 1000;
        let rate = RateSample {
            bytes_per_sec: self.rate,
            prior_delivered: self.total.saturating_sub(100_000),
            app_limited: false,
            sent_in_flight: self.in_flight,
            lost: self.lost.1,
        };
        let flow = FlowSample {
            total: self.total,
            delivered: 1000,
            lost: core::mem::take(&mut self.lost.0),
            rtt: Some(RTT),
            rate: Some(rate),
        };
        let flight = Bytes(self.in_flight);
        self.bbr.on_delivery(&Delivery {
            flow,
            prior_in_flight: flight,
            in_flight: flight,
            repair: self.repair,
            ..Delivery::at(self.now)
        });
        self.now += Duration::from_millis(1);
    }
    fn rounds(&mut self, n: u64) {
        (0..100 * n).for_each(|_| self.deliver());
    }
    fn until(&mut self, state: Bbr3State) {
        for _ in 0..10_000 {
            if self.bbr.state() == state {
                return;
            }
            self.deliver();
        }
        panic!("{state:?} never came: {:?}", self.bbr.model);
    }
    fn steady() -> Self {
        let mut p = Self::new();
        p.until(Bbr3State::Cruise);
        p
    }
}

#[test]
fn startup_ends_at_a_plateau_of_three_rounds() {
    let mut p = Path::new();
    p.in_flight = 200_000;
    for rate in [2e5, 4e5, 8e5, 1e6] {
        p.rate = rate;
        p.rounds(1);
        assert!((p.bbr.pacing - 2.77 * 0.99 * rate).abs() < 1.0, "{}", p.bbr.pacing);
    }
    assert_eq!(p.bbr.state(), Bbr3State::Startup);
    p.rounds(3);
    assert_eq!((p.bbr.state(), p.bbr.gains().0), (Bbr3State::Drain, 0.35));
    p.in_flight = 100_000;
    p.deliver();
    // Drained, and with no bound on the flight there is nothing to wait for in Down.
    assert_eq!(p.bbr.state(), Bbr3State::Cruise);
}

#[test]
fn startup_ends_after_a_round_of_recovery_with_six_losses_and_two_percent() {
    let ends = |losses: u64, share: u64| {
        let mut p = Path::new();
        for round in 0..4 {
            // Still growing by a half each round.
            p.rate *= 1.5;
            for i in 0..100 {
                if round > 0 {
                    p.repair = Repair::Loss;
                    p.lost = (if round == 1 && i < losses { 1000 } else { 0 }, share * 1000);
                }
                p.deliver();
            }
        }
        p.bbr.state() != Bbr3State::Startup
    };
    assert_eq!([ends(6, 3), ends(5, 3), ends(6, 2)], [true, false, false]);
}

#[test]
fn cruising_ends_after_two_to_three_seconds_or_sixty_three_rounds() {
    let mut p = Path::steady();
    let start = p.now;
    p.until(Bbr3State::Refill);
    let waited = p.now.saturating_since(start).as_millis();
    assert!((2_000..=3_001).contains(&waited), "{waited}");
    // A product of five segments: Reno would probe every five rounds, one of which may count already.
    let mut p = Path::steady();
    p.bbr.model.rates = [5e4; 2];
    p.rate = 5e4;
    let start = p.now;
    p.until(Bbr3State::Refill);
    let waited = p.now.saturating_since(start).as_millis();
    assert!((300..=600).contains(&waited), "{waited}");
}

#[test]
fn refilling_takes_a_round_and_going_up_ends_without_more_rate() {
    let mut p = Path::steady();
    p.until(Bbr3State::Refill);
    let start = p.now;
    p.until(Bbr3State::Up);
    assert_eq!(p.now.saturating_since(start).as_millis(), 100);
    assert_eq!(p.bbr.gains(), (1.25, 2.25));
    let start = p.now;
    p.in_flight = 125_000;
    p.until(Bbr3State::Down);
    // Three rounds without a quarter more than at the start.
    assert_eq!(p.now.saturating_since(start).as_millis(), 300);
    assert_eq!(p.bbr.gains().0, 0.9);
}

#[test]
fn losses_while_probing_bound_the_flight_and_cruising_leaves_headroom() {
    let mut p = Path::steady();
    p.until(Bbr3State::Up);
    p.in_flight = 120_000;
    // Two percent of 120 are 2.4 segments.
    p.lost = (2_000, 2_000);
    p.deliver();
    assert_eq!((p.bbr.state(), p.bbr.model.longterm), (Bbr3State::Up, NO_BOUND));
    p.lost = (1_000, 3_000);
    p.deliver();
    assert_eq!((p.bbr.state(), p.bbr.model.longterm), (Bbr3State::Down, 120_000));
    // 120 less 15 % are 102: it waits for that and for the product, 100.
    (p.in_flight, p.lost) = (101_000, (0, 0));
    p.deliver();
    assert_eq!(p.bbr.state(), Bbr3State::Down);
    p.in_flight = 100_000;
    p.deliver();
    assert_eq!((p.bbr.state(), p.bbr.cwnd()), (Bbr3State::Cruise, Bytes(102_000)));
}

#[test]
fn losses_while_cruising_lower_rate_and_flight_by_at_most_three_tenths_until_the_next_probe() {
    let mut p = Path::steady();
    p.rounds(1);
    // The path delivers eight tenths: that is what the bounds follow. Then half, of which beta allows seven tenths.
    p.rate = 8e5;
    p.rounds(2);
    p.lost = (1000, 1000);
    p.rounds(2);
    assert!((p.bbr.rate() - 8e5).abs() < 1.0, "{}", p.bbr.rate());
    p.rate = 2e5;
    p.rounds(2);
    p.lost = (1000, 1000);
    p.rounds(2);
    assert!((p.bbr.rate() - 0.7 * 8e5).abs() < 1.0, "{}", p.bbr.rate());
    p.until(Bbr3State::Refill);
    assert!((p.bbr.rate() - 1e6).abs() < 1.0, "{}", p.bbr.rate());
}

#[test]
fn the_bound_grows_by_twice_as_much_each_round() {
    let mut p = Path::steady();
    p.until(Bbr3State::Refill);
    p.bbr.model.longterm = 100_000;
    p.until(Bbr3State::Up);
    assert_eq!(p.bbr.cwnd(), Bytes(100_000));
    let mut before = 100_000.0;
    for growth in [1.0, 2.0, 4.0] {
        for _ in 0..100 {
            p.in_flight = p.bbr.cwnd;
            p.deliver();
        }
        let bound = p.bbr.model.longterm as f64;
        let grown = (bound - before) / 1000.0;
        assert!((grown - growth).abs() < 0.2 * growth, "{growth}: {grown}");
        before = bound;
    }
}

#[test]
fn the_flight_is_halved_every_five_seconds_for_200_ms() {
    let mut p = Path::steady();
    p.until(Bbr3State::ProbeRtt);
    assert!(p.now.saturating_since(Instant::from_millis(6_001)) <= Duration::from_millis(1), "{:?}", p.now);
    assert_eq!(p.bbr.cwnd(), Bytes(50_000));
    p.in_flight = 50_000;
    let start = p.now;
    p.until(Bbr3State::Cruise);
    let lasted = p.now.saturating_since(start).as_millis();
    assert!((200..=203).contains(&lasted), "{lasted}");
    assert_eq!(p.bbr.cwnd(), Bytes(200_000));
}

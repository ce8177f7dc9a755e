use super::*;
use crate::cc::{FlowSample, RateSample};
use crate::config::TcpConfig;

const RTT: Duration = Duration::from_millis(100);

/// A path of 1 MB/s and 100 ms: a product of 100 kB. Deliveries of one segment each, `in_flight` as told.
struct Path {
    bbr: Bbr,
    now: Instant,
    total: u64,
    rate: f64,
    in_flight: u64,
    lost: u64,
    repair: Repair,
}

impl Path {
    fn new() -> Self {
        let config = TcpConfig { iw: Some(10), ..TcpConfig::default() };
        let mut bbr = Bbr::build(&BbrConfig::default(), &Setup::new(&config, 1000));
        bbr.model.min_rtt_at = Instant::from_secs(1);
        let now = Instant::from_secs(1);
        Self { bbr, now, total: 0, rate: 1e6, in_flight: 100_000, lost: 0, repair: Repair::None }
    }
    /// Delivers one segment that was sent a bandwidth-delay product ago.
    fn deliver(&mut self) {
        self.total += 1000;
        let flow = FlowSample {
            total: self.total,
            delivered: 1000,
            lost: core::mem::take(&mut self.lost),
            rtt: Some(RTT),
            rate: Some(RateSample {
                bytes_per_sec: self.rate,
                prior_delivered: self.total.saturating_sub(100_000),
                app_limited: false,
                sent_in_flight: 0,
                lost: 0,
            }),
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
    fn mode(&self) -> BbrMode {
        self.bbr.mode()
    }
    fn steady() -> Self {
        let mut p = Self::new();
        p.rounds(6);
        assert_eq!(p.mode(), BbrMode::ProbeBw);
        p
    }
}

#[test]
fn startup_ends_after_three_rounds_without_a_quarter_more_rate_and_drain_with_one_product_in_flight() {
    let mut p = Path::new();
    for rate in [2e5, 4e5, 8e5, 1e6] {
        p.rate = rate;
        p.in_flight = 280_000;
        p.rounds(1);
        assert_eq!(p.mode(), BbrMode::Startup);
        // Gain 2.885 less the margin of one percent.
        assert!((p.bbr.pacing - 2.885 * 0.99 * rate).abs() < 1.0);
    }
    // 1e6 is a quarter more than 8e5; then come three rounds of no growth.
    p.rounds(3);
    assert_eq!(p.mode(), BbrMode::Drain);
    assert!((p.bbr.pacing - 0.99e6 / 2.885).abs() < 1.0, "{}", p.bbr.pacing);
    p.in_flight = 101_000;
    p.rounds(1);
    assert_eq!(p.mode(), BbrMode::Drain);
    p.in_flight = 100_000;
    p.deliver();
    assert_eq!(p.mode(), BbrMode::ProbeBw);
}

#[test]
fn probing_cycles_through_eight_gains_of_a_round_trip_each() {
    let mut p = Path::steady();
    while p.bbr.model.phase != 7 {
        p.deliver();
    }
    let mut seen = Vec::new();
    for _ in 0..1_000 {
        // A probe's queue builds up once it has lasted a round trip, and drains within half of one.
        p.in_flight = match p.bbr.model.phase {
            0 => 125_000,
            1 if p.now.saturating_since(p.bbr.model.phase_at) < Duration::from_millis(50) => 120_000,
            _ => 100_000,
        };
        let before = p.bbr.model.phase;
        let since = p.bbr.model.phase_at;
        p.deliver();
        if p.bbr.model.phase != before {
            seen.push((before, p.bbr.model.phase_at.saturating_since(since).as_millis()));
        }
    }
    let gains: Vec<_> = seen.iter().take(9).skip(1).map(|s| CYCLE[s.0]).collect();
    assert_eq!(gains, CYCLE);
    let times: Vec<_> = seen.iter().take(9).skip(1).map(|s| s.1).collect();
    assert_eq!(times, [101, 50, 101, 101, 101, 101, 101, 101]);
}

#[test]
fn probing_for_rate_lasts_until_the_flight_shows_it_or_something_is_lost() {
    let mut p = Path::steady();
    p.bbr.model.phase = 0;
    p.in_flight = 110_000;
    p.rounds(3);
    assert_eq!(p.bbr.model.phase, 0);
    p.lost = 1000;
    p.deliver();
    assert_eq!(p.bbr.model.phase, 1);
}

#[test]
fn the_window_is_two_products_and_three_quanta() {
    // 2 * 100 kB; a quantum at 0.99 to 1.25 MB/s is below two segments, so it is two: 6 kB.
    let mut p = Path::steady();
    p.rounds(3);
    assert_eq!(p.bbr.cwnd(), Bytes(206_000));
}

#[test]
fn the_rate_is_the_largest_of_ten_rounds() {
    let mut p = Path::steady();
    p.rate = 5e5;
    p.rounds(9);
    assert_eq!(p.bbr.rate(), 1e6);
    p.rounds(2);
    assert_eq!(p.bbr.rate(), 5e5);
}

#[test]
fn the_flight_falls_to_four_segments_every_ten_seconds_for_200_ms() {
    let mut p = Path::steady();
    while p.mode() != BbrMode::ProbeRtt {
        p.deliver();
        assert!(p.now < Instant::from_secs(12));
    }
    // The least round trip was seen at 1 s.
    assert!(p.now.saturating_since(Instant::from_millis(11_001)) <= Duration::from_millis(1), "{:?}", p.now);
    assert!(p.bbr.cwnd() == Bytes(4_000) && p.bbr.holds_back());
    p.in_flight = 4_000;
    let start = p.now;
    while p.mode() == BbrMode::ProbeRtt {
        p.deliver();
    }
    let lasted = p.now.saturating_since(start).as_millis();
    assert!((200..=203).contains(&lasted), "{lasted}");
    assert_eq!((p.mode(), p.bbr.cwnd()), (BbrMode::ProbeBw, Bytes(206_000)));
}

#[test]
fn a_loss_conserves_the_flight_for_a_round_and_costs_nothing_after() {
    let mut p = Path::steady();
    p.rounds(3);
    let event = |signal| CongestionEvent { now: Instant::ZERO, signal, base: Bytes(0) };
    p.bbr.on_congestion(&event(Signal::Loss));
    (p.repair, p.lost, p.in_flight) = (Repair::Loss, 1000, 98_000);
    p.deliver();
    assert_eq!(p.bbr.cwnd(), Bytes(99_000));
    p.repair = Repair::None;
    p.deliver();
    assert_eq!(p.bbr.cwnd(), Bytes(206_000));
    p.bbr.on_congestion(&event(Signal::Timeout));
    assert_eq!(p.bbr.cwnd(), Bytes(1_000));
    (p.repair, p.in_flight) = (Repair::Timeout, 0);
    p.deliver();
    assert_eq!(p.bbr.cwnd(), Bytes(2_000));
    p.repair = Repair::None;
    p.deliver();
    assert_eq!(p.bbr.cwnd(), Bytes(206_000));
}

//! BBR version 3 (draft-ietf-ccwg-bbr-04): version 1's model, with bounds learnt from loss.
//!
//! The flight has a long-term bound, where probing lost more than two percent, and a short-term one beside that of the
//! rate, which follow what was delivered in rounds with losses until the next probe. ProbeBW goes down (0.9), cruises
//! with headroom, refills, and goes up (1.25) until rate or loss say stop; it probes every two to three seconds, or as
//! often as Reno would lose. ProbeRTT halves the flight every five seconds.
//!
//! Readings: Drain paces at 0.35 (§5.3.2; the table of §5.6.1 says 0.5). The filter of rates moves on once a cycle, as
//! §5.5.6 says and Linux does; the pseudo-code of §5.3.3.6 taken literally would move it each round. A range of losses is
//! what one ACK makes known. Departures: the state of a lost segment when it was sent (§5.5.10.2) is taken from the newest
//! segment delivered by the ACK that tells of the loss, which was sent at most a few segments later. What the draft draws at
//! random comes from the clock. No allowance for aggregated ACKs (extra_acked); marks are ignored.

mod probe;

use super::bbr::{LEAST, quanta};
use super::delegation::plain;
use super::{
    AckSample, Algorithm, CongestionControl, CongestionEvent, Delivery, Needs, RateSample, Repair, Setup,
    Signal,
};
use tailrace_core::{Bytes, Duration, Instant, Rate, parameters};

/// §2.8: no bound.
const NO_BOUND: u64 = u64::MAX;
/// §5.3.1.2: rounds without a quarter more rate that mean a full pipe.
const FULL_ROUNDS: u8 = 3;
/// §5.3.1.3: losses in a round that end Startup.
const FULL_LOSSES: u32 = 6;
const PACING_MARGIN: f64 = 0.99;

parameters! {
    /// Parameters of BBR version 3.
    pub struct Bbr3Config {
        /// Largest share of the packets in flight that may be lost in a round trip before BBR reduces its bounds. A
        /// larger share tolerates small buffers, and hurts other flows in them.
        loss_thresh: f64 = 0.02, "draft-ietf-ccwg-bbr-04 §2.7", in 0.0..=1.0: "it is a share of a whole";
        /// The factor by which the bounds are reduced in a round trip with losses; they are not reduced further.
        beta: f64 = 0.7, "draft-ietf-ccwg-bbr-04 §2.7", in 0.0..=1.0: "it is a share of a whole";
        /// The share of the long-term bound that is left to other flows while BBR cruises.
        headroom: f64 = 0.15, "draft-ietf-ccwg-bbr-04 §2.7", in 0.0..=1.0: "it is a share of a whole";
        /// By how much faster than the measured bandwidth BBR sends in its Startup phase. A smaller value fills the
        /// path more slowly.
        startup_gain: f64 = 2.77, "draft-ietf-ccwg-bbr-04 §5.3.1.1", in 1.01..=100.0: "start-up would not grow | start-up would flood the path";
        /// Interval at which the amount in flight is halved to measure the smallest round-trip time.
        probe_rtt_interval: Duration = Duration::from_secs(5), "draft-ietf-ccwg-bbr-04 §5.3.4.1", in "1 ms"..="1000 h": "the round trip is measured anew each time, which takes rate | no run lasts as long";
    }
}

/// State of BBR version 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bbr3State {
    /// Doubling the rate each round.
    Startup,
    /// Emptying the queue that Startup built.
    Drain,
    /// Emptying the queue that probing built.
    Down,
    /// At the estimated rate, with headroom.
    Cruise,
    /// At the estimated rate, filling the pipe.
    Refill,
    /// Probing for more rate.
    Up,
    /// Halving the flight to see the least round trip.
    ProbeRtt,
}

/// Phase of a probe that the present ACKs belong to (§2.10, ack_phase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    Nothing,
    Starting,
    Feedback,
    Stopping,
}

/// State of BBR version 3. Rates are in bytes a second, windows in bytes.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    setup: Setup,
    config: Bbr3Config,
    cwnd: u64,
    /// Zero before the first sample.
    pacing: f64,
    model: Box<Model>,
}

#[derive(Clone, Debug)]
struct Model {
    state: Bbr3State,
    /// Largest rates of the last cycle and of this.
    rates: [f64; 2],
    round_end: u64,
    round_start: bool,
    min_rtt: Duration,
    min_rtt_at: Instant,
    probe_rtt: Duration,
    probe_rtt_at: Instant,
    probe_rtt_expired: bool,
    probe_rtt_end: Option<Instant>,
    probe_rtt_round_done: bool,
    restarting: bool,
    full_rate: f64,
    full_rounds: u8,
    full_now: bool,
    full_reached: bool,
    /// Bounds; none at [`NO_BOUND`] or infinity.
    longterm: u64,
    shortterm: u64,
    shortterm_rate: f64,
    /// Largest of this round.
    latest_rate: f64,
    latest_flight: u64,
    loss_round_end: u64,
    loss_round_start: bool,
    loss_in_round: bool,
    loss_events: u32,
    ack_phase: AckPhase,
    /// Losses of the present probe have not been answered.
    probing: bool,
    cycle_at: Instant,
    probe_wait: Duration,
    rounds_since_probe: u64,
    up_rounds: u32,
    up_acked: u64,
    /// Bytes acknowledged for each byte that the long-term bound grows.
    up_count: u64,
    repair: Repair,
    prior_cwnd: u64,
}

impl Algorithm for Bbr3 {
    type Config = Bbr3Config;
    const SUMMARY: &'static str =
        "BBR that also limits by losses how much may be in flight (version 3, a draft)";
    const CITATION: &'static str = "draft-ietf-ccwg-bbr-04";
    fn build(config: &Bbr3Config, setup: &Setup) -> Self {
        let config = Bbr3Config {
            loss_thresh: config.loss_thresh.clamp(0.0, 1.0),
            beta: config.beta.clamp(0.0, 1.0),
            headroom: config.headroom.clamp(0.0, 1.0),
            startup_gain: config.startup_gain.clamp(1.01, 100.0),
            probe_rtt_interval: config.probe_rtt_interval,
        };
        Self { setup: *setup, config, cwnd: setup.initial_window, pacing: 0.0, model: Box::new(Model::new()) }
    }
}

impl CongestionControl for Bbr3 {
    plain! { on_round_trip, on_resumed, on_undo, on_flight_after_timeout, penalise, leaves_recovery_on_partial_ack }

    fn on_established(&mut self, setup: &Setup) {
        self.setup = *setup;
        self.cwnd = setup.initial_window;
    }

    /// All is done on delivery, which recovery does not interrupt.
    fn on_ack(&mut self, _ack: &AckSample) {}

    /// §5.6.4.4.
    fn on_congestion(&mut self, event: &CongestionEvent) {
        if event.signal == Signal::Ecn {
            return;
        }
        let m = &mut *self.model;
        let fresh = m.repair == Repair::None && m.state != Bbr3State::ProbeRtt;
        m.prior_cwnd = if fresh { self.cwnd } else { m.prior_cwnd.max(self.cwnd) };
        if event.signal != Signal::Loss {
            m.repair = Repair::Timeout;
            self.cwnd = self.setup.mss;
        }
    }

    /// §5.2.3 and §5.2.4.
    fn on_delivery(&mut self, d: &Delivery) {
        if d.flow.lost > 0 {
            self.on_loss(d);
        }
        self.update_latest(d);
        self.adapt_shortterm();
        self.check_full(d);
        self.check_startup(d);
        if self.model.state == Bbr3State::Drain && d.in_flight.get() <= self.inflight(1.0) {
            self.start_down(d);
        }
        self.advance_cycle(d);
        self.update_min_rtt(d);
        self.check_probe_rtt(d);
        if self.model.loss_round_start {
            let (rate, flight) = d.flow.rate.map_or((0.0, 0), |s| (s.bytes_per_sec, delivered(&s, d)));
            (self.model.latest_rate, self.model.latest_flight) = (rate, flight);
        }
        self.set_pacing(self.gains().0);
        self.set_cwnd(d);
    }

    fn on_idle(&mut self, _idle: Duration, _rto: Duration, _floor: Bytes, _decay: Option<u32>) {
        self.model.restarting = true;
        if self.is_in_probe_bw() {
            self.set_pacing(1.0);
        }
    }
    fn on_recovered(&mut self, cap: Bytes) {
        self.cwnd = self.cwnd.min(cap.get()).max(self.setup.mss);
    }
    fn needs(&self) -> Needs {
        Needs { deliveries: true, rates: true, pacing: true, ..Needs::NOTHING }
    }
    fn holds_back(&self) -> bool {
        self.model.state == Bbr3State::ProbeRtt
    }
    fn cwnd(&self) -> Bytes {
        Bytes(self.cwnd)
    }
    fn ssthresh(&self) -> Option<Bytes> {
        None
    }
    fn pacing_rate(&self) -> Option<Rate> {
        (self.pacing > 0.0).then(|| Rate::from_bps((self.pacing * 8.0) as u64))
    }
}

/// Bytes delivered since the sample's segment was sent.
fn delivered(sample: &RateSample, d: &Delivery) -> u64 {
    d.flow.total - sample.prior_delivered
}

impl Model {
    fn new() -> Self {
        Self {
            state: Bbr3State::Startup,
            rates: [0.0; 2],
            round_end: 0,
            round_start: false,
            min_rtt: Duration::MAX,
            min_rtt_at: Instant::ZERO,
            probe_rtt: Duration::MAX,
            probe_rtt_at: Instant::ZERO,
            probe_rtt_expired: false,
            probe_rtt_end: None,
            probe_rtt_round_done: false,
            restarting: false,
            full_rate: 0.0,
            full_rounds: 0,
            full_now: false,
            full_reached: false,
            longterm: NO_BOUND,
            shortterm: NO_BOUND,
            shortterm_rate: f64::INFINITY,
            latest_rate: 0.0,
            latest_flight: 0,
            loss_round_end: 0,
            loss_round_start: false,
            loss_in_round: false,
            loss_events: 0,
            ack_phase: AckPhase::Nothing,
            probing: false,
            cycle_at: Instant::ZERO,
            probe_wait: Duration::ZERO,
            rounds_since_probe: 0,
            up_rounds: 0,
            up_acked: 0,
            up_count: u64::MAX,
            repair: Repair::None,
            prior_cwnd: 0,
        }
    }

    fn max_rate(&self) -> f64 {
        self.rates[0].max(self.rates[1])
    }

    fn reset_full(&mut self, rate: f64) {
        (self.full_rate, self.full_rounds, self.full_now) = (rate, 0, false);
    }

    fn reset_shortterm(&mut self) {
        (self.shortterm, self.shortterm_rate) = (NO_BOUND, f64::INFINITY);
    }
}

/// Model of the path: rates and rounds (§5.5.1 to §5.5.6), losses (§5.5.10).
impl Bbr3 {
    /// Its state.
    pub const fn state(&self) -> Bbr3State {
        self.model.state
    }

    fn update_latest(&mut self, d: &Delivery) {
        let m = &mut *self.model;
        (m.round_start, m.loss_round_start) = (false, false);
        let Some(sample) = d.flow.rate else { return };
        m.latest_rate = m.latest_rate.max(sample.bytes_per_sec);
        m.latest_flight = m.latest_flight.max(delivered(&sample, d));
        if sample.prior_delivered >= m.loss_round_end {
            m.loss_round_end = d.flow.total;
            m.loss_round_start = true;
        }
        if sample.prior_delivered >= m.round_end {
            m.round_end = d.flow.total;
            m.rounds_since_probe += 1;
            m.round_start = true;
        }
        if !sample.app_limited || sample.bytes_per_sec >= m.max_rate() {
            m.rates[1] = m.rates[1].max(sample.bytes_per_sec);
        }
    }

    fn on_loss(&mut self, d: &Delivery) {
        let m = &mut *self.model;
        if !m.loss_in_round {
            m.loss_round_end = d.flow.total;
        }
        m.loss_in_round = true;
        m.loss_events += 1;
        let probing = m.probing;
        if let Some(sample) = d.flow.rate.filter(|s| probing && self.is_inflight_too_high(s)) {
            self.on_inflight_too_high(&sample, d);
        }
    }

    fn is_inflight_too_high(&self, sample: &RateSample) -> bool {
        sample.lost as f64 > sample.sent_in_flight as f64 * self.config.loss_thresh
    }

    fn on_inflight_too_high(&mut self, sample: &RateSample, d: &Delivery) {
        self.model.probing = false;
        if !sample.app_limited {
            let least = (self.target() as f64 * self.config.beta) as u64;
            self.model.longterm = sample.sent_in_flight.max(least);
        }
        if self.model.state == Bbr3State::Up {
            self.start_down(d);
        }
    }

    /// §5.5.10.3: once a round, unless probing.
    fn adapt_shortterm(&mut self) {
        let (beta, cwnd) = (self.config.beta, self.cwnd);
        let m = &mut *self.model;
        if !m.loss_round_start {
            return;
        }
        let accelerates = matches!(m.state, Bbr3State::Startup | Bbr3State::Refill | Bbr3State::Up);
        if m.loss_in_round && !accelerates {
            let rate = m.shortterm_rate.min(m.max_rate());
            let flight = if m.shortterm == NO_BOUND { cwnd } else { m.shortterm };
            m.shortterm_rate = m.latest_rate.max(beta * rate);
            m.shortterm = m.latest_flight.max((beta * flight as f64) as u64);
        }
        if m.state != Bbr3State::Startup {
            m.loss_in_round = false;
        }
    }

    /// §5.3.1.2.
    fn check_full(&mut self, d: &Delivery) {
        let m = &mut *self.model;
        let Some(sample) = d.flow.rate.filter(|s| !s.app_limited) else { return };
        if m.full_now || !m.round_start {
            return;
        }
        if sample.bytes_per_sec >= m.full_rate * 1.25 {
            m.reset_full(sample.bytes_per_sec);
            return;
        }
        m.full_rounds += 1;
        m.full_now = m.full_rounds >= FULL_ROUNDS;
        m.full_reached |= m.full_now;
    }

    /// §5.3.1.3: a round of recovery with many losses ends Startup, too.
    fn check_startup(&mut self, d: &Delivery) {
        if self.model.state != Bbr3State::Startup {
            return;
        }
        if self.model.loss_round_start {
            let recovers = d.repair == Repair::Loss && self.model.repair == Repair::Loss;
            let many = self.model.loss_events >= FULL_LOSSES;
            if recovers && many && d.flow.rate.is_some_and(|s| self.is_inflight_too_high(&s)) {
                self.model.full_reached = true;
                self.model.longterm = self.product(1.0).max(self.model.latest_flight);
            }
            (self.model.loss_in_round, self.model.loss_events) = (false, 0);
        }
        if self.model.full_reached {
            self.model.state = Bbr3State::Drain;
        }
    }
}

/// Rate and window (§5.6).
impl Bbr3 {
    /// (pacing, window) gains of the state.
    fn gains(&self) -> (f64, f64) {
        match self.model.state {
            Bbr3State::Startup => (self.config.startup_gain, 2.0),
            Bbr3State::Drain => (0.35, 2.0),
            Bbr3State::Down => (0.9, 2.0),
            Bbr3State::Cruise | Bbr3State::Refill => (1.0, 2.0),
            Bbr3State::Up => (1.25, 2.25),
            Bbr3State::ProbeRtt => (1.0, 0.5),
        }
    }

    fn rate(&self) -> f64 {
        self.model.max_rate().min(self.model.shortterm_rate)
    }

    fn least(&self) -> u64 {
        LEAST * self.setup.mss
    }

    fn product(&self, gain: f64) -> u64 {
        if self.model.min_rtt == Duration::MAX || self.rate() <= 0.0 {
            return self.setup.initial_window;
        }
        (gain * self.rate() * self.model.min_rtt.as_secs_f64()) as u64
    }

    /// §5.6.4.2: a multiple of the product, enough for the hosts' bursts.
    fn inflight(&self, gain: f64) -> u64 {
        let cap = self.product(gain).max(quanta(self.pacing, self.setup.mss)).max(self.least());
        cap + if self.model.state == Bbr3State::Up { 2 * self.setup.mss } else { 0 }
    }

    /// Target of the flight: the bandwidth-delay product, unless congestion cut the window.
    fn target(&self) -> u64 {
        self.product(1.0).min(self.cwnd)
    }

    fn with_headroom(&self) -> u64 {
        let bound = self.model.longterm;
        if bound == NO_BOUND {
            return NO_BOUND;
        }
        let room = ((bound as f64 * self.config.headroom) as u64).max(self.setup.mss);
        bound.saturating_sub(room).max(self.least())
    }

    fn probe_rtt_cwnd(&self) -> u64 {
        self.product(0.5).max(self.least())
    }

    /// Before the pipe is full the pacing rate never falls: early samples are too low.
    fn set_pacing(&mut self, gain: f64) {
        let rate = self.rate() * gain * PACING_MARGIN;
        if rate > 0.0 && (self.model.full_reached || rate > self.pacing) {
            self.pacing = rate;
        }
    }

    fn set_cwnd(&mut self, d: &Delivery) {
        if d.repair == Repair::None && self.model.repair != Repair::None {
            self.cwnd = self.cwnd.max(self.model.prior_cwnd);
        }
        self.model.repair = d.repair;
        let delivered = d.flow.delivered;
        let most = self.inflight(self.gains().1);
        if self.model.full_reached {
            self.cwnd = (self.cwnd + delivered).min(most);
        } else if self.cwnd < most || d.flow.total < self.setup.initial_window {
            self.cwnd += delivered;
        }
        self.cwnd = self.cwnd.max(self.least());
        if self.model.state == Bbr3State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        let cap = match self.model.state {
            Bbr3State::ProbeRtt | Bbr3State::Cruise => self.with_headroom(),
            Bbr3State::Down | Bbr3State::Refill | Bbr3State::Up => self.model.longterm,
            Bbr3State::Startup | Bbr3State::Drain => NO_BOUND,
        };
        self.cwnd = self.cwnd.min(cap.min(self.model.shortterm).max(self.least()));
    }
}

#[cfg(test)]
mod tests;

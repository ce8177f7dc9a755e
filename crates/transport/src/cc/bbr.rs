//! BBR version 1 (Cardwell, Cheng, Gunn, Yeganeh, Jacobson, "BBR: congestion-based congestion control", ACM Queue
//! 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00; Linux `tcp_bbr.c`).
//!
//! The path is modelled by its bottleneck's rate (the largest delivery rate of ten rounds) and its least round trip (of
//! ten seconds). Data is paced at about the rate, and the flight is bounded by a multiple of their product, whatever is
//! lost or marked. Eight phases of one least round trip each probe for more rate (1.25) and drain what that queued
//! (0.75); every ten seconds the flight falls to four segments to see the least round trip.
//!
//! Readings: after a loss the flight is conserved for one round, as in Linux, but not again where one recovery follows
//! upon another; after a timeout the window starts from one
//! segment and is then restored. Policers are found by long-term rates, as in Linux. Departures: the phase in which ProbeBW begins
//! comes from the clock instead of from a random number; no allowance for aggregated ACKs, an addition of Linux. Marks are
//! ignored. Without SACK, duplicate ACKs deliver nothing, so rates are seen only after a repair.

mod long_term;

use self::long_term::{LongTerm, Observation};
use super::delegation::plain;
use super::{
    AckSample, Algorithm, CongestionControl, CongestionEvent, Delivery, Needs, RateSample, Repair, Setup,
    Signal,
};
use tailrace_core::{Bytes, Duration, Instant, Rate, parameters};

/// Rounds whose largest rate counts: a cycle of ProbeBW and two.
const RATE_ROUNDS: usize = 10;
/// Pacing gains of ProbeBW's phases.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The least window, in segments: enough to keep ACKs coming with delayed ones.
pub(super) const LEAST: u64 = 4;
/// ProbeRTT lasts at least so long.
pub(super) const PROBE_RTT_TIME: Duration = Duration::from_millis(200);
/// Rounds without a quarter more rate that end Startup.
const FULL_ROUNDS: u8 = 3;

parameters! {
    /// Parameters of BBR.
    pub struct BbrConfig {
        /// By how much faster than the measured bandwidth BBR sends in its Startup phase. The default is the smallest
        /// value that doubles the delivery rate in each round trip; a smaller one fills the path more slowly.
        startup_gain: f64 = 2.885, "Cardwell 2016: 2 / ln 2", in 1.01..=100.0: "start-up would not grow | start-up would flood the path";
        /// Window after Startup, in bandwidth-delay products. With only one, BBR would stall when ACKs are delayed or
        /// bundled.
        cwnd_gain: f64 = 2.0, "Cardwell 2016", in 1.0..=100.0: "the window would starve | the window would flood the path";
        /// For how long the smallest measured round-trip time is trusted. A longer time notices later that the path
        /// has become longer; a shorter one gives up more rate to measure it.
        min_rtt_window: Duration = Duration::from_secs(10), "Cardwell 2016", in "1 ms"..="1000 h": "the round trip is measured anew each time, which takes rate | no run lasts as long";
        /// The share of the computed rate at which BBR really sends, so that waiting packets drain in time.
        pacing_margin: f64 = 0.99, "Linux tcp_bbr, bbr_pacing_margin_percent; 1 in the paper", in 0.1..=1.0: "with so small a share nothing would be sent | it is a share of the bandwidth";
        /// Whether to look for policers: where two intervals in a row lose a fifth and deliver at the same rate, BBR sends at that
        /// rate for 48 rounds. Without it, a policer with a large burst makes BBR lose about as much as gets through.
        policer_detection: bool = true, "Cardwell 2016; Linux tcp_bbr";
    }
}

/// State of BBR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BbrMode {
    /// Doubling the rate each round.
    Startup,
    /// Emptying the queue that Startup built.
    Drain,
    /// Cycling around the estimated rate.
    ProbeBw,
    /// Emptying the pipe to see the least round trip.
    ProbeRtt,
}

/// BBR's state. Rates are in bytes a second, windows in bytes.
#[derive(Clone, Debug)]
pub struct Bbr {
    setup: Setup,
    config: BbrConfig,
    cwnd: u64,
    /// Zero before the first sample.
    pacing: f64,
    model: Box<Model>,
}

#[derive(Clone, Debug)]
struct Model {
    mode: BbrMode,
    pacing_gain: f64,
    cwnd_gain: f64,
    /// The largest rate of each of the last rounds.
    rates: [f64; RATE_ROUNDS],
    round: usize,
    /// The round ends with the delivery of a segment sent after so much was delivered.
    round_end: u64,
    round_start: bool,
    min_rtt: Duration,
    min_rtt_at: Instant,
    /// The pipe was full when the rate was this, for so many rounds.
    full_rate: f64,
    full_rounds: u8,
    phase: usize,
    phase_at: Instant,
    /// End of ProbeRTT, once the flight is down.
    probe_end: Option<Instant>,
    probe_round_done: bool,
    restarting: bool,
    repair: Repair,
    conserving: bool,
    prior_cwnd: u64,
    long_term: LongTerm,
}

impl Algorithm for Bbr {
    type Config = BbrConfig;
    const SUMMARY: &'static str =
        "Measures the path's rate and round-trip time, and sends at that rate (version 1)";
    const CITATION: &'static str = "Cardwell et al., ACM Queue 14(5), 2016";
    fn build(config: &BbrConfig, setup: &Setup) -> Self {
        let config = BbrConfig {
            startup_gain: config.startup_gain.clamp(1.01, 100.0),
            cwnd_gain: config.cwnd_gain.clamp(1.0, 100.0),
            min_rtt_window: config.min_rtt_window,
            pacing_margin: config.pacing_margin.clamp(0.1, 1.0),
            policer_detection: config.policer_detection,
        };
        let model = Model::new(config.startup_gain);
        Self { setup: *setup, config, cwnd: setup.initial_window, pacing: 0.0, model: Box::new(model) }
    }
}

impl CongestionControl for Bbr {
    plain! { on_round_trip, on_resumed, on_flight_after_timeout, penalise, leaves_recovery_on_partial_ack }

    fn on_established(&mut self, setup: &Setup) {
        self.setup = *setup;
        self.cwnd = setup.initial_window;
    }

    /// All is done on delivery, which recovery does not interrupt.
    fn on_ack(&mut self, _ack: &AckSample) {}

    fn on_congestion(&mut self, event: &CongestionEvent) {
        match event.signal {
            Signal::Ecn => {}
            Signal::Loss => self.save_cwnd(),
            Signal::Timeout | Signal::RepeatedTimeout => {
                self.save_cwnd();
                self.cwnd = self.setup.mss;
                self.model.repair = Repair::Timeout;
                self.model.conserving = false;
                self.model.full_rate = 0.0;
                self.model.long_term.on_timeout();
            }
        }
    }

    /// Takes supposed losses back: neither a full pipe nor a policer is to be concluded from them.
    fn on_undo(&mut self) {
        if !self.model.is_full() {
            (self.model.full_rate, self.model.full_rounds) = (0.0, 0);
        }
        self.model.long_term.reset();
    }

    fn on_delivery(&mut self, d: &Delivery) {
        self.update_rate(d);
        if self.model.mode == BbrMode::ProbeBw {
            self.advance_cycle(d);
        }
        self.check_full(d);
        self.check_drain(d);
        self.update_min_rtt(d);
        self.set_gains();
        self.set_pacing();
        self.set_cwnd(d);
    }

    fn on_idle(&mut self, _idle: Duration, _rto: Duration, _floor: Bytes, _decay: Option<u32>) {
        self.model.restarting = true;
        if self.model.mode == BbrMode::ProbeBw && self.bandwidth() > 0.0 {
            // Nothing is queued: no need to catch up, none to drain.
            self.pacing = self.bandwidth() * self.config.pacing_margin;
        }
    }
    fn on_recovered(&mut self, cap: Bytes) {
        self.cwnd = self.cwnd.min(cap.get()).max(self.setup.mss);
    }
    fn needs(&self) -> Needs {
        Needs { deliveries: true, rates: true, pacing: true, ..Needs::NOTHING }
    }
    fn holds_back(&self) -> bool {
        self.model.mode == BbrMode::ProbeRtt
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

impl Model {
    fn new(gain: f64) -> Self {
        Self {
            mode: BbrMode::Startup,
            pacing_gain: gain,
            cwnd_gain: gain,
            rates: [0.0; RATE_ROUNDS],
            round: 0,
            round_end: 0,
            round_start: false,
            min_rtt: Duration::MAX,
            min_rtt_at: Instant::ZERO,
            full_rate: 0.0,
            full_rounds: 0,
            phase: 0,
            phase_at: Instant::ZERO,
            probe_end: None,
            probe_round_done: false,
            restarting: false,
            repair: Repair::None,
            conserving: false,
            prior_cwnd: 0,
            long_term: LongTerm::default(),
        }
    }

    fn is_full(&self) -> bool {
        self.full_rounds >= FULL_ROUNDS
    }
}

impl Bbr {
    /// Its state.
    pub const fn mode(&self) -> BbrMode {
        self.model.mode
    }

    /// The bottleneck's rate, as far as known.
    fn rate(&self) -> f64 {
        self.model.rates.iter().copied().fold(0.0, f64::max)
    }

    /// Rate at which to send: a policer's where one was found, else the bottleneck's.
    fn bandwidth(&self) -> f64 {
        self.model.long_term.policed().unwrap_or_else(|| self.rate())
    }

    /// `gain` bandwidth-delay products of the bottleneck; the initial window before the first samples.
    fn product(&self, gain: f64) -> u64 {
        self.product_of(self.rate(), gain)
    }

    /// `gain` products of `rate` and the least round trip.
    fn product_of(&self, rate: f64, gain: f64) -> u64 {
        if self.model.min_rtt == Duration::MAX || rate <= 0.0 {
            return self.setup.initial_window;
        }
        (gain * rate * self.model.min_rtt.as_secs_f64()) as u64
    }

    fn update_rate(&mut self, d: &Delivery) {
        let m = &mut *self.model;
        m.round_start = false;
        let Some(sample) = d.flow.rate else {
            m.long_term.count_lost(d.flow.lost);
            return;
        };
        if sample.prior_delivered >= m.round_end {
            m.round_end = d.flow.total;
            m.round = (m.round + 1) % RATE_ROUNDS;
            m.rates[m.round] = 0.0;
            m.round_start = true;
            m.conserving = false;
        }
        self.look_for_policer(d, sample);
        let m = &mut *self.model;
        if !sample.app_limited || sample.bytes_per_sec >= m.rates.iter().copied().fold(0.0, f64::max) {
            let slot = &mut m.rates[m.round];
            *slot = slot.max(sample.bytes_per_sec);
        }
    }

    /// After the rounds in which a policer's rate was used, the cycle begins anew.
    fn look_for_policer(&mut self, d: &Delivery, rate: RateSample) {
        if !self.config.policer_detection {
            return;
        }
        let observation = Observation {
            now: d.now,
            delivered: d.flow.total,
            lost: d.flow.lost,
            rate,
            round_start: self.model.round_start,
            cycling: self.model.mode == BbrMode::ProbeBw,
        };
        if self.model.long_term.on_delivery(&observation) {
            self.enter_probe_bw(d.now);
        }
    }

    /// A phase lasts one least round trip; probing, until the queue it makes is seen; draining, until that is gone.
    fn advance_cycle(&mut self, d: &Delivery) {
        let full = d.now.saturating_since(self.model.phase_at) > self.model.min_rtt;
        let gain = CYCLE[self.model.phase];
        let flight = d.prior_in_flight.get();
        let done = if gain > 1.0 {
            full && (d.flow.lost > 0 || flight >= self.product(gain))
        } else {
            full || (gain < 1.0 && flight <= self.product(1.0))
        };
        if done {
            self.model.phase = (self.model.phase + 1) % CYCLE.len();
            self.model.phase_at = d.now;
        }
    }

    fn check_full(&mut self, d: &Delivery) {
        let rate = self.rate();
        let m = &mut *self.model;
        if m.is_full() || !m.round_start || d.flow.rate.is_none_or(|r| r.app_limited) {
            return;
        }
        if rate >= m.full_rate * 1.25 {
            (m.full_rate, m.full_rounds) = (rate, 0);
        } else {
            m.full_rounds += 1;
        }
    }

    fn check_drain(&mut self, d: &Delivery) {
        if self.model.mode == BbrMode::Startup && self.model.is_full() {
            self.model.mode = BbrMode::Drain;
        }
        if self.model.mode == BbrMode::Drain && d.in_flight.get() <= self.product(1.0) {
            self.enter_probe_bw(d.now);
        }
    }

    fn enter_probe_bw(&mut self, now: Instant) {
        self.model.mode = BbrMode::ProbeBw;
        // Any phase but the one that drains: flows that start together shall not probe together.
        let draw = now.as_nanos() / 1_000 % (CYCLE.len() as u64 - 1);
        self.model.phase = if draw == 0 { 0 } else { draw as usize + 1 };
        self.model.phase_at = now;
    }

    fn update_min_rtt(&mut self, d: &Delivery) {
        let (window, least) = (self.config.min_rtt_window, self.least());
        let m = &mut *self.model;
        let expired = d.now.saturating_since(m.min_rtt_at) > window;
        if let Some(rtt) = d.flow.rtt.filter(|r| *r < m.min_rtt || expired) {
            (m.min_rtt, m.min_rtt_at) = (rtt, d.now);
        }
        if expired && !m.restarting && m.mode != BbrMode::ProbeRtt {
            m.mode = BbrMode::ProbeRtt;
            m.probe_end = None;
            self.save_cwnd();
        }
        let m = &mut *self.model;
        if m.mode == BbrMode::ProbeRtt {
            match m.probe_end {
                None if d.in_flight.get() <= least => {
                    m.probe_end = Some(d.now.saturating_add(PROBE_RTT_TIME));
                    m.probe_round_done = false;
                    m.round_end = d.flow.total;
                }
                Some(end) => {
                    m.probe_round_done |= m.round_start;
                    if m.probe_round_done && d.now > end {
                        m.min_rtt_at = d.now;
                        self.leave_probe_rtt(d.now);
                    }
                }
                None => {}
            }
        }
        if d.flow.delivered > 0 {
            self.model.restarting = false;
        }
    }

    fn leave_probe_rtt(&mut self, now: Instant) {
        self.cwnd = self.cwnd.max(self.model.prior_cwnd);
        if self.model.is_full() {
            self.enter_probe_bw(now);
        } else {
            self.model.mode = BbrMode::Startup;
        }
    }

    fn set_gains(&mut self) {
        let (high, cwnd_gain) = (self.config.startup_gain, self.config.cwnd_gain);
        let m = &mut *self.model;
        (m.pacing_gain, m.cwnd_gain) = match m.mode {
            BbrMode::Startup => (high, high),
            BbrMode::Drain => (1.0 / high, high),
            BbrMode::ProbeBw if m.long_term.policed().is_some() => (1.0, cwnd_gain),
            BbrMode::ProbeBw => (CYCLE[m.phase], cwnd_gain),
            BbrMode::ProbeRtt => (1.0, 1.0),
        };
    }

    /// Before the pipe is full the pacing rate never falls: early samples are too low.
    fn set_pacing(&mut self) {
        let rate = self.bandwidth() * self.model.pacing_gain * self.config.pacing_margin;
        if rate > 0.0 && (self.model.is_full() || rate > self.pacing) {
            self.pacing = rate;
        }
    }

    fn least(&self) -> u64 {
        LEAST * self.setup.mss
    }

    fn save_cwnd(&mut self) {
        let m = &mut *self.model;
        let fresh = m.repair == Repair::None && m.mode != BbrMode::ProbeRtt;
        m.prior_cwnd = if fresh { self.cwnd } else { m.prior_cwnd.max(self.cwnd) };
    }

    fn set_cwnd(&mut self, d: &Delivery) {
        let delivered = d.flow.delivered;
        if !self.modulate(d) && delivered > 0 {
            let target =
                self.product_of(self.bandwidth(), self.model.cwnd_gain) + quanta(self.pacing, self.setup.mss);
            if self.model.is_full() {
                self.cwnd = (self.cwnd + delivered).min(target);
            } else if self.cwnd < target || d.flow.total < self.setup.initial_window {
                self.cwnd += delivered;
            }
            let floor = if d.repair == Repair::Timeout { self.setup.mss } else { self.least() };
            self.cwnd = self.cwnd.max(floor);
        }
        if self.model.mode == BbrMode::ProbeRtt {
            self.cwnd = self.cwnd.min(self.least());
        }
        self.model.repair = d.repair;
    }

    /// Recovery: losses leave the window, the first round conserves the flight, the end restores the window. Returns
    /// whether the window is settled by that.
    fn modulate(&mut self, d: &Delivery) -> bool {
        let before = self.model.repair;
        self.cwnd = self.cwnd.saturating_sub(d.flow.lost).max(self.setup.mss);
        // Without SACK a repair delivers at once what had left the network before.
        let conserved = (d.in_flight.get() + d.flow.delivered).min(self.model.prior_cwnd);
        if d.repair == Repair::Loss && before != Repair::Loss {
            self.model.conserving = true;
            self.model.round_end = d.flow.total;
            self.cwnd = conserved.max(self.setup.mss);
        } else if d.repair == Repair::None && before != Repair::None {
            self.model.conserving = false;
            self.cwnd = self.cwnd.max(self.model.prior_cwnd);
        }
        if self.model.conserving {
            self.cwnd = self.cwnd.max(conserved);
        }
        self.model.conserving
    }
}

/// Three quanta, for segments and ACKs that come in bursts: draft-cardwell-iccrg-bbr-congestion-control-00 §4.2.3.2; a
/// quantum is a millisecond's data, within one or two segments and 64 kB.
pub(super) fn quanta(pacing: f64, mss: u64) -> u64 {
    let floor = if pacing < 150_000.0 { mss } else { 2 * mss };
    3 * ((pacing / 1000.0) as u64).clamp(floor, 65_536.max(floor))
}

#[cfg(test)]
mod tests;

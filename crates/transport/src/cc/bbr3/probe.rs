//! Probing of BBR version 3: for rate (§5.3.3) and for the least round trip (§5.3.4).

use super::{AckPhase, Bbr3, Bbr3State, NO_BOUND};
use crate::cc::bbr::PROBE_RTT_TIME;
use crate::cc::{Delivery, Repair};
use tailrace_core::Duration;

/// §5.3.3.5: rounds after which Reno would have probed at the latest.
const RENO_ROUNDS: u64 = 63;
const MIN_RTT_WINDOW: Duration = Duration::from_secs(10);

/// ProbeBW (§5.3.3).
impl Bbr3 {
    pub(super) fn is_in_probe_bw(&self) -> bool {
        use Bbr3State::{Cruise, Down, Refill, Up};
        matches!(self.model.state, Down | Cruise | Refill | Up)
    }

    pub(super) fn start_down(&mut self, d: &Delivery) {
        let draw = d.now.as_nanos().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let m = &mut *self.model;
        (m.loss_in_round, m.latest_rate, m.latest_flight) = (false, 0.0, 0);
        m.up_count = u64::MAX;
        m.rounds_since_probe = draw & 1;
        m.probe_wait = Duration::from_secs(2) + Duration::from_nanos(draw % 1_000_000_000);
        m.cycle_at = d.now;
        m.ack_phase = AckPhase::Stopping;
        m.round_end = d.flow.total;
        m.state = Bbr3State::Down;
    }

    fn start_refill(&mut self, d: &Delivery) {
        let m = &mut *self.model;
        m.reset_shortterm();
        (m.up_rounds, m.up_acked) = (0, 0);
        m.ack_phase = AckPhase::Nothing;
        m.round_end = d.flow.total;
        m.state = Bbr3State::Refill;
    }

    fn start_up(&mut self, d: &Delivery) {
        let m = &mut *self.model;
        m.ack_phase = AckPhase::Starting;
        m.round_end = d.flow.total;
        m.reset_full(d.flow.rate.map_or(0.0, |s| s.bytes_per_sec));
        m.state = Bbr3State::Up;
        self.raise_slope();
    }

    pub(super) fn advance_cycle(&mut self, d: &Delivery) {
        if !self.model.full_reached {
            return;
        }
        self.adapt_longterm(d);
        let flight = d.in_flight.get();
        let state = self.model.state;
        match state {
            Bbr3State::Up if self.is_time_to_go_down(d) => self.start_down(d),
            Bbr3State::Down | Bbr3State::Cruise if self.is_time_to_probe(d) => self.start_refill(d),
            Bbr3State::Down if flight <= self.with_headroom() && flight <= self.inflight(1.0) => {
                self.model.state = Bbr3State::Cruise;
            }
            Bbr3State::Refill if self.model.round_start => {
                self.model.probing = true;
                self.start_up(d);
            }
            _ => {}
        }
    }

    fn is_time_to_probe(&self, d: &Delivery) -> bool {
        let m = &*self.model;
        let reno = (self.target() / self.setup.mss).min(RENO_ROUNDS);
        d.now > m.cycle_at.saturating_add(m.probe_wait) || m.rounds_since_probe >= reno
    }

    fn is_cwnd_limited(&self, d: &Delivery) -> bool {
        d.prior_in_flight.get() + self.setup.mss > self.cwnd
    }

    fn is_time_to_go_down(&mut self, d: &Delivery) -> bool {
        let bounded = self.is_cwnd_limited(d) && self.cwnd >= self.model.longterm;
        if bounded {
            // The bound, not the path, is what limits the rate.
            self.model.reset_full(d.flow.rate.map_or(0.0, |s| s.bytes_per_sec));
        }
        !bounded && self.model.full_now
    }

    /// §5.3.3.6, BBRAdaptLongTermModel.
    fn adapt_longterm(&mut self, d: &Delivery) {
        let Some(sample) = d.flow.rate else { return };
        let in_probe_bw = self.is_in_probe_bw();
        let m = &mut *self.model;
        if m.round_start && m.ack_phase == AckPhase::Starting {
            m.ack_phase = AckPhase::Feedback;
        } else if m.round_start && m.ack_phase == AckPhase::Stopping {
            m.ack_phase = AckPhase::Nothing;
            m.probing = false;
            if in_probe_bw && !sample.app_limited {
                m.rates = [m.rates[1], 0.0];
            }
        }
        if self.is_inflight_too_high(&sample) || self.model.longterm == NO_BOUND {
            return;
        }
        self.model.longterm = self.model.longterm.max(sample.sent_in_flight);
        if self.model.state == Bbr3State::Up {
            self.raise_longterm(d);
        }
    }

    fn raise_longterm(&mut self, d: &Delivery) {
        if !self.is_cwnd_limited(d) || self.cwnd < self.model.longterm {
            return;
        }
        let m = &mut *self.model;
        m.up_acked += d.flow.delivered;
        if m.up_acked >= m.up_count {
            m.longterm = m.longterm.saturating_add(m.up_acked / m.up_count);
            m.up_acked %= m.up_count;
        }
        if m.round_start {
            self.raise_slope();
        }
    }

    /// The bound grows by 1, 2, 4, ... segments a round.
    fn raise_slope(&mut self) {
        let growth = self.setup.mss << self.model.up_rounds;
        self.model.up_rounds = (self.model.up_rounds + 1).min(30);
        self.model.up_count = (self.cwnd / growth).max(1);
    }
}

/// ProbeRTT (§5.3.4).
impl Bbr3 {
    pub(super) fn update_min_rtt(&mut self, d: &Delivery) {
        let m = &mut *self.model;
        m.probe_rtt_expired = d.now > m.probe_rtt_at.saturating_add(self.config.probe_rtt_interval);
        if let Some(rtt) = d.flow.rtt.filter(|r| *r < m.probe_rtt || m.probe_rtt_expired) {
            (m.probe_rtt, m.probe_rtt_at) = (rtt, d.now);
        }
        if m.probe_rtt < m.min_rtt || d.now > m.min_rtt_at.saturating_add(MIN_RTT_WINDOW) {
            (m.min_rtt, m.min_rtt_at) = (m.probe_rtt, m.probe_rtt_at);
        }
    }

    pub(super) fn check_probe_rtt(&mut self, d: &Delivery) {
        let m = &mut *self.model;
        if m.state != Bbr3State::ProbeRtt && m.probe_rtt_expired && !m.restarting {
            m.prior_cwnd = if m.repair == Repair::None { self.cwnd } else { m.prior_cwnd.max(self.cwnd) };
            m.state = Bbr3State::ProbeRtt;
            m.probe_rtt_end = None;
            m.ack_phase = AckPhase::Stopping;
            m.round_end = d.flow.total;
        }
        if self.model.state == Bbr3State::ProbeRtt {
            self.drain_for_rtt(d);
        }
        if d.flow.delivered > 0 {
            self.model.restarting = false;
        }
    }

    fn drain_for_rtt(&mut self, d: &Delivery) {
        let low = d.in_flight.get() <= self.probe_rtt_cwnd();
        let m = &mut *self.model;
        let Some(end) = m.probe_rtt_end else {
            if low {
                m.probe_rtt_end = Some(d.now.saturating_add(PROBE_RTT_TIME));
                m.probe_rtt_round_done = false;
                m.round_end = d.flow.total;
            }
            return;
        };
        m.probe_rtt_round_done |= m.round_start;
        if m.probe_rtt_round_done && d.now > end {
            m.probe_rtt_at = d.now;
            self.cwnd = self.cwnd.max(m.prior_cwnd);
            m.reset_shortterm();
            if m.full_reached {
                self.start_down(d);
                self.model.state = Bbr3State::Cruise;
            } else {
                m.state = Bbr3State::Startup;
            }
        }
    }
}

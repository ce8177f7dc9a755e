//! Congestion window of one subflow of a coupled controller. The endpoint calls it as any algorithm; it records the calls, and
//! once the segment or timeout is processed the connection passes them to the coupled controller, which sets the window.
//! Nothing is sent in between, so the endpoint never sees a window that is about to change.

use super::delegation::plain;
use super::reno::{after_idle, penalised};
use super::{AckSample, CongestionControl, CongestionEvent, NO_SSTHRESH, PriorWindow, Setup};
use tailrace_core::{Bytes, Duration};

/// Window of a subflow and the calls that the coupled controller has not seen yet.
#[derive(Clone, Debug)]
pub struct CoupledSubflow {
    pub(crate) setup: Setup,
    /// Bytes.
    pub(crate) cwnd: f64,
    /// Bytes.
    pub(crate) ssthresh: u64,
    /// At most a mark and a loss come with one segment.
    signals: [Option<CongestionEvent>; 2],
    ack: Option<AckSample>,
    prior: PriorWindow,
}

impl CoupledSubflow {
    pub(crate) fn new(setup: &Setup) -> Self {
        Self {
            setup: *setup,
            cwnd: setup.initial_window as f64,
            ssthresh: setup.initial_ssthresh,
            signals: [None; 2],
            ack: None,
            prior: PriorWindow::default(),
        }
    }

    /// Whether anything has happened that the controller has not heard of.
    #[inline]
    pub(crate) const fn has_noted(&self) -> bool {
        self.ack.is_some() || self.signals[0].is_some()
    }

    /// The next congestion signal, in the order in which they came; they come before the acknowledgment.
    pub(crate) fn take_signal(&mut self) -> Option<CongestionEvent> {
        let first = self.signals[0].take()?;
        self.signals.swap(0, 1);
        Some(first)
    }

    /// The acknowledgment, if one came outside fast recovery.
    pub(crate) fn take_ack(&mut self) -> Option<AckSample> {
        self.ack.take()
    }
}

impl CongestionControl for CoupledSubflow {
    plain! { on_round_trip, on_resumed, needs, on_delivery, holds_back, pacing_rate, leaves_recovery_on_partial_ack }

    fn on_established(&mut self, setup: &Setup) {
        *self = Self::new(setup);
    }
    #[inline]
    fn on_ack(&mut self, ack: &AckSample) {
        self.ack = Some(*ack);
    }
    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.prior = self.prior.before(event.signal, self.cwnd, self.ssthresh);
        let free = usize::from(self.signals[0].is_some());
        self.signals[free] = Some(*event);
    }
    /// The window is this subflow's own; what the controller knows of the others stands.
    fn on_undo(&mut self) {
        (self.cwnd, self.ssthresh) = self.prior.restore(self.cwnd, self.ssthresh);
    }
    fn on_idle(&mut self, _idle: Duration, _rto: Duration, floor: Bytes, decay: Option<u32>) {
        (self.cwnd, self.ssthresh) = after_idle((self.cwnd, self.ssthresh), floor, decay, &self.setup);
    }
    fn on_flight_after_timeout(&mut self, window: Bytes) {
        self.cwnd = window.as_f64();
    }
    fn on_recovered(&mut self, cap: Bytes) {
        self.cwnd = self.cwnd.min(cap.as_f64()).max(self.setup.mss as f64);
    }
    fn penalise(&mut self, ends_slow_start: bool) {
        (self.cwnd, self.ssthresh) = penalised((self.cwnd, self.ssthresh), self.setup.mss, ends_slow_start);
    }
    #[inline]
    fn cwnd(&self) -> Bytes {
        Bytes(self.cwnd as u64)
    }
    fn ssthresh(&self) -> Option<Bytes> {
        (self.ssthresh < NO_SSTHRESH).then_some(Bytes(self.ssthresh))
    }
}

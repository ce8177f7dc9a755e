//! NewReno (RFC 6582): Reno's window; fast recovery lasts until all data outstanding at its start is acknowledged.
//!
//! The repair of a hole for each partial ACK is the endpoint's work; with SACK both behave alike (RFC 6675).

use super::{AckSample, Algorithm, CongestionControl, CongestionEvent, Reno, RenoConfig, Setup};
use tailrace_core::{Bytes, Duration};

/// Parameters of NewReno: Reno's.
pub type NewRenoConfig = RenoConfig;

/// NewReno's state.
#[derive(Clone, Debug)]
pub struct NewReno(Reno);

impl Algorithm for NewReno {
    type Config = NewRenoConfig;
    const SUMMARY: &'static str = "Reno whose fast recovery repairs every hole of a window";
    const CITATION: &'static str = "RFC 6582";
    fn build(config: &RenoConfig, setup: &Setup) -> Self {
        Self(Reno::build(config, setup))
    }
}

impl CongestionControl for NewReno {
    fn on_established(&mut self, setup: &Setup) {
        self.0.on_established(setup);
    }
    fn on_ack(&mut self, ack: &AckSample) {
        self.0.on_ack(ack);
    }
    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.0.on_congestion(event);
    }
    fn on_undo(&mut self) {
        self.0.on_undo();
    }
    fn on_idle(&mut self, idle: Duration, rto: Duration, floor: Bytes, decay: bool) {
        self.0.on_idle(idle, rto, floor, decay);
    }
    fn on_flight_after_timeout(&mut self, window: Bytes) {
        self.0.on_flight_after_timeout(window);
    }
    fn on_recovered(&mut self, cap: Bytes) {
        self.0.on_recovered(cap);
    }
    fn penalise(&mut self, ends_slow_start: bool) {
        self.0.penalise(ends_slow_start);
    }
    fn cwnd(&self) -> Bytes {
        self.0.cwnd()
    }
    fn ssthresh(&self) -> Option<Bytes> {
        self.0.ssthresh()
    }
}

//! NewReno (RFC 6582): Reno's window; fast recovery lasts until all data outstanding at its start is acknowledged.
//!
//! The repair of a hole for each partial ACK is the endpoint's work; with SACK both behave alike (RFC 6675).

use super::delegation::{delegate, plain};
use super::{Algorithm, CongestionControl, Reno, RenoConfig, Setup};

/// Parameters of NewReno: Reno's.
pub type NewRenoConfig = RenoConfig;

/// NewReno's state.
#[derive(Clone, Debug)]
pub struct NewReno {
    reno: Reno,
}

impl Algorithm for NewReno {
    type Config = NewRenoConfig;
    const SUMMARY: &'static str = "Reno whose fast recovery repairs all losses of a window";
    const CITATION: &'static str = "RFC 6582";
    fn build(config: &RenoConfig, setup: &Setup) -> Self {
        Self { reno: Reno::build(config, setup) }
    }
}

impl CongestionControl for NewReno {
    delegate! {
        reno: on_round_trip, on_resumed, on_established, on_ack, on_congestion, on_undo, on_flight_after_timeout, on_idle, on_recovered,
        penalise, cwnd, ssthresh,
    }
    plain! { needs, on_delivery, holds_back, pacing_rate, leaves_recovery_on_partial_ack }
}

//! Arguments of congestion controls' hooks. Times are nanoseconds, sizes bytes: whole numbers, as in the engine.

use pyo3::prelude::*;
use tailrace_core::{Bytes, Duration};
use tailrace_transport::cc::{self, AckSample, CongestionEvent, Delivery, NO_SSTHRESH, Repair, Setup};

/// Parameters of a connection for which a control starts.
#[pyclass(frozen, name = "Setup", module = "tailrace._native")]
pub(crate) struct Setting(pub(super) Setup);

#[pymethods]
impl Setting {
    /// Segment size.
    #[getter]
    fn mss(&self) -> u64 {
        self.0.mss
    }
    /// Initial window.
    #[getter]
    fn initial_window(&self) -> u64 {
        self.0.initial_window
    }
    /// Initial threshold, where there is one.
    #[getter]
    fn initial_ssthresh(&self) -> Option<u64> {
        Some(self.0.initial_ssthresh).filter(|threshold| *threshold < NO_SSTHRESH)
    }
    /// Slow start's limit an ACK, in segments.
    #[getter]
    fn abc_limit(&self) -> u8 {
        self.0.abc_limit
    }
    /// Whether windows grow by ACKs counted rather than by bytes.
    #[getter]
    fn ack_counting(&self) -> bool {
        self.0.ack_counting
    }
    /// A lowered threshold: `base * beta` in the window's unit, at least two segments.
    fn threshold(&self, base: u64, beta: f64) -> u64 {
        self.0.threshold(Bytes(base), beta)
    }
    /// The window that goes with a lowered threshold.
    fn lowered_window(&self, event: &Event, beta: f64, ssthresh: u64) -> f64 {
        self.0.lowered_window(&event.0, beta, ssthresh)
    }
}

/// Sample of an ACK of new data.
#[pyclass(frozen, get_all, module = "tailrace._native")]
pub(crate) struct Ack {
    now: u64,
    acked: u64,
    in_flight: u64,
    rtt: Option<u64>,
    smoothed_rtt: u64,
    min_rtt: u64,
    cwnd_limited: bool,
    after_timeout: bool,
}

impl From<&AckSample> for Ack {
    fn from(ack: &AckSample) -> Self {
        Self {
            now: ack.now.as_nanos(),
            acked: ack.acked.get(),
            in_flight: ack.in_flight.get(),
            rtt: ack.rtt.map(Duration::as_nanos),
            smoothed_rtt: ack.smoothed_rtt.as_nanos(),
            min_rtt: ack.min_rtt.as_nanos(),
            cwnd_limited: ack.cwnd_limited,
            after_timeout: ack.after_timeout,
        }
    }
}

/// Reason for reducing the window.
#[pyclass(frozen, eq, hash, module = "tailrace._native")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Signal {
    /// A segment was lost, found by duplicate ACKs or SACK.
    #[pyo3(name = "LOSS")]
    Loss,
    /// The receiver echoed a congestion mark.
    #[pyo3(name = "ECN")]
    Ecn,
    /// The retransmission timer expired for the first time on this data.
    #[pyo3(name = "TIMEOUT")]
    Timeout,
    /// It expired again, and ssthresh is to stay.
    #[pyo3(name = "REPEATED_TIMEOUT")]
    RepeatedTimeout,
}

/// A congestion signal; at most one a window of data.
#[pyclass(frozen, name = "Congestion", module = "tailrace._native")]
pub(crate) struct Event(pub(super) CongestionEvent);

#[pymethods]
impl Event {
    /// When.
    #[getter]
    fn now(&self) -> u64 {
        self.0.now.as_nanos()
    }
    /// Reason for reducing the window.
    #[getter]
    fn signal(&self) -> Signal {
        match self.0.signal {
            cc::Signal::Loss => Signal::Loss,
            cc::Signal::Ecn => Signal::Ecn,
            cc::Signal::Timeout => Signal::Timeout,
            cc::Signal::RepeatedTimeout => Signal::RepeatedTimeout,
        }
    }
    /// Value to which a multiplicative decrease applies.
    #[getter]
    fn base(&self) -> u64 {
        self.0.base.get()
    }
}

/// Sample of any ACK, in recovery or not, for controls that ask for it.
#[pyclass(frozen, get_all, name = "Delivery", module = "tailrace._native")]
pub(crate) struct Delivered {
    now: u64,
    acked: u64,
    delivered: u64,
    marked: u64,
    prior_in_flight: u64,
    in_flight: u64,
    rtt: Option<u64>,
    smoothed_rtt: u64,
    cwnd_limited: bool,
    /// Bytes delivered since the start, with `rates`.
    total: u64,
    /// Bytes that this ACK made known as lost, with `rates`.
    lost: u64,
    /// Bytes a second, with `rates`, where the ACK gives a sample.
    rate: Option<f64>,
    /// Whether the sender, not the path, was the limit of that.
    app_limited: bool,
    one_way_ms: Option<i32>,
    /// Whether something is being repaired: a loss or a timeout.
    repairing: bool,
}

impl From<&Delivery> for Delivered {
    fn from(d: &Delivery) -> Self {
        Self {
            now: d.now.as_nanos(),
            acked: d.acked.get(),
            delivered: d.delivered.get(),
            marked: d.marked.get(),
            prior_in_flight: d.prior_in_flight.get(),
            in_flight: d.in_flight.get(),
            rtt: d.flow.rtt.or(d.rtt).map(Duration::as_nanos),
            smoothed_rtt: d.smoothed_rtt.as_nanos(),
            cwnd_limited: d.cwnd_limited,
            total: d.flow.total,
            lost: d.flow.lost,
            rate: d.flow.rate.map(|rate| rate.bytes_per_sec),
            app_limited: d.flow.rate.is_some_and(|rate| rate.app_limited),
            one_way_ms: d.one_way_ms,
            repairing: d.repair != Repair::None,
        }
    }
}

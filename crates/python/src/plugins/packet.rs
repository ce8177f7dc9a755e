//! A packet as Python sees it, and what a discipline is handed with every hook.

use super::views::Rng;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use tailrace_core::{DropReason, Ecn, Instant, Packet as _};
use tailrace_qdisc::plugin::Ticket;

/// A packet that waits. Two are equal where they are the same.
#[pyclass(frozen, module = "tailrace._native")]
pub(crate) struct Packet {
    /// Number of packets that were enqueued before it.
    pub(super) serial: u64,
    /// Bytes.
    #[pyo3(get)]
    size: u64,
    /// When it came, nanoseconds.
    #[pyo3(get)]
    arrival: u64,
    /// Source and destination address, source and destination port, protocol: what it shares with the others of its flow.
    #[pyo3(get)]
    flow: (u32, u32, u16, u16, u8),
    /// DiffServ codepoint, 0 to 63.
    #[pyo3(get)]
    dscp: u8,
    ecn: Ecn,
}

impl Packet {
    pub(super) fn new(serial: u64, ticket: &Ticket, now: Instant) -> Self {
        let flow = ticket.flow();
        Self {
            serial,
            size: ticket.size().get(),
            arrival: now.as_nanos(),
            flow: (flow.src, flow.dst, flow.src_port, flow.dst_port, flow.protocol),
            dscp: ticket.dscp().0,
            ecn: ticket.ecn(),
        }
    }
}

#[pymethods]
impl Packet {
    /// Whether it can be marked instead of dropped.
    #[getter]
    fn ecn_capable(&self) -> bool {
        self.ecn.is_capable()
    }
    /// The two ECN bits with which it came: 0 not capable, 1 ECT(1), 2 ECT(0), 3 CE.
    #[getter]
    fn ecn(&self) -> u8 {
        self.ecn as u8
    }
    fn __repr__(&self) -> String {
        format!("<Packet {} of {} bytes, came at {} ns>", self.serial, self.size, self.arrival)
    }
}

/// Drop or mark that a hook reported.
pub(super) enum HookReport {
    Drop(Py<Packet>, DropReason),
    Mark(Py<Packet>),
}

/// Context of a queue's hooks: the time, random numbers, and a sink for drops and marks.
#[pyclass(frozen, name = "Cx", module = "tailrace._native")]
pub(crate) struct QueueContext {
    rng: Py<Rng>,
    now: Mutex<PendingReports>,
}

#[derive(Default)]
struct PendingReports {
    /// The time, during a hook.
    now: Option<u64>,
    reports: Vec<HookReport>,
}

impl QueueContext {
    pub(super) fn new(rng: Py<Rng>) -> Self {
        Self { rng, now: Mutex::default() }
    }
    pub(super) fn begin(&self, now: Instant) {
        self.with(|reports| reports.now = Some(now.as_nanos()));
    }
    pub(super) fn end(&self) -> Vec<HookReport> {
        self.with(|reports| {
            reports.now = None;
            std::mem::take(&mut reports.reports)
        })
    }
    fn with<T>(&self, act: impl FnOnce(&mut PendingReports) -> T) -> T {
        act(&mut self.now.lock().unwrap_or_else(PoisonError::into_inner))
    }
    fn report(&self, report: HookReport) -> PyResult<()> {
        self.with(|reports| {
            reports.now.ok_or_else(not_now)?;
            reports.reports.push(report);
            Ok(())
        })
    }
}

#[pymethods]
impl QueueContext {
    /// The time, nanoseconds since the start of the run.
    #[getter]
    fn now(&self) -> PyResult<u64> {
        self.with(|reports| reports.now.ok_or_else(not_now))
    }
    /// The queue's own random numbers.
    #[getter]
    fn rng(&self, py: Python<'_>) -> Py<Rng> {
        self.rng.clone_ref(py)
    }
    /// Drops a packet that waits; `reason` is `aqm`, `overlimit` where the queue is full, or
    /// `ack_filtered` where a later acknowledgement makes it redundant.
    #[pyo3(signature = (packet, reason="aqm"))]
    fn drop(&self, packet: Py<Packet>, reason: &str) -> PyResult<()> {
        let reason = match reason {
            "aqm" => DropReason::Aqm,
            "overlimit" => DropReason::Overlimit,
            "ack_filtered" => DropReason::AckFiltered,
            other => {
                return Err(PyValueError::new_err(format!(
                    "no reason {other:?}: \"aqm\", \"overlimit\" or \"ack_filtered\""
                )));
            }
        };
        self.report(HookReport::Drop(packet, reason))
    }
    /// Marks a packet that waits, or is about to leave, and can be marked.
    fn mark(&self, packet: Py<Packet>) -> PyResult<()> {
        if !packet.get().ecn.is_capable() {
            return Err(PyValueError::new_err(
                "the packet is not ECN-capable (packet.ecn_capable): drop it, or let it pass",
            ));
        }
        self.report(HookReport::Mark(packet))
    }
}

fn not_now() -> PyErr {
    PyValueError::new_err("cx is good within the hook that was handed it only")
}

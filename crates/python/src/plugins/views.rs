//! Arguments of queues' hooks. Times are nanoseconds, sizes bytes, rates bits a second: whole numbers, as in the
//! engine.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use tailrace_core::{Bytes, Duration, Rate};
use tailrace_qdisc::LinkView;

/// Decision of a discipline about a packet.
#[pyclass(frozen, eq, hash, module = "tailrace._native", from_py_object)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Verdict {
    /// Let it pass untouched.
    #[pyo3(name = "PASS")]
    Pass,
    /// Signal congestion: mark if the packet is ECN-capable and ECN is on, else drop.
    #[pyo3(name = "SIGNAL")]
    Signal,
    /// Mark if possible, else let it pass.
    #[pyo3(name = "MARK_ONLY")]
    MarkOnly,
    /// Drop, ECN-capable or not.
    #[pyo3(name = "DROP")]
    Drop,
}

impl From<Verdict> for tailrace_qdisc::Verdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Pass,
            Verdict::Signal => Self::Signal,
            Verdict::MarkOnly => Self::MarkOnly,
            Verdict::Drop => Self::Drop,
        }
    }
}

/// Backlog of a queue; the packet in service has left it.
#[pyclass(frozen, get_all, module = "tailrace._native")]
pub(crate) struct Backlog {
    packets: u64,
    bytes: u64,
}

impl From<tailrace_qdisc::Backlog> for Backlog {
    fn from(backlog: tailrace_qdisc::Backlog) -> Self {
        Self { packets: backlog.packets, bytes: backlog.bytes.get() }
    }
}

/// The link that a discipline serves: its rate, overhead included, its delay, and the bytes that each packet takes on
/// it beyond its size.
#[pyclass(frozen, get_all, module = "tailrace._native")]
pub(crate) struct Link {
    rate: u64,
    delay: u64,
    overhead: u64,
}

#[pymethods]
impl Link {
    /// Bytes of the link's rate that a packet of `size` takes.
    fn wire_size(&self, size: u64) -> u64 {
        LinkView::new(Rate::from_bps(self.rate), Duration::from_nanos(self.delay))
            .with_overhead(Bytes(self.overhead))
            .wire_size(Bytes(size))
            .get()
    }
}

impl From<&LinkView> for Link {
    fn from(view: &LinkView) -> Self {
        Self { rate: view.rate.as_bps(), delay: view.delay.as_nanos(), overhead: view.overhead.get() }
    }
}

/// The random numbers of one queue in one run. They belong to the run, so they can be drawn in hooks only.
#[pyclass(frozen, module = "tailrace._native")]
pub(crate) struct Rng(Mutex<Option<tailrace_core::Rng>>);

impl Rng {
    pub(super) fn new() -> Self {
        Self(Mutex::new(None))
    }
    /// Lends the engine's stream to hooks.
    pub(super) fn lend(&self, rng: &tailrace_core::Rng) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(rng.clone());
    }
    /// Takes it back, as far as it was drawn.
    pub(super) fn give_back(&self, rng: &mut tailrace_core::Rng) {
        if let Some(drawn) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            *rng = drawn;
        }
    }
    fn draw<T>(&self, draw: impl FnOnce(&mut tailrace_core::Rng) -> T) -> PyResult<T> {
        let mut lent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let outside =
            || PyRuntimeError::new_err("random numbers can be drawn within hooks that are handed them only");
        lent.as_mut().map(draw).ok_or_else(outside)
    }
}

#[pymethods]
impl Rng {
    /// Uniform in [0, 1), 53 bits.
    fn uniform(&self) -> PyResult<f64> {
        self.draw(tailrace_core::Rng::uniform)
    }
    /// True with probability `p`; one draw whatever `p` is.
    fn bernoulli(&self, p: f64) -> PyResult<bool> {
        self.draw(|rng| rng.bernoulli(p))
    }
    /// Uniform integer in `0..n`.
    fn below(&self, n: u64) -> PyResult<u64> {
        if n == 0 {
            return Err(PyValueError::new_err("a choice needs at least one candidate"));
        }
        self.draw(|rng| rng.below(n))
    }
    /// Exponential with the given mean.
    fn exponential(&self, mean: f64) -> PyResult<f64> {
        self.draw(|rng| rng.exponential(mean))
    }
    /// 64 uniform bits.
    fn bits(&self) -> PyResult<u64> {
        self.draw(tailrace_core::Rng::next_u64)
    }
}

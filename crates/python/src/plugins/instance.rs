//! An instance of a class, its random numbers, and when it wants to be called.

use super::class::{PluginClass, PluginConfig};
use super::failure;
use super::views::Rng;
use pyo3::prelude::*;
use std::sync::Arc;
use tailrace_core::Instant;

/// An instance of a class of Python.
pub(super) struct PluginInstance {
    pub(super) object: Py<PyAny>,
    pub(super) kind: Arc<PluginClass>,
    pub(super) rng: Py<Rng>,
    /// Whether it ever wants to be called at a time of its own.
    timed: bool,
    timeout: Option<Instant>,
}

impl PluginInstance {
    /// Creates an instance for `setting`.
    pub(super) fn new<'py>(py: Python<'py>, config: &PluginConfig, setting: impl IntoPyObject<'py>) -> Self {
        let object = config.instance(py, setting);
        let kind = Arc::clone(&config.kind);
        let rng = Py::new(py, Rng::new()).unwrap_or_else(|e| failure::raised(py, &kind.class, "start", e));
        let timed = kind.has("poll_timeout");
        let mut instance = Self { object, kind, rng, timed, timeout: None };
        instance.ask_timeout(py);
        instance
    }

    /// Answer of a hook; an exception ends the run.
    pub(super) fn answer<'py>(
        &self,
        hook: &str,
        answer: PyResult<Bound<'py, PyAny>>,
        py: Python<'py>,
    ) -> Bound<'py, PyAny> {
        answer.unwrap_or_else(|error| failure::raised(py, &self.kind.class, hook, error))
    }

    /// Ends the run because of what a hook answered.
    pub(super) fn wrong(&self, hook: &str, why: &str) -> ! {
        failure::wrong(&self.kind.class, hook, why)
    }

    /// When it wants to be called, as it said after the last hook.
    pub(super) fn timeout(&self) -> Option<Instant> {
        self.timeout
    }

    /// Asks when it wants to be called: after each hook.
    pub(super) fn ask_timeout(&mut self, py: Python<'_>) {
        if !self.timed {
            return;
        }
        let answer = self.object.bind(py).call_method0(pyo3::intern!(py, "poll_timeout"));
        let answer = self.answer("poll_timeout", answer, py);
        self.timeout = match answer.extract::<Option<u64>>() {
            Ok(time) => time.map(Instant::from_nanos),
            Err(_) => self.wrong(
                "poll_timeout",
                &format!("returned {}: return a time in whole nanoseconds, or None", shown(&answer)),
            ),
        };
    }

    /// Checks that it does not want to be called at `now` again and again.
    pub(super) fn check_timeout(&self, now: Instant) {
        if let Some(next) = self.timeout.filter(|next| *next <= now) {
            let why = format!(
                "still says {} ns, which handle_timeout has dealt with: return a later time, or None",
                next.as_nanos()
            );
            self.wrong("poll_timeout", &why);
        }
    }

    /// Its state variables.
    pub(super) fn state(&self, out: &mut [f64]) {
        if out.is_empty() {
            return;
        }
        Python::attach(|py| {
            let answer = self.object.bind(py).call_method0(pyo3::intern!(py, "state"));
            let answer = self.answer("state", answer, py);
            match answer.extract::<Vec<f64>>() {
                Ok(values) if values.len() == out.len() => out.copy_from_slice(&values),
                _ => self.wrong(
                    "state",
                    &format!(
                        "returned {}: return {} numbers, one for each of `states`",
                        shown(&answer),
                        out.len()
                    ),
                ),
            }
        });
    }
}

/// A value as Python writes it, for errors.
pub(super) fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "something".into(), |repr| repr.to_string())
}

/// Calls a hook of an instance: `hook!(instance, py, "name", (arguments))`.
macro_rules! hook {
    ($instance:expr, $py:expr, $name:literal, $args:expr) => {{
        let answer = $instance.object.bind($py).call_method1(pyo3::intern!($py, $name), $args);
        $instance.answer($name, answer, $py)
    }};
}
pub(super) use hook;

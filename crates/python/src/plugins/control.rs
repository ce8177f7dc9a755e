//! A congestion control that is an object of Python. Its windows are attributes, read after every hook.

use super::class::PluginConfig;
use super::instance::{PluginInstance, hook, shown};
use super::transport_views::{Ack, Delivered, Event, Setting};
use pyo3::prelude::*;
use tailrace_core::{Bytes, Duration, Instant, Rate};
use tailrace_transport::cc::{AckSample, CongestionControl, CongestionEvent, Delivery, Needs, Setup};

/// The control, and what its attributes were after the last hook.
pub(super) struct PluginControl {
    instance: PluginInstance,
    hooks: ControlHooks,
    needs: Needs,
    leaves_recovery_on_partial_ack: bool,
    cwnd: Bytes,
    ssthresh: Option<Bytes>,
    pacing_rate: Option<Rate>,
    holds_back: bool,
}

/// The hooks that the class has, of those that do nothing in its base; these are not called.
#[derive(Clone, Copy)]
struct ControlHooks {
    ack: bool,
    undo: bool,
    flight_after_timeout: bool,
}

impl PluginControl {
    pub(super) fn new(config: &PluginConfig, setup: &Setup) -> Self {
        Python::attach(|py| {
            let instance = PluginInstance::new(py, config, Setting(*setup));
            let has = |hook| config.kind.has(hook);
            let hooks = ControlHooks {
                ack: has("on_ack"),
                undo: has("on_undo"),
                flight_after_timeout: has("on_flight_after_timeout"),
            };
            let mut control = Self {
                hooks,
                needs: Needs::NOTHING,
                leaves_recovery_on_partial_ack: false,
                cwnd: Bytes::ZERO,
                ssthresh: None,
                pacing_rate: None,
                holds_back: false,
                instance,
            };
            control.needs = control.read_needs(py);
            control.leaves_recovery_on_partial_ack =
                control.attribute(py, "start", "leaves_recovery_on_partial_ack", "True or False");
            control.look(py, "start");
            control
        })
    }

    fn read_needs(&self, py: Python<'_>) -> Needs {
        let words: Vec<String> = self.attribute(py, "start", "needs", "words");
        let mut needs = Needs::NOTHING;
        for word in words {
            match word.as_str() {
                "deliveries" => needs.deliveries = true,
                "rates" => (needs.deliveries, needs.rates) = (true, true),
                "pacing" => needs.pacing = true,
                "ecn" => needs.ecn = true,
                other => self.instance.wrong(
                    "needs",
                    &format!("has {other:?}: there are \"deliveries\", \"rates\", \"pacing\" and \"ecn\""),
                ),
            }
        }
        needs
    }

    fn attribute<T: for<'a, 'py> FromPyObject<'a, 'py>>(
        &self,
        py: Python<'_>,
        hook: &str,
        name: &str,
        expected: &str,
    ) -> T {
        let found = self.instance.answer(hook, self.instance.object.bind(py).getattr(name), py);
        let Ok(value) = found.extract::<T>() else {
            let found = shown(&found);
            self.instance.wrong(hook, &format!("leaves {name} as {found}: it is {expected}"))
        };
        value
    }

    /// Reads its attributes.
    fn look(&mut self, py: Python<'_>, hook: &str) {
        let cwnd: f64 = self.attribute(py, hook, "cwnd", "a number of bytes");
        let most = tailrace_transport::cc::NO_SSTHRESH as f64;
        if !(1.0..=most).contains(&cwnd) {
            let why = format!(
                "leaves cwnd as {cwnd}: a window is a number of bytes, 1 at least (setup.mss is a segment)"
            );
            self.instance.wrong(hook, &why)
        }
        self.cwnd = Bytes(cwnd as u64);
        let ssthresh: Option<u64> = self.attribute(py, hook, "ssthresh", "a whole number of bytes, or None");
        self.ssthresh = ssthresh.map(Bytes);
        let rate: Option<u64> =
            self.attribute(py, hook, "pacing_rate", "a whole number of bits a second, or None");
        if rate == Some(0) {
            self.instance
                .wrong(hook, "leaves pacing_rate as 0, at which nothing is ever sent: None is not to pace")
        }
        self.pacing_rate = rate.map(Rate::from_bps);
        self.holds_back = self.attribute(py, hook, "holds_back", "True or False");
    }
}

/// Calls a hook, and looks what it changed.
macro_rules! told {
    ($self:ident, $name:literal, $args:expr) => {
        Python::attach(|py| {
            hook!($self.instance, py, $name, $args);
            $self.look(py, $name);
        })
    };
}

impl CongestionControl for PluginControl {
    fn on_established(&mut self, setup: &Setup) {
        told!(self, "start", (Setting(*setup),));
    }
    fn on_ack(&mut self, ack: &AckSample) {
        if self.hooks.ack {
            told!(self, "on_ack", (Ack::from(ack),));
        }
    }
    /// Classes of Python have no hook for it.
    fn on_round_trip(&mut self, _ack: &AckSample, _window: Bytes) {}
    fn on_congestion(&mut self, event: &CongestionEvent) {
        told!(self, "on_congestion", (Event(*event),));
    }
    fn on_undo(&mut self) {
        if self.hooks.undo {
            told!(self, "on_undo", ());
        }
    }
    fn on_flight_after_timeout(&mut self, window: Bytes) {
        if self.hooks.flight_after_timeout {
            told!(self, "on_flight_after_timeout", (window.get(),));
        }
    }
    fn on_idle(&mut self, idle: Duration, rto: Duration, floor: Bytes, decay: Option<u32>) {
        told!(self, "on_idle", (idle.as_nanos(), rto.as_nanos(), floor.get(), decay.is_some()));
    }
    /// Classes of Python have no hook for it.
    fn on_resumed(&mut self, _last: Instant, _now: Instant) {}
    fn on_recovered(&mut self, cap: Bytes) {
        told!(self, "on_recovered", (cap.get(),));
    }
    fn penalise(&mut self, ends_slow_start: bool) {
        told!(self, "penalise", (ends_slow_start,));
    }
    fn on_delivery(&mut self, delivery: &Delivery) {
        told!(self, "on_delivery", (Delivered::from(delivery),));
    }
    fn cwnd(&self) -> Bytes {
        self.cwnd
    }
    fn ssthresh(&self) -> Option<Bytes> {
        self.ssthresh
    }
    fn needs(&self) -> Needs {
        self.needs
    }
    fn holds_back(&self) -> bool {
        self.holds_back
    }
    fn pacing_rate(&self) -> Option<Rate> {
        self.pacing_rate
    }
    fn leaves_recovery_on_partial_ack(&self) -> bool {
        self.leaves_recovery_on_partial_ack
    }
}

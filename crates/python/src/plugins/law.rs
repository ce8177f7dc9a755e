//! A congestion law that is an object of Python, in the FIFO with a limit that every law has.

use super::class::{PluginClass, PluginConfig};
use super::instance::{PluginInstance, hook, shown};
use super::views::{Backlog as BacklogView, Link, Verdict as VerdictView};
use pyo3::prelude::*;
use std::sync::Arc;
use tailrace_core::params::plugin::PluginParameters as _;
use tailrace_core::params::{ParamType, Value};
use tailrace_core::{Bytes, Duration, Instant, Limit, Rng};
use tailrace_qdisc::managed::DropEnd;
use tailrace_qdisc::plugin::Ticket;
use tailrace_qdisc::{Aqm, Backlog, Cx, LinkView, Managed, QueueDiscipline, Verdict};

/// The hooks that the class has; the others are not called.
#[derive(Clone, Copy)]
struct LawHooks {
    enqueue: bool,
    dequeue: bool,
    signalled: bool,
    overlimit: bool,
    idle: bool,
    link_changed: bool,
}

impl LawHooks {
    fn of(kind: &PluginClass) -> Self {
        Self {
            enqueue: kind.has("on_enqueue"),
            dequeue: kind.has("on_dequeue"),
            signalled: kind.has("on_signalled"),
            overlimit: kind.has("on_overlimit"),
            idle: kind.has("on_idle"),
            link_changed: kind.has("link_changed"),
        }
    }
}

struct PluginLaw {
    instance: PluginInstance,
    hooks: LawHooks,
}

impl PluginLaw {
    fn verdict<'py>(&mut self, hook: &str, answer: &Bound<'py, PyAny>, rng: &mut Rng) -> Verdict {
        self.instance.rng.get().give_back(rng);
        let Ok(verdict) = answer.extract::<VerdictView>() else {
            let why = format!(
                "returned {}: return tailrace.Verdict.PASS, SIGNAL, MARK_ONLY or DROP",
                shown(answer)
            );
            self.instance.wrong(hook, &why)
        };
        self.instance.ask_timeout(answer.py());
        verdict.into()
    }
}

impl Aqm for PluginLaw {
    fn on_enqueue(&mut self, size: Bytes, backlog: Backlog, now: Instant, rng: &mut Rng) -> Verdict {
        if !self.hooks.enqueue {
            return Verdict::Pass;
        }
        Python::attach(|py| {
            self.instance.rng.get().lend(rng);
            let args = (size.get(), BacklogView::from(backlog), now.as_nanos(), &self.instance.rng);
            let answer = hook!(self.instance, py, "on_enqueue", args);
            self.verdict("on_enqueue", &answer, rng)
        })
    }

    fn on_dequeue(
        &mut self,
        size: Bytes,
        sojourn: Duration,
        backlog: Backlog,
        now: Instant,
        rng: &mut Rng,
    ) -> Verdict {
        if !self.hooks.dequeue {
            return Verdict::Pass;
        }
        Python::attach(|py| {
            self.instance.rng.get().lend(rng);
            let backlog = BacklogView::from(backlog);
            let args = (size.get(), sojourn.as_nanos(), backlog, now.as_nanos(), &self.instance.rng);
            let answer = hook!(self.instance, py, "on_dequeue", args);
            self.verdict("on_dequeue", &answer, rng)
        })
    }

    fn on_signalled(&mut self, marked: bool, now: Instant) {
        if self.hooks.signalled {
            Python::attach(|py| {
                hook!(self.instance, py, "on_signalled", (marked, now.as_nanos()));
                self.instance.ask_timeout(py);
            });
        }
    }

    fn on_overlimit(&mut self, now: Instant) {
        if self.hooks.overlimit {
            Python::attach(|py| {
                hook!(self.instance, py, "on_overlimit", (now.as_nanos(),));
                self.instance.ask_timeout(py);
            });
        }
    }

    fn on_idle(&mut self, now: Instant) {
        if self.hooks.idle {
            Python::attach(|py| {
                hook!(self.instance, py, "on_idle", (now.as_nanos(),));
                self.instance.ask_timeout(py);
            });
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.instance.timeout()
    }

    fn handle_timeout(&mut self, backlog: Backlog, now: Instant) {
        Python::attach(|py| {
            hook!(self.instance, py, "handle_timeout", (BacklogView::from(backlog), now.as_nanos()));
            self.instance.ask_timeout(py);
            self.instance.check_timeout(now);
        });
    }

    fn link_changed(&mut self, link: &LinkView, now: Instant) {
        if self.hooks.link_changed {
            Python::attach(|py| {
                hook!(self.instance, py, "link_changed", (Link::from(link), now.as_nanos()));
                self.instance.ask_timeout(py);
            });
        }
    }
}

/// The law in its queue. Which state variables there are says the instance, not the type.
pub(super) struct ManagedLaw {
    queue: Managed<PluginLaw, Ticket>,
    kind: Arc<PluginClass>,
}

impl ManagedLaw {
    pub(super) fn new(config: &PluginConfig, link: &LinkView) -> Self {
        let value = |name: &str| config.get(name);
        let limit = value("limit").and_then(|limit| Limit::from_value(&limit).ok());
        let ecn = value("ecn") == Some(Value::Bool(true));
        let instance = Python::attach(|py| PluginInstance::new(py, config, Link::from(link)));
        let law = PluginLaw { hooks: LawHooks::of(&config.kind), instance };
        // The base class declares both.
        let limit = limit.expect("every law has a limit");
        Self { queue: Managed::new(limit, ecn, DropEnd::Tail, law), kind: Arc::clone(&config.kind) }
    }
}

impl QueueDiscipline<Ticket> for ManagedLaw {
    fn enqueue(&mut self, ticket: Ticket, cx: &mut Cx<'_, Ticket>) {
        self.queue.enqueue(ticket, cx);
    }
    fn dequeue(&mut self, cx: &mut Cx<'_, Ticket>) -> Option<(Ticket, Instant)> {
        self.queue.dequeue(cx)
    }
    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }
    fn poll_timeout(&self) -> Option<Instant> {
        self.queue.poll_timeout()
    }
    fn handle_timeout(&mut self, cx: &mut Cx<'_, Ticket>) {
        self.queue.handle_timeout(cx);
    }
    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, Ticket>) {
        self.queue.link_changed(link, cx);
    }
    fn state_names(&self) -> &'static [&'static str] {
        self.kind.states
    }
    fn state(&self, out: &mut [f64]) {
        self.queue.law().instance.state(out);
    }
}

//! A whole queue discipline that is an object of Python. It orders packets; the tickets stay here.

use super::class::PluginConfig;
use super::instance::{PluginInstance, hook, shown};
use super::packet::{HookReport, Packet, QueueContext};
use super::views::Link;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use tailrace_core::{Bytes, Instant, Packet as _};
use tailrace_qdisc::plugin::Ticket;
use tailrace_qdisc::{Backlog, Cx, LinkView, QueueDiscipline};

/// The discipline and what waits in it.
pub(super) struct PluginQueue {
    instance: PluginInstance,
    surroundings: Py<QueueContext>,
    waiting: BTreeMap<u64, HeldPacket>,
    backlog: Backlog,
    issued: u64,
    hears_of_links: bool,
}

/// A queued packet: the ticket, the time of its arrival, and the packet as Python sees it.
struct HeldPacket {
    ticket: Ticket,
    arrival: Instant,
    packet: Py<Packet>,
}

impl PluginQueue {
    pub(super) fn new(config: &PluginConfig, link: &LinkView) -> Self {
        Python::attach(|py| {
            let instance = PluginInstance::new(py, config, Link::from(link));
            let surroundings = Py::new(py, QueueContext::new(instance.rng.clone_ref(py)));
            let surroundings = surroundings
                .unwrap_or_else(|error| super::failure::raised(py, &config.kind.class, "start", error));
            Self {
                hears_of_links: config.kind.has("link_changed"),
                instance,
                surroundings,
                waiting: BTreeMap::new(),
                backlog: Backlog::default(),
                issued: 0,
            }
        })
    }

    /// Before a hook: the time and random numbers for it.
    fn begin(&self, cx: &Cx<'_, Ticket>) {
        self.instance.rng.get().lend(cx.rng);
        self.surroundings.get().begin(cx.now);
    }

    /// After a hook: what it reported.
    fn end(&mut self, py: Python<'_>, hook: &str, cx: &mut Cx<'_, Ticket>) {
        self.instance.rng.get().give_back(cx.rng);
        for report in self.surroundings.get().end() {
            match report {
                HookReport::Drop(packet, reason) => {
                    let held = self.take(py, hook, &packet, "dropped");
                    cx.sink.dropped(held.ticket, reason, cx.now);
                }
                HookReport::Mark(packet) => {
                    let serial = packet.get().serial;
                    self.check(py, hook, &packet, "marked");
                    if let Some(held) = self.waiting.get_mut(&serial) {
                        held.ticket.set_ce();
                        cx.sink.marked(&held.ticket, cx.now);
                    }
                }
            }
        }
        self.instance.ask_timeout(py);
    }

    /// Ends the run where a packet does not wait here.
    fn check(&self, py: Python<'_>, hook: &str, packet: &Py<Packet>, verb: &str) {
        let known = self.waiting.get(&packet.get().serial).is_some_and(|held| held.packet.is(packet));
        if !known {
            let packet = shown(packet.bind(py).as_any());
            let why = format!(
                "{verb} {packet}, which does not wait in this queue: each packet that enqueue was given leaves once, \
                 from dequeue or by cx.drop"
            );
            self.instance.wrong(hook, &why);
        }
    }

    fn take(&mut self, py: Python<'_>, hook: &str, packet: &Py<Packet>, verb: &str) -> HeldPacket {
        self.check(py, hook, packet, verb);
        let held = self.waiting.remove(&packet.get().serial).expect("just found");
        self.backlog.packets -= 1;
        self.backlog.bytes -= held.ticket.size();
        held
    }

    /// An idle link asks again when a packet arrives, and that may be never.
    fn check_rest(&self) {
        if self.backlog.packets > 0 && self.instance.timeout().is_none() {
            let why = format!(
                "returned None with {} packets waiting: return one of them, or say with poll_timeout when",
                self.backlog.packets
            );
            self.instance.wrong("dequeue", &why);
        }
    }
}

impl QueueDiscipline<Ticket> for PluginQueue {
    fn enqueue(&mut self, ticket: Ticket, cx: &mut Cx<'_, Ticket>) {
        Python::attach(|py| {
            self.begin(cx);
            let serial = self.issued;
            self.issued += 1;
            let size: Bytes = ticket.size();
            let packet = match Py::new(py, Packet::new(serial, &ticket, cx.now)) {
                Ok(packet) => packet,
                Err(error) => super::failure::raised(py, &self.instance.kind.class, "enqueue", error),
            };
            self.backlog.packets += 1;
            self.backlog.bytes += size;
            let held = HeldPacket { ticket, arrival: cx.now, packet: packet.clone_ref(py) };
            self.waiting.insert(serial, held);
            hook!(self.instance, py, "enqueue", (packet, &self.surroundings));
            self.end(py, "enqueue", cx);
        });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, Ticket>) -> Option<(Ticket, Instant)> {
        Python::attach(|py| {
            self.begin(cx);
            let answer = hook!(self.instance, py, "dequeue", (&self.surroundings,));
            self.end(py, "dequeue", cx);
            if answer.is_none() {
                self.check_rest();
                return None;
            }
            let Ok(packet) = answer.cast::<Packet>() else {
                let why =
                    format!("returned {}: return a packet that enqueue was given, or None", shown(&answer));
                self.instance.wrong("dequeue", &why)
            };
            let held = self.take(py, "dequeue", &packet.clone().unbind(), "returned");
            Some((held.ticket, held.arrival))
        })
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.instance.timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, Ticket>) {
        Python::attach(|py| {
            self.begin(cx);
            hook!(self.instance, py, "handle_timeout", (&self.surroundings,));
            self.end(py, "handle_timeout", cx);
            self.instance.check_timeout(cx.now);
        });
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, Ticket>) {
        if self.hears_of_links {
            Python::attach(|py| {
                self.begin(cx);
                hook!(self.instance, py, "link_changed", (Link::from(link), &self.surroundings));
                self.end(py, "link_changed", cx);
            });
        }
    }

    fn state_names(&self) -> &'static [&'static str] {
        self.instance.kind.states
    }

    fn state(&self, out: &mut [f64]) {
        self.instance.state(out);
    }
}

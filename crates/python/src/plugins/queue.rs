//! Queue discipline written in Python. The Python object decides order and drops on packet objects; the packets' tickets, which
//! the engine identifies them by, stay on this side.

use super::class::PluginConfig;
use super::instance::{PluginInstance, hook, shown};
use super::packet::{HookReport, Packet, QueueContext};
use super::views::Link;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use tailrace_core::{Bytes, Instant, Packet as _};
use tailrace_qdisc::plugin::Ticket;
use tailrace_qdisc::{Backlog, Cx, LinkView, QueueDiscipline};

/// Python queue discipline with its queued packets.
pub(super) struct PluginQueue {
    instance: PluginInstance,
    /// Argument `cx` of the hooks.
    context: Py<QueueContext>,
    /// Queued packets by serial number.
    queued: BTreeMap<u64, QueuedPacket>,
    backlog: Backlog,
    /// Serial number of the next packet.
    next_serial: u64,
    /// Whether the class defines `link_changed`.
    has_link_changed: bool,
}

/// Queued packet: ticket of the engine, arrival time, and the object that Python holds.
struct QueuedPacket {
    ticket: Ticket,
    arrival: Instant,
    packet: Py<Packet>,
}

impl PluginQueue {
    pub(super) fn new(config: &PluginConfig, link: &LinkView) -> Self {
        Python::attach(|py| {
            let instance = PluginInstance::new(py, config, Link::from(link));
            let context = Py::new(py, QueueContext::new(instance.rng.clone_ref(py)));
            let context = context
                .unwrap_or_else(|error| super::failure::raised(py, &config.kind.class, "start", error));
            Self {
                has_link_changed: config.kind.has("link_changed"),
                instance,
                context,
                queued: BTreeMap::new(),
                backlog: Backlog::default(),
                next_serial: 0,
            }
        })
    }

    /// Prepares a hook call: gives Python the time and the random number generator.
    fn begin_hook(&self, cx: &Cx<'_, Ticket>) {
        self.instance.rng.get().lend(cx.rng);
        self.context.get().begin(cx.now);
    }

    /// Finishes a hook call: takes the generator back and carries out the drops and marks that the hook requested.
    fn end_hook(&mut self, py: Python<'_>, hook: &str, cx: &mut Cx<'_, Ticket>) {
        self.instance.rng.get().give_back(cx.rng);
        for report in self.context.get().end() {
            match report {
                HookReport::Drop(packet, reason) => {
                    let held = self.remove(py, hook, &packet, "dropped");
                    cx.sink.dropped(held.ticket, reason, cx.now);
                }
                HookReport::Mark(packet) => {
                    let serial = packet.get().serial;
                    self.check_queued(py, hook, &packet, "marked");
                    if let Some(held) = self.queued.get_mut(&serial) {
                        held.ticket.set_ce();
                        cx.sink.marked(&held.ticket, cx.now);
                    }
                }
            }
        }
        self.instance.ask_timeout(py);
    }

    /// Ends the run if the packet is not queued here.
    fn check_queued(&self, py: Python<'_>, hook: &str, packet: &Py<Packet>, verb: &str) {
        let known = self.queued.get(&packet.get().serial).is_some_and(|held| held.packet.is(packet));
        if !known {
            let packet = shown(packet.bind(py).as_any());
            let why = format!(
                "{verb} {packet}, which does not wait in this queue: each packet that enqueue was given leaves once, \
                 from dequeue or by cx.drop"
            );
            self.instance.wrong(hook, &why);
        }
    }

    /// Removes a packet from the queue.
    fn remove(&mut self, py: Python<'_>, hook: &str, packet: &Py<Packet>, verb: &str) -> QueuedPacket {
        self.check_queued(py, hook, packet, verb);
        let held = self.queued.remove(&packet.get().serial).expect("just found");
        self.backlog.packets -= 1;
        self.backlog.bytes -= held.ticket.size();
        held
    }

    /// Ends the run if `dequeue` returned None with packets queued and no timeout set: the link would stay idle until the next
    /// arrival, which may never come.
    fn check_idle_with_backlog(&self) {
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
            self.begin_hook(cx);
            let serial = self.next_serial;
            self.next_serial += 1;
            let size: Bytes = ticket.size();
            let packet = match Py::new(py, Packet::new(serial, &ticket, cx.now)) {
                Ok(packet) => packet,
                Err(error) => super::failure::raised(py, &self.instance.kind.class, "enqueue", error),
            };
            self.backlog.packets += 1;
            self.backlog.bytes += size;
            let held = QueuedPacket { ticket, arrival: cx.now, packet: packet.clone_ref(py) };
            self.queued.insert(serial, held);
            hook!(self.instance, py, "enqueue", (packet, &self.context));
            self.end_hook(py, "enqueue", cx);
        });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, Ticket>) -> Option<(Ticket, Instant)> {
        Python::attach(|py| {
            self.begin_hook(cx);
            let answer = hook!(self.instance, py, "dequeue", (&self.context,));
            self.end_hook(py, "dequeue", cx);
            if answer.is_none() {
                self.check_idle_with_backlog();
                return None;
            }
            let Ok(packet) = answer.cast::<Packet>() else {
                let why =
                    format!("returned {}: return a packet that enqueue was given, or None", shown(&answer));
                self.instance.wrong("dequeue", &why)
            };
            let held = self.remove(py, "dequeue", &packet.clone().unbind(), "returned");
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
            self.begin_hook(cx);
            hook!(self.instance, py, "handle_timeout", (&self.context,));
            self.end_hook(py, "handle_timeout", cx);
            self.instance.check_timeout(cx.now);
        });
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, Ticket>) {
        if self.has_link_changed {
            Python::attach(|py| {
                self.begin_hook(cx);
                hook!(self.instance, py, "link_changed", (Link::from(link), &self.context));
                self.end_hook(py, "link_changed", cx);
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

//! DRR over classes that filters choose, as in Linux.
//!
//! Facts from Linux, `net/sched/sch_drr.c`. A class comes to the end of the list with a full quantum when its first packet
//! waits. The first class of the list sends while its next packet fits what it has left; where it does not fit, the class
//! gets another quantum and goes to the end. A class without packets leaves the list and forgets what it had left.

use super::classes::{ClassSpec, Classes, Filter, Leaf};
use super::leaf_queue::LeafQueue;
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::either::Either;
use crate::flow_queue::FlowQueue;
use crate::managed::NoLaw;
use std::collections::VecDeque;
use tailrace_core::{Bytes, DropReason, Instant, Packet};

/// The queue.
#[derive(Debug)]
pub struct ClassfulDrr<P: Packet> {
    /// In the order in which they are asked, with their classes.
    filters: Vec<(Filter, usize)>,
    classes: Vec<Class<P>>,
    /// Classes in which packets wait, the next to send first.
    active: VecDeque<usize>,
    backlog: Backlog,
}

#[derive(Debug)]
struct Class<P: Packet> {
    leaf: LeafQueue<P>,
    quantum: Bytes,
    deficit: Bytes,
}

impl<P: Packet> ClassfulDrr<P> {
    /// An empty queue; `quantum` and `leaf` are those of classes that have none of their own.
    pub(super) fn new(classes: &Classes, quantum: Bytes, leaf: &Leaf, link: &LinkView) -> Self {
        let class = |spec: &ClassSpec| {
            let leaf = spec.leaf.as_ref().unwrap_or(leaf).config();
            Class {
                leaf: LeafQueue::new(leaf, link),
                quantum: spec.quantum.unwrap_or(quantum),
                deficit: Bytes::ZERO,
            }
        };
        let numbered = classes.iter().enumerate();
        let classes: Vec<_> = classes.iter().map(class).collect();
        Self {
            filters: numbered.flat_map(|(at, spec)| spec.filters.iter().map(move |f| (*f, at))).collect(),
            active: VecDeque::with_capacity(classes.len()),
            classes,
            backlog: Backlog::default(),
        }
    }

    fn class_of(&self, packet: &P) -> Option<usize> {
        self.filters.iter().find(|(filter, _)| filter.matches(packet)).map(|(_, class)| *class)
    }

    /// Class `at` had `before` and has what it has now.
    fn recount(&mut self, at: usize, before: Backlog) -> Backlog {
        let now = self.classes[at].leaf.backlog();
        self.backlog.packets = self.backlog.packets + now.packets - before.packets;
        self.backlog.bytes = self.backlog.bytes + now.bytes - before.bytes;
        now
    }
}

/// Not inlined: a class's discipline is dispatched as this one is, and what is inlined into itself only grows.
impl<P: Packet> QueueDiscipline<P> for ClassfulDrr<P> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        let Some(at) = self.class_of(&packet) else {
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        };
        let class = &mut self.classes[at];
        let before = class.leaf.backlog();
        class.leaf.enqueue(packet, cx);
        // Every class with packets is active, so a class that had none is new in the list.
        if self.recount(at, before).packets > 0 && before.packets == 0 {
            let class = &mut self.classes[at];
            class.deficit = class.quantum;
            self.active.push_back(at);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        // Classes in a row that hold their packets back.
        let mut held = 0;
        while held < self.active.len() {
            let at = self.active.pop_front()?;
            let class = &mut self.classes[at];
            let before = class.leaf.backlog();
            let size = class.leaf.peek(cx);
            let mut sent = None;
            match size {
                Some(size) if size <= class.deficit => {
                    class.deficit -= size;
                    sent = class.leaf.take();
                }
                Some(_) => {
                    class.deficit += class.quantum;
                    held = 0;
                }
                None => held += 1,
            }
            if self.recount(at, before).packets == 0 {
                // It leaves the list; those behind it were not all asked yet.
                held = 0;
            } else if sent.is_some() {
                self.active.push_front(at);
            } else {
                self.active.push_back(at);
            }
            if sent.is_some() {
                return sent;
            }
        }
        None
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.classes.iter().filter_map(|class| class.leaf.poll_timeout()).min()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        for at in 0..self.classes.len() {
            let before = self.classes[at].leaf.backlog();
            self.classes[at].leaf.handle_timeout(cx);
            if self.recount(at, before).packets == 0 && before.packets > 0 {
                self.active.retain(|active| *active != at);
            }
        }
    }

    fn attach(&mut self, link: u32) {
        self.classes.iter_mut().for_each(|class| class.leaf.attach(link));
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.classes.iter_mut().for_each(|class| class.leaf.link_changed(link, cx));
    }

    fn state_names(&self) -> &'static [&'static str] {
        &STATES[..self.classes.len().min(STATES.len())]
    }

    fn state(&self, out: &mut [f64]) {
        for (class, out) in self.classes.iter().zip(out) {
            *out = class.leaf.backlog().packets as f64;
        }
    }
}

/// Packets that wait in the first classes.
const STATES: [&str; 8] = [
    "class_1_packets",
    "class_2_packets",
    "class_3_packets",
    "class_4_packets",
    "class_5_packets",
    "class_6_packets",
    "class_7_packets",
    "class_8_packets",
];

/// Queue of `drr`: flows, the paper's and ns-2's, or classes, Linux's.
pub(super) type DrrQueue<P> = Either<FlowQueue<NoLaw, P>, ClassfulDrr<P>>;

#[cfg(test)]
#[path = "classful_tests.rs"]
mod tests;

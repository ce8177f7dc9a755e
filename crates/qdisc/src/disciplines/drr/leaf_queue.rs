//! A discipline within another, whose next packet can be looked at before it is taken.
//!
//! As in Linux (`qdisc_peek_dequeued`), whoever looks at the next packet has taken it from its discipline, so a law judges it
//! then; it is kept until it is sent. A plain FIFO has no law: there the packet keeps its part of the limit.

use super::super::{Qdisc, QdiscConfig};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use tailrace_core::{Bytes, DropReason, Instant, Limit, Packet};

/// The inner discipline and its next packet.
#[derive(Debug)]
pub(in super::super) struct LeafQueue<P: Packet> {
    inner: Qdisc<P>,
    /// Room in a FIFO without a law, of which the packet in `head` takes its part.
    fifo: Option<Limit>,
    /// The next packet, which was looked at and not sent.
    head: Option<(P, Instant)>,
}

impl<P: Packet> LeafQueue<P> {
    /// An empty queue of `config`.
    pub(in super::super) fn new(config: &QdiscConfig, link: &LinkView) -> Self {
        Self { inner: config.build(link), fifo: config.plain_fifo(), head: None }
    }

    /// The size of the next packet.
    pub(in super::super) fn peek(&mut self, cx: &mut Cx<'_, P>) -> Option<Bytes> {
        if self.head.is_none() {
            self.head = self.inner.dequeue(cx);
        }
        self.head.as_ref().map(|(packet, _)| packet.size())
    }

    /// The packet that was looked at.
    pub(in super::super) fn take(&mut self) -> Option<(P, Instant)> {
        self.head.take()
    }
}

impl<P: Packet> QueueDiscipline<P> for LeafQueue<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        match self.fifo {
            Some(limit) if !self.backlog().has_room(limit, packet.size()) => {
                cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            }
            _ => self.inner.enqueue(packet, cx),
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.head.take().or_else(|| self.inner.dequeue(cx))
    }

    fn backlog(&self) -> Backlog {
        let mut backlog = self.inner.backlog();
        if let Some((packet, _)) = &self.head {
            backlog.packets += 1;
            backlog.bytes += packet.size();
        }
        backlog
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.inner.poll_timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.inner.handle_timeout(cx);
    }

    fn attach(&mut self, link: u32) {
        self.inner.attach(link);
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.inner.link_changed(link, cx);
    }

    fn state_names(&self) -> &'static [&'static str] {
        self.inner.state_names()
    }

    fn state(&self, out: &mut [f64]) {
        self.inner.state(out);
    }
}

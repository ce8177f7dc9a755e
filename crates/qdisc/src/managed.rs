//! A FIFO with a hard limit, run by a law: every single-queue AQM.
//!
//! On arrival: the law's verdict, then the hard limit, then insertion. A violated limit is always a drop, also
//! for ECN-capable packets: only where there is room can a mark replace a drop (RFC 3168 §5). On departure the
//! law sees one packet after another until it lets one go.

use crate::discipline::{Aqm, Backlog, Cx, LinkView, QueueDiscipline};
use crate::signal::{Fate, fate};
use std::collections::VecDeque;
use tailrace_core::{Bytes, DropReason, Instant, Limit, Packet};

tailrace_core::choices! {
    /// The packet that is dropped when the hard limit is reached.
    pub enum DropEnd {
        /// The arriving one.
        Tail = "tail",
        /// The oldest ones, until the arriving one fits.
        Head = "head",
        /// A random packet among those waiting and the arriving one.
        Random = "random",
    }
}

/// The law of a queue without one: everything passes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLaw;

impl Aqm for NoLaw {}

/// FIFO, hard limit and law.
#[derive(Clone, Debug)]
pub struct Managed<L, P> {
    fifo: VecDeque<Waiting<P>>,
    backlog: Backlog,
    limit: Limit,
    ecn: bool,
    drop_end: DropEnd,
    law: L,
}

#[derive(Clone, Copy, Debug)]
struct Waiting<P> {
    packet: P,
    arrival: Instant,
}

impl<L: Aqm, P: Packet> Managed<L, P> {
    /// An empty queue. With `ecn` a [`Verdict::Signal`](crate::Verdict::Signal) marks ECN-capable packets.
    pub fn new(limit: Limit, ecn: bool, drop_end: DropEnd, law: L) -> Self {
        Self { fifo: VecDeque::new(), backlog: Backlog::default(), limit, ecn, drop_end, law }
    }

    /// The law.
    pub fn law(&self) -> &L {
        &self.law
    }

    /// The law, to be told what numbers do not say.
    pub fn law_mut(&mut self) -> &mut L {
        &mut self.law
    }

    #[inline]
    fn fits(&self, size: Bytes) -> bool {
        self.backlog.has_room(self.limit, size)
    }

    #[inline]
    fn push(&mut self, packet: P, now: Instant) {
        self.backlog.packets += 1;
        self.backlog.bytes += packet.size();
        self.fifo.push_back(Waiting { packet, arrival: now });
    }

    #[inline]
    fn pop(&mut self) -> Option<Waiting<P>> {
        let first = self.fifo.pop_front()?;
        self.forget(first.packet.size());
        Some(first)
    }

    #[inline]
    fn forget(&mut self, size: Bytes) {
        self.backlog.packets -= 1;
        self.backlog.bytes -= size;
    }

    /// Makes room for a packet of `size` by dropping packets that wait; `false` where the arrival must die.
    #[cold]
    fn make_room(&mut self, size: Bytes, cx: &mut Cx<'_, P>) -> bool {
        self.law.on_overlimit(cx.now);
        let hopeless = match self.limit {
            Limit::Packets(n) => n == 0,
            Limit::Bytes(b) => size > b,
        };
        if hopeless || self.drop_end == DropEnd::Tail {
            return false;
        }
        while !self.fits(size) {
            let victim = match self.drop_end {
                DropEnd::Tail | DropEnd::Head => 0,
                // Candidates are the waiting packets and the arrival itself.
                DropEnd::Random => cx.rng.below(self.backlog.packets + 1) as usize,
            };
            let Some(Waiting { packet, .. }) = self.fifo.remove(victim) else { return false };
            self.forget(packet.size());
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
        }
        true
    }
}

impl<L: Aqm, P: Packet> QueueDiscipline<P> for Managed<L, P> {
    #[inline]
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        let size = packet.size();
        let verdict = self.law.on_enqueue(size, self.backlog, cx.now, cx.rng);
        let fate = fate(verdict, self.ecn, packet.ecn());
        if verdict.is_signal() {
            self.law.on_signalled(fate != Fate::Drop, cx.now);
        }
        if fate == Fate::Drop {
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        }
        if !self.fits(size) && !self.make_room(size, cx) {
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(&packet, cx.now);
        }
        self.push(packet, cx.now);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        while let Some(Waiting { mut packet, arrival }) = self.pop() {
            let sojourn = cx.now.saturating_since(arrival);
            let verdict = self.law.on_dequeue(packet.size(), sojourn, self.backlog, cx.now, cx.rng);
            let fate = fate(verdict, self.ecn, packet.ecn());
            if verdict.is_signal() {
                self.law.on_signalled(fate != Fate::Drop, cx.now);
            }
            match fate {
                Fate::Drop => {
                    cx.sink.dropped(packet, DropReason::Aqm, cx.now);
                    continue;
                }
                Fate::Mark { fresh: true } => {
                    packet.set_ce();
                    cx.sink.marked(&packet, cx.now);
                }
                Fate::Mark { fresh: false } | Fate::Admit => {}
            }
            return Some((packet, arrival));
        }
        self.law.on_idle(cx.now);
        None
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.law.poll_timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.law.handle_timeout(self.backlog, cx.now);
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.law.link_changed(link, cx.now);
    }

    fn state_names(&self) -> &'static [&'static str] {
        L::state_names()
    }

    fn state(&self, out: &mut [f64]) {
        self.law.state(out);
    }
}

//! A FIFO behind RED from whose middle packets can be taken: what CHOKe and its kin share.

use super::super::red::{Red, RedConfig};
use crate::discipline::{Aqm as _, Backlog, Cx, LinkView, Verdict};
use crate::signal::{Fate, fate};
use std::collections::VecDeque;
use tailrace_core::{DropReason, Instant, Limit, Packet};

/// The queue.
#[derive(Debug)]
pub(crate) struct RedFifo<P> {
    fifo: VecDeque<(P, Instant)>,
    backlog: Backlog,
    limit: Limit,
    ecn: bool,
    red: Red,
}

/// Fate of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It waits, untouched.
    Admitted,
    /// RED signalled: it was dropped, or waits marked.
    Signalled,
    /// There was no room.
    Full,
}

impl<P: Packet> RedFifo<P> {
    pub(crate) fn new(config: &RedConfig, link: &LinkView) -> Self {
        Self {
            fifo: VecDeque::new(),
            backlog: Backlog::default(),
            limit: config.limit,
            ecn: config.ecn,
            red: Red::new(config, link),
        }
    }

    pub(crate) fn red(&self) -> &Red {
        &self.red
    }

    /// RED, to be told of the link.
    pub(crate) fn red_mut(&mut self) -> &mut Red {
        &mut self.red
    }

    pub(crate) fn backlog(&self) -> Backlog {
        self.backlog
    }

    pub(crate) fn limit(&self) -> Limit {
        self.limit
    }

    /// The packet at `place`; the oldest is at 0.
    #[inline]
    pub(crate) fn packet(&self, place: usize) -> Option<&P> {
        self.fifo.get(place).map(|(packet, _)| packet)
    }

    /// Packets waiting.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.fifo.len()
    }

    /// A packet arrives: RED's average follows.
    #[inline]
    pub(crate) fn observe(&mut self, now: Instant) {
        self.red.observe(self.backlog, now);
    }

    /// Whether the average is above `min_th` and something waits.
    #[inline]
    pub(crate) fn is_congested(&self) -> bool {
        self.red.average() > self.red.thresholds().0 && !self.fifo.is_empty()
    }

    /// Drops the packets at `places`, which ascend; from the back, so that places in front stay true.
    #[inline]
    pub(crate) fn kill(&mut self, places: &[usize], cx: &mut Cx<'_, P>) {
        for place in places.iter().rev() {
            let Some((packet, _)) = self.fifo.remove(*place) else { continue };
            self.backlog.packets -= 1;
            self.backlog.bytes -= packet.size();
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
        }
    }

    /// Drops the newest packet; whether there was one.
    pub(crate) fn kill_newest(&mut self, cx: &mut Cx<'_, P>) -> bool {
        let newest = self.fifo.len().checked_sub(1);
        self.kill(newest.as_slice(), cx);
        newest.is_some()
    }

    /// RED and the limit decide on the packet whose arrival [`RedFifo::observe`] saw.
    #[inline]
    pub(crate) fn admit(&mut self, mut packet: P, cx: &mut Cx<'_, P>) -> Outcome {
        let size = packet.size();
        let verdict = self.red.judge(size, self.backlog, cx.rng);
        let fate = fate(verdict, self.ecn, packet.ecn());
        if fate == Fate::Drop {
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return Outcome::Signalled;
        }
        if !self.backlog.has_room(self.limit, size) {
            self.red.on_overlimit(cx.now);
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return Outcome::Full;
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(&packet, cx.now);
        }
        self.backlog.packets += 1;
        self.backlog.bytes += size;
        self.fifo.push_back((packet, cx.now));
        if verdict == Verdict::Pass { Outcome::Admitted } else { Outcome::Signalled }
    }

    #[inline]
    pub(crate) fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let Some((packet, arrival)) = self.fifo.pop_front() else {
            self.red.on_idle(cx.now);
            return None;
        };
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        Some((packet, arrival))
    }

    #[cfg(test)]
    pub(crate) fn fifo_mut(&mut self) -> &mut VecDeque<(P, Instant)> {
        &mut self.fifo
    }

    #[cfg(test)]
    pub(crate) fn observe_backlog(&mut self, backlog: Backlog, now: Instant) {
        self.red.observe(backlog, now);
    }
}

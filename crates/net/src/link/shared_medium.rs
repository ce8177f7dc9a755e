//! A direction of a link that shares its channel with others: a station of that channel.
//!
//! It asks for the channel when its queue gets something to send, and takes packets from the queue when it has it: as many as
//! one access sends. Frames that nobody could read stay here and are sent again; the receiver keeps back those that arrived behind
//! them, so that packets arrive in order. They are kept here, too: the link carries them.
//!
//! Nothing of this is caught up with late, since others wait for the channel: a station says at once that it wants the channel,
//! and is told when it has it ([`crate::channel`]).

use super::queueing::{LinkSink, Service};
use super::{Link, Outcome};
use crate::ids::LinkId;
use crate::observer::PacketOps;
use crate::packet_slab::{PacketId, PacketSlab, Routed};
use std::collections::VecDeque;
use tailrace_access::{AggregationLimits, FrameBurst};
use tailrace_core::{DropReason, Duration, Instant, Packet};
use tailrace_qdisc::{Cx, QueueDiscipline};

/// Number of a station and of its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) channel: u32,
    pub(crate) station: u32,
}

/// State of a direction of a link as a station.
#[derive(Debug)]
pub(super) struct Station {
    place: Place,
    /// Since when it wants the channel, which does not know yet.
    asks: Option<Instant>,
    /// Whether the channel knows that it wants to send.
    waits: bool,
    /// Taken from the queue, in order.
    frames: VecDeque<Frame>,
}

#[derive(Debug)]
struct Frame {
    pkt: PacketId,
    /// When it came to the queue.
    queued: Instant,
    sent: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// To be sent, for the first time or again.
    Waits,
    Sent,
    /// It has arrived, but one before it has not.
    Arrived,
}

/// Frames of an access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    pub(crate) frames: usize,
    /// Number of them that are sent for the first time.
    pub(crate) fresh: usize,
    pub(crate) air_time: Duration,
}

/// Fate of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fared {
    Arrives,
    /// It is to be sent again.
    Fails,
    IsGivenUp,
}

/// Result of an access.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Landing {
    /// Whether any frame has arrived.
    pub(crate) heard: bool,
    /// Whether the first of them is given up.
    pub(crate) gives_up: bool,
    /// Whether there is more to send.
    pub(crate) wants_more: bool,
}

impl Station {
    fn new(place: Place) -> Self {
        Self { place, asks: None, waits: false, frames: VecDeque::new() }
    }

    /// Frames that the queue has given up and that have not gone on.
    pub(super) fn held(&self) -> u64 {
        self.frames.len() as u64
    }

    /// When the link must be looked at: at once to tell the channel, or when a queue that gave nothing may.
    #[cold]
    pub(super) fn next<Q: QueueDiscipline<P>, P: Packet>(&self, queue: &Q) -> Instant {
        let holds_back = !self.waits && queue.backlog().packets > 0;
        let timeout = if holds_back { queue.poll_timeout() } else { None };
        self.asks.unwrap_or(Instant::MAX).min(timeout.unwrap_or(Instant::MAX))
    }

    /// Whether the channel must be told now that the station wants it.
    pub(super) fn tell(&mut self) -> Option<Outcome> {
        self.asks.take()?;
        self.waits = true;
        Some(Outcome::Wants(self.place))
    }
}

impl<P: Routed> Link<P> {
    /// Makes it a station of a channel; to be called before any packet comes.
    pub(crate) fn join(&mut self, place: Place, packets: &mut PacketSlab<P>) {
        assert!(self.station.is_none(), "a direction of a link is a station of one channel");
        assert!(self.schedule.is_none(), "a channel, or a schedule, says when a link sends");
        assert!(self.arrived == 0, "a link joins a channel before any packet comes");
        self.undo_arithmetic(packets, Instant::ZERO);
        self.station = Some(Box::new(Station::new(place)));
    }

    /// Number of the station and of its channel.
    pub(crate) fn place(&self) -> Option<Place> {
        self.station.as_ref().map(|station| station.place)
    }

    /// The queue may have something to send.
    pub(super) fn ask_for_channel(&mut self, at: Instant) {
        let backlog = self.backlog();
        let Some(station) = self.station.as_mut().filter(|_| self.up) else { return };
        if backlog.packets > 0 && !station.waits {
            station.asks.get_or_insert(at);
        }
        if let Some(stats) = &mut self.stats {
            stats.level(backlog, at);
        }
    }

    /// It has the channel from `now` on: what it sends, if the queue gives anything.
    pub(crate) fn begin_access<R: PacketOps<P>>(
        &mut self,
        framing: &AggregationLimits,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) -> Option<Sending> {
        self.catch_up(packets, now, id, hosts);
        let (rate, overhead) = (self.transmitter.rate(), self.transmitter.overhead());
        let mut burst = FrameBurst::new(framing, rate);
        let station = self.station.as_mut()?;
        let mut all_fit = true;
        for frame in station.frames.iter_mut().filter(|f| f.state == State::Waits) {
            all_fit = burst.adds(packets.size(frame.pkt) + overhead);
            if !all_fit {
                break;
            }
            frame.state = State::Sent;
        }
        while all_fit && !burst.is_full() && station.frames.len() < framing.window() {
            let Service::Disciplined { queue, .. } = &mut self.service else { break };
            let (qdisc, rng) = &mut **queue;
            let mut sink = LinkSink { hosts, id, tally: &mut self.tally, at_enqueue: false };
            let Some((pkt, queued)) = qdisc.dequeue(&mut Cx { now, rng, sink: &mut sink }) else { break };
            // A frame that does not fit is the first of the next access.
            all_fit = burst.adds(pkt.size() + overhead);
            let state = if all_fit { State::Sent } else { State::Waits };
            station.frames.push_back(Frame { pkt: packets.insert(pkt), queued, sent: 0, state });
        }
        station.waits = burst.frames() > 0;
        let fresh = self.note_sent(packets, now, id, hosts);
        (burst.frames() > 0).then(|| Sending { frames: burst.frames(), fresh, air_time: burst.air_time() })
    }

    /// Counts what begins to be sent; gives how many do for the first time.
    fn note_sent<R: PacketOps<P>>(
        &mut self,
        packets: &PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) -> usize {
        let (level, mut fresh) = (self.backlog(), 0);
        if let Some(stats) = &mut self.stats {
            stats.level(level, now);
        }
        let frames = self.station.iter_mut().flat_map(|station| &mut station.frames);
        for frame in frames.filter(|f| f.state == State::Sent) {
            frame.sent += 1;
            if frame.sent > 1 {
                continue;
            }
            fresh += 1;
            let pkt = packets.get(frame.pkt);
            self.sent_bytes += pkt.size().get();
            if let Some(stats) = &mut self.stats {
                stats.sojourn(now - frame.queued);
            }
            if self.watched {
                hosts.transmitted(id, pkt, now - frame.queued, now);
            }
        }
        fresh
    }

    /// Ends the access; `fares` gives the fate of each frame from the number of times that it has been sent.
    pub(crate) fn end_access<R: PacketOps<P>>(
        &mut self,
        mut fares: impl FnMut(u32) -> Fared,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) -> Landing {
        self.catch_up(packets, now, id, hosts);
        let mut landing = Landing::default();
        let mut at = 0;
        while let Some(frame) = self.frame_mut(at) {
            let fared = if frame.state == State::Sent { Some(fares(frame.sent)) } else { None };
            match fared {
                Some(Fared::Arrives) => {
                    landing.heard = true;
                    frame.state = State::Arrived;
                }
                Some(Fared::IsGivenUp) => {
                    landing.gives_up |= at == 0;
                    self.give_up(at, packets, now, id, hosts);
                    continue;
                }
                Some(Fared::Fails) => frame.state = State::Waits,
                None => {}
            }
            at += 1;
        }
        self.hand_on(packets, now);
        let backlog = self.backlog();
        if let Some(station) = &mut self.station {
            station.waits = !station.frames.is_empty() || backlog.packets > 0;
            landing.wants_more = station.waits;
        }
        landing
    }

    fn frame_mut(&mut self, at: usize) -> Option<&mut Frame> {
        self.station.as_mut()?.frames.get_mut(at)
    }

    fn give_up<R: PacketOps<P>>(
        &mut self,
        at: usize,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        let Some(frame) = self.station.as_mut().and_then(|station| station.frames.remove(at)) else { return };
        self.tally.dropped[DropReason::LinkLoss as usize] += 1;
        hosts.dropped(id, packets.remove(frame.pkt), DropReason::LinkLoss, now);
    }

    /// Packets that have arrived, and all before them, go on.
    fn hand_on(&mut self, packets: &mut PacketSlab<P>, now: Instant) {
        while let Some(pkt) = self.station.as_mut().and_then(|station| {
            let first = station.frames.front()?;
            if first.state == State::Arrived { station.frames.pop_front() } else { None }
        }) {
            self.propagate(pkt.pkt, now, packets);
        }
    }

    /// The link goes down: all that has been taken from the queue is lost with it.
    pub(super) fn lose_frames<R: PacketOps<P>>(
        &mut self,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        let Some(station) = &mut self.station else { return };
        (station.asks, station.waits) = (None, false);
        for frame in station.frames.drain(..) {
            self.tally.dropped[DropReason::LinkDown as usize] += 1;
            hosts.dropped(id, packets.remove(frame.pkt), DropReason::LinkDown, now);
        }
    }
}

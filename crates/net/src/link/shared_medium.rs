//! Station of a shared channel: a direction of a link that contends with others for the medium.
//!
//! The station requests access when its queue has a packet, and takes from the queue what one access sends (frame
//! aggregation). Lost frames stay here and are sent again. Frames received behind a lost one wait in the receiver's reorder
//! buffer, which is kept here, too, so that packets arrive in order.
//!
//! Requests are events and not evaluated lazily as those of other links, since other stations wait for the channel
//! ([`crate::channel`]).

use super::queueing::{LinkSink, Service};
use super::{Link, Outcome};
use crate::ids::LinkId;
use crate::observer::PacketOps;
use crate::packet_slab::{PacketId, PacketSlab, Routed};
use std::collections::VecDeque;
use tailrace_access::{AggregationLimits, FrameBurst};
use tailrace_core::{DropReason, Duration, Instant, Packet};
use tailrace_qdisc::{Cx, QueueDiscipline};

/// Number of a channel, and of a station on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StationId {
    pub(crate) channel: u32,
    pub(crate) station: u32,
}

/// FrameState of a direction of a link as a station.
#[derive(Debug)]
pub(super) struct MediumStation {
    id: StationId,
    /// Time of a request that the channel has not been told yet.
    unsent_request: Option<Instant>,
    /// Whether the channel knows of the request.
    requested: bool,
    /// Frames taken from the queue, in order: waiting, sent or in the receiver's reorder buffer.
    frames: VecDeque<Frame>,
}

#[derive(Debug)]
struct Frame {
    pkt: PacketId,
    /// Arrival at the queue.
    queued: Instant,
    /// Number of transmissions.
    attempts: u32,
    state: FrameState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameState {
    /// Waits for its first transmission or a retry.
    Waiting,
    Sent,
    /// Received, but a frame before it is missing.
    Arrived,
}

/// Burst of frames sent in one access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessBurst {
    pub(crate) frames: usize,
    /// Number of first transmissions among them.
    pub(crate) first_attempts: usize,
    pub(crate) air_time: Duration,
}

/// Outcome of the transmission of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameOutcome {
    Delivered,
    /// Lost; it is sent again.
    Retry,
    /// Lost, and dropped after its last attempt.
    RetryLimit,
}

/// Result of an access.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AccessResult {
    /// Whether any frame was delivered.
    pub(crate) any_delivered: bool,
    /// Whether the first frame was dropped at the retry limit.
    pub(crate) head_dropped: bool,
    /// Whether the station needs another access.
    pub(crate) wants_more: bool,
}

impl MediumStation {
    fn new(id: StationId) -> Self {
        Self { id, unsent_request: None, requested: false, frames: VecDeque::new() }
    }

    /// Frames taken from the queue and not yet on their way to the next node.
    pub(super) fn held(&self) -> u64 {
        self.frames.len() as u64
    }

    /// Time of the link's next event: now if a request is to be sent, or the timeout of a queue that holds packets back.
    #[cold]
    pub(super) fn next<Q: QueueDiscipline<P>, P: Packet>(&self, queue: &Q) -> Instant {
        let holds_back = !self.requested && queue.backlog().packets > 0;
        let timeout = if holds_back { queue.poll_timeout() } else { None };
        self.unsent_request.unwrap_or(Instant::MAX).min(timeout.unwrap_or(Instant::MAX))
    }

    /// Takes the request that the channel has not been told yet.
    pub(super) fn take_request(&mut self) -> Option<Outcome> {
        self.unsent_request.take()?;
        self.requested = true;
        Some(Outcome::WantsChannel(self.id))
    }
}

impl<P: Routed> Link<P> {
    /// Makes the link a station of a channel; must be called before the first packet.
    pub(crate) fn join_channel(&mut self, id: StationId, packets: &mut PacketSlab<P>) {
        assert!(self.station.is_none(), "a direction of a link is a station of one channel");
        assert!(self.schedule.is_none(), "a channel, or a schedule, says when a link sends");
        assert!(self.arrived == 0, "a link joins a channel before any packet comes");
        self.undo_arithmetic(packets, Instant::ZERO);
        self.station = Some(Box::new(MediumStation::new(id)));
    }

    /// Channel and station number, if the link shares a channel.
    pub(crate) fn station_id(&self) -> Option<StationId> {
        self.station.as_ref().map(|station| station.id)
    }

    /// Requests the channel if the queue has packets and no request is pending.
    pub(super) fn request_channel(&mut self, at: Instant) {
        let backlog = self.backlog();
        let Some(station) = self.station.as_mut().filter(|_| self.up) else { return };
        if backlog.packets > 0 && !station.requested {
            station.unsent_request.get_or_insert(at);
        }
        if let Some(stats) = &mut self.stats {
            stats.level(backlog, at);
        }
    }

    /// Starts an access at `now`: retries first, then frames from the queue. `None` if there is nothing to send.
    pub(crate) fn begin_access<R: PacketOps<P>>(
        &mut self,
        framing: &AggregationLimits,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) -> Option<AccessBurst> {
        self.catch_up(packets, now, id, hosts);
        let (rate, overhead) = (self.transmitter.rate(), self.transmitter.overhead());
        let mut burst = FrameBurst::new(framing, rate);
        let station = self.station.as_mut()?;
        let mut all_fit = true;
        for frame in station.frames.iter_mut().filter(|f| f.state == FrameState::Waiting) {
            all_fit = burst.adds(packets.size(frame.pkt) + overhead);
            if !all_fit {
                break;
            }
            frame.state = FrameState::Sent;
        }
        while all_fit && !burst.is_full() && station.frames.len() < framing.window() {
            let Service::Disciplined { queue, .. } = &mut self.service else { break };
            let (qdisc, rng) = &mut **queue;
            let mut sink =
                LinkSink { hosts, id, event_counters: &mut self.event_counters, at_enqueue: false };
            let Some((pkt, queued)) = qdisc.dequeue(&mut Cx { now, rng, sink: &mut sink }) else { break };
            // A frame that does not fit in this access is the first of the next.
            all_fit = burst.adds(pkt.size() + overhead);
            let state = if all_fit { FrameState::Sent } else { FrameState::Waiting };
            station.frames.push_back(Frame { pkt: packets.insert(pkt), queued, attempts: 0, state });
        }
        station.requested = burst.frames() > 0;
        let first_attempts = self.record_transmissions(packets, now, id, hosts);
        (burst.frames() > 0).then(|| AccessBurst {
            frames: burst.frames(),
            first_attempts,
            air_time: burst.air_time(),
        })
    }

    /// Counts the transmissions that start now; returns the number of first ones.
    fn record_transmissions<R: PacketOps<P>>(
        &mut self,
        packets: &PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) -> usize {
        let (level, mut first_attempts) = (self.backlog(), 0);
        if let Some(stats) = &mut self.stats {
            stats.level(level, now);
        }
        let frames = self.station.iter_mut().flat_map(|station| &mut station.frames);
        for frame in frames.filter(|f| f.state == FrameState::Sent) {
            frame.attempts += 1;
            if frame.attempts > 1 {
                continue;
            }
            first_attempts += 1;
            let pkt = packets.get(frame.pkt);
            self.sent_bytes += pkt.size().get();
            if let Some(stats) = &mut self.stats {
                stats.sojourn(now - frame.queued);
            }
            if self.watched {
                hosts.transmitted(id, pkt, now - frame.queued, now);
            }
        }
        first_attempts
    }

    /// Ends the access; `outcome_of` draws the outcome of a frame, given the number of its transmissions.
    pub(crate) fn end_access<R: PacketOps<P>>(
        &mut self,
        mut outcome_of: impl FnMut(u32) -> FrameOutcome,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) -> AccessResult {
        self.catch_up(packets, now, id, hosts);
        let mut result = AccessResult::default();
        let mut at = 0;
        while let Some(frame) = self.frame_mut(at) {
            let outcome =
                if frame.state == FrameState::Sent { Some(outcome_of(frame.attempts)) } else { None };
            match outcome {
                Some(FrameOutcome::Delivered) => {
                    result.any_delivered = true;
                    frame.state = FrameState::Arrived;
                }
                Some(FrameOutcome::RetryLimit) => {
                    result.head_dropped |= at == 0;
                    self.drop_frame(at, packets, now, id, hosts);
                    continue;
                }
                Some(FrameOutcome::Retry) => frame.state = FrameState::Waiting,
                None => {}
            }
            at += 1;
        }
        self.deliver_in_order(packets, now);
        let backlog = self.backlog();
        if let Some(station) = &mut self.station {
            station.requested = !station.frames.is_empty() || backlog.packets > 0;
            result.wants_more = station.requested;
        }
        result
    }

    fn frame_mut(&mut self, at: usize) -> Option<&mut Frame> {
        self.station.as_mut()?.frames.get_mut(at)
    }

    fn drop_frame<R: PacketOps<P>>(
        &mut self,
        at: usize,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        let Some(frame) = self.station.as_mut().and_then(|station| station.frames.remove(at)) else { return };
        self.event_counters.dropped[DropReason::LinkLoss as usize] += 1;
        hosts.dropped(id, packets.remove(frame.pkt), DropReason::LinkLoss, now);
    }

    /// Delivers received frames up to the first missing one.
    fn deliver_in_order(&mut self, packets: &mut PacketSlab<P>, now: Instant) {
        while let Some(pkt) = self.station.as_mut().and_then(|station| {
            let first = station.frames.front()?;
            if first.state == FrameState::Arrived { station.frames.pop_front() } else { None }
        }) {
            self.propagate(pkt.pkt, now, packets);
        }
    }

    /// Drops all frames taken from the queue: the link goes down.
    pub(super) fn drop_all_frames<R: PacketOps<P>>(
        &mut self,
        packets: &mut PacketSlab<P>,
        now: Instant,
        id: LinkId,
        hosts: &mut R,
    ) {
        let Some(station) = &mut self.station else { return };
        (station.unsent_request, station.requested) = (None, false);
        for frame in station.frames.drain(..) {
            self.event_counters.dropped[DropReason::LinkDown as usize] += 1;
            hosts.dropped(id, packets.remove(frame.pkt), DropReason::LinkDown, now);
        }
    }
}

//! Accesses to channels that directions of links share.

use crate::channel::{Channel, ChannelCounters, ChannelId, Sent};
use crate::fabric::hosts::Hosts;
use crate::fabric::{CHANNEL, Fabric};
use crate::ids::LinkId;
use crate::link::{FrameOutcome, StationId};
use crate::packet_slab::Routed;
use tailrace_access::{AnyMedium, ChannelArbiter, TransmitOutcome};
use tailrace_core::{Instant, Rng};

impl<P: Routed> Fabric<P> {
    /// Most channels.
    pub const MAX_CHANNELS: u32 = (1 << 24) - CHANNEL;

    /// Lets directions of links share a channel, which draws from `rng`; to be called before anything is sent.
    ///
    /// # Panics
    /// When a direction shares one already, goes by a schedule or has had a packet, and when there are too many channels.
    pub fn share(
        &mut self,
        medium: AnyMedium,
        rng: Rng,
        links: impl IntoIterator<Item = LinkId>,
    ) -> ChannelId {
        let id = self.channels.len() as u32;
        assert!(id < Self::MAX_CHANNELS, "there are too many channels");
        let mut channel = Channel {
            arbiter: medium,
            rng,
            stations: Vec::new(),
            senders: Vec::new(),
            sending: None,
            pending: Instant::MAX,
            counters: ChannelCounters::default(),
        };
        for link in links {
            let station = channel.arbiter.add_station() as u32;
            channel.stations.push(link);
            self.links[link.0 as usize].join_channel(StationId { channel: id, station }, &mut self.packets);
        }
        self.channels.push(channel);
        ChannelId(id)
    }

    /// Counters of a channel up to the end of the last access.
    pub fn channel(&self, id: ChannelId) -> ChannelCounters {
        let channel = &self.channels[id.0 as usize];
        ChannelCounters { busy: channel.arbiter.busy(), ..channel.counters }
    }

    /// Enters a station's request for its channel.
    #[cold]
    pub(crate) fn request_channel(&mut self, id: StationId) {
        let channel = &mut self.channels[id.channel as usize];
        channel.arbiter.request_access(id.station as usize, self.now, &mut channel.rng);
        self.schedule_channel(ChannelId(id.channel));
    }

    /// Makes sure that an event is pending for the channel when it needs one.
    fn schedule_channel(&mut self, id: ChannelId) {
        let channel = &mut self.channels[id.0 as usize];
        if let Some(next) = channel.next().filter(|next| *next < channel.pending) {
            channel.pending = next;
            self.events.push(next, CHANNEL + id.0);
        }
    }

    /// An event for a channel is due.
    #[cold]
    pub(crate) fn handle_channel<R: Hosts<P>>(&mut self, id: ChannelId, hosts: &mut R) {
        let channel = &mut self.channels[id.0 as usize];
        if channel.pending != self.now {
            return; // Superseded by an earlier event.
        }
        channel.pending = Instant::MAX;
        match channel.sending.take() {
            Some(sent) => self.end_access(id, sent, hosts),
            None => self.begin_access(id, hosts),
        }
        self.schedule_channel(id);
    }

    /// Starts the accesses of all stations whose backoff ends now; more than one collide. A station whose queue gives nothing
    /// cancels its request.
    fn begin_access<R: Hosts<P>>(&mut self, id: ChannelId, hosts: &mut R) {
        let now = self.now;
        let mut sent = Sent { ends: now, frames: 0, collides: false };
        let mut from = 0;
        while let Some(station) = self.channels[id.0 as usize].arbiter.next_sender(now, from) {
            from = station + 1;
            let channel = &mut self.channels[id.0 as usize];
            let link = channel.stations[station];
            let l = &mut self.links[link.0 as usize];
            match l.begin_access(channel.arbiter.framing(), &mut self.packets, now, link, hosts) {
                Some(burst) => {
                    sent.ends = sent.ends.max(now.saturating_add(burst.air_time));
                    sent.frames = burst.frames;
                    channel.senders.push(station);
                    channel.counters.frames += burst.frames as u64;
                    channel.counters.resent += (burst.frames - burst.first_attempts) as u64;
                }
                None => channel.arbiter.cancel_request(station),
            }
            self.schedule(link);
        }
        let channel = &mut self.channels[id.0 as usize];
        if channel.senders.is_empty() {
            return;
        }
        sent.collides = channel.senders.len() > 1;
        channel.counters.accesses += 1;
        channel.counters.collisions += u64::from(sent.collides);
        channel.arbiter.begin(now);
        channel.sending = Some(sent);
    }

    /// Ends an access: its frames have arrived or failed, and each sender draws for its next access.
    fn end_access<R: Hosts<P>>(&mut self, id: ChannelId, sent: Sent, hosts: &mut R) {
        let now = self.now;
        let mut senders = std::mem::take(&mut self.channels[id.0 as usize].senders);
        let mut any_delivered = false;
        for station in senders.drain(..) {
            let Channel { arbiter, rng, stations, .. } = &mut self.channels[id.0 as usize];
            let (error, attempts) = (arbiter.frame_error().get(), arbiter.attempts());
            let link = stations[station];
            let outcome_of = |times| {
                let fails = sent.collides || (error > 0.0 && rng.bernoulli(error));
                match fails {
                    false => FrameOutcome::Delivered,
                    true if times < attempts => FrameOutcome::Retry,
                    true => FrameOutcome::RetryLimit,
                }
            };
            let l = &mut self.links[link.0 as usize];
            let result = l.end_access(outcome_of, &mut self.packets, now, link, hosts);
            any_delivered |= result.any_delivered;
            let is_settled = result.any_delivered || result.head_dropped;
            arbiter.end(
                station,
                if is_settled { TransmitOutcome::Finished } else { TransmitOutcome::Unacknowledged },
                rng,
            );
            if !result.wants_more {
                arbiter.cancel_request(station);
            }
            self.schedule(link);
        }
        let channel = &mut self.channels[id.0 as usize];
        // The vector returns to the channel, so that its allocation is reused.
        channel.senders = senders;
        channel.arbiter.free(any_delivered.then_some(sent.frames), now);
    }
}

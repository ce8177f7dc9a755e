//! Accesses to channels that directions of links share.

use crate::channel::{Channel, ChannelCounters, ChannelId, Sent};
use crate::fabric::hosts::Hosts;
use crate::fabric::{CHANNEL, Fabric};
use crate::ids::LinkId;
use crate::link::{Fared, Place};
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
            self.links[link.0 as usize].join(Place { channel: id, station }, &mut self.packets);
        }
        self.channels.push(channel);
        ChannelId(id)
    }

    /// Counters of a channel up to the end of the last access.
    pub fn channel(&self, id: ChannelId) -> ChannelCounters {
        let channel = &self.channels[id.0 as usize];
        ChannelCounters { busy: channel.arbiter.busy(), ..channel.counters }
    }

    /// A station wants its channel from now on.
    #[cold]
    pub(crate) fn want_channel(&mut self, place: Place) {
        let channel = &mut self.channels[place.channel as usize];
        channel.arbiter.request_access(place.station as usize, self.now, &mut channel.rng);
        self.schedule_channel(ChannelId(place.channel));
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
            return; // It was superseded by an earlier one.
        }
        channel.pending = Instant::MAX;
        match channel.sending.take() {
            Some(sent) => self.end_access(id, sent, hosts),
            None => self.begin_access(id, hosts),
        }
        self.schedule_channel(id);
    }

    /// Lets stations whose time has come send what their queues give. A station that gets nothing leaves the channel
    /// to the others.
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
                Some(sending) => {
                    sent.ends = sent.ends.max(now.saturating_add(sending.air_time));
                    sent.frames = sending.frames;
                    channel.senders.push(station);
                    channel.counters.frames += sending.frames as u64;
                    channel.counters.resent += (sending.frames - sending.fresh) as u64;
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
        let mut heard = false;
        for station in senders.drain(..) {
            let Channel { arbiter, rng, stations, .. } = &mut self.channels[id.0 as usize];
            let (error, attempts) = (arbiter.frame_error().get(), arbiter.attempts());
            let link = stations[station];
            let fares = |times| {
                let fails = sent.collides || (error > 0.0 && rng.bernoulli(error));
                match fails {
                    false => Fared::Arrives,
                    true if times < attempts => Fared::Fails,
                    true => Fared::IsGivenUp,
                }
            };
            let l = &mut self.links[link.0 as usize];
            let landing = l.end_access(fares, &mut self.packets, now, link, hosts);
            heard |= landing.heard;
            let is_settled = landing.heard || landing.gives_up;
            arbiter.end(
                station,
                if is_settled { TransmitOutcome::Finished } else { TransmitOutcome::Unacknowledged },
                rng,
            );
            if !landing.wants_more {
                arbiter.cancel_request(station);
            }
            self.schedule(link);
        }
        let channel = &mut self.channels[id.0 as usize];
        // Its room is kept.
        channel.senders = senders;
        channel.arbiter.free(heard.then_some(sent.frames), now);
    }
}

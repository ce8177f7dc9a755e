//! Channels that directions of links share, as wireless ones are.
//!
//! A channel has one pending event: the next access, or the end of what is being sent. Its [`ChannelArbiter`] knows who sends next; the
//! stations, which are directions of links, know what ([`crate::link`]). All that was sent with one access arrives at its end,
//! after the link's delay; the answer that the sender waits for takes only time.

use crate::ids::LinkId;
use tailrace_access::{AnyMedium, ChannelArbiter};
use tailrace_core::{Duration, Instant, Rng};

/// A channel of a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChannelId(pub u32);

/// Counters of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelCounters {
    /// Times that somebody had it, or several together.
    pub accesses: u64,
    /// Accesses of several stations together.
    pub collisions: u64,
    /// Frames that were sent, each time that they were.
    pub frames: u64,
    /// Frames that were sent again.
    pub resent: u64,
    /// Time in which somebody sent or was answered.
    pub busy: Duration,
}

/// A channel: who contends for it, and who has it.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) arbiter: AnyMedium,
    /// Its random draws, in the order of accesses.
    pub(crate) rng: Rng,
    /// The direction of a link that each station is.
    pub(crate) stations: Vec<LinkId>,
    /// Stations that send at present and have not gone down.
    pub(crate) senders: Vec<usize>,
    pub(crate) sending: Option<Sent>,
    /// Time of the one event that is pending, or `Instant::MAX`.
    pub(crate) pending: Instant,
    pub(crate) counters: ChannelCounters,
}

/// Access in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) ends: Instant,
    /// Number of frames of a lone sender.
    pub(crate) frames: usize,
    /// Whether there are several, so that nobody can read anything.
    pub(crate) collides: bool,
}

impl Channel {
    /// A station has nothing more to send, nor has had.
    pub(crate) fn leave(&mut self, station: usize) {
        self.arbiter.cancel_request(station);
        self.senders.retain(|sender| *sender != station);
    }

    /// When it must be looked at next.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.sending.map_or_else(|| self.arbiter.next_access(), |sent| Some(sent.ends))
    }
}

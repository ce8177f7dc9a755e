//! What is said of a medium that links share.

use crate::ground::keys::keys;
use tailrace_core::Instant;
use tailrace_net::ChannelCounters;

keys! {
    /// A medium, from the start of the run.
    #[derive(Clone, Debug)]
    pub(crate) struct MediumSummary {
        /// The share of the time in which a station sent or was answered.
        utilization: f64, "ratio";
        /// How often a station, or several at once, used the channel.
        accesses: u64, "";
        /// How often several stations sent at once, so that nothing arrived.
        collisions: u64, "";
        /// How many frames were sent; one that is sent again counts again.
        frames: u64, "";
        /// How many of these had been sent before.
        resent_frames: u64, "";
        /// The mean number of frames in an access; zero before the first.
        frames_per_access: f64, "";
    }
}

impl MediumSummary {
    /// Of what it has counted up to now.
    pub(crate) fn of(c: ChannelCounters, now: Instant) -> Self {
        Self {
            // What is counted of an access is known when it ends, and includes the answer that follows.
            utilization: (c.busy.as_secs_f64() / now.as_secs_f64()).min(1.0),
            accesses: c.accesses,
            collisions: c.collisions,
            frames: c.frames,
            resent_frames: c.resent,
            frames_per_access: c.frames as f64 / c.accesses.max(1) as f64,
        }
    }
}

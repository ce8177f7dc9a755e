//! What is said of a medium that links share.

use crate::keys::keys;
use tailrace_core::Instant;
use tailrace_net::ChannelCounters;

keys! {
    /// A medium, from the start of the run.
    #[derive(Clone, Debug)]
    pub(crate) struct MediumSummary {
        /// Share of the time in which somebody sent or was answered.
        utilization: f64, "ratio";
        /// Times that a station had it, or several at once.
        accesses: u64, "";
        /// Those of several at once, of which nothing arrives.
        collisions: u64, "";
        /// Frames sent, each as often as it was.
        frames: u64, "";
        /// Those that had been sent before.
        resent_frames: u64, "";
        /// Frames an access; zero before the first.
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

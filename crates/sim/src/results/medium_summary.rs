//! Summary of a shared medium.

use crate::ground::keys::keys;
use tailrace_core::Instant;
use tailrace_net::ChannelCounters;

keys! {
    /// A shared medium, from the start of the run.
    #[derive(Clone, Debug)]
    pub(crate) struct MediumSummary {
        /// The share of the time in which a station sent or was answered.
        utilization: f64, "ratio";
        /// Number of channel accesses by a station, or by several at once.
        accesses: u64, "";
        /// Number of accesses in which several stations sent at once, so that nothing arrived.
        collisions: u64, "";
        /// Number of frames sent; a retransmitted frame counts again.
        frames: u64, "";
        /// Number of frames that were retransmissions.
        resent_frames: u64, "";
        /// The mean number of frames in an access; zero before the first.
        frames_per_access: f64, "";
    }
}

impl MediumSummary {
    /// Summary of the counters up to now.
    pub(crate) fn of(c: ChannelCounters, now: Instant) -> Self {
        Self {
            // Busy time of an access is known when it ends and includes the answer that follows, so the share could exceed 1.
            utilization: (c.busy.as_secs_f64() / now.as_secs_f64()).min(1.0),
            accesses: c.accesses,
            collisions: c.collisions,
            frames: c.frames,
            resent_frames: c.resent,
            frames_per_access: c.frames as f64 / c.accesses.max(1) as f64,
        }
    }
}

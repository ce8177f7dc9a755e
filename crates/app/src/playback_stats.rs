//! Statistics of a video player.

use tailrace_core::Duration;

/// Counters of a player since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaybackStats {
    /// Segments that have arrived.
    pub segments: u64,
    /// Sum of their rates, bit/s.
    pub rates_bps: u64,
    /// Segments with another rate than the one before.
    pub switches: u64,
    /// Times that the buffer ran empty before the end.
    pub stalls: u64,
    /// Time for which the buffer was empty after the start, the present stall included.
    pub stalled: Duration,
    /// Whether playing has begun (1), and how long that took from the first request.
    pub started: u64,
    /// See `started`.
    pub startup: Duration,
    /// Buffer level at present, as playing time.
    pub buffer: Duration,
}

impl PlaybackStats {
    /// The counts since an earlier copy; the buffer is that of now.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            segments: self.segments - earlier.segments,
            rates_bps: self.rates_bps - earlier.rates_bps,
            switches: self.switches - earlier.switches,
            stalls: self.stalls - earlier.stalls,
            stalled: self.stalled - earlier.stalled,
            started: self.started - earlier.started,
            startup: self.startup - earlier.startup,
            buffer: self.buffer,
        }
    }
}

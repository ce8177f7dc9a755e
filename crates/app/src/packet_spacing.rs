//! Packets at a rate, and their sizes.

use crate::bounds::LARGEST_PAYLOAD;
use tailrace_core::{Bytes, Duration, Rate, Rng, SizeDist};

/// Spaces packets at a rate, exactly in the long run: the remainder of each division is carried.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PacketSpacing {
    carry: u64,
}

impl PacketSpacing {
    /// The time from a packet of this size to the next one.
    #[inline]
    pub(crate) fn gap(&mut self, rate: Rate, size: Bytes) -> Duration {
        let numerator = size.get() * 8_000_000_000 + self.carry;
        self.carry = numerator % rate.as_bps();
        Duration::from_nanos(numerator / rate.as_bps())
    }
}

/// Draws the payload of a packet; what is constant draws nothing.
#[inline]
pub(crate) fn draw_payload(sizes: &SizeDist, rng: &mut Rng) -> Bytes {
    match sizes {
        SizeDist::Constant(size) => *size,
        drawn => drawn.draw(rng).min(LARGEST_PAYLOAD),
    }
}

/// Time to send a packet of mean size. Exact, as rounding the mean of small packets would change the rate.
pub(crate) fn mean_gap(rate: Rate, sizes: &SizeDist) -> Duration {
    match sizes {
        SizeDist::Constant(size) => rate.time_to_send(*size),
        drawn => Duration::from_secs_f64(drawn.mean() * 8.0 / rate.as_bps() as f64),
    }
}

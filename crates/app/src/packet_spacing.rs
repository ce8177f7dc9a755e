//! Packets at a rate.

use tailrace_core::{Bytes, Duration, Rate};

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

//! A discipline's view of its link.

use tailrace_core::{Bytes, Duration, Rate};

/// View of the link that a discipline serves.
///
/// A discipline sees packets of their IP size; the link also sends `overhead` with each, at `rate`. So whatever
/// compares arrivals with what the link can send counts [`LinkView::wire_size`]; what is a number of IP bytes, as a
/// limit is, follows from [`LinkView::rate_for`].
///
/// ```
/// use tailrace_core::{Bytes, Duration, Rate};
/// use tailrace_qdisc::LinkView;
///
/// let link = LinkView::new(Rate::from_bps(10_380_000), Duration::ZERO).with_overhead(Bytes(38));
/// assert_eq!(link.wire_size(Bytes(1000)), Bytes(1038));
/// assert_eq!(link.packets_per_sec(Bytes(1000)), 1250.0);
/// assert_eq!(link.rate_for(Bytes(1000)), Rate::from_mbit(10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkView {
    /// Rate of the link, overhead included.
    pub rate: Rate,
    /// Propagation delay of the link, one way.
    pub delay: Duration,
    /// Bytes that each packet takes on the link beyond its IP size.
    pub overhead: Bytes,
}

impl LinkView {
    /// An IP packet of full size on most links.
    pub const FULL_PACKET: Bytes = Bytes(1500);

    /// A link without overhead.
    pub const fn new(rate: Rate, delay: Duration) -> Self {
        Self { rate, delay, overhead: Bytes::ZERO }
    }

    /// The same link with `overhead` bytes on each packet.
    #[must_use]
    pub const fn with_overhead(self, overhead: Bytes) -> Self {
        Self { overhead, ..self }
    }

    /// Bytes of the link's rate that a packet of `size` takes.
    #[inline]
    pub fn wire_size(&self, size: Bytes) -> Bytes {
        size + self.overhead
    }

    /// Packets of `size` that the link sends in a second.
    pub fn packets_per_sec(&self, size: Bytes) -> f64 {
        self.rate.bytes_per_sec() / self.wire_size(size).as_f64()
    }

    /// The rate in IP bytes while all packets have `size`, more than zero.
    pub fn rate_for(&self, size: Bytes) -> Rate {
        let bps = u128::from(self.rate.as_bps()) * u128::from(size.get());
        // No more than the rate, so it fits.
        Rate::from_bps((bps / u128::from(self.wire_size(size).get())) as u64)
    }

    /// Bytes on the wire of `bytes` of IP where packets have `mean` size, more than zero.
    pub fn wire_bytes(&self, bytes: Bytes, mean: Bytes) -> f64 {
        bytes.as_f64() * (self.wire_size(mean).as_f64() / mean.as_f64())
    }
}

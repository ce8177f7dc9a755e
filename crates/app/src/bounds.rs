//! Bounds shared by keys of several applications.

use tailrace_core::params::{Bounds, Kind};
use tailrace_core::{Bytes, Duration, Rate, SizeDist};

/// Rates of payload.
pub(crate) const RATES: Bounds = Bounds::declared(
    Kind::Rate,
    "1 bit/s",
    "10000 Gbit/s",
    "with less than a bit a second nothing would be sent | a packet would take no time",
);
/// Sizes of transfers and messages.
pub(crate) const SIZES: Bounds = Bounds::declared(
    Kind::Sizes,
    "1 B",
    "1000000 GB",
    "with less there is nothing to send | larger values cannot be counted",
);
/// Payload of a packet.
pub(crate) const PAYLOADS: Bounds = Bounds::declared(
    Kind::Bytes,
    "1 B",
    "65535 B",
    "without payload there is nothing to send | no IP packet has more",
);
/// The largest payload of a UDP packet (RFC 791 §3.1, RFC 768): draws beyond it are as large.
pub(crate) const LARGEST_PAYLOAD: Bytes = Bytes(65_507);
/// Payload of a packet, which may be drawn.
pub(crate) const DRAWN_PAYLOADS: Bounds = Bounds::declared(
    Kind::Sizes,
    "1 B",
    "65535 B",
    "without payload there is nothing to send | no IP packet has more",
);
/// Numbers of repetitions.
pub(crate) const COUNTS: Bounds = Bounds::declared(
    Kind::Count,
    "1",
    "4294967295",
    "with 0 nothing would happen | larger values cannot be counted",
);

/// The mean payload of packets, at least a byte.
pub(crate) fn mean_payload(sizes: &SizeDist) -> Bytes {
    Bytes((sizes.mean() + 0.5).max(1.0) as u64)
}

/// Packets closer than this would keep the clock from advancing.
const LEAST_GAP: Duration = Duration::from_nanos(10);

/// Whether packets of a size can leave at a rate.
///
/// # Errors
/// How close they would be.
pub(crate) fn check_gap(rate: Rate, size: Bytes) -> Result<(), String> {
    if rate.as_bps() == 0 || rate.time_to_send(size) >= LEAST_GAP {
        return Ok(());
    }
    let gap = rate.time_to_send(size);
    Err(format!(
        "packets of {size} would leave {gap} apart, less than {LEAST_GAP}: use larger packets or a lower rate"
    ))
}

//! TCP options: those in use, their length in a header, and the timestamp clock (RFC 7323).

use tailrace_core::{Duration, Instant};

/// Options in use, as the handshake agreed on them.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct AgreedOptions {
    pub(in crate::tcp) sack: bool,
    pub(in crate::tcp) timestamps: bool,
    pub(in crate::tcp) ecn: bool,
    /// Both windows are scaled.
    pub(in crate::tcp) scaling: bool,
    /// Shift of the windows this end advertises.
    pub(in crate::tcp) rcv_scale: u8,
}

/// Bytes of the timestamp option, and of a subflow's mapping.
pub(in crate::tcp) const TIMESTAMP_LEN: u64 = 12;
pub(in crate::tcp) const MAPPING_LEN: u64 = 24;

/// Option bytes of a full segment. The MSS of a SYN does not include them, and the sender makes room (RFC 6691 §2).
pub(in crate::tcp) const fn option_len(stamped: bool) -> u64 {
    if stamped { TIMESTAMP_LEN } else { 0 }
}

/// The timestamp clock: milliseconds (RFC 7323 §5.4 allows 1 ms to 1 s).
pub(in crate::tcp) const fn clock(now: Instant) -> u32 {
    (now.as_nanos() / 1_000_000) as u32
}

/// Round trip of the segment that was stamped `echo`, whichever transmission that was: at least 1 ms, the clock's resolution.
pub(in crate::tcp) fn echoed_rtt(echo: u32, now: Instant) -> Option<Duration> {
    let passed = clock(now).wrapping_sub(echo);
    (passed <= i32::MAX as u32).then(|| Duration::from_millis(u64::from(passed.max(1))))
}

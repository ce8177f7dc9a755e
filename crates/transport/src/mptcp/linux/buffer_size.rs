//! Sizes of buffers that count memory, and the window that a share of it is.

use crate::buffer_sizes::BufferSizes;
use crate::mptcp::MptcpPlan;
use tailrace_core::Bytes;

/// More than any path could fill, and far from what sums could not hold.
pub(in crate::mptcp) const MOST: u64 = 1 << 40;
/// Segments that are sent before anything is known of the path (`TCP_INIT_CWND`).
pub(in crate::mptcp) const INITIAL_SEGMENTS: u64 = 10;
/// The share of memory that is window where none is given, and before data has come, in 256ths (`TCP_DEFAULT_SCALING_RATIO`).
pub(crate) const HALF: u64 = 128;
/// Memory that the send buffer grants for each segment of the window: 2048 for a full one with its headers, and 256.
pub(super) const SEGMENT: u64 = 2304;
/// Payload of a full packet without options, for which a tuned buffer is sized (`advmss`).
pub(super) const FULL: u64 = 1460;
/// Length of the timestamp option, which is part of that payload.
pub(in crate::mptcp) const STAMPS: u64 = 12;
/// Size of a buffer, and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferSize {
    pub(crate) now: u64,
    pub(crate) most: u64,
    /// It was set, and stays.
    pub(crate) set: bool,
}

impl BufferSize {
    /// Linux's send buffer as it comes (`tcp_wmem`).
    pub(crate) const KERNEL: Self = Self { now: 16_384, most: 4_194_304, set: false };

    /// A size that was set and does not grow.
    pub(crate) fn fixed(bytes: u64) -> Self {
        let bytes = bytes.clamp(1, MOST);
        Self { now: bytes, most: bytes, set: true }
    }
}

/// The sizes of the receive and the send buffer, where they are counted in memory. One that is set is doubled, as
/// `SO_RCVBUF` and `SO_SNDBUF` are; one that is left alone grows.
pub(crate) fn sizes(plan: &MptcpPlan) -> Option<(BufferSize, BufferSize)> {
    let tcp = plan.mptcp.counts_memory.then_some(&plan.tcp)?;
    let doubled = |set: Bytes| BufferSize::fixed(set.get().saturating_mul(2));
    let tuned = |sizes: BufferSizes| BufferSize { now: sizes.initial, most: sizes.most, set: false };
    let receive = tcp.tcp_rmem.map_or_else(|| doubled(tcp.receive_buffer), tuned);
    let send = match (tcp.send_buffer, tcp.tcp_wmem) {
        (Some(set), _) => doubled(set),
        (None, sizes) => sizes.map_or(BufferSize::KERNEL, tuned),
    };
    Some((receive, send))
}

/// Memory that the send buffer grants for each segment of a window: that of the kernel without wireless where memory is not counted.
pub(crate) fn segment_memory(plan: &MptcpPlan) -> u64 {
    if plan.mptcp.counts_memory { plan.tcp.segment_memory.get() } else { SEGMENT }
}

/// Largest first window (`tcp_select_initial_window`): `first_window`, or the window of the receive buffer before a
/// segment has arrived.
pub(crate) fn first_window(plan: &MptcpPlan) -> Option<Bytes> {
    plan.mptcp.first_window.or_else(|| sizes(plan).map(|(receive, _)| Bytes(receive.now / 2)))
}

/// Payload of a full packet, with timestamps or without.
#[inline]
pub(in crate::mptcp) const fn full_segment(stamps: bool) -> u64 {
    if stamps { FULL - STAMPS } else { FULL }
}

/// Receive buffer after growth: its memory, and the largest window that subflows may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GrownBuffer {
    pub(crate) size: u64,
    pub(crate) clamp: u64,
}

/// The window of so much memory, of which such a share is window.
#[inline]
pub(crate) fn window_of(memory: u64, share: u64) -> u64 {
    (memory.min(MOST) * share) >> 8
}

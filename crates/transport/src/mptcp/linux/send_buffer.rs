//! Send buffers as Linux keeps them for Multipath TCP (`tcp_sndbuf_expand`, `mptcp_propagate_sndbuf`): a subflow that could send more than
//! it has while the connection's buffer is full gets a buffer of twice its window, and the connection's is as large as the largest of its
//! subflows' (Linux 6.1), or as all of them (6.12).

use crate::mptcp::linux::buffer_size::{BufferSize, INITIAL_SEGMENTS, MOST};

/// A send buffer without subflows (`tcp_wmem`).
const LEAST: u64 = 4096;

/// The send buffer of a subflow, or of the connection.
#[derive(Clone, Debug)]
pub(crate) struct SendBuffer {
    size: BufferSize,
    /// Memory for each segment of the window (`segment_memory`).
    segment: u64,
}

impl SendBuffer {
    /// Memory for segments of a full packet.
    #[cfg(test)]
    pub(crate) fn new(size: BufferSize) -> Self {
        Self::with_segments(size, crate::mptcp::linux::buffer_size::SEGMENT)
    }

    /// Each segment of the window may take so much memory.
    pub(crate) fn with_segments(size: BufferSize, segment: u64) -> Self {
        let mut memory = Self { size, segment };
        memory.expand(0);
        memory
    }

    /// Grows for a window of so many segments (`tcp_sndbuf_expand`); whether it does.
    pub(crate) fn expand(&mut self, segments: u64) -> bool {
        let wanted = segments.max(INITIAL_SEGMENTS).saturating_mul(2 * self.segment).min(self.size.most);
        let grows = wanted > self.size.now;
        self.size.now = self.size.now.max(wanted);
        grows
    }

    /// Whether it may grow for a window of so many bytes, in segments of `mss`: not if it has room for them.
    #[inline]
    pub(crate) const fn may_grow(&self, window: u64, mss: u64) -> bool {
        self.size.now < self.size.most
            && window.saturating_mul(2 * self.segment) > self.size.now.saturating_mul(mss)
    }

    #[inline]
    pub(crate) const fn size(&self) -> u64 {
        self.size.now
    }

    /// Grows to the size of a subflow's buffer, unless its own was set (`mptcp_propagate_sndbuf`).
    pub(crate) fn follow(&mut self, subflow: &Self) {
        if !self.size.set {
            self.size.now = self.size.now.max(subflow.size.now.min(self.size.most));
        }
    }

    /// Becomes the sum of the subflows' `sizes` and of the minimum, unless its size was set (`__mptcp_sync_sndbuf`).
    pub(crate) fn join(&mut self, sizes: impl Iterator<Item = u64>) {
        if !self.size.set {
            self.size.now = sizes.fold(LEAST, u64::saturating_add).min(MOST);
        }
    }

    /// Whether an application that waits for room goes on where `held` bytes are not acknowledged: a third is free
    /// (`sk_stream_is_writeable`).
    #[inline]
    pub(crate) const fn is_writeable(&self, held: u64) -> bool {
        held <= self.size.now / 3 * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1424;

    #[test]
    fn send_buffer_has_twice_the_memory_that_is_given_for_each_segment() {
        let mut memory = SendBuffer::with_segments(BufferSize::KERNEL, 1000);
        assert_eq!(memory.size(), 20_000, "ten segments at first");
        assert!(!memory.may_grow(10 * MSS, MSS) && memory.may_grow(11 * MSS, MSS));
        assert!(memory.expand(30) && memory.size() == 60_000);
    }

    #[test]
    fn a_send_buffer_grows_for_no_window_that_it_has_room_for() {
        let mut memory = SendBuffer::new(BufferSize::KERNEL);
        memory.expand(20);
        assert!(!memory.may_grow(20 * MSS, MSS) && memory.may_grow(21 * MSS, MSS));
        for window in (0..40 * MSS).step_by(97) {
            let grows = memory.clone().expand(window / MSS);
            assert!(memory.may_grow(window, MSS) || !grows, "{window}");
        }
    }

    #[test]
    fn a_send_buffer_is_twice_the_window_and_that_of_a_connection_the_largest() {
        let tuned = BufferSize { now: 16_384, most: 4_194_304, set: false };
        let (mut one, mut all) = (SendBuffer::new(tuned), SendBuffer::new(tuned));
        assert_eq!(one.size(), 46_080, "of ten segments");
        one.expand(163);
        // Measured in Linux: 751104.
        assert_eq!(one.size(), 751_104);
        all.follow(&one);
        assert_eq!(all.size(), 751_104);
        one.expand(10);
        assert_eq!(one.size(), 751_104, "it never shrinks");
        let mut set = SendBuffer::new(BufferSize::fixed(131_072));
        set.follow(&one);
        set.expand(500);
        assert_eq!(set.size(), 131_072);
    }

    #[test]
    fn a_buffer_of_all_subflows_goes_with_them_and_one_that_was_set_stays() {
        let tuned = BufferSize { now: 16_384, most: 4_194_304, set: false };
        let (mut one, mut two, mut all) =
            (SendBuffer::new(tuned), SendBuffer::new(tuned), SendBuffer::new(tuned));
        one.expand(163);
        all.join([&one, &two].map(SendBuffer::size).into_iter());
        assert_eq!(all.size(), 4096 + 751_104 + 46_080);
        // 4608 bytes a segment, and no more than `tcp_wmem` has; together they have more.
        for subflow in [&mut one, &mut two] {
            subflow.expand(2000);
        }
        all.join([&one, &two].map(SendBuffer::size).into_iter());
        assert_eq!(all.size(), 4096 + 2 * 4_194_304);
        all.join([one.size()].into_iter());
        assert_eq!(all.size(), 4096 + 4_194_304, "one is gone");
        let mut set = SendBuffer::new(BufferSize::fixed(131_072));
        set.join([one.size()].into_iter());
        assert_eq!(set.size(), 131_072);
    }
}

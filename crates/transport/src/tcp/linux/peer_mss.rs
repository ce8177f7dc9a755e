//! Payload of the peer's full segments, as the receiver estimates it (Linux `rcv_mss`, `tcp_measure_rcv_mss`).
//!
//! A smaller segment may end a message whose sender waits for the answer, so it is acknowledged once the application has read
//! everything (`tcp_cleanup_rbuf`). An end that answers with data (`pingpong`) waits for the answer to take the ACK along, and only for one
//! small segment.

/// `rcv_mss` before any data (`TCP_MSS_DEFAULT`); bytes of the timestamp option.
const FIRST: u32 = 536;
const STAMPS: u32 = 12;

/// Estimate of the peer's full segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerMss {
    /// Payload of a full segment (`rcv_mss`).
    full: u32,
    /// Payload of the last segment, if it was not full (`last_seg_size`).
    last: u32,
}

impl Default for PeerMss {
    fn default() -> Self {
        Self { full: FIRST, last: 0 }
    }
}

impl PeerMss {
    /// Bytes of a full segment.
    pub(super) fn get(&self) -> u64 {
        u64::from(self.full)
    }

    pub(super) const fn is_full(&self, len: u32) -> bool {
        len >= self.full
    }

    /// Whether an in-order segment of `len` bytes is small: shorter than the full ones before it, of which `most` is the
    /// limit; `stamps`: it has timestamps. A second one of the same length makes that the full size.
    pub(super) fn is_small(&mut self, len: u32, most: u32, stamps: bool) -> bool {
        let last = core::mem::take(&mut self.last);
        if len >= self.full {
            self.full = len.min(most);
            return false;
        }
        // Linux compares the length with the header's options.
        let with_options = len + if stamps { STAMPS } else { 0 };
        if with_options >= FIRST {
            self.last = len;
            if len == last {
                self.full = len;
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rcv_mss_shrinks_after_two_small_segments_of_a_length() {
        let mut peer_mss = PeerMss::default();
        let mut small = |len| peer_mss.is_small(len, 1460, true);
        assert!(!small(1448), "the first is larger than 536 bytes");
        assert!(!small(1448));
        assert!(small(1000), "less than before");
        assert!(!small(1000), "the same again: the peer's segments have become smaller");
        assert!(!small(1000));
        assert!(small(100), "that little is never full");
        assert!(small(100));
        assert!(!small(1448));
        assert!(small(1000), "smaller again");
        assert!(small(999), "not the same");
    }

    #[test]
    fn a_full_segment_is_no_more_than_what_was_agreed() {
        let mut peer_mss = PeerMss::default();
        assert!(!peer_mss.is_small(9000, 1460, false));
        assert!(!peer_mss.is_small(1460, 1460, false));
        assert!(peer_mss.is_small(1459, 1460, false));
    }
}

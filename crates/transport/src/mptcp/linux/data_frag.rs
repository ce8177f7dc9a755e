//! Fragments of the send buffer of a connection, in which Linux stores the application's writes (`mptcp_sendmsg`).
//!
//! Fragments lie in blocks of memory, each behind its header. A write extends the last fragment as long as that is unassigned and its block
//! has space, else it begins a new one. A scheduler decides between fragments (`__subflow_push_pending`), so that a segment ends with its
//! fragment if the next one goes elsewhere.

use std::collections::VecDeque;

/// A block (`skb_page_frag_refill`), and the least that is left of one for a fragment.
const BLOCK: u64 = 32_768;
const LEAST: u64 = 32;
/// Header of a fragment (`mptcp_data_frag`), bytes.
const HEADER: u64 = 40;
/// Size of one write of an application that waits for space, bytes.
const WRITE: u64 = 65_536;

/// Fragments with unassigned bytes, and fragments with unacknowledged ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fragments {
    /// Ends of the fragments with unassigned bytes, in order.
    ends: VecDeque<u64>,
    /// Ends of the fragments before them that are not acknowledged.
    sent: VecDeque<u64>,
    /// End of the last assigned fragment.
    border: u64,
    /// Bytes left in the last block.
    left: u64,
}

impl Fragments {
    /// Bytes of the headers of fragments that are not acknowledged as a whole.
    #[inline]
    pub(crate) fn headers(&self) -> u64 {
        (self.ends.len() + self.sent.len()) as u64 * HEADER
    }

    /// The application writes behind `stored`, where `held` bytes are in a buffer of `size`, headers not counted: each fragment is taken if
    /// there is any room. Returns how many bytes.
    pub(crate) fn write(&mut self, stored: u64, held: u64, size: u64) -> u64 {
        let mut written = 0;
        while written < WRITE && held + written + self.headers() < size {
            let goes_on = !self.ends.is_empty() && self.left > 0;
            if !goes_on {
                if self.left < HEADER + LEAST {
                    self.left = BLOCK;
                }
                self.left -= HEADER;
                if self.ends.is_empty() {
                    self.border = stored + written;
                }
                self.ends.push_back(0);
            }
            let bytes = self.left.min(WRITE - written);
            written += bytes;
            self.left -= bytes;
            if let Some(end) = self.ends.back_mut() {
                *end = stored + written;
            }
        }
        written
    }

    /// All up to `nxt` has been handed out.
    pub(crate) fn on_sent(&mut self, nxt: u64) {
        while let Some(end) = self.ends.front().copied().filter(|end| *end <= nxt) {
            self.border = end;
            self.sent.push_back(end);
            self.ends.pop_front();
        }
    }

    /// All up to `una` has been acknowledged.
    pub(crate) fn forget(&mut self, una: u64) {
        while self.sent.front().is_some_and(|end| *end <= una) {
            self.sent.pop_front();
        }
    }

    /// Whether a fragment begins at `dsn`, of what was handed out.
    pub(crate) fn begins_at(&self, dsn: u64) -> bool {
        self.sent.binary_search(&dsn).is_ok()
    }

    /// Where the one ends in which `dsn` lies, of those of which some was handed out.
    pub(crate) fn end_after(&self, dsn: u64) -> Option<u64> {
        let sent = self.sent.get(self.sent.partition_point(|end| *end <= dsn));
        sent.or(self.ends.front()).copied()
    }

    /// Bytes from `nxt` on in the first of them.
    pub(crate) fn rest(&self, nxt: u64) -> u64 {
        self.ends.front().map_or(u64::MAX, |end| end.saturating_sub(nxt))
    }

    /// Whether of the first of them all before `nxt` was handed out, and that is some.
    #[inline]
    pub(crate) fn is_within(&self, nxt: u64) -> bool {
        !self.ends.is_empty() && nxt > self.border
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_fills_two_blocks_and_begins_a_third() {
        let mut fragments = Fragments::default();
        assert_eq!(fragments.write(1, 0, 1 << 20), 65_536);
        // 32768 - 40 = 32728 bytes each, and 65536 - 2 * 32728 = 80.
        assert_eq!(fragments.ends, [32_729, 65_457, 65_537]);
        // The next write goes on with the last, of which 32768 - 40 - 80 = 32648 are left.
        assert_eq!(fragments.write(65_537, 65_536, 1 << 20), 65_536);
        assert_eq!(fragments.ends, [32_729, 65_457, 98_185, 130_913, 131_073]);
    }

    #[test]
    fn fragment_starts_are_known_until_acknowledged() {
        let mut fragments = Fragments::default();
        fragments.write(1, 0, 1 << 20);
        fragments.on_sent(65_457);
        assert_eq!(
            [32_729, 32_730, 65_457, 65_537].map(|dsn| fragments.begins_at(dsn)),
            [true, false, true, false]
        );
        fragments.forget(40_000);
        assert_eq!(fragments.sent, [65_457]);
    }

    #[test]
    fn assigned_fragment_is_not_extended() {
        let mut fragments = Fragments::default();
        fragments.write(1, 0, 1 << 20);
        fragments.on_sent(65_537);
        fragments.write(65_537, 65_536, 1 << 20);
        // Another header: 32768 - 2 * 40 - 80 = 32608, then 32728 and what is left of 65536: 200.
        assert_eq!(fragments.ends, [98_145, 130_873, 131_073]);
    }

    #[test]
    fn a_fragment_is_taken_if_there_is_any_room() {
        let mut fragments = Fragments::default();
        assert_eq!(fragments.write(1, 0, 32_769), 65_456, "the second has one byte of room");
        assert_eq!(fragments.write(1, 32_729, 32_729), 0);
    }

    #[test]
    fn fragment_headers_take_memory_until_the_whole_fragment_is_acknowledged() {
        // Seen in Linux 6.12 (`sk_wmem_queued`): 32768 after the first, and no second one in 32768 bytes.
        let mut fragments = Fragments::default();
        assert_eq!((fragments.write(1, 0, 32_768), fragments.headers()), (32_728, 40));
        fragments.on_sent(32_729);
        fragments.forget(20_000);
        assert_eq!(fragments.headers(), 40, "a part is acknowledged");
        fragments.forget(32_729);
        assert_eq!(fragments.headers(), 0);
    }

    #[test]
    fn a_fragment_is_begun_once_bytes_of_it_are_handed_out() {
        let mut fragments = Fragments::default();
        fragments.write(1, 0, 1 << 20);
        assert_eq!((fragments.is_within(1), fragments.is_within(1425)), (false, true));
        assert_eq!(fragments.rest(32_000), 729);
        fragments.on_sent(32_729);
        assert!(!fragments.is_within(32_729));
        fragments.on_sent(65_537);
        assert_eq!((fragments.is_within(65_537), fragments.rest(65_537)), (false, u64::MAX));
    }
}

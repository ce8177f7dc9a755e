//! What a receiver makes of the PSH flag and of segments that are not full: the peer may have no more to send, and wait (Linux
//! `tcp_measure_rcv_mss`, `tcp_cleanup_rbuf`).
//!
//! Once the application has read everything, such a segment is acknowledged at once, unless this end is one that replies to what it
//! reads: then the reply takes the ACK with it, and only a second small segment is not waited for.

use crate::config::AckDelay;
use crate::segment::{Flags, Segment};
use crate::tcp::Tcp;
use tailrace_core::{Duration, Instant};

/// A full segment before one has come (`TCP_MSS_DEFAULT`), and what timestamps take of one.
const FIRST: u32 = 536;
const STAMPS: u32 = 12;

/// What is known of the peer's segments.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct PushAcks {
    /// Payload of a full one (`rcv_mss`).
    full: u32,
    /// That of the last one, if it was not full (`last_seg_size`).
    last: u32,
    /// This end has answered at once with data (`pingpong`).
    pub(in crate::tcp) replies: bool,
}

impl PushAcks {
    pub(in crate::tcp) const fn new() -> Self {
        Self { full: FIRST, last: 0, replies: false }
    }

    /// A segment with `len` bytes has come in order, no more than `most` being a full one; `stamps` says that it has timestamps.
    /// Returns whether it counts as small: less than those before it. A second one of the same length says that this is what is full.
    fn is_small(&mut self, len: u32, most: u32, stamps: bool) -> bool {
        let last = core::mem::take(&mut self.last);
        if len >= self.full {
            self.full = len.min(most);
            return false;
        }
        // What is compared in Linux has the header's options, too.
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

impl Tcp {
    /// A segment with data has come in order.
    #[inline(never)]
    pub(in crate::tcp) fn heed_push(&mut self, segment: &Segment) {
        let Some(repair) = self.repair.as_mut() else { return };
        if segment.payload == 0 {
            return;
        }
        let push_acks = &mut repair.push_acks;
        let was_full = segment.payload >= push_acks.full;
        let most = self.mss + if self.options.timestamps { STAMPS } else { 0 };
        if push_acks.is_small(segment.payload, most, segment.timestamps.is_some()) {
            self.acks.on_small();
        } else if was_full && segment.flags.has(Flags::PSH) {
            self.acks.on_push();
        }
    }

    /// Whether all that is not acknowledged is no more than a full segment, which Linux waits for (`__tcp_ack_snd_check`).
    #[inline]
    pub(in crate::tcp) fn holds_short_ones(&self) -> bool {
        if self.config.ack_delay != AckDelay::Adaptive || self.config.delayed_ack < 2 {
            return false;
        }
        let owed = self.rcv.nxt() - self.acks.last_sent();
        self.repair.as_ref().is_some_and(|repair| owed <= u64::from(repair.push_acks.full))
    }

    /// The application may have read: with everything read, and nothing waiting for what is missing, what was pushed is acknowledged.
    #[inline]
    pub(in crate::tcp) fn acknowledge_pushed(&mut self) {
        // What a subflow has brought is read from its connection.
        if !self.acks.is_pushed()
            || self.shared_window.is_some()
            || self.rcv.read() != self.rcv.nxt_data()
            || self.rcv.has_gap()
        {
            return;
        }
        let replies = self.repair.as_ref().is_some_and(|repair| repair.push_acks.replies);
        self.acks.on_all_read(replies);
    }

    /// Data leaves at `now`: soon enough after the last that came, and this is an end that replies to what it reads.
    pub(in crate::tcp) fn note_reply(&mut self, now: Instant) {
        if let Some(repair) = &mut self.repair {
            let (last, delay) = repair.pace.last_and_delay();
            repair.push_acks.replies |= delay > Duration::ZERO && now.saturating_since(last) < delay;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_less_than_a_full_segment_is_small_unless_it_comes_twice() {
        let mut push_acks = PushAcks::new();
        let mut small = |len| push_acks.is_small(len, 1460, true);
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
        let mut push_acks = PushAcks::new();
        assert!(!push_acks.is_small(9000, 1460, false));
        assert!(!push_acks.is_small(1460, 1460, false));
        assert!(push_acks.is_small(1459, 1460, false));
    }
}

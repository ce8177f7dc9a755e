//! Segments that are not full, where windows count packets: each weighs as much as a full one (Linux `tcp_packets_in_flight`,
//! `tp->delivered`).
//!
//! The sums of the scoreboard are bytes. What short segments lack is kept beside them, so that full ones, the common case, cost
//! nothing.

use super::scoreboard::{LOST, RETRANSMITTED, SACKED};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ShortSegments {
    /// What a packet weighs, bytes; zero where bytes are counted.
    full: u64,
    /// What is lacking of those in the network.
    pub(super) in_pipe: u64,
    /// What is lacking of those that were delivered, ever.
    pub(super) delivered: u64,
}

/// How often a segment with these flags is in the network.
pub(super) const fn times(flags: u8) -> u64 {
    (flags & (SACKED | LOST) == 0) as u64 + (flags & RETRANSMITTED != 0) as u64
}

impl ShortSegments {
    /// A full segment has so many bytes, and every other weighs as much.
    pub(super) const fn weigh_as(&mut self, full: u64) {
        self.full = full;
    }

    /// What a segment of `len` bytes weighs.
    #[inline(always)]
    pub(super) fn weight(&self, len: u64) -> u64 {
        len.max(self.full)
    }

    /// What one of `len` bytes lacks; nothing where bytes are counted.
    #[inline(always)]
    pub(super) const fn lack(&self, len: u64) -> u64 {
        self.full.saturating_sub(len)
    }

    /// One that lacks so much is sent for the first time.
    #[inline(always)]
    pub(super) const fn on_sent(&mut self, lack: u64) {
        self.in_pipe += lack;
    }

    /// The flags of one that lacks so much have changed.
    #[inline]
    pub(super) const fn on_change(&mut self, lack: u64, before: u8, after: u8) {
        self.in_pipe = self.in_pipe + times(after) * lack - times(before) * lack;
        if before & SACKED == 0 && after & SACKED != 0 {
            self.delivered += lack;
        }
    }

    /// Up to `acked` bytes of one are acknowledged: all that was outstanding of it, `len`, or a part.
    #[inline(always)]
    pub(super) const fn on_acked(&mut self, len: u64, acked: u64, flags: u8) {
        if self.full > 0 {
            self.acknowledge(len, acked, flags);
        }
    }

    const fn acknowledge(&mut self, len: u64, acked: u64, flags: u8) {
        let lack = self.lack(len);
        if acked < len {
            self.in_pipe += times(flags) * (self.lack(len - acked) - lack);
            return;
        }
        self.in_pipe -= times(flags) * lack;
        if flags & SACKED == 0 {
            self.delivered += lack;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_segment_weighs_as_much_as_a_full_one() {
        let mut short = ShortSegments::default();
        assert_eq!((short.lack(96), short.weight(96)), (0, 96), "bytes");
        short.weigh_as(1424);
        assert_eq!((short.lack(96), short.weight(96), short.lack(1424), short.lack(1425)), (1328, 1424, 0, 0));
        short.on_sent(1328);
        short.on_change(1328, 0, LOST);
        assert_eq!(short.in_pipe, 0);
        short.on_change(1328, LOST, LOST | RETRANSMITTED);
        assert_eq!((short.in_pipe, short.delivered), (1328, 0));
        short.on_change(1328, LOST | RETRANSMITTED, SACKED);
        assert_eq!((short.in_pipe, short.delivered), (0, 1328));
        short.on_acked(96, 96, SACKED);
        assert_eq!((short.in_pipe, short.delivered), (0, 1328), "once");
    }

    #[test]
    fn what_is_left_of_a_segment_weighs_as_much_as_the_whole() {
        let mut short = ShortSegments::default();
        short.weigh_as(1000);
        short.on_acked(1000, 300, 0);
        assert_eq!(short.in_pipe, 300);
        short.on_acked(700, 700, 0);
        assert_eq!((short.in_pipe, short.delivered), (0, 300));
    }
}

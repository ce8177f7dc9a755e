//! Packet-counted windows: a short segment weighs as much as a full one (Linux `tcp_packets_in_flight`).
//!
//! The sums of the scoreboard are bytes. The bytes that short segments in the network lack are kept beside them, so that full
//! ones, the common case, cost nothing.

use super::{LOST, RETRANSMITTED, SACKED};

#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct PacketAccounting {
    /// Bytes that short segments in the network lack.
    lacking: u32,
    /// Weight of a packet, bytes; zero where bytes are counted.
    full: u16,
}

/// Number of copies in the network of a segment with these flags.
pub(in crate::tcp) const fn times(flags: u8) -> u32 {
    (flags & (SACKED | LOST) == 0) as u32 + (flags & RETRANSMITTED != 0) as u32
}

impl PacketAccounting {
    /// Gives every segment the weight of a full one, of `full` bytes.
    pub(in crate::tcp) const fn weigh_as(&mut self, full: u16) {
        self.full = full;
    }

    /// Bytes that short segments in the network lack.
    #[inline(always)]
    pub(in crate::tcp) const fn lacking(&self) -> u64 {
        self.lacking as u64
    }

    /// Weight of a segment of `len` bytes.
    #[inline(always)]
    pub(in crate::tcp) fn weight(&self, len: u64) -> u64 {
        len.max(u64::from(self.full))
    }

    /// Bytes that a segment of `len` lacks; zero where bytes are counted.
    #[inline(always)]
    const fn lack(&self, len: u64) -> u32 {
        (self.full as u64).saturating_sub(len) as u32
    }

    /// A segment of `len` bytes is sent for the first time.
    #[inline(always)]
    pub(in crate::tcp) const fn on_sent(&mut self, len: u64) {
        self.lacking += self.lack(len);
    }

    /// The flags of a segment of `len` bytes change.
    #[inline]
    pub(in crate::tcp) const fn on_change(&mut self, len: u64, before: u8, after: u8) {
        let lack = self.lack(len);
        self.lacking = self.lacking + times(after) * lack - times(before) * lack;
    }

    /// `acked` bytes of a segment are acknowledged, of which `len` were outstanding.
    #[inline(always)]
    pub(in crate::tcp) const fn on_acked(&mut self, len: u64, acked: u64, flags: u8) {
        // A full segment that is acknowledged as a whole lacks nothing.
        if self.full > 0 && (acked < len || len < self.full as u64) {
            let left = if acked < len { self.lack(len - acked) } else { 0 };
            self.lacking = self.lacking + times(flags) * left - times(flags) * self.lack(len);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_segment_weighs_as_much_as_a_full_one() {
        let mut short = PacketAccounting::default();
        short.on_sent(96);
        assert_eq!((short.lacking(), short.weight(96)), (0, 96), "bytes");
        short.weigh_as(1424);
        assert_eq!((short.weight(96), short.weight(1425)), (1424, 1425));
        short.on_sent(96);
        short.on_sent(1424);
        assert_eq!(short.lacking(), 1328);
        short.on_change(96, 0, LOST);
        assert_eq!(short.lacking(), 0);
        short.on_change(96, LOST, LOST | RETRANSMITTED);
        assert_eq!(short.lacking(), 1328);
        short.on_change(96, LOST | RETRANSMITTED, SACKED);
        short.on_acked(96, 96, SACKED);
        assert_eq!(short.lacking(), 0, "once");
    }

    #[test]
    fn rest_of_a_segment_weighs_as_much_as_the_whole() {
        let mut short = PacketAccounting::default();
        short.weigh_as(1000);
        short.on_acked(1000, 300, 0);
        assert_eq!(short.lacking(), 300);
        short.on_acked(700, 700, 0);
        assert_eq!(short.lacking(), 0);
    }
}

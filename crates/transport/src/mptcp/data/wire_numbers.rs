//! The keys of both ends, and the data sequence numbers that follow from them (RFC 8684 §3.1).

use crate::mptcp::key::Key;

/// Inside, the first byte of either direction has number 1; on the wire the initial number of its sender's key is added,
/// which is known once both keys are.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct WireNumbers {
    /// Offsets of this end's and the peer's numbers on the wire; zero before both keys are known.
    snd_base: u64,
    rcv_base: u64,
    key: Key,
    peer: Option<Key>,
}

impl WireNumbers {
    /// This end has `key`.
    pub(crate) const fn new(key: Key) -> Self {
        Self { key, peer: None, snd_base: 0, rcv_base: 0 }
    }

    /// The key of the peer is known.
    pub(crate) fn learn(&mut self, peer: Key) {
        self.peer = Some(peer);
        (self.snd_base, self.rcv_base) = (self.key.initial_dsn(), peer.initial_dsn());
    }

    /// This end's key.
    pub(crate) const fn key(&self) -> Key {
        self.key
    }

    /// The key of the peer, once known.
    pub(crate) const fn peer(&self) -> Option<Key> {
        self.peer
    }

    /// This end's number `dsn`, as it stands on the wire.
    #[inline]
    pub(crate) const fn sent(&self, dsn: u64) -> u64 {
        self.snd_base.wrapping_add(dsn)
    }

    /// This end's number that stands on the wire as `dsn`.
    #[inline]
    pub(crate) const fn of_sent(&self, dsn: u64) -> u64 {
        dsn.wrapping_sub(self.snd_base)
    }

    /// This end's number of which the wire shows `dsn`, all of it where it is `wide`: else that next to `near`.
    #[inline]
    pub(crate) const fn of_sent_near(&self, (dsn, wide): (u64, bool), near: u64) -> u64 {
        let exact = self.of_sent(dsn);
        if wide { exact } else { nearest(near, exact as u32) }
    }

    /// The peer's number of which the wire shows `dsn`, all of it where it is `wide`: else that next to `near`.
    #[inline]
    pub(crate) const fn of_received_near(&self, (dsn, wide): (u64, bool), near: u64) -> u64 {
        let exact = self.of_received(dsn);
        if wide { exact } else { nearest(near, exact as u32) }
    }

    /// The peer's number `dsn`, as it stands on the wire.
    #[inline]
    pub(crate) const fn received(&self, dsn: u64) -> u64 {
        self.rcv_base.wrapping_add(dsn)
    }

    /// The peer's number that stands on the wire as `dsn`.
    #[inline]
    pub(crate) const fn of_received(&self, dsn: u64) -> u64 {
        dsn.wrapping_sub(self.rcv_base)
    }
}

/// Number nearest to `near` whose low 32 bits are `low`. It is unambiguous, as windows are smaller than 2^31 (RFC 8684 §3.3.1).
#[inline]
pub(crate) const fn nearest(near: u64, low: u32) -> u64 {
    near.wrapping_add_signed(low.wrapping_sub(near as u32).cast_signed() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_the_wire_follow_the_initial_ones_of_the_keys() {
        let (a, b) = (Key(0x0102_0304_0506_0708), Key(0x1112_1314_1516_1718));
        let (mut one, mut other) = (WireNumbers::new(a), WireNumbers::new(b));
        assert_eq!((one.sent(1), one.peer()), (1, None), "not known yet");
        one.learn(b);
        other.learn(a);
        assert_eq!(one.sent(1), a.initial_dsn() + 1);
        assert_eq!(other.of_received(one.sent(77)), 77);
        assert_eq!(one.of_sent(other.received(77)), 77);
    }

    #[test]
    fn a_number_of_32_bits_is_the_one_nearest_what_is_expected() {
        assert_eq!(
            [nearest(1, 9), nearest(0x1_ffff_ff00, 0x100), nearest(0x2_0000_0100, 0xffff_ff00)],
            [9, 0x2_0000_0100, 0x1_ffff_ff00]
        );
        let mut numbers = WireNumbers::new(Key(1));
        numbers.learn(Key(2));
        let far = 0x5_0000_0007;
        let (sent, received) = (numbers.sent(far), numbers.received(far));
        assert_eq!(numbers.of_received_near((received & 0xffff_ffff, false), far + 1000), far);
        assert_eq!(numbers.of_sent_near((sent & 0xffff_ffff, false), far - 1000), far);
        assert_eq!(numbers.of_sent_near((sent, true), 1), far);
    }
}

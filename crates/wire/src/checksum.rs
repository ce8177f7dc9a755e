//! The Internet checksum (RFC 1071) and its incremental update (RFC 1624).
//!
//! The checksum is the complement of the ones' complement sum of 16-bit words, most significant byte first. The sum is
//! kept in 64 bits and folded once at the end, which RFC 1071 §2 (B) allows because carries may be deferred.

use core::net::Ipv4Addr;

/// A ones' complement sum under construction.
///
/// ```
/// use tailrace_wire::checksum::InternetChecksum;
/// // RFC 1071 §3.
/// assert_eq!(InternetChecksum::new().bytes(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]).checksum(), !0xddf2);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct InternetChecksum(u64);

impl InternetChecksum {
    /// The empty sum.
    pub const fn new() -> Self {
        Self(0)
    }
    /// Adds one word.
    pub const fn word(self, word: u16) -> Self {
        Self(self.0 + word as u64)
    }
    /// Adds two words at once: 2¹⁶ counts as one, so that a carry between them is where it belongs.
    #[inline]
    pub const fn pair(self, words: u32) -> Self {
        Self(self.0 + words as u64)
    }
    /// Adds bytes; an odd last one counts as if a zero followed (RFC 1071 §4.1), so only the last call may be odd.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        let (fours, rest) = bytes.as_chunks::<4>();
        let sum = fours.iter().fold(self, |sum, four| sum.pair(u32::from_be_bytes(*four)));
        let (pairs, rest) = rest.as_chunks::<2>();
        let sum = pairs.iter().fold(sum, |sum, pair| sum.word(u16::from_be_bytes(*pair)));
        rest.iter().fold(sum, |sum, &last| sum.word(u16::from_be_bytes([last, 0])))
    }
    /// Adds the pseudo-header of UDP (RFC 768) and TCP (RFC 9293 §3.1); `length` counts transport header and payload.
    #[inline]
    pub const fn pseudo_header(self, src: Ipv4Addr, dst: Ipv4Addr, protocol: u8, length: u16) -> Self {
        self.pair(src.to_bits()).pair(dst.to_bits()).word(protocol as u16).word(length)
    }
    /// The checksum to write when the checksum field itself was summed as zero. Over bytes that include their
    /// checksum, zero says that it is right (RFC 1071 §1).
    #[inline]
    pub const fn checksum(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum >> 16) + (sum & 0xffff);
        }
        !(sum as u16)
    }
}

/// The checksum after one word under it changed from `old` to `new`: HC' = ~(~HC + ~m + m') (RFC 1624 §3, eqn. 3).
pub const fn update(checksum: u16, old: u16, new: u16) -> u16 {
    InternetChecksum::new().word(!checksum).word(!old).word(new).checksum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rfc1071_example_sums_to_ddf2() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(InternetChecksum::new().bytes(&bytes).checksum(), 0x220d);
    }

    #[test]
    fn an_odd_last_byte_is_the_high_half_of_a_word() {
        assert_eq!(InternetChecksum::new().bytes(&[0x12, 0x34, 0x56]).checksum(), !(0x1234 + 0x5600));
    }

    /// RFC 1624 §4: the case where RFC 1141's formula gives 0xffff instead of 0x0000.
    #[test]
    fn rfc1624_example_updates_to_zero() {
        assert_eq!(update(0xdd2f, 0x5555, 0x3285), 0x0000);
    }

    proptest! {
        #[test]
        fn bytes_are_summed_as_their_words(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let word = |pair: &[u8]| u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)]);
            let sum = bytes.chunks(2).fold(InternetChecksum::new(), |sum, pair| sum.word(word(pair)));
            prop_assert_eq!(InternetChecksum::new().bytes(&bytes).checksum(), sum.checksum());
        }

        #[test]
        fn update_equals_recomputation(mut words in prop::collection::vec(any::<u16>(), 2..20), at: prop::sample::Index, new: u16) {
            words.push(0x4500); // a header is never all zeros, where +0 and -0 would differ
            let sum = |words: &[u16]| words.iter().fold(InternetChecksum::new(), |s, &w| s.word(w)).checksum();
            let before = sum(&words);
            let at = at.index(words.len() - 1);
            let old = words[at];
            words[at] = new;
            prop_assert_eq!(update(before, old, new), sum(&words));
        }

        #[test]
        fn inserting_the_checksum_makes_the_sum_vanish(mut bytes in prop::collection::vec(any::<u8>(), 1..200)) {
            if bytes.len() % 2 == 1 { bytes.push(0); }
            let checksum = InternetChecksum::new().bytes(&bytes).checksum();
            bytes.extend(checksum.to_be_bytes());
            prop_assert_eq!(InternetChecksum::new().bytes(&bytes).checksum(), 0);
        }
    }
}

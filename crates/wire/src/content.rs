//! Content of application streams where bytes are checked: byte n of each stream is always the same, so any byte can be
//! verified in its place.
//!
//! The content repeats after [`PERIOD`], which divides the range of sequence numbers: the low bits of a sequence number
//! select the byte. A byte that is displaced by anything but whole periods differs, except for one time in 256.

use crate::checksum::InternetChecksum;
use std::sync::LazyLock;

/// After so many bytes the content repeats.
pub const PERIOD: usize = 1 << 16;

/// The content twice, so that there is a period from each of its bytes on. It is made when it is first asked for, and lies in no program:
/// nothing compresses it.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let one: Vec<u8> = xorshift().map(|state| (state >> 24) as u8).take(PERIOD).collect();
    one.repeat(2)
});

/// Marsaglia 2003, section 3, of which the high bytes are taken.
fn xorshift() -> impl Iterator<Item = u32> {
    let next = |state: &u32| {
        let state = state ^ state << 13;
        let state = state ^ state >> 17;
        Some(state ^ state << 5)
    };
    std::iter::successors(Some(2_463_534_242), next).skip(1)
}

/// The next [`PERIOD`] bytes of a stream from byte `place` on, of which the low 16 bits count.
///
/// ```
/// use tailrace_wire::content;
/// assert_eq!(content::from(7)[..3], content::from(5)[2..5]);
/// ```
pub fn from(place: u32) -> &'static [u8; PERIOD] {
    let at = place as usize % PERIOD;
    BYTES[at..].first_chunk().expect("there are two periods")
}

/// Number of `bytes` that differ from those of a stream from byte `place` on.
pub fn wrong_bytes(place: u32, bytes: &[u8]) -> u64 {
    let pieces = bytes.chunks(PERIOD).map(|piece| (piece, &from(place)[..piece.len()]));
    let wrong = pieces.filter(|(piece, right)| piece != right);
    wrong
        .map(|(piece, right)| piece.iter().zip(right).filter(|(is, should)| is != should).count() as u64)
        .sum()
}

/// The ones' complement sum of `len` bytes from byte `place` on, as it goes into checksums.
pub fn sum(place: u32, len: u16) -> u16 {
    !InternetChecksum::new().bytes(&from(place)[..usize::from(len)]).checksum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_known_by_its_low_bits() {
        assert_eq!(from(0), from(PERIOD as u32));
        assert_eq!(from(u32::MAX)[1..], from(0)[..PERIOD - 1]);
        // Xorshift from its usual seed: 723471715, 2497366906, 2064144800.
        assert_eq!(from(0)[..3], [723_471_715_u32, 2_497_366_906, 2_064_144_800].map(|n| (n >> 24) as u8));
    }

    #[test]
    fn content_in_its_place_is_right() {
        let two: Vec<u8> = from(9).iter().chain(from(9)).copied().collect();
        assert_eq!(wrong_bytes(9, &two), 0);
        let mut one = two;
        one[PERIOD + 3] ^= 1;
        assert_eq!(wrong_bytes(9, &one), 1);
    }

    /// By whatever distance: of 1448 bytes some 1442 differ.
    #[test]
    fn displaced_content_is_wrong() {
        for distance in (0..16).map(|bit| 1 << bit).chain([3, 1000, 1428, 1448, 65_535]) {
            let wrong = wrong_bytes(0, &from(distance)[..1448]);
            assert!((1420..=1448).contains(&wrong), "{distance}: {wrong}");
        }
    }

    #[test]
    fn sums_are_those_of_the_bytes() {
        // An odd last byte is the high half of a word.
        let [a, b, c] = [from(5)[0], from(5)[1], from(5)[2]].map(u32::from);
        let long = (a << 8 | b) + (c << 8);
        assert_eq!(u32::from(sum(5, 3)), (long & 0xffff) + (long >> 16));
        assert_eq!(sum(5, 0), 0);
    }
}

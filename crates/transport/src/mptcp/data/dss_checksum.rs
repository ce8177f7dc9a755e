//! DSS checksums over real bytes (RFC 8684 §3.3.1).
//!
//! Simulated payload has no bytes: it is as it was sent, unless its segment says that it was changed. A kernel's has, and its
//! checksums are looked at as the RFC has it, once a mapping is complete. Of each segment only the sum of its payload is kept.
//! Where a segment with a part of a mapping came without a mapping of its own, or in other pieces when it was sent again,
//! nothing can be said, and the TCP checksum has to do.

use crate::mptcp::option::{Mapping, Sums};
use std::collections::VecDeque;

/// Most payloads that are remembered: what comes when there are so many is not checked.
const MOST: usize = 1 << 14;

/// The sum of the payload of one segment.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Relative subflow numbers of its first byte, and after its last.
    start: u64,
    end: u64,
    sum: u16,
}

/// Checksums of mappings whose bytes are not taken yet; empty without real bytes.
#[derive(Debug, Default)]
pub(crate) struct DssChecksums {
    /// By the number of the first byte: the sum of all that is summed but the payload.
    mappings: VecDeque<(u64, u16)>,
    pieces: VecDeque<Piece>,
}

impl DssChecksums {
    /// Mapping `m`, whose numbers are those of the wire, begins at `ssn` and has a checksum.
    pub(crate) fn announce(&mut self, ssn: u64, m: &Mapping, stated: u16) {
        let header = [m.dsn >> 48, m.dsn >> 32, m.dsn >> 16, m.dsn].map(|word| word as u16);
        let rest = [(m.ssn >> 16) as u16, m.ssn as u16, m.len, stated];
        let sum = header.into_iter().chain(rest).fold(0, add);
        let i = self.mappings.partition_point(|known| known.0 < ssn);
        if self.mappings.len() < MOST && self.mappings.get(i).is_none_or(|known| known.0 != ssn) {
            self.mappings.insert(i, (ssn, sum));
        }
    }

    /// A segment has come whose payload lies at `start..end` and has this sum.
    pub(crate) fn note(&mut self, (start, end): (u64, u64), sums: &Sums) {
        let piece = Piece { start, end, sum: sums.payload };
        let i = self.pieces.partition_point(|p| (p.start, p.end) < (piece.start, piece.end));
        let new = self.pieces.get(i).is_none_or(|p| (p.start, p.end) != (piece.start, piece.end));
        if new && self.pieces.len() < MOST {
            self.pieces.insert(i, piece);
        }
    }

    /// Whether the mapping of `start..end` is known to have a wrong checksum.
    pub(crate) fn refute(&self, start: u64, end: u64) -> bool {
        let Ok(i) = self.mappings.binary_search_by_key(&start, |m| m.0) else { return false };
        let (mut sum, mut at) = (self.mappings[i].1, start);
        while at < end {
            let first = self.pieces.partition_point(|p| p.start < at);
            let Some(piece) = self.pieces.get(first).filter(|p| p.start == at && p.end <= end) else {
                return false;
            };
            // RFC 1071 §2 (B): the bytes of each word change places behind an odd number of others.
            let odd = (at - start) % 2 == 1;
            sum = add(sum, if odd { piece.sum.swap_bytes() } else { piece.sum });
            at = piece.end;
        }
        sum != 0xffff
    }

    /// All up to `taken` has been taken.
    pub(crate) fn forget(&mut self, taken: u64) {
        while self.pieces.front().is_some_and(|p| p.end <= taken) {
            self.pieces.pop_front();
        }
        while self.mappings.len() > 1 && self.mappings[1].0 <= taken {
            self.mappings.pop_front();
        }
    }
}

/// The ones' complement sum of two words.
fn add(a: u16, b: u16) -> u16 {
    let (sum, carry) = a.overflowing_add(b);
    sum + u16::from(carry)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Payload 00 01 02 in two segments, of one byte and of two. The checksum covers 0000 0000 0000 0007, 0000 0001, 0003 and
    /// 0001 0200: the sum is 0x020c.
    fn three_bytes(stated: u16) -> DssChecksums {
        let mut sums = DssChecksums::default();
        sums.announce(1, &Mapping { dsn: 7, ssn: 1, len: 3 }, stated);
        sums.note((1, 2), &Sums { stated, payload: 0x0000 });
        sums.note((2, 4), &Sums { stated, payload: 0x0102 });
        sums
    }

    #[test]
    fn a_checksum_covers_numbers_and_all_pieces_of_the_payload() {
        assert!(!three_bytes(!0x020c).refute(1, 4));
        assert!(three_bytes(!0x020d).refute(1, 4));
    }

    #[test]
    fn unknown_checksum_is_not_refuted() {
        let sums = three_bytes(0);
        assert!(!sums.refute(2, 4), "no mapping begins there");
        assert!(!sums.refute(1, 5), "a piece is missing");
        assert!(!DssChecksums::default().refute(1, 4));
    }

    #[test]
    fn checksums_of_taken_data_are_forgotten() {
        let mut sums = three_bytes(0);
        sums.announce(4, &Mapping { dsn: 10, ssn: 4, len: 3 }, 0);
        sums.note((4, 7), &Sums { stated: 0, payload: 9 });
        sums.forget(4);
        assert_eq!((sums.mappings.len(), sums.pieces.len()), (1, 1));
        sums.forget(7);
        assert_eq!((sums.mappings.len(), sums.pieces.len()), (1, 0));
    }
}

//! Sequence numbers, unwrapped to 64 bits: the number on the wire is the low half.

use crate::segment::SeqNumber;

/// Added to initial sequence numbers, so that positions just below them do not underflow.
pub(in crate::tcp) const BASE: u64 = 1 << 32;

/// The position on the unwrapped number line nearest to `base` whose low half is `seq`.
pub(in crate::tcp) fn unwrap(base: u64, seq: SeqNumber) -> u64 {
    base.wrapping_add_signed(i64::from(seq.distance(SeqNumber(base as u32))))
}

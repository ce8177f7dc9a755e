//! SACK ranges as Linux remembers them (`tcp_sack_new_ofo_skb`).
//!
//! The last four ranges that grew are remembered. A forgotten one begins anew with the next segment that extends it, and is
//! reported only from there.

use crate::segment::{SackBlocks, SeqNumber};

/// Most ranges that fit into a header (`TCP_NUM_SACKS`).
const MOST: usize = 4;
/// Ranges that a loss or two make (`TCP_SACK_BLOCKS_EXPECTED`).
const EXPECTED: usize = 2;

pub(super) type Block = (SeqNumber, SeqNumber);

/// The ranges, latest first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SackMemory {
    blocks: [Block; MOST],
    len: u8,
}

impl SackMemory {
    fn known(&self) -> &[Block] {
        &self.blocks[..usize::from(self.len)]
    }

    /// Index of the range that a segment extends, or the number of ranges.
    fn place(&self, new: Block) -> usize {
        self.known().iter().position(|block| touch(*block, new)).unwrap_or(usize::from(self.len))
    }

    /// Whether a segment belongs to none of the first ranges, so that there are many gaps.
    pub(super) fn is_beyond_expected(&self, new: Block) -> bool {
        self.place(new) >= EXPECTED
    }

    /// Remembers a segment above a gap: its range comes first, and absorbs those that it reaches.
    pub(super) fn note(&mut self, new: Block) {
        let place = self.place(new);
        if place == usize::from(self.len) {
            self.len = (self.len + 1).min(MOST as u8);
            self.blocks[..usize::from(self.len)].rotate_right(1);
            self.blocks[0] = new;
            return;
        }
        self.blocks[place] = both(self.blocks[place], new);
        self.blocks[..=place].rotate_right(1);
        let mut i = 1;
        while i < usize::from(self.len) {
            if touch(self.blocks[0], self.blocks[i]) {
                self.blocks[0] = both(self.blocks[0], self.blocks[i]);
                self.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// Forgets ranges up to `nxt` (`tcp_sack_remove`).
    pub(super) fn on_advance(&mut self, nxt: SeqNumber) {
        let mut i = 0;
        while i < usize::from(self.len) {
            if nxt.before(self.blocks[i].0) { i += 1 } else { self.remove(i) }
        }
    }

    fn remove(&mut self, i: usize) {
        self.blocks[i..usize::from(self.len)].rotate_left(1);
        self.len -= 1;
    }

    /// Adds as many ranges as there is room for.
    pub(super) fn report(&self, room: usize, to: &mut SackBlocks) {
        self.known().iter().take(room).for_each(|&(left, right)| to.push(left, right));
    }
}

/// Whether two ranges overlap or follow each other.
fn touch(a: Block, b: Block) -> bool {
    !a.1.before(b.0) && !b.1.before(a.0)
}

/// Union of two ranges that touch.
fn both(a: Block, b: Block) -> Block {
    (if b.0.before(a.0) { b.0 } else { a.0 }, if a.1.before(b.1) { b.1 } else { a.1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The range of segments `from` to before `to`, numbered over the edge of 32 bits.
    fn range(from: u32, to: u32) -> Block {
        let start = SeqNumber(u32::MAX - 1000);
        (start + from * 100, start + to * 100)
    }

    fn told(memory: &SackMemory) -> Vec<(u32, u32)> {
        let start = range(0, 0).0;
        let segment = |n: SeqNumber| n.distance(start) as u32 / 100;
        memory.known().iter().map(|block| (segment(block.0), segment(block.1))).collect()
    }

    fn remembering(segments: &[u32]) -> SackMemory {
        let mut memory = SackMemory::default();
        segments.iter().for_each(|&n| memory.note(range(n, n + 1)));
        memory
    }

    #[test]
    fn the_range_that_grew_comes_first_and_takes_in_what_it_reaches() {
        let mut memory = remembering(&[1, 3, 5, 6]);
        assert_eq!(told(&memory), [(5, 7), (3, 4), (1, 2)]);
        memory.note(range(2, 3));
        assert_eq!(told(&memory), [(1, 4), (5, 7)], "the first that it touches was the second");
        memory.note(range(4, 5));
        assert_eq!(told(&memory), [(1, 7)]);
        memory.note(range(3, 4));
        assert_eq!(told(&memory), [(1, 7)], "it came before");
    }

    #[test]
    fn a_fifth_range_makes_it_forget_the_oldest_which_begins_anew() {
        let mut memory = remembering(&[1, 2, 4, 6, 8, 10]);
        assert_eq!(told(&memory), [(10, 11), (8, 9), (6, 7), (4, 5)]);
        memory.note(range(3, 4));
        assert_eq!(told(&memory), [(3, 5), (10, 11), (8, 9), (6, 7)], "not from 1 on");
        memory.note(range(0, 1));
        assert_eq!(told(&memory), [(0, 1), (3, 5), (10, 11), (8, 9)]);
    }

    #[test]
    fn sack_ranges_reached_in_order_are_forgotten() {
        let mut memory = remembering(&[1, 3, 12]);
        memory.on_advance(range(4, 4).0);
        assert_eq!(told(&memory), [(12, 13)]);
        memory.on_advance(range(11, 11).0);
        assert_eq!(told(&memory), [(12, 13)]);
    }

    #[test]
    fn two_ranges_are_expected_to_grow() {
        let memory = remembering(&[1, 3, 5]);
        let beyond = |n| memory.is_beyond_expected(range(n, n + 1));
        assert_eq!([6, 4, 2, 8].map(beyond), [false, false, false, true]);
        assert!(beyond(0), "that of 1 is the third");
        assert!(!remembering(&[1]).is_beyond_expected(range(8, 9)));
    }
}

//! Holes: segments neither SACKed nor lost below others that are SACKed (RFC 6675, `NextSeg`).

use super::{LOST, RETRANSMITTED, SACKED, Scoreboard};

impl Scoreboard {
    /// The first segment below the highest SACK that is neither SACKed, lost nor sent again: a hole.
    ///
    /// It is asked for at each poll in fast recovery. A segment becomes a hole again only where all SACKs or all marks are
    /// taken back, and `lost_mark` falls nowhere else: so the search goes on from where the last one ended.
    #[inline]
    pub(crate) fn next_hole(&mut self) -> Option<(u64, u64)> {
        if self.holes_from >= self.high_sack { None } else { self.find_hole() }
    }

    fn find_hole(&mut self) -> Option<(u64, u64)> {
        let mut i = self.index_of(self.lost_mark.max(self.una).max(self.holes_from - 1));
        while let Some(record) = self.records.get(i).filter(|r| r.end < self.high_sack) {
            if record.flags & (SACKED | LOST | RETRANSMITTED) == 0 {
                self.holes_from = record.end;
                return Some((self.start_of(i), record.end));
            }
            i += 1;
        }
        self.holes_from = self.high_sack;
        None
    }

    /// The last segment, unless it is SACKed or was sent again.
    pub(crate) fn last_hole(&self) -> Option<(u64, u64)> {
        let i = self.records.len().checked_sub(1)?;
        let record = self.records[i];
        (record.flags & (SACKED | RETRANSMITTED) == 0).then(|| (self.start_of(i), record.end))
    }

    /// Result of [`Self::next_hole`], by a walk over all segments.
    #[cfg(test)]
    pub(super) fn first_hole(&self) -> Option<(u64, u64)> {
        let from = self.index_of(self.lost_mark.max(self.una));
        let hole = |i: &usize| {
            let record = self.records[*i];
            record.end < self.high_sack && !record.has(SACKED | LOST | RETRANSMITTED)
        };
        (from..self.records.len()).find(hole).map(|i| (self.start_of(i), self.records[i].end))
    }
}

//! Counters of packets lost and marked CE.

/// Losses and CE marks of data packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LossCounters {
    pub(crate) lost: u64,
    pub(crate) marked: u64,
}

impl LossCounters {
    /// Counters of a lost packet.
    pub(crate) const LOST: Self = Self { lost: 1, marked: 0 };
    /// Counters of a marked packet.
    pub(crate) const MARKED: Self = Self { lost: 0, marked: 1 };

    pub(crate) fn add(&mut self, more: Self) {
        self.lost += more.lost;
        self.marked += more.marked;
    }

    /// Difference from an earlier copy.
    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self { lost: self.lost - earlier.lost, marked: self.marked - earlier.marked }
    }
}

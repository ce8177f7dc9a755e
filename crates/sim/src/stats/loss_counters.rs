//! Counters of packets lost and marked on their way.

/// What befell data packets on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fates {
    pub(crate) lost: u64,
    pub(crate) marked: u64,
}

impl Fates {
    /// A packet was lost.
    pub(crate) const LOST: Self = Self { lost: 1, marked: 0 };
    /// A packet was marked.
    pub(crate) const MARKED: Self = Self { lost: 0, marked: 1 };

    pub(crate) fn add(&mut self, more: Self) {
        self.lost += more.lost;
        self.marked += more.marked;
    }

    /// What came about since an earlier copy.
    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self { lost: self.lost - earlier.lost, marked: self.marked - earlier.marked }
    }
}

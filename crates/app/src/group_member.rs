//! Flows of a group that act together.

/// A flow's place in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// From 0.
    pub number: u32,
    /// Flows of the group.
    pub of: u32,
}

impl GroupMember {
    /// The only member of its group.
    pub const ALONE: Self = Self { number: 0, of: 1 };

    /// The share of its group that comes before it, less than one.
    pub fn share(self) -> f64 {
        f64::from(self.number) / f64::from(self.of)
    }
}

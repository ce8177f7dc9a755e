//! What becomes of packets on a link besides loss: copies, damage, and packets that are held back.

use tailrace_core::{Duration, Probability};

/// Duplication, corruption and reordering of one direction of a link; each is nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetemConfig {
    /// Probability that a packet arrives twice.
    pub duplication: Probability,
    /// Probability that bits of a packet are damaged.
    pub corruption: Probability,
    /// Which packets come later than others.
    pub reordering: Reordering,
}

impl NetemConfig {
    /// Whether there is none at all.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it draws which packets it concerns.
    pub const fn is_random(&self) -> bool {
        self.duplication.is_random() || self.corruption.is_random() || self.reordering.probability.is_random()
    }
}

/// Which packets are held back, and for how long. Others go past them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reordering {
    /// Probability that a packet is held back, of those that can be.
    pub probability: Probability,
    /// For how long.
    pub hold: Duration,
    /// Only each so many-th packet since the last one that was held back can be; 0 and 1 are all.
    pub gap: u32,
}

//! Duplication, corruption and reordering of packets on a link, as in tc-netem(8).

use tailrace_core::{Duration, Probability};

/// Duplication, corruption and reordering of one direction of a link; each is nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetemConfig {
    /// Probability that a packet arrives twice.
    pub duplication: Probability,
    /// Probability that bits of a packet are damaged.
    pub corruption: Probability,
    /// Packets held back, so that later ones overtake them.
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

/// Selection of the packets that are held back, and the time for which they are. Later packets overtake them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reordering {
    /// Probability that a packet is held back, of those that can be.
    pub probability: Probability,
    /// For how long.
    pub hold: Duration,
    /// Only each so many-th packet since the last one that was held back can be; 0 and 1 are all.
    pub gap: u32,
}

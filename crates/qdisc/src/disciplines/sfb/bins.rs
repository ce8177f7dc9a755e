//! The bins of SFB: several levels of them, for one hash.

use super::hash::BinHash;
use tailrace_core::{Duration, FlowKey, Instant};

/// Probabilities are whole parts of this.
pub(super) const PARTS: u32 = 1_000_000_000;

/// What bins go by.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) hash: BinHash,
    pub(super) levels: u32,
    pub(super) bins: u32,
    /// Packets in a bin from which its probability rises.
    pub(super) target: u32,
    /// Packets in a bin from which it is full.
    pub(super) max: u32,
    pub(super) increment: u32,
    pub(super) decrement: u32,
    /// Least time between changes of a bin.
    pub(super) freeze: Duration,
    /// Probability of bins that learn from all packets, when they start.
    pub(super) initial: u32,
    /// Lower a bin when it runs empty, not when an arrival finds it empty.
    pub(super) lower_at_departure: bool,
}

#[derive(Clone, Debug, Default)]
struct Bin {
    packets: u32,
    p: u32,
    changed: Option<Instant>,
}

impl Bin {
    fn may_change(&self, rules: &Rules, now: Instant) -> bool {
        self.changed.is_none_or(|t| now.saturating_since(t) >= rules.freeze)
    }

    fn raise(&mut self, rules: &Rules, now: Instant) {
        self.p = self.p.saturating_add(rules.increment).min(PARTS);
        self.changed = Some(now);
    }

    fn lower(&mut self, rules: &Rules, now: Instant) {
        self.p = self.p.saturating_sub(rules.decrement);
        self.changed = Some(now);
    }
}

/// What an arrival finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Least probability of its bins.
    pub(super) least_p: u32,
    /// How many of its bins are full.
    pub(super) full: u32,
}

/// The bins of one hash, level after level.
#[derive(Clone, Debug)]
pub(super) struct Bank {
    kind: BinHash,
    seed: u64,
    generation: u32,
    bins: Vec<Bin>,
}

fn places(hash: u64, rules: &Rules) -> impl Iterator<Item = usize> + use<> {
    let (hashed, levels, bins) = (rules.hash, rules.levels, rules.bins);
    (0..levels).map(move |level| (level * bins + hashed.bin(hash, level, bins)) as usize)
}

impl Bank {
    pub(super) fn new(rules: &Rules, p: u32) -> Self {
        let bin = Bin { p, ..Bin::default() };
        Self {
            kind: rules.hash,
            seed: 0,
            generation: 0,
            bins: vec![bin; (rules.levels * rules.bins) as usize],
        }
    }

    pub(super) fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Empties all bins; packets counted before will not be taken out again.
    pub(super) fn restart(&mut self, p: u32) {
        self.generation = self.generation.wrapping_add(1);
        self.bins.fill(Bin { p, ..Bin::default() });
    }

    pub(super) fn generation(&self) -> u32 {
        self.generation
    }

    pub(super) fn hash(&self, flow: FlowKey) -> u64 {
        self.kind.of(flow, self.seed)
    }

    pub(super) fn least_p(&self, hash: u64, rules: &Rules) -> u32 {
        places(hash, rules).map(|place| self.bins[place].p).min().unwrap_or(0)
    }

    /// A packet arrives: its bins learn, and it sees them.
    #[inline]
    pub(super) fn arrive(&mut self, hash: u64, rules: &Rules, now: Instant) -> Seen {
        let mut seen = Seen { least_p: PARTS, full: 0 };
        for place in places(hash, rules) {
            let bin = &mut self.bins[place];
            if bin.packets >= rules.target && bin.may_change(rules, now) {
                bin.raise(rules, now);
            } else if bin.packets == 0 && !rules.lower_at_departure && bin.may_change(rules, now) {
                bin.lower(rules, now);
            }
            seen.least_p = seen.least_p.min(bin.p);
            seen.full += u32::from(bin.packets >= rules.max);
        }
        seen
    }

    /// The penalty box refused a packet: its bins rise, frozen or not.
    pub(super) fn punish(&mut self, hash: u64, rules: &Rules, now: Instant) {
        places(hash, rules).for_each(|place| self.bins[place].raise(rules, now));
    }

    pub(super) fn add(&mut self, hash: u64, rules: &Rules) {
        places(hash, rules).for_each(|place| self.bins[place].packets += 1);
    }

    pub(super) fn remove(&mut self, hash: u64, rules: &Rules, now: Instant) {
        for place in places(hash, rules) {
            let bin = &mut self.bins[place];
            bin.packets -= 1;
            if bin.packets == 0 && rules.lower_at_departure && bin.may_change(rules, now) {
                bin.lower(rules, now);
            }
        }
    }

    /// Most packets in a bin, largest and mean probability.
    pub(super) fn summary(&self) -> (f64, f64, f64) {
        let parts = f64::from(PARTS);
        let packets = self.bins.iter().map(|b| b.packets).max().unwrap_or(0);
        let max = self.bins.iter().map(|b| b.p).max().unwrap_or(0);
        let sum: u64 = self.bins.iter().map(|b| u64::from(b.p)).sum();
        (f64::from(packets), f64::from(max) / parts, sum as f64 / (parts * self.bins.len() as f64))
    }

    #[cfg(test)]
    pub(super) fn packets(&self) -> u32 {
        self.bins.iter().map(|b| b.packets).sum()
    }

    #[cfg(test)]
    pub(super) fn set_all(&mut self, p: u32) {
        self.bins.iter_mut().for_each(|b| b.p = p);
    }

    #[cfg(test)]
    pub(super) fn set(&mut self, hash: u64, rules: &Rules, p: u32) {
        places(hash, rules).for_each(|place| self.bins[place].p = p);
    }
}

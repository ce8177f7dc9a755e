//! The bins of SFB: several levels of them, for one hash.

use super::hash::BinHash;
use tailrace_core::{Duration, FlowKey, Instant};

/// Probabilities are whole parts of this.
pub(super) const PARTS: u32 = 1_000_000_000;
/// Most levels.
pub(super) const MOST_LEVELS: u32 = 16;
/// Most bins of a level: more are a mistake.
pub(super) const MOST_BINS: u32 = 1 << 14;

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

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    packets: u32,
    p: u32,
    /// When its probability may change again.
    thaws: Instant,
}

impl Bin {
    fn raise(&mut self, rules: &Rules, now: Instant) {
        self.p = self.p.saturating_add(rules.increment).min(PARTS);
        self.thaws = now.saturating_add(rules.freeze);
    }

    fn lower(&mut self, rules: &Rules, now: Instant) {
        self.p = self.p.saturating_sub(rules.decrement);
        self.thaws = now.saturating_add(rules.freeze);
    }
}

/// The bins of one flow, at each level in use. They are computed once for a packet, which takes them along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places([u16; MOST_LEVELS as usize]);

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

    fn hash(&self, flow: FlowKey) -> u64 {
        self.kind.of(flow, self.seed)
    }

    /// The bins of `flow`, level after level.
    fn of(&self, flow: FlowKey, rules: &Rules) -> impl Iterator<Item = usize> + use<> {
        let (kind, hash, levels, bins) = (self.kind, self.hash(flow), rules.levels, rules.bins);
        (0..levels).map(move |level| (level * bins + kind.bin(hash, level, bins)) as usize)
    }

    pub(super) fn least_p(&self, flow: FlowKey, rules: &Rules) -> u32 {
        self.of(flow, rules).map(|bin| self.bins[bin].p).min().unwrap_or(0)
    }

    /// A packet of `flow` arrives: its bins learn, and it sees them.
    #[inline]
    pub(super) fn arrive(&mut self, flow: FlowKey, rules: &Rules, now: Instant) -> (Seen, Places) {
        let mut seen = Seen { least_p: PARTS, full: 0 };
        let mut places = Places([0; MOST_LEVELS as usize]);
        let (kind, hash) = (self.kind, self.hash(flow));
        for (place, level) in places.0.iter_mut().zip(0..rules.levels) {
            let at = kind.bin(hash, level, rules.bins);
            *place = at as u16;
            let bin = &mut self.bins[(level * rules.bins + at) as usize];
            if bin.packets >= rules.target {
                if now >= bin.thaws {
                    bin.raise(rules, now);
                }
            } else if bin.packets == 0 && !rules.lower_at_departure && now >= bin.thaws {
                bin.lower(rules, now);
            }
            seen.least_p = seen.least_p.min(bin.p);
            seen.full += u32::from(bin.packets >= rules.max);
        }
        (seen, places)
    }

    /// The penalty box refused a packet of `flow`: its bins rise, frozen or not.
    pub(super) fn punish(&mut self, flow: FlowKey, rules: &Rules, now: Instant) {
        self.of(flow, rules).for_each(|bin| self.bins[bin].raise(rules, now));
    }

    #[inline]
    pub(super) fn add(&mut self, places: &Places, rules: &Rules) {
        let mut level = 0;
        for place in &places.0[..rules.levels as usize] {
            self.bins[level + usize::from(*place)].packets += 1;
            level += rules.bins as usize;
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, places: &Places, rules: &Rules, now: Instant) {
        let mut level = 0;
        for place in &places.0[..rules.levels as usize] {
            let bin = &mut self.bins[level + usize::from(*place)];
            level += rules.bins as usize;
            bin.packets -= 1;
            if bin.packets == 0 && rules.lower_at_departure && now >= bin.thaws {
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
    pub(super) fn bins_of(&self, flow: FlowKey, rules: &Rules) -> Vec<u32> {
        let hash = self.hash(flow);
        (0..rules.levels).map(|level| self.kind.bin(hash, level, rules.bins)).collect()
    }

    #[cfg(test)]
    pub(super) fn set(&mut self, flow: FlowKey, rules: &Rules, p: u32) {
        self.of(flow, rules).for_each(|bin| self.bins[bin].p = p);
    }
}

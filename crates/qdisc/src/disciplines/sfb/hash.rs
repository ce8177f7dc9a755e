//! From a flow to its bin at each level.

use crate::classifier::salted;
use crate::flow_hash::mix64;
use tailrace_core::FlowKey;

/// Most levels.
pub(super) const MOST_LEVELS: u32 = 16;
tailrace_core::choices! {
    /// Hash that leads flows to their bins.
    pub enum BinHash {
        /// By a hash with a random part that nobody can foresee, independently at each level.
        Salted = "salted",
        /// The LANL port: from sums of shifted addresses and ports, at two levels, without a random part. Flows whose
        /// addresses rise in step share both bins or neither.
        Lanl = "lanl",
    }
}

impl BinHash {
    /// Levels for which there is a function.
    pub(super) const LANL_LEVELS: u32 = 2;

    /// Hash from which the bins of a flow follow; `seed` is the salt, or the number of the change of hash.
    #[inline]
    pub(super) fn of(self, flow: FlowKey, seed: u64) -> u64 {
        match self {
            Self::Salted => salted(flow, seed),
            Self::Lanl => lanl_sums(flow, seed as u32),
        }
    }

    /// For how many levels one hash is even enough, at so many bins each: bins are its digits, and the last 16 bits are left
    /// over.
    pub(super) const fn digits(bins: u32) -> u32 {
        let (mut digits, mut values) = (1, bins as u64);
        while values.saturating_mul(bins as u64) <= 1 << 48 && digits < MOST_LEVELS {
            digits += 1;
            values *= bins as u64;
        }
        digits
    }

    /// Number whose digits are the bins from `level` on, for a flow with the salted `hash`.
    #[inline]
    pub(super) const fn salted_at(hash: u64, level: u32) -> u64 {
        match level {
            0 => hash,
            _ => mix64(hash.wrapping_add((level as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))),
        }
    }

    /// The next bin among `bins`, and what the ones after it are taken of: digits of a fraction of one, the first one
    /// first.
    #[inline]
    pub(super) const fn next_digit(rest: u64, bins: u32) -> (usize, u64) {
        let wide = rest as u128 * bins as u128;
        ((wide >> 64) as usize, wide as u64)
    }

    /// The bin among `bins` at `level` of a flow with the LANL `hash`, which holds a sum for either level.
    #[inline]
    pub(super) const fn lanl_bin(hash: u64, level: u32, bins: u32) -> u32 {
        (hash >> (32 * level)) as u32 % bins
    }
}

/// `sfbhash` of the port (`fairblue.cc`): what is taken modulo the bins, of the first level in the lower half. The change of
/// hash counts in one port at each level, so not at all where ports are zero.
fn lanl_sums(flow: FlowKey, change: u32) -> u64 {
    let (src, dst) = (flow.src, flow.dst);
    let (sport, dport) = (u32::from(flow.src_port), u32::from(flow.dst_port));
    let first = sum(dst, sport, src, dport.wrapping_mul(change));
    let second = sum(src, dport, sport.wrapping_mul(change), dst);
    u64::from(second) << 32 | u64::from(first)
}

fn sum(a: u32, b: u32, c: u32, d: u32) -> u32 {
    [(a, 6), (b, 12), (c, 18), (d, 24)]
        .into_iter()
        .fold(0, |sum, (term, shift)| sum.wrapping_add(term.wrapping_shl(shift)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(src: u32, dst: u32, ports: (u16, u16), change: u64) -> [u32; 2] {
        let flow = FlowKey { src, dst, src_port: ports.0, dst_port: ports.1, protocol: 17 };
        let hash = BinHash::Lanl.of(flow, change);
        [0, 1].map(|level| BinHash::lanl_bin(hash, level, 23))
    }

    /// By hand: 2^6 = 18, 2^12 = 2, 2^18 = 13 and 2^24 = 4 modulo 23.
    #[test]
    fn the_port_adds_shifted_addresses_and_ports() {
        assert_eq!(bins(1, 0, (0, 0), 0), [13, 18]);
        assert_eq!(bins(0, 1, (0, 0), 0), [18, 4]);
        assert_eq!(bins(0, 0, (1, 0), 0), [2, 0]);
        assert_eq!(bins(0, 0, (0, 1), 0), [0, 2]);
        // The change of hash counts in one port.
        assert_eq!(bins(0, 0, (1, 1), 1), [2 + 4, 2 + 13]);
        // Sums are of 32 bits.
        assert_eq!(bins(0, 256, (0, 0), 0)[1], 0);
    }

    /// The bins of a flow at each of `levels`.
    fn salted_bins(src: u32, levels: u32, bins: u32) -> Vec<usize> {
        let flow = FlowKey { src, dst: 7, src_port: 1, dst_port: 80, protocol: 6 };
        let (hash, digits) = (BinHash::Salted.of(flow, 3), BinHash::digits(bins));
        let mut rest = hash;
        (0..levels)
            .map(|level| {
                if level % digits == 0 {
                    rest = BinHash::salted_at(hash, level);
                }
                let (bin, next) = BinHash::next_digit(rest, bins);
                rest = next;
                bin
            })
            .collect()
    }

    #[test]
    fn levels_are_independent() {
        // Eight levels of 16 bins take 32 bits of one hash; with 23 bins the eleventh is the first of another.
        assert_eq!([1, 16, 23, 1 << 14].map(BinHash::digits), [16, 12, 10, 3]);
        for (levels, bins) in [(8, 16), (12, 23)] {
            // Flows that share a bin at one level are spread over all bins at each other.
            let all: Vec<_> = (0..40_000).map(|src| salted_bins(src, levels, bins)).collect();
            let expected = 40_000.0 / f64::from(bins * bins);
            for (one, other) in (0..levels as usize).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let mut load = vec![0.0; bins as usize];
                all.iter().filter(|b| b[one] == 5).for_each(|b| load[b[other]] += 1.0);
                let chi: f64 = load.iter().map(|n| (n - expected) * (n - expected) / expected).sum();
                // Mean `bins`, standard deviation the root of twice that.
                assert!(chi < f64::from(bins) + 6.0 * f64::from(2 * bins).sqrt(), "{one} {other}: {chi}");
            }
        }
    }

    #[test]
    fn flows_with_addresses_in_step_share_both_bins_with_each_23rd() {
        let all: Vec<_> = (0..230).map(|n| bins(n, n, (0, 0), 0)).collect();
        assert!((0..207).all(|n| all[n] == all[n + 23]));
        let mut distinct = all[..23].to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 23);
    }

    #[test]
    fn ports_of_zero_stay_where_they_are() {
        assert_eq!(bins(3, 5, (0, 0), 0), bins(3, 5, (0, 0), 7));
        assert_ne!(bins(3, 5, (1, 1), 0), bins(3, 5, (1, 1), 7));
    }
}

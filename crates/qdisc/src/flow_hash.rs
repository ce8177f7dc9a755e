//! Fields that tell flows apart, and a salted hash of them.

use tailrace_core::params::Invalid;
use tailrace_core::{Duration, FlowKey, Rng};

tailrace_core::choices! {
    /// Fields of a packet that make its flow.
    pub enum FlowBy {
        /// Source and destination address, both ports, and protocol: a flow is one connection.
        FiveTuple = "five_tuple",
        /// Source and destination address.
        SrcDst = "src_dst",
        /// The source address.
        Src = "src",
        /// The destination address.
        Dst = "dst",
    }
}

impl FlowBy {
    /// `flow` with the fields that do not count set to zero.
    #[inline]
    pub fn key(self, flow: FlowKey) -> FlowKey {
        let none = FlowKey::default();
        match self {
            Self::FiveTuple => flow,
            Self::SrcDst => FlowKey { src: flow.src, dst: flow.dst, ..none },
            Self::Src => FlowKey { src: flow.src, ..none },
            Self::Dst => FlowKey { dst: flow.dst, ..none },
        }
    }

    /// The bits of a flow's words that count.
    pub(crate) fn mask(self) -> Words {
        let all = FlowKey { src: !0, dst: !0, src_port: !0, dst_port: !0, protocol: !0 };
        words(self.key(all))
    }
}

/// The fields of a flow in two words, in the order of flows.
pub(crate) type Words = (u64, u64);

#[inline]
pub(crate) const fn words(key: FlowKey) -> Words {
    let addresses = (key.src as u64) << 32 | key.dst as u64;
    (addresses, (key.src_port as u64) << 32 | (key.dst_port as u64) << 16 | key.protocol as u64)
}

/// A hash of `key` that nobody foresees who does not know `salt`.
#[inline]
pub(crate) const fn salted(key: FlowKey, salt: u64) -> u64 {
    let (addresses, rest) = words(key);
    mix64(mix64(addresses ^ salt) ^ rest)
}

/// A hash whose salt is drawn with its first use, so that who knows the code does not know the buckets.
#[derive(Clone, Copy, Debug, Default)]
pub struct SaltedHash {
    salt: Option<u64>,
}

impl SaltedHash {
    /// The bucket of `key` among `buckets`.
    #[inline]
    pub fn bucket(&mut self, key: FlowKey, buckets: u32, rng: &mut Rng) -> u32 {
        scale(salted(key, self.salt(rng)), buckets)
    }

    /// The chain of a flow among `chains`. For where a collision costs time and nothing else: two products are less even than
    /// [`SaltedHash::bucket`], at a third of the cost.
    #[inline]
    pub(crate) fn chain(&mut self, (addresses, rest): Words, chains: usize, rng: &mut Rng) -> usize {
        let salt = self.salt(rng);
        let product = u128::from(addresses ^ salt) * u128::from(rest ^ salt);
        let folded = (product >> 64) as u64 ^ product as u64;
        // The high bits of both halves are poor for some salts; those of this are not.
        let hash = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((u128::from(hash) * chains as u128) >> 64) as usize
    }

    #[inline]
    fn salt(&mut self, rng: &mut Rng) -> u64 {
        *self.salt.get_or_insert_with(|| rng.next_u64())
    }
}

/// Whether a hash may get a new salt so often; zero is never.
pub(crate) fn check_perturb(every: Duration) -> Result<(), Invalid> {
    let least = Duration::from_millis(1);
    if every.is_zero() || every >= least {
        return Ok(());
    }
    Err(("perturb", format!("{every} is below {least}, and each time is an event; \"0 s\" is never")))
}

/// A value below `n`, from an even 64-bit hash.
#[inline]
pub const fn scale(hash: u64, n: u32) -> u32 {
    ((hash as u128 * n as u128) >> 64) as u32
}

/// The finalizer of SplitMix64: every input bit changes every output bit about half the time.
#[inline]
pub const fn mix64(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_spread_evenly_and_the_salt_moves_them() {
        let key = |src: u32| FlowKey { src, dst: 7, src_port: 1, dst_port: 80, protocol: 6 };
        let (mut one, mut other) = (SaltedHash::default(), SaltedHash::default());
        let (mut rng_one, mut rng_other) = (Rng::new(1), Rng::new(2));
        let mut load = [0u32; 64];
        let mut same = 0;
        for src in 0..64_000 {
            let bucket = one.bucket(key(src), 64, &mut rng_one);
            load[bucket as usize] += 1;
            same += u32::from(bucket == other.bucket(key(src), 64, &mut rng_other));
        }
        // 1000 a bucket on average, standard deviation 31.
        assert!(load.iter().all(|n| (850..1150).contains(n)), "{load:?}");
        assert!((850..1150).contains(&same), "{same}");
    }

    #[test]
    fn only_the_fields_that_count_matter() {
        let flow = FlowKey { src: 1, dst: 2, src_port: 3, dst_port: 4, protocol: 6 };
        let other = FlowKey { src: 1, dst: 9, src_port: 5, dst_port: 6, protocol: 17 };
        assert_eq!(FlowBy::Src.key(flow), FlowBy::Src.key(other));
        assert_ne!(FlowBy::SrcDst.key(flow), FlowBy::SrcDst.key(other));
        assert_eq!(FlowBy::Dst.key(flow), FlowBy::Dst.key(FlowKey { src: 7, ..flow }));
        assert_eq!(FlowBy::FiveTuple.key(flow), flow);
        for by in [FlowBy::FiveTuple, FlowBy::SrcDst, FlowBy::Src, FlowBy::Dst] {
            let ((a, b), (mask_a, mask_b)) = (words(flow), by.mask());
            assert_eq!((a & mask_a, b & mask_b), words(by.key(flow)));
        }
    }

    #[test]
    fn chains_are_short_for_flows_in_step_whatever_the_salt() {
        // A thousand flows in as many chains: looking for each once takes 1.5 steps on average if they are even. Flows differ
        // by addresses, by ports, or by both.
        let steps = [(1, 0, 0), (0, 1, 0), (256, 0, 0), (0, 0, 1), (1, 0, 1), (1 << 16, 0, 3)];
        let (mut worst, mut sum) = (0.0_f64, 0.0);
        for seed in 0..300 {
            for (src, dst, port) in steps {
                let (mut hash, mut rng, mut chains) = (SaltedHash::default(), Rng::new(seed), [0u32; 1000]);
                for n in 0..1000u32 {
                    let key = FlowKey {
                        src: 0x0a00_0000 + n * src,
                        dst: 7 + n * dst,
                        src_port: (1024 + n * port) as u16,
                        dst_port: 80,
                        protocol: 6,
                    };
                    chains[hash.chain(words(key), 1000, &mut rng)] += 1;
                }
                let looked: u32 = chains.iter().map(|n| n * (n + 1) / 2).sum();
                worst = worst.max(f64::from(looked) / 1000.0);
                sum += f64::from(looked) / 1000.0;
            }
        }
        let mean = sum / (300.0 * steps.len() as f64);
        assert!(mean < 1.52 && worst < 2.0, "{mean} {worst}");
    }
}

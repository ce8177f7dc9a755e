//! Spoofed source addresses, as queues and captures see them. Packets are still counted for their flow, whose number they carry
//! besides the header.

use crate::ground::build_error::BuildError;
use tailrace_core::Rng;
use tailrace_net::Address;
use tailrace_scenario::model::{Spoof, SpoofPer};

/// First spoofed address, in a range that no host has (RFC 1112 §4: reserved for future use).
const FIRST: u32 = 0xf000_0000;
const LAST: u32 = 0xfeff_ffff;

/// Assigns address pools to flows, one after the other.
#[derive(Debug)]
pub(crate) struct SpoofPools {
    next: u32,
}

impl Default for SpoofPools {
    fn default() -> Self {
        Self { next: FIRST }
    }
}

impl SpoofPools {
    /// First address of a pool of this size.
    pub(crate) fn take(&mut self, size: u32) -> Result<u32, BuildError> {
        let first = self.next;
        match first.checked_add(size).filter(|next| *next <= LAST) {
            Some(next) => {
                self.next = next;
                Ok(first)
            }
            None => {
                let found = (first - FIRST) as usize + size as usize;
                Err(BuildError::TooLarge { what: "spoofed addresses", found, limit: (LAST - FIRST) as usize })
            }
        }
    }
}

/// Spoofed addresses of one flow.
#[derive(Debug)]
pub(crate) struct SpoofedSource {
    first: u32,
    spoof: Spoof,
    rng: Rng,
    current: Option<(u64, Address)>,
}

impl SpoofedSource {
    pub(crate) const fn new(first: u32, spoof: Spoof, rng: Rng) -> Self {
        Self { first, spoof, rng, current: None }
    }

    /// All addresses.
    pub(crate) fn pool(&self) -> impl Iterator<Item = Address> + use<> {
        (self.first..self.first + self.spoof.pool).map(Address)
    }

    /// Address of the next packet, which belongs to this pulse.
    pub(crate) fn next(&mut self, pulse: impl FnOnce() -> u64) -> Address {
        match self.spoof.per {
            SpoofPer::Packet => self.draw(),
            SpoofPer::Pulse => {
                let pulse = pulse();
                if let Some((_, address)) = self.current.filter(|(of, _)| *of == pulse) {
                    return address;
                }
                let address = self.draw();
                self.current = Some((pulse, address));
                address
            }
        }
    }

    fn draw(&mut self) -> Address {
        Address(self.first + self.rng.below(u64::from(self.spoof.pool)) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spoofed_address_pools_are_disjoint_and_finite() {
        let mut pools = SpoofPools::default();
        assert_eq!([pools.take(4), pools.take(65_536)].map(Result::unwrap), [0xf000_0000, 0xf000_0004]);
        let error = (0..5000).find_map(|_| pools.take(65_536).err()).expect("there are not so many");
        assert!(error.to_string().contains("spoofed addresses"), "{error}");
    }

    #[test]
    fn spoofed_address_is_constant_per_pulse() {
        let spoof = Spoof { per: SpoofPer::Pulse, pool: 65_536 };
        let mut spoofed = SpoofedSource::new(FIRST, spoof, Rng::new(1));
        let [a, b, c] = [0, 0, 1].map(|pulse| spoofed.next(|| pulse));
        assert!(a == b && b != c && spoofed.pool().any(|address| address == c));
    }
}

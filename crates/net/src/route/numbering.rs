//! Numbers of addresses: interfaces are counted, and each has its counted address unless it was given another.

use crate::Address;

/// Which address belongs to which number.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    /// Given addresses with their numbers, in the order of addresses.
    given: Vec<(Address, u32)>,
    /// The same in the order of numbers.
    numbers: Vec<(u32, Address)>,
}

impl Numbering {
    /// These numbers have these addresses from now on, and their counted ones no more.
    pub(super) fn give(&mut self, pairs: impl IntoIterator<Item = (u32, Address)>) {
        for (number, address) in pairs {
            match self.numbers.binary_search_by_key(&number, |(n, _)| *n) {
                Ok(at) => self.numbers[at].1 = address,
                Err(at) => self.numbers.insert(at, (number, address)),
            }
        }
        self.given = self.numbers.iter().map(|(number, address)| (*address, *number)).collect();
        self.given.sort_unstable();
    }

    /// The address of a number.
    pub(super) fn address(&self, number: u32) -> Address {
        match self.numbers.binary_search_by_key(&number, |(n, _)| *n) {
            Ok(at) => self.numbers[at].1,
            Err(_) => Address::from_index(number),
        }
    }

    /// The number of an address; beyond all numbers where it is nobody's.
    #[inline]
    pub(super) fn number(&self, address: Address) -> usize {
        if self.given.is_empty() { address.index() } else { self.search(address) }
    }

    #[inline(never)]
    fn search(&self, address: Address) -> usize {
        if let Ok(at) = self.given.binary_search_by_key(&address, |(a, _)| *a) {
            return self.given[at].1 as usize;
        }
        let counted = address.index();
        let is_given = |n| self.numbers.binary_search_by_key(&n, |(n, _)| *n).is_ok();
        match u32::try_from(counted) {
            Ok(number) if !is_given(number) => counted,
            _ => usize::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_address_takes_the_place_of_the_counted_one() {
        let mut numbering = Numbering::default();
        let (one, given) = (Address::from_index(1), Address(0xc0a8_0007));
        assert_eq!((numbering.number(one), numbering.address(1)), (1, one));
        numbering.give([(1, given)]);
        assert_eq!((numbering.number(given), numbering.address(1)), (1, given));
        assert_eq!(numbering.number(one), usize::MAX, "nobody's any more");
        assert_eq!(numbering.number(Address::from_index(2)), 2);
        numbering.give([(1, one)]);
        assert_eq!((numbering.number(one), numbering.number(given)), (1, given.index()));
    }

    #[test]
    fn interfaces_may_exchange_their_addresses() {
        let mut numbering = Numbering::default();
        let [zero, one] = [0, 1].map(Address::from_index);
        numbering.give([(0, one), (1, zero)]);
        assert_eq!([zero, one].map(|a| numbering.number(a)), [1, 0]);
        assert_eq!([0, 1].map(|n| numbering.address(n)), [one, zero]);
    }
}

//! Numbers of addresses: interfaces are counted, and each has its counted address unless it was given another. One whose
//! address changes has a reserved one or several beside it: these lead to its number, too, whichever it has at the time.

use crate::ids::Address;

/// Table of addresses and their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct AddressNumbers {
    /// Given and reserved addresses with their numbers, in the order of addresses.
    given: Vec<(Address, u32)>,
    /// Addresses that interfaces have now, in the order of numbers.
    numbers: Vec<(u32, Address)>,
}

impl AddressNumbers {
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

    /// A number's address may become another, which leads to it from now on, as its present one always does.
    pub(super) fn reserve(&mut self, number: u32, address: Address) {
        let present = self.address(number);
        if let Err(at) = self.numbers.binary_search_by_key(&number, |(n, _)| *n) {
            self.numbers.insert(at, (number, present));
        }
        for address in [present, address] {
            if let Err(at) = self.given.binary_search(&(address, number)) {
                self.given.insert(at, (address, number));
            }
        }
    }

    /// A number beyond all that there are has this address, which is nobody's.
    pub(super) fn name(&mut self, number: u32, address: Address) {
        if address == Address::from_index(number) {
            return;
        }
        self.numbers.push((number, address));
        let at = self.given.partition_point(|known| *known < (address, number));
        self.given.insert(at, (address, number));
    }

    /// Whether an address was given or reserved.
    pub(super) fn is_given(&self, address: Address) -> bool {
        self.given.binary_search_by_key(&address, |(known, _)| *known).is_ok()
    }

    /// A number has from now on this address, which leads to it.
    pub(super) fn change(&mut self, number: u32, address: Address) {
        debug_assert_eq!(self.number(address), number as usize, "{address} was reserved for another");
        if let Ok(at) = self.numbers.binary_search_by_key(&number, |(n, _)| *n) {
            self.numbers[at].1 = address;
        }
    }

    /// Whether addresses are other than counted.
    pub(super) fn has_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// The address of a number.
    pub(super) fn address(&self, number: u32) -> Address {
        match self.numbers.binary_search_by_key(&number, |(n, _)| *n) {
            Ok(at) => self.numbers[at].1,
            Err(_) => Address::from_index(number),
        }
    }

    /// The number whose address this is now; beyond all numbers where it is nobody's.
    #[inline]
    pub(super) fn holder(&self, address: Address) -> usize {
        if self.given.is_empty() { address.index() } else { self.search_holder(address) }
    }

    #[inline(never)]
    fn search_holder(&self, address: Address) -> usize {
        let number = self.search(address);
        let holds = |n| self.address(n) == address;
        if u32::try_from(number).is_ok_and(holds) { number } else { usize::MAX }
    }

    /// The number to which an address leads, whether it is that one's now or not; beyond all numbers where it is nobody's.
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
        let mut numbering = AddressNumbers::default();
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
        let mut numbering = AddressNumbers::default();
        let [zero, one] = [0, 1].map(Address::from_index);
        numbering.give([(0, one), (1, zero)]);
        assert_eq!([zero, one].map(|a| numbering.number(a)), [1, 0]);
        assert_eq!([0, 1].map(|n| numbering.address(n)), [one, zero]);
    }

    #[test]
    fn reserved_addresses_lead_to_their_number_whichever_it_has() {
        for given in [None, Some(Address(0xc0a8_0007))] {
            let mut numbering = AddressNumbers::default();
            numbering.give(given.map(|address| (1, address)));
            let first = numbering.address(1);
            let [second, third] = [0x0a00_0909, 0x0a00_0a0a].map(Address);
            [second, third, second].into_iter().for_each(|address| numbering.reserve(1, address));
            for now in [first, second, third, first] {
                numbering.change(1, now);
                assert_eq!(numbering.address(1), now);
                for address in [first, second, third] {
                    assert_eq!(numbering.number(address), 1);
                    assert_eq!(numbering.holder(address), if address == now { 1 } else { usize::MAX });
                }
                assert_eq!(numbering.holder(Address::from_index(0)), 0, "others have theirs");
                assert_eq!(numbering.holder(Address(0x0b00_0001)), Address(0x0b00_0001).index());
            }
        }
    }
}

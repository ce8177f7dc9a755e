//! Options of the IPv4 header, as bytes; of those that are made here there is the loose source route.

use crate::error::{WireError, at_most};
use core::net::Ipv4Addr;

/// Most bytes of options: the header's length counts 15 words.
pub const MAX_OPTIONS_LEN: usize = 40;

/// End of option list, no operation, loose and strict source route (RFC 791 §3.1).
const END: u8 = 0;
const NOP: u8 = 1;
const LSRR: u8 = 131;
const SSRR: u8 = 137;
/// Kind, length and pointer before the addresses of a route.
const ROUTE_HEAD: usize = 3;

/// The options of a header, padded to words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Options {
    bytes: [u8; MAX_OPTIONS_LEN],
    len: usize,
}

impl Ipv4Options {
    /// No options.
    pub const NONE: Self = Self { bytes: [0; MAX_OPTIONS_LEN], len: 0 };

    /// The options between the fixed header and the payload of a well-formed packet.
    pub(super) fn of_header(options: &[u8]) -> Self {
        let mut all = Self { len: options.len(), ..Self::NONE };
        all.bytes[..options.len()].copy_from_slice(options);
        all
    }

    /// A loose source and record route (RFC 791 §3.1) with the first `passed` of its addresses used: those stand for the
    /// gateways that the packet has been through. Before it a no-operation, so that addresses lie on words, as with
    /// ping's and traceroute's.
    ///
    /// # Errors
    /// More than nine addresses do not fit.
    pub fn loose_source_route(route: &[Ipv4Addr], passed: usize) -> Result<Self, WireError> {
        let len = 1 + ROUTE_HEAD + 4 * route.len();
        at_most("ipv4 options", len, MAX_OPTIONS_LEN)?;
        let mut options = Self { len, ..Self::NONE };
        let pointer = ROUTE_HEAD + 1 + 4 * passed.min(route.len());
        options.bytes[..1 + ROUTE_HEAD].copy_from_slice(&[NOP, LSRR, len as u8 - 1, pointer as u8]);
        for (slot, address) in options.bytes[1 + ROUTE_HEAD..].chunks_exact_mut(4).zip(route) {
            slot.copy_from_slice(&address.octets());
        }
        Ok(options)
    }

    /// The bytes.
    pub const fn as_slice(&self) -> &[u8] {
        self.bytes.split_at(self.len).0
    }

    /// The last address of a source route, loose or strict, that is not used up.
    pub fn final_destination(&self) -> Option<Ipv4Addr> {
        let mut rest = self.as_slice();
        loop {
            match *rest {
                [] | [END, ..] => return None,
                [NOP, ..] => rest = &rest[1..],
                [LSRR | SSRR, len, pointer, ..] if (ROUTE_HEAD + 4..=rest.len()).contains(&len.into()) => {
                    let end = usize::from(len);
                    let last = <[u8; 4]>::try_from(&rest[end - 4..end]).expect("four bytes");
                    return (pointer < len).then(|| last.into());
                }
                [_, len, ..] => rest = rest.get(usize::from(len.max(2))..)?,
                [_] => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn addresses(n: u8) -> Vec<Ipv4Addr> {
        (1..=n).map(|i| [10, 0, 0, i].into()).collect()
    }

    #[test]
    fn a_route_is_laid_out_as_the_rfc_draws_it() {
        let of = |passed| Ipv4Options::loose_source_route(&addresses(2), passed).unwrap();
        // Kind 131, length 3 + 2 * 4, pointer from 4, then beyond the length when the route is used up.
        assert_eq!(of(0).as_slice(), [1, 131, 11, 4, 10, 0, 0, 1, 10, 0, 0, 2]);
        assert_eq!(of(1).as_slice()[..4], [1, 131, 11, 8]);
        assert_eq!(of(2).as_slice()[..4], [1, 131, 11, 12]);
        let end = |passed| of(passed).final_destination();
        assert_eq!([end(0), end(1), end(2)], [Some([10, 0, 0, 2].into()), Some([10, 0, 0, 2].into()), None]);
        assert_eq!(Ipv4Options::NONE.final_destination(), None);
    }

    #[test]
    fn nine_addresses_fill_the_header() {
        assert_eq!(Ipv4Options::loose_source_route(&addresses(9), 0).unwrap().as_slice().len(), 40);
        let error = WireError::TooLong { what: "ipv4 options", length: 44, limit: 40 };
        assert_eq!(Ipv4Options::loose_source_route(&addresses(10), 0), Err(error));
    }

    #[test]
    fn a_route_is_found_behind_other_options() {
        // Router alert (RFC 2113), then a strict route of one address; then the same after the end of the list.
        let route = [148, 4, 0, 0, 137, 7, 4, 10, 1, 2, 3, 0];
        assert_eq!(Ipv4Options::of_header(&route).final_destination(), Some([10, 1, 2, 3].into()));
        let ended = [148, 4, 0, 0, 0, 131, 7, 4, 10, 1, 2, 3];
        assert_eq!(Ipv4Options::of_header(&ended).final_destination(), None);
    }

    proptest! {
        #[test]
        fn arbitrary_options_never_panic(words in prop::collection::vec(any::<[u8; 4]>(), 0..=10)) {
            let bytes = words.concat();
            let options = Ipv4Options::of_header(&bytes);
            prop_assert_eq!(options.as_slice(), &bytes[..]);
            let _ = options.final_destination();
        }
    }
}

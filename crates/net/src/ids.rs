//! Numbers of nodes, links and timers, and addresses.

/// A host or router.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

impl LinkId {
    /// The other direction of the same link.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// A timer of the hosts, who give it meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerId(pub u32);

/// An interface address. Host interfaces are numbered from 10.0.0.1 in the order in which links are added, and gateways
/// after them, so an address leads to its route by subtraction; one that was given ([`Graph::give_addresses`]) or that an
/// interface has at some time only ([`Graph::reserve_addresses`]) by a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u32);

impl Address {
    const FIRST: u32 = 0x0a00_0001;

    /// The address of host interface number `index`.
    pub const fn from_index(index: u32) -> Self {
        Self(Self::FIRST + index)
    }
    /// The number of the host interface, for addresses that the fabric has counted.
    pub(crate) const fn index(self) -> usize {
        self.0.wrapping_sub(Self::FIRST) as usize
    }
}

impl core::fmt::Display for Address {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let [a, b, c, d] = self.0.to_be_bytes();
        write!(f, "{a}.{b}.{c}.{d}")
    }
}

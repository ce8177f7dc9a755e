//! Identifiers of sockets, which packets carry as a hint to their receiver.

/// A place in the slab: its number, and above that how often it had been used before, modulo 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SocketId(u32);

const PLACE_BITS: u32 = 22;

impl SocketId {
    /// Not known, or none.
    pub(crate) const NONE: Self = Self(u32::MAX);
    /// None comes before it.
    pub(crate) const FIRST: Self = Self(0);
    pub(crate) fn new(place: usize, uses: u32) -> Self {
        Self(place as u32 | uses << PLACE_BITS)
    }
    /// Its place in the slab.
    #[inline]
    pub(crate) const fn place(self) -> usize {
        (self.0 & ((1 << PLACE_BITS) - 1)) as usize
    }
    pub(crate) const fn uses(self) -> u32 {
        self.0 >> PLACE_BITS
    }
    /// The use count after `uses`, modulo 1024.
    pub(crate) const fn next_use(uses: u32) -> u32 {
        (uses + 1) % (1 << (u32::BITS - PLACE_BITS))
    }
}

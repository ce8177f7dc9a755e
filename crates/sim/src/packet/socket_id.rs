//! Socket ids, which packets carry as a hint to their receiver.

/// Place in the slab of sockets, and above it the use count of that place, modulo 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SocketId(u32);

const PLACE_BITS: u32 = 22;

impl SocketId {
    /// Unknown socket, or no socket.
    pub(crate) const NONE: Self = Self(u32::MAX);
    /// Smallest id.
    pub(crate) const FIRST: Self = Self(0);
    pub(crate) fn new(place: usize, uses: u32) -> Self {
        Self(place as u32 | uses << PLACE_BITS)
    }
    /// Place in the slab.
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

//! Addresses and ports of a subflow.

/// Addresses and ports of a subflow, this end's first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tuple {
    /// This end's address.
    pub local: u32,
    /// The peer's address.
    pub remote: u32,
    /// This end's port.
    pub local_port: u16,
    /// The peer's port.
    pub remote_port: u16,
}

impl Tuple {
    /// The same connection as its other end sees it.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            local: self.remote,
            remote: self.local,
            local_port: self.remote_port,
            remote_port: self.local_port,
        }
    }

    /// Whether it is the same: subflows of a connection differ in their ports, if not in their addresses.
    #[inline]
    pub(in crate::mptcp) fn is(&self, other: &Self) -> bool {
        let ports = |t: &Self| u32::from(t.local_port) | u32::from(t.remote_port) << 16;
        let addresses = |t: &Self| u64::from(t.local) | u64::from(t.remote) << 32;
        ports(self) == ports(other) && addresses(self) == addresses(other)
    }
}

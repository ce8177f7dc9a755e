//! Receive window that the subflows of a Multipath TCP connection share.

/// Window that a connection shares among its subflows, in the four bytes that it has beside other fields: the largest number
/// stands for none, as no window is as large (RFC 7323 §2.3).
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct SharedWindow(u32);

impl SharedWindow {
    /// Window of TCP alone.
    pub(in crate::tcp) const NONE: Self = Self(u32::MAX);

    #[inline]
    pub(in crate::tcp) const fn get(self) -> Option<u32> {
        if self.0 == Self::NONE.0 { None } else { Some(self.0) }
    }

    /// Sets the window, and returns the one before.
    pub(in crate::tcp) fn replace(&mut self, window: u64) -> Option<u32> {
        let window = u32::try_from(window).unwrap_or(u32::MAX).min(u32::MAX - 1);
        core::mem::replace(self, Self(window)).get()
    }
}

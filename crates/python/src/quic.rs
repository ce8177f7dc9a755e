//! QUIC, if the extension was built with it.

#[cfg(not(feature = "quic"))]
mod absent;
#[cfg(feature = "quic")]
mod stacks;

#[cfg(not(feature = "quic"))]
pub(crate) use absent::attach;
#[cfg(feature = "quic")]
pub(crate) use stacks::attach;

//! Kernels as hosts of a run, where the system and the build have them.

#[cfg(not(all(feature = "kernels", target_os = "linux")))]
mod absent;
#[cfg(all(feature = "kernels", target_os = "linux"))]
mod guests;

#[cfg(not(all(feature = "kernels", target_os = "linux")))]
pub(crate) use absent::{Kernels, Stock};
#[cfg(all(feature = "kernels", target_os = "linux"))]
pub(crate) use guests::{Kernels, Stock};

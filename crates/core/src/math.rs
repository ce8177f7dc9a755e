//! The one pinned implementation of transcendental functions.
//!
//! The standard library's forward to the platform's C library, whose last digits differ between machines;
//! these are pure Rust over IEEE-exact operations, so a run's fingerprint is the same everywhere.

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}
/// e to the power of `x`.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}
/// `x` to the power of `y`.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}
/// Cube root.
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}
/// Square root, here for completeness: IEEE 754 says its every digit, so the processor's own instruction is as good.
#[inline]
pub fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

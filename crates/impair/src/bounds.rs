//! Bounds shared by keys of several kinds.

use tailrace_core::params::{Bounds, Kind};

/// Rates that a link can have.
pub const RATES: Bounds = Bounds::declared(
    Kind::Rate,
    "1 bit/s",
    "10000 Gbit/s",
    "what carries nothing is a fault of kind `down` or `blackhole`, or a row of rate 0 in a `trace` | a packet would take no time",
);
/// Delays that a link can have.
pub(crate) const DELAYS: Bounds = Bounds::declared(Kind::Duration, "0 s", "87600 h", "no run lasts longer");
